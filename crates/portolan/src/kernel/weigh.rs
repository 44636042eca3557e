//! Costs of detours over many cells.

use crate::cost::{Cost, STRAIGHT};

/// The number of cells processed at once, with a bit for each in a word.
pub(crate) const WORD: usize = u32::BITS as usize;

/// The sum of cells without a bit.
const NONE: Cost = Cost::MAX;

kernel! {
    /// Costs on open ground: `costs` from the first of two ends to each cell, `sums` from there on
    /// to the second end as well. The sum of a cell without a bit is [`Cost::MAX`]. A cell is its
    /// column in the lower half of a number and its row in the upper. `bend` is the extra cost of a
    /// step in both directions over one in the longer direction. Returns the least sum.
    fn weigh(
        cells: &[[u32; WORD]],
        bits: &[u32],
        ends: [u32; 2],
        bend: Cost,
        costs: &mut [[Cost; WORD]],
        sums: &mut [[Cost; WORD]],
    ) -> Cost = weigh_plain;
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
        // Wrapping, because cells without a bit may be arbitrary.
        wide.max(high).wrapping_mul(STRAIGHT).wrapping_add(wide.min(high).wrapping_mul(bend))
    };
    let mut least = [NONE; WORD];
    for (((cells, &bits), costs), sums) in cells.iter().zip(bits).zip(costs).zip(sums) {
        for at in 0..WORD {
            let cost = distance(cells[at], ends[0]);
            let sum = cost.saturating_add(distance(cells[at], ends[1]));
            // All ones if the bit is not set.
            let mask = (bits >> at & 1).wrapping_sub(1);
            costs[at] = cost;
            sums[at] = sum | mask;
            least[at] = least[at].min(sum | mask);
        }
    }
    least.into_iter().min().unwrap_or(NONE)
}

kernel! {
    /// A bit for each cost of at most `most`.
    fn at_most(costs: &[Cost; WORD], most: Cost) -> u32 = at_most_plain;
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
