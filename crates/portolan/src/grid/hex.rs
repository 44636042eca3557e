//! Axial and cube coordinates of hexagonal grids.
//!
//! A hexagonal [`Grid`](super::Grid) stores its cells in rows; odd rows are shifted right by half a
//! cell ("odd-r offset"). Axial coordinates count along two skewed axes, so distances and headings
//! do not depend on the row. Cube coordinates add a third, redundant axis. The names are those of
//! Red Blob Games' page on hexagons.
//!
//! ```
//! use portolan::grid::hex::Axial;
//! use portolan::prelude::*;
//!
//! let grid = Grid::new(9, 9)?.with_connectivity(Connectivity::Hex);
//! let mut finder = PathFinder::new(&grid)?;
//! let (from, to) = (Axial::new(0, 0), Axial::new(2, 3));
//! let path = finder.find(from, to)?.expect("nothing is in the way");
//! assert_eq!(path.length(), from.distance(to) as f64);
//! let axial: Vec<Axial> = path.cells().map(Axial::from).collect();
//! assert_eq!(axial.last(), Some(&to));
//! # Ok::<(), portolan::Error>(())
//! ```

use crate::location::{Cell, Location};

/// A hexagon by axial coordinates: column `q` along the rows, row `r` downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Axial {
    /// The column, counted along a line that leans to the right as it goes down.
    pub q: i32,
    /// The row.
    pub r: i32,
}

/// A hexagon by cube coordinates, which sum to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cube {
    /// As in [`Axial`].
    pub q: i32,
    /// As in [`Axial`].
    pub r: i32,
    /// `-q - r`.
    pub s: i32,
}

impl Axial {
    /// The six steps, clockwise from the right.
    pub const STEPS: [Self; 6] = [
        Self::new(1, 0),
        Self::new(0, 1),
        Self::new(-1, 1),
        Self::new(-1, 0),
        Self::new(0, -1),
        Self::new(1, -1),
    ];

    /// The hexagon at these coordinates.
    pub const fn new(q: i32, r: i32) -> Self {
        Self { q, r }
    }

    /// The six neighbours, in the order of [`STEPS`](Self::STEPS). Some may be outside the map.
    pub fn neighbours(self) -> [Self; 6] {
        Self::STEPS.map(|step| Self::new(self.q.wrapping_add(step.q), self.r.wrapping_add(step.r)))
    }

    /// The number of steps between two hexagons without obstacles.
    pub fn distance(self, other: Self) -> u64 {
        let q = i64::from(self.q) - i64::from(other.q);
        let r = i64::from(self.r) - i64::from(other.r);
        q.unsigned_abs().max(r.unsigned_abs()).max((q + r).unsigned_abs())
    }

    /// The cell of a grid; `None` left of the first column or above the first row.
    pub fn cell(self) -> Option<Cell> {
        let (x, y) = self.offset();
        Some(Cell::new(x.try_into().ok()?, y.try_into().ok()?))
    }

    /// Column and row of the grid.
    fn offset(self) -> (i64, i64) {
        let (q, r) = (i64::from(self.q), i64::from(self.r));
        (q + r.div_euclid(2), r)
    }
}

/// Exact for coordinates below 2^31; larger ones are clamped.
impl From<Cell> for Axial {
    fn from(cell: Cell) -> Self {
        let [x, r] = [cell.x, cell.y].map(|c| i32::try_from(c).unwrap_or(i32::MAX));
        Self::new(x - r / 2, r)
    }
}

impl From<Axial> for Location {
    fn from(hexagon: Axial) -> Self {
        hexagon.offset().into()
    }
}

impl From<Cube> for Location {
    fn from(hexagon: Cube) -> Self {
        Axial::from(hexagon).into()
    }
}

impl From<Axial> for Cube {
    fn from(Axial { q, r }: Axial) -> Self {
        Self { q, r, s: q.wrapping_add(r).wrapping_neg() }
    }
}

impl From<Cube> for Axial {
    fn from(Cube { q, r, .. }: Cube) -> Self {
        Self { q, r }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::grid::{Connectivity, Grid, hex_steps};

    #[test]
    fn neighbours_are_those_of_the_grid() {
        let grid = Grid::new(7, 6).unwrap().with_connectivity(Connectivity::Hex);
        for node in 0..42 {
            let cell = grid.cell(node).unwrap();
            let around = Axial::from(cell).neighbours().into_iter().filter_map(Axial::cell);
            let mut around: Vec<_> = around.filter_map(|cell| grid.node(cell.x, cell.y)).collect();
            around.sort_unstable();
            let mut expected = Vec::new();
            grid.out_edges(node, |head, _| expected.push(head));
            expected.sort_unstable();
            assert_eq!(around, expected, "around {cell}");
        }
    }

    #[test]
    fn cells_come_back_from_both_kinds_of_coordinates() {
        let ends = [0, 1, 2, 5, 1 << 20, i32::MAX as u32];
        for (x, y) in ends.into_iter().flat_map(|x| ends.map(|y| (x, y))) {
            let cell = Cell::new(x, y);
            let axial = Axial::from(cell);
            assert_eq!(axial.cell(), Some(cell));
            assert_eq!(Axial::from(Cube::from(axial)), axial);
            assert_eq!(Location::from(Cube::from(axial)), cell.into());
        }
        assert_eq!(Axial::new(-1, 0).cell(), None);
        assert_eq!(Location::from(Axial::new(-1, 1)), (-1, 1).into());
    }

    #[test]
    fn distances_are_those_of_the_bound() {
        for (a, b) in [((0, 0), (5, 5)), ((3, 1), (0, 4)), ((2, 7), (9, 0)), ((4, 4), (4, 4))] {
            let axial = |at: (u32, u32)| Axial::from(Cell::from(at));
            assert_eq!(axial(a).distance(axial(b)), hex_steps(a, b).0);
        }
        assert_eq!(Axial::new(i32::MIN, 0).distance(Axial::new(i32::MAX, 0)), u32::MAX.into());
    }
}
