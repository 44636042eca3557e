//! Labels for the top of the separator tree only, and arcs on which queries climb up to them.
//!
//! A region is *upper* if more than a given number of subgoals are in it and below it; then so are
//! all regions above it. The subgoals of upper regions have label rows. Those of the other regions,
//! which are most, have *arcs* instead: the edges that remain when subgoals are removed from the
//! leaves upward, as in a customisable contraction hierarchy (Dibbelt, Strasser, Wagner). An arc
//! leads to a higher subgoal and stands for a path over lower ones; it names one of them, or is an
//! edge. Upper subgoals have arcs as well, to every upper subgoal that a path over lower ones, or an
//! edge, connects them with. The hop beside each entry of a row is the number of such an arc.
//!
//! A query climbs from the accesses of both endpoints along arcs, until only upper subgoals are
//! left. The path passes the highest subgoal on it. If that is a lower one, both climbs meet there.
//! Otherwise the rows of the upper subgoals that were reached are joined, each raised by the cost to
//! get there.
//!
//! The fewer upper regions, the less memory the index takes and the longer the climb. Without any
//! there are only arcs.
//!
//! Invariants: two subgoals that an arc joins are in regions of which one is the other's ancestor.
//! The arcs of a lower subgoal ascend by head, and all heads are higher; the last head is the parent
//! in the elimination tree. The subgoal that an arc names is lower than both of its ends, and has
//! arcs to both.

mod arcs;
mod contract;
mod file;
mod follow;
mod hops;
mod join;
mod outline;
#[cfg(test)]
mod tests;

pub(crate) use arcs::Arc;
pub(crate) use join::ClimbScratch;
pub(crate) use outline::ClimbOutline;

use self::arcs::ArcLists;
use super::labels::HubLabels;
use super::subgoals::Subgoals;
use crate::atlas::plan::AtlasLabels;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::store::Bytes;

/// Everything but the rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Climb {
    /// A region with at most so many subgoals in it and below it is lower.
    most_lower: u32,
    arcs: ArcLists,
    /// Beside each entry of a row, the number of the first arc toward the hub.
    hops: Bytes,
}

impl Climb {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.arcs.memory_bytes() + self.hops.memory_bytes()
    }

    /// The kind of labels, for users.
    pub(crate) fn kind(labels: &HubLabels) -> AtlasLabels {
        AtlasLabels::UpperSubgoals { subgoals: labels.heads.len(), upper: labels.row_count() }
    }

    /// Whether the map and the tree give exactly these labels.
    pub(crate) fn is_valid(
        &self,
        labels: &HubLabels,
        subgoals: &Subgoals,
        dissection: &Dissection,
    ) -> bool {
        let outline = ClimbOutline::with_lower(subgoals, dissection, self.most_lower);
        let fresh = outline.and_then(|outline| outline.fill(subgoals, dissection, &()).ok());
        fresh.is_some_and(|(fresh_labels, fresh)| {
            fresh_labels.heads == labels.heads
                && fresh_labels.numbers == labels.numbers
                && fresh_labels.costs == labels.costs
                && fresh == *self
        })
    }
}
