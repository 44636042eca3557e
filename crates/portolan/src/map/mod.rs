//! Maps: a grid or a graph behind one interface, and the checks of locations and paths on it.

mod endpoint_error;

pub use endpoint_error::EndpointError;

use crate::changes::{ChangeError, Changes};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{CsrGraph, Graph, NodeId};
use crate::grid::Grid;
use crate::location::{Cell, Extent, Location};

/// A grid or a graph, on which engines are built. Cheap to clone.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone)]
pub enum Map {
    /// Cells and a neighbour rule.
    Grid(Grid),
    /// Nodes and stored edges.
    Graph(CsrGraph),
}

/// Runs the same code on the grid or the graph inside a [`Map`], compiled for each.
macro_rules! on_graph {
    ($map:expr, $graph:ident => $body:expr) => {
        match $map {
            $crate::map::Map::Grid($graph) => $body,
            $crate::map::Map::Graph($graph) => $body,
        }
    };
}
pub(crate) use on_graph;

/// Why a sequence of nodes is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalPath {
    /// A path has at least one node.
    #[error("a path without any node")]
    Empty,
    /// A cell or node that is blocked or not on the map.
    #[error("{at}, number {index} of the path, is blocked or not on the map")]
    Node {
        /// The index on the path, from zero.
        index: usize,
        /// The cell or node.
        at: Location,
    },
    /// Two consecutive nodes without an edge.
    #[error("step {index} of the path, from {tail} to {head}, is not a legal step")]
    Step {
        /// The index of the tail on the path, from zero.
        index: usize,
        /// The tail of the step.
        tail: Location,
        /// The head of the step.
        head: Location,
    },
    /// The path does not lead from the requested start to the requested goal.
    #[error("the path leads from {from} to {to}, which is not the requested pair")]
    Ends {
        /// The first node of the path.
        from: Location,
        /// The last node of the path.
        to: Location,
    },
    /// The steps are legal, but their sum is another cost.
    #[error("the steps of the path cost {walked}, but the engine reports {stated}")]
    Cost {
        /// The cost that the engine reports.
        stated: Cost,
        /// The sum of the steps.
        walked: Cost,
    },
    /// The steps are legal, but their sum is not a finite cost.
    #[error("the cost of the path does not fit below {}", UNREACHABLE)]
    Overflow,
}

impl Map {
    /// One more than the largest node id.
    pub fn node_count(&self) -> usize {
        on_graph!(self, graph => graph.node_count())
    }

    /// The size of the map, which determines its valid cells or node ids.
    pub fn extent(&self) -> Extent {
        on_graph!(self, graph => graph.extent())
    }

    /// The node at a location, blocked or not. An error outside the map.
    ///
    /// ```
    /// use portolan::{Grid, Map};
    /// let map = Map::from(Grid::new(20, 10)?);
    /// assert_eq!(map.node((3, 4))?, 83);
    /// assert_eq!(map.cell(83), Some((3, 4).into()));
    /// let error = map.node((3, 10)).unwrap_err();
    /// assert!(error.to_string().starts_with("cell 3,10 is not on the map"));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn node(&self, at: impl Into<Location>) -> Result<NodeId, EndpointError> {
        let (at, extent) = (at.into(), self.extent());
        extent.node(at).ok_or(EndpointError::Outside { at, extent })
    }

    /// The nodes at several locations.
    pub fn nodes<L: Into<Location> + Copy>(
        &self,
        locations: &[L],
    ) -> Result<Vec<NodeId>, EndpointError> {
        locations.iter().map(|&at| self.node(at)).collect()
    }

    /// The location of a node: its cell on grids.
    pub fn location(&self, node: NodeId) -> Location {
        self.extent().location(node)
    }

    /// The cell of a node; `None` on graphs and outside the map.
    pub fn cell(&self, node: NodeId) -> Option<Cell> {
        self.as_grid()?.cell(node)
    }

    /// The grid, if the map is one.
    pub fn as_grid(&self) -> Option<&Grid> {
        match self {
            Self::Grid(grid) => Some(grid),
            Self::Graph(_) => None,
        }
    }

    /// The graph, if the map is one.
    pub fn as_graph(&self) -> Option<&CsrGraph> {
        match self {
            Self::Grid(_) => None,
            Self::Graph(graph) => Some(graph),
        }
    }

    /// Whether paths may use this node.
    pub fn contains(&self, node: NodeId) -> bool {
        on_graph!(self, graph => graph.contains(node))
    }

    /// The number of nodes that paths may use: passable cells, or nodes that were not removed.
    pub fn usable_count(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.passable_count(),
            Self::Graph(graph) => {
                (0..graph.node_count() as NodeId).filter(|&node| graph.contains(node)).count()
            }
        }
    }

    /// Whether this map is `before` with exactly these changes applied. Engines check it before
    /// they refresh, and are rebuilt otherwise. Faster than applying the changes.
    pub(crate) fn follows(&self, before: &Self, changes: &Changes) -> bool {
        match (self, before) {
            (Self::Grid(after), Self::Grid(before)) => after.follows(before, changes),
            (Self::Graph(after), Self::Graph(before)) => after.follows(before, changes),
            _ => false,
        }
    }

    /// Computes the components now, so that no query has to.
    pub(crate) fn warm_up(&self) {
        match self {
            Self::Grid(grid) => grid.warm_up(),
            Self::Graph(graph) => _ = graph.components(),
        }
    }

    /// Whether every step has a reverse step of the same cost.
    pub fn is_undirected(&self) -> bool {
        on_graph!(self, graph => graph.is_undirected())
    }

    /// `false` proves that there is no path; see [`Graph::may_reach`].
    pub fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        on_graph!(self, graph => graph.may_reach(from, to))
    }

    /// The cost of one unit of length: cells on grids, the unit of the weights on graphs.
    pub fn unit(&self) -> Cost {
        match self {
            Self::Grid(grid) => grid.unit(),
            Self::Graph(graph) => graph.unit(),
        }
    }

    /// A cost as a length in the map's own unit.
    pub fn length(&self, cost: Cost) -> f64 {
        f64::from(cost) / f64::from(self.unit())
    }

    /// Walks a path step by step and returns its cost. Uses the cheapest of parallel edges.
    ///
    /// ```
    /// use portolan::{Grid, Map};
    /// let map = Map::from(Grid::new(20, 10)?);
    /// assert_eq!(map.length(map.walk([(3, 4), (4, 4), (5, 4)])?), 2.0);
    /// let error = map.walk([(3, 4), (5, 4)]).unwrap_err();
    /// assert_eq!(error.to_string(), "step 0 of the path, from cell 3,4 to cell 5,4, is not a legal step");
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn walk<L: Into<Location>>(
        &self,
        path: impl IntoIterator<Item = L>,
    ) -> Result<Cost, IllegalPath> {
        on_graph!(self, graph => walk(graph, path.into_iter().map(L::into)))
    }

    /// The cost of a step, by the cheapest of parallel edges; `None` if there is no such step.
    pub fn step_cost(&self, tail: NodeId, head: NodeId) -> Option<Cost> {
        on_graph!(self, graph => step_cost(graph, tail, head))
    }

    /// Applies all changes, or none if one of them is impossible.
    pub fn apply(&mut self, changes: &Changes) -> Result<(), ChangeError> {
        match self {
            Self::Grid(grid) => grid.apply(changes),
            Self::Graph(graph) => graph.apply(changes),
        }
    }

    /// Heap memory in bytes, including shared arrays.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.memory_bytes(),
            Self::Graph(graph) => graph.memory_bytes(),
        }
    }
}

impl From<Grid> for Map {
    fn from(grid: Grid) -> Self {
        Self::Grid(grid)
    }
}

impl From<CsrGraph> for Map {
    fn from(graph: CsrGraph) -> Self {
        Self::Graph(graph)
    }
}

impl From<&Map> for Map {
    fn from(map: &Map) -> Self {
        map.clone()
    }
}

impl From<&Grid> for Map {
    fn from(grid: &Grid) -> Self {
        Self::Grid(grid.clone())
    }
}

impl From<&CsrGraph> for Map {
    fn from(graph: &CsrGraph) -> Self {
        Self::Graph(graph.clone())
    }
}

fn walk(graph: &impl Graph, path: impl Iterator<Item = Location>) -> Result<Cost, IllegalPath> {
    let extent = graph.extent();
    let mut cost = 0;
    let mut tail = None;
    for (index, at) in path.enumerate() {
        let head = extent.node(at).filter(|&head| graph.contains(head));
        let head = head.ok_or(IllegalPath::Node { index, at })?;
        if let Some(tail) = tail {
            let step = step_cost(graph, tail, head).ok_or_else(|| IllegalPath::Step {
                index: index - 1,
                tail: extent.location(tail),
                head: extent.location(head),
            })?;
            cost = plus(cost, step).ok_or(IllegalPath::Overflow)?;
        }
        tail = Some(head);
    }
    if tail.is_some() { Ok(cost) } else { Err(IllegalPath::Empty) }
}

pub(crate) fn step_cost(graph: &impl Graph, tail: NodeId, head: NodeId) -> Option<Cost> {
    let mut cheapest: Option<Cost> = None;
    graph.out_edges(tail, |other, weight| {
        if other == head {
            cheapest = Some(cheapest.map_or(weight, |least| least.min(weight)));
        }
    });
    cheapest
}
