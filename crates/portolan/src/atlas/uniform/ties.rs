//! Tying the ends of a path to the subgoals around them.
//!
//! In rounds, each of which asks for the memory that the next one reads: the processor waits for all of it at once, and with
//! several queries under way it has something else to do meanwhile.

use super::Labelled;
use super::join::Tie;
use super::rows::Number;
use crate::graph::NodeId;
use crate::kernel::prefetch;
use crate::subgoals::{Departures, Glance, Kind, LatticeGlance, Looking, Seen, Spot, View};

/// What is known around one end of a path.
#[derive(Debug, Default)]
pub(super) struct Side {
    glances: Vec<Glance>,
    /// The same under other rules.
    lattice_glances: Vec<LatticeGlance>,
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
    pub(super) fn look_ahead(&mut self, sight: &View, from: Spot) {
        self.clear();
        match &sight.kind {
            Kind::Corners(sight) => sight.glance_ahead(from, |glance| self.glances.push(glance)),
            Kind::Lattice(lattice) => {
                lattice.glance_ahead(from, |glance| self.lattice_glances.push(glance));
            }
        }
    }

    /// Finds out where to look for the subgoals behind a goal.
    #[inline(always)]
    pub(super) fn look_behind(&mut self, sight: &View, to: Spot) {
        self.clear();
        match &sight.kind {
            Kind::Corners(sight) => sight.glance_behind(to, |glance| self.glances.push(glance)),
            Kind::Lattice(lattice) => {
                lattice.glance_behind(to, |glance| self.lattice_glances.push(glance));
            }
        }
    }

    fn clear(&mut self) {
        self.glances.clear();
        self.lattice_glances.clear();
        self.sighted.clear();
    }

    /// Looks there.
    #[inline(always)]
    pub(super) fn look(&mut self, labelled: &Labelled) {
        let view = &labelled.subgoals.sight;
        let numbers = &*labelled.rows.numbers;
        let Self { glances, lattice_glances, sighted, .. } = self;
        let mut note = |seen: Seen| {
            let node = view.node(seen.spot);
            prefetch(&numbers[node as usize..][..1]);
            let known = Departures::default();
            sighted.push(Sighted { seen, node, number: 0, known });
        };
        match &view.kind {
            Kind::Corners(sight) => {
                let mut looking = Looking::default();
                for &glance in &*glances {
                    sight.look(glance, &mut looking).into_iter().for_each(&mut note);
                }
            }
            Kind::Lattice(lattice) => {
                for &glance in &*lattice_glances {
                    lattice.look(glance).into_iter().for_each(&mut note);
                }
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
                if head.onward.arrivals & arrival == 0 {
                    continue;
                }
                sighted.known = head.onward.departures;
            }
            let bound = cost.saturating_add(labelled.subgoals.sight.distance(spot, other));
            self.ties.push(Tie { number, cost, bound, head: *head });
        }
    }
}
