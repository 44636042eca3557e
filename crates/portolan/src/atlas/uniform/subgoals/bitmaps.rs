//! Bitmaps that answer what is visible from a cell along canonical runs.

use super::canonical_run::{CanonicalRun, PaddedCell};
use super::directions::{Departures, Diagonal, Straight};
use super::lines::{BitLine, BitLines, tile_by_tile};
use crate::graph::NodeId;
use crate::grid::{Connectivity, Corners, Grid, Heading};

/// Kinds of bits on rows and columns. A kind that exists for both directions along a line uses two
/// numbers; the second is for the upward direction, toward larger positions.
pub(crate) mod straight {
    pub(crate) const BLOCKED: usize = 0;
    /// A subgoal that forces paths arriving in this direction to turn.
    pub(crate) const FORCING: usize = 1;
    /// A subgoal that can be left against this direction.
    pub(crate) const EXIT: usize = 3;
    /// A turning subgoal is visible along the diagonal on one side of this direction. Two sides
    /// times two directions.
    pub(crate) const BESIDE: usize = 5;
    pub(crate) const KINDS: usize = 9;
}

/// Kinds of bits on diagonals.
pub(crate) mod diagonal {
    /// No step in this direction.
    pub(crate) const STOP: usize = 0;
    /// A forcing subgoal is visible in the straight direction on one side of this one. Two sides
    /// times two directions.
    pub(crate) const BESIDE: usize = 2;
    /// A subgoal that can be left against this direction.
    pub(crate) const TURNING: usize = 6;
    pub(crate) const KINDS: usize = 8;
}

/// The runs between subgoals that become edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Taut runs.
    Taut,
    /// All runs between subgoals in line of sight with no subgoal between them.
    Plain,
}

impl Reduction {
    /// The reductions that a grid supports; none if it cannot have subgoals.
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
    /// The size including the margin.
    width: u32,
    height: u32,
    pub(super) reduction: Reduction,
    rows: BitLines<{ straight::KINDS }>,
    columns: BitLines<{ straight::KINDS }>,
    /// Diagonals from north-east to south-west.
    falling: BitLines<{ diagonal::KINDS }>,
    /// Diagonals from north-west to south-east.
    rising: BitLines<{ diagonal::KINDS }>,
}

impl CornerBitmaps {
    /// The bits that follow from the cells alone, and the subgoals with their corners.
    /// [`set_departures`](Self::set_departures) adds how subgoals can be left.
    pub(super) fn new(grid: &Grid, reduction: Reduction) -> (Self, Vec<(NodeId, u8)>) {
        let (width, height) = (grid.width() + 2, grid.height() + 2);
        let (wide, high) = (width as usize, height as usize);
        let mut bitmaps = Self {
            width,
            height,
            reduction,
            rows: BitLines::new(high, wide, &[straight::BLOCKED]),
            columns: BitLines::new(wide, high, &[straight::BLOCKED]),
            falling: BitLines::new(wide, high, &[diagonal::STOP, diagonal::STOP + 1]),
            rising: BitLines::new(wide, high, &[diagonal::STOP, diagonal::STOP + 1]),
        };
        let mut subgoals = Vec::new();
        // The initial bits are those of blocked cells.
        let is_passable =
            |cell: &PaddedCell| grid.is_passable(cell.x.wrapping_sub(1), cell.y.wrapping_sub(1));
        for cell in tile_by_tile(width, height).filter(is_passable) {
            let corners = bitmaps.write_local(grid, cell);
            if corners != 0 {
                subgoals.push((cell, corners));
            }
        }
        subgoals.sort_unstable_by_key(|&(PaddedCell { x, y }, _)| (y, x));
        for &(cell, corners) in &subgoals {
            bitmaps.write_corners(cell, corners);
        }
        for &(cell, corners) in &subgoals {
            for direction in Straight::ALL {
                if bitmaps.forces(corners, direction) {
                    bitmaps.sweep_straight(cell, direction);
                }
            }
        }
        let node = |&(cell, corners): &(PaddedCell, u8)| (bitmaps.node(cell), corners);
        let subgoals = subgoals.iter().map(node).collect();
        (bitmaps, subgoals)
    }

    /// Stores how a subgoal can be left, and marks the cells that see it.
    pub(super) fn set_departures(&mut self, node: NodeId, corners: u8, departures: Departures) {
        let cell = self.cell(node);
        for direction in Straight::ALL {
            if departures.straight(direction.opposite()) {
                let up = usize::from(direction.is_upward());
                self.set_straight(direction, cell, straight::EXIT + up, true);
            }
        }
        for direction in Diagonal::ALL {
            let leaves = departures.diagonal(direction.opposite());
            let turns = match self.reduction {
                Reduction::Taut => corners & direction.turning() != 0 && leaves,
                Reduction::Plain => true,
            };
            if turns {
                let up = usize::from(direction.is_upward());
                self.set_diagonal(direction, cell, diagonal::TURNING + up, true);
                self.sweep_diagonal(cell, direction);
            }
        }
    }

    /// Whether these corners force a path arriving in this direction to turn.
    fn forces(&self, corners: u8, direction: Straight) -> bool {
        match self.reduction {
            Reduction::Taut => corners & direction.forcing() != 0,
            Reduction::Plain => corners != 0,
        }
    }

    /// The corners of a cell; none if it is blocked.
    fn corners(grid: &Grid, cell: PaddedCell) -> u8 {
        let (x, y) = (cell.x.wrapping_sub(1), cell.y.wrapping_sub(1));
        if !grid.is_passable(x, y) {
            return 0;
        }
        let moves = grid.moves(x, y);
        let open = |direction: usize| moves.allows(STRAIGHTS[direction % 4]);
        (0..4)
            .filter(|&q| open(q) && open(q + 1) && !moves.allows(DIAGONALS[q]))
            .fold(0, |corners, q| corners | 1 << q)
    }

    /// Writes the bits that depend on the cell and its neighbours only. Returns the cell's corners.
    fn write_local(&mut self, grid: &Grid, cell: PaddedCell) -> u8 {
        let (x, y) = (cell.x.wrapping_sub(1), cell.y.wrapping_sub(1));
        let passable = grid.is_passable(x, y);
        for direction in [Straight::ALL[0], Straight::ALL[1]] {
            self.set_straight(direction, cell, straight::BLOCKED, !passable);
        }
        let moves = if passable { grid.moves(x, y).0 } else { 0 };
        for direction in Diagonal::ALL {
            let stop = moves >> DIAGONALS[direction.number()] as u8 & 1 == 0;
            let kind = diagonal::STOP + usize::from(direction.is_upward());
            self.set_diagonal(direction, cell, kind, stop);
        }
        Self::corners(grid, cell)
    }

    /// Writes where the corners of a subgoal force a turn. An empty set of corners clears these bits.
    fn write_corners(&mut self, cell: PaddedCell, corners: u8) {
        for direction in Straight::ALL {
            let up = usize::from(direction.is_upward());
            let forcing = self.forces(corners, direction);
            self.set_straight(direction, cell, straight::FORCING + up, forcing);
        }
    }

    pub(super) fn cell(&self, node: NodeId) -> PaddedCell {
        let width = self.width - 2;
        PaddedCell { x: node % width + 1, y: node / width + 1 }
    }

    #[inline(always)]
    pub(super) fn node(&self, cell: PaddedCell) -> NodeId {
        (cell.y - 1) * (self.width - 2) + cell.x - 1
    }

    /// The canonical run from one cell to another, if there is a line of sight.
    #[inline]
    pub(super) fn line_of_sight(&self, from: PaddedCell, to: PaddedCell) -> Option<CanonicalRun> {
        let run = CanonicalRun::between(from, to);
        if run.diagonals > 0 && self.diagonal_steps(from, run.diagonal) < run.diagonals as usize {
            return None;
        }
        let middle = from.step(run.diagonal.delta(), run.diagonals as usize);
        let free = run.straights == 0
            || self.straight_steps(middle, run.straight) >= run.straights as usize;
        free.then_some(run)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes()
            + self.columns.memory_bytes()
            + self.falling.memory_bytes()
            + self.rising.memory_bytes()
    }

    /// Steps to the next subgoal that forces a turn in this direction.
    #[inline(always)]
    fn steps_to_forcing(&self, from: PaddedCell, direction: Straight) -> Option<usize> {
        let (steps, forcing) = self.steps_to_end(from, direction)?;
        forcing.then_some(steps)
    }

    /// Steps to the next blocked cell or subgoal that forces a turn in this direction, and whether
    /// it is a subgoal.
    #[inline(always)]
    pub(super) fn steps_to_end(
        &self,
        from: PaddedCell,
        direction: Straight,
    ) -> Option<(usize, bool)> {
        let (line, at) = self.straight(direction, from);
        let up = direction.is_upward();
        let forcing = straight::FORCING + usize::from(up);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[forcing] | word[straight::BLOCKED])?;
        Some((end.abs_diff(at), line.bit(end, forcing)))
    }

    /// Steps to the next subgoal that can be left against this direction.
    #[inline(always)]
    pub(super) fn steps_to_turning(&self, from: PaddedCell, direction: Diagonal) -> Option<usize> {
        let (line, at) = self.diagonal(direction, from);
        let up = direction.is_upward();
        let (stop, turning) =
            (diagonal::STOP + usize::from(up), diagonal::TURNING + usize::from(up));
        if line.bit(at, stop) {
            return None;
        }
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[turning])?;
        line.bit(end, turning).then(|| end.abs_diff(at))
    }

    /// Recomputes which cells see a forcing subgoal in this direction: this cell and those behind
    /// it.
    fn sweep_straight(&mut self, from: PaddedCell, direction: Straight) {
        let back = direction.opposite();
        let mut cell = from;
        let mut seen = !self.blocked(cell) && self.steps_to_forcing(cell, direction).is_some();
        loop {
            let mut same = true;
            for (at, side) in sides_of_straight(direction) {
                let kind = diagonal::BESIDE + 2 * usize::from(at.is_upward()) + side;
                same &= self.set_diagonal(at, cell, kind, seen);
            }
            if same && cell != from {
                return;
            }
            let (line, at) = self.straight(direction, cell);
            let forcing = straight::FORCING + usize::from(direction.is_upward());
            seen = !self.blocked(cell) && (seen || line.bit(at, forcing));
            cell = cell.step(back.delta(), 1);
            if self.blocked(cell) {
                return;
            }
        }
    }

    /// Recomputes which cells see a turning subgoal in this direction: this cell and those behind
    /// it.
    fn sweep_diagonal(&mut self, from: PaddedCell, direction: Diagonal) {
        let back = direction.opposite();
        let mut cell = from;
        let mut seen = self.steps_to_turning(cell, direction).is_some();
        loop {
            let mut same = true;
            for (at, side) in sides_of_diagonal(direction) {
                let kind = straight::BESIDE + 2 * usize::from(at.is_upward()) + side;
                same &= self.set_straight(at, cell, kind, seen);
            }
            if same && cell != from || self.diagonal_steps(cell, back) == 0 {
                return;
            }
            let (line, at) = self.diagonal(direction, cell);
            let turning = diagonal::TURNING + usize::from(direction.is_upward());
            seen |= line.bit(at, turning);
            cell = cell.step(back.delta(), 1);
        }
    }

    pub(super) fn blocked(&self, cell: PaddedCell) -> bool {
        let (line, at) = self.straight(Straight::ALL[1], cell);
        line.bit(at, straight::BLOCKED)
    }

    #[inline(always)]
    fn diagonal_steps(&self, from: PaddedCell, direction: Diagonal) -> usize {
        let (line, at) = self.diagonal(direction, from);
        let up = direction.is_upward();
        let stop = diagonal::STOP + usize::from(up);
        line.first(at, up, |word| word[stop]).map_or(0, |end| end.abs_diff(at))
    }

    #[inline(always)]
    fn straight_steps(&self, from: PaddedCell, direction: Straight) -> usize {
        let (line, at) = self.straight(direction, from);
        let end = line.first(at, direction.is_upward(), |word| word[straight::BLOCKED]);
        end.map_or(0, |end| end.abs_diff(at).saturating_sub(1))
    }

    /// The line through a cell in a straight direction, and the cell's position on it.
    #[inline(always)]
    pub(super) fn straight(
        &self,
        direction: Straight,
        cell: PaddedCell,
    ) -> (BitLine<'_, { straight::KINDS }>, usize) {
        match direction.delta().1 {
            0 => (self.rows.line(cell.y as usize), cell.x as usize),
            _ => (self.columns.line(cell.x as usize), cell.y as usize),
        }
    }

    #[inline(always)]
    pub(super) fn diagonal(
        &self,
        direction: Diagonal,
        cell: PaddedCell,
    ) -> (BitLine<'_, { diagonal::KINDS }>, usize) {
        let line = self.diagonal_line(direction, cell);
        match falls(direction) {
            true => (self.falling.line(line), cell.y as usize),
            false => (self.rising.line(line), cell.y as usize),
        }
    }

    #[inline(always)]
    fn diagonal_line(&self, direction: Diagonal, cell: PaddedCell) -> usize {
        let mut line = match falls(direction) {
            true => cell.x + cell.y,
            false => cell.x + self.height - cell.y,
        };
        // Rarely more than once; then it is faster than a division.
        if line >= self.width {
            line -= self.width;
            if line >= self.width {
                line %= self.width;
            }
        }
        line as usize
    }

    /// Writes a bit. Returns whether it already had this value.
    fn set_straight(
        &mut self,
        direction: Straight,
        cell: PaddedCell,
        kind: usize,
        value: bool,
    ) -> bool {
        match direction.delta().1 {
            0 => self.rows.set(cell.y as usize, cell.x as usize, kind, value),
            _ => self.columns.set(cell.x as usize, cell.y as usize, kind, value),
        }
    }

    fn set_diagonal(
        &mut self,
        direction: Diagonal,
        cell: PaddedCell,
        kind: usize,
        value: bool,
    ) -> bool {
        let line = self.diagonal_line(direction, cell);
        match falls(direction) {
            true => self.falling.set(line, cell.y as usize, kind, value),
            false => self.rising.set(line, cell.y as usize, kind, value),
        }
    }
}

/// The grid's headings for our directions.
const STRAIGHTS: [Heading; 4] = [Heading::North, Heading::East, Heading::South, Heading::West];
const DIAGONALS: [Heading; 4] =
    [Heading::NorthEast, Heading::SouthEast, Heading::SouthWest, Heading::NorthWest];

/// Whether x decreases while y increases.
#[inline(always)]
const fn falls(direction: Diagonal) -> bool {
    let (dx, dy) = direction.delta();
    dx != dy
}

/// The diagonals that have this direction at a side, with the side.
fn sides_of_straight(direction: Straight) -> impl Iterator<Item = (Diagonal, usize)> {
    direction.beside().into_iter().filter_map(move |diagonal| {
        Some((diagonal, diagonal.beside().iter().position(|&at| at == direction)?))
    })
}

/// The straight directions that have this diagonal at a side, with the side.
fn sides_of_diagonal(direction: Diagonal) -> impl Iterator<Item = (Straight, usize)> {
    direction.beside().into_iter().filter_map(move |straight| {
        Some((straight, straight.beside().iter().position(|&at| at == direction)?))
    })
}
