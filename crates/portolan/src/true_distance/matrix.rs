//! All-pairs distances between a few places: canonical nodes, borders, gates or portals.
//!
//! Full rows if distances depend on the direction, otherwise only the entries below the diagonal.

use super::packed_costs::PackedCosts;
use crate::cost::Cost;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};

/// A matrix of distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DistanceMatrix {
    size: usize,
    undirected: bool,
    costs: PackedCosts,
}

impl DistanceMatrix {
    /// The number of entries for `size` places. `None` on overflow.
    pub(crate) fn len(size: usize, undirected: bool) -> Option<usize> {
        let full = size.checked_mul(size)?;
        Some(if undirected { (full - size) / 2 } else { full })
    }

    /// The size in bytes, with distances in multiples of `unit`. Saturates on overflow.
    pub(crate) fn bytes(size: usize, undirected: bool, unit: Option<Cost>) -> u64 {
        let len = Self::len(size, undirected).unwrap_or(usize::MAX) as u64;
        len.saturating_mul(PackedCosts::width(unit))
    }

    /// From one row per place, each with one entry per place, in multiples of `unit`.
    pub(crate) fn from_rows(rows: &[Vec<Cost>], undirected: bool, unit: Option<Cost>) -> Self {
        let kept = rows.iter().enumerate();
        let kept = kept.map(|(at, row)| if undirected { &row[..at] } else { &row[..] });
        let costs = PackedCosts::new(kept.flatten().copied(), unit);
        Self { size: rows.len(), undirected, costs }
    }

    /// Reads a matrix from a section of an index file.
    pub(crate) fn open(
        index: &IndexFile,
        section: &'static str,
        (size, undirected): (usize, bool),
        unit: Cost,
    ) -> Result<Self, OpenError> {
        let costs = PackedCosts::open(index, section, unit)?;
        let found = costs.len();
        Self::from_costs(size, undirected, costs).ok_or_else(|| {
            let reason = format!("it has {found} entries, which does not match {size} places");
            unusable(section, reason)
        })
    }

    fn from_costs(size: usize, undirected: bool, costs: PackedCosts) -> Option<Self> {
        let fits = Self::len(size, undirected) == Some(costs.len());
        fits.then_some(Self { size, undirected, costs })
    }

    pub(crate) fn store<'a>(&'a self, section: &'static str, writer: &mut IndexWriter<'a>) {
        self.costs.store(section, writer);
    }

    /// The unit of the entries; 0 for none.
    pub(crate) fn unit(&self) -> Cost {
        self.costs.unit()
    }

    /// The number of places.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The distance from one place to another;
    /// [`UNREACHABLE`](crate::cost::UNREACHABLE) if there is no path.
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
    fn both_layouts_return_all_entries() {
        let rows = vec![vec![0, 3, 5], vec![3, 0, 7], vec![5, 7, 0]];
        for undirected in [false, true] {
            let matrix = DistanceMatrix::from_rows(&rows, undirected, None);
            assert_eq!(DistanceMatrix::len(3, undirected), Some(matrix.costs.len()));
            for (from, row) in rows.iter().enumerate() {
                for (to, &cost) in row.iter().enumerate() {
                    assert_eq!(matrix.between(from, to), cost, "{from} to {to}");
                }
            }
        }
    }

    #[test]
    fn places_out_of_range_are_unreachable() {
        let matrix = DistanceMatrix::from_rows(&[vec![0, 1], vec![1, 0]], true, Some(1));
        assert_eq!(matrix.between(0, 9), UNREACHABLE);
        assert_eq!(DistanceMatrix::from_costs(3, true, PackedCosts::Wide(vec![1, 2].into())), None);
        assert_eq!(DistanceMatrix::bytes(usize::MAX, true, None), u64::MAX);
    }
}
