//! What can be seen from a cell along canonical runs, read off bitmaps.

use super::canonical_run::{CanonicalRun, PaddedCell};
use super::directions::{Departures, Diagonal, Straight};
use super::lines::{BitLine, BitLines, tile_by_tile};
use crate::graph::NodeId;
use crate::grid::{Connectivity, Corners, Grid, Heading};

/// Kinds of bits on rows and columns. Where there are two directions along a line, the kind of the
/// one that runs upward, to larger positions, is the next number.
pub(crate) mod straight {
    pub(crate) const BLOCKED: usize = 0;
    /// A subgoal at which who arrives in this direction has to turn.
    pub(crate) const FORCING: usize = 1;
    /// A subgoal that may be left against this direction.
    pub(crate) const EXIT: usize = 3;
    /// A turning subgoal can be seen along the diagonal on one side of this direction; twice two.
    pub(crate) const BESIDE: usize = 5;
    pub(crate) const KINDS: usize = 9;
}

/// Kinds of bits on diagonals.
pub(crate) mod diagonal {
    /// No step in this direction.
    pub(crate) const STOP: usize = 0;
    /// A forcing subgoal can be seen in the straight direction on one side of this one; twice two.
    pub(crate) const BESIDE: usize = 2;
    /// A subgoal that may be left against this direction.
    pub(crate) const TURNING: usize = 6;
    pub(crate) const KINDS: usize = 8;
}

/// Which runs between subgoals are edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Taut ones.
    Taut,
    /// All between subgoals that see each other with nothing between.
    Plain,
}

impl Reduction {
    /// Those that a grid can have; none where it has no subgoals.
    pub(crate) fn of(grid: &Grid) -> &'static [Self] {
        match (grid.connectivity(), grid.corners()) {
            (Connectivity::Eight, Corners::Never) => &[Self::Taut, Self::Plain],
            (Connectivity::Four | Connectivity::Eight, _) => &[Self::Taut],
            (Connectivity::Hex, _) => &[],
        }
    }
}

/// The bitmaps of a grid.
#[derive(Debug, Clone)]
pub(crate) struct CornerBitmaps {
    /// The size with the margin.
    width: u32,
    height: u32,
    pub(crate) reduction: Reduction,
    rows: BitLines<{ straight::KINDS }>,
    columns: BitLines<{ straight::KINDS }>,
    /// Diagonals that run from north-east to south-west.
    falling: BitLines<{ diagonal::KINDS }>,
    /// Those that run from north-west to south-east.
    rising: BitLines<{ diagonal::KINDS }>,
}

impl CornerBitmaps {
    /// What follows from the cells alone, and the subgoals with their corners. How subgoals may be
    /// left is still to be said, by [`set_departures`](Self::set_departures).
    pub(crate) fn new(grid: &Grid, reduction: Reduction) -> (Self, Vec<(NodeId, u8)>) {
        let (width, height) = (grid.width() + 2, grid.height() + 2);
        let (wide, high) = (width as usize, height as usize);
        let mut sight = Self {
            width,
            height,
            reduction,
            rows: BitLines::new(high, wide, &[straight::BLOCKED]),
            columns: BitLines::new(wide, high, &[straight::BLOCKED]),
            falling: BitLines::new(wide, high, &[diagonal::STOP, diagonal::STOP + 1]),
            rising: BitLines::new(wide, high, &[diagonal::STOP, diagonal::STOP + 1]),
        };
        let mut subgoals = Vec::new();
        // Of blocked cells everything is written already.
        let is_passable =
            |spot: &PaddedCell| grid.is_passable(spot.x.wrapping_sub(1), spot.y.wrapping_sub(1));
        for spot in tile_by_tile(width, height).filter(is_passable) {
            let corners = sight.write_local(grid, spot);
            if corners != 0 {
                subgoals.push((spot, corners));
            }
        }
        subgoals.sort_unstable_by_key(|&(PaddedCell { x, y }, _)| (y, x));
        for &(spot, corners) in &subgoals {
            sight.write_corners(spot, corners);
        }
        for &(spot, corners) in &subgoals {
            for direction in Straight::ALL {
                if sight.forces(corners, direction) {
                    sight.sweep_straight(spot, direction);
                }
            }
        }
        let node = |&(spot, corners): &(PaddedCell, u8)| (sight.node(spot), corners);
        let subgoals = subgoals.iter().map(node).collect();
        (sight, subgoals)
    }

    /// Says how a subgoal may be left, and tells the cells that see it.
    pub(crate) fn set_departures(&mut self, node: NodeId, corners: u8, departures: Departures) {
        let spot = self.spot(node);
        for direction in Straight::ALL {
            if departures.straight(direction.opposite()) {
                let up = usize::from(upward_straight(direction));
                self.set_straight(direction, spot, straight::EXIT + up, true);
            }
        }
        for direction in Diagonal::ALL {
            let leaves = departures.diagonal(direction.opposite());
            let turns = match self.reduction {
                Reduction::Taut => corners & direction.turning() != 0 && leaves,
                Reduction::Plain => true,
            };
            if turns {
                let up = usize::from(upward_diagonal(direction));
                self.set_diagonal(direction, spot, diagonal::TURNING + up, true);
                self.sweep_diagonal(spot, direction);
            }
        }
    }

    /// Whether who arrives in a direction at a cell with these corners has to turn.
    fn forces(&self, corners: u8, direction: Straight) -> bool {
        match self.reduction {
            Reduction::Taut => corners & direction.forcing() != 0,
            Reduction::Plain => corners != 0,
        }
    }

    /// The corners of a cell; none where it is blocked.
    pub(crate) fn corners(grid: &Grid, spot: PaddedCell) -> u8 {
        let (x, y) = (spot.x.wrapping_sub(1), spot.y.wrapping_sub(1));
        if !grid.is_passable(x, y) {
            return 0;
        }
        let moves = grid.moves(x, y);
        let open = |direction: usize| moves.allows(STRAIGHTS[direction % 4]);
        (0..4)
            .filter(|&q| open(q) && open(q + 1) && !moves.allows(DIAGONALS[q]))
            .fold(0, |corners, q| corners | 1 << q)
    }

    /// Writes what depends on the cell and its neighbours alone.
    pub(crate) fn write_local(&mut self, grid: &Grid, spot: PaddedCell) -> u8 {
        let (x, y) = (spot.x.wrapping_sub(1), spot.y.wrapping_sub(1));
        let passable = grid.is_passable(x, y);
        for direction in [Straight::ALL[0], Straight::ALL[1]] {
            self.set_straight(direction, spot, straight::BLOCKED, !passable);
        }
        let moves = if passable { grid.moves(x, y).0 } else { 0 };
        for direction in Diagonal::ALL {
            let stop = moves >> DIAGONALS[direction.number()] as u8 & 1 == 0;
            let kind = diagonal::STOP + usize::from(upward_diagonal(direction));
            self.set_diagonal(direction, spot, kind, stop);
        }
        Self::corners(grid, spot)
    }

    /// Writes what a subgoal's corners force and allow; none take back what was written.
    pub(crate) fn write_corners(&mut self, spot: PaddedCell, corners: u8) {
        for direction in Straight::ALL {
            let up = usize::from(upward_straight(direction));
            let forcing = self.forces(corners, direction);
            self.set_straight(direction, spot, straight::FORCING + up, forcing);
        }
    }

    pub(crate) fn spot(&self, node: NodeId) -> PaddedCell {
        let width = self.width - 2;
        PaddedCell { x: node % width + 1, y: node / width + 1 }
    }

    #[inline(always)]
    pub(crate) fn node(&self, spot: PaddedCell) -> NodeId {
        (spot.y - 1) * (self.width - 2) + spot.x - 1
    }

    /// The canonical run from one cell to another, if nothing is in its way.
    #[inline]
    pub(crate) fn direct(&self, from: PaddedCell, to: PaddedCell) -> Option<CanonicalRun> {
        let run = CanonicalRun::between(from, to);
        if run.diagonals > 0 && self.diagonal_steps(from, run.diagonal) < run.diagonals as usize {
            return None;
        }
        let middle = from.step(run.diagonal.delta(), run.diagonals as usize);
        let free = run.straights == 0
            || self.straight_steps(middle, run.straight) >= run.straights as usize;
        free.then_some(run)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes()
            + self.columns.memory_bytes()
            + self.falling.memory_bytes()
            + self.rising.memory_bytes()
    }

    /// How many steps away the next subgoal is at which who goes this way has to turn.
    #[inline(always)]
    fn forcing_ahead(&self, from: PaddedCell, direction: Straight) -> Option<usize> {
        let (steps, forcing) = self.end_ahead(from, direction)?;
        forcing.then_some(steps)
    }

    /// How many steps away the next blocked cell is, or the next subgoal at which who goes this way
    /// has to turn, and whether it is that.
    #[inline(always)]
    pub(crate) fn end_ahead(&self, from: PaddedCell, direction: Straight) -> Option<(usize, bool)> {
        let (line, at) = self.straight(direction, from);
        let up = upward_straight(direction);
        let forcing = straight::FORCING + usize::from(up);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[forcing] | word[straight::BLOCKED])?;
        Some((end.abs_diff(at), line.bit(end, forcing)))
    }

    /// How many steps away the next subgoal is that may be left against this direction.
    #[inline(always)]
    pub(crate) fn turning_ahead(&self, from: PaddedCell, direction: Diagonal) -> Option<usize> {
        let (line, at) = self.diagonal(direction, from);
        let up = upward_diagonal(direction);
        let (stop, turning) =
            (diagonal::STOP + usize::from(up), diagonal::TURNING + usize::from(up));
        if line.bit(at, stop) {
            return None;
        }
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[turning])?;
        line.bit(end, turning).then(|| end.abs_diff(at))
    }

    /// Finds out anew from a cell and those behind it whether a forcing subgoal is seen.
    pub(crate) fn sweep_straight(&mut self, from: PaddedCell, direction: Straight) {
        let back = direction.opposite();
        let mut spot = from;
        let mut seen = !self.blocked(spot) && self.forcing_ahead(spot, direction).is_some();
        loop {
            let mut same = true;
            for (at, side) in sides_of_straight(direction) {
                let kind = diagonal::BESIDE + 2 * usize::from(upward_diagonal(at)) + side;
                same &= self.set_diagonal(at, spot, kind, seen);
            }
            if same && spot != from {
                return;
            }
            let (line, at) = self.straight(direction, spot);
            let forcing = straight::FORCING + usize::from(upward_straight(direction));
            seen = !self.blocked(spot) && (seen || line.bit(at, forcing));
            spot = spot.step(back.delta(), 1);
            if self.blocked(spot) {
                return;
            }
        }
    }

    /// Finds out anew from a cell and those behind it whether a turning subgoal is seen.
    pub(crate) fn sweep_diagonal(&mut self, from: PaddedCell, direction: Diagonal) {
        let back = direction.opposite();
        let mut spot = from;
        let mut seen = self.turning_ahead(spot, direction).is_some();
        loop {
            let mut same = true;
            for (at, side) in sides_of_diagonal(direction) {
                let kind = straight::BESIDE + 2 * usize::from(upward_straight(at)) + side;
                same &= self.set_straight(at, spot, kind, seen);
            }
            if same && spot != from || self.diagonal_steps(spot, back) == 0 {
                return;
            }
            let (line, at) = self.diagonal(direction, spot);
            let turning = diagonal::TURNING + usize::from(upward_diagonal(direction));
            seen |= line.bit(at, turning);
            spot = spot.step(back.delta(), 1);
        }
    }

    pub(crate) fn blocked(&self, spot: PaddedCell) -> bool {
        let (line, at) = self.straight(Straight::ALL[1], spot);
        line.bit(at, straight::BLOCKED)
    }

    #[inline(always)]
    fn diagonal_steps(&self, from: PaddedCell, direction: Diagonal) -> usize {
        let (line, at) = self.diagonal(direction, from);
        let up = upward_diagonal(direction);
        let stop = diagonal::STOP + usize::from(up);
        line.first(at, up, |word| word[stop]).map_or(0, |end| end.abs_diff(at))
    }

    #[inline(always)]
    fn straight_steps(&self, from: PaddedCell, direction: Straight) -> usize {
        let (line, at) = self.straight(direction, from);
        let end = line.first(at, upward_straight(direction), |word| word[straight::BLOCKED]);
        end.map_or(0, |end| end.abs_diff(at).saturating_sub(1))
    }

    /// The line through a cell in a straight direction, and the cell's position on it.
    #[inline(always)]
    pub(crate) fn straight(
        &self,
        direction: Straight,
        spot: PaddedCell,
    ) -> (BitLine<'_, { straight::KINDS }>, usize) {
        match direction.delta().1 {
            0 => (self.rows.line(spot.y as usize), spot.x as usize),
            _ => (self.columns.line(spot.x as usize), spot.y as usize),
        }
    }

    #[inline(always)]
    pub(crate) fn diagonal(
        &self,
        direction: Diagonal,
        spot: PaddedCell,
    ) -> (BitLine<'_, { diagonal::KINDS }>, usize) {
        let line = self.diagonal_line(direction, spot);
        match falls(direction) {
            true => (self.falling.line(line), spot.y as usize),
            false => (self.rising.line(line), spot.y as usize),
        }
    }

    #[inline(always)]
    fn diagonal_line(&self, direction: Diagonal, spot: PaddedCell) -> usize {
        let mut line = match falls(direction) {
            true => spot.x + spot.y,
            false => spot.x + self.height - spot.y,
        };
        // Hardly ever more than once, and then it is quicker than a division.
        if line >= self.width {
            line -= self.width;
            if line >= self.width {
                line %= self.width;
            }
        }
        line as usize
    }

    /// Writes a bit; whether it was the same before.
    fn set_straight(
        &mut self,
        direction: Straight,
        spot: PaddedCell,
        kind: usize,
        value: bool,
    ) -> bool {
        match direction.delta().1 {
            0 => self.rows.set(spot.y as usize, spot.x as usize, kind, value),
            _ => self.columns.set(spot.x as usize, spot.y as usize, kind, value),
        }
    }

    fn set_diagonal(
        &mut self,
        direction: Diagonal,
        spot: PaddedCell,
        kind: usize,
        value: bool,
    ) -> bool {
        let line = self.diagonal_line(direction, spot);
        match falls(direction) {
            true => self.falling.set(line, spot.y as usize, kind, value),
            false => self.rising.set(line, spot.y as usize, kind, value),
        }
    }
}

/// The grid's own names of our directions.
const STRAIGHTS: [Heading; 4] = [Heading::North, Heading::East, Heading::South, Heading::West];
const DIAGONALS: [Heading; 4] =
    [Heading::NorthEast, Heading::SouthEast, Heading::SouthWest, Heading::NorthWest];

/// Whether positions grow in this direction.
#[inline(always)]
pub(crate) const fn upward_straight(direction: Straight) -> bool {
    let (dx, dy) = direction.delta();
    dx + dy > 0
}

#[inline(always)]
pub(crate) const fn upward_diagonal(direction: Diagonal) -> bool {
    direction.delta().1 > 0
}

/// Whether x falls where y grows.
#[inline(always)]
const fn falls(direction: Diagonal) -> bool {
    let (dx, dy) = direction.delta();
    dx != dy
}

/// The diagonals that have this direction on a side, and on which.
fn sides_of_straight(direction: Straight) -> impl Iterator<Item = (Diagonal, usize)> {
    direction.beside().into_iter().filter_map(move |diagonal| {
        Some((diagonal, diagonal.beside().iter().position(|&at| at == direction)?))
    })
}

/// The straight directions that have this one on a side, and on which.
fn sides_of_diagonal(direction: Diagonal) -> impl Iterator<Item = (Straight, usize)> {
    direction.beside().into_iter().filter_map(move |straight| {
        Some((straight, straight.beside().iter().position(|&at| at == direction)?))
    })
}
