//! Distances between all pairs of a few places.
//!
//! Full rows where they differ by direction, else what lies below the diagonal; the diagonal is
//! zero and not stored in the latter.

use super::costs::Costs;
use crate::cost::Cost;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matrix {
    size: usize,
    undirected: bool,
    costs: Costs,
}

impl Matrix {
    /// How many entries a matrix of so many places has; `None` where they cannot be counted.
    pub(crate) fn len(size: usize, undirected: bool) -> Option<usize> {
        let full = size.checked_mul(size)?;
        Some(if undirected { (full - size) / 2 } else { full })
    }

    /// The same in bytes, where distances are counted in a unit or not, with no more than can be
    /// counted.
    pub(crate) fn bytes(size: usize, undirected: bool, unit: Option<Cost>) -> u64 {
        let len = Self::len(size, undirected).unwrap_or(usize::MAX) as u64;
        len.saturating_mul(Costs::width(unit))
    }

    /// From the rows of all places, each with an entry for every place, counted in a unit if there
    /// is one.
    pub(crate) fn from_rows(rows: &[Vec<Cost>], undirected: bool, unit: Option<Cost>) -> Self {
        let kept = rows.iter().enumerate();
        let kept = kept.map(|(at, row)| if undirected { &row[..at] } else { &row[..] });
        let costs = Costs::new(kept.flatten().copied(), unit);
        Self { size: rows.len(), undirected, costs }
    }

    /// From costs as they are stored; `None` where their number is not that of so many places.
    pub(crate) fn from_costs(size: usize, undirected: bool, costs: Costs) -> Option<Self> {
        let fits = Self::len(size, undirected) == Some(costs.len());
        fits.then_some(Self { size, undirected, costs })
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
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
        self.costs.get(at)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.costs.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::UNREACHABLE;

    #[test]
    fn entries_are_found_in_either_form() {
        let rows = vec![vec![0, 3, 5], vec![3, 0, 7], vec![5, 7, 0]];
        for undirected in [false, true] {
            let matrix = Matrix::from_rows(&rows, undirected, None);
            assert_eq!(Matrix::len(3, undirected), Some(matrix.costs().len()));
            for (from, row) in rows.iter().enumerate() {
                for (to, &cost) in row.iter().enumerate() {
                    assert_eq!(matrix.between(from, to), cost, "{from} to {to}");
                }
            }
        }
    }

    #[test]
    fn places_beyond_the_last_are_far_away() {
        let matrix = Matrix::from_rows(&[vec![0, 1], vec![1, 0]], true, Some(1));
        assert_eq!(matrix.between(0, 9), UNREACHABLE);
        assert_eq!(Matrix::from_costs(3, true, Costs::Wide(vec![1, 2].into())), None);
        assert_eq!(Matrix::bytes(usize::MAX, true, None), u64::MAX);
    }
}
