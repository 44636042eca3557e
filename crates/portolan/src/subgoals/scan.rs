//! Looking for subgoals from a cell, in two rounds: first along the lines through the cell for places from which one can be
//! seen to the side, then from each of these places. Between the rounds the memory that the second one reads is on its way.

use super::compass::{Diagonal, Straight};
use super::run::{Seen, Spot};
use super::sight::{Sight, diagonal, straight, upward_diagonal, upward_straight};
use crate::cost::{Cost, DIAGONAL, STRAIGHT};

/// A place from which to look in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance {
    from: Spot,
    /// What it costs to get there.
    cost: Cost,
    toward: Toward,
}

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

    /// The subgoals at which the canonical runs from a cell have to turn.
    pub(crate) fn ahead(&self, from: Spot, mut visit: impl FnMut(Seen)) {
        self.glance_ahead(from, |glance| self.look(glance).into_iter().for_each(&mut visit));
    }

    /// The nearest subgoals from which canonical runs lead to a cell, as subgoals may be left.
    pub(crate) fn behind(&self, to: Spot, mut visit: impl FnMut(Seen)) {
        self.glance_behind(to, |glance| self.look(glance).into_iter().for_each(&mut visit));
    }

    /// Where to look for the subgoals ahead.
    #[inline(always)]
    pub(crate) fn glance_ahead(&self, from: Spot, mut glance: impl FnMut(Glance)) {
        for direction in Straight::ALL {
            glance(Glance { from, cost: 0, toward: Toward::Straight(direction) });
        }
        for direction in Diagonal::ALL {
            self.glance_diagonally(from, direction, &mut glance);
        }
    }

    /// Those that are seen straight ahead.
    pub(super) fn ahead_straight(&self, from: Spot, mut visit: impl FnMut(Seen)) {
        for direction in Straight::ALL {
            let glance = Glance { from, cost: 0, toward: Toward::Straight(direction) };
            self.look(glance).into_iter().for_each(&mut visit);
        }
    }

    /// Those that are seen after steps in one diagonal direction.
    pub(super) fn ahead_diagonally(
        &self,
        from: Spot,
        direction: Diagonal,
        mut visit: impl FnMut(Seen),
    ) {
        self.glance_diagonally(from, direction, |glance| {
            self.look(glance).into_iter().for_each(&mut visit);
        });
    }

    #[inline(always)]
    fn glance_diagonally(&self, from: Spot, direction: Diagonal, mut glance: impl FnMut(Glance)) {
        let (line, at) = self.diagonal(direction, from);
        let up = upward_diagonal(direction);
        let stop = diagonal::STOP + usize::from(up);
        let Some(end) = line.first(at, up, |word| word[stop]) else { return };
        if end == at {
            return;
        }
        let (low, high) = if up { (at + 1, end) } else { (end, at - 1) };
        for (side, turn) in direction.beside().into_iter().enumerate() {
            let kind = diagonal::BESIDE + 2 * usize::from(up) + side;
            line.each(low, high, kind, |place| {
                let steps = place.abs_diff(at);
                let from = from.step(direction.delta(), steps);
                let (line, at) = self.straight(turn, from);
                line.ask_for(at);
                let cost = steps as Cost * DIAGONAL;
                glance(Glance { from, cost, toward: Toward::Straight(turn) });
            });
        }
    }

    /// Where to look for the subgoals behind.
    #[inline(always)]
    pub(crate) fn glance_behind(&self, to: Spot, mut glance: impl FnMut(Glance)) {
        for direction in Diagonal::ALL {
            glance(Glance { from: to, cost: 0, toward: Toward::Diagonal(direction) });
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
            line.each(low, high, straight::LEFT + usize::from(up), |place| {
                let (from, cost) = there(place);
                glance(Glance { from, cost, toward: Toward::Here(direction) });
            });
            for (side, turn) in direction.beside().into_iter().enumerate() {
                let kind = straight::BESIDE + 2 * usize::from(up) + side;
                line.each(low, high, kind, |place| {
                    let (from, cost) = there(place);
                    let (line, at) = self.diagonal(turn, from);
                    line.ask_for(at);
                    glance(Glance { from, cost, toward: Toward::Diagonal(turn) });
                });
            }
        }
    }

    /// What is seen at a glance.
    #[inline(always)]
    pub(crate) fn look(&self, Glance { from, cost, toward }: Glance) -> Option<Seen> {
        match toward {
            Toward::Here(direction) => Some(Seen { spot: from, cost, arrival: Some(direction) }),
            Toward::Straight(direction) => {
                let steps = self.forcing_ahead(from, direction)?;
                Some(Seen {
                    spot: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * STRAIGHT,
                    arrival: Some(direction),
                })
            }
            Toward::Diagonal(direction) => {
                let steps = self.turning_ahead(from, direction)?;
                Some(Seen {
                    spot: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * DIAGONAL,
                    arrival: None,
                })
            }
        }
    }
}
