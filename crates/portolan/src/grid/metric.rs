//! How far apart two cells would be on open ground of factor one.

use super::{Connectivity, Grid};
use crate::cost::{DIAGONAL, STRAIGHT};

impl Grid {
    /// Straight and diagonal steps between two positions when nothing is in the way; hex steps count as
    /// straight. Positions may lie outside the map.
    #[inline(always)]
    pub(crate) fn open_steps(&self, a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
        match self.connectivity {
            Connectivity::Four => manhattan_steps(a, b),
            Connectivity::Eight => octile_steps(a, b),
            Connectivity::Hex => hex_steps(a, b),
        }
    }

    /// The cost of the open steps between two positions; orders positions by nearness.
    pub(crate) fn open_distance(&self, a: (u32, u32), b: (u32, u32)) -> u64 {
        let (straight, diagonal) = self.open_steps(a, b);
        u64::from(straight) * u64::from(STRAIGHT) + u64::from(diagonal) * u64::from(DIAGONAL)
    }
}

#[inline(always)]
pub(crate) fn manhattan_steps(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.abs_diff(b.0).saturating_add(a.1.abs_diff(b.1)), 0)
}

#[inline(always)]
pub(crate) fn octile_steps(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    let (dx, dy) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
    (dx.abs_diff(dy), dx.min(dy))
}

/// On hex rows: each step to another row can also shift half a cell, so k rows give up to about k/2
/// columns for nothing, rounded in favour of the shifted rows.
#[inline(always)]
pub(crate) fn hex_steps(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    let rows = a.1.abs_diff(b.1);
    // Twice the x of the cells' centres: odd rows are shifted by one half.
    let centre = |(x, y): (u32, u32)| 2 * u64::from(x) + u64::from(y & 1);
    let across = centre(a).abs_diff(centre(b));
    let rest = across.saturating_sub(u64::from(rows)).div_ceil(2);
    (rows.saturating_add(u32::try_from(rest).unwrap_or(u32::MAX)), 0)
}
