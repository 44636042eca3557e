//! One bit per cell, with a margin of zeros on all sides.
//!
//! Cell (x, y) is bit x + 1 of row y + 1, so the neighbours of every cell can be read without
//! bounds checks. Each row starts at a new word and ends with at least one bit of margin.

const WORD: usize = 64;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bitmap {
    width: u32,
    height: u32,
    words_per_row: usize,
    words: Vec<u64>,
}

impl Bitmap {
    /// Calls `is_set` row by row from the top, each row from the left.
    pub(super) fn from_fn(
        width: u32,
        height: u32,
        mut is_set: impl FnMut(u32, u32) -> bool,
    ) -> Self {
        let words_per_row = (width as usize + 2).div_ceil(WORD);
        let mut words = vec![0; Self::words(width, height) as usize];
        for y in 0..height {
            let row = &mut words[(y as usize + 1) * words_per_row..][..words_per_row];
            let mut word = 0;
            for x in 0..width {
                let bit = x as usize + 1;
                word |= u64::from(is_set(x, y)) << (bit % WORD);
                if bit % WORD == WORD - 1 {
                    row[bit / WORD] = word;
                    word = 0;
                }
            }
            // The last word, unless the loop has already stored it.
            if width as usize % WORD != WORD - 1 {
                row[width as usize / WORD] = word;
            }
        }
        Self { width, height, words_per_row, words }
    }

    /// The number of words of a map: one more than the bits need, so that a window that starts in
    /// the last word can be read.
    pub(super) fn words(width: u32, height: u32) -> u64 {
        (u64::from(width) + 2).div_ceil(WORD as u64) * (u64::from(height) + 2) + 1
    }

    pub(super) fn width(&self) -> u32 {
        self.width
    }

    pub(super) fn height(&self) -> u32 {
        self.height
    }

    /// Whether the bit is set; false outside.
    #[inline(always)]
    pub(super) fn get(&self, x: u32, y: u32) -> bool {
        if x >= self.width || y >= self.height {
            return false;
        }
        let bit = x as usize + 1;
        let word = self.words[(y as usize + 1) * self.words_per_row + bit / WORD];
        word >> (bit % WORD) & 1 != 0
    }

    /// Sets or clears the bit of a cell, which must be inside.
    pub(super) fn set(&mut self, x: u32, y: u32, value: bool) {
        debug_assert!(x < self.width && y < self.height);
        let bit = x as usize + 1;
        let word = &mut self.words[(y as usize + 1) * self.words_per_row + bit / WORD];
        let mask = 1 << (bit % WORD);
        if value { *word |= mask } else { *word &= !mask }
    }

    /// The 3 x 3 bits around a cell, which must be inside: the row above, its own, the row below,
    /// each with the left bit lowest.
    #[inline(always)]
    pub(super) fn window(&self, x: u32, y: u32) -> [u8; 3] {
        let first = y as usize * self.words_per_row + x as usize / WORD;
        let shift = x as usize % WORD;
        let bits = |row: usize| {
            let at = first + row * self.words_per_row;
            let low = self.words[at] >> shift;
            // Two shifts, because a single one would shift by a whole word for `shift == 0`.
            let high = self.words[at + 1] << 1 << (WORD - 1 - shift);
            ((low | high) & 7) as u8
        };
        [bits(0), bits(1), bits(2)]
    }

    /// All words, and the number of words per row; see the module head.
    pub(super) fn rows(&self) -> (&[u64], usize) {
        (&self.words, self.words_per_row)
    }

    /// The number of bits in which two maps of the same size differ.
    pub(super) fn differences(&self, other: &Self) -> usize {
        let chunks = self.words.chunks(WORD).zip(other.words.chunks(WORD));
        let changed = chunks.filter(|(a, b)| a != b).flat_map(|(a, b)| a.iter().zip(b));
        changed.map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// The cells whose bits differ in two maps of the same size, row by row.
    pub(super) fn differing(&self, other: &Self) -> impl Iterator<Item = (u32, u32)> {
        let words = self.words.iter().zip(&other.words).enumerate();
        words.filter(|(_, (a, b))| a != b).flat_map(|(at, (a, b))| {
            let (y, first) = (at / self.words_per_row - 1, at % self.words_per_row * WORD);
            let bits = a ^ b;
            let set = (0..WORD).filter(move |bit| bits >> bit & 1 != 0);
            set.map(move |bit| ((first + bit - 1) as u32, y as u32))
        })
    }

    pub(super) fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_agree_with_single_bits_at_every_word_boundary() {
        for width in [1, 2, 61, 62, 63, 64, 65, 126, 127, 128, 129] {
            let noise = |x: u32, y: u32| !(x * 7 + y * 13 + x * y).is_multiple_of(3);
            let mut map = Bitmap::from_fn(width, 3, noise);
            map.set(width - 1, 1, true);
            map.set(0, 2, false);
            let expected = |x: u32, y: u32| match (x, y) {
                _ if x >= width || y >= 3 => false,
                (0, 2) => false,
                (x, 1) if x == width - 1 => true,
                _ => noise(x, y),
            };
            let mut ones = 0;
            for y in 0..3 {
                for x in 0..width {
                    assert_eq!(map.get(x, y), expected(x, y), "{x},{y} of width {width}");
                    ones += usize::from(map.get(x, y));
                    let window = map.window(x, y);
                    for dy in 0..3 {
                        for dx in 0..3 {
                            let (cx, cy) = ((x + dx).wrapping_sub(1), (y + dy).wrapping_sub(1));
                            let bit = window[dy as usize] >> dx & 1 != 0;
                            assert_eq!(bit, expected(cx, cy), "{cx},{cy} of width {width}");
                        }
                    }
                }
            }
            assert_eq!(map.count_ones(), ones);
        }
    }
}
