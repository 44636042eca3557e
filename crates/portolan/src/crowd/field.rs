//! Costs and steps from all nodes of a map to the nearest of some goals.

use super::repair::RepairScratch;
use super::steps::{NO_STEP, Steps};
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::{Graph, NodeId};
use crate::location::{Cell, Location};
use crate::map::{EndpointError, Map, on_graph};
use crate::search::wave::Wave;
use crate::search::{check_node, reachable};

/// The cheapest paths from all nodes of a map to the nearest of some goals; see the
/// [module](super).
///
/// Takes nine bytes per node, plus an open list during a build or repair. Can be read from many
/// threads. Clone it to keep a version while the next one is made.
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
    /// The next node of each; the node itself at a goal or if the cost overflows.
    pub(super) steps: Vec<NodeId>,
    /// Whether some cost overflows.
    pub(super) overflowed: bool,
    /// Whether some edge may have weight zero.
    pub(super) has_zero_edges: bool,
    pub(super) scratch: RepairScratch,
}

debug_by_name!("FlowField", [] FlowField, |field| "map" = field.map, "goals" = field.goals);

impl FlowField {
    /// Builds the field toward these goals, which must not be blocked. Without goals there are no
    /// paths.
    pub fn new<L: Into<Location> + Copy>(
        map: impl Into<Map>,
        goals: &[L],
    ) -> Result<Self, EndpointError> {
        let mut field = Self::empty(map.into(), goals)?;
        field.rebuild();
        Ok(field)
    }

    /// The field whose costs have been computed elsewhere, such as on a GPU: for each node that of
    /// the cheapest path to any of these goals, [`UNREACHABLE`] without one. Missing costs count as
    /// such. Costs are not checked; wrong ones give wrong steps.
    pub fn from_costs<L: Into<Location> + Copy>(
        map: impl Into<Map>,
        goals: &[L],
        mut costs: Vec<Cost>,
    ) -> Result<Self, EndpointError> {
        let mut field = Self::empty(map.into(), goals)?;
        costs.resize(field.map.node_count(), UNREACHABLE);
        field.wave = Wave::from_costs(costs);
        field.follow_costs(true);
        Ok(field)
    }

    fn empty<L: Into<Location> + Copy>(map: Map, goals: &[L]) -> Result<Self, EndpointError> {
        let mut goals = map.nodes(goals)?;
        on_graph!(&map, graph => goals.iter().try_for_each(|&goal| check_node(graph, goal)))?;
        goals.sort_unstable();
        goals.dedup();
        Ok(Self {
            map,
            goals,
            wave: Wave::default(),
            steps: Vec::new(),
            overflowed: false,
            has_zero_edges: false,
            scratch: RepairScratch::default(),
        })
    }

    /// The map of the field.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The goals, sorted, each once. Includes goals that an [edit](Self::repair) has blocked.
    pub fn goals(&self) -> &[NodeId] {
        &self.goals
    }

    /// The next node from a node. `None` at a goal, without a path, and for invalid ids;
    /// [`cost`](Self::cost) distinguishes these.
    #[inline]
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        self.steps.get(node as usize).copied().filter(|&next| next != NO_STEP && next != node)
    }

    /// The next cell from a cell. `None` at a goal, without a path, on graphs, and outside the map;
    /// [`cost`](Self::cost) distinguishes these.
    #[inline]
    pub fn next_cell(&self, at: impl Into<Location>) -> Option<Cell> {
        self.map.cell(self.next(self.map.node(at).ok()?)?)
    }

    /// The cost of the cheapest path from a location to a goal; `None` if there is none.
    pub fn cost(&self, at: impl Into<Location>) -> Result<Option<Cost>, EndpointError> {
        self.cost_of(self.map.node(at)?)
    }

    fn cost_of(&self, node: NodeId) -> Result<Option<Cost>, EndpointError> {
        match self.costs().get(node as usize) {
            Some(&cost) if cost != UNREACHABLE => Ok(Some(cost)),
            _ => self.missing_cost(node),
        }
    }

    /// All costs, by node; [`UNREACHABLE`] if there is no path or its cost overflows.
    pub fn costs(&self) -> &[Cost] {
        self.wave.costs()
    }

    /// Replaces the contents of `path` by the nodes of the cheapest path from this location, and
    /// returns its cost. `None`, and no nodes, if there is no path.
    pub fn path_into(
        &self,
        at: impl Into<Location>,
        path: &mut Vec<NodeId>,
    ) -> Result<Option<Cost>, EndpointError> {
        self.locations_into(at.into(), path, Some)
    }

    /// Like [`path_into`](Self::path_into) with cells; no cells on graphs.
    pub fn cells_into(
        &self,
        at: impl Into<Location>,
        cells: &mut Vec<Cell>,
    ) -> Result<Option<Cost>, EndpointError> {
        self.locations_into(at.into(), cells, |node| self.map.cell(node))
    }

    fn locations_into<T>(
        &self,
        at: Location,
        path: &mut Vec<T>,
        location: impl Fn(NodeId) -> Option<T>,
    ) -> Result<Option<Cost>, EndpointError> {
        path.clear();
        let node = self.map.node(at)?;
        let cost = self.cost_of(node)?;
        if cost.is_some() {
            // Paths are simple unless the field has missed edits. The limit makes them end even
            // then.
            let nodes = std::iter::successors(Some(node), |&node| self.next(node));
            path.extend(nodes.take(self.steps.len()).filter_map(location));
        }
        Ok(cost)
    }

    /// Bytes on the heap, without the shared map.
    pub fn memory_bytes(&self) -> usize {
        (self.goals.capacity() + self.steps.capacity()) * size_of::<NodeId>()
            + self.wave.memory_bytes()
            + self.scratch.memory_bytes()
    }

    /// Builds everything from scratch for the current map. Blocked goals do not count.
    pub(super) fn rebuild(&mut self) {
        let Self { map, goals, wave, .. } = self;
        let overflowed = on_graph!(&*map, graph => {
            let open: Vec<NodeId> =
                goals.iter().copied().filter(|&goal| graph.contains(goal)).collect();
            wave.spread(&graph.reversed(), &open).1
        });
        self.follow_costs(overflowed);
    }

    /// Computes the steps from the costs.
    fn follow_costs(&mut self, may_overflow: bool) {
        self.has_zero_edges = has_zero_edges(&self.map);
        let Self { map, goals, wave, steps, .. } = self;
        on_graph!(&*map, graph => {
            let nodes: Vec<NodeId> = (0..graph.node_count() as NodeId).collect();
            steps.clear();
            steps.resize(nodes.len(), NO_STEP);
            let steps_of = Steps { graph, goals, costs: wave.costs() };
            steps_of.update(&nodes, self.has_zero_edges, steps);
            self.overflowed = may_overflow && steps_of.mark_overflowed(steps);
        });
    }

    /// The answer for a node without a cost: outside, blocked, overflow, or no path.
    #[cold]
    fn missing_cost(&self, node: NodeId) -> Result<Option<Cost>, EndpointError> {
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

/// Equal goals, costs and steps.
impl PartialEq for FlowField {
    fn eq(&self, other: &Self) -> bool {
        self.goals == other.goals && self.costs() == other.costs() && self.steps == other.steps
    }
}

impl Eq for FlowField {}

/// Whether an edge has weight zero. Steps on grids have positive costs.
fn has_zero_edges(map: &Map) -> bool {
    match map {
        Map::Grid(_) => false,
        Map::Graph(graph) => (0..graph.node_count() as NodeId)
            .any(|tail| graph.edges(tail).any(|(_, weight)| weight == 0)),
    }
}
