//! Tying the ends of a path to the subgoals around them.
//!
//! In rounds, each of which asks for the memory that the next one reads: the processor waits for all of it at once, and with
//! several queries under way it has something else to do meanwhile.

use super::Labelled;
use super::join::Tie;
use super::rows::Number;
use crate::graph::NodeId;
use crate::kernel::prefetch;
use crate::subgoals::{Departures, Glance, Looking, Run, Seen, Sight, Spot};

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
    pub(super) seen: Seen,
    node: NodeId,
    number: Number,
    /// What the rows know of ways on from here.
    pub(super) known: Departures,
}

impl Side {
    /// Finds out where to look for the subgoals ahead of a start.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self, sight: &Sight, from: Spot) {
        self.glances.clear();
        sight.glance_ahead(from, |glance| self.glances.push(glance));
    }

    /// Finds out where to look for the subgoals behind a goal.
    #[inline(always)]
    pub(super) fn look_behind(&mut self, sight: &Sight, to: Spot) {
        self.glances.clear();
        sight.glance_behind(to, |glance| self.glances.push(glance));
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
                prefetch(&numbers[node as usize..][..1]);
                let known = Departures::default();
                self.sighted.push(Sighted { seen, node, number: 0, known });
            }
        }
    }

    /// Finds the numbers of the subgoals.
    #[inline(always)]
    pub(super) fn number(&mut self, labelled: &Labelled) {
        let (numbers, heads) = (&*labelled.rows.numbers, &labelled.rows.heads[..]);
        for sighted in &mut self.sighted {
            sighted.number = numbers[sighted.node as usize];
            prefetch(heads.get(sighted.number as usize..).map_or(&[], |heads| &heads[..1]));
        }
    }

    /// Ties the end to them; the start not to those that no path goes on from.
    #[inline(always)]
    pub(super) fn tie<const FORWARD: bool>(&mut self, labelled: &Labelled, other: Spot) {
        self.ties.clear();
        for sighted in &mut self.sighted {
            let number = sighted.number;
            let Some(head) = labelled.rows.heads.get(number as usize) else { continue };
            let Seen { spot, cost, arrival } = sighted.seen;
            if FORWARD {
                let arrival = arrival.map_or(0, |direction| direction.number());
                if head.onward.arrivals >> arrival & 1 == 0 {
                    continue;
                }
                sighted.known = head.onward.departures;
            }
            let bound = cost.saturating_add(Run::between(spot, other).cost());
            self.ties.push(Tie { number, cost, bound, head: *head });
        }
    }
}
