//! What queries ask of a reduced grid, whatever its rules.
//!
//! Questions that a query asks once look up the rules each time; those that it asks of bitmaps
//! again and again either do not depend on them (places, distances) or are asked of [`View::bitmaps`]
//! outside the loop.

use super::bitmaps::CornerBitmaps;
use super::canonical_run::{CanonicalRun, PaddedCell, VisibleSubgoal};
use super::directions::{Departures, HeadingIndex};
use super::lattice::LatticeBitmaps;
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::graph::NodeId;
use crate::grid::Grid;

/// The bitmaps of a grid.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Of the grid.
    width: u32,
    height: u32,
    /// What a step in both coordinates costs beyond one in the longer of them.
    diagonal_extra: Cost,
    pub(crate) bitmaps: Bitmaps,
}

#[derive(Debug, Clone)]
pub(crate) enum Bitmaps {
    /// Eight-connected, corners never cut.
    Corner(CornerBitmaps),
    /// Other rules.
    Lattice(LatticeBitmaps),
}

impl View {
    pub(crate) fn new(grid: &Grid, bitmaps: Bitmaps) -> Self {
        let diagonal_extra = match &bitmaps {
            Bitmaps::Corner(_) => DIAGONAL - STRAIGHT,
            Bitmaps::Lattice(lattice) => lattice.rules.diagonal_extra(),
        };
        Self { width: grid.width(), height: grid.height(), diagonal_extra, bitmaps }
    }

    /// The width and the height with the margin.
    pub(crate) fn size(&self) -> [u32; 2] {
        [self.width + 2, self.height + 2]
    }

    /// Whether a cell lies on the grid.
    #[inline(always)]
    pub(crate) fn contains(&self, PaddedCell { x, y }: PaddedCell) -> bool {
        x.wrapping_sub(1) < self.width && y.wrapping_sub(1) < self.height
    }

    /// Whether something may be seen from a cell, which may lie anywhere: not from blocked ones.
    pub(crate) fn can_see_from(&self, spot: PaddedCell) -> bool {
        self.contains(spot)
            && match &self.bitmaps {
                Bitmaps::Corner(sight) => !sight.blocked(spot),
                Bitmaps::Lattice(lattice) => lattice.can_move(spot),
            }
    }

    pub(crate) fn spot(&self, node: NodeId) -> PaddedCell {
        PaddedCell { x: node % self.width + 1, y: node / self.width + 1 }
    }

    #[inline(always)]
    pub(crate) fn node(&self, spot: PaddedCell) -> NodeId {
        (spot.y - 1) * self.width + spot.x - 1
    }

    /// What a step in both coordinates costs beyond one in the longer of them.
    pub(crate) fn diagonal_extra(&self) -> Cost {
        self.diagonal_extra
    }

    /// What the run between two cells costs: no way between them costs less.
    #[inline(always)]
    pub(crate) fn distance(&self, from: PaddedCell, to: PaddedCell) -> Cost {
        let (wide, high) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
        wide.max(high) * STRAIGHT + wide.min(high) * self.diagonal_extra
    }

    /// The run from one cell to another: two directions, four straight ones and then four diagonal
    /// ones, clockwise, and how many steps.
    #[inline(always)]
    pub(crate) fn legs(&self, from: PaddedCell, to: PaddedCell) -> [(HeadingIndex, usize); 2] {
        match &self.bitmaps {
            Bitmaps::Corner(_) => CanonicalRun::between(from, to).legs(),
            Bitmaps::Lattice(lattice) => lattice.legs(from, to),
        }
    }

    /// In which direction it arrives, one bit of eight.
    #[inline(always)]
    pub(crate) fn arrival(&self, from: PaddedCell, to: PaddedCell) -> u8 {
        match &self.bitmaps {
            Bitmaps::Corner(_) => 1 << CanonicalRun::between(from, to).straight.number(),
            Bitmaps::Lattice(lattice) => {
                let [(first, _), (second, seconds)] = lattice.legs(from, to);
                1 << if seconds > 0 { second } else { first }
            }
        }
    }

    /// Whether that run is legal.
    #[inline(always)]
    pub(crate) fn sees(&self, from: PaddedCell, to: PaddedCell) -> bool {
        match &self.bitmaps {
            Bitmaps::Corner(sight) => sight.direct(from, to).is_some(),
            Bitmaps::Lattice(lattice) => lattice.sees(from, to),
        }
    }

    /// Whether that run leaves in one of these directions.
    #[inline(always)]
    pub(crate) fn leaves(&self, departures: Departures, from: PaddedCell, to: PaddedCell) -> bool {
        let [(first, firsts), (second, _)] = self.legs(from, to);
        departures.contains(if firsts > 0 { first } else { second })
    }

    /// Asks for what is read first when looking from a cell.
    #[inline(always)]
    pub(crate) fn prefetch(&self, spot: PaddedCell) {
        match &self.bitmaps {
            Bitmaps::Corner(sight) => sight.prefetch(spot),
            Bitmaps::Lattice(lattice) => lattice.prefetch(spot),
        }
    }

    /// Asks for what is read first when looking straight from one cell at another.
    #[inline(always)]
    pub(crate) fn prefetch_direct(&self, from: PaddedCell, to: PaddedCell) {
        match &self.bitmaps {
            Bitmaps::Corner(sight) => sight.prefetch_direct(from, to),
            Bitmaps::Lattice(lattice) => lattice.prefetch(from),
        }
    }

    /// The subgoals that the runs from a cell lead to.
    pub(crate) fn ahead(&self, from: PaddedCell, visit: impl FnMut(VisibleSubgoal)) {
        match &self.bitmaps {
            Bitmaps::Corner(sight) => sight.ahead(from, visit),
            Bitmaps::Lattice(lattice) => lattice.ahead(from, visit),
        }
    }

    /// The nearest subgoals from which runs lead to a cell.
    pub(crate) fn behind(&self, to: PaddedCell, visit: impl FnMut(VisibleSubgoal)) {
        match &self.bitmaps {
            Bitmaps::Corner(sight) => sight.behind(to, visit),
            Bitmaps::Lattice(lattice) => lattice.behind(to, visit),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.bitmaps {
            Bitmaps::Corner(sight) => sight.memory_bytes(),
            Bitmaps::Lattice(lattice) => lattice.memory_bytes(),
        }
    }
}
