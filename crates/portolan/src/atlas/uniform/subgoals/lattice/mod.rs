//! Subgoals of four-connected grids, and of eight-connected grids where a diagonal step needs one
//! of its orthogonal neighbours free, or none.
//!
//! The theory is that of jump points (Harabor, Grastien) for other orders of steps. The terms are
//! those of the parent module.
//!
//! # Canonical runs
//! Directions are of two kinds. A run makes its steps of the *first* kind before those of the
//! *second*, all steps of a kind in one direction. On four-connected grids the kinds are horizontal
//! and vertical steps; on eight-connected grids they are diagonal and straight steps. No path
//! between two cells costs less than the run between them on open ground. So a run without
//! obstacles is a shortest path.
//!
//! # Forced turns
//! Take the shortest path between two cells on which steps of the first kind come as early as
//! possible. Suppose it passes a cell c, arriving with step a and leaving with step b in another
//! direction.
//!
//! *From the second kind to the first.* The cell c - a + b is blocked. Otherwise b could come
//! before a: the cells of the exchanged steps are free, and the exchanged diagonal step is legal.
//! (Where one orthogonal neighbour must be free, c itself is that neighbour: with a straight and b
//! diagonal, the step b from c - a has c at its side.) With diagonal steps, b is one of the two
//! diagonals adjacent to a: any other would lead to a neighbour of c - a, which one step reaches.
//!
//! *From the first kind to the first.* Impossible on four-connected grids, where this would reverse
//! the direction. Two diagonal steps at a right angle move two cells along a straight line. The
//! cell between is blocked, otherwise two straight steps would be shorter.
//!
//! *From the first kind to the second.* This is the bend within a run. The direction b is adjacent
//! to a, otherwise the path could be shorter.
//!
//! *From the second kind to the second.* Impossible. On four-connected grids this would reverse the
//! direction. Two straight steps at a right angle equal one diagonal step, which has c at its side
//! and is legal under both rules. (Where both neighbours must be free it may be illegal; that is
//! why that rule has its own theory.)
//!
//! A *subgoal* is a cell where a blocked cell forces such a turn and both steps are legal
//! ([`rules::Turn`]). It *ends* runs that arrive in direction a: the path may turn there, or
//! continue as it would without the subgoal. So the path is a chain of runs, each of which leads to the
//! next subgoal that ends it.
//!
//! # Edges and accesses
//! Edges are the runs that leave a subgoal in a direction in which some path through it may
//! continue, up to the first subgoals that end them. The subgoals *ahead* of a start are those that
//! end its runs. The subgoals *behind* a goal are those from which a last run leads to it: go back
//! along the second kind up to the first subgoal that ends runs there, and from each cell on that
//! line go back along the first kind, up to the nearest subgoal that can be left that way. Farther
//! subgoals on that line have an edge to the nearest ([`graph`]), as do those beyond a subgoal that
//! ends the run. A bend at a subgoal that ends steps of the first kind does not count: the subgoal
//! itself is then behind the goal.
//!
//! Useless accesses are left out as in the parent module, and paths with a single bend are found in
//! the same way.
//!
//! # Which order
//! On four-connected grids vertical steps could come first as well. The graph would be almost the
//! same: reverse a path on which horizontal steps come as early as possible, and it has vertical
//! steps as early as possible and turns at the same subgoals.

mod graph;
mod rays;
mod rules;
#[cfg(test)]
mod tests;

pub(crate) use graph::{LatticeGraph, graph};
pub(crate) use rays::Ray;
pub(crate) use rules::Rules;

use self::rules::{HEADINGS, delta, grid_heading, opposite, upward};
use super::canonical_run::PaddedCell;
use super::directions::{Departures, HeadingIndex};
use super::lines::{BitLine, BitLines, tile_by_tile};
use crate::grid::Grid;

/// Kinds of bits. Each exists for both directions along a line; the upward one has the next number.
mod kind {
    /// No step in this direction.
    pub(crate) const STOP: usize = 0;
    /// A subgoal that ends runs in this direction.
    pub(crate) const ENDS: usize = 2;
    /// A subgoal that can be left against this direction.
    pub(crate) const EXIT: usize = 4;
    /// A subgoal is visible in the direction on one side of this one. If this direction is of the
    /// first kind, the subgoal ends runs; otherwise it can be left against the visible direction.
    /// Two sides times two directions.
    pub(crate) const BESIDE: usize = 6;
    pub(crate) const KINDS: usize = 10;
}

/// The bitmaps of a grid.
#[derive(Debug, Clone)]
pub(crate) struct LatticeBitmaps {
    /// The size including the margin.
    width: u32,
    height: u32,
    pub(crate) rules: Rules,
    /// Columns, rows, diagonals on which x decreases while y increases, and the other diagonals.
    /// Diagonals are empty if runs do not use them.
    lines: [BitLines<{ kind::KINDS }>; 4],
}

/// A subgoal.
#[derive(Debug, Clone, Copy)]
struct LatticeSubgoal {
    cell: PaddedCell,
    /// By arrival, how a path may continue where it has to end a run; otherwise empty.
    after: [Departures; HEADINGS],
}

impl LatticeSubgoal {
    /// Whether runs in this direction end here.
    fn ends(&self, heading: HeadingIndex) -> bool {
        !self.after[heading].is_empty()
    }
}

impl LatticeBitmaps {
    /// The bits that follow from the cells alone, and the subgoals.
    /// [`set_departures`](Self::set_departures) adds how subgoals can be left.
    fn new(grid: &Grid, rules: Rules) -> (Self, Vec<LatticeSubgoal>) {
        let (width, height) = (grid.width() + 2, grid.height() + 2);
        let (wide, high) = (width as usize, height as usize);
        let diagonals = if rules == Rules::Diagonal { wide } else { 0 };
        let lines = [(wide, high), (high, wide), (diagonals, high), (diagonals, high)];
        let lines = lines.map(|(count, positions)| {
            BitLines::new(count, positions, &[kind::STOP, kind::STOP + 1])
        });
        let mut lattice = Self { width, height, rules, lines };
        let mut subgoals = Vec::new();
        // The initial bits are those of blocked cells.
        let is_passable =
            |cell: &PaddedCell| grid.is_passable(cell.x.wrapping_sub(1), cell.y.wrapping_sub(1));
        for cell in tile_by_tile(width, height).filter(is_passable) {
            let moves = moves(grid, cell);
            for &heading in rules.firsts().iter().chain(rules.seconds()) {
                lattice.set(
                    heading,
                    cell,
                    kind::STOP,
                    moves >> grid_heading(heading) as u8 & 1 == 0,
                );
            }
            subgoals.extend(subgoal(grid, rules, cell, moves));
        }
        subgoals.sort_unstable_by_key(|&LatticeSubgoal { cell: PaddedCell { x, y }, .. }| (y, x));
        for subgoal in &subgoals {
            for heading in (0..HEADINGS).filter(|&heading| subgoal.ends(heading)) {
                lattice.set(heading, subgoal.cell, kind::ENDS, true);
            }
        }
        for subgoal in &subgoals {
            for &heading in rules.seconds().iter().filter(|&&heading| subgoal.ends(heading)) {
                lattice.mark_end_visible(subgoal.cell, heading);
            }
        }
        (lattice, subgoals)
    }

    /// Stores how a subgoal can be left.
    fn set_departures(&mut self, cell: PaddedCell, departures: Departures) {
        for heading in (0..HEADINGS).filter(|&heading| departures.contains(heading)) {
            self.set(opposite(heading), cell, kind::EXIT, true);
        }
    }

    /// Marks a subgoal as visible in the cells from which runs of the second kind end there.
    fn mark_end_visible(&mut self, cell: PaddedCell, heading: HeadingIndex) {
        let back = opposite(heading);
        let mut at = cell;
        while !self.bit(back, at, kind::STOP) {
            at = at.step(delta(back), 1);
            for first in self.rules.beside(heading) {
                self.mark_visible(first, at, heading);
            }
            if self.bit(heading, at, kind::ENDS) {
                return;
            }
        }
    }

    /// Marks a subgoal as visible in the cells that steps of the first kind reach from it in a
    /// direction in which it can be left.
    fn mark_exit_visible(&mut self, cell: PaddedCell, heading: HeadingIndex) {
        let back = opposite(heading);
        let mut at = cell;
        while !self.bit(heading, at, kind::STOP) {
            at = at.step(delta(heading), 1);
            if !self.bit(heading, at, kind::ENDS) {
                for second in self.rules.beside(back) {
                    self.mark_visible(second, at, back);
                }
            }
            if self.bit(back, at, kind::EXIT) {
                return;
            }
        }
    }

    /// Marks, on the line of one direction, that a subgoal is visible in another.
    fn mark_visible(&mut self, line: HeadingIndex, at: PaddedCell, seen: HeadingIndex) {
        if let Some(side) = self.rules.side_of(seen, line) {
            let kind = beside(line, side);
            let (number, position) = self.line_position(line, at);
            self.lines[axis(line)].set(number, position, kind, true);
        }
    }

    /// Whether there is a line of sight: the run from one cell to another is legal.
    #[inline]
    pub(crate) fn sees(&self, from: PaddedCell, to: PaddedCell) -> bool {
        let [(first, firsts), (second, seconds)] = self.legs(from, to);
        if firsts > 0 && self.steps(from, first) < firsts {
            return false;
        }
        let bend = from.step(delta(first), firsts);
        seconds == 0 || self.steps(bend, second) >= seconds
    }

    /// The only run that can lead from one cell to another, as headings and step counts.
    #[inline(always)]
    pub(crate) fn legs(&self, from: PaddedCell, to: PaddedCell) -> [(HeadingIndex, usize); 2] {
        let (wide, high) = (from.x.abs_diff(to.x) as usize, from.y.abs_diff(to.y) as usize);
        let level = (if to.x > from.x { 1 } else { 3 }, wide);
        let upright = (if to.y > from.y { 2 } else { 0 }, high);
        match self.rules {
            Rules::Level => [level, upright],
            Rules::Diagonal => {
                let diagonal = match (to.x > from.x, to.y > from.y) {
                    (true, false) => 4,
                    (true, true) => 5,
                    (false, true) => 6,
                    (false, false) => 7,
                };
                let straight = if wide > high { level.0 } else { upright.0 };
                [(diagonal, wide.min(high)), (straight, wide.abs_diff(high))]
            }
        }
    }

    /// Whether any step from a cell is legal.
    pub(crate) fn can_move(&self, cell: PaddedCell) -> bool {
        let headings = self.rules.firsts().iter().chain(self.rules.seconds());
        headings.into_iter().any(|&heading| !self.bit(heading, cell, kind::STOP))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.lines.iter().map(BitLines::memory_bytes).sum()
    }

    /// The number of legal steps in a direction.
    #[inline(always)]
    fn steps(&self, from: PaddedCell, heading: HeadingIndex) -> usize {
        let (line, at) = self.line(heading, from);
        let stop = along(heading, kind::STOP);
        line.first(at, upward(heading), |word| word[stop]).map_or(0, |end| end.abs_diff(at))
    }

    #[inline(always)]
    fn line(
        &self,
        heading: HeadingIndex,
        cell: PaddedCell,
    ) -> (BitLine<'_, { kind::KINDS }>, usize) {
        let (number, at) = self.line_position(heading, cell);
        (self.lines[axis(heading)].line(number), at)
    }

    /// The number of the line and the position on it.
    #[inline(always)]
    fn line_position(&self, heading: HeadingIndex, cell: PaddedCell) -> (usize, usize) {
        let (x, y) = (cell.x as usize, cell.y as usize);
        let wide = self.width as usize;
        match axis(heading) {
            0 => (x, y),
            1 => (y, x),
            2 => ((x + y) % wide, y),
            _ => ((x + self.height as usize - y) % wide, y),
        }
    }

    fn bit(&self, heading: HeadingIndex, cell: PaddedCell, kind: usize) -> bool {
        let (line, at) = self.line(heading, cell);
        line.bit(at, along(heading, kind))
    }

    fn set(&mut self, heading: HeadingIndex, cell: PaddedCell, kind: usize, value: bool) {
        let (number, at) = self.line_position(heading, cell);
        self.lines[axis(heading)].set(number, at, along(heading, kind), value);
    }
}

/// The index in `lines` of the lines along a direction.
#[inline(always)]
const fn axis(heading: HeadingIndex) -> usize {
    heading % 2 + 2 * (heading / 4)
}

/// The number of a kind of bits for a direction.
#[inline(always)]
const fn along(heading: HeadingIndex, kind: usize) -> usize {
    kind + upward(heading) as usize
}

/// The number of the bits for what is visible on one side.
#[inline(always)]
const fn beside(heading: HeadingIndex, side: usize) -> usize {
    kind::BESIDE + 2 * upward(heading) as usize + side
}

/// The legal moves of a cell, one bit per [`Heading`](crate::grid::Heading).
fn moves(grid: &Grid, cell: PaddedCell) -> u8 {
    let (x, y) = (cell.x.wrapping_sub(1), cell.y.wrapping_sub(1));
    if grid.is_passable(x, y) { grid.moves(x, y).0 } else { 0 }
}

/// The subgoal at a cell with these moves, if there is one.
fn subgoal(grid: &Grid, rules: Rules, cell: PaddedCell, moves: u8) -> Option<LatticeSubgoal> {
    let legal = |heading: HeadingIndex| moves >> grid_heading(heading) as u8 & 1 != 0;
    let blocked = |(dx, dy): (i32, i32)| {
        let x = cell.x.wrapping_add_signed(dx).wrapping_sub(1);
        !grid.is_passable(x, cell.y.wrapping_add_signed(dy).wrapping_sub(1))
    };
    let mut subgoal = LatticeSubgoal { cell, after: [Departures::default(); HEADINGS] };
    for turn in rules.turns() {
        if legal(opposite(turn.arrival)) && legal(turn.departure) && blocked(turn.past) {
            let after = &mut subgoal.after[turn.arrival];
            after.insert(turn.departure);
            after.insert(turn.arrival);
            if rules.is_first(turn.arrival) {
                rules.beside(turn.arrival).into_iter().for_each(|heading| after.insert(heading));
            }
        }
    }
    (0..HEADINGS).any(|heading| subgoal.ends(heading)).then_some(subgoal)
}
