//! The answer to a query.

mod cells;
mod legs;
mod owned;

use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::location::Cell;
use crate::map::Map;

pub use cells::RouteCells;
pub(crate) use cells::{Columns, append_cells};
use cells::{Turns, append_turns};
use legs::{ByNumber, LegWalk, node_count};
pub(crate) use legs::{Leg, append, append_legs};
pub(crate) use owned::OwnedPath;

/// Whether a route leads all the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteStatus {
    /// It ends at the goal.
    Complete,
    /// The goal is blocked or out of reach; it ends at the reachable node nearest to the goal.
    Partial,
}

/// A path with its cost. It borrows the query that found it, so a stale one does not compile.
///
/// On grids the path can be had [cell by cell](Self::cells), [as a list](Self::cells_into) and as
/// the [turns](Self::turns) between its straight parts; on every map as [nodes](Self::nodes).
///
/// ```
/// use portolan::prelude::*;
///
/// let grid = Grid::from_fn(9, 5, |x, y| x != 4 || y == 4)?; // a wall with a door at its end
/// let mut finder = PathFinder::new(&grid)?;
/// let mut buffer = Vec::new(); // kept for the next path
/// if let Some(route) = finder.find((0, 4), (8, 1))? {
///     assert_eq!(route.cells().nth(1), Some(Cell::new(1, 4))); // no more than this is worked out
///
///     route.cells_into(&mut buffer);
///     assert_eq!(buffer.len(), 9);
///
///     assert!(route.turns().eq([(0, 4), (5, 4), (8, 1)].map(Cell::from)));
/// }
/// # Ok::<(), portolan::Error>(())
/// ```
///
/// A route that is used after the next `find` does not compile:
///
/// ```compile_fail,E0499
/// # use portolan::search_engine::{SearchConfig, SearchEngine};
/// # use portolan::{Engine, Grid, Query};
/// # let engine = SearchEngine::build(&Grid::new(9, 5)?.into(), &SearchConfig::default())?;
/// let mut query = engine.query();
/// let first = query.find(0, 8)?;
/// let second = query.find(8, 0)?; // overwrites the path of `first`
/// assert!(first.is_some() && second.is_some());
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Route<'q> {
    map: &'q Map,
    cost: Cost,
    status: RouteStatus,
    path: Path<'q>,
    /// The nodes of the path, if it is given by legs and they are listed as well.
    listed: Option<&'q [NodeId]>,
}

/// A path in the form in which a query has it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'q> {
    Nodes(&'q [NodeId]),
    /// Along these legs, from a cell of a grid that is not hexagonal.
    Legs(NodeId, &'q [Leg]),
}

impl Path<'_> {
    /// The number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        match self {
            Self::Nodes(nodes) => nodes.len(),
            Self::Legs(_, legs) => node_count(legs),
        }
    }

    pub(crate) fn append_to(self, nodes: &mut Vec<NodeId>) {
        match self {
            Self::Nodes(path) => nodes.extend_from_slice(path),
            Self::Legs(from, legs) => append(from, legs, nodes),
        }
    }
}

debug_by_name!(
    "Route", [] Route<'_>,
    |route| "cost" = route.cost, "status" = route.status, "nodes" = route.nodes().len()
);

impl<'q> Route<'q> {
    /// All the way.
    pub(crate) fn new(map: &'q Map, cost: Cost, path: Path<'q>) -> Self {
        Self { map, cost, status: RouteStatus::Complete, path, listed: None }
    }

    /// Over these nodes.
    pub(crate) fn complete(map: &'q Map, cost: Cost, nodes: &'q [NodeId]) -> Self {
        Self::new(map, cost, Path::Nodes(nodes))
    }

    /// From a cell along these legs, none of which leaves the grid. Cells are found as they are
    /// asked for.
    pub(crate) fn along(map: &'q Map, cost: Cost, from: NodeId, legs: &'q [Leg]) -> Self {
        Self::new(map, cost, Path::Legs(from, legs))
    }

    /// The same path, of which all nodes are known.
    pub(crate) fn with_listed(self, listed: Option<&'q [NodeId]>) -> Self {
        Self { listed, ..self }
    }

    pub(crate) fn into_partial(self) -> Self {
        Self { status: RouteStatus::Partial, ..self }
    }

    /// The path in the form in which the query had it.
    pub(crate) fn path(&self) -> Path<'q> {
        self.path
    }

    /// What the path costs.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// How long the path is, in the map's own unit: in cells on grids (a diagonal step is the
    /// square root of two), in the unit of the weights on graphs.
    pub fn length(&self) -> f64 {
        self.map.length(self.cost)
    }

    /// The map that the path is on.
    pub fn map(&self) -> &'q Map {
        self.map
    }

    /// Whether the path leads all the way.
    pub fn status(&self) -> RouteStatus {
        self.status
    }

    /// The cells of the path, both ends included; a start that is the goal comes once. None on
    /// graphs.
    ///
    /// Where the engine knows the path as straight legs, cells are worked out as they are asked
    /// for: the first few of a long path cost no more than those of a short one, and skipping ahead
    /// with `nth` takes a step per leg. For the whole path [`cells_into`](Self::cells_into) is
    /// faster.
    pub fn cells(&self) -> RouteCells<'q> {
        RouteCells::new(self.map.extent(), self.path)
    }

    /// Fills a buffer with the cells of the path. Its contents are replaced, its memory is reused.
    /// Empty on graphs.
    pub fn cells_into(&self, cells: &mut Vec<Cell>) {
        cells.clear();
        self.append_cells(cells);
    }

    pub(crate) fn append_cells(&self, cells: &mut Vec<Cell>) {
        append_cells(self.map.extent(), self.path, cells);
    }

    /// The cells where the path changes its direction, both ends included; a start that is the goal
    /// comes once. The path is the straight lines between them, each along one of the four, six or
    /// eight directions. Empty on graphs.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let grid = Grid::new(500, 300)?;
    /// let mut finder = PathFinder::new(&grid)?;
    /// let route = finder.find((0, 0), (499, 200))?.expect("nothing is in the way");
    /// assert_eq!((route.cells().len(), route.turns().count()), (500, 3));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn turns(&self) -> impl Iterator<Item = Cell> + use<'q> {
        self.map.as_grid().map(|grid| Turns::new(grid, self.path)).into_iter().flatten()
    }

    /// Fills a buffer with the [turns](Self::turns) of the path, faster than the iterator. Its
    /// contents are replaced, its memory is reused. Empty on graphs.
    pub fn turns_into(&self, turns: &mut Vec<Cell>) {
        turns.clear();
        self.append_turns(turns);
    }

    pub(crate) fn append_turns(&self, turns: &mut Vec<Cell>) {
        if let Map::Grid(grid) = self.map {
            append_turns(grid, self.path, turns);
        }
    }

    /// The nodes of the path, both ends included; a start that is the goal comes once. On a grid
    /// the node of a cell is `y * width + x`. For the whole path [`nodes_into`](Self::nodes_into)
    /// is faster.
    pub fn nodes(&self) -> RouteNodes<'q> {
        RouteNodes::new(self.path)
    }

    /// Fills a buffer with the nodes of the path. Its contents are replaced, its memory is reused.
    pub fn nodes_into(&self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        self.append_to(nodes);
    }

    pub(crate) fn append_to(&self, nodes: &mut Vec<NodeId>) {
        self.listed.map_or(self.path, Path::Nodes).append_to(nodes);
    }
}

/// The nodes of the path.
impl<'q> IntoIterator for Route<'q> {
    type Item = NodeId;
    type IntoIter = RouteNodes<'q>;

    fn into_iter(self) -> RouteNodes<'q> {
        self.nodes()
    }
}

impl<'q> IntoIterator for &Route<'q> {
    type Item = NodeId;
    type IntoIter = RouteNodes<'q>;

    fn into_iter(self) -> RouteNodes<'q> {
        self.nodes()
    }
}

/// The nodes of a path, both ends included; made by [`Route::nodes`].
#[derive(Debug, Clone)]
pub struct RouteNodes<'q>(Nodes<'q>);

impl<'q> RouteNodes<'q> {
    pub(crate) fn new(path: Path<'q>) -> Self {
        Self(match path {
            Path::Nodes(nodes) => Nodes::Listed(nodes.iter()),
            Path::Legs(from, legs) => Nodes::Stepped(LegWalk::new(ByNumber, from, legs)),
        })
    }
}

/// The nodes of a path, from a list or step by step.
#[derive(Debug, Clone)]
enum Nodes<'q> {
    Listed(std::slice::Iter<'q, NodeId>),
    Stepped(LegWalk<'q, ByNumber>),
}

/// Asks whichever it is.
macro_rules! on_nodes {
    ($nodes:expr, $listed:ident => $from_list:expr, $stepped:ident => $from_steps:expr) => {
        match $nodes {
            Nodes::Listed($listed) => $from_list,
            Nodes::Stepped($stepped) => $from_steps,
        }
    };
}

impl Iterator for RouteNodes<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        on_nodes!(&mut self.0, list => list.next().copied(), steps => steps.next())
    }

    fn nth(&mut self, count: usize) -> Option<NodeId> {
        on_nodes!(&mut self.0, list => list.nth(count).copied(), steps => steps.nth(count))
    }

    fn last(mut self) -> Option<NodeId> {
        self.next_back()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        on_nodes!(&self.0, list => list.size_hint(), steps => steps.size_hint())
    }
}

impl DoubleEndedIterator for RouteNodes<'_> {
    fn next_back(&mut self) -> Option<NodeId> {
        on_nodes!(&mut self.0, list => list.next_back().copied(), steps => steps.next_back())
    }
}

impl ExactSizeIterator for RouteNodes<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::STRAIGHT;
    use crate::graph::GraphBuilder;
    use crate::grid::{Connectivity, Grid};

    fn turns(map: &Map, nodes: &[NodeId]) -> Vec<NodeId> {
        let width = map.as_grid().map_or(0, Grid::width);
        Route::complete(map, 0, nodes).turns().map(|cell| cell.y * width + cell.x).collect()
    }

    #[test]
    fn a_path_turns_where_its_direction_changes() {
        let map = Map::from(Grid::new(10, 10).unwrap());
        assert_eq!(turns(&map, &[0, 1, 2, 13, 24, 34, 44]), [0, 2, 24, 44]);
        assert_eq!(turns(&map, &[0, 1, 2, 3]), [0, 3]);
        assert_eq!(turns(&map, &[7, 8]), [7, 8]);
        assert_eq!(turns(&map, &[7]), [7]);
    }

    /// One step right and one down to the left add the same to an id.
    #[test]
    fn a_path_turns_on_a_map_two_cells_wide() {
        let map = Map::from(Grid::new(2, 3).unwrap());
        assert_eq!(turns(&map, &[1, 2, 3]), [1, 2, 3]);
        let legs = [Leg { delta: 1, steps: 1 }; 2];
        let turns = Route::along(&map, 0, 1, &legs).turns();
        assert!(turns.eq([(1, 0), (0, 1), (1, 1)].map(Cell::from)));
    }

    #[test]
    fn lines_of_hexagons_lean() {
        let grid = Grid::new(5, 5).unwrap().with_connectivity(Connectivity::Hex);
        // Down to the right all the way, then to the right.
        assert_eq!(turns(&grid.into(), &[0, 5, 11, 16, 22, 23, 24]), [0, 22, 24]);
    }

    #[test]
    fn a_graph_has_nodes_and_no_cells() {
        let mut builder = GraphBuilder::new(4).unwrap();
        (0..3).for_each(|tail| builder.add_edge(tail, tail + 1, 1).unwrap());
        let map = Map::from(builder.build());
        let route = Route::complete(&map, 3, &[0, 1, 2, 3]);
        let mut cells = vec![Cell::default()];
        route.cells_into(&mut cells);
        assert_eq!((cells.len(), route.cells().len(), route.turns().count()), (0, 0, 0));
        assert!(route.into_iter().eq(0..4));
    }

    #[test]
    fn legs_and_nodes_tell_the_same_path() {
        let map = Map::from(Grid::new(10, 10).unwrap());
        let leg = |delta: i32, steps| Leg { delta: delta as NodeId, steps };
        // A leg without steps, and two that are one line.
        let legs = [leg(1, 3), leg(10, 0), leg(1, 2), leg(11, 4), leg(-1, 1)];
        let nodes = [0, 1, 2, 3, 4, 5, 16, 27, 38, 49, 48];
        let along = Route::along(&map, 7 * STRAIGHT, 0, &legs).into_partial();
        let over = Route::complete(&map, 7 * STRAIGHT, &nodes);
        assert_eq!((along.cost(), along.status()), (over.cost(), RouteStatus::Partial));
        assert!(along.nodes().eq(over.nodes()) && along.nodes().rev().eq(over.nodes().rev()));
        assert_eq!((along.nodes().len(), along.nodes().last()), (11, Some(48)));
        assert_eq!((along.nodes().nth(7), over.nodes().nth(7)), (Some(27), Some(27)));
        assert!(along.turns().eq(over.turns()));
        let mut turns = vec![Cell::default(); 9];
        along.turns_into(&mut turns);
        assert_eq!(turns, [(0, 0), (5, 0), (9, 4), (8, 4)].map(Cell::from));
        assert!(along.turns().eq(turns));
        assert!(along.cells().eq(over.cells()) && along.cells().rev().eq(over.cells().rev()));
        assert_eq!(along.cells().nth(7), Some(Cell::new(7, 2)));
        let mut cells = Vec::new();
        along.cells_into(&mut cells);
        assert!(cells.iter().copied().eq(over.cells()));
        let mut buffer = vec![9; 99];
        along.nodes_into(&mut buffer);
        assert_eq!(buffer, nodes);
    }

    #[test]
    fn a_path_of_no_legs_is_its_start() {
        let map = Map::from(Grid::new(3, 3).unwrap());
        let route = Route::along(&map, 0, 4, &[]);
        let mut turns = Vec::new();
        route.turns_into(&mut turns);
        assert!(route.nodes().eq([4]) && route.turns().eq([Cell::new(1, 1)]));
        assert_eq!(turns, [Cell::new(1, 1)]);
    }
}
