//! What queries see of a reduced grid, under any movement rules.
//!
//! Operations used once per query dispatch on the rules each time. Operations used in a loop either
//! do not depend on the rules (cells, distances), or the caller matches on [`View::bitmaps`]
//! outside the loop.

use super::bitmaps::CornerBitmaps;
use super::canonical_run::{CanonicalRun, PaddedCell, VisibleSubgoal};
use super::directions::{Departures, HeadingIndex};
use super::lattice::LatticeBitmaps;
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::graph::NodeId;
use crate::grid::Grid;
use crate::route::Columns;

/// A reduced grid as queries see it.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// The size without the margin.
    width: u32,
    height: u32,
    columns: Columns,
    /// The cost of a step in both coordinates minus that of a step in the longer one.
    diagonal_extra: Cost,
    pub(crate) bitmaps: Bitmaps,
}

#[derive(Debug, Clone)]
pub(crate) enum Bitmaps {
    /// Eight-connected, corners are never cut.
    Corner(CornerBitmaps),
    /// All other rules.
    Lattice(LatticeBitmaps),
}

impl View {
    pub(crate) fn new(grid: &Grid, bitmaps: Bitmaps) -> Self {
        let diagonal_extra = match &bitmaps {
            Bitmaps::Corner(_) => DIAGONAL - STRAIGHT,
            Bitmaps::Lattice(lattice) => lattice.rules.diagonal_extra(),
        };
        let (width, height, columns) = (grid.width(), grid.height(), Columns::of(grid));
        Self { width, height, columns, diagonal_extra, bitmaps }
    }

    /// Width and height including the margin.
    pub(crate) fn size(&self) -> [u32; 2] {
        [self.width + 2, self.height + 2]
    }

    /// Whether a cell is inside the grid.
    #[inline(always)]
    pub(crate) fn contains(&self, PaddedCell { x, y }: PaddedCell) -> bool {
        x.wrapping_sub(1) < self.width && y.wrapping_sub(1) < self.height
    }

    /// Whether a cell is inside the grid and open. The cell may be anywhere.
    pub(crate) fn can_see_from(&self, cell: PaddedCell) -> bool {
        self.contains(cell)
            && match &self.bitmaps {
                Bitmaps::Corner(bitmaps) => !bitmaps.blocked(cell),
                Bitmaps::Lattice(lattice) => lattice.can_move(cell),
            }
    }

    #[inline(always)]
    pub(crate) fn cell(&self, node: NodeId) -> PaddedCell {
        let cell = self.columns.cell(node);
        PaddedCell { x: cell.x + 1, y: cell.y + 1 }
    }

    #[inline(always)]
    pub(crate) fn node(&self, cell: PaddedCell) -> NodeId {
        (cell.y - 1) * self.width + cell.x - 1
    }

    /// The cost of a step in both coordinates minus that of a step in the longer one.
    pub(crate) fn diagonal_extra(&self) -> Cost {
        self.diagonal_extra
    }

    /// The cost of the run between two cells, a lower bound on any path between them.
    #[inline(always)]
    pub(crate) fn distance(&self, from: PaddedCell, to: PaddedCell) -> Cost {
        let (wide, high) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
        wide.max(high) * STRAIGHT + wide.min(high) * self.diagonal_extra
    }

    /// The run from one cell to another as two headings with their step counts.
    #[inline(always)]
    pub(crate) fn legs(&self, from: PaddedCell, to: PaddedCell) -> [(HeadingIndex, usize); 2] {
        match &self.bitmaps {
            Bitmaps::Corner(_) => CanonicalRun::between(from, to).legs(),
            Bitmaps::Lattice(lattice) => lattice.legs(from, to),
        }
    }

    /// The heading in which that run arrives, as one bit of eight.
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

    /// Whether there is a line of sight: that run is legal.
    #[inline(always)]
    pub(crate) fn sees(&self, from: PaddedCell, to: PaddedCell) -> bool {
        match &self.bitmaps {
            Bitmaps::Corner(bitmaps) => bitmaps.line_of_sight(from, to).is_some(),
            Bitmaps::Lattice(lattice) => lattice.sees(from, to),
        }
    }

    /// Whether that run starts in one of these directions.
    #[inline(always)]
    pub(crate) fn leaves(&self, departures: Departures, from: PaddedCell, to: PaddedCell) -> bool {
        let [(first, firsts), (second, _)] = self.legs(from, to);
        departures.contains(if firsts > 0 { first } else { second })
    }

    /// Prefetches what a scan for subgoals around a cell reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, cell: PaddedCell) {
        match &self.bitmaps {
            Bitmaps::Corner(bitmaps) => bitmaps.prefetch(cell),
            Bitmaps::Lattice(lattice) => lattice.prefetch(cell),
        }
    }

    /// Prefetches what a line-of-sight check reads first.
    #[inline(always)]
    pub(crate) fn prefetch_line_of_sight(&self, from: PaddedCell, to: PaddedCell) {
        match &self.bitmaps {
            Bitmaps::Corner(bitmaps) => bitmaps.prefetch_line_of_sight(from, to),
            Bitmaps::Lattice(lattice) => lattice.prefetch(from),
        }
    }

    /// Visits the subgoals at which runs from a cell end.
    pub(crate) fn ahead(&self, from: PaddedCell, visit: impl FnMut(VisibleSubgoal)) {
        match &self.bitmaps {
            Bitmaps::Corner(bitmaps) => bitmaps.ahead(from, visit),
            Bitmaps::Lattice(lattice) => lattice.ahead(from, visit),
        }
    }

    /// Visits the nearest subgoals from which runs lead to a cell.
    pub(crate) fn behind(&self, to: PaddedCell, visit: impl FnMut(VisibleSubgoal)) {
        match &self.bitmaps {
            Bitmaps::Corner(bitmaps) => bitmaps.behind(to, visit),
            Bitmaps::Lattice(lattice) => lattice.behind(to, visit),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.bitmaps {
            Bitmaps::Corner(bitmaps) => bitmaps.memory_bytes(),
            Bitmaps::Lattice(lattice) => lattice.memory_bytes(),
        }
    }
}
