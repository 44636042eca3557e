//! Searches on the map itself as engines: `dijkstra`, `astar` and `bidirectional`, and A* with each
//! stored heuristic under the name of the heuristic. `rebuild.rs` renews landmarks.

mod rebuild;

use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::engine::{
    Answer, Build, CostAnswer, Engine, EngineForm, ScratchPool, Searching, SlicedRebuild,
    answer_by_searching, boxed_answers, debug_by_form,
};
use crate::graph::{Endpoints, Graph, NodeId};
use crate::heuristic::{Heuristic, HeuristicChoice, Max};
use crate::map::{EndpointError, Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, TwoSided, astar, dijkstra};
use crate::store::{Fingerprint, IndexFile, IndexWriter, OpenError, Unstorable};
use crate::true_distance::{
    BoundForms, Bounds, Differential, StoredConfig, StoredKind, differential,
};

/// Which search answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Expands nodes by cost.
    Dijkstra,
    /// Expands nodes by cost plus lower bound.
    #[default]
    AStar,
    /// A* from both ends.
    Bidirectional,
}

/// Options of a [`SearchEngine`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchConfig {
    /// Which search answers.
    pub algorithm: Algorithm,
    /// Its geometric lower bound; Dijkstra's algorithm uses none.
    pub heuristic: HeuristicChoice,
    /// Additional stored bounds. The maximum counts. Each takes memory and time to build, and makes
    /// searches expand fewer nodes.
    pub stored: Vec<StoredConfig>,
    /// The stored heuristic that the engine is named after. By default, the name of the search.
    pub named: Option<StoredKind>,
    /// The number of threads for the build of stored bounds; 0 for one per core. The result does
    /// not depend on it.
    pub threads: usize,
}

impl SearchConfig {
    /// A search with a geometric bound.
    pub fn new(algorithm: Algorithm, heuristic: HeuristicChoice) -> Self {
        Self { algorithm, heuristic, ..Self::default() }
    }

    fn is_exact(&self) -> bool {
        self.stored.iter().all(StoredConfig::is_exact)
    }

    fn name(&self) -> &'static str {
        match (self.named, self.algorithm) {
            (Some(StoredKind::Differential), _) if !self.is_exact() => "differential-stale",
            (Some(kind), _) => kind.name(),
            (None, Algorithm::Dijkstra) => "dijkstra",
            (None, Algorithm::AStar) => "astar",
            (None, Algorithm::Bidirectional) => "bidirectional",
        }
    }
}

/// A search on the map itself. Without stored bounds, nothing is precomputed, edits cost nothing,
/// and queries are slowest.
///
/// ```
/// use portolan::{Build, Engine, Grid, Query};
/// use portolan::search_engine::{SearchConfig, SearchEngine};
/// let grid = Grid::new(30, 20)?;
/// let astar = SearchEngine::build(&grid.into(), &SearchConfig::default())?;
/// let mut query = astar.query();
/// if let Some(route) = query.find(0, 599)? {
///     assert_eq!(route.nodes().len(), 30);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SearchEngine {
    map: Map,
    config: SearchConfig,
    bounds: Bounds,
    pool: ScratchPool<SearchScratch>,
}

debug_by_form!(SearchEngine);

impl SearchEngine {
    /// The lower bounds of the search.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The configuration.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// The same search on this map with these bounds.
    fn with_bounds(&self, map: &Map, bounds: Bounds) -> Self {
        Self { map: map.clone(), config: self.config.clone(), bounds, pool: self.pool.clone() }
    }
}

impl Engine for SearchEngine {
    fn name(&self) -> &'static str {
        self.config.name()
    }

    fn exact(&self) -> bool {
        self.config.is_exact()
    }

    /// Whether the bounds of landmarks are weaker than possible, or stale.
    fn wants_rebuild(&self) -> bool {
        self.bounds.landmarks().is_some_and(Differential::wants_renewal)
    }

    /// Computes the distances of the landmarks again.
    fn sliced_rebuild(&self) -> Option<Box<dyn SlicedRebuild>> {
        Some(self.rebuild_with(self.bounds.landmarks()?.renewal()))
    }

    fn memory_bytes(&self) -> usize {
        self.bounds.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        let bounds = self.bounds.forms();
        if bounds.is_empty() { None } else { Some(Box::new(BoundForms(bounds))) }
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Self::storable(&self.config)?;
        let mut writer = IndexWriter::new(self.config.name(), Fingerprint::of(&self.map));
        self.bounds.store(&mut writer);
        Ok(writer)
    }

    fn map(&self) -> &Map {
        &self.map
    }

    boxed_answers!();
}

impl Build for SearchEngine {
    type Config = SearchConfig;

    fn supports(map: &Map, config: &SearchConfig) -> Result<(), Unsupported> {
        match config.algorithm {
            Algorithm::Dijkstra => Ok(()),
            _ => Bounds::support(config.name(), map, config.heuristic, &config.stored),
        }
    }

    fn build_watched(
        map: &Map,
        config: &SearchConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let SearchConfig { algorithm, heuristic, stored, threads, .. } = config;
        let build = || Bounds::build(config.name(), map, *heuristic, stored, progress);
        let bounds = match algorithm {
            Algorithm::Dijkstra => Bounds::zero(),
            _ if stored.is_empty() => build()?,
            _ => in_threads(*threads, build)??,
        };
        Ok(Self { map: map.clone(), config: config.clone(), bounds, pool: ScratchPool::default() })
    }

    /// Adapts the geometric bound to the new costs and refreshes the stored ones. Landmarks stay
    /// admissible but may get weaker, until a [rebuild](Engine::sliced_rebuild).
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        if self.bounds.stored().is_empty() {
            let built = Self::build(map, &self.config)?;
            return Ok(self.with_bounds(map, built.bounds));
        }
        if !map.follows(&self.map, changes) {
            return Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? });
        }
        let refresh = || self.bounds.refreshed(self.config.name(), map, changes);
        let bounds = in_threads(self.config.threads, refresh)??;
        Ok(self.with_bounds(map, bounds))
    }

    fn storable(config: &SearchConfig) -> Result<(), Unstorable> {
        match config.algorithm {
            Algorithm::Dijkstra => Err(Unstorable::nothing()),
            _ => Bounds::storable(&config.stored),
        }
    }

    /// The data of the stored bounds comes from the file, the search and the geometric bound from
    /// the configuration.
    fn open(index: &IndexFile, map: &Map, config: &SearchConfig) -> Result<Self, OpenError> {
        if Self::storable(config).is_err() {
            return Err(OpenError::NothingStored { engine: index.engine().to_owned() });
        }
        index.check_engine(config.name())?;
        index.check_map(map)?;
        let bounds = Bounds::open(config.name(), index, map, config.heuristic, &config.stored)?;
        Ok(Self { map: map.clone(), config: config.clone(), bounds, pool: ScratchPool::default() })
    }
}

impl Answer for SearchEngine {
    type Scratch = SearchScratch;

    answer_by_searching!(SearchScratch, SearchRun);

    /// One search for all goals, if there are more than a few.
    fn distances_from_with(
        &self,
        scratch: &mut SearchScratch,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        if to.len() <= FEW_GOALS || !self.exact() {
            return to.iter().map(|&to| self.distance_with(scratch, (from, to))).collect();
        }
        let scratch = &mut scratch.one_sided;
        on_graph!(&self.map, graph => dijkstra::one_to_many(graph, scratch, from, to))
    }
}

/// Up to this number of goals, one search each.
const FEW_GOALS: usize = 4;

/// Scratch space of a query on a [`SearchEngine`].
#[derive(Default)]
pub struct SearchScratch {
    one_sided: Scratch,
    two_sided: TwoSided,
    path: Vec<NodeId>,
}

debug_by_name!("SearchScratch", [] SearchScratch);

/// One query on a [`SearchEngine`].
struct SearchRun<'q> {
    engine: &'q SearchEngine,
    scratch: &'q mut SearchScratch,
}

impl<'q> SearchRun<'q> {
    fn new(engine: &'q SearchEngine, scratch: &'q mut SearchScratch) -> Self {
        Self { engine, scratch }
    }

    fn search_on(
        &mut self,
        graph: &impl Graph,
        ends: Endpoints,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        let bounds = &self.engine.bounds;
        if self.engine.config.algorithm == Algorithm::Dijkstra {
            dijkstra::one_to_one(graph, &mut self.scratch.one_sided, ends, observer)
        } else if let Some(geometric) = bounds.geometric_only() {
            self.guided(graph, ends, geometric, observer)
        } else if let Some((geometric, landmarks)) = bounds.geometric_and_landmarks() {
            match self.engine.config.algorithm {
                Algorithm::Bidirectional => {
                    self.guided(graph, ends, &Max(geometric, landmarks), observer)
                }
                _ => {
                    let scratch = &mut self.scratch.one_sided;
                    differential::find(graph, scratch, ends, (geometric, landmarks), observer)
                }
            }
        } else {
            self.guided(graph, ends, bounds, observer)
        }
    }

    /// Compiled once per heuristic above.
    fn guided(
        &mut self,
        graph: &impl Graph,
        ends: Endpoints,
        heuristic: &impl Heuristic,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        match self.engine.config.algorithm {
            Algorithm::Bidirectional => {
                self.scratch.two_sided.find(graph, ends, heuristic, observer)
            }
            _ => astar::find_guided(graph, &mut self.scratch.one_sided, ends, heuristic, observer),
        }
    }
}

impl<'q> Searching<'q> for SearchRun<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.search_on(graph, (from, to), observer))
    }

    fn route(self, to: NodeId, cost: Cost) -> Route<'q> {
        let SearchScratch { one_sided, two_sided, path } = self.scratch;
        match self.engine.config.algorithm {
            Algorithm::Bidirectional => two_sided.path_into(path),
            _ => one_sided.path_into(to, path),
        }
        Route::complete(&self.engine.map, cost, path)
    }
}
