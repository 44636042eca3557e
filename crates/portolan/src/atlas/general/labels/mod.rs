//! Labels: one row per node of a separator, with its costs to all separator nodes above it.
//!
//! Separator nodes are ranked level by level. The entries of a row stand for the nodes of the
//! separators on the way from the root to the node's home, root first, and in the home those before
//! the node; the last entry is the node itself. So two rows agree on what an entry stands for as
//! far as their homes lie in one region.
//!
//! An entry is the length of a real way, and where a shortest way never comes above the entry's
//! node, it is that way's length. That is all a query needs: of all separator nodes on a shortest
//! path one is the highest, and the entries of both ends for it add up to the path. Of several
//! entries with the least sum, the first stands for such a highest node.
//!
//! Beside each entry there may be a *hop* (`hops.rs`). Nodes inside leaves get rows too where
//! memory allows.

pub(crate) mod gates;
pub(crate) mod hops;
pub(crate) mod join;

use std::sync::Arc;

use rayon::prelude::*;

use self::hops::{Exits, Hops};
use super::index::{GeneralIndex, on_core};
use super::path_cache::Ready;
use super::path_cache::strips::Strips;
use super::tables::frame::Frame;
use super::tables::region::{Both, Place, Places, Region, Way};
use crate::atlas::separator_tree::{NONE, RegionId, Tree};
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::BuildError;
use crate::kernel::relax_row;
use crate::progress::{Progress, Watch};
use crate::store::Words;

/// Rows start at multiples of this, a cache line.
const LINE: usize = 16;

/// The number of a row: of separator nodes first, then of nodes inside leaves.
pub(crate) type Rank = u32;

/// Where the rows lie; follows from the members of the regions alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// By region the rank of its first member; [`NONE`] for leaves whose nodes have no rows.
    first_rank: Vec<Rank>,
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
    pub(crate) fn new(tree: &Tree, regions: &[Arc<Region>], inside: bool) -> Self {
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
            if inside && tree.is_leaf(id) {
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
        place: Place,
        rank: Rank,
        entries: usize,
    ) -> std::ops::Range<usize> {
        match self.leaf_lines.get(place.home as usize) {
            Some(&[line, lines]) if lines > 0 => {
                let start = (line + lines * place.slot) as usize * LINE;
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
    pub(crate) fn has_inside(&self) -> bool {
        self.rows.len() > self.separators
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

    fn memory_bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
            + 4 * (3 * self.first_rank.len() + self.first_end.len() + self.ends.len())
    }

    /// Cuts an array over all entries into the pieces of these regions, which follow one another.
    pub(crate) fn pieces<'a, T>(
        &self,
        mut array: &'a mut [T],
        regions: impl Iterator<Item = (RegionId, usize)>,
    ) -> Vec<&'a mut [T]> {
        let mut pieces = Vec::new();
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
            let (piece, rest) = array.split_at_mut(len);
            pieces.push(piece);
            array = rest;
        }
        pieces
    }
}

#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) layout: Layout,
    pub(crate) costs: Both<Words>,
    pub(crate) hops: Hops,
    pub(crate) strips: Option<Strips>,
    /// All that lies ready to be copied where the core leaves nodes out, instead of strips.
    pub(crate) ready: Option<Ready>,
}

impl Labels {
    /// The rows of all separator nodes, and of all nodes if `inside`, with their hops; with strips,
    /// and with all that can lie ready, if they take no more than so many bytes. An error only
    /// where the work is cancelled.
    pub(crate) fn build(
        index: &GeneralIndex,
        inside: bool,
        strips_limit: u64,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let GeneralIndex { tree, places, regions, .. } = index;
        let layout = Layout::new(tree, regions, inside);
        let ways = if index.undirected() { 1 } else { 2 };
        let watch = Watch::new(progress, "labels", ways * regions.len());
        let costs = Both::make(index.undirected(), |way| {
            let filling = Filling { layout: &layout, tree, places, regions, way, watch: &watch };
            Words::filled(layout.entries(), UNREACHABLE, |costs| filling.fill(costs))
        });
        watch.check()?;
        let hops = on_core!(&index.core, graph => {
            Hops::build(&Frame { graph, tree, places }, regions, &layout, &costs)
        });
        Watch::new(progress, "strips", 1).check()?;
        let strips = Strips::build(index, &layout, &hops, strips_limit);
        let ready = strips
            .as_ref()
            .and_then(|strips| Ready::build(index, &layout, &costs, &hops, strips, strips_limit));
        let strips = strips.filter(|_| ready.is_none());
        Ok(Self { layout, costs, hops, strips, ready })
    }

    /// Whether ways across leaves lie ready to be copied.
    pub(crate) fn has_strips(&self) -> bool {
        self.strips.is_some() || self.ready.is_some()
    }

    /// The costs of a row.
    #[inline(always)]
    pub(crate) fn row(&self, way: Way, rank: Rank) -> &[Cost] {
        &self.costs.way(way)[self.layout.range(rank)]
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.layout.memory_bytes() + self.costs.memory_bytes();
        rows + self.hops.memory_bytes() + self.copied_bytes()
    }

    /// The bytes of ways that lie ready to be copied.
    pub(crate) fn copied_bytes(&self) -> usize {
        let ready = self.ready.as_ref().map_or(0, Ready::memory_bytes);
        ready + self.strips.as_ref().map_or(0, Strips::memory_bytes)
    }

    /// The bytes that rows, hops and exits will take.
    pub(crate) fn planned_bytes(index: &GeneralIndex, layout: &Layout) -> usize {
        let GeneralIndex { core, places, regions, .. } = index;
        let ways = if index.undirected() { 1 } else { 2 };
        let rows = 4 * layout.entries() + 2 * layout.separator_entries();
        let exits = on_core!(core, graph => Exits::planned_bytes(graph, places, regions, layout));
        layout.memory_bytes() + ways * rows + exits
    }
}

/// What the rows of one way are filled from.
struct Filling<'a> {
    layout: &'a Layout,
    tree: &'a Tree,
    places: &'a Places,
    regions: &'a [Arc<Region>],
    way: Way,
    watch: &'a Watch<'a>,
}

impl Filling<'_> {
    /// From the root down, the regions of a level side by side: rows are made of those of higher
    /// levels.
    fn fill(&self, costs: &mut [Cost]) {
        for level in self.tree.levels() {
            let branches = || level.clone().filter(|&id| !self.tree.is_leaf(id));
            let first = branches().find(|&id| self.members(id) > 0);
            let Some(first) = first.and_then(|id| self.layout.rank(id, 0)) else { continue };
            let (above, below) = costs.split_at_mut(self.layout.range(first).start);
            let sizes = branches().map(|id| (id, self.members(id)));
            let pieces = self.layout.pieces(below, sizes);
            let work: Vec<_> = branches().zip(pieces).collect();
            work.into_par_iter().for_each(|(id, piece)| self.fill_branch(id, above, piece));
        }
        let (separators, inside) = costs.split_at_mut(self.layout.separator_entries());
        if !inside.is_empty() {
            let leaves = || (0..self.tree.len() as RegionId).filter(|&id| self.tree.is_leaf(id));
            let sizes = leaves().map(|id| (id, self.members(id)));
            let work: Vec<_> = leaves().zip(self.layout.pieces(inside, sizes)).collect();
            work.into_par_iter().for_each(|(id, piece)| self.fill_leaf(id, separators, piece));
        }
    }

    fn members(&self, id: RegionId) -> usize {
        self.regions[id as usize].members.len()
    }

    /// Whether to go on with one more region.
    fn goes_on(&self) -> bool {
        self.watch.advance(1);
        self.watch.check().is_ok()
    }

    fn fill_branch(&self, id: RegionId, above: &[Cost], piece: &mut [Cost]) {
        let region = &self.regions[id as usize];
        let Some(branch) = region.branch().filter(|_| self.goes_on()) else { return };
        let wide = region.members.len();
        // From a separator node to a border node: the column of the one in the row of the other.
        let back = match self.way {
            Way::Out => branch.via.way(Way::Into),
            Way::Into => branch.via.way(Way::Out),
        };
        let own = branch.via.way(self.way);
        for slot in 0..wide {
            let row = self.row_in(piece, id, slot);
            let own_start = row.len() - slot - 1;
            row[own_start..].copy_from_slice(&own[slot * wide..][..=slot]);
            let costs = (0..).map(|at: usize| back[(wide + at) * wide + slot]);
            self.relax_borders(region, costs, above, row);
        }
    }

    fn fill_leaf(&self, id: RegionId, separators: &[Cost], piece: &mut [Cost]) {
        let region = &self.regions[id as usize];
        let Some(leaf) = region.leaf().filter(|_| self.goes_on()) else { return };
        let border = region.border.len();
        let reach = leaf.reach.way(self.way);
        for slot in 0..region.members.len() {
            let costs = reach[slot * border..][..border].iter().copied();
            let row = self.row_in(piece, id, slot);
            self.relax_borders(region, costs, separators, row);
        }
    }

    fn row_in<'a>(&self, piece: &'a mut [Cost], id: RegionId, slot: usize) -> &'a mut [Cost] {
        let first = self.layout.first_rank[id as usize];
        let start = self.layout.range(first).start;
        let range = self.layout.range(first + slot as u32);
        &mut piece[range.start - start..range.end - start]
    }

    /// Lowers a row to what leads through the region's border nodes, each at its cost.
    fn relax_borders(
        &self,
        region: &Region,
        costs: impl Iterator<Item = Cost>,
        above: &[Cost],
        row: &mut [Cost],
    ) {
        for (&node, cost) in region.border.iter().zip(costs) {
            let place = self.places.of(node);
            let rank = self.layout.rank(place.home, place.slot).filter(|_| cost != UNREACHABLE);
            if let Some(rank) = rank {
                relax_row(row, &above[self.layout.range(rank)], cost);
            }
        }
    }
}
