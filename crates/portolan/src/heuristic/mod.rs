//! Lower bounds on the remaining cost of a path.
//!
//! A [`Heuristic`] binds one end first and then bounds the distance from (or to) any node, so that
//! two nodes cannot be swapped by mistake. Bounds must be admissible, that is, never above the true
//! cost. They need not be consistent: searches reopen nodes, and stay exact.
//!
//! - `mod.rs`: the traits [`Heuristic`] and [`LowerBound`].
//! - `geometric.rs`: bounds from node positions. They need no memory. `line.rs` rounds multiples of
//!   straight lines exactly.
//! - `max.rs`: the maximum of any two heuristics.
//!
//! Bounds from precomputed distances are in [`true_distance`](crate::true_distance).

mod geometric;
mod line;
mod max;

pub(crate) use geometric::Position;
pub use geometric::{Geometric, GeometricBound, HeuristicChoice, NotABound};
pub use max::Max;

use crate::cost::Cost;
use crate::graph::NodeId;

/// A source of lower bounds on a map. No id causes a panic. The bound of an id that is not a node
/// is unspecified.
pub trait Heuristic {
    /// Bounds on the distance from a node to `target`.
    fn toward(&self, target: NodeId) -> impl LowerBound;

    /// Bounds on the distance from `source` to a node.
    fn away_from(&self, source: NodeId) -> impl LowerBound;

    /// Bounds on the distance from a node to `to`, for a forward search from `from`. They know both
    /// ends, so they may skip data that does not help between them, and may report an upper bound
    /// on the whole path ([`LowerBound::allows`]).
    fn forward(&self, _from: NodeId, to: NodeId) -> impl LowerBound {
        self.toward(to)
    }

    /// Bounds on the distance from `from` to a node, for a backward search from `to`.
    fn backward(&self, from: NodeId, _to: NodeId) -> impl LowerBound {
        self.away_from(from)
    }

    /// Whether the bound never drops by more than the weight of an edge along that edge. If so,
    /// bidirectional searches stop sooner. `false` is always a valid answer.
    fn is_consistent(&self) -> bool {
        false
    }

    /// Whether bounds of neighbours come from different data, so that it pays to raise a node's
    /// bound from those of its neighbours before it is expanded (pathmax).
    fn wants_pathmax(&self) -> bool {
        false
    }

    /// Heap memory in bytes.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// Lower bounds with one end fixed.
pub trait LowerBound {
    /// The bound between the node and the fixed end, never above the true cost. `None` proves that
    /// there is no path.
    fn at(&mut self, node: NodeId) -> Option<Cost>;

    /// Whether the best path between both ends may cost as much as `whole`. `false` proves that it
    /// costs less, so a search can drop nodes whose bound on the whole path is that high. Only
    /// bounds that know both ends ([`Heuristic::forward`]) return `false`.
    #[inline(always)]
    fn allows(&self, _whole: Cost) -> bool {
        true
    }
}

impl<H: Heuristic> Heuristic for &H {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        (**self).toward(target)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        (**self).away_from(source)
    }

    fn forward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        (**self).forward(from, to)
    }

    fn backward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        (**self).backward(from, to)
    }

    fn is_consistent(&self) -> bool {
        (**self).is_consistent()
    }

    fn wants_pathmax(&self) -> bool {
        (**self).wants_pathmax()
    }

    fn memory_bytes(&self) -> usize {
        (**self).memory_bytes()
    }
}

impl LowerBound for Box<dyn LowerBound + '_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        (**self).at(node)
    }

    #[inline]
    fn allows(&self, whole: Cost) -> bool {
        (**self).allows(whole)
    }
}
