//! A table that is filled a landmark at a time.
//!
//! The distances of a landmark go straight into the table, so that a build holds the table, those
//! of one landmark, and what finds them. In what unit a rounded table counts depends on its largest
//! distance, which nobody knows before the last landmark is placed: the unit follows the largest so
//! far, and where it grows, what was written before has to be written again. Landmarks mostly lie
//! at the ends of a map, where the first has the largest distance already.

use super::Plan;
use super::config::Precision;
use super::field::Field;
use super::table::{Blank, Entries, Entry, Table, groups};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::map::Map;
use crate::store::{Array, Draft};
use crate::true_distance::costs::grain;

/// A table in the making.
pub(super) struct Filling {
    /// All but its entries, and the landmarks so far.
    table: Table,
    entries: Drafts,
    /// How many landmarks there will be.
    count: usize,
    /// The largest distance so far.
    largest: Cost,
}

/// Entries of any width that are being written.
enum Drafts {
    Bits32(Draft<u32>),
    Bits16(Draft<u16>),
    Bits8(Draft<u8>),
}

impl Filling {
    /// For so many landmarks, of which none has been written yet.
    pub(super) fn new(
        map: &Map,
        directed: bool,
        precision: Precision,
        plan: Plan,
        count: usize,
    ) -> Self {
        let kept = plan.kept.min(count);
        let grain = match precision {
            Precision::Bits32 => 1,
            _ => grain(map).max(1),
        };
        let table = Table {
            landmarks: Vec::with_capacity(count),
            directed,
            numbering: plan.numbering,
            kept,
            groups: groups(count, kept),
            unit: grain,
            grain,
            entries: Entries::Bits32(Array::default()),
            largest: 0,
            blank: Blank::NoPath,
            exact: true,
        };
        let len = table.numbering.rows() * table.stride();
        let entries = match precision {
            Precision::Bits32 => Drafts::Bits32(Draft::new(len, u32::BLANK)),
            Precision::Bits16 => Drafts::Bits16(Draft::new(len, u16::BLANK)),
            Precision::Bits8 => Drafts::Bits8(Draft::new(len, u8::BLANK)),
        };
        Self { table, entries, count, largest: 0 }
    }

    /// The landmarks that have been written.
    pub(super) fn landmarks(&self) -> &[NodeId] {
        &self.table.landmarks
    }

    /// How many are still to come.
    pub(super) fn missing(&self) -> usize {
        self.count - self.landmarks().len()
    }

    /// Writes the distances of a landmark at its place: the next one, or one that has been written
    /// before. Says whether those of the others still count; if not, the unit has grown, and they
    /// have to be written again.
    #[must_use]
    pub(super) fn write(&mut self, place: usize, field: &Field) -> bool {
        if place == self.table.landmarks.len() && self.missing() > 0 {
            self.table.landmarks.push(field.landmark);
        }
        let finite = field.columns().flatten().copied().filter(|&cost| cost != UNREACHABLE);
        self.largest = finite.max().unwrap_or(0).max(self.largest);
        let (unit, blank) = match &self.entries {
            Drafts::Bits32(_) => (1, Blank::TooFar),
            // Rounded distances say nothing about ways that are no finite number.
            Drafts::Bits16(_) => (self.unit_below(u16::BLANK.into()), Blank::Unknown),
            Drafts::Bits8(_) => (self.unit_below(u8::BLANK.into()), Blank::Unknown),
        };
        if field.overflowed {
            self.table.blank = blank;
        }
        let others_count = unit == self.table.unit || self.table.landmarks.len() == 1;
        (self.table.unit, self.table.largest) = (unit, self.largest / unit);
        let (table, count) = (&self.table, self.count);
        match &mut self.entries {
            Drafts::Bits32(draft) => fill(draft.elements_mut(), table, place, count, field),
            Drafts::Bits16(draft) => fill(draft.elements_mut(), table, place, count, field),
            Drafts::Bits8(draft) => fill(draft.elements_mut(), table, place, count, field),
        }
        others_count
    }

    /// What the landmarks so far prove of the way from one node to another. With dropped entries
    /// that is nothing unless both nodes have the same ones.
    pub(super) fn bound(&self, from: NodeId, to: NodeId) -> Cost {
        let table = &self.table;
        let [Some(start), Some(goal)] = [from, to].map(|node| table.numbering.row(node)) else {
            return 0;
        };
        if table.group(from) != table.group(to) {
            return 0;
        }
        let most = match &self.entries {
            Drafts::Bits32(draft) => most_apart(table, draft.elements(), start, goal),
            Drafts::Bits16(draft) => most_apart(table, draft.elements(), start, goal),
            Drafts::Bits8(draft) => most_apart(table, draft.elements(), start, goal),
        };
        most.unwrap_or(0)
    }

    /// The least unit by which the largest distance is below this number.
    fn unit_below(&self, blank: u32) -> Cost {
        let grain = self.table.grain;
        (self.largest / grain).div_ceil(blank - 1).max(1) * grain
    }

    /// The table, once all landmarks have been written.
    pub(super) fn finish(self) -> Table {
        debug_assert_eq!(self.missing(), 0);
        let entries = match self.entries {
            Drafts::Bits32(draft) => Entries::Bits32(draft.finish()),
            Drafts::Bits16(draft) => Entries::Bits16(draft.finish()),
            Drafts::Bits8(draft) => Entries::Bits8(draft.finish()),
        };
        Table { entries, ..self.table }
    }
}

fn most_apart<T: Entry>(table: &Table, entries: &[T], start: usize, goal: usize) -> Option<Cost> {
    let stride = table.stride();
    let row = |row: usize| &entries[row * stride..][..stride];
    let pairs = row(start).iter().zip(row(goal)).enumerate();
    pairs.filter_map(|(at, (&start, &goal))| table.apart(at, start, goal)).max()
}

/// Writes the entries of one landmark of so many.
fn fill<T: Entry>(entries: &mut [T], table: &Table, place: usize, count: usize, field: &Field) {
    let stride = table.stride();
    // Where in a row of each group the landmark has its entry, if it has one.
    let at_in = |group: usize| (place + count - group * table.kept % count) % count;
    let at_in: Vec<usize> = (0..table.groups).map(at_in).collect();
    // No distance is as large as the blank: the unit sees to that.
    let number = |cost: Cost| if cost == UNREACHABLE { T::BLANK } else { T::of(cost / table.unit) };
    for (node, &cost) in field.to.iter().enumerate() {
        let at = at_in[table.group(node as NodeId)];
        let Some(row) = table.numbering.row(node as NodeId).filter(|_| at < table.kept) else {
            continue;
        };
        entries[row * stride + at] = number(cost);
        if let Some(back) = &field.from {
            entries[row * stride + table.kept + at] = number(back[node]);
        }
    }
}
