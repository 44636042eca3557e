//! Fills a table, one landmark at a time.
//!
//! The distances of a landmark are written directly to the table, so a build holds only the table,
//! the distances of one landmark, and the search scratch. The unit of a rounded table depends on
//! its largest distance, which is not known before the last landmark is placed. So the unit follows
//! the largest distance so far. If it grows, all previous landmarks must be written again. That is
//! rare: landmarks are mostly at the ends of a map, where the first one already has the largest
//! distance.

use super::plan::TablePlan;
use super::{Blank, Entries, Table, TableEntry, group_count};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::map::Map;
use crate::store::{Array, ArrayDraft};
use crate::true_distance::differential::Precision;
use crate::true_distance::differential::landmark_distances::LandmarkDistances;
use crate::true_distance::packed_costs::weight_gcd;

/// A table that is being filled.
pub(crate) struct TableBuilder {
    /// The table without its entries, and with the landmarks so far.
    table: Table,
    entries: DraftEntries,
    /// The final number of landmarks.
    count: usize,
    /// The largest distance so far.
    largest: Cost,
}

/// Entries of any width, writable.
enum DraftEntries {
    Bits32(ArrayDraft<u32>),
    Bits16(ArrayDraft<u16>),
    Bits8(ArrayDraft<u8>),
}

impl TableBuilder {
    /// A blank table for `count` landmarks.
    pub(crate) fn new(
        map: &Map,
        directed: bool,
        precision: Precision,
        plan: TablePlan,
        count: usize,
    ) -> Self {
        let kept = plan.kept.min(count);
        let gcd = match precision {
            Precision::Bits32 => 1,
            _ => weight_gcd(map).max(1),
        };
        let table = Table {
            landmarks: Vec::with_capacity(count),
            directed,
            numbering: plan.numbering,
            kept,
            groups: group_count(count, kept),
            unit: gcd,
            gcd,
            entries: Entries::Bits32(Array::default()),
            largest: 0,
            blank: Blank::NoPath,
            exact: true,
        };
        let len = table.numbering.rows() * table.stride();
        let entries = match precision {
            Precision::Bits32 => DraftEntries::Bits32(ArrayDraft::new(len, u32::BLANK)),
            Precision::Bits16 => DraftEntries::Bits16(ArrayDraft::new(len, u16::BLANK)),
            Precision::Bits8 => DraftEntries::Bits8(ArrayDraft::new(len, u8::BLANK)),
        };
        Self { table, entries, count, largest: 0 }
    }

    /// The landmarks so far.
    pub(crate) fn landmarks(&self) -> &[NodeId] {
        &self.table.landmarks
    }

    /// The number of landmarks to come.
    pub(crate) fn missing(&self) -> usize {
        self.count - self.landmarks().len()
    }

    /// Writes the distances of the next landmark, or those of a previous one again. Returns `false`
    /// if the unit has grown, so that all other landmarks must be written again.
    #[must_use]
    pub(crate) fn write(&mut self, index: usize, distances: &LandmarkDistances) -> bool {
        if index == self.table.landmarks.len() && self.missing() > 0 {
            self.table.landmarks.push(distances.landmark);
        }
        let finite = distances.columns().flatten().copied().filter(|&cost| cost != UNREACHABLE);
        self.largest = finite.max().unwrap_or(0).max(self.largest);
        let (unit, blank) = match &self.entries {
            DraftEntries::Bits32(_) => (1, Blank::TooFar),
            // Rounded entries cannot tell overflow from no path.
            DraftEntries::Bits16(_) => (self.unit_below(u16::BLANK.into()), Blank::Unknown),
            DraftEntries::Bits8(_) => (self.unit_below(u8::BLANK.into()), Blank::Unknown),
        };
        if distances.overflowed {
            self.table.blank = blank;
        }
        let others_are_valid = unit == self.table.unit || self.table.landmarks.len() == 1;
        (self.table.unit, self.table.largest) = (unit, self.largest / unit);
        let (table, count) = (&self.table, self.count);
        match &mut self.entries {
            DraftEntries::Bits32(draft) => {
                fill(draft.elements_mut(), table, (index, count), distances)
            }
            DraftEntries::Bits16(draft) => {
                fill(draft.elements_mut(), table, (index, count), distances)
            }
            DraftEntries::Bits8(draft) => {
                fill(draft.elements_mut(), table, (index, count), distances)
            }
        }
        others_are_valid
    }

    /// The bound of the landmarks so far between two nodes. With dropped entries, zero unless both
    /// nodes are in the same group.
    pub(crate) fn bound(&self, from: NodeId, to: NodeId) -> Cost {
        let table = &self.table;
        let [Some(start), Some(goal)] = [from, to].map(|node| table.numbering.row(node)) else {
            return 0;
        };
        if table.group(from) != table.group(to) {
            return 0;
        }
        let most = match &self.entries {
            DraftEntries::Bits32(draft) => row_bound(table, draft.elements(), start, goal),
            DraftEntries::Bits16(draft) => row_bound(table, draft.elements(), start, goal),
            DraftEntries::Bits8(draft) => row_bound(table, draft.elements(), start, goal),
        };
        most.unwrap_or(0)
    }

    /// The smallest unit in which the largest distance is below `blank`.
    fn unit_below(&self, blank: u32) -> Cost {
        let gcd = self.table.gcd;
        (self.largest / gcd).div_ceil(blank - 1).max(1) * gcd
    }

    /// The finished table. All landmarks must have been written.
    pub(crate) fn finish(self) -> Table {
        debug_assert_eq!(self.missing(), 0);
        let entries = match self.entries {
            DraftEntries::Bits32(draft) => Entries::Bits32(draft.finish()),
            DraftEntries::Bits16(draft) => Entries::Bits16(draft.finish()),
            DraftEntries::Bits8(draft) => Entries::Bits8(draft.finish()),
        };
        Table { entries, ..self.table }
    }
}

fn row_bound<T: TableEntry>(
    table: &Table,
    entries: &[T],
    start: usize,
    goal: usize,
) -> Option<Cost> {
    let stride = table.stride();
    let row = |row: usize| &entries[row * stride..][..stride];
    let pairs = row(start).iter().zip(row(goal)).enumerate();
    pairs.filter_map(|(at, (&start, &goal))| table.bound_at(at, start, goal)).max()
}

/// Writes the entries of landmark `index` of `count`.
fn fill<T: TableEntry>(
    entries: &mut [T],
    table: &Table,
    (index, count): (usize, usize),
    distances: &LandmarkDistances,
) {
    let stride = table.stride();
    // By group, the position of the landmark in a row. At least `kept` if it has no entry there.
    let at_in = |group: usize| (index + count - group * table.kept % count) % count;
    let at_in: Vec<usize> = (0..table.groups).map(at_in).collect();
    // The unit is so large that no distance becomes a blank.
    let number = |cost: Cost| if cost == UNREACHABLE { T::BLANK } else { T::of(cost / table.unit) };
    for (node, &cost) in distances.to.iter().enumerate() {
        let at = at_in[table.group(node as NodeId)];
        let Some(row) = table.numbering.row(node as NodeId).filter(|_| at < table.kept) else {
            continue;
        };
        entries[row * stride + at] = number(cost);
        if let Some(back) = &distances.from {
            entries[row * stride + table.kept + at] = number(back[node]);
        }
    }
}
