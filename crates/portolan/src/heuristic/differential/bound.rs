//! Bounds from a table, with one end or both ends fixed.
//!
//! For a landmark L the triangle inequality bounds the way from n to g twice: d(n, g) >= d(n, L) - d(g, L) and
//! d(n, g) >= d(L, g) - d(L, n). Whatever is known about g is written as an interval per entry of a row: an entry of n that
//! lies outside of it by x proves that the way costs at least x. On undirected maps, where both distances are
//! one entry, the interval is the one number d(g, L); on directed ones it is open on one side. An interval that is open on
//! both sides says nothing, which is what a landmark gets that g cannot be compared by.

use super::table::Table;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::heuristic::LowerBound;
use crate::kernel;

/// Bounds of landmarks with one end fixed.
pub struct DifferentialBound<'a> {
    table: &'a Table,
    /// The least and the greatest entry that says nothing, entry by entry of a row.
    low: Vec<Cost>,
    high: Vec<Cost>,
    /// Differences from here on may come from nodes out of reach.
    doubtful: Cost,
    /// What the best path between both ends costs at most.
    upper: Cost,
}

/// Which end of the way is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Target,
    Source,
}

impl<'a> DifferentialBound<'a> {
    pub(super) fn new(table: &'a Table, node: NodeId, end: End) -> Self {
        let (mut low, mut high) = (table.row(node).to_vec(), table.row(node).to_vec());
        if low.is_empty() {
            (low, high) = (vec![0; table.stride()], vec![UNREACHABLE; table.stride()]);
        }
        let landmarks = table.landmarks().len();
        for at in 0..low.len() {
            // Whether this entry is about the way to the landmark, and whether such a way bounds from above.
            let to = !table.is_directed() || at < landmarks;
            let from = !table.is_directed() || at >= landmarks;
            let (below, above) = match end {
                End::Target => (from, to),
                End::Source => (to, from),
            };
            // Out of reach itself, it still tells that what can be reached has no path; but only where all is known.
            low[at] = if below { low[at] } else { 0 };
            high[at] = if above { high[at] } else { UNREACHABLE };
        }
        let doubtful = UNREACHABLE - table.largest();
        Self { table, low, high, doubtful, upper: UNREACHABLE }
    }

    /// The same once the cost of the best path is known not to be above this.
    pub(super) fn with_upper(mut self, upper: Cost) -> Self {
        self.upper = upper;
        self
    }

    /// Looks at what may come from nodes out of reach: these have no path.
    #[cold]
    fn look_closer(&self, node: NodeId) -> Option<Cost> {
        let row = self.table.row(node);
        let entries = row.iter().zip(&self.low).zip(&self.high);
        let mut most = 0;
        for ((&entry, &low), &high) in entries {
            let apart = entry.saturating_sub(high).max(low.saturating_sub(entry));
            let out_of_reach = entry == UNREACHABLE || low == UNREACHABLE;
            if apart > 0 && out_of_reach && self.table.proves() {
                return None;
            }
            most = most.max(apart);
        }
        Some(most)
    }
}

impl LowerBound for DifferentialBound<'_> {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let most = kernel::most_outside(self.table.row(node), &self.low, &self.high);
        if most >= self.doubtful { self.look_closer(node) } else { Some(most) }
    }

    #[inline(always)]
    fn allows(&self, whole: Cost) -> bool {
        whole <= self.upper
    }
}
