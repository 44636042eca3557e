//! The graph that step 1 searches: two regions, and stored distances between their portals.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::location::Extent;
use crate::portal::bound::layout::NOWHERE;
use crate::portal::bound::tables::Portals;

/// The regions of a start and a goal, or the portals that these are.
///
/// Ways lead through the start's region to its portals, from any of those to any portal of the
/// goal's by a stored distance, and through the goal's region to the goal. Everything between is
/// left out, and nothing that is left out is missed: what a path does between the first and the
/// last portal it meets is what the stored distance is of.
pub(crate) struct Collapsed<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) portals: &'a Portals,
    /// The numbers of both ends.
    start: u32,
    goal: u32,
    from: NodeId,
    to: [u16; 1],
}

impl<'a, G: Graph> Collapsed<'a, G> {
    pub(crate) fn new(graph: &'a G, portals: &'a Portals, (from, to): (NodeId, NodeId)) -> Self {
        let layout = &portals.layout;
        let (start, goal) = (layout.number(from), layout.number(to));
        let to = [goal.saturating_sub(layout.regions()) as u16];
        Self { graph, portals, start, goal, from, to }
    }

    /// The portals that stored distances lead to.
    fn gates(&self) -> &[u16] {
        let layout = &self.portals.layout;
        if self.goal >= layout.regions() {
            &self.to
        } else {
            layout.beside.list(self.goal as usize)
        }
    }

    fn lies_beside(&self, portal: u16, number: u32) -> bool {
        let layout = &self.portals.layout;
        number < layout.regions() && layout.around.list(portal.into()).contains(&(number as u16))
    }

    /// Edges from a portal: by stored distances if a path has just come to it, into the goal's
    /// region if that is beside.
    fn leave_portal(&self, node: NodeId, portal: u16, mut visit: impl FnMut(NodeId, Cost)) {
        let layout = &self.portals.layout;
        if node == self.from || self.lies_beside(portal, self.start) {
            for &gate in self.gates().iter().filter(|&&gate| gate != portal) {
                let distance = self.portals.between(portal, gate, false);
                if distance != UNREACHABLE {
                    visit(layout.node(gate), distance);
                }
            }
        }
        if self.lies_beside(portal, self.goal) {
            self.graph.out_edges(node, |head, weight| {
                if layout.number(head) == self.goal {
                    visit(head, weight);
                }
            });
        }
    }
}

impl<G: Graph> Graph for Collapsed<'_, G> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.graph.contains(node)
    }

    fn extent(&self) -> Extent {
        self.graph.extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let layout = &self.portals.layout;
        let here = layout.number(tail);
        if here == NOWHERE {
            return;
        }
        if here >= layout.regions() {
            return self.leave_portal(tail, (here - layout.regions()) as u16, visit);
        }
        // A way that has come into the goal's region from elsewhere need not leave it again.
        let may_leave = here == self.start;
        self.graph.out_edges(tail, |head, weight| {
            if may_leave || layout.number(head) == here {
                visit(head, weight);
            }
        });
    }

    /// Step 1 searches forward only.
    fn in_edges(&self, _: NodeId, _: impl FnMut(NodeId, Cost)) {}

    fn is_undirected(&self) -> bool {
        false
    }

    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        self.graph.may_reach(from, to)
    }
}
