//! Costs of detours over many cells at once.

use crate::cost::{Cost, STRAIGHT};

/// How many cells are taken at once, with a bit for each in a word.
pub(crate) const WORD: usize = u32::BITS as usize;

/// Sums that are not to be had, whichever way.
const NONE: Cost = Cost::MAX;

/// For each cell what it costs on open ground to get there from the first of two others, and from
/// there on to the second; the sum is the largest number for cells whose bit is not set. Cells are
/// given by their column in the lower half of a number and their row in the upper; `bend` is what a
/// step in both costs beyond one in the longer of them. Returns the least sum.
#[inline]
pub(crate) fn weigh(
    cells: &[[u32; WORD]],
    bits: &[u32],
    ends: [u32; 2],
    bend: Cost,
    costs: &mut [[Cost; WORD]],
    sums: &mut [[Cost; WORD]],
) -> Cost {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { weigh_avx2(cells, bits, ends, bend, costs, sums) };
    }
    weigh_plain(cells, bits, ends, bend, costs, sums)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn weigh_avx2(
    cells: &[[u32; WORD]],
    bits: &[u32],
    ends: [u32; 2],
    bend: Cost,
    costs: &mut [[Cost; WORD]],
    sums: &mut [[Cost; WORD]],
) -> Cost {
    weigh_plain(cells, bits, ends, bend, costs, sums)
}

#[inline(always)]
fn weigh_plain(
    cells: &[[u32; WORD]],
    bits: &[u32],
    ends: [u32; 2],
    bend: Cost,
    costs: &mut [[Cost; WORD]],
    sums: &mut [[Cost; WORD]],
) -> Cost {
    let distance = |cell: u32, end: u32| {
        let wide = (cell & 0xffff).abs_diff(end & 0xffff);
        let high = (cell >> 16).abs_diff(end >> 16);
        // Cells without a bit may lie anywhere.
        wide.max(high).wrapping_mul(STRAIGHT).wrapping_add(wide.min(high).wrapping_mul(bend))
    };
    let mut least = [NONE; WORD];
    for (((cells, &bits), costs), sums) in cells.iter().zip(bits).zip(costs).zip(sums) {
        for at in 0..WORD {
            let cost = distance(cells[at], ends[0]);
            let sum = cost.saturating_add(distance(cells[at], ends[1]));
            // All ones where the bit is not set.
            let mask = (bits >> at & 1).wrapping_sub(1);
            costs[at] = cost;
            sums[at] = sum | mask;
            least[at] = least[at].min(sum | mask);
        }
    }
    least.into_iter().min().unwrap_or(NONE)
}

/// A bit for each of these that is no more than `most`.
#[inline]
pub(crate) fn at_most(costs: &[Cost; WORD], most: Cost) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { at_most_avx2(costs, most) };
    }
    at_most_plain(costs, most)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn at_most_avx2(costs: &[Cost; WORD], most: Cost) -> u32 {
    at_most_plain(costs, most)
}

#[inline(always)]
fn at_most_plain(costs: &[Cost; WORD], most: Cost) -> u32 {
    (0..WORD).fold(0, |bits, at| bits | u32::from(costs[at] <= most) << at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::DIAGONAL;
    use crate::random::Random;

    #[test]
    fn both_agree_with_single_cells() {
        let mut random = Random::new(3);
        for round in 0..500 {
            let mut number = || random.below(1 << 32) as u32;
            let count = round % 4;
            let bend = [DIAGONAL - STRAIGHT, STRAIGHT][round % 2];
            let cells: Vec<[u32; WORD]> = (0..count).map(|_| [0; WORD].map(|_| number())).collect();
            let bits: Vec<u32> = (0..count).map(|_| number() & number()).collect();
            let ends = [number(), number()];
            let distance = |cell: u32, end: u32| {
                let steps = [0, 16].map(|shift| {
                    let at = |cell: u32| i64::from(cell >> shift & 0xffff);
                    (at(cell) - at(end)).unsigned_abs() as u32
                });
                let [more, less] = [steps[0].max(steps[1]), steps[0].min(steps[1])];
                more.wrapping_mul(STRAIGHT).wrapping_add(less.wrapping_mul(bend))
            };
            let mut expected = (Vec::new(), Vec::new());
            for (word, cells) in cells.iter().enumerate() {
                for (at, &cell) in cells.iter().enumerate() {
                    let cost = distance(cell, ends[0]);
                    let sum = cost.saturating_add(distance(cell, ends[1]));
                    expected.0.push(cost);
                    expected.1.push(if bits[word] >> at & 1 == 1 { sum } else { NONE });
                }
            }
            let least = expected.1.iter().copied().min().unwrap_or(NONE);
            for kernel in [weigh, weigh_plain] {
                let (mut costs, mut sums) = (vec![[0; WORD]; count], vec![[0; WORD]; count]);
                assert_eq!(kernel(&cells, &bits, ends, bend, &mut costs, &mut sums), least);
                let found = (costs.as_flattened().to_vec(), sums.as_flattened().to_vec());
                assert_eq!(found, expected, "round {round}");
                for sums in sums {
                    let most = sums[round % WORD];
                    let fits = (0..WORD).filter(|&at| sums[at] <= most);
                    let fits = fits.fold(0, |bits, at| bits | 1 << at);
                    assert_eq!([at_most(&sums, most), at_most_plain(&sums, most)], [fits; 2]);
                }
            }
        }
    }
}
