//! Distances between cells on open ground of factor one.

use super::{Connectivity, Grid};
use crate::cost::{DIAGONAL, STRAIGHT};

impl Grid {
    /// The cost between two positions without obstacles. Positions may be outside the map.
    pub(crate) fn open_distance(&self, a: (u32, u32), b: (u32, u32)) -> u64 {
        let (straight, diagonal) = match self.connectivity {
            Connectivity::Four => manhattan_steps(a, b),
            Connectivity::Eight => octile_steps(a, b),
            Connectivity::Hex => hex_steps(a, b),
        };
        straight * u64::from(STRAIGHT) + diagonal * u64::from(DIAGONAL)
    }
}

/// The numbers of straight and diagonal steps on a four-connected grid.
#[inline(always)]
pub(crate) fn manhattan_steps(a: (u32, u32), b: (u32, u32)) -> (u64, u64) {
    (u64::from(a.0.abs_diff(b.0)) + u64::from(a.1.abs_diff(b.1)), 0)
}

/// The numbers of straight and diagonal steps on an eight-connected grid.
#[inline(always)]
pub(crate) fn octile_steps(a: (u32, u32), b: (u32, u32)) -> (u64, u64) {
    let (dx, dy) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
    (u64::from(dx.abs_diff(dy)), u64::from(dx.min(dy)))
}

/// The number of hex steps, which count as straight. Each step to another row also shifts by half a
/// cell, so k rows cover up to k/2 columns.
#[inline(always)]
pub(crate) fn hex_steps(a: (u32, u32), b: (u32, u32)) -> (u64, u64) {
    let rows = u64::from(a.1.abs_diff(b.1));
    // Twice the x of the cells' centres: odd rows are shifted by one half.
    let centre = |(x, y): (u32, u32)| 2 * u64::from(x) + u64::from(y & 1);
    let across = centre(a).abs_diff(centre(b));
    (rows + across.saturating_sub(rows) / 2, 0)
}
