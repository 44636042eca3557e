//! The engine `shpa`.

use std::fmt;

use super::MergedRegions;
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT, Progress, Unsupported, Watch};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::engine::{
    Answer, Build, Engine, EngineForm, ScratchPool, answer_by_searching, boxed_answers,
    debug_by_form,
};
use crate::graph::Endpoints;
use crate::grid::Grid;
use crate::heuristic::{Geometric, HeuristicChoice};
use crate::hpa::abstract_graph::AbstractGraph;
use crate::hpa::abstract_graph::search::{SearchGoal, SearchStart, search};
use crate::hpa::clusters::tiling::Tiling;
use crate::hpa::config::{grid_of, tiling};
use crate::hpa::engine::unstorable;
use crate::hpa::query::local::GridPart;
use crate::hpa::query::{Ground, HierarchyEngine, HierarchyScratch, HierarchySearch};
use crate::map::Map;
use crate::search::Observer;
use crate::store::{IndexWriter, Unstorable};

const NAME: &str = "shpa";

/// Regions have at most this many times the cells of a square cluster.
const MERGED: u32 = 2;

/// Configuration of a [`Shpa`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShpaConfig {
    /// Cells along the side of the squares that regions are made of, 2 to 64; regions have up to
    /// twice the cells of a square. Large ones make abstract searches shorter and the searches
    /// between abstract nodes longer.
    pub cluster_size: u32,
    /// Whether to straighten paths. It takes little time and makes them several per cent shorter.
    pub smooth: bool,
    /// The geometric lower bound of the searches between abstract nodes; the abstract search uses
    /// straight lines.
    pub heuristic: HeuristicChoice,
    /// The memory limit of the index in bytes, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for
    /// no limit.
    pub memory_limit: u64,
}

impl Default for ShpaConfig {
    fn default() -> Self {
        Self {
            cluster_size: 10,
            smooth: true,
            heuristic: HeuristicChoice::Auto,
            memory_limit: DEFAULT_MEMORY_LIMIT,
        }
    }
}

impl ShpaConfig {
    fn check<'a>(&self, map: &'a Map) -> Result<(&'a Grid, Tiling, Geometric), Unsupported> {
        let grid = grid_of(NAME, map)?;
        let tiling = tiling(NAME, grid, self.cluster_size)?;
        Ok((grid, tiling, Geometric::for_method(NAME, map, self.heuristic)?))
    }
}

/// The regions of SHPA*.
///
/// ```
/// use portolan::hpa::{Shpa, ShpaConfig};
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let engine = Shpa::build(&map, &ShpaConfig::default())?;
/// let mut query = engine.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Shpa {
    pub(in crate::hpa) map: Map,
    grid: Grid,
    config: ShpaConfig,
    base: Geometric,
    pub(in crate::hpa) regions: MergedRegions,
    pub(in crate::hpa) pool: ScratchPool<HierarchyScratch>,
}

/// What SHPA* is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShpaForm {
    /// How many abstract nodes there are.
    pub nodes: usize,
    /// How many regions.
    pub regions: usize,
}

impl fmt::Display for ShpaForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, regions } = self;
        write!(out, "{nodes} nodes in {regions} regions")
    }
}

debug_by_form!(Shpa);

impl Engine for Shpa {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        false
    }

    fn memory_bytes(&self) -> usize {
        self.regions.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        let (nodes, regions) = (self.regions.nodes(), self.regions.len());
        Some(Box::new(ShpaForm { nodes, regions }))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Err(unstorable())
    }

    fn map(&self) -> &Map {
        &self.map
    }

    boxed_answers!();
}

impl Build for Shpa {
    type Config = ShpaConfig;

    fn supports(map: &Map, config: &ShpaConfig) -> Result<(), Unsupported> {
        config.check(map).map(|_| ())
    }

    fn build_watched(
        map: &Map,
        config: &ShpaConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let (grid, tiling, base) = config.check(map)?;
        let watch = Watch::new(progress, "regions", 1);
        watch.check()?;
        let line = Geometric::for_method(NAME, map, HeuristicChoice::Euclidean)?;
        let regions = MergedRegions::new(grid, &tiling, line, MERGED * tiling.size().pow(2));
        watch.advance(1);
        watch.check()?;
        BuildError::check_limit(regions.memory_bytes() as u64, config.memory_limit)?;
        let (map, grid, config) = (map.clone(), grid.clone(), config.clone());
        Ok(Self { map, grid, config, base, regions, pool: ScratchPool::default() })
    }

    /// Rebuilds: any cell may influence which pieces are merged.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? })
    }

    fn storable(_: &ShpaConfig) -> Result<(), Unstorable> {
        Err(unstorable())
    }
}

impl Answer for Shpa {
    type Scratch = HierarchyScratch;

    answer_by_searching!(HierarchyScratch, HierarchySearch);
}

impl HierarchyEngine for Shpa {
    fn ground(&self) -> Ground<'_> {
        let Self { map, grid, base, config, .. } = self;
        Ground { map, grid, bound: base, smooth: config.smooth }
    }

    fn cells_of_shared_cluster(&self, (from, to): Endpoints) -> Option<usize> {
        let is_shared = self.regions.of(from) == self.regions.of(to);
        is_shared.then_some((self.config.cluster_size * self.config.cluster_size) as usize)
    }

    fn find_through_nodes(
        &self,
        scratch: &mut HierarchyScratch,
        (from, to): Endpoints,
        observer: &mut impl Observer,
    ) -> Option<Cost> {
        let regions = &self.regions;
        scratch.set_levels(1);
        let (starts, goals) = (&mut scratch.starts[0], &mut scratch.goals[0]);
        regions.lines_into(from, starts);
        regions.lines_into(to, goals);
        let goal = regions.position(to);
        let target = SearchGoal {
            cluster: regions.of(to),
            costs: goals,
            // Within one region any node would be the first, and a path may leave the region and
            // come back.
            first: regions.of(from) != regions.of(to),
            direct: UNREACHABLE,
        };
        let start = SearchStart::Cluster(regions.of(from), starts);
        let bound = |position| regions.line(position, goal);
        let found = search(regions, &mut scratch.search, start, target, bound, |_| true, observer)?;
        scratch.slots.clear();
        let slots = scratch.trace(found.last?);
        scratch.entrances.extend_from_slice(&scratch.slots);
        scratch.path.push(from);
        let (mut at, mut cost) = (from, 0);
        for index in slots.start..=slots.end {
            let next = scratch.slots.get(index).map_or(to, |&slot| regions.node(slot));
            cost = plus(cost, self.append(scratch, (at, next), observer)?)?;
            at = next;
        }
        Some(cost)
    }
}

impl Shpa {
    /// Appends the path within a region, or the step from one region to another.
    fn append(
        &self,
        HierarchyScratch { local, path, .. }: &mut HierarchyScratch,
        (from, to): Endpoints,
        observer: &mut impl Observer,
    ) -> Option<Cost> {
        let Self { grid, base, regions, .. } = self;
        let region = regions.of(from);
        if from == to {
            return Some(0);
        }
        if region == regions.of(to) {
            let part = GridPart { grid, keeps: |_, node| regions.of(node) == region };
            return local.append(&part, base, (from, to), observer, path);
        }
        let (a, b) = (grid.split(from), grid.split(to));
        path.push(to);
        Some(grid.step_cost(from, to, a.0 != b.0 && a.1 != b.1))
    }
}
