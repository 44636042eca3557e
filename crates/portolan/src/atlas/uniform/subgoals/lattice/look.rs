//! Looking for subgoals from a cell, in two rounds as in `subgoals/scan.rs`.

use super::rules::{Way, delta, opposite, price, upward};
use super::{Lattice, along, beside, kind};
use crate::atlas::uniform::subgoals::run::{ANY_ARRIVAL, Seen, Spot};
use crate::cost::Cost;

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
    /// The place itself is a subgoal, where a path arrives so.
    Here(u8),
    /// A subgoal that ends runs in this direction.
    End(Way),
    /// A subgoal that may be left against it.
    Left(Way),
}

impl Lattice {
    /// Asks for what is read first when looking from a cell.
    #[inline(always)]
    pub(crate) fn ask_for(&self, spot: Spot) {
        for &way in self.rules.firsts().iter().chain(self.rules.seconds()) {
            if upward(way) {
                let (line, at) = self.line(way, spot);
                line.ask_for(at);
            }
        }
    }

    /// The subgoals that end the runs from a cell.
    pub(crate) fn ahead(&self, from: Spot, mut visit: impl FnMut(Seen)) {
        self.glance_ahead(from, |glance| self.look(glance).into_iter().for_each(&mut visit));
    }

    /// The nearest subgoals from which runs lead to a cell, as subgoals may be left.
    pub(crate) fn behind(&self, to: Spot, mut visit: impl FnMut(Seen)) {
        self.glance_behind(to, |glance| self.look(glance).into_iter().for_each(&mut visit));
    }

    /// Where to look for the subgoals ahead.
    #[inline(always)]
    pub(crate) fn glance_ahead(&self, from: Spot, mut glance: impl FnMut(Glance)) {
        for &way in self.rules.seconds() {
            glance(Glance { from, cost: 0, toward: Toward::End(way) });
        }
        for &way in self.rules.firsts() {
            self.glance_along(from, way, &mut glance);
        }
    }

    /// Those that end runs from a cell in one direction.
    pub(crate) fn ahead_along(&self, from: Spot, way: Way, mut visit: impl FnMut(Seen)) {
        match self.rules.is_first(way) {
            true => self.glance_along(from, way, |glance| {
                self.look(glance).into_iter().for_each(&mut visit);
            }),
            false => {
                let glance = Glance { from, cost: 0, toward: Toward::End(way) };
                self.look(glance).into_iter().for_each(visit);
            }
        }
    }

    /// Along a direction of the first kind.
    #[inline(always)]
    fn glance_along(&self, from: Spot, way: Way, mut glance: impl FnMut(Glance)) {
        let Some((steps, ends)) = self.reach(from, way, way) else { return };
        let there = |steps: usize| (from.step(delta(way), steps), steps as Cost * price(way));
        if ends {
            let (from, cost) = there(steps);
            glance(Glance { from, cost, toward: Toward::Here(1 << way) });
        }
        // Who bends where runs end has come to a subgoal.
        self.each_beside(from, way, steps - usize::from(ends), |turn, steps| {
            let (from, cost) = there(steps);
            self.ask_along(from, turn);
            glance(Glance { from, cost, toward: Toward::End(turn) });
        });
    }

    /// Where to look for the subgoals behind.
    #[inline(always)]
    pub(crate) fn glance_behind(&self, to: Spot, mut glance: impl FnMut(Glance)) {
        for &way in self.rules.firsts() {
            glance(Glance { from: to, cost: 0, toward: Toward::Left(opposite(way)) });
        }
        for &way in self.rules.seconds() {
            let back = opposite(way);
            let Some((steps, _)) = self.reach(to, back, way) else { continue };
            let there = |steps: usize| (to.step(delta(back), steps), steps as Cost * price(way));
            let (line, at) = self.line(back, to);
            let up = upward(back);
            let (low, high) = if up { (at + 1, at + steps) } else { (at - steps, at - 1) };
            line.each(low, high, along(back, kind::LEFT), up, |place| {
                let (from, cost) = there(place.abs_diff(at));
                glance(Glance { from, cost, toward: Toward::Here(ANY_ARRIVAL) });
            });
            self.each_beside(to, back, steps, |turn, steps| {
                let (from, cost) = there(steps);
                self.ask_along(from, turn);
                glance(Glance { from, cost, toward: Toward::Left(turn) });
            });
        }
    }

    /// What is seen at a glance.
    #[inline(always)]
    pub(crate) fn look(&self, Glance { from, cost, toward }: Glance) -> Option<Seen> {
        let (way, kind, arrival) = match toward {
            Toward::Here(arrival) => return Some(Seen { spot: from, cost, arrival }),
            Toward::End(way) => (way, kind::ENDS, 1 << way),
            Toward::Left(way) => (way, kind::LEFT, ANY_ARRIVAL),
        };
        let steps = self.next(from, way, kind)?;
        let cost = cost + steps as Cost * price(way);
        Some(Seen { spot: from.step(delta(way), steps), cost, arrival })
    }

    /// How many steps away the nearest subgoal is that may be left against this direction.
    pub(crate) fn left_ahead(&self, from: Spot, way: Way) -> Option<usize> {
        self.next(from, way, kind::LEFT)
    }

    /// How many steps away the first cell in a direction has a bit of this kind.
    #[inline(always)]
    fn next(&self, from: Spot, way: Way, kind: usize) -> Option<usize> {
        let (line, at) = self.line(way, from);
        let (stop, wanted) = (along(way, kind::STOP), along(way, kind));
        if line.bit(at, stop) {
            return None;
        }
        let up = upward(way);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[wanted])?;
        line.bit(end, wanted).then(|| end.abs_diff(at))
    }

    /// How many steps lead in a direction up to the first subgoal that ends runs in another along
    /// the same line, or as far as they go; and whether it is that subgoal. `None` where there is
    /// no step.
    #[inline(always)]
    fn reach(&self, from: Spot, way: Way, arrival: Way) -> Option<(usize, bool)> {
        let (line, at) = self.line(way, from);
        let (stop, ends) = (along(way, kind::STOP), along(arrival, kind::ENDS));
        if line.bit(at, stop) {
            return None;
        }
        let up = upward(way);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[ends])?;
        Some((end.abs_diff(at), line.bit(end, ends)))
    }

    /// The places within so many steps from which something is seen to a side, each with the
    /// direction to look in and its distance.
    #[inline(always)]
    fn each_beside(&self, from: Spot, way: Way, steps: usize, mut visit: impl FnMut(Way, usize)) {
        if steps == 0 {
            return;
        }
        let (line, at) = self.line(way, from);
        let up = upward(way);
        let (low, high) = if up { (at + 1, at + steps) } else { (at - steps, at - 1) };
        for (side, turn) in self.rules.beside(way).into_iter().enumerate() {
            line.each(low, high, beside(way, side), up, |place| visit(turn, place.abs_diff(at)));
        }
    }

    #[inline(always)]
    fn ask_along(&self, spot: Spot, way: Way) {
        let (line, at) = self.line(way, spot);
        line.ask_for(at);
    }
}
