//! Layout.

use crate::atlas::general::tables::homes::Home;
use crate::atlas::general::tables::region::Region;
use std::sync::Arc;

use crate::atlas::separator_tree::{NONE, RegionId, Tree};

/// Rows start at multiples of this, a cache line.
const LINE: usize = 16;

/// The number of a row: of separator nodes first, then of nodes inside leaves.
pub(crate) type Rank = u32;

/// The nodes that have labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelScope {
    SeparatorNodes,
    AllNodes,
}

/// Where the rows lie; follows from the members of the regions alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// By region the rank of its first member; [`NONE`] for leaves whose nodes have no rows.
    pub(super) first_rank: Vec<Rank>,
    /// By rank where the row starts, in lines, and how many entries it has.
    rows: Vec<[u32; 2]>,
    /// By region where its list in `ends` begins.
    first_end: Vec<u32>,
    /// For each region on the way from the root down to this one: how many separator nodes there
    /// are above and in it.
    ends: Vec<u32>,
    /// By region, of a leaf whose nodes have rows the line where the first begins and how many
    /// lines each takes.
    leaf_lines: Vec<[u32; 2]>,
    /// How many ranks separators have.
    separators: usize,
    lines: usize,
}

impl Layout {
    pub(crate) fn new(tree: &Tree, regions: &[Arc<Region>], scope: LabelScope) -> Self {
        let mut layout = Self {
            first_rank: vec![NONE; regions.len()],
            rows: Vec::new(),
            first_end: Vec::with_capacity(regions.len()),
            ends: Vec::new(),
            leaf_lines: vec![[0; 2]; regions.len()],
            separators: 0,
            lines: 0,
        };
        for (id, region) in (0..).zip(regions) {
            layout.first_end.push(layout.ends.len() as u32);
            let parent = tree.link(id).parent;
            if parent != NONE {
                let start = layout.first_end[parent as usize] as usize;
                let depth = tree.link(parent).depth as usize;
                layout.ends.extend_from_within(start..=start + depth);
            }
            let above = layout.above(id, tree);
            let own = if tree.is_leaf(id) { 0 } else { region.members.len() };
            layout.ends.push((above + own) as u32);
            if own > 0 {
                layout.add_rows(id, (1..=own).map(|slot| above + slot));
            }
        }
        layout.separators = layout.rows.len();
        for (id, region) in (0..).zip(regions) {
            if scope == LabelScope::AllNodes && tree.is_leaf(id) {
                let above = layout.above(id, tree);
                layout.leaf_lines[id as usize] =
                    [layout.lines, above.div_ceil(LINE)].map(|n| n as u32);
                layout.add_rows(id, region.members.iter().map(|_| above));
            }
        }
        layout
    }

    /// How many separator nodes there are above a region.
    fn above(&self, id: RegionId, tree: &Tree) -> usize {
        let depth = tree.link(id).depth as usize;
        match depth.checked_sub(1) {
            Some(depth) => self.ends[self.first_end[id as usize] as usize + depth] as usize,
            None => 0,
        }
    }

    fn add_rows(&mut self, id: RegionId, lens: impl Iterator<Item = usize>) {
        self.first_rank[id as usize] = self.rows.len() as Rank;
        for len in lens {
            self.rows.push([self.lines as u32, len as u32]);
            self.lines += len.div_ceil(LINE);
        }
    }

    /// The rank of a member; `None` where it has no row.
    #[inline(always)]
    pub(crate) fn rank(&self, home: RegionId, slot: u32) -> Option<Rank> {
        let first = *self.first_rank.get(home as usize)?;
        (first != NONE).then(|| first + slot)
    }

    /// Where the entries of a row lie.
    #[inline(always)]
    pub(crate) fn range(&self, rank: Rank) -> std::ops::Range<usize> {
        let [line, len] = self.rows[rank as usize];
        let start = line as usize * LINE;
        start..start + len as usize
    }

    /// Where the first entries of a member's row lie that has so many: without a look at the row
    /// where the member lies in a leaf.
    #[inline(always)]
    pub(crate) fn first_of(
        &self,
        home: Home,
        rank: Rank,
        entries: usize,
    ) -> std::ops::Range<usize> {
        match self.leaf_lines.get(home.region as usize) {
            Some(&[line, lines]) if lines > 0 => {
                let start = (line + lines * home.slot) as usize * LINE;
                start..start + entries.min(lines as usize * LINE)
            }
            _ => {
                let range = self.range(rank);
                range.start..range.end.min(range.start + entries)
            }
        }
    }

    /// Whether an entry is that of the row's own node, and where it lies.
    #[inline(always)]
    pub(crate) fn entry(&self, rank: Rank, entry: usize) -> Option<(bool, usize)> {
        let &[line, len] = self.rows.get(rank as usize)?;
        Some((entry + 1 == len as usize, line as usize * LINE + entry))
    }

    /// How many entries two regions share that part at this depth.
    #[inline(always)]
    pub(crate) fn shared(&self, region: RegionId, depth: u32) -> usize {
        self.ends[(self.first_end[region as usize] + depth) as usize] as usize
    }

    /// Whether nodes inside leaves have rows.
    pub(crate) fn covers_leaves(&self) -> bool {
        self.rows.len() > self.separators
    }

    pub(crate) fn scope(&self) -> LabelScope {
        if self.covers_leaves() { LabelScope::AllNodes } else { LabelScope::SeparatorNodes }
    }

    pub(crate) fn separators(&self) -> usize {
        self.separators
    }

    /// Entries of all rows, or of separators' rows only, padding included.
    pub(crate) fn entries(&self) -> usize {
        self.lines * LINE
    }

    pub(crate) fn separator_entries(&self) -> usize {
        self.rows.get(self.separators).map_or(self.entries(), |row| row[0] as usize * LINE)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
            + 4 * (3 * self.first_rank.len() + self.first_end.len() + self.ends.len())
    }

    /// Cuts an array over all entries into the pieces of these regions, which follow one another.
    pub(crate) fn spans<'a, T>(
        &self,
        mut array: &'a mut [T],
        regions: impl Iterator<Item = (RegionId, usize)>,
    ) -> Vec<&'a mut [T]> {
        let mut spans = Vec::new();
        for (id, members) in regions {
            let first = self.first_rank[id as usize];
            let len = match members {
                0 => 0,
                _ => {
                    let start = self.rows[first as usize][0] as usize;
                    let end = self.rows.get(first as usize + members);
                    (end.map_or(self.lines, |row| row[0] as usize) - start) * LINE
                }
            };
            let (span, rest) = array.split_at_mut(len);
            spans.push(span);
            array = rest;
        }
        spans
    }
}
