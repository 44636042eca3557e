//! Labels of subgoals in a quarter of the memory: one byte per entry, and no hops.
//!
//! An entry says what the way costs above the octile distance (`codes.rs`), which follows from
//! where its two subgoals lie (`places.rs`). Costs that are too rare for a code are in a list. Rows
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

mod codes;
mod file;
mod fill;
mod follow;
mod meet;
mod places;
#[cfg(test)]
mod tests;

pub(crate) use follow::Go;

use self::codes::{Codes, Sample};
use self::fill::{Filled, Filling};
use self::places::{Part, Places};
use super::{LINE, Number, Rows};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::build::{BuildError, Progress};
use crate::cost::Cost;

/// Beside the number of the other end of an edge: straight steps come first.
const STRAIGHT_FIRST: u32 = 1 << 31;

#[derive(Debug)]
pub(crate) struct Compact {
    codes: Codes,
    places: Places,
    /// By number, and one more at last.
    stands: Vec<Stand>,
    /// The numbers at the other ends of each subgoal's edges.
    edges: Vec<u32>,
    filled: Filled,
}

/// What a query needs beside the index.
#[derive(Debug, Default)]
pub(crate) struct Space {
    /// Parts of rows, with the least that a way over each can cost.
    parts: Vec<(Cost, Part)>,
    /// On either half of a path the edges that may lead on, with their costs.
    edges: [Vec<(Cost, u32)>; 2],
}

/// What is read of a subgoal where a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stand {
    /// Where its row starts, in lines.
    line: u32,
    /// Where its edges begin.
    edges: u32,
}

/// Where rows in codes will lie, and how many rare costs there is room for.
pub(crate) struct Outline {
    pub(crate) rows: Rows,
    compact: Compact,
    rare_room: usize,
    /// Whether ways are nearly direct, so that codes suit them and octile distances rule out most
    /// of what is read.
    pub(crate) apt: bool,
}

impl Outline {
    /// Puts the members of regions into the order that this form needs. `None` where there are too
    /// many of them, or their rows are too long.
    pub(crate) fn new(
        subgoals: &Subgoals,
        dissection: &mut Dissection,
        width: u32,
    ) -> Option<Self> {
        places::put_in_order(&mut dissection.members, width);
        let (rows, mut compact) = laid_out(subgoals, dissection, width)?;
        let sample = Sample::new(subgoals, &rows, &compact.places);
        let (rare_room, apt) = (sample.rare_among(rows.entries()), sample.is_apt());
        compact.codes = sample.codes;
        u32::try_from(rare_room).ok()?;
        Some(Self { rows, compact, rare_room, apt })
    }

    /// What this form takes beside what any form does, when it is filled.
    pub(crate) fn bytes(&self) -> usize {
        let first_rare = self.rows.heads.len() + 1;
        self.compact.memory_bytes() + self.rows.entries() + 4 * (first_rare + self.rare_room)
    }

    pub(crate) fn fill(
        mut self,
        subgoals: &Subgoals,
        dissection: &Dissection,
        progress: &dyn Progress,
    ) -> Result<(Rows, Compact), BuildError> {
        let Compact { codes, places, .. } = &self.compact;
        let filling = Filling { subgoals, dissection, rows: &self.rows, places, codes };
        self.compact.filled = filling.fill(self.rare_room, progress)?;
        Ok((self.rows, self.compact))
    }
}

impl Compact {
    pub(crate) fn memory_bytes(&self) -> usize {
        let Filled { bytes, first_rare, rare } = &self.filled;
        self.codes.memory_bytes()
            + self.places.memory_bytes()
            + size_of_val(&self.stands[..])
            + size_of_val(&self.edges[..])
            + bytes.memory_bytes()
            + first_rare.memory_bytes()
            + rare.memory_bytes()
    }

    /// Whether this is what the map and the tree make of it.
    pub(crate) fn is_sound(
        &self,
        rows: &Rows,
        subgoals: &Subgoals,
        dissection: &Dissection,
        width: u32,
    ) -> bool {
        let mut ordered =
            Dissection { tree: dissection.tree.clone(), members: dissection.members.clone() };
        let outline = Outline::new(subgoals, &mut ordered, width);
        let fresh = outline.and_then(|outline| outline.fill(subgoals, &ordered, &()).ok());
        fresh.is_some_and(|(fresh_rows, fresh)| {
            fresh_rows.heads == rows.heads
                && fresh_rows.numbers == rows.numbers
                && fresh.codes == self.codes
                && fresh.filled == self.filled
        })
    }

    #[inline(always)]
    fn edges(&self, number: Number) -> Option<&[u32]> {
        let &[stand, next] = self.stands.get(number as usize..)?.first_chunk()?;
        self.edges.get(stand.edges as usize..next.edges as usize)
    }

    /// Where the row of a subgoal starts.
    #[inline(always)]
    fn start(&self, number: Number) -> Option<usize> {
        Some(self.stands.get(number as usize)?.line as usize * LINE)
    }
}

/// All that follows from the map and the tree.
fn laid_out(subgoals: &Subgoals, dissection: &Dissection, width: u32) -> Option<(Rows, Compact)> {
    let rows = Rows::laid_out(&dissection.tree, &dissection.members, subgoals)?;
    if rows.heads.len() >= STRAIGHT_FIRST as usize {
        return None;
    }
    let mut stands = Vec::with_capacity(rows.heads.len() + 1);
    let mut edges = Vec::new();
    for head in &rows.heads {
        stands.push(Stand { line: head.line, edges: u32::try_from(edges.len()).ok()? });
        edges.extend(subgoals.edges(head.node).iter().map(|edge| {
            let order = if edge.straight_first() { STRAIGHT_FIRST } else { 0 };
            rows.numbers[edge.head() as usize] | order
        }));
    }
    stands.push(Stand { line: 0, edges: u32::try_from(edges.len()).ok()? });
    edges.shrink_to_fit();
    let places = Places::new(dissection, width);
    let (codes, filled) = (Codes::new(&[]), Filled::default());
    Some((rows, Compact { codes, places, stands, edges, filled }))
}
