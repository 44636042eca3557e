//! Lower bounds on what is left to go.
//!
//! A [`Heuristic`] binds one end first and then bounds the way from (or to) any node, so two nodes
//! can never be swapped by mistake. Bounds need only be admissible, that is, never above the true
//! cost: searches reopen nodes where a bound turns out to be inconsistent, and stay exact.
//!
//! *Geometric* bounds follow from where nodes lie and need no memory. *Stored* ones ([`StoredKind`]
//! lists them) come from true distances that were found beforehand. [`Max`] joins any two by their
//! maximum, and [`Bounds`] those that were chosen by name.

mod geometric;
mod line;
mod max;

pub(crate) use geometric::Spot;
pub use geometric::{Geometric, GeometricBound, HeuristicChoice, NotABound};
pub use max::Max;

use crate::cost::Cost;
use crate::graph::NodeId;

/// A source of lower bounds on a map. No id makes one panic: of what is no node it may say
/// anything.
pub trait Heuristic {
    /// Bounds on the way from a node to `target`.
    fn toward(&self, target: NodeId) -> impl LowerBound;

    /// Bounds on the way from `source` to a node.
    fn away_from(&self, source: NodeId) -> impl LowerBound;

    /// Bounds on the way from a node to `to`, for a search that starts at `from`. Knowing both
    /// ends, they may leave out what does not help between them, and tell what no path between them
    /// can cost more than.
    fn ahead(&self, _from: NodeId, to: NodeId) -> impl LowerBound {
        self.toward(to)
    }

    /// Bounds on the way from `from` to a node, for a search against the edges that starts at `to`.
    fn behind(&self, from: NodeId, _to: NodeId) -> impl LowerBound {
        self.away_from(from)
    }

    /// Whether bounds never drop by more than an edge costs along that edge. It lets searches in
    /// both directions stop sooner; where in doubt, the answer is no.
    fn is_consistent(&self) -> bool {
        false
    }

    /// Whether neighbours are bounded by what different places know, so that it pays to ask those
    /// around a node before it is expanded.
    fn is_patchy(&self) -> bool {
        false
    }

    /// Bytes held on the heap.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// Lower bounds with one end fixed.
pub trait LowerBound {
    /// Never above the true cost between the node and the fixed end; `None` proves that there is no
    /// path.
    fn at(&mut self, node: NodeId) -> Option<Cost>;

    /// Whether the best path between both ends may cost so much. `false` proves that it costs less,
    /// so that a search need not keep what costs as much; only bounds that know both ends
    /// ([`Heuristic::ahead`]) can say so.
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

    fn ahead(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        (**self).ahead(from, to)
    }

    fn behind(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        (**self).behind(from, to)
    }

    fn is_consistent(&self) -> bool {
        (**self).is_consistent()
    }

    fn is_patchy(&self) -> bool {
        (**self).is_patchy()
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
