//! Which cells see a subgoal: the reverse of the scans in `rays`. Listing the cells of every subgoal
//! takes a fraction of the time of a scan from every cell.

use super::bitmaps::{CornerBitmaps, Reduction, diagonal, straight};
use super::canonical_run::PaddedCell;
use super::directions::{Diagonal, Straight};

/// Cells in a line: the first one, the step from each to the next, and their number.
pub(crate) type CellLine = (PaddedCell, (i32, i32), usize);

impl CornerBitmaps {
    /// Visits the cells that have a subgoal [ahead](Self::ahead), some maybe twice.
    pub(crate) fn with_ahead(&self, subgoal: PaddedCell, mut visit: impl FnMut(CellLine)) {
        if self.reduction == Reduction::Plain {
            return self.in_plain_sight(subgoal, visit);
        }
        for direction in Straight::ALL {
            let (line, at) = self.straight(direction, subgoal);
            let forcing = straight::FORCING + usize::from(direction.is_upward());
            if !line.bit(at, forcing) {
                continue;
            }
            let back = direction.opposite();
            let steps = self.steps_back(subgoal, back, forcing);
            visit((subgoal.step(back.delta(), 1), back.delta(), steps));
            for steps in 1..=steps {
                let middle = subgoal.step(back.delta(), steps);
                for back in direction.beside().map(Diagonal::opposite) {
                    let steps = self.diagonal_steps(middle, back);
                    visit((middle.step(back.delta(), 1), back.delta(), steps));
                }
            }
        }
    }

    /// Visits the cells that have a subgoal [behind](Self::behind) them, some maybe twice.
    pub(crate) fn with_behind(&self, subgoal: PaddedCell, mut visit: impl FnMut(CellLine)) {
        if self.reduction == Reduction::Plain {
            return self.in_plain_sight(subgoal, visit);
        }
        // Where scans in the opposite direction stop, after the subgoals that they stop at.
        let blind = |back: Straight| straight::FORCING + usize::from(back.is_upward());
        for direction in Straight::ALL {
            let (line, at) = self.straight(direction, subgoal);
            if line.bit(at, straight::EXIT + usize::from(direction.is_upward())) {
                let back = direction.opposite();
                let steps = self.steps_back(subgoal, back, blind(back));
                visit((subgoal.step(back.delta(), 1), back.delta(), steps));
            }
        }
        for direction in Diagonal::ALL {
            let (line, at) = self.diagonal(direction, subgoal);
            let turning = diagonal::TURNING + usize::from(direction.is_upward());
            if !line.bit(at, turning) {
                continue;
            }
            let back = direction.opposite();
            let free = self.diagonal_steps(subgoal, back);
            if free == 0 {
                continue;
            }
            let up = back.is_upward();
            let (low, high) = if up { (at + 1, at + free) } else { (at - free, at - 1) };
            let mut steps = free;
            line.each(low, high, turning, up, |place| steps = steps.min(place.abs_diff(at)));
            visit((subgoal.step(back.delta(), 1), back.delta(), steps));
            for steps in 1..=steps {
                let middle = subgoal.step(back.delta(), steps);
                for back in direction.beside().map(Straight::opposite) {
                    let steps = self.steps_back(middle, back, blind(back));
                    visit((middle.step(back.delta(), 1), back.delta(), steps));
                }
            }
        }
    }

    /// Steps from a cell up to the first one with a bit of this kind, or to the last free one.
    #[inline(always)]
    fn steps_back(&self, from: PaddedCell, back: Straight, kind: usize) -> usize {
        let (line, at) = self.straight(back, from);
        let up = back.is_upward();
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[straight::BLOCKED] | word[kind]);
        let steps = |end: usize| end.abs_diff(at) - usize::from(line.bit(end, straight::BLOCKED));
        end.map_or(0, steps)
    }

    /// Visits the cells that see a subgoal in the plain reduction, which is mutual: the
    /// parallelogram between both is free and contains no other subgoal. Subgoals hide what is
    /// behind them, as in [`Occlusion`](super::Occlusion), and so do walls.
    fn in_plain_sight(&self, subgoal: PaddedCell, mut visit: impl FnMut(CellLine)) {
        for direction in Diagonal::ALL {
            let turning = self.steps_to_turning(subgoal, direction);
            let steps = turning.unwrap_or_else(|| self.diagonal_steps(subgoal, direction));
            visit((subgoal.step(direction.delta(), 1), direction.delta(), steps));
            // Not from another subgoal on.
            let last = steps - usize::from(turning.is_some());
            for side in direction.beside() {
                let mut limit = usize::MAX;
                for steps in 0..=last {
                    let middle = subgoal.step(direction.delta(), steps);
                    let Some((end, is_subgoal)) = self.steps_to_end(middle, side) else { break };
                    let seen = limit.min(end - usize::from(!is_subgoal));
                    visit((middle.step(side.delta(), 1), side.delta(), seen));
                    limit = limit.min(end - 1);
                    if limit == 0 {
                        break;
                    }
                }
            }
        }
    }
}
