//! Searches whose ends are in one region: the graph, and bounds with the portals as landmarks.

use super::node_distances::NodeDistances;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Endpoints, Graph, NodeId, nodes_of_graph};
use crate::heuristic::{Geometric, GeometricBound, LowerBound};
use crate::portal::bound::layout::PortalLayout;

/// A region without its portals, and one edge from start to goal: the best path over portals.
pub(super) struct RegionOrPortals<'a, G> {
    pub(super) graph: &'a G,
    pub(super) layout: &'a PortalLayout,
    pub(super) region: u32,
    pub(super) ends: Endpoints,
    /// The cost of the path over portals; [`UNREACHABLE`] for none.
    pub(super) over_portals: Cost,
}

impl<G: Graph> Graph for RegionOrPortals<'_, G> {
    nodes_of_graph!();

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.graph.out_edges(tail, |head, weight| {
            if self.layout.number(head) == self.region {
                visit(head, weight);
            }
        });
        if tail == self.ends.0 && self.over_portals != UNREACHABLE {
            visit(self.ends.1, self.over_portals);
        }
    }

    /// Not used: the search is forward only.
    fn in_edges(&self, _: NodeId, _: impl FnMut(NodeId, Cost)) {}

    fn is_undirected(&self) -> bool {
        false
    }
}

/// Bounds on distances inside a region. The portals are landmarks.
pub(super) struct WithinBound<'a> {
    layout: &'a PortalLayout,
    distances: &'a NodeDistances,
    region: u32,
    straight: GeometricBound,
    /// The distances from the goal to portals, and from portals to the goal.
    goal_out: &'a [Cost],
    goal_into: &'a [Cost],
    ends: Endpoints,
}

impl<'a> WithinBound<'a> {
    pub(super) fn new(
        layout: &'a PortalLayout,
        distances: &'a NodeDistances,
        base: &Geometric,
        region: u32,
        ends: Endpoints,
    ) -> Self {
        let straight = base.with_end(ends.1);
        let goal_out = distances.row(layout, region, ends.1, Direction::Forward);
        let goal_into = distances.row(layout, region, ends.1, Direction::Backward);
        Self { layout, distances, region, straight, goal_out, goal_into, ends }
    }
}

impl LowerBound for WithinBound<'_> {
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let mut most = self.straight.at(node)?;
        // From the start, the best path may leave the region over portals.
        if node == self.ends.0 || node == self.ends.1 {
            return Some(most);
        }
        let row = |direction| self.distances.row(self.layout, self.region, node, direction);
        for (&node_out, &goal_out) in row(Direction::Forward).iter().zip(self.goal_out) {
            match (node_out, goal_out) {
                (_, UNREACHABLE) => {}
                (UNREACHABLE, _) => return None,
                _ => most = most.max(node_out.saturating_sub(goal_out)),
            }
        }
        for (&node_into, &goal_into) in row(Direction::Backward).iter().zip(self.goal_into) {
            match (node_into, goal_into) {
                (UNREACHABLE, _) => {}
                (_, UNREACHABLE) => return None,
                _ => most = most.max(goal_into.saturating_sub(node_into)),
            }
        }
        Some(most)
    }
}
