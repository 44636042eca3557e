//! Observers of searches.

use crate::cost::Cost;
use crate::graph::NodeId;

/// Observes a search. The default methods do nothing, so an unobserved search has no overhead.
pub trait Observer {
    /// A node is removed from the open list and its edges are relaxed. The goal counts too, and a
    /// reopened node counts each time.
    fn expanded(&mut self, _node: NodeId, _cost: Cost) {}

    /// A node is put on the open list for the first time in this run. The start counts, a lower
    /// cost of an old node does not. A search from both ends has two open lists.
    fn generated(&mut self, _node: NodeId, _cost: Cost) {}
}

/// Observes nothing.
impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn expanded(&mut self, node: NodeId, cost: Cost) {
        (**self).expanded(node, cost);
    }

    fn generated(&mut self, node: NodeId, cost: Cost) {
        (**self).generated(node, cost);
    }
}

/// Counts expanded and generated nodes, as the PPA* and portal papers report them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counter {
    /// Nodes expanded.
    pub expanded: u64,
    /// Nodes generated.
    pub generated: u64,
}

impl Observer for Counter {
    fn expanded(&mut self, _: NodeId, _: Cost) {
        self.expanded += 1;
    }

    fn generated(&mut self, _: NodeId, _: Cost) {
        self.generated += 1;
    }
}
