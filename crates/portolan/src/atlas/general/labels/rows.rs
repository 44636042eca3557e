//! Computing label rows from the root down.
//!
//! A row is the minimum over the border nodes of its region: the cost to the border node plus the
//! row of the border node, which is on a higher level.

use std::sync::Arc;

use rayon::prelude::*;

use super::layout::Layout;
use crate::atlas::general::tables::homes::NodeHomes;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::{RegionId, SeparatorTree};
use crate::build::Watch;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Direction;
use crate::kernel::relax_row;

/// The input for the rows of one direction.
pub(super) struct RowFiller<'a> {
    pub(super) layout: &'a Layout,
    pub(super) tree: &'a SeparatorTree,
    pub(super) homes: &'a NodeHomes,
    pub(super) regions: &'a [Arc<Region>],
    pub(super) direction: Direction,
    pub(super) watch: &'a Watch<'a>,
}

impl RowFiller<'_> {
    /// Fills all rows, level by level from the root, the regions of a level in parallel.
    pub(super) fn fill(&self, costs: &mut [Cost]) {
        for level in self.tree.levels() {
            let branches = || level.clone().filter(|&id| !self.tree.is_leaf(id));
            let first = branches().find(|&id| self.members(id) > 0);
            let Some(first) = first.and_then(|id| self.layout.rank(id, 0)) else { continue };
            let (above, below) = costs.split_at_mut(self.layout.range(first).start);
            let sizes = branches().map(|id| (id, self.members(id)));
            let parts = self.layout.split(below, sizes);
            let work: Vec<_> = branches().zip(parts).collect();
            work.into_par_iter().for_each(|(id, part)| self.fill_branch(id, above, part));
        }
        let (separators, inside) = costs.split_at_mut(self.layout.separator_entries());
        if !inside.is_empty() {
            let leaves = || (0..self.tree.len() as RegionId).filter(|&id| self.tree.is_leaf(id));
            let sizes = leaves().map(|id| (id, self.members(id)));
            let work: Vec<_> = leaves().zip(self.layout.split(inside, sizes)).collect();
            work.into_par_iter().for_each(|(id, part)| self.fill_leaf(id, separators, part));
        }
    }

    fn members(&self, id: RegionId) -> usize {
        self.regions[id as usize].members.len()
    }

    /// Reports progress; false if the build is cancelled.
    fn continues(&self) -> bool {
        self.watch.advance(1);
        self.watch.check().is_ok()
    }

    fn fill_branch(&self, id: RegionId, above: &[Cost], part: &mut [Cost]) {
        let region = &self.regions[id as usize];
        let Some(branch) = region.branch().filter(|_| self.continues()) else { return };
        let width = region.members.len();
        // The costs from separator nodes to border nodes, stored by border node.
        let back = branch.via.against(self.direction);
        let own = branch.via.of(self.direction);
        for slot in 0..width {
            let row = self.row_in(part, id, slot);
            let own_start = row.len() - slot - 1;
            row[own_start..].copy_from_slice(&own[slot * width..][..=slot]);
            let costs = (0..).map(|at: usize| back[(width + at) * width + slot]);
            self.relax_borders(region, costs, above, row);
        }
    }

    fn fill_leaf(&self, id: RegionId, separators: &[Cost], part: &mut [Cost]) {
        let region = &self.regions[id as usize];
        let Some(leaf) = region.leaf().filter(|_| self.continues()) else { return };
        let border = region.border.len();
        let reach = leaf.reach.of(self.direction);
        for slot in 0..region.members.len() {
            let costs = reach[slot * border..][..border].iter().copied();
            let row = self.row_in(part, id, slot);
            self.relax_borders(region, costs, separators, row);
        }
    }

    fn row_in<'a>(&self, part: &'a mut [Cost], id: RegionId, slot: usize) -> &'a mut [Cost] {
        let first = self.layout.first_rank[id as usize];
        let start = self.layout.range(first).start;
        let range = self.layout.range(first + slot as u32);
        &mut part[range.start - start..range.end - start]
    }

    /// Takes the minimum of a row and the rows of the border nodes, each plus its cost.
    fn relax_borders(
        &self,
        region: &Region,
        costs: impl Iterator<Item = Cost>,
        above: &[Cost],
        row: &mut [Cost],
    ) {
        for (&node, cost) in region.border.iter().zip(costs) {
            let home = self.homes.of(node);
            let rank = self.layout.rank(home.region, home.slot).filter(|_| cost != UNREACHABLE);
            if let Some(rank) = rank {
                relax_row(row, &above[self.layout.range(rank)], cost);
            }
        }
    }
}
