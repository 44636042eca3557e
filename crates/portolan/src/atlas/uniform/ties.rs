//! Tying the ends of a path to the subgoals around them.
//!
//! In rounds, each of which asks for the memory that the next one reads: the processor waits for all of it at once, and with
//! several queries under way it has something else to do meanwhile.

use super::Labelled;
use super::join::Tie;
use super::rows::Number;
use super::views::{End, Views};
use crate::cost::Cost;
use crate::kernel::prefetch_element;
use crate::subgoals::{Departures, Glance, Looking, Run, Sight, Spot, Straight};

/// What is known around one end of a path.
#[derive(Debug, Default)]
pub(super) struct Side {
    glances: Vec<Glance>,
    pub(super) sighted: Vec<Sighted>,
    pub(super) ties: Vec<Tie>,
}

/// A subgoal in sight of an end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighted {
    pub(super) spot: Spot,
    pub(super) cost: Cost,
    /// In which straight direction a run from a start arrives.
    arrival: Option<Straight>,
    number: Number,
    /// What the rows know of ways on from here.
    pub(super) known: Departures,
}

impl Sighted {
    /// No path through it to the other end costs less.
    #[inline(always)]
    pub(super) fn bound(&self, other: Spot) -> Cost {
        self.cost.saturating_add(self.spot.octile(other))
    }
}

impl Side {
    /// Finds out where to look for the subgoals ahead of a start, or behind a goal.
    #[inline(always)]
    pub(super) fn look_round(&mut self, sight: &Sight, end: End, spot: Spot) {
        self.glances.clear();
        match end {
            End::Start => sight.glance_ahead(spot, |glance| self.glances.push(glance)),
            End::Goal => sight.glance_behind(spot, |glance| self.glances.push(glance)),
        }
    }

    /// Looks there.
    #[inline(always)]
    pub(super) fn look(&mut self, labelled: &Labelled) {
        let sight = &labelled.subgoals.sight;
        let numbers = &*labelled.rows.numbers;
        let mut looking = Looking::default();
        self.sighted.clear();
        for &glance in &self.glances {
            if let Some(seen) = sight.look(glance, &mut looking) {
                let node = sight.node(seen.spot);
                prefetch_element(numbers, node as usize);
                self.sighted.push(Sighted {
                    spot: seen.spot,
                    cost: seen.cost,
                    arrival: seen.arrival,
                    number: 0,
                    known: Departures::default(),
                });
            }
        }
    }

    /// Finds the numbers of the subgoals.
    #[inline(always)]
    pub(super) fn number(&mut self, labelled: &Labelled) {
        let sight = &labelled.subgoals.sight;
        let (numbers, heads) = (&*labelled.rows.numbers, &labelled.rows.heads[..]);
        for sighted in &mut self.sighted {
            sighted.number = numbers[sight.node(sighted.spot) as usize];
            prefetch_element(heads, sighted.number as usize);
        }
    }

    /// Reads from a list what would be seen.
    #[inline(always)]
    pub(super) fn read(&mut self, labelled: &Labelled, views: &Views, end: End, from: Spot) {
        let heads = &labelled.rows.heads[..];
        self.sighted.clear();
        views.each(end, from, |number, spot| {
            prefetch_element(heads, number as usize);
            let run = Run::between(from, spot);
            let (cost, arrival) = (run.cost(), Some(run.straight));
            let known = Departures::default();
            self.sighted.push(Sighted { spot, cost, arrival, number, known });
        });
    }

    /// Ties the end to them; the start not to those that no path goes on from.
    #[inline(always)]
    pub(super) fn tie(&mut self, labelled: &Labelled, end: End, other: Spot) {
        self.ties.clear();
        for sighted in &mut self.sighted {
            let number = sighted.number;
            let Some(head) = labelled.rows.heads.get(number as usize) else { continue };
            if end == End::Start {
                let arrival = sighted.arrival.map_or(0, |direction| direction.number());
                if head.onward.arrivals >> arrival & 1 == 0 {
                    continue;
                }
                sighted.known = head.onward.departures;
            }
            let (cost, bound) = (sighted.cost, sighted.bound(other));
            self.ties.push(Tie { number, cost, bound });
        }
    }
}
