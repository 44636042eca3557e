//! Labels of subgoals: one row per subgoal, with its costs to all subgoals above it in the tree.
//!
//! Subgoals are numbered region by region, the root first. The entries of a row stand for the
//! members of the regions on the way from the root to the subgoal's own, root first, and in the own
//! those before it; the last entry is the subgoal itself. Members of a leaf are treated like those
//! of a separator, so that every pair of subgoals has an entry in common.
//!
//! HubLabels are made as a customisable contraction hierarchy is (Dibbelt, Strasser, Wagner): from the
//! leaves up each row says what the ways below it cost its higher neighbours each other, and from
//! the root down the labels of these neighbours complete it. An entry is then the cost of a real way,
//! and the least there is where no shortest way comes above the entry's subgoal, which is all that
//! a query needs: of all subgoals on a shortest way one is highest.

pub(crate) mod compact;
pub(crate) mod hops;
pub(crate) mod join;
pub(crate) mod packed_legs;

use rayon::prelude::*;

use self::join::Access;
use super::subgoals::{Continuations, Subgoals};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{NO_REGION, RegionId, SeparatorTree};
use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::kernel::{HasRow, prefetch_lines, relax_row};
use crate::store::Words;

/// HubLabels start at multiples of this.
pub(crate) const LINE: usize = 4;

/// How many lines of memory of a row are asked for before it is read.
const SOON: usize = 4;

/// The number of a subgoal.
pub(crate) type SubgoalId = u32;

/// What a query has to know of a subgoal, side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LabelHead {
    /// The turns from the root of the tree to its region, the first in the highest bit.
    pub(crate) code: u64,
    /// Where its row starts, in lines.
    pub(crate) line: u32,
    /// How many entries its row has.
    pub(crate) len: u32,
    /// How deep its region lies.
    pub(crate) depth: u8,
    /// How paths go on from it.
    pub(crate) continuations: Continuations,
    /// Where the list of its region in `ends` begins.
    pub(crate) first_end: u32,
    /// Its cell.
    pub(crate) node: NodeId,
    /// Where its hops begin.
    pub(crate) block: u32,
}

#[derive(Debug)]
pub(crate) struct HubLabels {
    /// By cell the number of its subgoal; [`NO_REGION`] for cells that are none.
    pub(crate) numbers: Words,
    pub(crate) heads: Vec<LabelHead>,
    /// For each region on the way from the root down to a region: how many entries there are above
    /// and in it.
    ends: Vec<u16>,
    pub(crate) costs: Words,
}

impl HubLabels {
    /// Fills the labels that were laid out.
    pub(crate) fn fill(
        &mut self,
        subgoals: &Subgoals,
        Dissection { tree, members }: &Dissection,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let (numbers, heads) = (&self.numbers[..], &self.heads[..]);
        let watch = Watch::new(progress, "labels", 2 * tree.len());
        let filling = LabelFill { subgoals, tree, members, numbers, heads };
        let mut filled = Ok(());
        let costs = Words::filled(self.entries(), UNREACHABLE, |costs| {
            filling.write_edges(costs);
            filled = filling.gather_upward(costs, &watch);
            if filled.is_ok() {
                filled = filling.spread_downward(costs, &watch);
            }
        });
        self.costs = costs;
        filled
    }

    /// Where the labels of these members lie; without costs. `None` where a row would be too
    /// long for hops, or all of them too many to number.
    pub(crate) fn with_layout(
        tree: &SeparatorTree,
        members: &[Vec<NodeId>],
        subgoals: &Subgoals,
    ) -> Option<Self> {
        let mut numbers = vec![NO_REGION; subgoals.node_count()];
        let (mut heads, mut ends) = (Vec::new(), Vec::<u16>::new());
        let mut first_end: Vec<u32> = Vec::with_capacity(tree.len());
        let mut lines = 0_u32;
        for (id, members) in (0..).zip(members) {
            let link = tree.node(id);
            let start = ends.len();
            first_end.push(start as u32);
            let above = match link.parent {
                NO_REGION => 0,
                parent => {
                    let from = first_end[parent as usize] as usize;
                    ends.extend_from_within(from..=from + tree.node(parent).depth as usize);
                    u32::from(ends[ends.len() - 1])
                }
            };
            ends.push(u16::try_from(above + members.len() as u32).ok()?);
            for (len, &node) in (above + 1..).zip(members) {
                numbers[node as usize] = heads.len() as SubgoalId;
                heads.push(LabelHead {
                    code: tree.code(id),
                    line: lines,
                    len,
                    depth: u8::try_from(link.depth).ok()?,
                    continuations: subgoals.continuations(node)?,
                    first_end: start as u32,
                    node,
                    block: 0,
                });
                lines = lines.checked_add(len.div_ceil(LINE as u32))?;
            }
        }
        Some(Self { numbers: numbers.into(), heads, ends, costs: Words::default() })
    }

    /// How many entries all labels have, padding included.
    pub(crate) fn entries(&self) -> usize {
        self.heads.last().map_or(0, |head| head.range().end.next_multiple_of(LINE))
    }

    pub(crate) fn costs(&self) -> &[Cost] {
        &self.costs
    }

    #[inline(always)]
    pub(crate) fn head(&self, number: SubgoalId) -> &LabelHead {
        &self.heads[number as usize]
    }

    /// The costs of a row.
    pub(crate) fn label(&self, number: SubgoalId) -> &[Cost] {
        &self.costs[self.heads[number as usize].range()]
    }

    /// Asks for the start of the row of a access before it is read.
    #[inline(always)]
    pub(crate) fn prefetch(&self, access: &Access) {
        prefetch_lines::<SOON, _>(self.costs.get(access.row().start..).unwrap_or(&[]));
    }

    /// The same for several.
    #[inline(always)]
    pub(crate) fn prefetch_all(&self, accesses: &[Access]) {
        accesses.iter().for_each(|access| self.prefetch(access));
    }

    /// How many entries two subgoals share whose regions part at this depth.
    #[inline(always)]
    pub(crate) fn shared(&self, head: &LabelHead, depth: u32) -> usize {
        usize::from(self.ends[(head.first_end + depth) as usize])
    }

    /// How many entries of a subgoal's row stand for hubs in another one's region or above it: the
    /// first ones, up to where a region or the row ends.
    #[inline(always)]
    pub(super) fn shared_entries(&self, number: SubgoalId, other: SubgoalId) -> usize {
        let [head, other] = [number, other].map(|number| self.head(number));
        let turns = (head.code ^ other.code).leading_zeros();
        let depth = turns.min(u32::from(head.depth)).min(u32::from(other.depth));
        self.shared(head, depth).min(head.len as usize)
    }

    /// For each region on the way down to a subgoal's own: how many entries there are above and in
    /// it.
    #[inline(always)]
    pub(crate) fn ends(&self, head: &LabelHead) -> &[u16] {
        &self.ends[head.first_end as usize..=head.first_end as usize + usize::from(head.depth)]
    }

    /// Bytes of all but the costs.
    pub(crate) fn fixed_bytes(&self) -> usize {
        self.numbers.memory_bytes() + size_of_val(&self.heads[..]) + size_of_val(&self.ends[..])
    }
}

impl LabelHead {
    #[inline(always)]
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let start = self.line as usize * LINE;
        start..start + self.len as usize
    }

    /// How many entries its row has with what fills it up.
    pub(crate) fn padded(&self) -> usize {
        (self.len as usize).next_multiple_of(LINE)
    }
}

/// What labels are filled from.
struct LabelFill<'a> {
    subgoals: &'a Subgoals,
    tree: &'a SeparatorTree,
    members: &'a [Vec<NodeId>],
    numbers: &'a [SubgoalId],
    heads: &'a [LabelHead],
}

impl LabelFill<'_> {
    /// Each edge into the row of its lower end.
    fn write_edges(&self, costs: &mut [Cost]) {
        for head in self.heads {
            let row = &mut costs[head.range()];
            self.subgoals.out_edges(head.node, |other, cost| {
                let other = &self.heads[self.numbers[other as usize] as usize];
                if other.len < head.len {
                    let entry = &mut row[other.len as usize - 1];
                    *entry = cost.min(*entry);
                }
            });
        }
    }

    /// The numbers that the entries of a region's labels stand for.
    fn chain(&self, id: RegionId) -> Vec<SubgoalId> {
        let mut regions: Vec<RegionId> = self.tree.ancestors(id).collect();
        regions.reverse();
        let members = regions.iter().flat_map(|&id| &self.members[id as usize]);
        members.map(|&node| self.numbers[node as usize]).collect()
    }

    /// Tells each subgoal's higher neighbours what the way through it costs between them.
    fn gather_upward(&self, costs: &mut [Cost], watch: &Watch<'_>) -> Result<(), BuildError> {
        let mut row = Vec::new();
        for id in (0..self.tree.len() as RegionId).rev() {
            watch.check()?;
            let chain = self.chain(id);
            for &node in self.members[id as usize].iter().rev() {
                let head = &self.heads[self.numbers[node as usize] as usize];
                row.clear();
                row.extend_from_slice(&costs[head.range()]);
                for (at, &cost) in row.iter().enumerate().skip(1) {
                    if cost != UNREACHABLE {
                        let above = self.heads[chain[at] as usize].range().start;
                        relax_row(&mut costs[above..above + at], &row[..at], cost);
                    }
                }
            }
            watch.advance(1);
        }
        Ok(())
    }

    /// Completes labels by those above, level by level.
    fn spread_downward(&self, costs: &mut [Cost], watch: &Watch<'_>) -> Result<(), BuildError> {
        for level in self.tree.levels() {
            let with_members = || level.clone().filter(|&id| !self.members[id as usize].is_empty());
            let start = |id: RegionId| self.heads[self.first(id) as usize].range().start;
            let Some(first) = with_members().next() else { continue };
            let (above, mut below) = costs.split_at_mut(start(first));
            let mut work = Vec::new();
            for id in with_members() {
                let last = self.first(id) as usize + self.members[id as usize].len() - 1;
                let end = self.heads[last].range().end.next_multiple_of(LINE);
                let (piece, rest) = below.split_at_mut(end - start(id));
                work.push((id, piece));
                below = rest;
            }
            work.into_par_iter().for_each(|(id, piece)| {
                if watch.check().is_ok() {
                    self.spread(id, above, piece);
                    watch.advance(1);
                }
            });
            watch.check()?;
        }
        Ok(())
    }

    /// The labels of a region from those above, and from those of the region's earlier members.
    fn spread(&self, id: RegionId, above: &[Cost], piece: &mut [Cost]) {
        let chain = self.chain(id);
        let first = self.first(id);
        let start = self.heads[first as usize].range().start;
        let mut row = Vec::new();
        for number in first..first + self.members[id as usize].len() as SubgoalId {
            let range = self.heads[number as usize].range();
            let (earlier, own) = piece.split_at_mut(range.start - start);
            let own = &mut own[..range.len()];
            row.clear();
            row.extend_from_slice(own);
            for (at, &cost) in row.iter().enumerate().skip(1) {
                if cost != UNREACHABLE && at + 1 < range.len() {
                    let other = self.heads[chain[at] as usize].range();
                    let other = match chain[at] < first {
                        true => &above[other],
                        false => &earlier[other.start - start..other.end - start],
                    };
                    relax_row(&mut own[..at], &other[..at], cost);
                }
            }
            own[range.len() - 1] = 0;
        }
    }

    /// The number of a region's first member.
    fn first(&self, id: RegionId) -> SubgoalId {
        self.numbers[self.members[id as usize][0] as usize]
    }
}
