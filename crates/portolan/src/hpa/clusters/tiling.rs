//! Cuts a grid into square clusters and numbers their abstract nodes.
//!
//! Abstract nodes are on the rim of their cluster, so the number of a node combines its cluster and
//! a position on the rim. Numbers depend only on the cell: if an edit adds or removes a node, all
//! others keep theirs, and edges stay valid.

use crate::graph::NodeId;
use crate::grid::Grid;

/// The number of an abstract node.
pub(crate) type Slot = u32;

/// A map cut into squares; those at the right and lower edge may be smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tiling {
    width: u32,
    height: u32,
    size: u32,
    columns: u32,
    rows: u32,
    /// How many bits of a slot hold the position on the rim.
    bits: u32,
}

/// Cells from `left` and `top` to before `right` and `bottom`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rect {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) right: u32,
    pub(crate) bottom: u32,
}

impl Rect {
    #[inline(always)]
    pub(crate) fn contains(&self, (x, y): (u32, u32)) -> bool {
        x >= self.left && x < self.right && y >= self.top && y < self.bottom
    }

    pub(crate) fn width(&self) -> u32 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> u32 {
        self.bottom - self.top
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        (self.width() * self.height()) as usize
    }

    /// The index of one of its cells, row by row.
    #[inline(always)]
    pub(crate) fn local(&self, (x, y): (u32, u32)) -> usize {
        ((y - self.top) * self.width() + (x - self.left)) as usize
    }

    /// All cells, row by row.
    pub(crate) fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (self.top..self.bottom).flat_map(move |y| (self.left..self.right).map(move |x| (x, y)))
    }
}

impl Tiling {
    /// `None` if there would be more slots than numbers.
    pub(crate) fn new(grid: &Grid, size: u32) -> Option<Self> {
        let (width, height) = (grid.width(), grid.height());
        let bits = (4 * size).next_power_of_two().trailing_zeros();
        let (columns, rows) = (width.div_ceil(size), height.div_ceil(size));
        let slots = (u64::from(columns) * u64::from(rows)) << bits;
        (slots < u64::from(u32::MAX)).then_some(Self { width, height, size, columns, rows, bits })
    }

    /// Cells along the side of a cluster.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// The number of clusters.
    pub(crate) fn len(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// One more than the largest slot.
    pub(crate) fn slots(&self) -> usize {
        self.len() << self.bits
    }

    /// The cluster of a cell of the map.
    #[inline(always)]
    pub(crate) fn cluster_at(&self, (x, y): (u32, u32)) -> u32 {
        y / self.size * self.columns + x / self.size
    }

    #[inline(always)]
    pub(crate) fn cluster_of(&self, slot: Slot) -> u32 {
        slot >> self.bits
    }

    /// The position on the rim of its cluster, below four times the size.
    #[inline(always)]
    pub(crate) fn rim_position(&self, slot: Slot) -> usize {
        (slot & ((1 << self.bits) - 1)) as usize
    }

    /// The number of positions that a rim may have.
    pub(crate) fn rim_positions(&self) -> usize {
        4 * self.size as usize
    }

    #[inline(always)]
    pub(crate) fn slot(&self, cluster: u32, place: usize) -> Slot {
        cluster << self.bits | place as Slot
    }

    /// The column and row of a cluster among the clusters.
    pub(crate) fn column_and_row(&self, cluster: u32) -> (u32, u32) {
        (cluster % self.columns, cluster / self.columns)
    }

    /// The cluster in this column and row; `None` outside the map.
    pub(crate) fn cluster(&self, column: u32, row: u32) -> Option<u32> {
        (column < self.columns && row < self.rows).then(|| row * self.columns + column)
    }

    /// The cells of a cluster.
    #[inline(always)]
    pub(crate) fn rect(&self, cluster: u32) -> Rect {
        let (column, row) = self.column_and_row(cluster);
        let (left, top) = (column * self.size, row * self.size);
        let right = left.saturating_add(self.size).min(self.width);
        let bottom = top.saturating_add(self.size).min(self.height);
        Rect { left, top, right, bottom }
    }

    /// The slot of a cell on the rim of its cluster: the upper side comes first, then the lower,
    /// the left and the right one.
    pub(crate) fn slot_at(&self, (x, y): (u32, u32)) -> Slot {
        let cluster = self.cluster_at((x, y));
        let rect = self.rect(cluster);
        let (across, down) = (x - rect.left, y - rect.top);
        let place = match () {
            _ if y == rect.top => across,
            _ if y + 1 == rect.bottom => self.size + across,
            _ if x == rect.left => 2 * self.size + down,
            _ => 3 * self.size + down,
        };
        self.slot(cluster, place as usize)
    }

    /// The cell of a slot.
    pub(crate) fn cell(&self, slot: Slot) -> (u32, u32) {
        let rect = self.rect(self.cluster_of(slot));
        let place = self.rim_position(slot) as u32;
        let along = place % self.size;
        match place / self.size {
            0 => (rect.left + along, rect.top),
            1 => (rect.left + along, rect.bottom - 1),
            2 => (rect.left, rect.top + along),
            _ => (rect.right - 1, rect.top + along),
        }
    }

    /// The cell of a slot as a node of the map.
    #[inline(always)]
    pub(crate) fn node(&self, slot: Slot) -> NodeId {
        let (x, y) = self.cell(slot);
        y * self.width + x
    }

    /// The cluster of a coarser tiling that contains a slot of this one.
    #[inline(always)]
    pub(crate) fn enclosing_cluster(&self, coarse: &Self, slot: Slot) -> u32 {
        let (column, row) = self.column_and_row(self.cluster_of(slot));
        let by = coarse.size / self.size;
        row / by * coarse.columns + column / by
    }

    /// The tiling whose squares consist of `by` times `by` of these.
    pub(crate) fn coarser(&self, by: u32) -> Self {
        let size = self.size * by;
        let (columns, rows) = (self.columns.div_ceil(by), self.rows.div_ceil(by));
        Self { size, columns, rows, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_of_a_rim_has_a_slot_of_its_own() {
        for (width, height, size) in [(23, 17, 5), (10, 10, 10), (1, 9, 4), (21, 11, 10), (7, 7, 2)]
        {
            let grid = Grid::new(width, height).unwrap();
            let tiling = Tiling::new(&grid, size).unwrap();
            let mut seen = std::collections::HashSet::new();
            for cluster in 0..tiling.len() as u32 {
                let rect = tiling.rect(cluster);
                for (x, y) in rect.cells() {
                    assert_eq!(tiling.cluster_at((x, y)), cluster);
                    let rim = x == rect.left
                        || x + 1 == rect.right
                        || y == rect.top
                        || y + 1 == rect.bottom;
                    if !rim {
                        continue;
                    }
                    let slot = tiling.slot_at((x, y));
                    assert!(seen.insert(slot) && (slot as usize) < tiling.slots());
                    assert_eq!((tiling.cluster_of(slot), tiling.cell(slot)), (cluster, (x, y)));
                    assert_eq!(Some(tiling.node(slot)), grid.node(x, y));
                    let coarse = tiling.coarser(2);
                    assert_eq!(tiling.enclosing_cluster(&coarse, slot), coarse.cluster_at((x, y)));
                }
            }
        }
    }
}
