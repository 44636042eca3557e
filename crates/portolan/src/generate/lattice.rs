//! The square lattice under rooms and mazes.
//!
//! Walls are one cell thick, at multiples of the pitch in x and y, the first ones along the left
//! and upper edge of the map. Chambers fill the space between them. The right and lower edge have
//! no wall, so the edge may cut the last chambers short, as in the MovingAI maps.

use std::ops::Range;

use super::canvas::Canvas;
use crate::graph::root_of;

/// The chambers, and the walls between neighbours.
///
/// The wall to the right of chamber c has the number 2c, the one below it 2c + 1.
pub(super) struct ChamberLattice {
    width: u32,
    height: u32,
    pitch: u32,
    columns: u32,
    rows: u32,
}

impl ChamberLattice {
    /// A lattice of this pitch, at least 2, on a map whose sides are at least 2.
    pub(super) fn new(width: u32, height: u32, pitch: u32) -> Self {
        let count = |side: u32| (side - 1).div_ceil(pitch);
        Self { width, height, pitch, columns: count(width), rows: count(height) }
    }

    pub(super) fn chambers(&self) -> u32 {
        self.columns * self.rows
    }

    /// One more than the largest wall number.
    pub(super) fn wall_numbers(&self) -> u32 {
        2 * self.chambers()
    }

    /// The two chambers beside a wall; `None` for outer walls.
    pub(super) fn beside(&self, wall: u32) -> Option<(u32, u32)> {
        let chamber = wall / 2;
        let (column, row) = self.column_and_row(chamber);
        if wall.is_multiple_of(2) {
            (column + 1 < self.columns).then_some((chamber, chamber + 1))
        } else {
            (row + 1 < self.rows).then_some((chamber, chamber + self.columns))
        }
    }

    /// The neighbours of a chamber, each with the wall in between: left, up, right, down.
    pub(super) fn neighbours(&self, chamber: u32) -> impl Iterator<Item = (u32, u32)> {
        let (column, row) = self.column_and_row(chamber);
        let walls = [
            (column > 0).then(|| 2 * (chamber - 1)),
            (row > 0).then(|| 2 * (chamber - self.columns) + 1),
            Some(2 * chamber),
            Some(2 * chamber + 1),
        ];
        walls.into_iter().flatten().filter_map(move |wall| {
            let (a, b) = self.beside(wall)?;
            Some((if a == chamber { b } else { a }, wall))
        })
    }

    /// The cells of a wall between two chambers, as columns and rows; never empty.
    pub(super) fn cells(&self, wall: u32) -> (Range<u32>, Range<u32>) {
        let (column, row) = self.column_and_row(wall / 2);
        let inside = |index: u32, side: u32| {
            let start = index * self.pitch + 1;
            start..start.saturating_add(self.pitch - 1).min(side)
        };
        let (xs, ys) = (inside(column, self.width), inside(row, self.height));
        if wall.is_multiple_of(2) { (xs.end..xs.end + 1, ys) } else { (xs, ys.end..ys.end + 1) }
    }

    /// All chambers free, all walls closed.
    pub(super) fn draw(&self) -> Canvas {
        let is_free = |at: u32| !at.is_multiple_of(self.pitch);
        Canvas::from_fn(self.width, self.height, |x, y| is_free(x) && is_free(y))
    }

    fn column_and_row(&self, chamber: u32) -> (u32, u32) {
        let row = chamber / self.columns;
        (chamber - row * self.columns, row)
    }
}

/// Disjoint sets of chambers: union by smaller number, with path halving.
pub(super) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    pub(super) fn new(count: u32) -> Self {
        Self { parents: (0..count).collect() }
    }

    /// Merges two sets; `false` if they were one already.
    pub(super) fn merge(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (root_of(&mut self.parents, a), root_of(&mut self.parents, b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_may_cut_a_chamber_short() {
        let lattice = ChamberLattice::new(10, 5, 4);
        assert_eq!((lattice.columns, lattice.rows), (3, 1));
        assert_eq!(lattice.cells(0), (4..5, 1..4));
        assert_eq!(lattice.beside(0), Some((0, 1)));
        assert_eq!(lattice.beside(1), None);
        assert_eq!(lattice.neighbours(1).collect::<Vec<_>>(), [(0, 0), (2, 2)]);
        let grid = lattice.draw().into_grid().unwrap();
        assert!(grid.is_passable(9, 3) && !grid.is_passable(8, 3) && !grid.is_passable(9, 4));
    }

    #[test]
    fn walls_know_both_their_chambers() {
        let lattice = ChamberLattice::new(40, 30, 3);
        let mut seen = 0;
        for chamber in 0..lattice.chambers() {
            for (other, wall) in lattice.neighbours(chamber) {
                assert!(lattice.neighbours(other).any(|back| back == (chamber, wall)));
                let (xs, ys) = lattice.cells(wall);
                assert!(xs.end <= 40 && ys.end <= 30 && !xs.is_empty() && !ys.is_empty());
                seen += 1;
            }
        }
        let walls = (0..lattice.wall_numbers()).filter(|&wall| lattice.beside(wall).is_some());
        assert_eq!(walls.count() * 2, seen);
    }

    #[test]
    fn sets_merge_once() {
        let mut sets = DisjointSets::new(4);
        assert!(sets.merge(2, 3) && sets.merge(0, 3));
        assert!(!sets.merge(0, 2) && sets.merge(1, 2));
    }
}
