//! Hub labels of subgoals: each subgoal has a label with its costs to all subgoals above it in the
//! separator tree.
//!
//! Subgoals are numbered region by region, starting at the root. The entries of a label are the
//! members of the regions on the path from the root to the subgoal's own region, root first; within
//! its own region, those before it. The last entry is the subgoal itself. Members of a leaf are
//! treated like those of a separator, so every pair of subgoals has an entry in common.
//!
//! Labels are built like a customisable contraction hierarchy (Dibbelt, Strasser, Wagner). From the
//! leaves upward, each label tells the subgoal's higher neighbours what paths below it cost between
//! them. From the root downward, the labels of these neighbours complete it. An entry is then the
//! cost of a real path. It is the least cost if no shortest path goes above the entry's hub.
//! Queries need no more: every shortest path has exactly one highest subgoal.
//!
//! Subgoals without a row of their own (see `climb`) are numbered like all others.
//!
//! `fill` computes the costs. `join` finds the best hub of two sets of subgoals. `hops` and
//! `packed_legs` store the paths. `compact` stores labels in one byte per entry, without hops.

pub(crate) mod compact;
mod fill;
pub(crate) mod hops;
pub(crate) mod join;
pub(crate) mod numbers;
pub(crate) mod packed_legs;

use self::join::Access;
use self::numbers::{CellNumbers, RankedNumbers};
use super::subgoals::{Continuations, Subgoals};
use crate::atlas::separator_tree::{NO_REGION, RegionId, SeparatorTree};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::kernel::{HasRow, prefetch_lines};
use crate::store::Words;

/// Labels start at multiples of this.
pub(crate) const LINE: usize = 4;

/// Instead of the start of a label: the subgoal has none.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Cache lines of a label to prefetch.
const PREFETCHED_LINES: usize = 4;

/// The number of a subgoal, in the order of the regions.
pub(crate) type SubgoalId = u32;

/// The data of a subgoal that queries read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LabelHead {
    /// The turns from the root of the tree to its region, the first in the highest bit.
    pub(crate) code: u64,
    /// The start of its label in units of [`LINE`], or [`NO_ROW`].
    pub(crate) line: u32,
    /// The number of entries of its label. Without a row, those that it would have.
    pub(crate) len: u32,
    /// The depth of its region.
    pub(crate) depth: u8,
    /// How paths continue at it.
    pub(crate) continuations: Continuations,
    /// The start of its region's list in `ends`.
    pub(crate) first_end: u32,
    /// Its cell.
    pub(crate) node: NodeId,
    /// The position of its hop block.
    pub(crate) block: u32,
}

#[derive(Debug)]
pub(crate) struct HubLabels {
    pub(crate) numbers: CellNumbers,
    pub(crate) heads: Vec<LabelHead>,
    /// For each region, a list over the path from the root: the number of entries in and above each
    /// region on the path.
    ends: Vec<u16>,
    /// By region whether its members have rows; empty if all have.
    upper: Vec<bool>,
    /// The total number of entries, including padding.
    entries: usize,
    pub(crate) costs: Words,
}

impl HubLabels {
    /// The layout of the labels of these members, without costs. `None` if a label is too long for
    /// hops, or there are too many to number.
    pub(crate) fn with_layout(
        tree: &SeparatorTree,
        members: &[Vec<NodeId>],
        subgoals: &Subgoals,
    ) -> Option<Self> {
        let all = Self::with_rows(tree, members, subgoals, |_| true)?;
        let mut numbers = vec![NO_REGION; subgoals.node_count()];
        for (number, head) in (0..).zip(&all.heads) {
            numbers[head.node as usize] = number;
        }
        let numbers = CellNumbers::PerCell(numbers.into());
        Some(Self { upper: Vec::new(), numbers, ..all })
    }

    /// The same, with rows for the members of some regions only. The regions above these are among
    /// them.
    pub(crate) fn with_rows(
        tree: &SeparatorTree,
        members: &[Vec<NodeId>],
        subgoals: &Subgoals,
        is_upper: impl Fn(RegionId) -> bool,
    ) -> Option<Self> {
        let mut numbers = RankedNumbers::new(subgoals.node_count(), subgoals.all());
        let (mut heads, mut ends) = (Vec::new(), Vec::<u16>::new());
        let mut first_end: Vec<u32> = Vec::with_capacity(tree.len());
        let mut lines = 0_u32;
        let mut upper = Vec::with_capacity(tree.len());
        for (id, members) in (0..).zip(members) {
            let region = tree.node(id);
            let start = ends.len();
            first_end.push(start as u32);
            let above = match region.parent {
                NO_REGION => 0,
                parent => {
                    let from = first_end[parent as usize] as usize;
                    ends.extend_from_within(from..=from + tree.node(parent).depth as usize);
                    u32::from(ends[ends.len() - 1])
                }
            };
            ends.push(u16::try_from(above + members.len() as u32).ok()?);
            let has_rows = is_upper(id);
            upper.push(has_rows);
            for (len, &node) in (above + 1..).zip(members) {
                numbers.set(node, heads.len() as SubgoalId);
                heads.push(LabelHead {
                    code: tree.code(id),
                    line: if has_rows { lines } else { NO_ROW },
                    len,
                    depth: u8::try_from(region.depth).ok()?,
                    continuations: subgoals.continuations(node)?,
                    first_end: start as u32,
                    node,
                    block: 0,
                });
                if has_rows {
                    lines =
                        lines.checked_add(len.div_ceil(LINE as u32)).filter(|&end| end < NO_ROW)?;
                }
            }
        }
        let entries = lines as usize * LINE;
        let numbers = CellNumbers::PerSubgoal(numbers);
        Some(Self { numbers, heads, ends, upper, entries, costs: Words::default() })
    }

    /// The total number of entries, including padding.
    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    /// Whether the members of a region have rows.
    pub(crate) fn is_upper(&self, id: RegionId) -> bool {
        self.upper.get(id as usize).copied().unwrap_or(true)
    }

    /// The number of subgoals with a row.
    pub(crate) fn row_count(&self) -> usize {
        self.heads.iter().filter(|head| head.has_row()).count()
    }

    /// The costs of a label, if the subgoal has one.
    pub(crate) fn row(&self, number: SubgoalId) -> Option<&[Cost]> {
        self.costs.get(self.heads.get(number as usize)?.range())
    }

    pub(crate) fn costs(&self) -> &[Cost] {
        &self.costs
    }

    #[inline(always)]
    pub(crate) fn head(&self, number: SubgoalId) -> &LabelHead {
        &self.heads[number as usize]
    }

    /// The costs of a label.
    pub(crate) fn label(&self, number: SubgoalId) -> &[Cost] {
        &self.costs[self.heads[number as usize].range()]
    }

    /// Prefetches the start of a label.
    #[inline(always)]
    pub(crate) fn prefetch(&self, access: &Access) {
        prefetch_lines::<PREFETCHED_LINES, _>(self.costs.get(access.row().start..).unwrap_or(&[]));
    }

    #[inline(always)]
    pub(crate) fn prefetch_all(&self, accesses: &[Access]) {
        accesses.iter().for_each(|access| self.prefetch(access));
    }

    /// The number of entries shared by subgoals whose regions fork at this depth.
    #[inline(always)]
    pub(crate) fn shared(&self, head: &LabelHead, depth: u32) -> usize {
        usize::from(self.ends[(head.first_end + depth) as usize])
    }

    /// The number of leading entries of a label whose hubs are in or above the region of another
    /// subgoal.
    #[inline(always)]
    pub(super) fn shared_entries(&self, number: SubgoalId, other: SubgoalId) -> usize {
        let [head, other] = [number, other].map(|number| self.head(number));
        let turns = (head.code ^ other.code).leading_zeros();
        let depth = turns.min(u32::from(head.depth)).min(u32::from(other.depth));
        self.shared(head, depth).min(head.len as usize)
    }

    /// The number of entries in and above each region on the path down to a subgoal's own.
    #[inline(always)]
    pub(crate) fn ends(&self, head: &LabelHead) -> &[u16] {
        &self.ends[head.first_end as usize..=head.first_end as usize + usize::from(head.depth)]
    }

    /// Memory of everything but the costs.
    pub(crate) fn fixed_bytes(&self) -> usize {
        self.numbers.memory_bytes()
            + size_of_val(&self.heads[..])
            + size_of_val(&self.ends[..])
            + size_of_val(&self.upper[..])
    }
}

impl LabelHead {
    #[inline(always)]
    pub(crate) fn has_row(&self) -> bool {
        self.line != NO_ROW
    }

    #[inline(always)]
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let start = self.line as usize * LINE;
        start..start + self.len as usize
    }

    /// The number of entries including padding.
    pub(crate) fn padded(&self) -> usize {
        (self.len as usize).next_multiple_of(LINE)
    }
}
