//! Gates: for each entry of the row of a node inside a leaf, the border node by which the way to it
//! leaves.
//!
//! Without them a query looks for that node by adding up what each border node's row says.

use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::labels::exits::Exits;
use crate::atlas::general::labels::layout::Layout;
use crate::atlas::general::tables::region::Region;
use crate::graph::Direction;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::atlas::separator_tree::RegionId;
use crate::cost::Cost;
use crate::kernel::mark_sums;
use crate::store::{Array, Words};

/// No gate is known.
const NO_BORDER: u8 = u8::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstBorders {
    /// By entry behind those of the separators' rows, the place in the leaf's border.
    pub(crate) positions: PerDirection<Array<u8>>,
    /// How many entries the separators' rows have.
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
            Array::filled(layout.entries() - separators, NO_BORDER, |first_borders| {
                if !layout.covers_leaves() {
                    return;
                }
                let has_rows =
                    |region: &Region| region.leaf().is_some() && !region.members.is_empty();
                let leaves = || (0..).zip(regions).filter(|(_, region)| has_rows(region));
                let sizes = leaves().map(|(id, region)| (id, region.members.len()));
                let work: Vec<_> = leaves().zip(layout.spans(first_borders, sizes)).collect();
                work.into_par_iter().for_each(|((id, region), span)| {
                    fill(region, id, layout, exits, (direction, costs), span);
                });
            })
        });
        Self { positions, separators }
    }

    /// The bytes that they will take.
    pub(crate) fn planned_bytes(index: &GeneralIndex, layout: &Layout) -> usize {
        let directions = if index.undirected() { 1 } else { 2 };
        directions * (layout.entries() - layout.separator_entries())
    }

    /// Those that were stored; `None` where they are too few or too many.
    pub(crate) fn from_arrays(layout: &Layout, positions: PerDirection<Array<u8>>) -> Option<Self> {
        let separators = layout.separator_entries();
        let fit = positions
            .each()
            .all(|first_borders| first_borders.len() == layout.entries() - separators);
        fit.then_some(Self { positions, separators })
    }

    /// The gates beside entries of the rows of nodes inside leaves.
    #[inline(always)]
    pub(crate) fn range(&self, direction: Direction, entries: Range<usize>) -> &[u8] {
        let start = entries.start.wrapping_sub(self.separators);
        let end = entries.end.wrapping_sub(self.separators);
        self.positions.of(direction).get(start..end).unwrap_or_default()
    }

    /// The place in the leaf's border beside one entry of such a row, if it is known.
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
    span: &mut [u8],
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
        let first_borders = &mut span[range.start - first..range.end - first];
        for (first_border, &mark) in first_borders.iter_mut().zip(&marks) {
            *first_border = mark as u8;
        }
    }
}
