//! Graphs: the trait that searches use, and graphs with stored edges.
//!
//! [`Graph`] is the only interface between maps and searches. A [`Grid`](crate::Grid) implements it
//! without storing edges; a [`CsrGraph`] stores them in compressed rows. An edge leads from its
//! `tail` to its `head`. Node ids start at zero. An id that is not a node (out of range, blocked,
//! or removed) has no edges, so no id makes a graph panic.
//!
//! Read `csr.rs` and `rows.rs` (storage), `builder.rs`, `components.rs`, then `edit.rs`.
//! `serialized.rs` is the `serde` form.

mod builder;
mod components;
mod csr;
mod edit;
mod rows;
#[cfg(feature = "serde")]
mod serialized;

pub use builder::{GraphBuilder, GraphError};
pub(crate) use components::root_of;
pub use components::{Components, strong_components, weak_components};
pub use csr::{CsrGraph, Point};

use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::location::Extent;

/// A node of a map: a cell of a grid (`y * width + x`) or a node of a graph, counted from zero.
pub type NodeId = u32;

/// The start and the goal of a query.
pub type Endpoints = (NodeId, NodeId);

/// Along the edges of a graph, or against them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)]
pub(crate) enum Direction {
    /// From tail to head.
    Forward,
    /// From head to tail.
    Backward,
}

/// A directed graph with non-negative integer weights.
pub trait Graph: Sync {
    /// One more than the largest node id; tables over nodes have this many entries.
    fn node_count(&self) -> usize;

    /// Whether paths may use this node.
    fn contains(&self, node: NodeId) -> bool;

    /// The extent, which names nodes in messages: by id, or by cell on a grid.
    fn extent(&self) -> Extent {
        Extent::Nodes(self.node_count())
    }

    /// Calls `visit(head, weight)` for every edge that leaves `tail`, always in the same order.
    /// Heads are below [`node_count`](Self::node_count).
    fn out_edges(&self, tail: NodeId, visit: impl FnMut(NodeId, Cost));

    /// Calls `visit(tail, weight)` for every edge that enters `head`, always in the same order.
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost));

    /// Whether every edge has a reverse edge of the same weight.
    fn is_undirected(&self) -> bool;

    /// `false` proves that there is no path between the two nodes. `true` proves that there is one
    /// on undirected graphs only, if this is overridden. Takes constant time once the components are
    /// known.
    fn may_reach(&self, _from: NodeId, _to: NodeId) -> bool {
        true
    }

    /// A view of this graph with every edge reversed.
    fn reversed(&self) -> Reversed<'_, Self>
    where
        Self: Sized,
    {
        Reversed(self)
    }
}

/// Calls `visit` for the neighbours of a node along and against its edges; once per neighbour if
/// the graph is undirected. The caller passes `undirected`, because finding it out can take long
/// after an edit.
pub(crate) fn touching(
    graph: &impl Graph,
    undirected: bool,
    node: NodeId,
    mut visit: impl FnMut(NodeId, Cost),
) {
    graph.out_edges(node, &mut visit);
    if !undirected {
        graph.in_edges(node, visit);
    }
}

impl<G: Graph> Graph for &G {
    fn node_count(&self) -> usize {
        (**self).node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        (**self).contains(node)
    }

    fn extent(&self) -> Extent {
        (**self).extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, visit: impl FnMut(NodeId, Cost)) {
        (**self).out_edges(tail, visit);
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        (**self).in_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        (**self).is_undirected()
    }

    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        (**self).may_reach(from, to)
    }
}

/// A view of a graph with every edge reversed; made by [`Graph::reversed`].
pub struct Reversed<'a, G>(&'a G);

debug_by_name!("Reversed", [G] Reversed<'_, G>);

impl<G: Graph> Graph for Reversed<'_, G> {
    fn node_count(&self) -> usize {
        self.0.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.0.contains(node)
    }

    fn extent(&self) -> Extent {
        self.0.extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.0.in_edges(tail, visit);
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.0.out_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        self.0.is_undirected()
    }

    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        self.0.may_reach(to, from)
    }
}

/// The methods of [`Graph`] that a view of `self.graph` does not change.
macro_rules! nodes_of_graph {
    () => {
        fn node_count(&self) -> usize {
            self.graph.node_count()
        }

        fn contains(&self, node: $crate::NodeId) -> bool {
            self.graph.contains(node)
        }

        fn extent(&self) -> $crate::location::Extent {
            self.graph.extent()
        }
    };
}
pub(crate) use nodes_of_graph;
