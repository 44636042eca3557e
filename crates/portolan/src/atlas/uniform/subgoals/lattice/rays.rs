//! Scanning for visible subgoals from a cell, in two rounds as in `subgoals/rays.rs`.

use super::rules::{delta, opposite, step_cost, upward};
use super::{LatticeBitmaps, along, beside, kind};
use crate::atlas::uniform::subgoals::canonical_run::{ANY_ARRIVAL, PaddedCell, VisibleSubgoal};
use crate::atlas::uniform::subgoals::directions::HeadingIndex;
use crate::cost::Cost;

/// A cell and a direction in which a subgoal may be visible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    from: PaddedCell,
    /// The cost to the origin of the ray.
    cost: Cost,
    target: RayTarget,
}

#[derive(Debug, Clone, Copy)]
enum RayTarget {
    /// The origin itself is a subgoal, reached with this arrival.
    Origin(u8),
    /// A subgoal that ends runs in this direction.
    End(HeadingIndex),
    /// A subgoal that can be left against this direction.
    Exit(HeadingIndex),
}

impl LatticeBitmaps {
    /// Prefetches what a scan from a cell reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, cell: PaddedCell) {
        for &heading in self.rules.firsts().iter().chain(self.rules.seconds()) {
            if upward(heading) {
                let (line, at) = self.line(heading, cell);
                line.prefetch(at);
            }
        }
    }

    /// Visits the subgoals that end the runs from a cell.
    pub(crate) fn ahead(&self, from: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        self.rays_ahead(from, |ray| self.trace(ray).into_iter().for_each(&mut visit));
    }

    /// Visits the nearest subgoals from which runs lead to a cell, given how subgoals can be left.
    pub(crate) fn behind(&self, to: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        self.rays_behind(to, |ray| self.trace(ray).into_iter().for_each(&mut visit));
    }

    /// Collects the rays to the subgoals ahead.
    #[inline(always)]
    pub(crate) fn rays_ahead(&self, from: PaddedCell, mut visit: impl FnMut(Ray)) {
        for &heading in self.rules.seconds() {
            visit(Ray { from, cost: 0, target: RayTarget::End(heading) });
        }
        for &heading in self.rules.firsts() {
            self.rays_along(from, heading, &mut visit);
        }
    }

    /// Visits the subgoals that end runs that leave a cell in one direction.
    pub(crate) fn ahead_along(
        &self,
        from: PaddedCell,
        heading: HeadingIndex,
        mut visit: impl FnMut(VisibleSubgoal),
    ) {
        match self.rules.is_first(heading) {
            true => self.rays_along(from, heading, |ray| {
                self.trace(ray).into_iter().for_each(&mut visit);
            }),
            false => {
                let ray = Ray { from, cost: 0, target: RayTarget::End(heading) };
                self.trace(ray).into_iter().for_each(visit);
            }
        }
    }

    /// Collects the rays along a direction of the first kind.
    #[inline(always)]
    fn rays_along(&self, from: PaddedCell, heading: HeadingIndex, mut visit: impl FnMut(Ray)) {
        let Some((steps, ends)) = self.steps_to_end(from, heading, heading) else { return };
        let there =
            |steps: usize| (from.step(delta(heading), steps), steps as Cost * step_cost(heading));
        if ends {
            let (from, cost) = there(steps);
            visit(Ray { from, cost, target: RayTarget::Origin(1 << heading) });
        }
        // A bend at the cell where runs end is a bend at a subgoal.
        self.each_beside(from, heading, steps - usize::from(ends), |turn, steps| {
            let (from, cost) = there(steps);
            self.prefetch_along(from, turn);
            visit(Ray { from, cost, target: RayTarget::End(turn) });
        });
    }

    /// Collects the rays to the subgoals behind.
    #[inline(always)]
    pub(crate) fn rays_behind(&self, to: PaddedCell, mut visit: impl FnMut(Ray)) {
        for &heading in self.rules.firsts() {
            visit(Ray { from: to, cost: 0, target: RayTarget::Exit(opposite(heading)) });
        }
        for &heading in self.rules.seconds() {
            let back = opposite(heading);
            let Some((steps, _)) = self.steps_to_end(to, back, heading) else { continue };
            let there =
                |steps: usize| (to.step(delta(back), steps), steps as Cost * step_cost(heading));
            let (line, at) = self.line(back, to);
            let up = upward(back);
            let (low, high) = if up { (at + 1, at + steps) } else { (at - steps, at - 1) };
            line.each(low, high, along(back, kind::EXIT), up, |place| {
                let (from, cost) = there(place.abs_diff(at));
                visit(Ray { from, cost, target: RayTarget::Origin(ANY_ARRIVAL) });
            });
            self.each_beside(to, back, steps, |turn, steps| {
                let (from, cost) = there(steps);
                self.prefetch_along(from, turn);
                visit(Ray { from, cost, target: RayTarget::Exit(turn) });
            });
        }
    }

    /// The subgoal at the end of a ray.
    #[inline(always)]
    pub(crate) fn trace(&self, Ray { from, cost, target }: Ray) -> Option<VisibleSubgoal> {
        let (heading, kind, arrival) = match target {
            RayTarget::Origin(arrival) => {
                return Some(VisibleSubgoal { cell: from, cost, arrival });
            }
            RayTarget::End(heading) => (heading, kind::ENDS, 1 << heading),
            RayTarget::Exit(heading) => (heading, kind::EXIT, ANY_ARRIVAL),
        };
        let steps = self.steps_to(from, heading, kind)?;
        let cost = cost + steps as Cost * step_cost(heading);
        Some(VisibleSubgoal { cell: from.step(delta(heading), steps), cost, arrival })
    }

    /// Steps to the nearest subgoal that can be left against this direction.
    pub(crate) fn steps_to_exit(&self, from: PaddedCell, heading: HeadingIndex) -> Option<usize> {
        self.steps_to(from, heading, kind::EXIT)
    }

    /// Steps to the first cell in a direction that has a bit of this kind.
    #[inline(always)]
    fn steps_to(&self, from: PaddedCell, heading: HeadingIndex, kind: usize) -> Option<usize> {
        let (line, at) = self.line(heading, from);
        let (stop, wanted) = (along(heading, kind::STOP), along(heading, kind));
        if line.bit(at, stop) {
            return None;
        }
        let up = upward(heading);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[wanted])?;
        line.bit(end, wanted).then(|| end.abs_diff(at))
    }

    /// Steps in a direction up to the first subgoal that ends runs with the heading `arrival`, or
    /// as far as steps are legal, and whether it is that subgoal. `None` if no step is legal.
    #[inline(always)]
    fn steps_to_end(
        &self,
        from: PaddedCell,
        heading: HeadingIndex,
        arrival: HeadingIndex,
    ) -> Option<(usize, bool)> {
        let (line, at) = self.line(heading, from);
        let (stop, ends) = (along(heading, kind::STOP), along(arrival, kind::ENDS));
        if line.bit(at, stop) {
            return None;
        }
        let up = upward(heading);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[ends])?;
        Some((end.abs_diff(at), line.bit(end, ends)))
    }

    /// Visits the cells within so many steps from which a subgoal is visible to a side, as the
    /// heading of that side and the distance of the cell.
    #[inline(always)]
    fn each_beside(
        &self,
        from: PaddedCell,
        heading: HeadingIndex,
        steps: usize,
        mut visit: impl FnMut(HeadingIndex, usize),
    ) {
        if steps == 0 {
            return;
        }
        let (line, at) = self.line(heading, from);
        let up = upward(heading);
        let (low, high) = if up { (at + 1, at + steps) } else { (at - steps, at - 1) };
        for (side, turn) in self.rules.beside(heading).into_iter().enumerate() {
            line.each(low, high, beside(heading, side), up, |place| {
                visit(turn, place.abs_diff(at))
            });
        }
    }

    #[inline(always)]
    fn prefetch_along(&self, cell: PaddedCell, heading: HeadingIndex) {
        let (line, at) = self.line(heading, cell);
        line.prefetch(at);
    }
}
