//! Cells with a margin, and canonical runs between them.
//!
//! A *canonical run* makes its diagonal steps first and its straight steps second, each kind in a
//! single direction.

use super::directions::{Diagonal, Straight};
use crate::cost::{Cost, DIAGONAL, STRAIGHT};

/// A cell. Coordinates include a margin of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PaddedCell {
    pub(crate) x: u32,
    pub(crate) y: u32,
}

impl PaddedCell {
    /// The cell after `count` steps.
    #[inline(always)]
    pub(crate) fn step(self, (dx, dy): (i32, i32), count: usize) -> Self {
        let count = count as i32;
        let x = self.x.wrapping_add_signed(dx.wrapping_mul(count));
        let y = self.y.wrapping_add_signed(dy.wrapping_mul(count));
        Self { x, y }
    }
}

/// A subgoal at the end of a run, and the cost of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VisibleSubgoal {
    pub(crate) cell: PaddedCell,
    pub(crate) cost: Cost,
    /// The heading in which a forward run arrives, as one bit of eight. [`ANY_ARRIVAL`] where it
    /// does not matter.
    pub(crate) arrival: u8,
}

/// Any heading.
pub(crate) const ANY_ARRIVAL: u8 = u8::MAX;

/// A path in at most two straight lines: diagonal steps, then straight steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CanonicalRun {
    pub(crate) diagonal: Diagonal,
    pub(crate) diagonals: u32,
    pub(crate) straight: Straight,
    pub(crate) straights: u32,
}

impl CanonicalRun {
    /// The only canonical run that can lead from one cell to another.
    #[inline(always)]
    pub(crate) fn between(from: PaddedCell, to: PaddedCell) -> Self {
        let (dx, dy) = (to.x.wrapping_sub(from.x) as i32, to.y.wrapping_sub(from.y) as i32);
        let (wide, high) = (dx.unsigned_abs(), dy.unsigned_abs());
        // Branchless, because the direction is unpredictable.
        let (right, down) = (usize::from(dx > 0), usize::from(dy > 0));
        let diagonal = [3, 2, 0, 1][2 * right + down];
        let straight = if wide > high { 3 - 2 * right } else { 2 * down };
        Self {
            diagonal: Diagonal::ALL[diagonal],
            diagonals: wide.min(high),
            straight: Straight::ALL[straight],
            straights: wide.abs_diff(high),
        }
    }

    /// The headings and step counts of both parts.
    #[inline(always)]
    pub(crate) fn legs(&self) -> [(usize, usize); 2] {
        [
            (4 + self.diagonal.number(), self.diagonals as usize),
            (self.straight.number(), self.straights as usize),
        ]
    }

    #[inline(always)]
    pub(crate) fn cost(&self) -> Cost {
        self.diagonals * DIAGONAL + self.straights * STRAIGHT
    }
}
