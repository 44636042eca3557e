//! Bitmaps along the lines that paths run on: rows, columns and both families of diagonals.
//!
//! The map has a margin of one blocked cell on all sides, and (x, y) count from it. A line is a
//! list of 64-bit words. Each word holds several *kinds* of bits side by side, because they are
//! read together. Rows run along x, all other lines along y. Diagonals wrap around at the sides of
//! the map, where the margin separates them. So there is one diagonal per column, as long as a
//! column.

use rayon::prelude::*;

use super::canonical_run::PaddedCell;
use super::cell_bits::{CellBits, bits_round, transpose};
use crate::kernel::prefetch_element;

const WORD: usize = 64;

/// All cells of a map in square tiles of 64 by 64. Row by row, each cell of a large map would touch
/// columns and diagonals that are not in the cache.
pub(super) fn tile_by_tile(width: u32, height: u32) -> impl Iterator<Item = PaddedCell> {
    const SIDE: u32 = WORD as u32;
    let tiles = (0..height.div_ceil(SIDE))
        .flat_map(move |row| (0..width.div_ceil(SIDE)).map(move |column| (row, column)));
    tiles.flat_map(move |(row, column)| {
        let along = move |at: u32, end: u32| at * SIDE..(at * SIDE).saturating_add(SIDE).min(end);
        along(row, height).flat_map(move |y| along(column, width).map(move |x| PaddedCell { x, y }))
    })
}

/// The cells that have a bit of one kind, or those that have not.
#[derive(Clone, Copy)]
pub(super) struct Plane<'a> {
    pub(super) kind: usize,
    pub(super) bits: &'a CellBits,
    pub(super) inverted: bool,
}

impl<'a> Plane<'a> {
    pub(super) fn of(kind: usize, bits: &'a CellBits) -> Self {
        Self { kind, bits, inverted: false }
    }

    pub(super) fn all_but(kind: usize, bits: &'a CellBits) -> Self {
        Self { kind, bits, inverted: true }
    }

    fn word(&self, bits: u64) -> u64 {
        if self.inverted { !bits } else { bits }
    }
}

/// The lines of one orientation, with `KINDS` kinds of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BitLines<const KINDS: usize> {
    /// Line by line.
    words: Vec<[u64; KINDS]>,
    /// Words per line.
    len: usize,
}

impl<const KINDS: usize> BitLines<KINDS> {
    /// `count` lines of `positions` bits each. All bits are zero except those of the kinds in
    /// `ones`.
    pub(super) fn new(count: usize, positions: usize, ones: &[usize]) -> Self {
        let len = positions.div_ceil(WORD);
        let mut word = [0; KINDS];
        ones.iter().for_each(|&kind| word[kind] = u64::MAX);
        Self { words: vec![word; count * len], len }
    }

    /// Writes all bits of some kinds, on lines along x.
    pub(super) fn fill_rows(&mut self, planes: &[Plane<'_>]) {
        let len = self.len;
        self.words.par_chunks_mut(WORD * len).enumerate().for_each(|(band, rows)| {
            for (y, row) in (band * WORD..).zip(rows.chunks_mut(len)) {
                for plane in planes {
                    for (word, &bits) in row.iter_mut().zip(plane.bits.row(y)) {
                        word[plane.kind] = plane.word(bits);
                    }
                }
            }
        });
    }

    /// Writes all bits of some kinds, on lines along y, one for each column. `x` tells where the
    /// first of consecutive lines is in a row; the others follow, and go round at the end.
    pub(super) fn fill_turned(
        &mut self,
        planes: &[Plane<'_>],
        x: impl Fn(usize, usize) -> usize + Sync,
    ) {
        let (len, width) = (self.len, self.words.len() / self.len);
        self.words.par_chunks_mut(WORD * len).enumerate().for_each(|(band, lines)| {
            for column in 0..len {
                for plane in planes {
                    let mut square = [0; WORD];
                    let rows = column * WORD..plane.bits.height();
                    for (bits, y) in square.iter_mut().zip(rows) {
                        *bits = bits_round(plane.bits.row(y), width, x(band * WORD, y));
                    }
                    transpose(&mut square);
                    for (line, &bits) in lines.chunks_mut(len).zip(&square) {
                        line[column][plane.kind] = plane.word(bits);
                    }
                }
            }
        });
    }

    /// The words of a line.
    #[inline(always)]
    pub(super) fn words(&self, line: usize) -> &[[u64; KINDS]] {
        &self.words[line * self.len..][..self.len]
    }

    #[inline(always)]
    pub(super) fn line(&self, line: usize) -> BitLine<'_, KINDS> {
        BitLine { words: self.words(line) }
    }

    /// Writes a bit. Returns whether it already had this value.
    pub(super) fn set(&mut self, line: usize, at: usize, kind: usize, value: bool) -> bool {
        let word = &mut self.words[line * self.len + at / WORD][kind];
        let bit = 1 << (at % WORD);
        let same = (*word & bit != 0) == value;
        if !same {
            *word ^= bit;
        }
        same
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }
}

/// Read access to one line.
#[derive(Clone, Copy)]
pub(super) struct BitLine<'a, const KINDS: usize> {
    words: &'a [[u64; KINDS]],
}

impl<'a, const KINDS: usize> BitLine<'a, KINDS> {
    #[inline(always)]
    pub(super) fn bit(self, at: usize, kind: usize) -> bool {
        self.words[at / WORD][kind] >> (at % WORD) & 1 != 0
    }

    /// Prefetches the word of a position.
    #[inline(always)]
    pub(super) fn prefetch(self, at: usize) {
        prefetch_element(self.words, at / WORD);
    }

    /// The first position from `from` on, upward or downward, where `bits` of the word has a one.
    /// `None` beyond the end of the line.
    #[inline(always)]
    pub(super) fn first(
        self,
        from: usize,
        upward: bool,
        bits: impl Fn(&[u64; KINDS]) -> u64,
    ) -> Option<usize> {
        let mut at = from / WORD;
        let mut found = bits(self.words.get(at)?) & part(from, upward);
        while found == 0 {
            at = if upward { at + 1 } else { at.wrapping_sub(1) };
            found = bits(self.words.get(at)?);
        }
        let bit = if upward { found.trailing_zeros() } else { 63 - found.leading_zeros() };
        Some(at * WORD + bit as usize)
    }

    /// Visits all positions from `low` to `high`, both inclusive, where `kind` has a one.
    #[inline(always)]
    pub(super) fn each(
        self,
        low: usize,
        high: usize,
        kind: usize,
        upward: bool,
        mut visit: impl FnMut(usize),
    ) {
        let (first, last) = (low / WORD, high / WORD);
        for step in 0..=last - first {
            let at = if upward { first + step } else { last - step };
            let Some(word) = self.words.get(at) else { return };
            let mut bits = word[kind];
            if at == first {
                bits &= part(low, true);
            }
            if at == last {
                bits &= part(high, false);
            }
            while bits != 0 {
                let bit = if upward { bits.trailing_zeros() } else { 63 - bits.leading_zeros() };
                visit(at * WORD + bit as usize);
                bits ^= 1 << bit;
            }
        }
    }
}

/// A mask of the bits of a word from this position on, upward or downward.
#[inline(always)]
fn part(from: usize, upward: bool) -> u64 {
    match upward {
        true => u64::MAX << (from % WORD),
        false => u64::MAX >> (WORD - 1 - from % WORD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_tile() {
        for (width, height) in [(1, 1), (3, 64), (64, 65), (130, 70)] {
            let mut cells: Vec<_> =
                tile_by_tile(width, height).map(|PaddedCell { x, y }| (y, x)).collect();
            cells.sort_unstable();
            let expected = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
            assert!(cells.into_iter().eq(expected), "{width} x {height}");
        }
    }

    #[test]
    fn scans_agree_with_single_bits() {
        let ones = [3, 62, 63, 64, 127, 130, 199];
        let mut lines = BitLines::<2>::new(1, 200, &[]);
        ones.iter().for_each(|&at| assert!(!lines.set(0, at, 1, true)));
        assert!(!lines.set(0, 5, 1, true) && lines.set(0, 5, 1, true));
        assert!(!lines.set(0, 5, 1, false));
        let line = lines.line(0);
        for from in 0..200 {
            let above = ones.iter().copied().find(|&at| at >= from);
            let below = ones.iter().copied().rev().find(|&at| at <= from);
            assert_eq!(line.first(from, true, |word| word[1]), above, "up from {from}");
            assert_eq!(line.first(from, false, |word| word[1]), below, "down from {from}");
            assert_eq!(line.bit(from, 1), ones.contains(&from));
            for to in from..200 {
                let mut found = Vec::new();
                line.each(from, to, 1, true, |at| found.push(at));
                let expected = ones.iter().copied().filter(|at| (from..=to).contains(at));
                assert_eq!(found, expected.collect::<Vec<_>>(), "{from} to {to}");
                let mut back = Vec::new();
                line.each(from, to, 1, false, |at| back.insert(0, at));
                assert_eq!(found, back, "{to} down to {from}");
            }
        }
        assert_eq!(line.first(199, true, |word| word[0]), None);
    }
}
