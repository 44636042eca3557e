//! Distances between all pairs of a few places.
//!
//! Full rows where they differ by direction, else what lies below the diagonal; the diagonal is zero and not
//! stored in the latter.

use crate::cost::{Cost, UNREACHABLE};
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matrix {
    size: usize,
    undirected: bool,
    entries: Words,
}

impl Matrix {
    /// How many entries a matrix of so many places has; `None` where they cannot be counted.
    pub(crate) fn len(size: usize, undirected: bool) -> Option<usize> {
        let full = size.checked_mul(size)?;
        Some(if undirected { (full - size) / 2 } else { full })
    }

    /// The same in bytes, with no more than can be counted.
    pub(crate) fn bytes(size: usize, undirected: bool) -> u64 {
        Self::len(size, undirected).map_or(u64::MAX, |len| (len as u64).saturating_mul(4))
    }

    /// From the rows of all places, each with an entry for every place.
    pub(crate) fn from_rows(rows: &[Vec<Cost>], undirected: bool) -> Self {
        let kept = rows.iter().enumerate();
        let kept = kept.map(|(at, row)| if undirected { &row[..at] } else { &row[..] });
        let entries = kept.flatten().copied().collect();
        Self { size: rows.len(), undirected, entries }
    }

    /// From entries as they are stored; `None` where their number is not that of so many places.
    pub(crate) fn from_entries(size: usize, undirected: bool, entries: Words) -> Option<Self> {
        let fits = Self::len(size, undirected) == Some(entries.len());
        fits.then_some(Self { size, undirected, entries })
    }

    pub(crate) fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// How many places there are.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// From one place to another; [`UNREACHABLE`] where there is no way.
    #[inline(always)]
    pub(crate) fn between(&self, from: usize, to: usize) -> Cost {
        if from == to {
            return 0;
        }
        let at = match self.undirected {
            true => {
                let (low, high) = if from < to { (from, to) } else { (to, from) };
                high * (high - 1) / 2 + low
            }
            false => from * self.size + to,
        };
        self.entries.get(at).copied().unwrap_or(UNREACHABLE)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.entries.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_either_form() {
        let rows = vec![vec![0, 3, 5], vec![3, 0, 7], vec![5, 7, 0]];
        for undirected in [false, true] {
            let matrix = Matrix::from_rows(&rows, undirected);
            assert_eq!(Matrix::len(3, undirected), Some(matrix.entries().len()));
            for (from, row) in rows.iter().enumerate() {
                for (to, &cost) in row.iter().enumerate() {
                    assert_eq!(matrix.between(from, to), cost, "{from} to {to}");
                }
            }
        }
    }

    #[test]
    fn places_beyond_the_last_are_far_away() {
        let matrix = Matrix::from_rows(&[vec![0, 1], vec![1, 0]], true);
        assert_eq!(matrix.between(0, 9), UNREACHABLE);
        assert_eq!(Matrix::from_entries(3, true, vec![1, 2].into()), None);
        assert_eq!(Matrix::bytes(usize::MAX, true), u64::MAX);
    }
}
