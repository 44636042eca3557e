//! What all views share: maps, engines and dropped files, within limits.
//!
//! A map or an engine is made once, however many views ask for it at the same time, and kept until
//! newer ones need the room. Dropped files are kept as long as there is room.

mod cache;
mod files;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use portolan::{Engine, Map, Settings, registry};
use serde::{Deserialize, Serialize};

use crate::error::{LabError, bad_request};
use crate::maps::{GALLERY, MapChoice, MapSource};
use crate::task::Task;
use cache::Cache;
use files::Files;

/// How much a lab takes.
#[derive(Debug, Clone, Serialize)]
pub struct Limits {
    /// Cells of a grid.
    pub most_cells: u64,
    /// Nodes of a graph.
    pub most_nodes: u64,
    /// Bytes of a dropped file, with its coordinates.
    pub most_file_bytes: u64,
    /// Bytes of all dropped files, of all maps, and of all indexes.
    pub most_kept_bytes: [u64; 3],
    /// Bytes of one index.
    pub most_index_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most_cells: 1 << 22,
            most_nodes: 1 << 20,
            most_file_bytes: 64 << 20,
            most_kept_bytes: [256 << 20, 512 << 20, 2 << 30],
            most_index_bytes: 1 << 30,
        }
    }
}

/// Maps, engines and dropped files of all views.
pub struct Shelf {
    limits: Limits,
    files: Files,
    maps: Cache<Arc<Map>>,
    engines: Cache<Built>,
    /// Opened when a view first asks for it; or why it cannot be.
    #[cfg(feature = "gpu")]
    gpu: std::sync::OnceLock<Result<portolan_gpu::Gpu, String>>,
}

/// An engine with what its build took.
#[derive(Clone)]
pub(crate) struct Built {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) build: Duration,
}

/// An engine, as the page names it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EngineChoice {
    pub(crate) name: String,
    /// The memory limit of the index in MiB.
    #[serde(default)]
    pub(crate) memory: Option<u32>,
    /// The number of landmarks.
    #[serde(default)]
    pub(crate) landmarks: Option<u32>,
    /// Cells along the side of a cluster.
    #[serde(default)]
    pub(crate) cluster: Option<u32>,
    /// The number of levels of clusters.
    #[serde(default)]
    pub(crate) levels: Option<u32>,
}

impl EngineChoice {
    /// Refuses settings outside the ranges of the page.
    fn check(&self, limits: &Limits) -> Result<(), LabError> {
        let most_memory = (limits.most_index_bytes >> 20).min(u64::from(u32::MAX)) as u32;
        let ranges = [
            ("memory limit in MiB", self.memory, 1..=most_memory),
            ("number of landmarks", self.landmarks, 1..=64),
            ("side of a cluster", self.cluster, 2..=64),
            ("number of levels", self.levels, 1..=6),
        ];
        for (what, value, range) in ranges {
            if let Some(value) = value.filter(|value| !range.contains(value)) {
                let (least, most) = (range.start(), range.end());
                let reason = format!("the {what} is {value}; it must be from {least} to {most}");
                return Err(bad_request(reason));
            }
        }
        Ok(())
    }

    /// An engine as it comes.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.into(), memory: None, landmarks: None, cluster: None, levels: None }
    }

    /// What the engine is built with. Fails if a setting is out of its range.
    pub(crate) fn settings(&self, limits: &Limits) -> Result<Settings, LabError> {
        self.check(limits)?;
        let mut settings = Settings::default();
        if let Some(memory) = self.memory {
            settings.memory_limit = (u64::from(memory) << 20).min(limits.most_index_bytes).into();
        }
        if let Some(landmarks) = self.landmarks {
            settings.differential.landmarks = landmarks as usize;
        }
        if let Some(cluster) = self.cluster {
            settings.cluster_size = cluster;
        }
        if let Some(levels) = self.levels {
            settings.cluster_levels = levels as usize;
        }
        Ok(settings)
    }

    /// The method that builds the engine.
    pub(crate) fn method(&self) -> Result<&'static dyn registry::Method, LabError> {
        let unknown = || portolan::UnknownEngine { name: self.name.clone() };
        Ok(registry::method(&self.name).ok_or_else(unknown)?)
    }

    /// Builds the engine. Shows progress and stops when the request is cancelled.
    pub(crate) fn build(&self, map: &Map, task: &Task<'_>) -> Result<Box<dyn Engine>, LabError> {
        let settings = self.settings(task.shelf.limits())?;
        self.method()?.build_watched(map, &settings, task).map_err(|source| match source {
            portolan::BuildError::Cancelled => LabError::Cancelled,
            source => LabError::Build { engine: self.name.clone(), source },
        })
    }
}

impl Shelf {
    /// An empty shelf.
    pub fn new(limits: Limits) -> Self {
        let [files, maps, engines] = limits.most_kept_bytes;
        Self {
            files: Files::new(files),
            maps: Cache::new(maps),
            engines: Cache::new(engines),
            #[cfg(feature = "gpu")]
            gpu: std::sync::OnceLock::new(),
            limits,
        }
    }

    /// How much it takes.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Keeps a map file as if it had been dropped on the page, with coordinates if it is a road
    /// network that has them. Returns the value of `map` in the link that opens it.
    pub fn add_file(
        &self,
        name: &str,
        bytes: &[u8],
        coordinates: Option<&[u8]>,
    ) -> Result<String, LabError> {
        let source = self.keep_file(name, bytes, coordinates)?;
        Ok(MapChoice { source, moves: Default::default(), corners: Default::default() }.key())
    }

    /// The GPU, or why there is none.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&self) -> Result<&portolan_gpu::Gpu, String> {
        let opened =
            self.gpu.get_or_init(|| portolan_gpu::Gpu::new().map_err(|error| error.to_string()));
        opened.as_ref().map_err(String::clone)
    }

    /// Keeps a dropped file that holds a map, and returns the source that names it.
    pub(crate) fn keep_file(
        &self,
        name: &str,
        bytes: &[u8],
        coordinates: Option<&[u8]>,
    ) -> Result<MapSource, LabError> {
        files::read(name, bytes, coordinates, &self.limits)?;
        let hash = self.files.keep(name, bytes, coordinates);
        Ok(MapSource::File { name: name.into(), hash })
    }

    /// The map of this choice.
    pub(crate) fn map(&self, choice: &MapChoice, task: &Task<'_>) -> Result<Arc<Map>, LabError> {
        self.maps.get(&choice.key(), task, || {
            let map = match &choice.source {
                MapSource::Gallery { name } => {
                    let entry = GALLERY.iter().find(|entry| entry.name == name);
                    let missing =
                        || LabError::WrongMap(format!("the gallery has no map called `{name}`"));
                    entry.ok_or_else(missing)?.make(&self.limits)?
                }
                MapSource::Generated(settings) => settings.generate(&self.limits)?,
                MapSource::File { name, hash } => self.files.map(name, hash, &self.limits)?,
            };
            let map = choice.with_rules(map);
            let bytes = map.memory_bytes() as u64;
            Ok((Arc::new(map), bytes))
        })
    }

    /// The engine of this choice on this map.
    pub(crate) fn engine(
        &self,
        (choice, map): (&MapChoice, &Map),
        engine: &EngineChoice,
        task: &Task<'_>,
    ) -> Result<Built, LabError> {
        let named = serde_json::to_string(engine).unwrap_or_default();
        let key = format!("{} {named}", choice.key());
        self.engines.get(&key, task, || {
            let start = Instant::now();
            let built = engine.build(map, task)?;
            let bytes = built.memory_bytes() as u64;
            Ok((Built { engine: Arc::from(built), build: start.elapsed() }, bytes))
        })
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Shelf").field("limits", &self.limits).finish_non_exhaustive()
    }
}
