//! Looking for subgoals from a cell, in two rounds as in `subgoals/scan.rs`.

use super::rules::{delta, opposite, price, upward};
use super::{LatticeBitmaps, along, beside, kind};
use crate::atlas::uniform::subgoals::canonical_run::{ANY_ARRIVAL, PaddedCell, VisibleSubgoal};
use crate::atlas::uniform::subgoals::directions::HeadingIndex;
use crate::cost::Cost;

/// A place from which to look in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    from: PaddedCell,
    /// What it costs to get there.
    cost: Cost,
    target: RayTarget,
}

#[derive(Debug, Clone, Copy)]
enum RayTarget {
    /// The place itself is a subgoal, where a path arrives so.
    Origin(u8),
    /// A subgoal that ends runs in this direction.
    End(HeadingIndex),
    /// A subgoal that may be left against it.
    Exit(HeadingIndex),
}

impl LatticeBitmaps {
    /// Asks for what is read first when occlusion from a cell.
    #[inline(always)]
    pub(crate) fn prefetch(&self, spot: PaddedCell) {
        for &heading in self.rules.firsts().iter().chain(self.rules.seconds()) {
            if upward(heading) {
                let (line, at) = self.line(heading, spot);
                line.prefetch(at);
            }
        }
    }

    /// The subgoals that end the runs from a cell.
    pub(crate) fn ahead(&self, from: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        self.rays_ahead(from, |ray| self.trace(ray).into_iter().for_each(&mut visit));
    }

    /// The nearest subgoals from which runs lead to a cell, as subgoals may be left.
    pub(crate) fn behind(&self, to: PaddedCell, mut visit: impl FnMut(VisibleSubgoal)) {
        self.rays_behind(to, |ray| self.trace(ray).into_iter().for_each(&mut visit));
    }

    /// Where to look for the subgoals ahead.
    #[inline(always)]
    pub(crate) fn rays_ahead(&self, from: PaddedCell, mut ray: impl FnMut(Ray)) {
        for &heading in self.rules.seconds() {
            ray(Ray { from, cost: 0, target: RayTarget::End(heading) });
        }
        for &heading in self.rules.firsts() {
            self.rays_along(from, heading, &mut ray);
        }
    }

    /// Those that end runs from a cell in one direction.
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

    /// Along a direction of the first kind.
    #[inline(always)]
    fn rays_along(&self, from: PaddedCell, heading: HeadingIndex, mut ray: impl FnMut(Ray)) {
        let Some((steps, ends)) = self.reach(from, heading, heading) else { return };
        let there =
            |steps: usize| (from.step(delta(heading), steps), steps as Cost * price(heading));
        if ends {
            let (from, cost) = there(steps);
            ray(Ray { from, cost, target: RayTarget::Origin(1 << heading) });
        }
        // Who bends where runs end has come to a subgoal.
        self.each_beside(from, heading, steps - usize::from(ends), |turn, steps| {
            let (from, cost) = there(steps);
            self.prefetch_along(from, turn);
            ray(Ray { from, cost, target: RayTarget::End(turn) });
        });
    }

    /// Where to look for the subgoals behind.
    #[inline(always)]
    pub(crate) fn rays_behind(&self, to: PaddedCell, mut ray: impl FnMut(Ray)) {
        for &heading in self.rules.firsts() {
            ray(Ray { from: to, cost: 0, target: RayTarget::Exit(opposite(heading)) });
        }
        for &heading in self.rules.seconds() {
            let back = opposite(heading);
            let Some((steps, _)) = self.reach(to, back, heading) else { continue };
            let there =
                |steps: usize| (to.step(delta(back), steps), steps as Cost * price(heading));
            let (line, at) = self.line(back, to);
            let up = upward(back);
            let (low, high) = if up { (at + 1, at + steps) } else { (at - steps, at - 1) };
            line.each(low, high, along(back, kind::EXIT), up, |place| {
                let (from, cost) = there(place.abs_diff(at));
                ray(Ray { from, cost, target: RayTarget::Origin(ANY_ARRIVAL) });
            });
            self.each_beside(to, back, steps, |turn, steps| {
                let (from, cost) = there(steps);
                self.prefetch_along(from, turn);
                ray(Ray { from, cost, target: RayTarget::Exit(turn) });
            });
        }
    }

    /// What is seen at a ray.
    #[inline(always)]
    pub(crate) fn trace(&self, Ray { from, cost, target }: Ray) -> Option<VisibleSubgoal> {
        let (heading, kind, arrival) = match target {
            RayTarget::Origin(arrival) => {
                return Some(VisibleSubgoal { spot: from, cost, arrival });
            }
            RayTarget::End(heading) => (heading, kind::ENDS, 1 << heading),
            RayTarget::Exit(heading) => (heading, kind::EXIT, ANY_ARRIVAL),
        };
        let steps = self.next(from, heading, kind)?;
        let cost = cost + steps as Cost * price(heading);
        Some(VisibleSubgoal { spot: from.step(delta(heading), steps), cost, arrival })
    }

    /// How many steps away the nearest subgoal is that may be left against this direction.
    pub(crate) fn exit_ahead(&self, from: PaddedCell, heading: HeadingIndex) -> Option<usize> {
        self.next(from, heading, kind::EXIT)
    }

    /// How many steps away the first cell in a direction has a bit of this kind.
    #[inline(always)]
    fn next(&self, from: PaddedCell, heading: HeadingIndex, kind: usize) -> Option<usize> {
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

    /// How many steps lead in a direction up to the first subgoal that ends runs in another along
    /// the same line, or as far as they go; and whether it is that subgoal. `None` where there is
    /// no step.
    #[inline(always)]
    fn reach(
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

    /// The places within so many steps from which something is seen to a side, each with the
    /// direction to look in and its distance.
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
    fn prefetch_along(&self, spot: PaddedCell, heading: HeadingIndex) {
        let (line, at) = self.line(heading, spot);
        line.prefetch(at);
    }
}
