//! The few loops that everything waits for, on vector units where the processor has them.
//!
//! Each kernel is one plain loop, written so that the compiler can vectorise it, and compiled twice: for
//! every processor, and for those with AVX2, which is asked at run time. The plain one is the scalar twin
//! against which the other is tested. Unsafe code lives in the dispatch alone.
#![allow(unsafe_code)]

use crate::cost::{Cost, UNREACHABLE};

/// Min-plus product of a number and a row: `to[i] = min(to[i], add + row[i])` as far as the shorter slice
/// reaches. Sums that do not fit become [`UNREACHABLE`].
#[inline]
pub(crate) fn relax_row(to: &mut [Cost], row: &[Cost], add: Cost) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { relax_row_avx2(to, row, add) };
    }
    relax_row_plain(to, row, add);
}

/// The least of those entries whose mark is zero; marks are zero or all ones. [`UNREACHABLE`] for none.
#[inline]
pub(crate) fn least_unmarked(costs: &[Cost], marks: &[u32]) -> Cost {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { least_unmarked_avx2(costs, marks) };
    }
    least_unmarked_plain(costs, marks)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn relax_row_avx2(to: &mut [Cost], row: &[Cost], add: Cost) {
    relax_row_plain(to, row, add);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn least_unmarked_avx2(costs: &[Cost], marks: &[u32]) -> Cost {
    least_unmarked_plain(costs, marks)
}

#[inline(always)]
fn relax_row_plain(to: &mut [Cost], row: &[Cost], add: Cost) {
    for (to, &rest) in to.iter_mut().zip(row) {
        *to = (*to).min(rest.saturating_add(add));
    }
}

#[inline(always)]
fn least_unmarked_plain(costs: &[Cost], marks: &[u32]) -> Cost {
    costs.iter().zip(marks).fold(UNREACHABLE, |least, (&cost, &mark)| least.min(cost | mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    fn numbers(random: &mut Random, count: usize) -> Vec<Cost> {
        let pick = |random: &mut Random| match random.below(5) {
            0 => UNREACHABLE,
            1 => UNREACHABLE - random.below(9) as Cost,
            _ => random.below(1 << 20) as Cost,
        };
        (0..count).map(|_| pick(random)).collect()
    }

    #[test]
    fn vector_and_scalar_twins_agree() {
        let mut random = Random::new(4);
        for round in 0..2000 {
            let (length, other) = (random.below(70) as usize, random.below(70) as usize);
            let (row, add) = (numbers(&mut random, other), numbers(&mut random, 1)[0]);
            let mut fast = numbers(&mut random, length);
            let mut plain = fast.clone();
            let expected: Vec<Cost> = plain
                .iter()
                .enumerate()
                .map(|(i, &to)| row.get(i).map_or(to, |&rest| to.min(rest.saturating_add(add))))
                .collect();
            relax_row(&mut fast, &row, add);
            relax_row_plain(&mut plain, &row, add);
            assert_eq!((&fast, &plain), (&expected, &expected), "round {round}");

            let marks: Vec<u32> =
                (0..length).map(|_| if random.chance(0.5) { u32::MAX } else { 0 }).collect();
            let unmarked = fast.iter().zip(&marks).filter(|&(_, &mark)| mark == 0);
            let expected = unmarked.map(|(&cost, _)| cost).min().unwrap_or(UNREACHABLE);
            assert_eq!(least_unmarked(&fast, &marks), expected);
            assert_eq!(least_unmarked_plain(&fast, &marks), expected);
        }
    }
}
