//! The landmark heuristic: lower bounds from true distances by the triangle inequality.
//!
//! For a landmark L, d(n, g) >= |d(n, L) - d(g, L)|. This is the whole method, as one would write
//! it for a game; the library's `Differential` is the same with a compact table, and the tests
//! compare the two.

use portolan::heuristic::{Heuristic, LowerBound};
use portolan::{Cost, NodeId, UNREACHABLE};

use super::ground::Column;

/// The bounds of these landmarks.
#[derive(Debug, Clone, Copy)]
pub(super) struct LandmarkBound<'a>(pub(super) &'a [Column]);

/// Bounds between any node and a fixed one: each landmark's distances, and that of the fixed node.
pub(super) struct Bound<'a>(Vec<(&'a [Cost], Cost)>);

impl<'a> LandmarkBound<'a> {
    /// Bounds between any node and this one.
    pub(super) fn with_end(self, end: NodeId) -> Bound<'a> {
        let of_end = |column: &'a Column| {
            let cost = column.get(end as usize).copied().unwrap_or(UNREACHABLE);
            (&**column, cost)
        };
        Bound(self.0.iter().map(of_end).collect())
    }
}

impl Heuristic for LandmarkBound<'_> {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.with_end(target)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.with_end(source)
    }
}

impl Bound<'_> {
    /// The bounds of all landmarks in their order.
    pub(super) fn each(&self, node: NodeId) -> impl Iterator<Item = Cost> {
        self.0.iter().map(move |&(column, of_end)| {
            let of_node = column.get(node as usize).copied().unwrap_or(UNREACHABLE);
            difference(of_node, of_end)
        })
    }

    /// The greatest of them, and the first landmark that has it.
    pub(super) fn best(&self, node: NodeId) -> (Cost, u8) {
        let mut best = (0, 0);
        for (at, bound) in (0..).zip(self.each(node)) {
            if bound > best.0 {
                best = (bound, at);
            }
        }
        best
    }
}

impl LowerBound for Bound<'_> {
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        Some(self.best(node).0)
    }
}

/// The bound from two distances of a landmark. A landmark that does not reach both proves nothing,
/// because the map may have changed since.
pub(super) fn difference(a: Cost, b: Cost) -> Cost {
    if a == UNREACHABLE || b == UNREACHABLE { 0 } else { a.abs_diff(b) }
}
