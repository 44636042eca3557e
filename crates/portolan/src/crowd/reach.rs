//! What lies round one place.

use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::graph::{Graph, NodeId};
use crate::location::Location;
use crate::map::{EndpointError, Map, on_graph};
use crate::search::{Scratch, dijkstra};

/// Questions about one place of a map and many others, by Dijkstra's algorithm, which goes as far
/// as it must and no farther. Keeps its scratch space, so make one per thread and ask it again and
/// again.
///
/// Ways lead [from](Self::outward) the place in question to the others or the [other
/// way](Self::inward): on maps with one-way edges these differ.
///
/// ```
/// use portolan::cost::STRAIGHT;
/// use portolan::crowd::Reach;
/// use portolan::{Grid, Map};
///
/// let map = Map::from(".....#.".parse::<Grid>()?);
/// let mut reach = Reach::outward(&map);
/// assert_eq!(reach.distances((0, 0), &[(3, 0), (6, 0)])?, [Some(3 * STRAIGHT), None]);
/// // Answers name nodes; `Map::cell` turns them into cells.
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
    /// Up to here the labels of the last run are least costs; `None` where it failed.
    horizon: Option<Cost>,
}

debug_by_name!("Reach", [] Reach, |reach| "map" = reach.map, "inward" = reach.inward);

/// Runs a search along the edges or against them.
macro_rules! one_way {
    ($self:ident, $graph:ident => $search:expr) => {{
        $self.horizon = None;
        let found = on_graph!(&$self.map, graph => match $self.inward {
            false => { let $graph = graph; $search }
            true => { let $graph = &graph.reversed(); $search }
        });
        found.map_err(|error| if $self.inward { turned(error) } else { error })
    }};
}

impl Reach {
    /// Ways from one place to others.
    pub fn outward(map: &Map) -> Self {
        Self { map: map.clone(), inward: false, scratch: Scratch::default(), horizon: None }
    }

    /// Ways from others to one place.
    pub fn inward(map: &Map) -> Self {
        Self { inward: true, ..Self::outward(map) }
    }

    /// The map that is asked about.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// What the way between this place and each of the others costs, in their order; `None` where
    /// there is none.
    pub fn distances<L: Into<Location> + Copy>(
        &mut self,
        place: impl Into<Location>,
        others: &[L],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        let (place, others) = (self.map.node(place)?, self.map.nodes(others)?);
        let scratch = &mut self.scratch;
        let costs = one_way!(self, graph => dijkstra::one_to_many(graph, scratch, place, &others))?;
        self.horizon = costs.iter().copied().flatten().max();
        Ok(costs)
    }

    /// The nearest of these goals, at most `count`, and what the way costs: nearest first, of
    /// equally near ones the smallest id. Each counts once, and only where there is a way.
    pub fn nearest<L: Into<Location> + Copy>(
        &mut self,
        place: impl Into<Location>,
        goals: &[L],
        count: usize,
    ) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
        let (place, goals) = (self.map.node(place)?, self.map.nodes(goals)?);
        let scratch = &mut self.scratch;
        let found =
            one_way!(self, graph => dijkstra::nearest(graph, scratch, place, &goals, count))?;
        self.horizon = found.last().map(|&(_, cost)| cost);
        Ok(found)
    }

    /// Everything within a cost of this place, which itself is the first, and what the way costs:
    /// nearest first, of equally near ones the smallest id. The limit is included.
    pub fn within(
        &mut self,
        place: impl Into<Location>,
        limit: Cost,
    ) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
        let place = self.map.node(place)?;
        let scratch = &mut self.scratch;
        let mut found = one_way!(self, graph => dijkstra::within(graph, scratch, place, limit))?;
        found.sort_unstable_by_key(|&(node, cost)| (cost, node != place, node));
        self.horizon = Some(limit);
        Ok(found)
    }

    /// Fills `path` with the nodes of the way that the last question found between the place and
    /// this node, in the direction in which it is walked; leaves it empty where there was none.
    /// Nodes that were not asked for have one as far as they are no farther off than what was.
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

    /// Bytes held on the heap, without the map, which is shared.
    pub fn memory_bytes(&self) -> usize {
        self.scratch.memory_bytes()
    }
}

/// The same for a search against the edges, whose ends are swapped.
fn turned(error: EndpointError) -> EndpointError {
    match error {
        EndpointError::CostOverflow { from, to } => {
            EndpointError::CostOverflow { from: to, to: from }
        }
        other => other,
    }
}
