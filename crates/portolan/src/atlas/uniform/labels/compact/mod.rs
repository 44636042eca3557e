//! Hub labels in a quarter of the memory: one byte per entry, and no hops.
//!
//! An entry encodes the surplus of the cost over the octile distance (`codebook.rs`). The octile
//! distance follows from the positions of the two subgoals (`positions.rs`). Costs too rare for a
//! code are in a list. Labels never exist as plain costs, not even during the build (`fill.rs`). A
//! query reads the ranges of labels that are near enough (`join.rs`), and finds each edge of a path
//! by the remaining cost after it (`follow.rs`).
//!
//! The size of the labels is estimated before they are filled, from counts and from the sampled
//! distances for the codebook. If there are more rare costs than estimated, entries are unknown. A
//! query for which one might matter returns [`join::UnknownEntry`], and a search answers instead.
//!
//! Invariants: those of plain labels, except that an entry may be missing if an equally short path
//! goes over a higher subgoal. Members of a region are numbered along its longer side.

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

/// Flag in the head of an edge: straight steps come first.
const STRAIGHT_FIRST: u32 = 1 << 31;

#[derive(Debug)]
pub(crate) struct CompactLabels {
    codebook: Codebook,
    positions: HubPositions,
    /// By subgoal, and a final entry for the end.
    starts: Vec<LabelStart>,
    /// The heads of each subgoal's edges.
    edges: Vec<u32>,
    filled: EncodedLabels,
}

/// Query scratch for compact labels.
#[derive(Debug, Default)]
pub(crate) struct CompactScratch {
    /// Ranges of entries, with a lower bound on paths over each.
    ranges: Vec<(Cost, EntryRange)>,
    /// For both halves of a path, the edges that may be next, with their costs.
    edges: [Vec<(Cost, u32)>; 2],
}

/// The data of a subgoal that following a path reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LabelStart {
    /// The start of its label in units of [`LINE`].
    line: u32,
    /// The start of its edges.
    edges: u32,
}

/// The layout of compact labels, with the space reserved for rare costs.
pub(crate) struct CompactOutline {
    pub(crate) labels: HubLabels,
    compact: CompactLabels,
    rare_capacity: usize,
    /// Whether paths are nearly direct, so that most entries have codes and octile distances rule
    /// out most of what a query would read.
    pub(crate) pays_off: bool,
}

impl CompactOutline {
    /// Sorts the members of regions as this form requires. `None` if there are too many, or their
    /// labels are too long.
    pub(crate) fn new(
        subgoals: &Subgoals,
        dissection: &mut Dissection,
        width: u32,
    ) -> Option<Self> {
        positions::sort_members(&mut dissection.members, width);
        let (labels, mut compact) = with_layout(subgoals, dissection, width)?;
        let sample = SurplusSample::new(subgoals, &labels, &compact.positions);
        let (rare_capacity, pays_off) = (sample.rare_among(labels.entries()), sample.pays_off());
        compact.codebook = sample.codebook;
        u32::try_from(rare_capacity).ok()?;
        Some(Self { labels, compact, rare_capacity, pays_off })
    }

    /// The memory that this form needs in addition to what every form needs.
    pub(crate) fn bytes(&self) -> usize {
        let first_rare = self.labels.heads.len() + 1;
        self.compact.memory_bytes() + self.labels.entries() + 4 * (first_rare + self.rare_capacity)
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
        self.compact.filled = filling.fill(self.rare_capacity, progress)?;
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

    /// Whether the map and the tree give exactly these labels.
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

    /// The start of the label of a subgoal.
    #[inline(always)]
    fn start(&self, number: SubgoalId) -> Option<usize> {
        Some(self.starts.get(number as usize)?.line as usize * LINE)
    }
}

/// Everything that follows from the map and the tree.
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
            labels.numbers.of(edge.head()) | order
        }));
    }
    starts.push(LabelStart { line: 0, edges: u32::try_from(edges.len()).ok()? });
    edges.shrink_to_fit();
    let positions = HubPositions::new(dissection, width);
    let (codebook, filled) = (Codebook::new(&[]), EncodedLabels::default());
    Some((labels, CompactLabels { codebook, positions, starts, edges, filled }))
}
