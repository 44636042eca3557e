//! What DHPA* stores: for every abstract node of a cluster and every cell of it, the cost between
//! them and the direction of the first step from the cell to the node.
//!
//! On grids of one terrain a cost is a number of straight and a number of diagonal steps. In
//! clusters of up to 10 x 10 cells each fits into a byte, so an entry with its direction takes
//! three bytes. Elsewhere it takes eight, as in the paper's experiments.

use super::cell_search::{ClusterSearch, NOWHERE};
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::grid::Grid;

/// The entries of a cluster, node by node, cell by cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellCache {
    cells: usize,
    entries: CacheEntries,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum CacheEntries {
    /// Straight steps, diagonal steps, direction.
    Counts(Vec<[u8; 3]>),
    /// Cost and direction.
    Costs(Vec<(Cost, u8)>),
}

/// The largest clusters whose entries take three bytes.
pub(crate) const COMPACT_SIZE: u32 = 10;

/// The number of steps from an unreachable cell.
const NONE: u8 = u8::MAX;

/// Whether entries take three bytes.
pub(crate) fn is_compact(grid: &Grid, size: u32) -> bool {
    size <= COMPACT_SIZE && !grid.has_terrain()
}

/// Bytes of an entry.
pub(crate) fn entry_bytes(compact: bool) -> usize {
    if compact { size_of::<[u8; 3]>() } else { size_of::<(Cost, u8)>() }
}

impl CellCache {
    /// An empty cache for a cluster of this many cells, with capacity for this many nodes.
    pub(crate) fn new(compact: bool, cells: usize, nodes: usize) -> Self {
        let entries = match compact {
            true => CacheEntries::Counts(Vec::with_capacity(cells * nodes)),
            false => CacheEntries::Costs(Vec::with_capacity(cells * nodes)),
        };
        Self { cells, entries }
    }

    /// An empty cache for the same cells, with capacity for this many nodes.
    pub(crate) fn like(&self, nodes: usize) -> Self {
        Self::new(matches!(self.entries, CacheEntries::Counts(_)), self.cells, nodes)
    }

    /// Adds the root of the last search.
    pub(crate) fn push(&mut self, search: &ClusterSearch) {
        let found = search.costs().iter().zip(search.toward());
        match &mut self.entries {
            CacheEntries::Counts(entries) => {
                entries.extend(found.map(|(&cost, &toward)| {
                    let [straight, diagonal] = counts(cost);
                    [straight, diagonal, toward]
                }));
            }
            CacheEntries::Costs(entries) => {
                entries.extend(found.map(|(&cost, &toward)| (cost, toward)));
            }
        }
    }

    /// Copies a node from another cache of the same cluster, whose cells have not changed.
    pub(crate) fn push_from(&mut self, other: &Self, node: usize) {
        let range = node * self.cells..(node + 1) * self.cells;
        match (&mut self.entries, &other.entries) {
            (CacheEntries::Counts(to), CacheEntries::Counts(from)) => {
                to.extend_from_slice(&from[range])
            }
            (CacheEntries::Costs(to), CacheEntries::Costs(from)) => {
                to.extend_from_slice(&from[range])
            }
            _ => debug_assert!(false, "two caches of one engine"),
        }
    }

    /// The cost between a node and a cell; [`UNREACHABLE`] if no path within the cluster joins
    /// them.
    #[inline(always)]
    pub(crate) fn cost(&self, node: usize, cell: usize) -> Cost {
        let at = node * self.cells + cell;
        match &self.entries {
            CacheEntries::Counts(entries) => match entries[at] {
                [NONE, ..] => UNREACHABLE,
                [straight, diagonal, _] => {
                    Cost::from(straight) * STRAIGHT + Cost::from(diagonal) * DIAGONAL
                }
            },
            CacheEntries::Costs(entries) => entries[at].0,
        }
    }

    /// The direction of the first step from a cell to a node; [`NOWHERE`] at the node itself and if
    /// there is no path.
    #[inline(always)]
    pub(crate) fn toward(&self, node: usize, cell: usize) -> u8 {
        let at = node * self.cells + cell;
        match &self.entries {
            CacheEntries::Counts(entries) => entries[at][2],
            CacheEntries::Costs(entries) => entries[at].1,
        }
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        match &self.entries {
            CacheEntries::Counts(entries) => entries.len(),
            CacheEntries::Costs(entries) => entries.len(),
        }
    }

    /// Bytes on the heap and of the cache itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        let entries = match &self.entries {
            CacheEntries::Counts(entries) => entries.capacity() * size_of::<[u8; 3]>(),
            CacheEntries::Costs(entries) => entries.capacity() * size_of::<(Cost, u8)>(),
        };
        size_of::<Self>() + entries
    }
}

/// The straight and diagonal steps of a cost. With p and q for the costs of a diagonal and a
/// straight step, p p = 2 q q - 1. So -p is the inverse of p modulo q, which yields the diagonal
/// steps.
fn counts(cost: Cost) -> [u8; 2] {
    const INVERSE: u64 = (STRAIGHT - DIAGONAL % STRAIGHT) as u64;
    if cost == UNREACHABLE {
        return [NONE; 2];
    }
    let diagonal = (u64::from(cost) * INVERSE % u64::from(STRAIGHT)) as Cost;
    [((cost - diagonal * DIAGONAL) / STRAIGHT) as u8, diagonal as u8]
}

/// Whether this is a direction, as an index of `Heading::ALL`.
pub(crate) fn is_direction(direction: u8) -> bool {
    direction < NOWHERE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_derived_from_costs() {
        assert_eq!(
            u64::from(DIAGONAL) * u64::from(STRAIGHT - DIAGONAL % STRAIGHT) % u64::from(STRAIGHT),
            1
        );
        for straight in 0..100 {
            for diagonal in 0..100 {
                let cost = straight * STRAIGHT + diagonal * DIAGONAL;
                assert_eq!(counts(cost), [straight as u8, diagonal as u8]);
            }
        }
    }
}
