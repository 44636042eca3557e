//! Watching a search.

use crate::cost::Cost;
use crate::graph::NodeId;

/// Is told what a search does. The default does nothing, so a search that nobody watches pays
/// nothing.
pub trait Observer {
    /// A node is taken off the open list and its edges are followed. The goal, at which a search
    /// ends, counts too; a node that is reopened counts each time.
    fn expanded(&mut self, _node: NodeId, _cost: Cost) {}

    /// A node is put on the open list for the first time in this run, the start included. A cheaper
    /// way to a node that has been there before does not count. A search from both ends has two
    /// open lists.
    fn generated(&mut self, _node: NodeId, _cost: Cost) {}
}

/// Watches nothing.
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
