//! The answer to a query.

use crate::cost::Cost;
use crate::graph::NodeId;

/// Whether a route leads all the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteStatus {
    /// It ends at the goal.
    Complete,
    /// The goal is blocked or out of reach; it ends at the reachable node nearest to the goal.
    Partial,
}

/// A path with its cost. It borrows the query that found it, so a stale one does not compile.
#[derive(Debug, Clone, Copy)]
pub struct Route<'q> {
    cost: Cost,
    status: RouteStatus,
    nodes: &'q [NodeId],
}

impl<'q> Route<'q> {
    pub(crate) fn complete(cost: Cost, nodes: &'q [NodeId]) -> Self {
        Self { cost, status: RouteStatus::Complete, nodes }
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
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<'q> {
        self.nodes.iter().copied()
    }

    /// Fills a buffer with the nodes of the path.
    pub fn nodes_into(&self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        nodes.extend_from_slice(self.nodes);
    }
}
