//! The answer to a query.

mod legs;
mod waypoints;

use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::Map;

use legs::LegNodes;
pub(crate) use legs::{Leg, append, append_turned};
use waypoints::Waypoints;

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
/// The path can be had [node by node](Self::nodes), [as a list](Self::nodes_into), or as the
/// [points where it turns](Self::waypoints):
///
/// ```
/// use portolan::search::{SearchConfig, SearchEngine};
/// use portolan::{Engine, Grid, Map, Query};
///
/// let grid = Grid::from_fn(9, 5, |x, y| x != 4 || y == 4)?; // a wall with a door at its end
/// let map = Map::from(&grid);
/// let engine = SearchEngine::build(&map, &SearchConfig::default())?;
/// let mut query = engine.query();
/// let mut buffer = Vec::new(); // kept for the next path
/// let (from, to) = (grid.node(0, 4).unwrap(), grid.node(8, 1).unwrap());
/// if let Some(route) = query.find(from, to)? {
///     let second = route.nodes().nth(1); // no more than this is looked at
///     assert_eq!(second.and_then(|node| grid.position(node)), Some((1, 4)));
///
///     route.nodes_into(&mut buffer);
///     assert_eq!(buffer.len(), 9);
///
///     let cells = |node| grid.position(node).unwrap();
///     let turns: Vec<_> = route.waypoints().map(cells).collect();
///     assert_eq!(turns, [(0, 4), (5, 4), (8, 1)]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Route<'q> {
    map: &'q Map,
    cost: Cost,
    status: RouteStatus,
    path: Path<'q>,
}

/// A path in the form in which a query has it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'q> {
    Nodes(&'q [NodeId]),
    /// Along these legs, from a cell of a grid that is not hexagonal.
    Legs(NodeId, &'q [Leg]),
}

impl<'q> Route<'q> {
    /// All the way.
    pub(crate) fn new(map: &'q Map, cost: Cost, path: Path<'q>) -> Self {
        Self { map, cost, status: RouteStatus::Complete, path }
    }

    /// Over these nodes.
    pub(crate) fn complete(map: &'q Map, cost: Cost, nodes: &'q [NodeId]) -> Self {
        Self::new(map, cost, Path::Nodes(nodes))
    }

    /// From a cell along these legs, none of which leaves the grid. Cells are found as they are asked for.
    pub(crate) fn along(map: &'q Map, cost: Cost, from: NodeId, legs: &'q [Leg]) -> Self {
        Self::new(map, cost, Path::Legs(from, legs))
    }

    pub(crate) fn into_partial(self) -> Self {
        Self { status: RouteStatus::Partial, ..self }
    }

    /// What the path costs.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Whether the path leads all the way.
    pub fn status(&self) -> RouteStatus {
        self.status
    }

    /// The nodes of the path, both ends included; a start that is the goal comes once.
    ///
    /// Where the engine knows the path as straight legs, nodes are found as they are asked for; the first few of
    /// a long path cost no more than those of a short one, and skipping ahead with `nth` takes a step per leg. For the whole
    /// path [`nodes_into`](Self::nodes_into) is faster.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<'q> {
        match self.path {
            Path::Nodes(nodes) => Nodes::Listed(nodes.iter()),
            Path::Legs(from, legs) => Nodes::Stepped(LegNodes::new(from, legs)),
        }
    }

    /// Fills a buffer with the nodes of the path; what was in it goes, and its memory is used again.
    pub fn nodes_into(&self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        self.append_to(nodes);
    }

    pub(crate) fn append_to(&self, nodes: &mut Vec<NodeId>) {
        match self.path {
            Path::Nodes(path) => nodes.extend_from_slice(path),
            Path::Legs(from, legs) => append(from, legs, nodes),
        }
    }

    /// The points where the path turns, both ends included; a start that is the goal comes once.
    ///
    /// On a grid these are the cells where the direction changes, so that the path is the straight lines between
    /// them, each along one of the four, six or eight directions. On a graph, where an edge may lead anywhere, it is every node.
    ///
    /// ```
    /// # use portolan::atlas::{Atlas, AtlasConfig};
    /// # use portolan::{Engine, Grid, Map, Query};
    /// let grid = Grid::new(500, 300)?;
    /// let map = Map::from(&grid);
    /// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
    /// let mut query = atlas.query();
    /// let route = query.find(0, grid.node(499, 200).unwrap())?.expect("nothing is in the way");
    /// assert_eq!((route.nodes().len(), route.waypoints().count()), (500, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn waypoints(&self) -> impl Iterator<Item = NodeId> + use<'q> {
        Waypoints::new(self.map, self.path)
    }
}

/// The nodes of a path, from a list or step by step.
enum Nodes<'q> {
    Listed(std::slice::Iter<'q, NodeId>),
    Stepped(LegNodes<'q>),
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

impl Iterator for Nodes<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        on_nodes!(self, list => list.next().copied(), steps => steps.next())
    }

    fn nth(&mut self, count: usize) -> Option<NodeId> {
        on_nodes!(self, list => list.nth(count).copied(), steps => steps.nth(count))
    }

    fn last(mut self) -> Option<NodeId> {
        self.next_back()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        on_nodes!(self, list => list.size_hint(), steps => steps.size_hint())
    }
}

impl DoubleEndedIterator for Nodes<'_> {
    fn next_back(&mut self) -> Option<NodeId> {
        on_nodes!(self, list => list.next_back().copied(), steps => steps.next_back())
    }
}

impl ExactSizeIterator for Nodes<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::STRAIGHT;
    use crate::graph::GraphBuilder;
    use crate::grid::{Connectivity, Grid};

    fn turns(map: &Map, nodes: &[NodeId]) -> Vec<NodeId> {
        Route::complete(map, 0, nodes).waypoints().collect()
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
        assert!(Route::along(&map, 0, 1, &legs).waypoints().eq([1, 2, 3]));
    }

    #[test]
    fn lines_of_hexagons_lean() {
        let grid = Grid::new(5, 5).unwrap().with_connectivity(Connectivity::Hex);
        // Down to the right all the way, then to the right.
        assert_eq!(turns(&grid.into(), &[0, 5, 11, 16, 22, 23, 24]), [0, 22, 24]);
    }

    #[test]
    fn every_node_of_a_graph_is_a_turn() {
        let mut builder = GraphBuilder::new(4).unwrap();
        (0..3).for_each(|tail| builder.add_edge(tail, tail + 1, 1).unwrap());
        assert_eq!(turns(&builder.build().into(), &[0, 1, 2, 3]), [0, 1, 2, 3]);
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
        assert!(along.waypoints().eq(over.waypoints()) && along.waypoints().eq([0, 5, 49, 48]));
        let mut buffer = vec![9; 99];
        along.nodes_into(&mut buffer);
        assert_eq!(buffer, nodes);
    }

    #[test]
    fn legs_walked_back_lead_to_where_they_came_from() {
        let leg = |delta: i32, steps| Leg { delta: delta as NodeId, steps };
        let legs = [leg(1, 30), leg(-10, 0), leg(11, 9), leg(-1, 1)];
        let mut there = Vec::new();
        append(5, &legs, &mut there);
        let mut back = vec![there[there.len() - 1]];
        append_turned(&legs, &mut back);
        assert!(back.iter().rev().eq(&there));
    }

    #[test]
    fn a_path_of_no_legs_is_its_start() {
        let map = Map::from(Grid::new(3, 3).unwrap());
        let route = Route::along(&map, 0, 4, &[]);
        assert!(route.nodes().eq([4]) && route.waypoints().eq([4]));
    }
}
