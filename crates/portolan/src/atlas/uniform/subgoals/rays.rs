//! Looking for subgoals from a cell, in two rounds: first along the lines through the cell for
//! places from which one can be seen to the side, then from each of these places. Between the
//! rounds the memory that the second one reads is on its way.

use super::bitmaps::{
    CornerBitmaps, Reduction, diagonal, straight, upward_diagonal, upward_straight,
};
use super::canonical_run::{ANY_ARRIVAL, CanonicalRun, PaddedCell, VisibleSubgoal};
use super::directions::{Diagonal, Straight};
use crate::cost::{Cost, DIAGONAL, STRAIGHT};

/// A place from which to look in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    from: PaddedCell,
    /// What it costs to get there.
    cost: Cost,
    target: RayTarget,
    /// Places on one line that look to one side have the same number.
    line: u8,
}

/// The number of those that look from the cell itself.
const HERE: u8 = 8;

#[derive(Debug, Clone, Copy)]
enum RayTarget {
    /// The place itself is a subgoal; the straight direction leads to it.
    Origin(Straight),
    Straight(Straight),
    Diagonal(Diagonal),
}

impl CornerBitmaps {
    /// Asks for what is read first when occlusion from a cell.
    #[inline(always)]
    pub(crate) fn prefetch(&self, spot: PaddedCell) {
        for direction in [Straight::ALL[0], Straight::ALL[1]] {
            let (line, at) = self.straight(direction, spot);
            line.prefetch(at);
        }
        for direction in [Diagonal::ALL[0], Diagonal::ALL[1]] {
            let (line, at) = self.diagonal(direction, spot);
            line.prefetch(at);
        }
    }

    /// Asks for what is read first when occlusion straight from one cell at another.
    #[inline(always)]
    pub(crate) fn prefetch_direct(&self, from: PaddedCell, to: PaddedCell) {
        let run = CanonicalRun::between(from, to);
        let (line, at) = self.diagonal(run.diagonal, from);
        line.prefetch(at);
        let middle = from.step(run.diagonal.delta(), run.diagonals as usize);
        let (line, at) = self.straight(run.straight, middle);
        line.prefetch(at);
    }

    /// The subgoals at which the canonical runs from a cell have to turn.
    pub(crate) fn ahead(&self, from: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        let mut occlusion = Occlusion::default();
        self.rays_ahead(from, |ray| {
            self.trace(ray, &mut occlusion).into_iter().for_each(&mut visit);
        });
    }

    /// The nearest subgoals from which canonical runs lead to a cell, as subgoals may be left.
    pub(crate) fn behind(&self, to: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        let mut occlusion = Occlusion::default();
        self.rays_behind(to, |ray| {
            self.trace(ray, &mut occlusion).into_iter().for_each(&mut visit);
        });
    }

    /// Where to look for the subgoals ahead.
    #[inline(always)]
    pub(crate) fn rays_ahead(&self, from: PaddedCell, mut ray: impl FnMut(Ray)) {
        for direction in Straight::ALL {
            ray(Ray { from, cost: 0, target: RayTarget::Straight(direction), line: HERE });
        }
        for direction in Diagonal::ALL {
            if self.reduction == Reduction::Plain {
                ray(Ray { from, cost: 0, target: RayTarget::Diagonal(direction), line: HERE });
            }
            self.rays_along_diagonal(from, direction, &mut ray);
        }
    }

    /// Those that are seen straight ahead.
    pub(crate) fn ahead_straight(&self, from: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        for direction in Straight::ALL {
            let ray = Ray { from, cost: 0, target: RayTarget::Straight(direction), line: HERE };
            self.trace(ray, &mut Occlusion::default()).into_iter().for_each(&mut visit);
        }
    }

    /// Those that are seen after steps in one diagonal direction.
    pub(crate) fn ahead_diagonally(
        &self,
        from: PaddedCell,
        direction: Diagonal,
        mut visit: impl FnMut(VisibleSubgoal),
    ) {
        self.rays_along_diagonal(from, direction, |ray| {
            self.trace(ray, &mut Occlusion::default()).into_iter().for_each(&mut visit);
        });
    }

    #[inline(always)]
    fn rays_along_diagonal(&self, from: PaddedCell, direction: Diagonal, mut ray: impl FnMut(Ray)) {
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
                line.prefetch(at);
                let cost = steps as Cost * DIAGONAL;
                ray(Ray { from, cost, target: RayTarget::Straight(turn), line: number });
            });
        }
    }

    /// Where to look for the subgoals behind.
    #[inline(always)]
    pub(crate) fn rays_behind(&self, to: PaddedCell, mut ray: impl FnMut(Ray)) {
        if self.reduction == Reduction::Plain {
            return self.rays_ahead(to, ray);
        }
        for direction in Diagonal::ALL {
            ray(Ray { from: to, cost: 0, target: RayTarget::Diagonal(direction), line: HERE });
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
            line.each(low, high, straight::EXIT + usize::from(up), up, |place| {
                let (from, cost) = there(place);
                ray(Ray { from, cost, target: RayTarget::Origin(direction), line: HERE });
            });
            for (side, turn) in direction.beside().into_iter().enumerate() {
                let kind = straight::BESIDE + 2 * usize::from(up) + side;
                line.each(low, high, kind, up, |place| {
                    let (from, cost) = there(place);
                    let (line, at) = self.diagonal(turn, from);
                    line.prefetch(at);
                    ray(Ray { from, cost, target: RayTarget::Diagonal(turn), line: HERE });
                });
            }
        }
    }

    /// What is seen at a ray, which comes after those before it in their order.
    #[inline(always)]
    pub(crate) fn trace(
        &self,
        Ray { from, cost, target, line }: Ray,
        occlusion: &mut Occlusion,
    ) -> Option<VisibleSubgoal> {
        match target {
            RayTarget::Origin(direction) => {
                Some(VisibleSubgoal { spot: from, cost, arrival: 1 << direction.number() })
            }
            RayTarget::Straight(direction) => {
                let (steps, forcing) = self.end_ahead(from, direction)?;
                if self.reduction == Reduction::Plain && !occlusion.reaches(direction, steps, line)
                {
                    return None;
                }
                forcing.then(|| VisibleSubgoal {
                    spot: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * STRAIGHT,
                    arrival: 1 << direction.number(),
                })
            }
            RayTarget::Diagonal(direction) => {
                let steps = self.turning_ahead(from, direction)?;
                Some(VisibleSubgoal {
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
pub(crate) struct Occlusion {
    /// By straight direction how many cells are free from the first cell on.
    straight: [usize; 4],
    line: u8,
    most: usize,
}

impl Occlusion {
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
