//! Tying the ends of a path to the subgoals around them.
//!
//! In rounds, each of which asks for the memory that the next one reads: the processor waits for
//! all of it at once, and with several queries under way it has something else to do meanwhile.

pub(crate) mod lists;

use self::lists::{End, Listed, Lists, Weighed};
use super::Labelled;
use super::labels::join::{FEW, Tie};
use super::labels::{Number, Rows};
use super::subgoals::{Departures, Glance, Kind, LatticeGlance, Looking, Seen, Spot, View};
use crate::cost::Cost;
use crate::kernel::prefetch_element;

/// What is known around one end of a path.
#[derive(Debug, Default)]
pub(crate) struct Side {
    glances: Vec<Glance>,
    /// The same under other rules.
    lattice_glances: Vec<LatticeGlance>,
    weighed: Weighed,
    /// What promises most of what was weighed.
    best: Option<Listed>,
    pub(crate) sighted: Vec<Sighted>,
    pub(crate) ties: Vec<Tie>,
}

/// A subgoal in sight of an end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sighted {
    pub(crate) spot: Spot,
    cost: Cost,
    /// That, and the least from here to the other end, once the end is tied.
    pub(crate) bound: Cost,
    /// In which direction a run from a start arrives, one bit of eight.
    arrival: u8,
    number: Number,
    /// How a path that bends here once may go on to the goal without the rows knowing of it.
    pub(crate) beside: Departures,
}

impl Side {
    /// Finds out where to look for the subgoals ahead of a start, or behind a goal.
    #[inline(always)]
    pub(crate) fn look_round(&mut self, view: &View, end: End, spot: Spot) {
        let Self { glances, lattice_glances, .. } = self;
        glances.clear();
        lattice_glances.clear();
        match (&view.kind, end) {
            (Kind::Corners(sight), End::Start) => {
                sight.glance_ahead(spot, |glance| glances.push(glance));
            }
            (Kind::Corners(sight), End::Goal) => {
                sight.glance_behind(spot, |glance| glances.push(glance));
            }
            (Kind::Lattice(lattice), End::Start) => {
                lattice.glance_ahead(spot, |glance| lattice_glances.push(glance));
            }
            (Kind::Lattice(lattice), End::Goal) => {
                lattice.glance_behind(spot, |glance| lattice_glances.push(glance));
            }
        }
    }

    /// Looks there.
    #[inline(always)]
    pub(crate) fn look(&mut self, labelled: &Labelled) {
        let view = &labelled.subgoals.view;
        let numbers = &*labelled.rows.numbers;
        let Self { glances, lattice_glances, sighted, .. } = self;
        sighted.clear();
        let mut note = |Seen { spot, cost, arrival }: Seen| {
            prefetch_element(numbers, view.node(spot) as usize);
            let beside = Departures::ANY;
            sighted.push(Sighted { spot, cost, bound: cost, arrival, number: 0, beside });
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
    pub(crate) fn number(&mut self, labelled: &Labelled) {
        let view = &labelled.subgoals.view;
        let (numbers, heads) = (&*labelled.rows.numbers, &labelled.rows.heads[..]);
        for sighted in &mut self.sighted {
            sighted.number = numbers[view.node(sighted.spot) as usize];
            prefetch_element(heads, sighted.number as usize);
        }
    }

    /// Weighs what would be seen, as it stands on a list, between this end and the other one.
    #[inline(always)]
    pub(crate) fn weigh(&mut self, labelled: &Labelled, lists: &Lists, end: End, ends: [Spot; 2]) {
        let heads = &labelled.rows.heads[..];
        let best = lists.weigh(&labelled.subgoals.view, end, ends, &mut self.weighed);
        // Lists that are damaged may name anything.
        self.best = best.filter(|best| (best.number as usize) < heads.len());
        if let Some(best) = self.best {
            prefetch_element(heads, best.number as usize);
        }
    }

    /// Reads from the list what promises paths of no more than this cost.
    #[inline(always)]
    pub(crate) fn read(
        &mut self,
        labelled: &Labelled,
        lists: &Lists,
        end: End,
        from: Spot,
        most: Cost,
    ) {
        let (view, heads) = (&labelled.subgoals.view, &labelled.rows.heads[..]);
        self.sighted.clear();
        lists.each(end, from, most, &self.weighed, |Listed { number, spot, cost, bound }| {
            prefetch_element(heads, number as usize);
            // No one asks how a goal's runs arrive, which begin there.
            let arrival = if end == End::Start { view.arrival(from, spot) } else { 0 };
            let beside = Departures::ANY;
            self.sighted.push(Sighted { spot, cost, bound, arrival, number, beside });
        });
    }

    /// Both ends' most promising subgoals, where there are so many that it pays to look at these
    /// first.
    #[inline(always)]
    pub(crate) fn foremost(rows: &Rows, [near, far]: [&Self; 2]) -> Option<[Tie; 2]> {
        let many = near.weighed.count + far.weighed.count > FEW;
        let tie = |Listed { number, cost, bound, .. }: Listed| {
            Tie::new(rows.head(number), number, cost, bound)
        };
        Some([near.best?, far.best?].map(tie)).filter(|_| many)
    }

    /// Ties the end to them; the start not to those that no path goes on from.
    #[inline(always)]
    pub(crate) fn tie(&mut self, labelled: &Labelled, end: End, other: Spot) {
        let Labelled { subgoals, rows, lists, .. } = labelled;
        self.ties.clear();
        for sighted in &mut self.sighted {
            let number = sighted.number;
            // Lists that are damaged may name anything.
            let Some(head) = rows.heads.get(number as usize) else { continue };
            if lists.is_none() {
                sighted.bound =
                    sighted.cost.saturating_add(subgoals.view.distance(sighted.spot, other));
            }
            let mut leads_on = true;
            if end == End::Start {
                sighted.beside = head.onward.beside_edges(sighted.arrival);
                leads_on = head.onward.arrivals & sighted.arrival != 0;
            }
            let tie = Tie::new(head, number, sighted.cost, sighted.bound);
            if lists.is_some() {
                rows.ask_for(&tie);
            }
            // Branchless, because the predicate is unpredictable.
            let count = self.ties.len() + usize::from(leads_on);
            self.ties.push(tie);
            self.ties.truncate(count);
        }
    }
}
