//! First border nodes: for each label entry of a leaf member, the border node through which the
//! path to the hub leaves the leaf.
//!
//! Without them a query finds that border node by comparing sums over all border nodes.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::labels::exits::Exits;
use crate::atlas::general::labels::layout::Layout;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::RegionId;
use crate::cost::Cost;
use crate::graph::Direction;
use crate::kernel::mark_sums;
use crate::store::{Array, Words};

/// No border node is stored.
const NO_BORDER: u8 = u8::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstBorders {
    /// The position in the border of the leaf, for each entry after those of separator nodes.
    pub(crate) positions: PerDirection<Array<u8>>,
    /// Number of entries of separator nodes.
    separators: usize,
}

impl FirstBorders {
    pub(crate) fn build(
        regions: &[Arc<Region>],
        layout: &Layout,
        exits: &Exits,
        costs: &PerDirection<Words>,
    ) -> Self {
        let separators = layout.separator_entries();
        let undirected = costs.backward.is_none();
        let positions = PerDirection::make(undirected, |direction| {
            let costs = &**costs.of(direction);
            Array::filled(layout.entries() - separators, NO_BORDER, |positions| {
                if !layout.covers_leaves() {
                    return;
                }
                let has_rows =
                    |region: &Region| region.leaf().is_some() && !region.members.is_empty();
                let leaves = || (0..).zip(regions).filter(|(_, region)| has_rows(region));
                let sizes = leaves().map(|(id, region)| (id, region.members.len()));
                let work: Vec<_> = leaves().zip(layout.split(positions, sizes)).collect();
                work.into_par_iter().for_each(|((id, region), part)| {
                    fill(region, id, layout, exits, (direction, costs), part);
                });
            })
        });
        Self { positions, separators }
    }

    /// Predicts [`memory_bytes`](Self::memory_bytes).
    pub(crate) fn planned_bytes(index: &GeneralIndex, layout: &Layout) -> usize {
        let directions = if index.undirected() { 1 } else { 2 };
        directions * (layout.entries() - layout.separator_entries())
    }

    /// Wraps stored positions; `None` if their number is wrong.
    pub(crate) fn from_arrays(layout: &Layout, positions: PerDirection<Array<u8>>) -> Option<Self> {
        let separators = layout.separator_entries();
        let fit = positions.each().all(|list| list.len() == layout.entries() - separators);
        fit.then_some(Self { positions, separators })
    }

    /// The positions beside these entries, which must belong to leaf members.
    #[inline(always)]
    pub(crate) fn range(&self, direction: Direction, entries: Range<usize>) -> &[u8] {
        let start = entries.start.wrapping_sub(self.separators);
        let end = entries.end.wrapping_sub(self.separators);
        self.positions.of(direction).get(start..end).unwrap_or_default()
    }

    /// The position beside one entry of a leaf member's row, if it is stored.
    pub(crate) fn first_border(
        &self,
        direction: Direction,
        entries: Range<usize>,
        entry: usize,
    ) -> Option<usize> {
        let first_border = *self.range(direction, entries).get(entry)?;
        (first_border != NO_BORDER).then_some(usize::from(first_border))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.positions.memory_bytes()
    }
}

fn fill(
    region: &Region,
    id: RegionId,
    layout: &Layout,
    exits: &Exits,
    (direction, costs): (Direction, &[Cost]),
    part: &mut [u8],
) {
    let (Some(leaf), Some(first)) = (region.leaf(), layout.rank(id, 0)) else { return };
    let (first, border) = (layout.range(first).start, region.border.len());
    let mut marks = Vec::new();
    for slot in 0..region.members.len() {
        let Some(rank) = layout.rank(id, slot as u32) else { continue };
        let range = layout.range(rank);
        let sums = &costs[range.clone()];
        marks.clear();
        marks.resize(sums.len(), u16::from(NO_BORDER));
        let reach = &leaf.reach.of(direction)[slot * border..][..border];
        for ((&to, &cost), first_border) in
            exits.border(id).iter().zip(reach).zip(0..u16::from(NO_BORDER))
        {
            mark_sums(&mut marks, sums, &costs[layout.range(to)], cost, first_border);
        }
        let positions = &mut part[range.start - first..range.end - first];
        for (position, &mark) in positions.iter_mut().zip(&marks) {
            *position = mark as u8;
        }
    }
}
