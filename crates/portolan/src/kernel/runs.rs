//! Numbers in runs, as the cells of a path are.

use std::mem::MaybeUninit;

use crate::location::Cell;

/// What a run is made of: node ids, or cells column by column and row by row. Sums wrap round.
pub(crate) trait RunNumber: Copy + Default {
    fn plus(self, other: Self) -> Self;

    fn times(self, count: u32) -> Self;
}

impl RunNumber for u32 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn times(self, count: u32) -> Self {
        self.wrapping_mul(count)
    }
}

impl RunNumber for Cell {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { x: self.x.wrapping_add(other.x), y: self.y.wrapping_add(other.y) }
    }

    #[inline(always)]
    fn times(self, count: u32) -> Self {
        Self { x: self.x.wrapping_mul(count), y: self.y.wrapping_mul(count) }
    }
}

/// Numbers that are written at once.
const BATCH: usize = 8;

/// Batches that are written unconditionally once a run has more than one: their number is
/// unpredictable.
const MORE: usize = 3;

/// Appends runs of numbers. Each continues from the number before it by the same difference,
/// wrapping round; the first continues from the last number that is there, or from zero. `count` is
/// how many numbers all runs have together.
#[inline]
pub(crate) fn append_runs<T: RunNumber>(
    numbers: &mut Vec<T>,
    count: usize,
    runs: impl Iterator<Item = (T, usize)>,
) {
    let last = numbers.last().copied().unwrap_or_default();
    numbers.reserve(count + BATCH * (1 + MORE));
    let written = write_runs(numbers.spare_capacity_mut(), last, runs);
    // SAFETY: so many numbers have been written behind the last one.
    unsafe { numbers.set_len(numbers.len() + written) };
}

#[inline]
fn write_runs<T: RunNumber>(
    room: &mut [MaybeUninit<T>],
    from: T,
    runs: impl Iterator<Item = (T, usize)>,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { write_runs_avx2(room, from, runs) };
    }
    write_runs_plain(room, from, runs)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn write_runs_avx2<T: RunNumber>(
    room: &mut [MaybeUninit<T>],
    from: T,
    runs: impl Iterator<Item = (T, usize)>,
) -> usize {
    write_runs_plain(room, from, runs)
}

/// Returns how many numbers were written, from the first place on without a gap; there may be
/// others behind them.
#[inline(always)]
fn write_runs_plain<T: RunNumber>(
    room: &mut [MaybeUninit<T>],
    from: T,
    runs: impl Iterator<Item = (T, usize)>,
) -> usize {
    // Hidden from the compiler, which would rather put products together one by one than multiply.
    let steps: [u32; BATCH] = std::hint::black_box(std::array::from_fn(|i| i as u32 + 1));
    let (mut start, mut last) = (0, from);
    for (difference, count) in runs {
        let ahead = steps.map(|steps| difference.times(steps));
        let further = difference.times(BATCH as u32);
        let (end, mut at, mut here) = (start + count, start, last);
        // Whether all of it is wanted or not: the next run begins where this one ends.
        write(room, at, here, ahead);
        if count > BATCH {
            for _ in 0..MORE {
                (at, here) = (at + BATCH, here.plus(further));
                write(room, at, here, ahead);
            }
            while at + BATCH < end {
                (at, here) = (at + BATCH, here.plus(further));
                write(room, at, here, ahead);
            }
        }
        start = end;
        last = last.plus(difference.times(count as u32));
    }
    start
}

#[inline(always)]
fn write<T: RunNumber>(room: &mut [MaybeUninit<T>], at: usize, from: T, ahead: [T; BATCH]) {
    let batch = ahead.map(|ahead| from.plus(ahead));
    room[at..at + BATCH].write_copy_of_slice(&batch);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn runs_agree_with_single_steps() {
        let mut random = Random::new(7);
        for round in 0..2000 {
            let longest = [10, 40, 100][round % 3];
            let runs: Vec<(u32, usize)> = (0..random.below(9))
                .map(|_| (random.below(1 << 32) as u32, random.below(longest) as usize))
                .collect();
            let mut fast = vec![random.below(1 << 32) as u32];
            let mut expected = fast.clone();
            for &(difference, count) in &runs {
                for _ in 0..count {
                    expected.push(expected[expected.len() - 1].wrapping_add(difference));
                }
            }
            let mut plain = vec![MaybeUninit::new(0); expected.len() + BATCH * (1 + MORE)];
            let written = write_runs_plain(&mut plain, fast[0], runs.iter().copied());
            append_runs(&mut fast, expected.len() - 1, runs.iter().copied());
            assert_eq!(fast, expected, "round {round}");
            assert_eq!(written, expected.len() - 1, "round {round}");
            let mut from_zero = Vec::new();
            append_runs(&mut from_zero, expected.len() - 1, runs.iter().copied());
            let moved = from_zero.iter().map(|number| number.wrapping_add(expected[0]));
            assert!(moved.eq(expected[1..].iter().copied()), "round {round}");
            let pair = |n: u32| Cell::new(n, n.rotate_left(16));
            let mut cells = vec![pair(expected[0])];
            let apart = runs.iter().map(|&(difference, count)| (pair(difference), count));
            append_runs(&mut cells, expected.len() - 1, apart);
            assert!(cells.iter().map(|cell| cell.x).eq(expected.iter().copied()), "round {round}");
            let mut row = cells[0].y;
            let rows = runs.iter().flat_map(|&(difference, count)| vec![pair(difference).y; count]);
            for (cell, step) in cells[1..].iter().zip(rows) {
                row = row.wrapping_add(step);
                assert_eq!(cell.y, row, "round {round}");
            }
            // SAFETY: all of it was set before.
            let plain = plain.iter().map(|number| unsafe { number.assume_init() });
            assert!(plain.take(written).eq(expected[1..].iter().copied()), "round {round}");
        }
    }
}
