//! Searches around one node.

use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::graph::{Graph, NodeId};
use crate::location::Location;
use crate::map::{EndpointError, Map, on_graph};
use crate::search::{Scratch, dijkstra};

/// Queries about one node and many others, by Dijkstra's algorithm, which stops as early as
/// possible. Reuse it for its scratch space; use one per thread.
///
/// Paths lead [from](Self::outward) the node to the others or [to](Self::inward) it. On maps with
/// one-way edges, these differ.
///
/// ```
/// use portolan::cost::STRAIGHT;
/// use portolan::crowd::Reach;
/// use portolan::{Grid, Map};
///
/// let map = Map::from(".....#.".parse::<Grid>()?);
/// let mut reach = Reach::outward(&map);
/// assert_eq!(reach.distances((0, 0), &[(3, 0), (6, 0)])?, [Some(3 * STRAIGHT), None]);
/// // Answers are nodes; `Map::cell` converts them to cells.
/// let goals = [(6, 0), (3, 0), (2, 0)];
/// assert_eq!(reach.nearest((0, 0), &goals, 2)?, [(2, 2 * STRAIGHT), (3, 3 * STRAIGHT)]);
/// assert_eq!(reach.within((0, 0), STRAIGHT)?, [(0, 0), (1, STRAIGHT)]);
/// let mut path = Vec::new();
/// reach.path_into(1, &mut path);
/// assert_eq!(path, [0, 1]);
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Clone)]
pub struct Reach {
    map: Map,
    inward: bool,
    scratch: Scratch,
    /// Labels of the last run up to this cost are least costs. `None` if the run failed.
    horizon: Option<Cost>,
}

debug_by_name!("Reach", [] Reach, |reach| "map" = reach.map, "inward" = reach.inward);

/// Runs a search along the edges or against them.
macro_rules! directed_search {
    ($self:ident, $graph:ident => $search:expr) => {{
        $self.horizon = None;
        let found = on_graph!(&$self.map, graph => match $self.inward {
            false => { let $graph = graph; $search }
            true => { let $graph = &graph.reversed(); $search }
        });
        found.map_err(|error| if $self.inward { with_swapped_ends(error) } else { error })
    }};
}

impl Reach {
    /// Searches paths from one node to others.
    pub fn outward(map: &Map) -> Self {
        Self { map: map.clone(), inward: false, scratch: Scratch::default(), horizon: None }
    }

    /// Searches paths from others to one node.
    pub fn inward(map: &Map) -> Self {
        Self { inward: true, ..Self::outward(map) }
    }

    /// The map of the searches.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The costs of the paths between this location and each of the others, in order; `None` if
    /// there is no path.
    pub fn distances<L: Into<Location> + Copy>(
        &mut self,
        place: impl Into<Location>,
        others: &[L],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        let (place, others) = (self.map.node(place)?, self.map.nodes(others)?);
        let scratch = &mut self.scratch;
        let costs =
            directed_search!(self, graph => dijkstra::one_to_many(graph, scratch, place, &others))?;
        self.horizon = costs.iter().copied().flatten().max();
        Ok(costs)
    }

    /// The nearest of these goals with their costs, at most `count`; nearest first, then by id.
    /// Each reachable goal counts once.
    pub fn nearest<L: Into<Location> + Copy>(
        &mut self,
        place: impl Into<Location>,
        goals: &[L],
        count: usize,
    ) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
        let (place, goals) = (self.map.node(place)?, self.map.nodes(goals)?);
        let scratch = &mut self.scratch;
        let found = directed_search!(self, graph => dijkstra::nearest(graph, scratch, place, &goals, count))?;
        self.horizon = found.last().map(|&(_, cost)| cost);
        Ok(found)
    }

    /// All nodes within a cost of this location, with their costs: the location itself, then
    /// nearest first, then by id. The limit is inclusive.
    pub fn within(
        &mut self,
        place: impl Into<Location>,
        limit: Cost,
    ) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
        let place = self.map.node(place)?;
        let scratch = &mut self.scratch;
        let mut found =
            directed_search!(self, graph => dijkstra::within(graph, scratch, place, limit))?;
        found.sort_unstable_by_key(|&(node, cost)| (cost, node != place, node));
        self.horizon = Some(limit);
        Ok(found)
    }

    /// Replaces the contents of `path` by the path of the last query between its location and this
    /// node, in walking direction; empty if there was none. Also works for other nodes that are no
    /// farther away than those of the query.
    pub fn path_into(&self, node: NodeId, path: &mut Vec<NodeId>) {
        path.clear();
        let near = |cost| self.horizon.is_some_and(|horizon| cost <= horizon);
        if self.scratch.cost(node).is_some_and(near) {
            self.scratch.path_into(node, path);
        }
        if self.inward {
            path.reverse();
        }
    }

    /// Bytes on the heap, without the shared map.
    pub fn memory_bytes(&self) -> usize {
        self.scratch.memory_bytes()
    }
}

/// The error of a search against the edges, which has start and goal swapped.
fn with_swapped_ends(error: EndpointError) -> EndpointError {
    match error {
        EndpointError::CostOverflow { from, to } => {
            EndpointError::CostOverflow { from: to, to: from }
        }
        other => other,
    }
}
