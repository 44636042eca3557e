//! Labels of subgoals in a quarter of the memory: one byte per entry, and no hops.
//!
//! An entry says what the way costs above the octile distance (`codes.rs`), which follows from
//! where its two subgoals lie (`positions.rs`). Costs that are too rare for a code are in a list. HubLabels
//! are never there as plain costs, not even while they are filled (`fill.rs`). A query looks at the
//! parts of rows that are near enough (`meet.rs`), and finds each edge of a path by what is left
//! behind it (`follow.rs`).
//!
//! What the rows take follows from counts and from the few distances that the book of codes is made
//! from. Should there be more rare costs than was planned for, entries are unknown, and a query for
//! which one might matter is told so and searches.
//!
//! Invariants: the same as with plain rows, but an entry may be missing where a way as short leads
//! over a higher subgoal; numbers of a region's members follow its longer side.

mod codebook;
mod file;
mod fill;
mod follow;
mod join;
mod positions;
#[cfg(test)]
mod tests;

pub(crate) use follow::VisitLegs;

use self::codebook::{Codebook, SurplusSample};
use self::fill::{CompactFill, EncodedLabels};
use self::positions::{EntryRange, HubPositions};
use super::{HubLabels, LINE, SubgoalId};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::build::{BuildError, Progress};
use crate::cost::Cost;

/// Beside the number of the other end of an edge: straight steps come first.
const STRAIGHT_FIRST: u32 = 1 << 31;

#[derive(Debug)]
pub(crate) struct CompactLabels {
    codebook: Codebook,
    positions: HubPositions,
    /// By number, and one more at last.
    starts: Vec<LabelStart>,
    /// The numbers at the other ends of each subgoal's edges.
    edges: Vec<u32>,
    filled: EncodedLabels,
}

/// What a query needs beside the index.
#[derive(Debug, Default)]
pub(crate) struct CompactScratch {
    /// Parts of labels, with the least that a way over each can cost.
    parts: Vec<(Cost, EntryRange)>,
    /// On either half of a path the edges that may lead on, with their costs.
    edges: [Vec<(Cost, u32)>; 2],
}

/// What is read of a subgoal where a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LabelStart {
    /// Where its row starts, in lines.
    line: u32,
    /// Where its edges begin.
    edges: u32,
}

/// Where labels in codes will lie, and how many rare costs there is room for.
pub(crate) struct CompactOutline {
    pub(crate) labels: HubLabels,
    compact: CompactLabels,
    rare_room: usize,
    /// Whether ways are nearly direct, so that codes suit them and octile distances rule out most
    /// of what is read.
    pub(crate) pays_off: bool,
}

impl CompactOutline {
    /// Puts the members of regions into the order that this form needs. `None` where there are too
    /// many of them, or their labels are too long.
    pub(crate) fn new(
        subgoals: &Subgoals,
        dissection: &mut Dissection,
        width: u32,
    ) -> Option<Self> {
        positions::put_in_order(&mut dissection.members, width);
        let (labels, mut compact) = with_layout(subgoals, dissection, width)?;
        let sample = SurplusSample::new(subgoals, &labels, &compact.positions);
        let (rare_room, pays_off) = (sample.rare_among(labels.entries()), sample.pays_off());
        compact.codebook = sample.codebook;
        u32::try_from(rare_room).ok()?;
        Some(Self { labels, compact, rare_room, pays_off })
    }

    /// What this form takes beside what any form does, when it is filled.
    pub(crate) fn bytes(&self) -> usize {
        let first_rare = self.labels.heads.len() + 1;
        self.compact.memory_bytes() + self.labels.entries() + 4 * (first_rare + self.rare_room)
    }

    pub(crate) fn fill(
        mut self,
        subgoals: &Subgoals,
        dissection: &Dissection,
        progress: &dyn Progress,
    ) -> Result<(HubLabels, CompactLabels), BuildError> {
        let CompactLabels { codebook, positions, .. } = &self.compact;
        let filling =
            CompactFill { subgoals, dissection, labels: &self.labels, positions, codebook };
        self.compact.filled = filling.fill(self.rare_room, progress)?;
        Ok((self.labels, self.compact))
    }
}

impl CompactLabels {
    pub(crate) fn memory_bytes(&self) -> usize {
        let EncodedLabels { bytes, first_rare, rare } = &self.filled;
        self.codebook.memory_bytes()
            + self.positions.memory_bytes()
            + size_of_val(&self.starts[..])
            + size_of_val(&self.edges[..])
            + bytes.memory_bytes()
            + first_rare.memory_bytes()
            + rare.memory_bytes()
    }

    /// Whether this is what the map and the tree make of it.
    pub(crate) fn is_valid(
        &self,
        labels: &HubLabels,
        subgoals: &Subgoals,
        dissection: &Dissection,
        width: u32,
    ) -> bool {
        let mut ordered =
            Dissection { tree: dissection.tree.clone(), members: dissection.members.clone() };
        let outline = CompactOutline::new(subgoals, &mut ordered, width);
        let fresh = outline.and_then(|outline| outline.fill(subgoals, &ordered, &()).ok());
        fresh.is_some_and(|(fresh_labels, fresh)| {
            fresh_labels.heads == labels.heads
                && fresh_labels.numbers == labels.numbers
                && fresh.codebook == self.codebook
                && fresh.filled == self.filled
        })
    }

    #[inline(always)]
    fn edges(&self, number: SubgoalId) -> Option<&[u32]> {
        let &[start, next] = self.starts.get(number as usize..)?.first_chunk()?;
        self.edges.get(start.edges as usize..next.edges as usize)
    }

    /// Where the row of a subgoal starts.
    #[inline(always)]
    fn start(&self, number: SubgoalId) -> Option<usize> {
        Some(self.starts.get(number as usize)?.line as usize * LINE)
    }
}

/// All that follows from the map and the tree.
fn with_layout(
    subgoals: &Subgoals,
    dissection: &Dissection,
    width: u32,
) -> Option<(HubLabels, CompactLabels)> {
    let labels = HubLabels::with_layout(&dissection.tree, &dissection.members, subgoals)?;
    if labels.heads.len() >= STRAIGHT_FIRST as usize {
        return None;
    }
    let mut starts = Vec::with_capacity(labels.heads.len() + 1);
    let mut edges = Vec::new();
    for head in &labels.heads {
        starts.push(LabelStart { line: head.line, edges: u32::try_from(edges.len()).ok()? });
        edges.extend(subgoals.edges(head.node).iter().map(|edge| {
            let order = if edge.straight_first() { STRAIGHT_FIRST } else { 0 };
            labels.numbers[edge.head() as usize] | order
        }));
    }
    starts.push(LabelStart { line: 0, edges: u32::try_from(edges.len()).ok()? });
    edges.shrink_to_fit();
    let positions = HubPositions::new(dissection, width);
    let (codebook, filled) = (Codebook::new(&[]), EncodedLabels::default());
    Some((labels, CompactLabels { codebook, positions, starts, edges, filled }))
}
