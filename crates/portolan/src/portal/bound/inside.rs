//! A region and the portals beside it, as a graph of its own.

use super::layout::Layout;
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::location::Extent;

/// The nodes of one region, the portal or node that a search starts from, and portals that it may
/// end at. No way leads on from those.
pub(crate) struct Inside<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) layout: &'a Layout,
    pub(crate) region: u32,
    /// Where the search starts.
    pub(crate) root: NodeId,
    /// The only portal that it may end at; `None` for any.
    pub(crate) only: Option<NodeId>,
}

impl<G: Graph> Inside<'_, G> {
    /// Whether a search that has come to a node goes on from it, and whether that is a portal.
    #[inline(always)]
    fn stands(&self, node: NodeId) -> Option<bool> {
        let is_portal = self.layout.number(node) != self.region;
        (!is_portal || node == self.root).then_some(is_portal)
    }

    #[inline(always)]
    fn leads(&self, from_portal: bool, head: NodeId) -> bool {
        let number = self.layout.number(head);
        number == self.region
            || (!from_portal
                && number >= self.layout.regions()
                && self.only.is_none_or(|only| only == head))
    }
}

impl<G: Graph> Graph for Inside<'_, G> {
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
        let Some(from_portal) = self.stands(tail) else { return };
        self.graph.out_edges(tail, |head, weight| {
            if self.leads(from_portal, head) {
                visit(head, weight);
            }
        });
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let Some(from_portal) = self.stands(head) else { return };
        self.graph.in_edges(head, |tail, weight| {
            if self.leads(from_portal, tail) {
                visit(tail, weight);
            }
        });
    }

    fn is_undirected(&self) -> bool {
        self.graph.is_undirected()
    }

    fn may_reach(&self, _: NodeId, _: NodeId) -> bool {
        true
    }
}
