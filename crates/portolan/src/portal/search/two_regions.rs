//! The graph that step 1 searches: two regions, and the stored distances between their portals.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Endpoints, Graph, NodeId, nodes_of_graph};
use crate::portal::bound::layout::NOT_USABLE;
use crate::portal::bound::tables::PortalTables;

/// The regions of start and goal. Either may be a portal instead.
///
/// A path leads through the start's region to its portals, from there by a stored distance to a
/// portal of the goal's region, and through that region to the goal. The stored distance covers
/// everything between the first and the last portal of a path, so no shortest path is lost.
pub(super) struct TwoRegions<'a, G> {
    graph: &'a G,
    portals: &'a PortalTables,
    start: NodeId,
    /// The region or portal number of the start, and of the goal.
    start_number: u32,
    goal_number: u32,
    /// If the goal is a portal, that portal.
    goal_portal: [u16; 1],
}

impl<'a, G: Graph> TwoRegions<'a, G> {
    pub(super) fn new(graph: &'a G, portals: &'a PortalTables, (start, goal): Endpoints) -> Self {
        let layout = &portals.layout;
        let (start_number, goal_number) = (layout.number(start), layout.number(goal));
        let goal_portal = [goal_number.saturating_sub(layout.regions()) as u16];
        Self { graph, portals, start, start_number, goal_number, goal_portal }
    }

    /// The portals of the goal's region.
    fn goal_portals(&self) -> &[u16] {
        let layout = &self.portals.layout;
        match self.goal_number >= layout.regions() {
            true => &self.goal_portal,
            false => layout.portals_of(self.goal_number),
        }
    }

    fn is_portal_of(&self, portal: u16, number: u32) -> bool {
        let layout = &self.portals.layout;
        number < layout.regions() && layout.regions_of(portal).contains(&(number as u16))
    }

    /// Edges from a portal: stored distances if it belongs to the start's region, and edges into
    /// the goal's region if it belongs to that.
    fn edges_of_portal(&self, node: NodeId, portal: u16, mut visit: impl FnMut(NodeId, Cost)) {
        let layout = &self.portals.layout;
        if node == self.start || self.is_portal_of(portal, self.start_number) {
            for &last in self.goal_portals().iter().filter(|&&last| last != portal) {
                let distance = self.portals.between(portal, last, Direction::Forward);
                if distance != UNREACHABLE {
                    visit(layout.node(last), distance);
                }
            }
        }
        if self.is_portal_of(portal, self.goal_number) {
            self.graph.out_edges(node, |head, weight| {
                if layout.number(head) == self.goal_number {
                    visit(head, weight);
                }
            });
        }
    }
}

impl<G: Graph> Graph for TwoRegions<'_, G> {
    nodes_of_graph!();

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let layout = &self.portals.layout;
        let here = layout.number(tail);
        if here == NOT_USABLE {
            return;
        }
        if here >= layout.regions() {
            return self.edges_of_portal(tail, (here - layout.regions()) as u16, visit);
        }
        // A path that has entered the goal's region does not need to leave it again.
        let may_leave = here == self.start_number;
        self.graph.out_edges(tail, |head, weight| {
            if may_leave || layout.number(head) == here {
                visit(head, weight);
            }
        });
    }

    /// Not used: the search is forward only.
    fn in_edges(&self, _: NodeId, _: impl FnMut(NodeId, Cost)) {}

    fn is_undirected(&self) -> bool {
        false
    }

    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        self.graph.may_reach(from, to)
    }
}
