//! The layout of label rows in memory. It follows from the members of the regions.

use std::sync::Arc;

use crate::atlas::general::tables::homes::Home;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::{NO_REGION, RegionId, SeparatorTree};

/// Entries in a cache line. Rows start at multiples of it.
const LINE: usize = 16;

/// The number of a label row. Separator nodes come first, then the members of leaves.
pub(crate) type Rank = u32;

/// No row.
pub(crate) const NO_RANK: Rank = Rank::MAX;

/// The nodes that have labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelScope {
    SeparatorNodes,
    AllNodes,
}

/// The positions of all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The rank of the first member by region; [`NO_RANK`] for leaves without rows.
    pub(super) first_rank: Vec<Rank>,
    /// For each rank the first line of the row and the number of its entries.
    rows: Vec<[u32; 2]>,
    /// First position in `ends` by region.
    first_end: Vec<u32>,
    /// For each region on the path from the root to this one: the number of separator nodes in it
    /// and above.
    ends: Vec<u32>,
    /// For each leaf with rows: the first line, and the number of entries of each row.
    leaf_rows: Vec<[u32; 2]>,
    /// Number of ranks of separator nodes.
    separators: usize,
    lines: usize,
}

impl Layout {
    pub(crate) fn new(tree: &SeparatorTree, regions: &[Arc<Region>], scope: LabelScope) -> Self {
        let mut layout = Self {
            first_rank: vec![NO_RANK; regions.len()],
            rows: Vec::new(),
            first_end: Vec::with_capacity(regions.len()),
            ends: Vec::new(),
            leaf_rows: vec![[0; 2]; regions.len()],
            separators: 0,
            lines: 0,
        };
        for (id, region) in (0..).zip(regions) {
            layout.first_end.push(layout.ends.len() as u32);
            let parent = tree.node(id).parent;
            if parent != NO_REGION {
                let start = layout.first_end[parent as usize] as usize;
                let depth = tree.node(parent).depth as usize;
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
                layout.leaf_rows[id as usize] = [layout.lines, above].map(|n| n as u32);
                layout.add_rows(id, region.members.iter().map(|_| above));
            }
        }
        layout
    }

    /// The number of separator nodes above a region.
    fn above(&self, id: RegionId, tree: &SeparatorTree) -> usize {
        let depth = tree.node(id).depth as usize;
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

    /// The rank of a member; `None` if it has no row.
    #[inline(always)]
    pub(crate) fn rank(&self, home: RegionId, slot: u32) -> Option<Rank> {
        let first = *self.first_rank.get(home as usize)?;
        (first != NO_RANK).then(|| first + slot)
    }

    /// The positions of the entries of a row.
    #[inline(always)]
    pub(crate) fn range(&self, rank: Rank) -> std::ops::Range<usize> {
        let [line, len] = self.rows[rank as usize];
        let start = line as usize * LINE;
        start..start + len as usize
    }

    /// The positions of the entries of a member's row. For leaves this does not read `rows`.
    #[inline(always)]
    pub(crate) fn range_of(&self, home: Home, rank: Rank) -> std::ops::Range<usize> {
        match self.leaf_rows.get(home.region as usize) {
            Some(&[line, len]) if len > 0 => {
                let start = (line + len.div_ceil(LINE as u32) * home.slot) as usize * LINE;
                start..start + len as usize
            }
            _ => self.range(rank),
        }
    }

    /// Whether the entry is the row's last one, whose hub is the row's own node, and its position.
    #[inline(always)]
    pub(crate) fn entry(&self, rank: Rank, entry: usize) -> Option<(bool, usize)> {
        let &[line, len] = self.rows.get(rank as usize)?;
        Some((entry + 1 == len as usize, line as usize * LINE + entry))
    }

    /// The number of entries that two regions share if their lowest common ancestor has this depth.
    #[inline(always)]
    pub(crate) fn shared(&self, region: RegionId, depth: u32) -> usize {
        self.ends[(self.first_end[region as usize] + depth) as usize] as usize
    }

    /// Whether the members of leaves have rows.
    pub(crate) fn covers_leaves(&self) -> bool {
        self.rows.len() > self.separators
    }

    pub(crate) fn scope(&self) -> LabelScope {
        if self.covers_leaves() { LabelScope::AllNodes } else { LabelScope::SeparatorNodes }
    }

    pub(crate) fn separators(&self) -> usize {
        self.separators
    }

    /// Number of entries in all rows, padding included.
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

    /// Splits an array over all entries into the parts of consecutive regions.
    pub(crate) fn split<'a, T>(
        &self,
        mut array: &'a mut [T],
        regions: impl Iterator<Item = (RegionId, usize)>,
    ) -> Vec<&'a mut [T]> {
        let mut split = Vec::new();
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
            let (part, rest) = array.split_at_mut(len);
            split.push(part);
            array = rest;
        }
        split
    }
}
