//! Clearance: the largest unit that fits at each cell, and the map for units of a given size.
//!
//! The clearance of a cell is the side of the largest passable square with this cell at its top
//! left. It is one more than the least clearance to its right, below and diagonally below, or zero
//! if the cell is blocked.

use std::collections::VecDeque;
use std::ops::Range;

use super::{Connectivity, Grid, GridError};
use crate::changes::{CellChange, Changes, TerrainChange};
use crate::debug::debug_by_name;
use crate::graph::NodeId;

/// The clearance of every cell; made by [`Grid::clearance`].
#[derive(Clone, PartialEq, Eq)]
pub struct Clearance {
    width: u32,
    sides: Vec<u16>,
}

debug_by_name!("Clearance", [] Clearance, |clearance| "width" = clearance.width);

impl Clearance {
    /// The side of the largest passable square with this cell at its top left; zero for blocked
    /// cells and outside the map. Saturates at 65,535.
    pub fn at(&self, x: u32, y: u32) -> u16 {
        if x >= self.width {
            return 0;
        }
        let index = y as usize * self.width as usize + x as usize;
        self.sides.get(index).copied().unwrap_or(0)
    }
}

/// Why there is no map for a unit of this size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A unit covers at least one cell.
    #[error("a unit of 0 x 0 cells covers nothing; the smallest is 1 x 1")]
    Nothing,
    /// The largest size is 65,535.
    #[error("a unit of {size} x {size} cells is beyond the largest, 65535 x 65535")]
    TooLarge {
        /// The requested side.
        size: u32,
    },
    /// A block of hex cells changes its shape from row to row.
    #[error(
        "units of more than one cell are not defined on hex grids; make the grid four- or eight-connected"
    )]
    Hex,
}

impl Grid {
    /// The clearance of every cell.
    pub fn clearance(&self) -> Clearance {
        let mut sides = vec![0; self.width() as usize * self.height() as usize];
        self.clearance_rows(|y, row| {
            sides[y as usize * row.len()..][..row.len()].copy_from_slice(row);
        });
        Clearance { width: self.width(), sides }
    }

    /// The map for a unit of `size` x `size` cells, positioned by its top left cell. A cell is
    /// passable if the whole unit fits. Its terrain factor is the largest one under the unit.
    pub fn for_agent(&self, size: u32) -> Result<Self, AgentError> {
        let side = match u16::try_from(size) {
            Ok(0) => return Err(AgentError::Nothing),
            Ok(1) => return Ok(self.clone()),
            Ok(_) if self.connectivity == Connectivity::Hex => return Err(AgentError::Hex),
            Ok(side) => side,
            Err(_) => return Err(AgentError::TooLarge { size }),
        };
        let width = self.width() as usize;
        let mut fits = vec![0u64; (width * self.height() as usize).div_ceil(64)];
        self.clearance_rows(|y, row| {
            for (x, _) in row.iter().enumerate().filter(|&(_, &found)| found >= side) {
                let index = y as usize * width + x;
                fits[index / 64] |= 1 << (index % 64);
            }
        });
        let fits_at = |x: u32, y: u32| {
            let index = y as usize * width + x as usize;
            fits[index / 64] >> (index % 64) & 1 != 0
        };
        self.with_cells(fits_at, size).map_err(|_| AgentError::TooLarge { size })
    }

    /// The changes of the [map for a unit](Self::for_agent) of this size that follow from changes
    /// already applied to this grid. `before` is the unit's map before them. Looks at the cells
    /// within a unit's size of each change.
    pub(crate) fn agent_changes(&self, before: &Self, size: u32, changes: &Changes) -> Changes {
        // Clearances saturate at 65,535, and no unit is larger.
        let side = u16::try_from(size).unwrap_or(u16::MAX);
        let mut found = Changes::default();
        for change in &changes.cells {
            let Some((columns, rows)) = self.square_around(change.node, size) else { continue };
            let (left, (right, below)) = (columns.start, self.split(change.node));
            self.clearance_of(columns, rows, |y, row| {
                let upper_left = (left..).zip(row).filter(|&(x, _)| x <= right && y <= below);
                for (x, &clearance) in upper_left {
                    let (node, passable) = (self.join(x, y), clearance >= side);
                    if passable != before.is_passable(x, y) {
                        found.cells.push(CellChange { node, passable });
                    }
                }
            });
        }
        found.cells.sort_unstable_by_key(|change| change.node);
        found.cells.dedup();
        for change in &changes.terrain {
            let Some((columns, rows)) = self.square_around(change.node, size) else { continue };
            let (right, below) = self.split(change.node);
            let cells = || rows.clone().flat_map(|y| columns.clone().map(move |x| (x, y)));
            let mut factors: Vec<u8> = cells().filter_map(|(x, y)| self.factor(x, y)).collect();
            square_maxima(&mut factors, columns.len(), side.into());
            for ((x, y), factor) in
                cells().zip(factors).filter(|&((x, y), _)| x <= right && y <= below)
            {
                if before.factor(x, y) != Some(factor) {
                    found.terrain.push(TerrainChange { node: self.join(x, y), factor });
                }
            }
        }
        found.terrain.sort_unstable_by_key(|change| change.node);
        found.terrain.dedup();
        found
    }

    /// The columns and rows of all units of this size that cover a cell.
    fn square_around(&self, node: NodeId, size: u32) -> Option<(Range<u32>, Range<u32>)> {
        let (x, y) = self.position(node)?;
        let columns = x.saturating_sub(size - 1)..self.width().min(x.saturating_add(size));
        let rows = y.saturating_sub(size - 1)..self.height().min(y.saturating_add(size));
        Some((columns, rows))
    }

    /// A grid with these cells and the same rules. Its terrain is the largest factor under a square
    /// of this side.
    fn with_cells(
        &self,
        is_passable: impl FnMut(u32, u32) -> bool,
        side: u32,
    ) -> Result<Self, GridError> {
        let grid = Self::from_fn(self.width(), self.height(), is_passable)?
            .with_connectivity(self.connectivity)
            .with_corners(self.corners);
        let Some(factors) = self.factors() else { return Ok(grid) };
        let mut largest = factors.to_vec();
        square_maxima(&mut largest, self.width() as usize, side as usize);
        grid.with_terrain(largest)
    }

    /// Calls `take(y, clearances)` for each row, from the last to the first.
    fn clearance_rows(&self, take: impl FnMut(u32, &[u16])) {
        self.clearance_of(0..self.width(), 0..self.height(), take);
    }

    /// Like [`clearance_rows`](Self::clearance_rows) for a rectangle; cells outside it count as
    /// blocked.
    fn clearance_of(
        &self,
        columns: Range<u32>,
        rows: Range<u32>,
        mut take: impl FnMut(u32, &[u16]),
    ) {
        let width = columns.len();
        let (mut row, mut below) = (vec![0u16; width], vec![0u16; width]);
        for y in rows.rev() {
            std::mem::swap(&mut row, &mut below);
            let (mut right, mut diagonal) = (0u16, 0u16);
            for x in (0..width).rev() {
                let side = match self.is_passable(columns.start + x as u32, y) {
                    true => right.min(diagonal).min(below[x]).saturating_add(1),
                    false => 0,
                };
                diagonal = below[x];
                row[x] = side;
                right = side;
            }
            take(y, &row);
        }
    }
}

/// Replaces each value of a table by the largest one in the square of this side with the value at
/// its top left: the maximum over columns of maxima over rows.
fn square_maxima(values: &mut [u8], columns: usize, side: usize) {
    let rows = values.len() / columns;
    (0..rows).for_each(|y| sliding_maximum(values, y * columns, 1, columns, side));
    (0..columns).for_each(|x| sliding_maximum(values, x, columns, rows, side));
}

/// Replaces each of `count` values, `stride` apart from `first` on, by the largest of itself and
/// the next `side - 1`. A decreasing queue holds the values that can still become the largest, so
/// the time does not depend on the side.
fn sliding_maximum(values: &mut [u8], first: usize, stride: usize, count: usize, side: usize) {
    let mut candidates: VecDeque<(usize, u8)> = VecDeque::new();
    for at in (0..count).rev() {
        let value = values[first + at * stride];
        while candidates.back().is_some_and(|&(_, other)| other <= value) {
            candidates.pop_back();
        }
        candidates.push_back((at, value));
        while candidates.front().is_some_and(|&(other, _)| other >= at + side) {
            candidates.pop_front();
        }
        values[first + at * stride] = candidates.front().map_or(value, |&(_, largest)| largest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn largest_square(grid: &Grid, x: u32, y: u32) -> u16 {
        (1..=20)
            .take_while(|&side| {
                (0..side).all(|dy| (0..side).all(|dx| grid.is_passable(x + dx, y + dy)))
            })
            .last()
            .map_or(0, |side| side as u16)
    }

    #[test]
    fn clearance_is_the_side_of_the_largest_square() {
        let mut random = Random::new(5);
        for _ in 0..60 {
            let grid = Grid::from_fn(13, 11, |_, _| random.below(9) > 0).unwrap();
            let clearance = grid.clearance();
            for y in 0..11 {
                for x in 0..13 {
                    assert_eq!(clearance.at(x, y), largest_square(&grid, x, y));
                }
            }
            let large = grid.for_agent(3).unwrap();
            for y in 0..11 {
                for x in 0..13 {
                    assert_eq!(large.is_passable(x, y), largest_square(&grid, x, y) >= 3);
                }
            }
        }
        assert_eq!(Grid::new(2, 2).unwrap().clearance().at(5, 0), 0);
    }

    #[test]
    fn a_large_unit_pays_for_the_most_expensive_cell_under_it() {
        let grid = Grid::new(4, 3).unwrap();
        let grid = grid.with_terrain(vec![1, 1, 5, 1, 1, 7, 1, 1, 2, 1, 1, 3]).unwrap();
        let large = grid.for_agent(2).unwrap();
        let factor = |x, y| large.factor(x, y).unwrap();
        assert_eq!([factor(0, 0), factor(1, 0), factor(2, 0), factor(0, 1)], [7, 7, 5, 7]);
        assert_eq!(factor(2, 1), 3);
    }

    /// After an edit the map of a unit equals one built from scratch, and the changes name only
    /// cells that changed.
    #[test]
    fn maps_for_units_follow_edits() {
        let mut random = Random::new(6);
        for round in 0..60 {
            let (width, height) = (1 + random.below(14) as u32, 1 + random.below(14) as u32);
            let mut grid = Grid::from_fn(width, height, |_, _| random.below(6) > 0).unwrap();
            let cells = width * height;
            if round % 2 == 0 {
                let factors = (0..cells).map(|_| 1 + random.below(5) as u8).collect();
                grid = grid.with_terrain(factors).unwrap();
            }
            let size = 1 + random.below(5) as u32;
            let mut sized = grid.for_agent(size).unwrap();
            for _ in 0..20 {
                let mut node = || random.below(u64::from(cells)) as NodeId;
                let nodes: [NodeId; 6] = std::array::from_fn(|_| node());
                let cells = nodes[..4].iter().map(|&node| (node, random.below(3) > 0));
                let cells = cells.map(|(node, passable)| CellChange { node, passable }).collect();
                let terrain = nodes[4..].iter().map(|&node| (node, 1 + random.below(5) as u8));
                let terrain = terrain.map(|(node, factor)| TerrainChange { node, factor });
                let terrain = terrain.filter(|_| grid.has_terrain()).collect();
                let changes = Changes { cells, terrain, ..Changes::default() };
                grid.apply(&changes).unwrap();
                let found = grid.agent_changes(&sized, size, &changes);
                let before = sized.clone();
                sized.apply(&found).unwrap();
                assert_eq!(sized, grid.for_agent(size).unwrap(), "size {size}");
                for change in &found.cells {
                    let (x, y) = grid.split(change.node);
                    assert_ne!(before.is_passable(x, y), change.passable);
                }
                for change in &found.terrain {
                    let (x, y) = grid.split(change.node);
                    assert_ne!(before.factor(x, y), Some(change.factor));
                }
            }
        }
    }

    #[test]
    fn sliding_maxima_agree_with_a_scan_of_every_window() {
        let mut random = Random::new(9);
        for side in [1, 2, 3, 7, 40] {
            let values: Vec<u8> = (0..60).map(|_| random.below(256) as u8).collect();
            let mut slid = values.clone();
            sliding_maximum(&mut slid, 1, 2, 29, side);
            for at in 0..29 {
                let window = (at..29.min(at + side)).map(|i| values[1 + 2 * i]);
                assert_eq!(Some(slid[1 + 2 * at]), window.max());
                assert_eq!(slid[2 * at], values[2 * at]);
            }
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let grid = Grid::new(4, 4).unwrap();
        assert_eq!(grid.for_agent(0).unwrap_err(), AgentError::Nothing);
        assert_eq!(grid.for_agent(70_000).unwrap_err(), AgentError::TooLarge { size: 70_000 });
        assert_eq!(grid.for_agent(9).unwrap().passable_count(), 0);
        let hex = grid.with_connectivity(Connectivity::Hex);
        assert_eq!(hex.for_agent(2).unwrap_err(), AgentError::Hex);
    }
}
