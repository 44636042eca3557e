//! The engine `shpa`.

use super::config::{grid_of, tiling};
use super::engine::unstorable;
use super::local::Local;
use super::regions::{Regions, Within};
use super::search::{Abstract, Source, Target, search};
use super::smooth::Smoother;
use super::tiling::{Slot, Tiling};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::debug::debug_by_name;
use crate::engine::{
    BuildError, CostAnswer, EndpointError, Engine, EngineForm, ScratchPool, Unstorable,
    Unsupported, debug_by_form,
};
use crate::graph::NodeId;
use crate::grid::Grid;
use crate::heuristic::{Geometric, HeuristicChoice};
use crate::map::Map;
use crate::progress::{Progress, Watch};
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};
use crate::route::Route;
use crate::search::{Observer, Scratch, Searching, answer_by_searching, check_ends};
use crate::store::IndexWriter;

const NAME: &str = "shpa";

/// How many times as many cells as a square cluster has regions may have.
const MERGED: u32 = 2;

/// What can be chosen when building a [`Shpa`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShpaConfig {
    /// Cells along the side of the squares that regions are made of, 2 to 64; regions have up to
    /// twice as many cells as a square. Large ones make short abstract searches, and longer ones
    /// between abstract nodes.
    pub cluster_size: u32,
    /// Whether paths are straightened. It takes a little time and makes them several hundredths
    /// shorter.
    pub smooth: bool,
    /// The geometric lower bound of the searches between abstract nodes; the abstract search takes
    /// straight lines.
    pub heuristic: HeuristicChoice,
    /// Bytes that the index may take, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for as many
    /// as it needs.
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
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            cluster_size: settings.cluster_size,
            heuristic: settings.heuristic,
            memory_limit: settings.memory_limit,
            ..Self::default()
        }
    }

    fn check<'a>(&self, map: &'a Map) -> Result<(&'a Grid, Tiling, Geometric), Unsupported> {
        let grid = grid_of(NAME, map)?;
        let tiling = tiling(NAME, grid, self.cluster_size)?;
        Ok((grid, tiling, Geometric::serving(NAME, map, self.heuristic)?))
    }
}

/// The regions of SHPA*.
///
/// ```
/// use portolan::hpa::{Shpa, ShpaConfig};
/// use portolan::{Engine, Map, Query, generate::Rooms};
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
    map: Map,
    grid: Grid,
    config: ShpaConfig,
    base: Geometric,
    regions: Regions,
    pool: ScratchPool<ShpaScratch>,
}

debug_by_form!(Shpa);

impl Engine for Shpa {
    type Config = ShpaConfig;
    type Scratch = ShpaScratch;

    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        false
    }

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
        let line = Geometric::serving(NAME, map, HeuristicChoice::Euclidean)?;
        let regions = Regions::new(grid, &tiling, line, MERGED * tiling.size().pow(2));
        watch.advance(1);
        watch.check()?;
        let (needed, limit) = (regions.memory_bytes() as u64, config.memory_limit);
        if needed > limit {
            return Err(BuildError::MemoryLimit { needed, limit, smaller: None });
        }
        let (map, grid, config) = (map.clone(), grid.clone(), config.clone());
        Ok(Self { map, grid, config, base, regions, pool: ScratchPool::default() })
    }

    /// Builds anew: which pieces are merged may depend on any cell.
    fn refresh(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? })
    }

    fn memory_bytes(&self) -> usize {
        self.regions.memory_bytes()
    }

    fn form(&self) -> Option<EngineForm> {
        let (nodes, regions) = (self.regions.nodes(), self.regions.len());
        Some(EngineForm::Shpa { nodes, regions })
    }

    fn storable(_: &ShpaConfig) -> Result<(), Unstorable> {
        Err(unstorable())
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Err(unstorable())
    }

    fn map(&self) -> &Map {
        &self.map
    }

    answer_by_searching!(ShpaScratch);
}

/// What a query on a [`Shpa`] works in.
#[derive(Default)]
pub struct ShpaScratch {
    search: Scratch,
    local: Local,
    smoother: Smoother,
    starts: Vec<Cost>,
    goals: Vec<Cost>,
    slots: Vec<Slot>,
    path: Vec<NodeId>,
}

debug_by_name!("ShpaScratch", [] ShpaScratch);

/// A question that is being answered.
struct Run<'q> {
    engine: &'q Shpa,
    scratch: &'q mut ShpaScratch,
}

type Ends = (NodeId, NodeId);

impl<'q> Run<'q> {
    fn new(engine: &'q Shpa, scratch: &'q mut ShpaScratch) -> Self {
        Self { engine, scratch }
    }

    fn find_cost(
        &mut self,
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        let Shpa { grid, base, config, regions, .. } = self.engine;
        self.scratch.path.clear();
        if !check_ends(grid, ends)? {
            return Ok(None);
        }
        if ends.0 == ends.1 {
            self.scratch.path.push(ends.0);
            return Ok(Some(0));
        }
        if regions.of(ends.0) == regions.of(ends.1) {
            let cells = (config.cluster_size * config.cluster_size) as usize;
            let near =
                self.scratch.local.near(grid, base, ends, cells, observer, &mut self.scratch.path);
            if let Some(cost) = near {
                return Ok(Some(cost));
            }
        }
        match self.find_through_nodes(ends, observer) {
            Some(cost) if config.smooth => {
                Ok(Some(self.scratch.smoother.smooth(grid, base, &mut self.scratch.path, cost)))
            }
            Some(cost) => Ok(Some(cost)),
            // There is a way, and the sums of this one outgrew their numbers.
            None => self.scratch.local.on_map(grid, base, ends, observer, &mut self.scratch.path),
        }
    }

    fn find_through_nodes(
        &mut self,
        (from, to): Ends,
        observer: &mut impl Observer,
    ) -> Option<Cost> {
        let Shpa { regions, .. } = self.engine;
        regions.lines_into(from, &mut self.scratch.starts);
        regions.lines_into(to, &mut self.scratch.goals);
        let goal = regions.spot(to);
        let source = Source::Cluster(regions.of(from), &self.scratch.starts);
        let target = Target {
            cluster: regions.of(to),
            costs: &self.scratch.goals,
            // Inside one region any node would be the first, and the way out may be the way back
            // in.
            first: regions.of(from) != regions.of(to),
            direct: UNREACHABLE,
        };
        let bound = |spot| regions.line(spot, goal);
        let found =
            search(regions, &mut self.scratch.search, source, target, bound, |_| true, observer)?;
        self.trace(found.last?);
        self.scratch.path.clear();
        self.scratch.path.push(from);
        let (mut at, mut cost) = (from, 0);
        for index in 0..=self.scratch.slots.len() {
            let next = self.scratch.slots.get(index).map_or(to, |&slot| regions.node(slot));
            cost = plus(cost, self.append((at, next), observer)?)?;
            at = next;
        }
        Some(cost)
    }

    /// Appends the way inside a region, or the step from one to another.
    fn append(&mut self, (from, to): Ends, observer: &mut impl Observer) -> Option<Cost> {
        let Shpa { grid, base, regions, .. } = self.engine;
        let region = regions.of(from);
        if from == to {
            return Some(0);
        }
        if region == regions.of(to) {
            let within = Within { grid, regions, region };
            return self.scratch.local.append(
                &within,
                base,
                (from, to),
                observer,
                &mut self.scratch.path,
            );
        }
        let (a, b) = (grid.split(from), grid.split(to));
        self.scratch.path.push(to);
        Some(grid.step_cost(from, to, a.0 != b.0 && a.1 != b.1))
    }

    /// Notes the nodes of the path that the last search found.
    fn trace(&mut self, last: Slot) {
        self.scratch.slots.clear();
        let mut slot = last;
        loop {
            self.scratch.slots.push(slot);
            let before = self.scratch.search.parent(slot);
            if before == slot {
                break;
            }
            slot = before;
        }
        self.scratch.slots.reverse();
    }
}

impl<'q> Searching<'q> for Run<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        self.find_cost((from, to), observer)
    }

    fn route(self, _: NodeId, cost: Cost) -> Route<'q> {
        Route::complete(&self.engine.map, cost, &self.scratch.path)
    }
}
