//! The engines `hpa` and `dhpa`.

use std::fmt;

use super::abstract_graph::AbstractCluster;
use super::config::HpaConfig;
use super::hierarchy::Hierarchy;
use super::query::{HierarchyScratch, HierarchySearch};
use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::Changes;
use crate::engine::{
    Answer, Build, Engine, EngineForm, RebuiltPart, ScratchPool, answer_by_searching,
    boxed_answers, debug_by_form, replaced,
};
use crate::grid::Grid;
use crate::heuristic::Geometric;
use crate::map::Map;
use crate::store::{IndexWriter, Unstorable};

/// The hierarchy of HPA* or, with a cache, DHPA*.
///
/// ```
/// use portolan::hpa::{Hpa, HpaConfig};
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let engine = Hpa::build(&map, &HpaConfig { cached: true, ..HpaConfig::default() })?;
/// let mut query = engine.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Hpa {
    pub(super) map: Map,
    pub(super) grid: Grid,
    pub(super) config: HpaConfig,
    pub(super) base: Geometric,
    pub(super) hierarchy: Hierarchy,
    pub(super) pool: ScratchPool<HierarchyScratch>,
}

/// Sizes of a hierarchy, for reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HpaSummary {
    /// Clusters per level, finest first.
    pub clusters: Vec<usize>,
    /// Clusters of the first level that have a passable cell.
    pub passable_clusters: usize,
    /// Abstract nodes per level.
    pub nodes: Vec<usize>,
    /// Costs stored between the nodes of clusters, on all levels.
    pub intra_edges: usize,
    /// Entries of the cache.
    pub entries: usize,
}

/// The form of an [`Hpa`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HpaForm {
    /// Cells along the side of a cluster of the first level.
    pub cluster_size: u32,
    /// Clusters per level, finest first.
    pub clusters: Vec<usize>,
    /// Abstract nodes per level.
    pub nodes: Vec<usize>,
}

impl fmt::Display for HpaForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} cells a side: ", self.cluster_size)?;
        for (level, (nodes, clusters)) in self.nodes.iter().zip(&self.clusters).enumerate() {
            let before = if level > 0 { ", above them " } else { "" };
            write!(out, "{before}{nodes} nodes in {clusters} clusters")?;
        }
        Ok(())
    }
}

impl Hpa {
    /// Sizes of the hierarchy.
    pub fn summary(&self) -> HpaSummary {
        let levels = &self.hierarchy.levels;
        let tiling = levels[0].tiling;
        let is_passable =
            |&id: &u32| tiling.rect(id).cells().any(|(x, y)| self.grid.is_passable(x, y));
        let nodes = levels.iter().map(|level| level.clusters().iter().map(|one| one.len()).sum());
        let intra_edges =
            levels.iter().flat_map(|level| level.clusters().iter().map(|one| one.intra_edges()));
        HpaSummary {
            clusters: levels.iter().map(|level| level.clusters().len()).collect(),
            passable_clusters: (0..tiling.len() as u32).filter(is_passable).count(),
            nodes: nodes.collect(),
            intra_edges: intra_edges.sum(),
            entries: self.hierarchy.caches.iter().map(|cache| cache.len()).sum(),
        }
    }
}

debug_by_form!(Hpa);

impl Engine for Hpa {
    fn name(&self) -> &'static str {
        self.config.method()
    }

    fn exact(&self) -> bool {
        false
    }

    /// The clusters that were searched again.
    fn rebuilt_since(&self, before: &dyn Engine) -> Option<Vec<RebuiltPart>> {
        let before = before.downcast_ref::<Self>()?;
        let mut parts = Vec::new();
        for (level, (old, new)) in
            before.hierarchy.levels.iter().zip(&self.hierarchy.levels).enumerate()
        {
            let (old, clusters) = (old.clusters(), new.clusters());
            parts.extend(replaced(old.iter(), clusters.iter()).into_iter().map(|id| {
                let cells = new.tiling.rect(id as u32).cells();
                let nodes = match level {
                    0 => cells.filter_map(|(x, y)| self.grid.node(x, y)).collect(),
                    _ => clusters[id].slots().iter().map(|&slot| new.fine.node(slot)).collect(),
                };
                RebuiltPart { level, nodes }
            }));
        }
        Some(parts)
    }

    fn memory_bytes(&self) -> usize {
        self.hierarchy.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        let HpaSummary { clusters, nodes, .. } = self.summary();
        let cluster_size = self.config.cluster_size;
        Some(Box::new(HpaForm { cluster_size, clusters, nodes }))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Err(unstorable())
    }

    fn map(&self) -> &Map {
        &self.map
    }

    boxed_answers!();
}

impl Build for Hpa {
    type Config = HpaConfig;

    fn supports(map: &Map, config: &HpaConfig) -> Result<(), Unsupported> {
        config.check(map).map(|_| ())
    }

    fn build_watched(
        map: &Map,
        config: &HpaConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let (grid, tiling, base) = config.check(map)?;
        let build = || Hierarchy::build(grid, &base, tiling, config, progress);
        let hierarchy = in_threads(config.threads, build)??;
        let (map, grid, config) = (map.clone(), grid.clone(), config.clone());
        Ok(Self { map, grid, config, base, hierarchy, pool: ScratchPool::default() })
    }

    /// Searches the clusters whose cells changed, and recomputes abstract nodes where a cell at a
    /// border changed.
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        let (grid, _, base) = self.config.check(map)?;
        if !map.follows(&self.map, changes) {
            return Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? });
        }
        let hierarchy = self.hierarchy.refreshed(grid, &base, changes);
        BuildError::check_limit(hierarchy.memory_bytes() as u64, self.config.memory_limit)?;
        let (config, pool) = (self.config.clone(), self.pool.clone());
        Ok(Self { map: map.clone(), grid: grid.clone(), config, base, hierarchy, pool })
    }

    fn storable(_: &HpaConfig) -> Result<(), Unstorable> {
        Err(unstorable())
    }
}

impl Answer for Hpa {
    type Scratch = HierarchyScratch;

    answer_by_searching!(HierarchyScratch, HierarchySearch);
}

/// Why these engines have no index files.
pub(super) fn unstorable() -> Unstorable {
    Unstorable { reason: "it is built about as fast as a file would be read".into() }
}
