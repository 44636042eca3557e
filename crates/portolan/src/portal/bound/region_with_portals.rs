//! One region with its portals, as a graph.

use super::layout::PortalLayout;
use crate::cost::Cost;
use crate::graph::{Graph, NodeId, nodes_of_graph};

/// The nodes of one region, the node or portal where a search starts, and the portals where it may
/// end. No edges leave the latter.
pub(crate) struct RegionWithPortals<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) layout: &'a PortalLayout,
    pub(crate) region: u32,
    /// Where the search starts.
    pub(crate) root: NodeId,
    /// The only portal where it may end; `None` for any.
    pub(crate) only: Option<NodeId>,
}

impl<G: Graph> RegionWithPortals<'_, G> {
    /// Whether a node is a portal. `None` if no edges leave it.
    #[inline(always)]
    fn is_portal(&self, node: NodeId) -> Option<bool> {
        let is_portal = self.layout.number(node) != self.region;
        (!is_portal || node == self.root).then_some(is_portal)
    }

    #[inline(always)]
    fn has_edge(&self, from_portal: bool, head: NodeId) -> bool {
        let number = self.layout.number(head);
        number == self.region
            || (!from_portal
                && number >= self.layout.regions()
                && self.only.is_none_or(|only| only == head))
    }
}

impl<G: Graph> Graph for RegionWithPortals<'_, G> {
    nodes_of_graph!();

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let Some(from_portal) = self.is_portal(tail) else { return };
        self.graph.out_edges(tail, |head, weight| {
            if self.has_edge(from_portal, head) {
                visit(head, weight);
            }
        });
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let Some(from_portal) = self.is_portal(head) else { return };
        self.graph.in_edges(head, |tail, weight| {
            if self.has_edge(from_portal, tail) {
                visit(tail, weight);
            }
        });
    }

    fn is_undirected(&self) -> bool {
        self.graph.is_undirected()
    }
}
