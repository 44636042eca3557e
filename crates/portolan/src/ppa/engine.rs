//! The engines `ppa` and `ppa-bidirectional`.

use std::fmt;
use std::sync::Arc;

use super::config::{MAX_SPLITS, PpaConfig, Tables};
use super::index::PpaIndex;
use super::query::{PpaScratch, PpaSearch};
use super::{build, file, refresh};
use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::Changes;
use crate::engine::{
    Answer, Build, Engine, EngineForm, RebuiltPart, ScratchPool, answer_by_searching,
    boxed_answers, debug_by_form, replaced,
};
use crate::graph::Graph;
use crate::heuristic::Heuristic;
use crate::map::{Map, on_graph};
use crate::store::{IndexFile, IndexWriter, OpenError, Unstorable};
use crate::true_distance::{BoundForm, Bounds, StoredConfig};

/// The index of Partially Precomputed A*.
///
/// ```
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let ppa = Ppa::build(&map, &PpaConfig::default())?;
/// let mut query = ppa.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ppa {
    pub(super) index: PpaIndex,
    pub(super) config: PpaConfig,
    pub(super) bounds: Bounds,
    pool: ScratchPool<PpaScratch>,
}

/// Sizes of an index, for reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PpaSummary {
    /// Subgraphs per level, leaves first.
    pub subgraphs: Vec<usize>,
    /// Borders of all leaves.
    pub leaf_borders: usize,
    /// Members of the top subgraph.
    pub top_members: usize,
    /// Bytes of the tables.
    pub table_bytes: usize,
    /// Bytes of the full distance matrix at four bytes a pair.
    pub full_matrix_bytes: u128,
}

/// The form of a [`Ppa`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PpaForm {
    /// The number of leaves.
    pub leaves: usize,
    /// How often regions are cut.
    pub cuts: usize,
    /// Into how many regions, minimum and maximum.
    pub into: (usize, usize),
    /// What the tables store.
    pub tables: Tables,
    /// Stored bounds used with them.
    pub bounds: Vec<BoundForm>,
}

impl fmt::Display for PpaForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { leaves, cuts, into: (least, most), tables, bounds } = self;
        write!(out, "{leaves} leaves by {cuts} cuts into {least}")?;
        if least != most {
            write!(out, " to {most}")?;
        }
        out.write_str(match tables {
            Tables::Distances => ", distances",
            Tables::Steps => ", distances and steps",
            Tables::OnDemand => ", distances on demand",
        })?;
        bounds.iter().try_for_each(|bound| write!(out, "; {bound}"))
    }
}

impl Ppa {
    /// Sizes of the index.
    pub fn summary(&self) -> PpaSummary {
        let tree = &self.index.tree;
        let leaves = tree.level(0).map(|leaf| self.index.subgraph(leaf));
        let nodes = self.index.map.usable_count() as u128;
        PpaSummary {
            subgraphs: (0..tree.levels()).map(|level| tree.level(level).len()).collect(),
            leaf_borders: leaves.map(|leaf| leaf.borders).sum(),
            top_members: self.index.subgraphs.last().map_or(0, |top| top.members.len()),
            table_bytes: self.index.table_bytes(),
            full_matrix_bytes: nodes * nodes * 4,
        }
    }

    /// Checks that the configuration is valid for this map.
    fn check(map: &Map, config: &PpaConfig) -> Result<(), Unsupported> {
        let refused = |reason| Err(Unsupported { method: config.method(), reason });
        match (config.branching, config.splits) {
            (_, Some(splits)) if splits > MAX_SPLITS => {
                return refused(format!(
                    "{splits} cuts are not supported; choose at most {MAX_SPLITS}"
                ));
            }
            (branching @ 0..2, splits) if splits != Some(0) => {
                return refused(format!(
                    "regions cannot be cut into {branching}; choose at least 2"
                ));
            }
            _ => {}
        }
        Bounds::support(config.method(), map, config.heuristic, &config.stored)
    }
}

debug_by_form!(Ppa);

impl Engine for Ppa {
    fn name(&self) -> &'static str {
        self.config.method()
    }

    fn exact(&self) -> bool {
        self.config.stored.iter().all(StoredConfig::is_exact)
    }

    /// The subgraphs whose tables changed.
    fn rebuilt_since(&self, before: &dyn Engine) -> Option<Vec<RebuiltPart>> {
        let before = before.downcast_ref::<Self>()?;
        let (old, new) = (&before.index, &self.index);
        let level_of =
            |id: u32| (0..new.tree.levels()).find(|&at| new.tree.level(at).contains(&id));
        let part = |id: usize| RebuiltPart {
            level: level_of(id as u32).unwrap_or(0),
            nodes: new.subgraphs[id].members.clone(),
        };
        let (before, after) = (old.subgraphs.iter(), new.subgraphs.iter());
        let rebuilt = replaced(before.map(Arc::as_ref), after.map(Arc::as_ref));
        Some(rebuilt.into_iter().map(part).collect())
    }

    fn memory_bytes(&self) -> usize {
        self.index.memory_bytes() + self.bounds.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        let tree = &self.index.tree;
        let most = |level| tree.level(level).map(|id| tree.children(id).len()).max().unwrap_or(0);
        let into = match (1..tree.levels()).map(most) {
            levels if self.index.regrouped => {
                levels.fold((usize::MAX, 0), |(a, b), n| (a.min(n), b.max(n)))
            }
            _ => {
                let of_top = tree.children(tree.subgraph_count() as u32 - 1).len();
                (of_top, of_top)
            }
        };
        Some(Box::new(PpaForm {
            leaves: tree.leaf_count(),
            cuts: tree.levels() - 1,
            into,
            tables: self.config.tables,
            bounds: self.bounds.forms(),
        }))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Self::storable(&self.config)?;
        let mut writer = file::store(&self.index, &self.config);
        self.bounds.store(&mut writer);
        Ok(writer)
    }

    fn map(&self) -> &Map {
        &self.index.map
    }

    boxed_answers!();
}

impl Build for Ppa {
    type Config = PpaConfig;

    fn supports(map: &Map, config: &PpaConfig) -> Result<(), Unsupported> {
        Self::check(map, config)
    }

    fn build_watched(
        map: &Map,
        config: &PpaConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Self::check(map, config)?;
        let undirected = on_graph!(map, graph => graph.is_undirected());
        in_threads(config.threads, || {
            let PpaConfig { heuristic, stored, .. } = config;
            let bounds = Bounds::build(config.method(), map, *heuristic, stored, progress);
            let index = match &bounds {
                // The error also reports the size of the tables.
                Err(BuildError::MemoryLimit { .. }) => {
                    build::check(map, config, undirected, progress).map(|()| None)
                }
                Err(_) => Ok(None),
                Ok(_) => build::build(map, config, undirected, progress).map(Some),
            };
            match (bounds, index) {
                (Ok(bounds), Ok(Some(index))) => {
                    Ok(Self { index, config: config.clone(), bounds, pool: ScratchPool::default() })
                }
                (bounds, index) => Err(config.refused(bounds.err(), index.err())),
            }
        })?
    }

    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        let rebuild = || Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? });
        if !map.follows(&self.index.map, changes) {
            return rebuild();
        }
        let bounds = self.bounds.refreshed(self.config.method(), map, changes)?;
        match refresh::refresh(&self.index, map, changes, self.config.steps()) {
            // A rebuilt index may be smaller.
            Some(index) if index.memory_bytes() as u64 > self.config.memory_limit => rebuild(),
            Some(index) => {
                let (config, pool) = (self.config.clone(), self.pool.clone());
                Ok(Self { index, config, bounds, pool })
            }
            None => rebuild(),
        }
    }

    fn storable(config: &PpaConfig) -> Result<(), Unstorable> {
        match config.tables {
            Tables::Distances | Tables::Steps => Ok(()),
            Tables::OnDemand => Err(Unstorable {
                reason: "tables on demand are never complete; choose tables of distances".into(),
            }),
        }
    }

    /// The file determines the hierarchy and the tables. The configuration determines the lower
    /// bound, the threads, how later cuts are found, and the memory limit unless the index is
    /// larger already.
    fn open(file: &IndexFile, map: &Map, config: &PpaConfig) -> Result<Self, OpenError> {
        file.check_engine(config.method())?;
        file.check_map(map)?;
        Self::check(map, config)?;
        let PpaConfig { heuristic, stored, .. } = config;
        let bounds = Bounds::open(config.method(), file, map, *heuristic, stored)?;
        let (index, stored_shape) = file::open(file, map)?;
        let bytes = index.memory_bytes() as u64;
        let config = PpaConfig {
            branching: stored_shape.branching.unwrap_or(PpaConfig::default().branching),
            splits: stored_shape.branching.map(|_| index.tree.levels() - 1),
            tables: stored_shape.tables,
            memory_limit: if bytes <= config.memory_limit { config.memory_limit } else { u64::MAX },
            ..config.clone()
        };
        Ok(Self { index, config, bounds, pool: ScratchPool::default() })
    }
}

impl Answer for Ppa {
    type Scratch = PpaScratch;

    answer_by_searching!(PpaScratch, PpaSearch);
}
