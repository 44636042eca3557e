//! Subgoals of four-connected grids, and of eight-connected ones where a diagonal step needs one of
//! its orthogonal neighbours free, or none.
//!
//! The theory is that of jump points (Harabor, Grastien) for other orders of steps; the words are
//! those of the module above.
//!
//! # Canonical runs
//! Directions are of two kinds, and a run makes its steps of the *first* kind before those of the
//! *second*, all of a kind in one direction. On four-connected grids the kinds are horizontal and
//! vertical steps; on eight-connected ones diagonal and straight steps. No way between two cells
//! costs less than the run between them on open ground. So where nothing is in its heading that is a
//! shortest path.
//!
//! # Forced turns
//! Take the shortest path between two cells on which steps of the first kind come as early as they
//! can. Let it pass a cell c, arriving with step a and leaving with step b in another direction.
//!
//! *Of the second kind to the first.* The cell c - a + b is blocked, else b could come before a:
//! the cells of the exchanged steps are free, and so is what a diagonal step asks for. (Where one
//! orthogonal neighbour has to be free, that is c itself: with a straight and b diagonal, the step
//! b from c - a has c at its side.) With diagonal steps, b is one of the two that lie beside a: any
//! other would lead to a neighbour of c - a, which is reached in one step.
//!
//! *Of the first kind to the first.* Not on four-connected grids, where that would be the way back.
//! Two diagonal steps at a right angle lead two cells on in a straight line; the cell between is
//! blocked, else two straight steps would be shorter.
//!
//! *Of the first kind to the second.* That is a run's own bend; b lies beside a, else the path
//! could be shorter.
//!
//! *Of the second kind to the second.* Never: on four-connected grids that would be the way back,
//! and two straight steps at a right angle are one diagonal step, which has c at its side and is
//! legal under both rules. (Where both neighbours have to be free it may not be: that is why that
//! rule has a theory of its own.)
//!
//! A cell where a blocked cell makes a path turn so, with both steps legal, is a *subgoal*
//! ([`rules::Turn`]), and it *ends* runs that arrive in direction a: the path may turn there, or go
//! on as it would have without. So the path is a chain of runs that each lead to the next subgoal
//! that ends them.
//!
//! # Edges and ties
//! Edges are the runs that leave a subgoal in a direction in which some path through it may go on,
//! up to the first subgoals that end them. *Ahead* of a start are those that end its runs. *Behind*
//! a goal are those from which the last run leads to it: back along the second kind up to the first
//! subgoal that ends runs there, and from each cell on that way back along the first kind, up to
//! the nearest that may be left so. Farther ones on that line have an edge to the nearest
//! ([`graph`]), as do those beyond a subgoal that ends the run. A bend at a subgoal that ends steps
//! of the first kind is none: the subgoal itself is behind the goal then.
//!
//! Ties of no use are left out as in the module above, and paths with a single bend are found in
//! the same heading.
//!
//! # Which order
//! On four-connected grids vertical steps could as well come first. That makes hardly another
//! graph: a path turned round, on which horizontal steps came as early as they could, has vertical
//! ones as early as they can, and turns at the same subgoals.

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
use super::directions::Departures;
use super::directions::HeadingIndex;
use super::lines::{BitLine, BitLines, tile_by_tile};
use crate::grid::Grid;

/// Kinds of bits. Of the two directions along a line the one that runs upward has the next number.
mod kind {
    /// No step in this direction.
    pub(crate) const STOP: usize = 0;
    /// A subgoal that ends runs in this direction.
    pub(crate) const ENDS: usize = 2;
    /// A subgoal that may be left against this direction.
    pub(crate) const EXIT: usize = 4;
    /// In the direction on one side of this one, a subgoal can be seen: one that ends runs, where
    /// this direction is of the first kind, and one that may be left against it otherwise; twice
    /// two.
    pub(crate) const BESIDE: usize = 6;
    pub(crate) const KINDS: usize = 10;
}

/// The bitmaps of a grid.
#[derive(Debug, Clone)]
pub(crate) struct LatticeBitmaps {
    /// The size with the margin.
    width: u32,
    height: u32,
    pub(crate) rules: Rules,
    /// Columns, rows, diagonals on which x falls where y grows, and the others; only those that
    /// runs are on.
    lines: [BitLines<{ kind::KINDS }>; 4],
}

/// A subgoal.
#[derive(Debug, Clone, Copy)]
struct LatticeSubgoal {
    spot: PaddedCell,
    /// By the direction of arrival how a path may go on, where it has to end a run; else nothing.
    after: [Departures; HEADINGS],
}

impl LatticeSubgoal {
    /// Whether runs in this direction end here.
    fn ends(&self, heading: HeadingIndex) -> bool {
        !self.after[heading].is_empty()
    }
}

impl LatticeBitmaps {
    /// What follows from the cells alone, and the subgoals. How these may be left is still to be
    /// said, by [`set_departures`](Self::set_departures).
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
        // Of blocked cells everything is written already.
        let is_passable =
            |spot: &PaddedCell| grid.is_passable(spot.x.wrapping_sub(1), spot.y.wrapping_sub(1));
        for spot in tile_by_tile(width, height).filter(is_passable) {
            let moves = moves(grid, spot);
            for &heading in rules.firsts().iter().chain(rules.seconds()) {
                lattice.set(
                    heading,
                    spot,
                    kind::STOP,
                    moves >> grid_heading(heading) as u8 & 1 == 0,
                );
            }
            subgoals.extend(subgoal(grid, rules, spot, moves));
        }
        subgoals.sort_unstable_by_key(|&LatticeSubgoal { spot: PaddedCell { x, y }, .. }| (y, x));
        for subgoal in &subgoals {
            for heading in (0..HEADINGS).filter(|&heading| subgoal.ends(heading)) {
                lattice.set(heading, subgoal.spot, kind::ENDS, true);
            }
        }
        for subgoal in &subgoals {
            for &heading in rules.seconds().iter().filter(|&&heading| subgoal.ends(heading)) {
                lattice.show_end(subgoal.spot, heading);
            }
        }
        (lattice, subgoals)
    }

    /// Says how a subgoal may be left.
    fn set_departures(&mut self, spot: PaddedCell, departures: Departures) {
        for heading in (0..HEADINGS).filter(|&heading| departures.contains(heading)) {
            self.set(opposite(heading), spot, kind::EXIT, true);
        }
    }

    /// Tells the cells from which runs of the second kind end at a subgoal that it can be seen.
    fn show_end(&mut self, spot: PaddedCell, heading: HeadingIndex) {
        let back = opposite(heading);
        let mut at = spot;
        while !self.bit(back, at, kind::STOP) {
            at = at.step(delta(back), 1);
            for first in self.rules.beside(heading) {
                self.show(first, at, heading);
            }
            if self.bit(heading, at, kind::ENDS) {
                return;
            }
        }
    }

    /// Tells the cells that steps of the first kind lead to from a subgoal, which may be left so,
    /// that it can be seen.
    fn show_exit(&mut self, spot: PaddedCell, heading: HeadingIndex) {
        let back = opposite(heading);
        let mut at = spot;
        while !self.bit(heading, at, kind::STOP) {
            at = at.step(delta(heading), 1);
            if !self.bit(heading, at, kind::ENDS) {
                for second in self.rules.beside(back) {
                    self.show(second, at, back);
                }
            }
            if self.bit(back, at, kind::EXIT) {
                return;
            }
        }
    }

    /// On the line of one direction: in another something can be seen.
    fn show(&mut self, line: HeadingIndex, at: PaddedCell, seen: HeadingIndex) {
        if let Some(side) = self.rules.side_of(seen, line) {
            let kind = beside(line, side);
            let (number, position) = self.place(line, at);
            self.lines[axis(line)].set(number, position, kind, true);
        }
    }

    /// Whether the run from one cell to another is legal.
    #[inline]
    pub(crate) fn sees(&self, from: PaddedCell, to: PaddedCell) -> bool {
        let [(first, firsts), (second, seconds)] = self.legs(from, to);
        if firsts > 0 && self.steps(from, first) < firsts {
            return false;
        }
        let bend = from.step(delta(first), firsts);
        seconds == 0 || self.steps(bend, second) >= seconds
    }

    /// The only run that can lead from one cell to another: two directions, and how many steps.
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

    /// Whether a step leads from a cell.
    pub(crate) fn can_move(&self, spot: PaddedCell) -> bool {
        let headings = self.rules.firsts().iter().chain(self.rules.seconds());
        headings.into_iter().any(|&heading| !self.bit(heading, spot, kind::STOP))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.lines.iter().map(BitLines::memory_bytes).sum()
    }

    /// How many steps can be made in a direction.
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
        spot: PaddedCell,
    ) -> (BitLine<'_, { kind::KINDS }>, usize) {
        let (number, at) = self.place(heading, spot);
        (self.lines[axis(heading)].line(number), at)
    }

    /// The number of the line, and the position on it.
    #[inline(always)]
    fn place(&self, heading: HeadingIndex, spot: PaddedCell) -> (usize, usize) {
        let (x, y) = (spot.x as usize, spot.y as usize);
        let wide = self.width as usize;
        match axis(heading) {
            0 => (x, y),
            1 => (y, x),
            2 => ((x + y) % wide, y),
            _ => ((x + self.height as usize - y) % wide, y),
        }
    }

    fn bit(&self, heading: HeadingIndex, spot: PaddedCell, kind: usize) -> bool {
        let (line, at) = self.line(heading, spot);
        line.bit(at, along(heading, kind))
    }

    fn set(&mut self, heading: HeadingIndex, spot: PaddedCell, kind: usize, value: bool) {
        let (number, at) = self.place(heading, spot);
        self.lines[axis(heading)].set(number, at, along(heading, kind), value);
    }
}

/// Which of the lines run in a direction.
#[inline(always)]
const fn axis(heading: HeadingIndex) -> usize {
    heading % 2 + 2 * (heading / 4)
}

/// The number of a kind of bits for a direction.
#[inline(always)]
const fn along(heading: HeadingIndex, kind: usize) -> usize {
    kind + upward(heading) as usize
}

/// That of what is seen on one side.
#[inline(always)]
const fn beside(heading: HeadingIndex, side: usize) -> usize {
    kind::BESIDE + 2 * upward(heading) as usize + side
}

/// The legal moves of a cell, a bit for each of the grid's directions.
fn moves(grid: &Grid, spot: PaddedCell) -> u8 {
    let (x, y) = (spot.x.wrapping_sub(1), spot.y.wrapping_sub(1));
    if grid.is_passable(x, y) { grid.moves(x, y).0 } else { 0 }
}

/// The subgoal at a cell with these moves, if it is one.
fn subgoal(grid: &Grid, rules: Rules, spot: PaddedCell, moves: u8) -> Option<LatticeSubgoal> {
    let legal = |heading: HeadingIndex| moves >> grid_heading(heading) as u8 & 1 != 0;
    let blocked = |(dx, dy): (i32, i32)| {
        let x = spot.x.wrapping_add_signed(dx).wrapping_sub(1);
        !grid.is_passable(x, spot.y.wrapping_add_signed(dy).wrapping_sub(1))
    };
    let mut subgoal = LatticeSubgoal { spot, after: [Departures::default(); HEADINGS] };
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
