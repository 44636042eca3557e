//! Where two sets of rows meet at the least sum.

use std::ops::Range;

use crate::cost::{Cost, UNREACHABLE};

/// Entries that are taken at once.
const BLOCK: usize = 64;

/// A row among others, to which a cost is added.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raised {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) add: Cost,
}

/// Something that stands for a row.
pub(crate) trait HasRow {
    fn row(&self) -> Raised;
}

/// The least sum of an entry of one set and the same entry of the other, among some entries, and
/// the first place that has it; [`UNREACHABLE`] for none that fits. `costs` has the rows; they may
/// end before those entries do, and have no part in what lies behind.
#[inline]
pub(crate) fn meet<T: HasRow>(
    costs: &[Cost],
    sets: [&[T]; 2],
    entries: Range<usize>,
) -> (Cost, usize) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { meet_avx2(costs, sets, entries) };
    }
    meet_plain(costs, sets, entries)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn meet_avx2<T: HasRow>(costs: &[Cost], sets: [&[T]; 2], entries: Range<usize>) -> (Cost, usize) {
    meet_plain(costs, sets, entries)
}

#[inline(always)]
fn meet_plain<T: HasRow>(
    costs: &[Cost],
    [near, far]: [&[T]; 2],
    entries: Range<usize>,
) -> (Cost, usize) {
    let (mut least, mut place) = (UNREACHABLE, entries.start);
    for first in entries.clone().step_by(BLOCK) {
        let block = first..entries.end.min(first + BLOCK);
        let mut sums = least_of(costs, near, &block);
        let others = least_of(costs, far, &block);
        for at in 0..BLOCK {
            // All ones beyond the last entry.
            let beyond = u32::from(at < block.len()).wrapping_sub(1);
            sums[at] = sums[at].saturating_add(others[at]) | beyond;
        }
        let here = sums.into_iter().fold(UNREACHABLE, Cost::min);
        if here < least {
            least = here;
            let has_it = |bits, at: usize| bits | u64::from(sums[at] == here) << at;
            place = first + (0..BLOCK).fold(0, has_it).trailing_zeros() as usize;
        }
    }
    (least, place)
}

/// The least cost to each entry of a block, and some without meaning behind it.
#[inline(always)]
fn least_of<T: HasRow>(costs: &[Cost], set: &[T], block: &Range<usize>) -> [Cost; BLOCK] {
    let mut sums = [UNREACHABLE; BLOCK];
    for element in set {
        let Raised { start, len, add } = element.row();
        // What lies behind a row that is long enough does no harm.
        let whole = costs.get(start + block.start..start + block.start + BLOCK);
        match whole.and_then(|row| row.first_chunk::<BLOCK>()) {
            Some(row) if len >= block.end => {
                for at in 0..BLOCK {
                    sums[at] = sums[at].min(row[at].saturating_add(add));
                }
            }
            _ => {
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

    impl HasRow for Raised {
        fn row(&self) -> Raised {
            *self
        }
    }

    #[test]
    fn both_agree_with_single_entries() {
        let mut random = Random::new(8);
        for round in 0..2000 {
            let mut costs = Vec::new();
            let mut set = |random: &mut Random| -> Vec<Raised> {
                let mut row = || {
                    let (start, len) = (costs.len(), 1 + random.below(300) as usize);
                    costs.extend((0..len).map(|_| match random.below(5) {
                        0 => UNREACHABLE - random.below(2) as Cost,
                        _ => random.below(200) as Cost,
                    }));
                    Raised { start, len, add: random.below(100) as Cost }
                };
                (0..round % 6).map(|_| row()).collect()
            };
            let (near, far) = (set(&mut random), set(&mut random));
            let start = random.below(40) as usize;
            let entries = start..start + random.below(250) as usize;
            let cost = |set: &[Raised], entry: usize| {
                let within = set.iter().filter(|row| entry < row.len);
                let sums = within.map(|row| costs[row.start + entry].saturating_add(row.add));
                sums.min().unwrap_or(UNREACHABLE)
            };
            let sum = |entry: usize| cost(&near, entry).saturating_add(cost(&far, entry));
            let least = entries.clone().map(sum).min().unwrap_or(UNREACHABLE);
            let sets = [&near[..], &far[..]];
            let found = meet(&costs, sets, entries.clone());
            let plain = meet_plain(&costs, sets, entries.clone());
            assert_eq!((found, found.0), (plain, least), "round {round}");
            let place = entries.clone().find(|&entry| sum(entry) == least);
            if least != UNREACHABLE {
                assert_eq!(Some(found.1), place, "round {round}");
            }
        }
    }
}
