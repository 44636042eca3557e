//! The hottest loops, with vector instructions if the processor has them.
//!
//! Each kernel is one plain loop that the compiler can vectorise. It is compiled twice: for every
//! processor, and for those with AVX2, which is detected at run time. The plain version is the
//! scalar twin against which tests compare the other. Unsafe code is in the dispatch, in
//! prefetches, and in writes to the spare capacity of a vector (`runs.rs`, `turns.rs`).
//!
//! `meet.rs` joins rows of labels, `weigh.rs` computes detours over many cells, `runs.rs` and
//! `turns.rs` expand paths into cells and turns.
#![allow(unsafe_code)]

/// Defines a kernel by its plain loop. Compiles the loop for AVX2 as well, and selects the version
/// at run time.
macro_rules! kernel {
    (
        $(#[$doc:meta])*
        fn $name:ident $(<$generic:ident: $bound:ident>)? (
            $($arg:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? = $plain:ident;
    ) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name $(<$generic: $bound>)? ($($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn avx2 $(<$generic: $bound>)? ($($arg: $type),*) $(-> $result)? {
                    $plain($($arg),*)
                }
                // SAFETY: the processor has AVX2, the only requirement of `avx2`.
                return unsafe { avx2($($arg),*) };
            }
            $plain($($arg),*)
        }
    };
}

mod meet;
mod runs;
mod turns;
mod weigh;

pub(crate) use meet::{HasRow, RaisedRow, meet};
pub(crate) use runs::{RunNumber, append_runs};
pub(crate) use turns::{Line, append_turns};
pub(crate) use weigh::{WORD, at_most, weigh};

use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};

kernel! {
    /// Min-plus product of a number and a row: `to[i] = min(to[i], add + row[i])`, up to the length
    /// of the shorter slice. Sums that do not fit become [`UNREACHABLE`].
    fn relax_row(to: &mut [Cost], row: &[Cost], add: Cost) = relax_row_plain;
}

kernel! {
    /// Min-plus products of numbers and rows of one array, all `stride` long, a multiple of eight:
    /// the row `to` becomes the minimum of itself and of the rows `from`, each plus its `adds`.
    /// Sums that do not fit become [`UNREACHABLE`].
    fn relax_rows(
        rows: &mut [Cost],
        stride: usize,
        to: usize,
        from: &[u16],
        adds: &[Cost],
    ) = relax_rows_plain;
}

kernel! {
    /// The least entry with a mark of zero; marks are zero or all ones. [`UNREACHABLE`] if there is
    /// none.
    fn least_unmarked(costs: &[Cost], marks: &[u32]) -> Cost = least_unmarked_plain;
}

kernel! {
    /// The least sum of two entries with the same index, up to the length of the shorter slice;
    /// [`UNREACHABLE`] if no sum fits.
    fn least_sum(a: &[Cost], b: &[Cost]) -> Cost = least_sum_plain;
}

kernel! {
    /// The least sum of four kinds: the smaller entry of two raised rows plus the smaller entry of
    /// two others.
    fn least_sum_of_pairs(
        a: [(&[Cost], Cost); 2],
        b: [(&[Cost], Cost); 2],
    ) -> Cost = least_sum_of_pairs_plain;
}

kernel! {
    /// Sets `marks[i] = mark` wherever `row[i] + add == sums[i]`, up to the length of the shortest
    /// slice. Sums that do not fit are [`UNREACHABLE`].
    fn mark_sums(
        marks: &mut [u16],
        sums: &[Cost],
        row: &[Cost],
        add: Cost,
        mark: u16,
    ) = mark_sums_plain;
}

/// The number of cells that [`octiles`] and [`relax_codes`] process at once.
pub(crate) const CELLS: usize = 16;

kernel! {
    /// The octile distances from a cell to others, each raised by `add`; sums that do not fit
    /// become [`UNREACHABLE`]. A cell is its column in the lower half of a number and its row in
    /// the upper.
    fn octiles(to: &[u32; CELLS], from: u32, add: Cost) -> [Cost; CELLS] = octiles_plain;
}

kernel! {
    /// Min-plus product of costs and decoded surpluses: `to[i] = min(to[i], costs[i] +
    /// surplus[codes[i]])`. Sums that do not fit become [`UNREACHABLE`].
    fn relax_codes(
        to: &mut [Cost; CELLS],
        costs: &[Cost; CELLS],
        codes: &[u8; CELLS],
        surplus: &[Cost; 256],
    ) = relax_codes_plain;
}

/// The greatest distance of an entry from its interval: `max(row[i] - high[i], low[i] - row[i], 0)`
/// over all i, up to the length of the shortest slice.
#[inline(always)]
pub(crate) fn most_outside<T: Outside>(row: &[T], low: &[T], high: &[T]) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // A special case for the usual length.
        if let ([row], []) = row.as_chunks::<EIGHT>()
            && let (Some(low), Some(high)) = (low.first_chunk(), high.first_chunk())
        {
            // SAFETY: the processor has AVX2, the only requirement of this function.
            return unsafe { most_of_eight_avx2(row, low, high) };
        }
        // SAFETY: the processor has AVX2, the only requirement of this function.
        return unsafe { most_outside_avx2(row, low, high) };
    }
    most_outside_plain(row, low, high)
}

/// The number of 32-bit entries in a vector register.
const EIGHT: usize = 8;

/// Entries that [`most_outside`] compares.
pub(crate) trait Outside: Copy + Ord + Default {
    /// The difference, or zero where it is negative.
    fn above(self, other: Self) -> Self;
}

macro_rules! outside {
    ($($number:ty)*) => {$(
        impl Outside for $number {
            #[inline(always)]
            fn above(self, other: Self) -> Self {
                self.max(other) - other
            }
        }
    )*};
}
outside!(u8 u16 u32);

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// Prefetches a slice. Affects only the time.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T]) {
    let range = slice.as_ptr_range();
    let end = range.end.cast::<u8>();
    let mut at = range.start.cast::<u8>().map_addr(|address| address & !(LINE - 1));
    while at < end {
        prefetch_line(at);
        at = at.wrapping_add(LINE);
    }
}

/// Prefetches the first lines of a slice, and memory after it if it is shorter. Branchless.
#[inline(always)]
pub(crate) fn prefetch_lines<const LINES: usize, T>(slice: &[T]) {
    for line in 0..LINES {
        prefetch_line(slice.as_ptr().cast::<u8>().wrapping_add(line * LINE));
    }
}

/// Prefetches all lines of an element of a slice. The index may be out of bounds.
#[inline(always)]
pub(crate) fn prefetch_element<T>(slice: &[T], at: usize) {
    let element = slice.as_ptr().wrapping_add(at).cast::<u8>();
    prefetch_line(element);
    if size_of::<T>() > align_of::<T>() {
        prefetch_line(element.wrapping_add(size_of::<T>() - 1));
    }
}

#[inline(always)]
fn prefetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint. It reads nothing and cannot fail for any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn most_outside_avx2<T: Outside>(row: &[T], low: &[T], high: &[T]) -> T {
    most_outside_plain(row, low, high)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn most_of_eight_avx2<T: Outside>(row: &[T; EIGHT], low: &[T; EIGHT], high: &[T; EIGHT]) -> T {
    let mut most = [T::default(); EIGHT];
    for i in 0..EIGHT {
        most[i] = row[i].above(high[i]).max(low[i].above(row[i]));
    }
    most.into_iter().fold(T::default(), T::max)
}

#[inline(always)]
fn relax_row_plain(to: &mut [Cost], row: &[Cost], add: Cost) {
    let length = to.len().min(row.len());
    let (to, to_rest) = to[..length].as_chunks_mut::<EIGHT>();
    let (row, row_rest) = row[..length].as_chunks::<EIGHT>();
    // Only eight at once, so that few entries remain for the scalar loop.
    for (to, row) in to.iter_mut().zip(row) {
        for i in 0..EIGHT {
            to[i] = to[i].min(row[i].saturating_add(add));
        }
    }
    for (to, &rest) in to_rest.iter_mut().zip(row_rest) {
        *to = (*to).min(rest.saturating_add(add));
    }
}

#[inline(always)]
fn relax_rows_plain(rows: &mut [Cost], stride: usize, to: usize, from: &[u16], adds: &[Cost]) {
    let (rows, _) = rows.as_chunks_mut::<EIGHT>();
    let width = stride / EIGHT;
    for column in 0..width {
        let mut least = rows[to * width + column];
        for (&from, &add) in from.iter().zip(adds) {
            let row = &rows[usize::from(from) * width + column];
            for i in 0..EIGHT {
                least[i] = least[i].min(row[i].saturating_add(add));
            }
        }
        rows[to * width + column] = least;
    }
}

#[inline(always)]
fn least_unmarked_plain(costs: &[Cost], marks: &[u32]) -> Cost {
    costs.iter().zip(marks).fold(UNREACHABLE, |least, (&cost, &mark)| least.min(cost | mark))
}

#[inline(always)]
fn least_sum_plain(a: &[Cost], b: &[Cost]) -> Cost {
    let length = a.len().min(b.len());
    let (a, a_rest) = a[..length].as_chunks::<EIGHT>();
    let (b, b_rest) = b[..length].as_chunks::<EIGHT>();
    let mut least = [UNREACHABLE; EIGHT];
    for (a, b) in a.iter().zip(b) {
        for i in 0..EIGHT {
            least[i] = least[i].min(a[i].saturating_add(b[i]));
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| a.saturating_add(b));
    least.into_iter().chain(rest).fold(UNREACHABLE, Cost::min)
}

#[inline(always)]
fn least_sum_of_pairs_plain(a: [(&[Cost], Cost); 2], b: [(&[Cost], Cost); 2]) -> Cost {
    let [(a0, add_a0), (a1, add_a1)] = a;
    let [(b0, add_b0), (b1, add_b1)] = b;
    let rows = a0.iter().zip(a1).zip(b0.iter().zip(b1));
    rows.fold(UNREACHABLE, |least, ((&a0, &a1), (&b0, &b1))| {
        let a = a0.saturating_add(add_a0).min(a1.saturating_add(add_a1));
        let b = b0.saturating_add(add_b0).min(b1.saturating_add(add_b1));
        least.min(a.saturating_add(b))
    })
}

#[inline(always)]
fn most_outside_plain<T: Outside>(row: &[T], low: &[T], high: &[T]) -> T {
    let outside = |row: T, low: T, high: T| row.above(high).max(low.above(row));
    let length = row.len().min(low.len()).min(high.len());
    let (rows, rest) = row[..length].as_chunks::<EIGHT>();
    let (lows, low_rest) = low[..length].as_chunks::<EIGHT>();
    let (highs, high_rest) = high[..length].as_chunks::<EIGHT>();
    let mut most = [T::default(); EIGHT];
    for ((row, low), high) in rows.iter().zip(lows).zip(highs) {
        for i in 0..EIGHT {
            most[i] = most[i].max(outside(row[i], low[i], high[i]));
        }
    }
    for (i, &row) in rest.iter().enumerate() {
        most[i] = most[i].max(outside(row, low_rest[i], high_rest[i]));
    }
    most.into_iter().fold(T::default(), T::max)
}

#[inline(always)]
fn mark_sums_plain(marks: &mut [u16], sums: &[Cost], row: &[Cost], add: Cost, mark: u16) {
    for ((at, &sum), &rest) in marks.iter_mut().zip(sums).zip(row) {
        *at = if rest.saturating_add(add) == sum { mark } else { *at };
    }
}

#[inline(always)]
fn octiles_plain(to: &[u32; CELLS], from: u32, add: Cost) -> [Cost; CELLS] {
    let (x, y) = (from & 0xffff, from >> 16);
    let mut costs = [0; CELLS];
    for i in 0..CELLS {
        let (wide, high) = ((to[i] & 0xffff).abs_diff(x), (to[i] >> 16).abs_diff(y));
        let (more, less) = (wide.max(high), wide.min(high));
        costs[i] = (more * STRAIGHT + less * (DIAGONAL - STRAIGHT)).saturating_add(add);
    }
    costs
}

#[inline(always)]
fn relax_codes_plain(
    to: &mut [Cost; CELLS],
    costs: &[Cost; CELLS],
    codes: &[u8; CELLS],
    surplus: &[Cost; 256],
) {
    for i in 0..CELLS {
        to[i] = to[i].min(costs[i].saturating_add(surplus[usize::from(codes[i])]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

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

    #[test]
    fn many_rows_agree_with_their_twin() {
        let mut random = Random::new(8);
        for round in 0..500 {
            let (count, stride) = (1 + random.below(9) as usize, 8 * random.below(4) as usize);
            let mut fast = numbers(&mut random, count * stride);
            let (mut plain, mut expected) = (fast.clone(), fast.clone());
            let (to, adds) = (random.below(count as u64) as usize, numbers(&mut random, 5));
            let from: Vec<u16> = adds.iter().map(|_| random.below(count as u64) as u16).collect();
            for (&from, &add) in from.iter().zip(&adds) {
                let row = fast[usize::from(from) * stride..][..stride].to_vec();
                relax_row_plain(&mut expected[to * stride..][..stride], &row, add);
            }
            relax_rows(&mut fast, stride, to, &from, &adds);
            relax_rows_plain(&mut plain, stride, to, &from, &adds);
            assert_eq!((&fast, &plain), (&expected, &expected), "round {round}");
        }
    }

    #[test]
    fn intervals_agree_with_their_twins() {
        let mut random = Random::new(7);
        for round in 0..2000 {
            let length = [random.below(40) as usize, 8][round % 2];
            let [row, low, high] = [(); 3].map(|()| numbers(&mut random, length));
            let most = |i: usize| row[i].saturating_sub(high[i]).max(low[i].saturating_sub(row[i]));
            let expected = (0..length).map(most).max().unwrap_or(0);
            assert_eq!(most_outside(&row, &low, &high), expected, "round {round}");
            assert_eq!(most_outside_plain(&row, &low, &high), expected, "round {round}");

            let bytes = |words: &[Cost]| words.iter().map(|&word| word as u8).collect::<Vec<_>>();
            let [row, low, high] = [bytes(&row), bytes(&low), bytes(&high)];
            let most = |i: usize| row[i].saturating_sub(high[i]).max(low[i].saturating_sub(row[i]));
            let expected = (0..length).map(most).max().unwrap_or(0);
            assert_eq!(most_outside(&row, &low, &high), expected, "round {round}");
            assert_eq!(most_outside_plain(&row, &low, &high), expected, "round {round}");
        }
    }

    #[test]
    fn costs_in_codes_agree_with_their_twins() {
        let mut random = Random::new(6);
        for round in 0..2000 {
            let surplus: [Cost; 256] = numbers(&mut random, 256).try_into().unwrap();
            let cells = [(); CELLS].map(|()| random.below(1 << 32) as u32);
            let (from, add) = (random.below(1 << 32) as u32, numbers(&mut random, 1)[0]);
            let octile = |cell: u32| {
                let wide = (cell & 0xffff).abs_diff(from & 0xffff);
                let high = (cell >> 16).abs_diff(from >> 16);
                wide.abs_diff(high) * STRAIGHT + wide.min(high) * DIAGONAL
            };
            let costs = cells.map(|cell| octile(cell).saturating_add(add));
            assert_eq!(octiles(&cells, from, add), costs, "round {round}");
            assert_eq!(octiles_plain(&cells, from, add), costs, "round {round}");

            let codes = [(); CELLS].map(|()| random.below(256) as u8);
            let mut fast: [Cost; CELLS] = numbers(&mut random, CELLS).try_into().unwrap();
            let mut plain = fast;
            let expected: [Cost; CELLS] = std::array::from_fn(|i| {
                fast[i].min(costs[i].saturating_add(surplus[usize::from(codes[i])]))
            });
            relax_codes(&mut fast, &costs, &codes, &surplus);
            relax_codes_plain(&mut plain, &costs, &codes, &surplus);
            assert_eq!((fast, plain), (expected, expected), "round {round}");
        }
    }

    #[test]
    fn sums_and_marks_agree_with_their_twins() {
        let mut random = Random::new(5);
        for round in 0..2000 {
            let length = random.below(70) as usize;
            let rows = [(); 4].map(|()| numbers(&mut random, length));
            let add = numbers(&mut random, 4);
            let sum = |a: Cost, b: Cost| a.saturating_add(b);
            let expected = (0..length).map(|i| sum(rows[0][i], rows[1][i])).min();
            let expected = expected.unwrap_or(UNREACHABLE);
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| (rows[i].as_slice(), add[i]));
            assert_eq!(least_sum(a.0, b.0), expected, "round {round}");
            assert_eq!(least_sum_plain(a.0, b.0), expected, "round {round}");

            let least = |(a, add_a): (&[Cost], Cost), (b, add_b): (&[Cost], Cost), i: usize| {
                sum(a[i], add_a).min(sum(b[i], add_b))
            };
            let expected = (0..length).map(|i| sum(least(a, b, i), least(c, d, i))).min();
            let expected = expected.unwrap_or(UNREACHABLE);
            assert_eq!(least_sum_of_pairs([a, b], [c, d]), expected, "round {round}");
            assert_eq!(least_sum_of_pairs_plain([a, b], [c, d]), expected, "round {round}");

            let sums: Vec<Cost> = (0..length)
                .map(|i| if random.chance(0.5) { sum(rows[0][i], add[0]) } else { rows[1][i] })
                .collect();
            let mut fast = vec![7; length];
            let mut plain = fast.clone();
            let expected: Vec<u16> = (0..length)
                .map(|i| if sum(rows[0][i], add[0]) == sums[i] { 3 } else { 7 })
                .collect();
            mark_sums(&mut fast, &sums, &rows[0], add[0], 3);
            mark_sums_plain(&mut plain, &sums, &rows[0], add[0], 3);
            assert_eq!((&fast, &plain), (&expected, &expected), "round {round}");
        }
    }
}
