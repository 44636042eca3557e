//! The list of all methods, and generic settings to build them by name.

mod configure;
mod settings;

pub use settings::Settings;

use crate::atlas::{Atlas, AtlasConfig, Form};
use crate::build::{BuildError, Progress, Unsupported};
use crate::engine::{Build, Engine};
use crate::hpa::{Hpa, HpaConfig, Shpa, ShpaConfig};
use crate::map::Map;
use crate::portal::bound::PortalConfig;
use crate::portal::{PerfectPortal, PortalSearch};
use crate::ppa::{Ppa, PpaConfig};
use crate::search_engine::{Algorithm, SearchConfig, SearchEngine};
use crate::store::{IndexFile, OpenError, Unstorable};
use crate::trace::{event, span};
use crate::true_distance::StoredKind;

/// All methods by name.
pub static METHODS: &[&dyn Method] = &[
    &RegisteredMethod::<SearchEngine> {
        name: "dijkstra",
        exact: true,
        summary: "Dijkstra's algorithm, the reference",
        configure: |settings| SearchConfig::from_settings(Algorithm::Dijkstra, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "astar",
        exact: true,
        summary: "A* with a geometric lower bound",
        configure: |settings| SearchConfig::from_settings(Algorithm::AStar, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "bidirectional",
        exact: true,
        summary: "A* from both ends at once",
        configure: |settings| SearchConfig::from_settings(Algorithm::Bidirectional, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "differential",
        exact: true,
        summary: "A* with stored distances to landmarks",
        configure: |settings| SearchConfig::named(StoredKind::Differential, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "differential-stale",
        exact: false,
        summary: "the same, fast and slightly stale: edits cost nothing and may hide short cuts",
        configure: SearchConfig::stale_landmarks,
    },
    &RegisteredMethod::<SearchEngine> {
        name: "canonical",
        exact: true,
        summary: "A* with stored distances between canonical nodes",
        configure: |settings| SearchConfig::named(StoredKind::Canonical, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "border",
        exact: true,
        summary: "A* with stored distances between the borders of regions",
        configure: |settings| SearchConfig::named(StoredKind::Border, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "gateway",
        exact: true,
        summary: "A* with stored distances between the gates of zones",
        configure: |settings| SearchConfig::named(StoredKind::Gateway, settings),
    },
    &RegisteredMethod::<SearchEngine> {
        name: "portal",
        exact: true,
        summary: "A* with stored distances between the portals of regions",
        configure: |settings| SearchConfig::named(StoredKind::Portal, settings),
    },
    &RegisteredMethod::<PortalSearch> {
        name: "portal-search",
        exact: true,
        summary: "Portal-Based Search: two regions, joined by stored distances between portals",
        configure: |settings| PortalConfig::from_settings(settings, settings.memory_limit),
    },
    &RegisteredMethod::<PerfectPortal> {
        name: "perfect-portal",
        exact: true,
        summary: "the perfect portal heuristic: paths between regions are read off without a search",
        configure: |settings| PortalConfig::from_settings(settings, settings.memory_limit),
    },
    &RegisteredMethod::<Ppa> {
        name: "ppa",
        exact: true,
        summary: "Partially Precomputed A*: a hierarchy of subgraphs with all-pairs tables",
        configure: |settings| PpaConfig::from_settings(settings, false),
    },
    &RegisteredMethod::<Ppa> {
        name: "ppa-bidirectional",
        exact: true,
        summary: "the same tables, searched from both ends at once",
        configure: |settings| PpaConfig::from_settings(settings, true),
    },
    &RegisteredMethod::<Atlas> {
        name: "atlas",
        exact: true,
        summary: "our exact index, in the fastest form that the memory limit allows",
        configure: |settings| AtlasConfig::from_settings(settings, Form::Fastest),
    },
    &RegisteredMethod::<Atlas> {
        name: "atlas-uniform",
        exact: true,
        summary: "the same with labels of the corners of a grid of one terrain",
        configure: |settings| AtlasConfig::from_settings(settings, Form::Uniform),
    },
    &RegisteredMethod::<Atlas> {
        name: "atlas-general",
        exact: true,
        summary: "the same with labels over the general core",
        configure: |settings| AtlasConfig::from_settings(settings, Form::General),
    },
    &RegisteredMethod::<Atlas> {
        name: "atlas-climb",
        exact: true,
        summary: "the same without labels: least memory, quickest to follow edits",
        configure: |settings| AtlasConfig::from_settings(settings, Form::Climb),
    },
    &RegisteredMethod::<Hpa> {
        name: "hpa",
        exact: false,
        summary: "HPA*: clusters of cells with known costs between their entrances",
        configure: |settings| HpaConfig::from_settings(settings, false),
    },
    &RegisteredMethod::<Hpa> {
        name: "dhpa",
        exact: false,
        summary: "DHPA*: the same with costs and directions from every cell to its cluster's entrances",
        configure: |settings| HpaConfig::from_settings(settings, true),
    },
    &RegisteredMethod::<Shpa> {
        name: "shpa",
        exact: false,
        summary: "SHPA*: merged clusters and straight lines between their entrances, for maps that stay as they are",
        configure: ShpaConfig::from_settings,
    },
];

/// The method of this name, or an error that lists all names.
pub(crate) fn named(name: &str) -> Result<&'static dyn Method, UnknownEngine> {
    method(name).ok_or_else(|| UnknownEngine { name: name.to_owned() })
}

/// The method of this name.
pub fn method(name: &str) -> Option<&'static dyn Method> {
    METHODS.iter().copied().find(|method| method.name() == name)
}

/// No engine has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine is called `{name}`; {}there are {}", suggestion(name), known_names())]
pub struct UnknownEngine {
    /// The name that was given.
    pub name: String,
}

fn suggestion(name: &str) -> String {
    let name = name.to_lowercase();
    let names = METHODS.iter().map(|method| method.name());
    let nearest = names.map(|known| (strsim::damerau_levenshtein(&name, known), known)).min();
    match nearest {
        Some((distance, known)) if distance <= known.len() / 2 => {
            format!("did you mean `{known}`? ")
        }
        _ => String::new(),
    }
}

fn known_names() -> String {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
    names.join(", ")
}

/// A method by name, with its types erased.
pub trait Method: Sync {
    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest paths.
    fn exact(&self) -> bool;

    /// A short description.
    fn summary(&self) -> &'static str;

    /// Whether it can be built on this map with these settings, and if not, why.
    fn supports(&self, map: &Map, settings: &Settings) -> Result<(), Unsupported>;

    /// Precomputes what the method needs.
    fn build(&self, map: &Map, settings: &Settings) -> Result<Box<dyn Engine>, BuildError> {
        self.build_watched(map, settings, &())
    }

    /// [`build`](Self::build) that reports progress and can be cancelled.
    fn build_watched(
        &self,
        map: &Map,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Engine>, BuildError>;

    /// See [`Build::storable`].
    fn storable(&self, settings: &Settings) -> Result<(), Unstorable>;

    /// See [`Build::open`]. A file of another engine is refused.
    fn open(
        &self,
        index: &IndexFile,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn Engine>, OpenError>;
}

/// An entry of the list of methods.
struct RegisteredMethod<E: Build> {
    name: &'static str,
    exact: bool,
    summary: &'static str,
    configure: fn(&Settings) -> E::Config,
}

impl<E: Build> Method for RegisteredMethod<E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn exact(&self) -> bool {
        self.exact
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn supports(&self, map: &Map, settings: &Settings) -> Result<(), Unsupported> {
        E::supports(map, &(self.configure)(settings))
    }

    fn build_watched(
        &self,
        map: &Map,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Engine>, BuildError> {
        span!("build", engine = self.name, nodes = map.node_count());
        let engine = E::build_watched(map, &(self.configure)(settings), progress)?;
        event!(bytes = engine.memory_bytes(), "built");
        Ok(Box::new(engine))
    }

    fn storable(&self, settings: &Settings) -> Result<(), Unstorable> {
        E::storable(&(self.configure)(settings))
    }

    fn open(
        &self,
        index: &IndexFile,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn Engine>, OpenError> {
        span!("open", engine = self.name, nodes = map.node_count());
        index.check_engine(self.name)?;
        Ok(Box::new(E::open(index, map, &(self.configure)(settings))?))
    }
}
