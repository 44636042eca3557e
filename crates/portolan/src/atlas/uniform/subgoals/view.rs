//! What queries ask of a reduced grid, whatever its rules.
//!
//! Questions that a query asks once look up the rules each time; those that it asks of bitmaps
//! again and again either do not depend on them (places, distances) or are asked of [`View::kind`]
//! outside the loop.

use super::compass::Departures;
use super::lattice::{Lattice, Way};
use super::run::{Run, Seen, Spot};
use super::sight::Sight;
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
    bend: Cost,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// Eight-connected, corners never cut.
    Corners(Sight),
    /// Other rules.
    Lattice(Lattice),
}

impl View {
    pub(crate) fn new(grid: &Grid, kind: Kind) -> Self {
        let bend = match &kind {
            Kind::Corners(_) => DIAGONAL - STRAIGHT,
            Kind::Lattice(lattice) => lattice.rules.bend(),
        };
        Self { width: grid.width(), height: grid.height(), bend, kind }
    }

    /// The width and the height with the margin.
    pub(crate) fn size(&self) -> [u32; 2] {
        [self.width + 2, self.height + 2]
    }

    /// Whether a cell lies on the grid.
    #[inline(always)]
    pub(crate) fn contains(&self, Spot { x, y }: Spot) -> bool {
        x.wrapping_sub(1) < self.width && y.wrapping_sub(1) < self.height
    }

    /// Whether something may be seen from a cell, which may lie anywhere: not from blocked ones.
    pub(crate) fn can_look(&self, spot: Spot) -> bool {
        self.contains(spot)
            && match &self.kind {
                Kind::Corners(sight) => !sight.blocked(spot),
                Kind::Lattice(lattice) => lattice.can_move(spot),
            }
    }

    pub(crate) fn spot(&self, node: NodeId) -> Spot {
        Spot { x: node % self.width + 1, y: node / self.width + 1 }
    }

    #[inline(always)]
    pub(crate) fn node(&self, spot: Spot) -> NodeId {
        (spot.y - 1) * self.width + spot.x - 1
    }

    /// What a step in both coordinates costs beyond one in the longer of them.
    pub(crate) fn bend(&self) -> Cost {
        self.bend
    }

    /// What the run between two cells costs: no way between them costs less.
    #[inline(always)]
    pub(crate) fn distance(&self, from: Spot, to: Spot) -> Cost {
        let (wide, high) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
        wide.max(high) * STRAIGHT + wide.min(high) * self.bend
    }

    /// The run from one cell to another: two directions, four straight ones and then four diagonal
    /// ones, clockwise, and how many steps.
    #[inline(always)]
    pub(crate) fn legs(&self, from: Spot, to: Spot) -> [(Way, usize); 2] {
        match &self.kind {
            Kind::Corners(_) => Run::between(from, to).legs(),
            Kind::Lattice(lattice) => lattice.legs(from, to),
        }
    }

    /// In which direction it arrives, one bit of eight.
    #[inline(always)]
    pub(crate) fn arrival(&self, from: Spot, to: Spot) -> u8 {
        match &self.kind {
            Kind::Corners(_) => 1 << Run::between(from, to).straight.number(),
            Kind::Lattice(lattice) => {
                let [(first, _), (second, seconds)] = lattice.legs(from, to);
                1 << if seconds > 0 { second } else { first }
            }
        }
    }

    /// Whether that run is legal.
    #[inline(always)]
    pub(crate) fn sees(&self, from: Spot, to: Spot) -> bool {
        match &self.kind {
            Kind::Corners(sight) => sight.direct(from, to).is_some(),
            Kind::Lattice(lattice) => lattice.sees(from, to),
        }
    }

    /// Whether that run leaves in one of these directions.
    #[inline(always)]
    pub(crate) fn leaves(&self, departures: Departures, from: Spot, to: Spot) -> bool {
        let [(first, firsts), (second, _)] = self.legs(from, to);
        departures.has(if firsts > 0 { first } else { second })
    }

    /// Asks for what is read first when looking from a cell.
    #[inline(always)]
    pub(crate) fn ask_for(&self, spot: Spot) {
        match &self.kind {
            Kind::Corners(sight) => sight.ask_for(spot),
            Kind::Lattice(lattice) => lattice.ask_for(spot),
        }
    }

    /// Asks for what is read first when looking straight from one cell at another.
    #[inline(always)]
    pub(crate) fn ask_for_direct(&self, from: Spot, to: Spot) {
        match &self.kind {
            Kind::Corners(sight) => sight.ask_for_direct(from, to),
            Kind::Lattice(lattice) => lattice.ask_for(from),
        }
    }

    /// The subgoals that the runs from a cell lead to.
    pub(crate) fn ahead(&self, from: Spot, visit: impl FnMut(Seen)) {
        match &self.kind {
            Kind::Corners(sight) => sight.ahead(from, visit),
            Kind::Lattice(lattice) => lattice.ahead(from, visit),
        }
    }

    /// The nearest subgoals from which runs lead to a cell.
    pub(crate) fn behind(&self, to: Spot, visit: impl FnMut(Seen)) {
        match &self.kind {
            Kind::Corners(sight) => sight.behind(to, visit),
            Kind::Lattice(lattice) => lattice.behind(to, visit),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.kind {
            Kind::Corners(sight) => sight.memory_bytes(),
            Kind::Lattice(lattice) => lattice.memory_bytes(),
        }
    }
}
