//! Graphs: what every search sees of a map.
//!
//! [`Graph`] is the one small trait between maps and searches. A [`Grid`](crate::Grid) implements
//! it without storing edges; a [`CsrGraph`] stores them in compressed rows. Edges are directed: one
//! leads from its `tail` to its `head`. Node ids run from zero; an id that is not a node (outside
//! the range, blocked, or removed) simply has no edges, so that no id can make a graph panic.

mod components;
mod csr;
mod edit;
#[cfg(feature = "serde")]
mod record;

pub(crate) use components::root_of;
pub use components::{Components, strong_components, weak_components};
pub use csr::{CsrGraph, GraphBuilder, GraphError, Point};

use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::location::Extent;

/// A node of a map: a cell of a grid (`y * width + x`) or a node of a graph, counted from zero.
pub type NodeId = u32;

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

    /// Whether a path may start, end and pass here.
    fn contains(&self, node: NodeId) -> bool;

    /// How nodes are named in messages: by their number, or by their cell on a grid.
    fn extent(&self) -> Extent {
        Extent::Nodes(self.node_count())
    }

    /// Calls `visit(head, weight)` for every edge that leaves `tail`, always in the same order.
    /// Heads are below [`node_count`](Self::node_count).
    fn out_edges(&self, tail: NodeId, visit: impl FnMut(NodeId, Cost));

    /// Calls `visit(tail, weight)` for every edge that enters `head`, always in the same order.
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost));

    /// Whether every edge has a twin of the same weight in the other direction.
    fn is_undirected(&self) -> bool;

    /// `false` proves that no path leads from one node to the other; `true` proves it only on
    /// undirected graphs. Takes constant time once the components are known.
    fn may_reach(&self, from: NodeId, to: NodeId) -> bool;

    /// The same graph with every edge turned round.
    fn reversed(&self) -> Reversed<'_, Self>
    where
        Self: Sized,
    {
        Reversed(self)
    }
}

/// Calls `visit` for the other ends of all edges at a node, whichever way they run; once for both
/// ways where the caller knows the graph to be undirected, which after an edit may take a graph
/// long to find out.
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

/// A view of a graph with every edge turned round; made by [`Graph::reversed`].
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
