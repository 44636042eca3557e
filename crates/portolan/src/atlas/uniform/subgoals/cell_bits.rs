//! One bit per cell, row by row, combined and turned word by word.
//!
//! What the bitmaps along lines hold follows from the cells by a few operations on whole rows: a
//! shift, a conjunction, a spread along free cells. Then 64 by 64 bits at a time are turned into
//! the words of columns and diagonals (`BitLines::fill`).

use rayon::prelude::*;

use crate::grid::Grid;

const WORD: usize = 64;

/// Rows per task.
const ROWS: usize = 64;

/// A bit for each cell of a map with its margin. Bits of the margin, and beyond it, are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CellBits {
    words: Vec<u64>,
    /// Words per row.
    len: usize,
}

impl CellBits {
    /// The passable cells.
    pub(super) fn passable(grid: &Grid) -> Self {
        let (words, len) = grid.bits();
        // There is one more word than rows have.
        Self { words: words[..words.len() - 1].to_vec(), len }
    }

    /// From the words of each row. Bits beyond the end of a row are zero.
    pub(super) fn from_rows(
        rows: impl Iterator<Item = impl ExactSizeIterator<Item = u64>>,
    ) -> Self {
        let (mut words, mut len) = (Vec::new(), 1);
        for row in rows {
            len = row.len();
            words.extend(row);
        }
        Self { words, len }
    }

    /// No cell, on a map of the same size.
    pub(super) fn none(&self) -> Self {
        Self { words: vec![0; self.words.len()], len: self.len }
    }

    pub(super) fn height(&self) -> usize {
        self.words.len() / self.len
    }

    pub(super) fn row(&self, y: usize) -> &[u64] {
        &self.words[y * self.len..][..self.len]
    }

    pub(super) fn contains(&self, x: usize, y: usize) -> bool {
        self.row(y)[x / WORD] >> (x % WORD) & 1 != 0
    }

    pub(super) fn insert(&mut self, x: usize, y: usize) {
        self.words[y * self.len + x / WORD] |= 1 << (x % WORD);
    }

    /// The cells of the other that are one step in this direction from each of these.
    pub(super) fn and_step(&self, other: &Self, delta: (i32, i32)) -> Self {
        self.combined(|y, at, word| word & other.beside(y, at, delta))
    }

    /// The cells in all three.
    pub(super) fn and(&self, b: &Self, c: &Self) -> Self {
        self.combined(|y, at, word| word & b.row(y)[at] & c.row(y)[at])
    }

    pub(super) fn without(&self, other: &Self) -> Self {
        self.combined(|y, at, word| word & !other.row(y)[at])
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        self.combined(|y, at, word| word | other.row(y)[at])
    }

    /// The cells of `self` from which steps over cells of `self` lead to one of `ends`, and no
    /// earlier one; at least one step. `self` allows the first step and all others.
    pub(super) fn reaching(&self, ends: &Self, (dx, dy): (i32, i32)) -> Self {
        let mut found = self.none();
        let height = self.height();
        if dy == 0 {
            let rows = found.words.par_chunks_mut(self.len * ROWS).enumerate();
            rows.for_each(|(band, rows)| {
                for (y, row) in (band * ROWS..).zip(rows.chunks_mut(self.len)) {
                    reach_along(row, self.row(y), ends.row(y), dx > 0);
                }
            });
            return found;
        }
        let mut last = vec![0; self.len];
        for step in 1..height {
            let y = if dy < 0 { step } else { height - 1 - step };
            let next = y.wrapping_add_signed(dy as isize);
            let ends = ends.row(next);
            last.iter_mut().zip(ends).for_each(|(last, &end)| *last |= end);
            let row = &mut found.words[y * self.len..][..self.len];
            for (at, (to, &free)) in row.iter_mut().zip(self.row(y)).enumerate() {
                *to = free & shifted(&last, at, dx);
            }
            last.copy_from_slice(row);
        }
        found
    }

    /// The word of the cells one step from those of a word.
    fn beside(&self, y: usize, at: usize, (dx, dy): (i32, i32)) -> u64 {
        let y = y.wrapping_add_signed(dy as isize);
        if y < self.height() { shifted(self.row(y), at, dx) } else { 0 }
    }

    fn combined(&self, word: impl Fn(usize, usize, u64) -> u64 + Sync) -> Self {
        let mut combined = self.clone();
        let bands = combined.words.par_chunks_mut(self.len * ROWS).enumerate();
        bands.for_each(|(band, rows)| {
            for (y, row) in (band * ROWS..).zip(rows.chunks_mut(self.len)) {
                row.iter_mut().enumerate().for_each(|(at, bits)| *bits = word(y, at, *bits));
            }
        });
        combined
    }
}

/// Word `at` of a row that is shifted so that each cell has the bit of its neighbour at `dx`.
#[inline(always)]
fn shifted(row: &[u64], at: usize, dx: i32) -> u64 {
    let other = |at: usize| row.get(at).copied().unwrap_or(0);
    match dx {
        0 => row[at],
        1.. => row[at] >> 1 | other(at + 1) << (WORD - 1),
        _ => row[at] << 1 | other(at.wrapping_sub(1)) >> (WORD - 1),
    }
}

/// [`CellBits::reaching`] along a row, upward or downward.
fn reach_along(to: &mut [u64], free: &[u64], ends: &[u64], upward: bool) {
    let mut carry = 0;
    for step in 0..to.len() {
        let at = if upward { to.len() - 1 - step } else { step };
        let back = |bits: u64, by: usize| if upward { bits >> by } else { bits << by };
        let mut open = free[at];
        let mut reached = open & (back(ends[at], 1) | carry);
        for by in [1, 2, 4, 8, 16, 32] {
            reached |= open & back(reached, by);
            open &= back(open, by);
        }
        to[at] = reached;
        carry = match upward {
            true => (reached | ends[at]) << (WORD - 1),
            false => (reached | ends[at]) >> (WORD - 1),
        };
    }
}

/// So many bits of a row of `width` cells from a cell on, which goes round at the end.
#[inline(always)]
pub(super) fn bits_round(row: &[u64], width: usize, from: usize) -> u64 {
    let window = |from: usize| {
        let (at, shift) = (from / WORD, from % WORD);
        let high = row.get(at + 1).copied().unwrap_or(0);
        // Two shifts, because a single one would shift by a whole word for `shift == 0`.
        row[at] >> shift | high << 1 << (WORD - 1 - shift)
    };
    let mut bits = window(from);
    let mut known = width - from;
    if known < WORD {
        bits &= (1 << known) - 1;
    }
    while known < WORD {
        let first = window(0);
        bits |= first << known;
        known += width;
        if known < WORD {
            bits &= (1 << known) - 1;
        }
    }
    bits
}

/// Turns a square of bits: bit b of word w becomes bit w of word b.
pub(super) fn transpose(square: &mut [u64; WORD]) {
    let mut half = WORD / 2;
    let mut mask = u64::MAX >> half;
    while half > 0 {
        for block in (0..WORD).step_by(2 * half) {
            for at in block..block + half {
                let swapped = (square[at] >> half ^ square[at + half]) & mask;
                square[at] ^= swapped << half;
                square[at + half] ^= swapped;
            }
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn random_grid(random: &mut Random) -> Grid {
        let (width, height) = (1 + random.below(200) as u32, 1 + random.below(90) as u32);
        Grid::from_fn(width, height, |_, _| random.below(100) >= 20).unwrap()
    }

    #[test]
    fn squares_are_turned() {
        let mut random = Random::new(1);
        let before: [u64; 64] = std::array::from_fn(|_| random.below(u64::MAX));
        let mut after = before;
        transpose(&mut after);
        for (word, &bits) in before.iter().enumerate() {
            for (bit, &turned) in after.iter().enumerate() {
                assert_eq!(bits >> bit & 1, turned >> word & 1);
            }
        }
    }

    #[test]
    fn rows_go_round() {
        let mut random = Random::new(2);
        for width in [3_usize, 20, 63, 64, 65, 127, 128, 200] {
            let bits: Vec<bool> = (0..width).map(|_| random.chance(0.5)).collect();
            let mut row = vec![0; width.div_ceil(64)];
            let set = bits.iter().enumerate().filter(|&(_, &bit)| bit);
            set.for_each(|(at, _)| row[at / 64] |= 1_u64 << (at % 64));
            for from in 0..width {
                let found = bits_round(&row, width, from);
                let expected = |at: usize| bits[(from + at) % width];
                assert!((0..64).all(|at| (found >> at & 1 != 0) == expected(at)), "{width} {from}");
            }
        }
    }

    #[test]
    fn cells_reach_ends_over_free_cells() {
        let mut random = Random::new(3);
        for _ in 0..50 {
            let grid = random_grid(&mut random);
            let free = CellBits::passable(&grid);
            let mut ends = free.none();
            let (width, height) = (grid.width() as usize + 2, grid.height() as usize + 2);
            let has =
                |bits: &CellBits, x: usize, y: usize| bits.row(y)[x / 64] >> (x % 64) & 1 != 0;
            for _ in 0..width * height / 20 {
                let x = 1 + random.below(width as u64 - 2) as usize;
                let y = 1 + random.below(height as u64 - 2) as usize;
                if has(&free, x, y) {
                    ends.insert(x, y);
                }
            }
            for delta in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)] {
                let reaching = free.reaching(&ends, delta);
                let stepped = free.and_step(&ends, delta);
                for y in 1..height - 1 {
                    for x in 1..width - 1 {
                        let next = |(x, y): (usize, usize)| {
                            (
                                x.wrapping_add_signed(delta.0 as isize),
                                y.wrapping_add_signed(delta.1 as isize),
                            )
                        };
                        let mut at = (x, y);
                        let mut found = false;
                        while has(&free, at.0, at.1) && !found {
                            at = next(at);
                            found = has(&ends, at.0, at.1);
                        }
                        assert_eq!(has(&reaching, x, y), found, "{x},{y} {delta:?}");
                        let (x1, y1) = next((x, y));
                        let step = has(&free, x, y) && has(&ends, x1, y1);
                        assert_eq!(has(&stepped, x, y), step);
                    }
                }
            }
        }
    }
}
