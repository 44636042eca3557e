//! Scanning for visible subgoals from a cell, in two rounds. The first round follows the lines
//! through the cell and collects *rays*: cells from which a subgoal is visible to a side. The
//! second round traces each ray. Between the rounds, prefetches load the memory that the second one
//! reads.

use super::bitmaps::{CornerBitmaps, Reduction, diagonal, straight};
use super::canonical_run::{ANY_ARRIVAL, CanonicalRun, PaddedCell, VisibleSubgoal};
use super::directions::{Diagonal, Straight};
use crate::cost::{Cost, DIAGONAL, STRAIGHT};

/// A cell and a direction in which a subgoal may be visible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    from: PaddedCell,
    /// The cost to the origin of the ray.
    cost: Cost,
    target: RayTarget,
    /// Identifies the line and the side. Rays of one line to one side share a number.
    line: u8,
}

/// The line number of rays that start at the cell itself.
const FROM_ORIGIN: u8 = 8;

#[derive(Debug, Clone, Copy)]
enum RayTarget {
    /// The origin itself is a subgoal, reached in this direction.
    Origin(Straight),
    Straight(Straight),
    Diagonal(Diagonal),
}

impl Ray {
    #[inline(always)]
    fn from_cell(from: PaddedCell, target: RayTarget) -> Self {
        Self { from, cost: 0, target, line: FROM_ORIGIN }
    }
}

impl CornerBitmaps {
    /// Prefetches what a scan from a cell reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, cell: PaddedCell) {
        for direction in [Straight::ALL[0], Straight::ALL[1]] {
            let (line, at) = self.straight(direction, cell);
            line.prefetch(at);
        }
        for direction in [Diagonal::ALL[0], Diagonal::ALL[1]] {
            let (line, at) = self.diagonal(direction, cell);
            line.prefetch(at);
        }
    }

    /// Prefetches what a line-of-sight check reads first.
    #[inline(always)]
    pub(crate) fn prefetch_line_of_sight(&self, from: PaddedCell, to: PaddedCell) {
        let run = CanonicalRun::between(from, to);
        let (line, at) = self.diagonal(run.diagonal, from);
        line.prefetch(at);
        let middle = from.step(run.diagonal.delta(), run.diagonals as usize);
        let (line, at) = self.straight(run.straight, middle);
        line.prefetch(at);
    }

    /// Visits the subgoals that force the canonical runs from a cell to turn.
    pub(crate) fn ahead(&self, from: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        let mut occlusion = Occlusion::default();
        self.rays_ahead(from, |ray| {
            self.trace(ray, &mut occlusion).into_iter().for_each(&mut visit);
        });
    }

    /// Visits the nearest subgoals from which canonical runs lead to a cell, given how subgoals can
    /// be left.
    pub(crate) fn behind(&self, to: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        let mut occlusion = Occlusion::default();
        self.rays_behind(to, |ray| {
            self.trace(ray, &mut occlusion).into_iter().for_each(&mut visit);
        });
    }

    /// Collects the rays to the subgoals ahead.
    #[inline(always)]
    pub(crate) fn rays_ahead(&self, from: PaddedCell, mut visit: impl FnMut(Ray)) {
        for direction in Straight::ALL {
            visit(Ray::from_cell(from, RayTarget::Straight(direction)));
        }
        for direction in Diagonal::ALL {
            if self.reduction == Reduction::Plain {
                visit(Ray::from_cell(from, RayTarget::Diagonal(direction)));
            }
            self.rays_along_diagonal(from, direction, &mut visit);
        }
    }

    /// Visits the subgoals visible in straight directions.
    pub(crate) fn ahead_straight(&self, from: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        for direction in Straight::ALL {
            let ray = Ray::from_cell(from, RayTarget::Straight(direction));
            self.trace(ray, &mut Occlusion::default()).into_iter().for_each(&mut visit);
        }
    }

    /// Visits the subgoals visible after steps in one diagonal direction.
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
    fn rays_along_diagonal(
        &self,
        from: PaddedCell,
        direction: Diagonal,
        mut visit: impl FnMut(Ray),
    ) {
        let (line, at) = self.diagonal(direction, from);
        let up = direction.is_upward();
        let stop = diagonal::STOP + usize::from(up);
        let Some(mut end) = line.first(at, up, |word| word[stop]) else { return };
        if self.reduction == Reduction::Plain
            && let Some(steps) = self.steps_to_turning(from, direction)
        {
            // Stop one cell before a subgoal.
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
                visit(Ray { from, cost, target: RayTarget::Straight(turn), line: number });
            });
        }
    }

    /// Collects the rays to the subgoals behind.
    #[inline(always)]
    pub(crate) fn rays_behind(&self, to: PaddedCell, mut visit: impl FnMut(Ray)) {
        if self.reduction == Reduction::Plain {
            return self.rays_ahead(to, visit);
        }
        for direction in Diagonal::ALL {
            visit(Ray::from_cell(to, RayTarget::Diagonal(direction)));
        }
        for direction in Straight::ALL {
            let (line, at) = self.straight(direction, to);
            let up = direction.is_upward();
            let forcing = straight::FORCING + usize::from(direction.opposite().is_upward());
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
                visit(Ray { from, cost, target: RayTarget::Origin(direction), line: FROM_ORIGIN });
            });
            for (side, turn) in direction.beside().into_iter().enumerate() {
                let kind = straight::BESIDE + 2 * usize::from(up) + side;
                line.each(low, high, kind, up, |place| {
                    let (from, cost) = there(place);
                    let (line, at) = self.diagonal(turn, from);
                    line.prefetch(at);
                    visit(Ray { from, cost, target: RayTarget::Diagonal(turn), line: FROM_ORIGIN });
                });
            }
        }
    }

    /// The subgoal at the end of a ray. Rays must be traced in the order of the scan.
    #[inline(always)]
    pub(crate) fn trace(
        &self,
        Ray { from, cost, target, line }: Ray,
        occlusion: &mut Occlusion,
    ) -> Option<VisibleSubgoal> {
        match target {
            RayTarget::Origin(direction) => {
                Some(VisibleSubgoal { cell: from, cost, arrival: 1 << direction.number() })
            }
            RayTarget::Straight(direction) => {
                let (steps, forcing) = self.steps_to_end(from, direction)?;
                if self.reduction == Reduction::Plain && !occlusion.admits(direction, steps, line) {
                    return None;
                }
                forcing.then(|| VisibleSubgoal {
                    cell: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * STRAIGHT,
                    arrival: 1 << direction.number(),
                })
            }
            RayTarget::Diagonal(direction) => {
                let steps = self.steps_to_turning(from, direction)?;
                Some(VisibleSubgoal {
                    cell: from.step(direction.delta(), steps),
                    cost: cost + steps as Cost * DIAGONAL,
                    arrival: ANY_ARRIVAL,
                })
            }
        }
    }
}

/// How far rays to the side reach before an earlier subgoal hides the rest, in the plain reduction.
///
/// Two subgoals have an edge if all cells of the parallelogram that their runs span are free and
/// none of them is another subgoal. Along a diagonal the free region only narrows: a subgoal hides
/// everything farther to that side, seen from later cells of the diagonal. A wall does the same,
/// but where a wall begins or ends there is a subgoal on the adjacent row.
#[derive(Debug, Default)]
pub(crate) struct Occlusion {
    /// By straight direction, the number of free cells from the starting cell.
    straight: [usize; 4],
    line: u8,
    limit: usize,
}

impl Occlusion {
    /// Whether the end of a ray of so many steps is visible. If so, it hides what is farther out
    /// from then on.
    #[inline(always)]
    fn admits(&mut self, direction: Straight, steps: usize, line: u8) -> bool {
        if line == FROM_ORIGIN {
            self.straight[direction.number()] = steps - 1;
            self.line = FROM_ORIGIN;
            return true;
        }
        if line != self.line {
            (self.line, self.limit) = (line, self.straight[direction.number()]);
        }
        let visible = steps <= self.limit;
        if visible {
            self.limit = steps - 1;
        }
        visible
    }
}
