//! Looking for subgoals from a cell, in two rounds: first along the lines through the cell for
//! places from which one can be seen to the side, then from each of these places. Between the
//! rounds the memory that the second one reads is on its way.

use super::compass::{Diagonal, Straight};
use super::run::{ANY_ARRIVAL, Run, Seen, Spot};
use super::sight::{Reduction, Sight, diagonal, straight, upward_diagonal, upward_straight};
use crate::cost::{Cost, DIAGONAL, STRAIGHT};

/// A place from which to look in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance {
    from: Spot,
    /// What it costs to get there.
    cost: Cost,
    toward: Toward,
    /// Places on one line that look to one side have the same number.
    line: u8,
}

/// The number of those that look from the cell itself.
const HERE: u8 = 8;

#[derive(Debug, Clone, Copy)]
enum Toward {
    /// The place itself is a subgoal; the straight direction leads to it.
    Here(Straight),
    Straight(Straight),
    Diagonal(Diagonal),
}

impl Sight {
    /// Asks for what is read first when looking from a cell.
    #[inline(always)]
    pub(crate) fn ask_for(&self, spot: Spot) {
        for direction in [Straight::ALL[0], Straight::ALL[1]] {
            let (line, at) = self.straight(direction, spot);
            line.ask_for(at);
        }
        for direction in [Diagonal::ALL[0], Diagonal::ALL[1]] {
            let (line, at) = self.diagonal(direction, spot);
            line.ask_for(at);
        }
    }

    /// Asks for what is read first when looking straight from one cell at another.
    #[inline(always)]
    pub(crate) fn ask_for_direct(&self, from: Spot, to: Spot) {
        let run = Run::between(from, to);
        let (line, at) = self.diagonal(run.diagonal, from);
        line.ask_for(at);
        let middle = from.step(run.diagonal.delta(), run.diagonals as usize);
        let (line, at) = self.straight(run.straight, middle);
        line.ask_for(at);
    }

    /// The subgoals at which the canonical runs from a cell have to turn.
    pub(crate) fn ahead(&self, from: Spot, mut visit: impl FnMut(Seen)) {
        let mut looking = Looking::default();
        self.glance_ahead(from, |glance| {
            self.look(glance, &mut looking).into_iter().for_each(&mut visit);
        });
    }

    /// The nearest subgoals from which canonical runs lead to a cell, as subgoals may be left.
    pub(crate) fn behind(&self, to: Spot, mut visit: impl FnMut(Seen)) {
        let mut looking = Looking::default();
        self.glance_behind(to, |glance| {
            self.look(glance, &mut looking).into_iter().for_each(&mut visit);
        });
    }

    /// Where to look for the subgoals ahead.
    #[inline(always)]
    pub(crate) fn glance_ahead(&self, from: Spot, mut glance: impl FnMut(Glance)) {
        for direction in Straight::ALL {
            glance(Glance { from, cost: 0, toward: Toward::Straight(direction), line: HERE });
        }
        for direction in Diagonal::ALL {
            if self.reduction == Reduction::Plain {
                glance(Glance { from, cost: 0, toward: Toward::Diagonal(direction), line: HERE });
            }
            self.glance_diagonally(from, direction, &mut glance);
        }
    }

    /// Those that are seen straight ahead.
    pub(crate) fn ahead_straight(&self, from: Spot, mut visit: impl FnMut(Seen)) {
        for direction in Straight::ALL {
            let glance = Glance { from, cost: 0, toward: Toward::Straight(direction), line: HERE };
            self.look(glance, &mut Looking::default()).into_iter().for_each(&mut visit);
        }
    }

    /// Those that are seen after steps in one diagonal direction.
    pub(crate) fn ahead_diagonally(
        &self,
        from: Spot,
        direction: Diagonal,
        mut visit: impl FnMut(Seen),
    ) {
        self.glance_diagonally(from, direction, |glance| {
            self.look(glance, &mut Looking::default()).into_iter().for_each(&mut visit);
        });
    }

    #[inline(always)]
    fn glance_diagonally(&self, from: Spot, direction: Diagonal, mut glance: impl FnMut(Glance)) {
        let (line, at) = self.diagonal(direction, from);
        let up = upward_diagonal(direction);
        let stop = diagonal::STOP + usize::from(up);
        let Some(mut end) = line.first(at, up, |word| word[stop]) else { return };
        if self.reduction == Reduction::Plain
            && let Some(steps) = self.turning_ahead(from, direction)
        {
            // Up to the cell before a subgoal.
            end = if up { at + steps - 1 } else { at + 1 - steps };
        }
        if end == at {
            return;
        }
        let (low, high) = if up { (at + 1, end) } else { (end, at - 1) };
        for (side, turn) in direction.beside().into_iter().enumerate() {
            let kind = diagonal::BESIDE + 2 * usize::from(up) + side;
            let number = (2 * direction.number() + side) as u8;
            line.each(low, high, kind, up, |place| {
                let steps = place.abs_diff(at);
                let from = from.step(direction.delta(), steps);
                let (line, at) = self.straight(turn, from);
                line.ask_for(at);
                let cost = steps as Cost * DIAGONAL;
                glance(Glance { from, cost, toward: Toward::Straight(turn), line: number });
            });
        }
    }

    /// Where to look for the subgoals behind.
    #[inline(always)]
    pub(crate) fn glance_behind(&self, to: Spot, mut glance: impl FnMut(Glance)) {
        if self.reduction == Reduction::Plain {
            return self.glance_ahead(to, glance);
        }
        for direction in Diagonal::ALL {
            glance(Glance { from: to, cost: 0, toward: Toward::Diagonal(direction), line: HERE });
        }
        for direction in Straight::ALL {
            let (line, at) = self.straight(direction, to);
            let up = upward_straight(direction);
            let forcing = straight::FORCING + usize::from(upward_straight(direction.opposite()));
            let next = if up { at + 1 } else { at - 1 };
            let end = line.first(next, up, |word| word[forcing] | word[straight::BLOCKED]);
            let Some(end) = end else { continue };
            let blocked = usize::from(line.bit(end, straight::BLOCKED));
            let steps = end.abs_diff(at) - blocked;
            if steps == 0 {
                continue;
            }
            let (low, high) = if up { (at + 1, at + steps) } else { (at - steps, at - 1) };
            let there = |place: usize| {
                let steps = place.abs_diff(at);
                (to.step(direction.delta(), steps), steps as Cost * STRAIGHT)
            };
            line.each(low, high, straight::LEFT + usize::from(up), up, |place| {
                let (from, cost) = there(place);
                glance(Glance { from, cost, toward: Toward::Here(direction), line: HERE });
            });
            for (side, turn) in direction.beside().into_iter().enumerate() {
                let kind = straight::BESIDE + 2 * usize::from(up) + side;
                line.each(low, high, kind, up, |place| {
                    let (from, cost) = there(place);
                    let (line, at) = self.diagonal(turn, from);
                    line.ask_for(at);
                    glance(Glance { from, cost, toward: Toward::Diagonal(turn), line: HERE });
                });
            }
        }
    }

    /// What is seen at a glance, which comes after those before it in their order.
    #[inline(always)]
    pub(crate) fn look(
        &self,
        Glance { from, cost, toward, line }: Glance,
        looking: &mut Looking,
    ) -> Option<Seen> {
        match toward {
            Toward::Here(direction) => {
                Some(Seen { spot: from, cost, arrival: 1 << direction.number() })
            }
            Toward::Straight(direction) => {
                let (steps, forcing) = self.end_ahead(from, direction)?;
                if self.reduction == Reduction::Plain && !looking.reaches(direction, steps, line) {
                    return None;
                }
                forcing.then(|| Seen {
                    spot: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * STRAIGHT,
                    arrival: 1 << direction.number(),
                })
            }
            Toward::Diagonal(direction) => {
                let steps = self.turning_ahead(from, direction)?;
                Some(Seen {
                    spot: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * DIAGONAL,
                    arrival: ANY_ARRIVAL,
                })
            }
        }
    }
}

/// How far one can look to the side with nothing between, in the plain reduction.
///
/// Between two subgoals that are an edge, all cells of the parallelogram that their runs span are
/// free, and none of them is a subgoal. Along a diagonal that only gets narrower: a subgoal hides
/// all that lies farther to that side of the places behind. A wall does the same, but where one
/// begins or ends there is a subgoal on the row before or behind.
#[derive(Debug, Default)]
pub(crate) struct Looking {
    /// By straight direction how many cells are free from the first cell on.
    straight: [usize; 4],
    line: u8,
    most: usize,
}

impl Looking {
    /// Whether what ends so many steps to the side is not hidden. From then on it hides what lies
    /// behind.
    #[inline(always)]
    fn reaches(&mut self, direction: Straight, steps: usize, line: u8) -> bool {
        if line == HERE {
            self.straight[direction.number()] = steps - 1;
            self.line = HERE;
            return true;
        }
        if line != self.line {
            (self.line, self.most) = (line, self.straight[direction.number()]);
        }
        let reaches = steps <= self.most;
        if reaches {
            self.most = steps - 1;
        }
        reaches
    }
}
