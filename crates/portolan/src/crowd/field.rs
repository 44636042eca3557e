//! What every node of a map needs to know of its way to the goals.

use super::repair::Notes;
use super::steps::{NO_STEP, Steps};
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::{Graph, NodeId};
use crate::location::{Cell, Location};
use crate::map::{EndpointError, Map, on_graph};
use crate::search::wave::Wave;
use crate::search::{check_node, reachable};

/// The cheapest ways from all nodes of a map to the nearest of some goals; see the [module](super).
///
/// Takes nine bytes a node, and while it is made or repaired an open list. Can be read from many
/// threads; whoever wants to keep the field of a version while the next one is made clones it.
///
/// ```
/// use portolan::prelude::*;
/// let map = Map::from("..#..\n.....".parse::<Grid>()?);
/// let field = FlowField::new(&map, &[(4, 0)])?;
/// assert_eq!(field.next_cell((1, 0)), Some(Cell::new(1, 1)), "around the wall");
/// assert_eq!(field.cost((3, 0))?.map(|cost| map.length(cost)), Some(1.0));
/// assert_eq!((field.next_cell((4, 0)), field.cost((4, 0))?), (None, Some(0)));
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Clone)]
pub struct FlowField {
    pub(super) map: Map,
    /// Sorted, each once.
    pub(super) goals: Vec<NodeId>,
    /// The costs, by node.
    pub(super) wave: Wave,
    /// The next node of each; itself at a goal and where the cost is beyond counting.
    pub(super) steps: Vec<NodeId>,
    /// Whether there are nodes of the latter kind.
    pub(super) beyond: bool,
    /// Whether some edge may cost nothing.
    pub(super) level: bool,
    pub(super) notes: Notes,
}

debug_by_name!("FlowField", [] FlowField, |field| "map" = field.map, "goals" = field.goals);

impl FlowField {
    /// The field toward these goals, none of which may be blocked. Without any goal there is no way
    /// from anywhere.
    pub fn new<L: Into<Location> + Copy>(
        map: impl Into<Map>,
        goals: &[L],
    ) -> Result<Self, EndpointError> {
        let map = map.into();
        let mut goals = map.nodes(goals)?;
        on_graph!(&map, graph => goals.iter().try_for_each(|&goal| check_node(graph, goal)))?;
        goals.sort_unstable();
        goals.dedup();
        let mut field = Self {
            map,
            goals,
            wave: Wave::default(),
            steps: Vec::new(),
            beyond: false,
            level: false,
            notes: Notes::default(),
        };
        field.fill();
        Ok(field)
    }

    /// The map as the field knows it.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The goals, sorted, each once. One that an [edit](Self::repair) has blocked is still among
    /// them.
    pub fn goals(&self) -> &[NodeId] {
        &self.goals
    }

    /// Where to go from a node. `None` at a goal, where no way leads to one, and for ids that are
    /// no node; [`cost`](Self::cost) tells these apart.
    #[inline]
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        self.steps.get(node as usize).copied().filter(|&next| next != NO_STEP && next != node)
    }

    /// The cell to go to from a cell. `None` at a goal, where no way leads to one, on graphs, and
    /// outside the map; [`cost`](Self::cost) tells these apart.
    #[inline]
    pub fn next_cell(&self, at: impl Into<Location>) -> Option<Cell> {
        self.map.cell(self.next(self.map.node(at).ok()?)?)
    }

    /// What the cheapest way from a place to a goal costs; `None` where there is no way.
    pub fn cost(&self, at: impl Into<Location>) -> Result<Option<Cost>, EndpointError> {
        self.cost_of(self.map.node(at)?)
    }

    fn cost_of(&self, node: NodeId) -> Result<Option<Cost>, EndpointError> {
        match self.costs().get(node as usize) {
            Some(&cost) if cost != UNREACHABLE => Ok(Some(cost)),
            _ => self.why_no_cost(node),
        }
    }

    /// All costs, by node; [`UNREACHABLE`] where there is no way or none that a cost can hold.
    pub fn costs(&self) -> &[Cost] {
        self.wave.costs()
    }

    /// Fills `path` with the nodes from this place to the goal that its way leads to, and returns
    /// what that costs; `None`, and no nodes, where there is no way.
    pub fn path_into(
        &self,
        at: impl Into<Location>,
        path: &mut Vec<NodeId>,
    ) -> Result<Option<Cost>, EndpointError> {
        self.way_into(at.into(), path, Some)
    }

    /// The same as cells; no cells on graphs.
    pub fn cells_into(
        &self,
        at: impl Into<Location>,
        cells: &mut Vec<Cell>,
    ) -> Result<Option<Cost>, EndpointError> {
        self.way_into(at.into(), cells, |node| self.map.cell(node))
    }

    fn way_into<T>(
        &self,
        at: Location,
        path: &mut Vec<T>,
        place: impl Fn(NodeId) -> Option<T>,
    ) -> Result<Option<Cost>, EndpointError> {
        path.clear();
        let node = self.map.node(at)?;
        let cost = self.cost_of(node)?;
        if cost.is_some() {
            // Ways are simple, unless the field was not told of edits; then they at least end.
            let way = std::iter::successors(Some(node), |&node| self.next(node));
            path.extend(way.take(self.steps.len()).filter_map(place));
        }
        Ok(cost)
    }

    /// Bytes held on the heap, without the map, which is shared.
    pub fn memory_bytes(&self) -> usize {
        (self.goals.capacity() + self.steps.capacity()) * size_of::<NodeId>()
            + self.wave.memory_bytes()
            + self.notes.memory_bytes()
    }

    /// Everything anew, for the map as it is now; goals that are blocked do not count.
    pub(super) fn fill(&mut self) {
        let Self { map, goals, wave, steps, .. } = self;
        self.level = costs_nothing_somewhere(map);
        on_graph!(&*map, graph => {
            let open: Vec<NodeId> =
                goals.iter().copied().filter(|&goal| graph.contains(goal)).collect();
            let (_, heavy) = wave.spread(&graph.reversed(), &open);
            let nodes: Vec<NodeId> = (0..graph.node_count() as NodeId).collect();
            steps.clear();
            steps.resize(nodes.len(), NO_STEP);
            let ways = Steps { graph, goals, costs: wave.costs() };
            ways.renew(&nodes, self.level, steps);
            self.beyond = heavy && ways.mark_beyond(steps);
        });
    }

    /// A node without a cost: not on the map, blocked, too far for numbers, or simply without a
    /// way.
    #[cold]
    fn why_no_cost(&self, node: NodeId) -> Result<Option<Cost>, EndpointError> {
        on_graph!(&self.map, graph => {
            check_node(graph, node)?;
            if self.steps.get(node as usize) != Some(&node) {
                return Ok(None);
            }
            let reached = reachable(graph, node);
            let goal = self.goals.iter().find(|&&goal| reached.get(goal as usize) == Some(&true));
            goal.map_or(Ok(None), |&to| Err(EndpointError::overflow(graph.extent(), node, to)))
        })
    }
}

/// Equal goals, costs and steps, whatever led to them.
impl PartialEq for FlowField {
    fn eq(&self, other: &Self) -> bool {
        self.goals == other.goals && self.costs() == other.costs() && self.steps == other.steps
    }
}

impl Eq for FlowField {}

/// On grids every step costs something.
fn costs_nothing_somewhere(map: &Map) -> bool {
    match map {
        Map::Grid(_) => false,
        Map::Graph(graph) => (0..graph.node_count() as NodeId)
            .any(|tail| graph.edges(tail).any(|(_, weight)| weight == 0)),
    }
}
