//! The searches of this folder as engines: `dijkstra`, `astar` and `bidirectional`.

use super::{Observer, Scratch, Searching, TwoSided, astar, dijkstra};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::engine::{BuildError, EndpointError, Engine, Unsupported};
use crate::graph::{Graph, NodeId};
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice};
use crate::map::{Map, on_graph};
use crate::progress::Progress;
use crate::route::Route;

/// Which search answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Nodes by their cost.
    Dijkstra,
    /// Nodes by their cost plus a lower bound.
    #[default]
    AStar,
    /// A* from both ends at once.
    Bidirectional,
}

/// What a [`SearchEngine`] needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchConfig {
    /// Which search answers.
    pub algorithm: Algorithm,
    /// Its lower bound; Dijkstra's algorithm uses none.
    pub heuristic: HeuristicChoice,
}

impl SearchConfig {
    /// This search with this bound.
    pub fn new(algorithm: Algorithm, heuristic: HeuristicChoice) -> Self {
        Self { algorithm, heuristic }
    }
}

/// A search on the map itself: nothing is precomputed, edits cost nothing, queries take longest.
///
/// ```
/// use portolan::{Engine, Grid, Query, search::{SearchConfig, SearchEngine}};
/// let grid = Grid::new(30, 20)?;
/// let astar = SearchEngine::build(&grid.into(), &SearchConfig::default())?;
/// let mut query = astar.query();
/// if let Some(route) = query.run(0, 599)? {
///     assert_eq!(route.nodes().len(), 30);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SearchEngine {
    map: Map,
    config: SearchConfig,
    heuristic: Geometric,
}

impl SearchEngine {
    fn bind(map: &Map, config: &SearchConfig) -> Result<Self, Unsupported> {
        let heuristic = match config.algorithm {
            Algorithm::Dijkstra => Geometric::zero(),
            _ => Geometric::new(map, config.heuristic).map_err(|refused| Unsupported {
                method: name_of(config.algorithm),
                reason: refused.to_string(),
            })?,
        };
        Ok(Self { map: map.clone(), config: *config, heuristic })
    }
}

impl Engine for SearchEngine {
    type Config = SearchConfig;
    type Query<'a> = SearchQuery<'a>;

    fn name(&self) -> &'static str {
        name_of(self.config.algorithm)
    }

    fn exact(&self) -> bool {
        true
    }

    fn supports(map: &Map, config: &SearchConfig) -> Result<(), Unsupported> {
        Self::bind(map, config).map(|_| ())
    }

    fn build_watched(
        map: &Map,
        config: &SearchConfig,
        _: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Ok(Self::bind(map, config)?)
    }

    /// There is nothing to keep; only the bound is fitted to the new costs.
    fn refresh(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::build(map, &self.config)
    }

    fn memory_bytes(&self) -> usize {
        self.heuristic.memory_bytes()
    }

    fn query(&self) -> SearchQuery<'_> {
        SearchQuery {
            engine: self,
            one_sided: Scratch::default(),
            two_sided: TwoSided::default(),
            path: Vec::new(),
        }
    }
}

/// A query on a [`SearchEngine`].
pub struct SearchQuery<'a> {
    engine: &'a SearchEngine,
    one_sided: Scratch,
    two_sided: TwoSided,
    path: Vec<NodeId>,
}

impl SearchQuery<'_> {
    fn search_on(
        &mut self,
        graph: &impl Graph,
        ends: (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        let heuristic = &self.engine.heuristic;
        match self.engine.config.algorithm {
            Algorithm::Dijkstra => dijkstra::one_to_one(graph, &mut self.one_sided, ends, observer),
            Algorithm::AStar => {
                let mut bound = heuristic.toward(ends.1);
                astar::run(graph, &mut self.one_sided, ends, &mut bound, observer)
            }
            Algorithm::Bidirectional => self.two_sided.run(graph, ends, heuristic, observer),
        }
    }
}

impl Searching for SearchQuery<'_> {
    fn map(&self) -> &Map {
        &self.engine.map
    }

    fn search(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        on_graph!(&self.engine.map, graph => self.search_on(graph, (from, to), observer))
    }

    fn route(&mut self, to: NodeId, cost: Cost) -> Route<'_> {
        match self.engine.config.algorithm {
            Algorithm::Bidirectional => self.two_sided.path_into(&mut self.path),
            _ => self.one_sided.path_into(to, &mut self.path),
        }
        Route::complete(&self.engine.map, cost, &self.path)
    }
}

fn name_of(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Dijkstra => "dijkstra",
        Algorithm::AStar => "astar",
        Algorithm::Bidirectional => "bidirectional",
    }
}
