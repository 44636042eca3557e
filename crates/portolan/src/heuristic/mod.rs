//! Lower bounds on what is left to go.
//!
//! A [`Heuristic`] binds one end first and then bounds the way from (or to) any node, so two nodes can
//! never be swapped by mistake. Bounds need only be admissible, that is, never above the true cost:
//! searches reopen nodes where a bound turns out to be inconsistent, and stay exact.

mod geometric;
mod line;

pub use geometric::{Geometric, GeometricBound, HeuristicChoice, NotABound};

use crate::cost::Cost;
use crate::graph::NodeId;

/// A source of lower bounds on a map.
pub trait Heuristic {
    /// Bounds on the way from a node to `target`.
    fn toward(&self, target: NodeId) -> impl LowerBound;

    /// Bounds on the way from `source` to a node.
    fn away_from(&self, source: NodeId) -> impl LowerBound;

    /// Whether bounds never drop by more than an edge costs along that edge. It lets searches in both
    /// directions stop sooner; where in doubt, the answer is no.
    fn is_consistent(&self) -> bool {
        false
    }

    /// Bytes held on the heap.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// Lower bounds with one end fixed.
pub trait LowerBound {
    /// Never above the true cost between the node and the fixed end; `None` proves that there is no path.
    fn at(&mut self, node: NodeId) -> Option<Cost>;
}
