//! Joins two sets of rows at the least sum.

use std::ops::Range;

use crate::cost::{Cost, UNREACHABLE};

/// The number of entries processed at once.
const BLOCK: usize = 64;

/// A row in an array of rows, and a cost to add to its entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RaisedRow {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) add: Cost,
}

/// A reference to a row.
pub(crate) trait HasRow {
    fn row(&self) -> RaisedRow;
}

kernel! {
    /// The least sum of an entry of one set and the same entry of the other, over a range of
    /// entries, and the first entry that attains it; [`UNREACHABLE`] if no sum fits. `costs` holds
    /// the rows of each set. A row that ends before the range does not contribute to later entries.
    fn meet<T: HasRow>(
        costs: [&[Cost]; 2],
        sets: [&[T]; 2],
        entries: Range<usize>,
    ) -> (Cost, usize) = meet_plain;
}

#[inline(always)]
fn meet_plain<T: HasRow>(
    [near_costs, far_costs]: [&[Cost]; 2],
    [near, far]: [&[T]; 2],
    entries: Range<usize>,
) -> (Cost, usize) {
    let (mut least, mut first_least) = (UNREACHABLE, entries.start);
    for first in entries.clone().step_by(BLOCK) {
        let block = first..entries.end.min(first + BLOCK);
        let mut sums = least_of(near_costs, near, &block);
        let others = least_of(far_costs, far, &block);
        for at in 0..BLOCK {
            // All ones beyond the last entry.
            let beyond = u32::from(at < block.len()).wrapping_sub(1);
            sums[at] = sums[at].saturating_add(others[at]) | beyond;
        }
        let here = sums.into_iter().fold(UNREACHABLE, Cost::min);
        if here < least {
            least = here;
            let attains = |bits, at: usize| bits | u64::from(sums[at] == here) << at;
            first_least = first + (0..BLOCK).fold(0, attains).trailing_zeros() as usize;
        }
    }
    (least, first_least)
}

/// The least cost to each entry of a block, and arbitrary values after its end.
#[inline(always)]
fn least_of<T: HasRow>(costs: &[Cost], set: &[T], block: &Range<usize>) -> [Cost; BLOCK] {
    let mut sums = [UNREACHABLE; BLOCK];
    for element in set {
        let RaisedRow { start, len, add } = element.row();
        // Reads beyond the end of a row that covers the block; the results there are ignored.
        let whole = costs.get(start + block.start..start + block.start + BLOCK);
        match whole.and_then(|row| row.first_chunk::<BLOCK>()) {
            Some(row) if len >= block.end => {
                for at in 0..BLOCK {
                    sums[at] = sums[at].min(row[at].saturating_add(add));
                }
            }
            // The row ends in this block. All ones beyond its last entry.
            Some(row) => {
                let left = len.saturating_sub(block.start);
                for at in 0..BLOCK {
                    let beyond = u32::from(at < left).wrapping_sub(1);
                    sums[at] = sums[at].min(row[at].saturating_add(add) | beyond);
                }
            }
            None => {
                let row = costs.get(start..start + len).unwrap_or(&[]);
                let rest = row.get(block.start..).unwrap_or(&[]);
                for (sum, &rest) in sums.iter_mut().zip(rest) {
                    *sum = (*sum).min(rest.saturating_add(add));
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    impl HasRow for RaisedRow {
        fn row(&self) -> RaisedRow {
            *self
        }
    }

    #[test]
    fn both_agree_with_single_entries() {
        let mut random = Random::new(8);
        for round in 0..2000 {
            let mut costs = Vec::new();
            let mut set = |random: &mut Random| -> Vec<RaisedRow> {
                let mut row = || {
                    let (start, len) = (costs.len(), 1 + random.below(300) as usize);
                    costs.extend((0..len).map(|_| match random.below(5) {
                        0 => UNREACHABLE - random.below(2) as Cost,
                        _ => random.below(200) as Cost,
                    }));
                    RaisedRow { start, len, add: random.below(100) as Cost }
                };
                (0..round % 6).map(|_| row()).collect()
            };
            let (near, far) = (set(&mut random), set(&mut random));
            let start = random.below(40) as usize;
            let entries = start..start + random.below(250) as usize;
            let cost = |set: &[RaisedRow], entry: usize| {
                let within = set.iter().filter(|row| entry < row.len);
                let sums = within.map(|row| costs[row.start + entry].saturating_add(row.add));
                sums.min().unwrap_or(UNREACHABLE)
            };
            let sum = |entry: usize| cost(&near, entry).saturating_add(cost(&far, entry));
            let least = entries.clone().map(sum).min().unwrap_or(UNREACHABLE);
            let sets = [&near[..], &far[..]];
            let found = meet([&costs; 2], sets, entries.clone());
            let plain = meet_plain([&costs; 2], sets, entries.clone());
            assert_eq!((found, found.0), (plain, least), "round {round}");
            let first = entries.clone().find(|&entry| sum(entry) == least);
            if least != UNREACHABLE {
                assert_eq!(Some(found.1), first, "round {round}");
            }
        }
    }
}
