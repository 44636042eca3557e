//! Gates: for each entry of the row of a node inside a leaf, the border node by which the way to it
//! leaves.
//!
//! Without them a query looks for that node by adding up what each border node's row says.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Layout;
use super::hops::Exits;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::tables::region::{Both, Region, Way};
use crate::atlas::separator_tree::RegionId;
use crate::cost::Cost;
use crate::kernel::mark_sums;
use crate::store::{Array, Words};

/// No gate is known.
const NO_GATE: u8 = u8::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gates {
    /// By entry behind those of the separators' rows, the place in the leaf's border.
    pub(crate) gates: Both<Array<u8>>,
    /// How many entries the separators' rows have.
    separators: usize,
}

impl Gates {
    pub(crate) fn build(
        regions: &[Arc<Region>],
        layout: &Layout,
        exits: &Exits,
        costs: &Both<Words>,
    ) -> Self {
        let separators = layout.separator_entries();
        let undirected = costs.into.is_none();
        let gates = Both::make(undirected, |way| {
            let costs = &**costs.way(way);
            Array::filled(layout.entries() - separators, NO_GATE, |gates| {
                if !layout.has_inside() {
                    return;
                }
                let has_rows =
                    |region: &Region| region.leaf().is_some() && !region.members.is_empty();
                let leaves = || (0..).zip(regions).filter(|(_, region)| has_rows(region));
                let sizes = leaves().map(|(id, region)| (id, region.members.len()));
                let work: Vec<_> = leaves().zip(layout.pieces(gates, sizes)).collect();
                work.into_par_iter().for_each(|((id, region), piece)| {
                    fill(region, id, layout, exits, (way, costs), piece);
                });
            })
        });
        Self { gates, separators }
    }

    /// The bytes that they will take.
    pub(crate) fn planned_bytes(index: &GeneralIndex, layout: &Layout) -> usize {
        let ways = if index.undirected() { 1 } else { 2 };
        ways * (layout.entries() - layout.separator_entries())
    }

    /// Those that were stored; `None` where they are too few or too many.
    pub(crate) fn from_arrays(layout: &Layout, gates: Both<Array<u8>>) -> Option<Self> {
        let separators = layout.separator_entries();
        let fit = gates.each().all(|gates| gates.len() == layout.entries() - separators);
        fit.then_some(Self { gates, separators })
    }

    /// The gates beside entries of the rows of nodes inside leaves.
    #[inline(always)]
    pub(crate) fn range(&self, way: Way, entries: Range<usize>) -> &[u8] {
        let start = entries.start.wrapping_sub(self.separators);
        let end = entries.end.wrapping_sub(self.separators);
        self.gates.way(way).get(start..end).unwrap_or_default()
    }

    /// The place in the leaf's border beside one entry of such a row, if it is known.
    pub(crate) fn gate(&self, way: Way, entries: Range<usize>, entry: usize) -> Option<usize> {
        let gate = *self.range(way, entries).get(entry)?;
        (gate != NO_GATE).then_some(usize::from(gate))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.gates.memory_bytes()
    }
}

fn fill(
    region: &Region,
    id: RegionId,
    layout: &Layout,
    exits: &Exits,
    (way, costs): (Way, &[Cost]),
    piece: &mut [u8],
) {
    let (Some(leaf), Some(first)) = (region.leaf(), layout.rank(id, 0)) else { return };
    let (first, border) = (layout.range(first).start, region.border.len());
    let mut marks = Vec::new();
    for slot in 0..region.members.len() {
        let Some(rank) = layout.rank(id, slot as u32) else { continue };
        let range = layout.range(rank);
        let sums = &costs[range.clone()];
        marks.clear();
        marks.resize(sums.len(), u16::from(NO_GATE));
        let reach = &leaf.reach.way(way)[slot * border..][..border];
        for ((&to, &cost), gate) in exits.border(id).iter().zip(reach).zip(0..u16::from(NO_GATE)) {
            mark_sums(&mut marks, sums, &costs[layout.range(to)], cost, gate);
        }
        let gates = &mut piece[range.start - first..range.end - first];
        for (gate, &mark) in gates.iter_mut().zip(&marks) {
            *gate = mark as u8;
        }
    }
}
