//! Tying the ends of a path to the subgoals around them.
//!
//! In rounds, each of which asks for the memory that the next one reads: the processor waits for
//! all of it at once, and with several queries under way it has something else to do meanwhile.

pub(crate) mod lists;

use self::lists::{End, Listed, Lists, Weighed};
use super::Labelled;
use super::labels::join::{Access, FEW_ACCESSES};
use super::labels::{HubLabels, SubgoalId};
use super::subgoals::{
    Bitmaps, Departures, LatticeRay, Occlusion, PaddedCell, Ray, View, VisibleSubgoal,
};
use crate::cost::Cost;
use crate::kernel::prefetch_element;

/// What is known around one end of a path.
#[derive(Debug, Default)]
pub(crate) struct Side {
    rays: Vec<Ray>,
    /// The same under other rules.
    lattice_rays: Vec<LatticeRay>,
    weighed: Weighed,
    /// What promises most of what was weighed.
    best: Option<Listed>,
    pub(crate) sighted: Vec<Sighted>,
    pub(crate) ties: Vec<Access>,
}

/// A subgoal in sight of an end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sighted {
    pub(crate) spot: PaddedCell,
    cost: Cost,
    /// That, and the least from here to the other end, once the end is tied.
    pub(crate) bound: Cost,
    /// In which direction a run from a start arrives, one bit of eight.
    arrival: u8,
    number: SubgoalId,
    /// How a path that bends here once may go on to the goal without the rows knowing of it.
    pub(crate) beside: Departures,
}

impl Side {
    /// Finds out where to look for the subgoals ahead of a start, or behind a goal.
    #[inline(always)]
    pub(crate) fn look_round(&mut self, view: &View, end: End, spot: PaddedCell) {
        let Self { rays, lattice_rays, .. } = self;
        rays.clear();
        lattice_rays.clear();
        match (&view.bitmaps, end) {
            (Bitmaps::Corner(sight), End::Start) => {
                sight.rays_ahead(spot, |ray| rays.push(ray));
            }
            (Bitmaps::Corner(sight), End::Goal) => {
                sight.rays_behind(spot, |ray| rays.push(ray));
            }
            (Bitmaps::Lattice(lattice), End::Start) => {
                lattice.rays_ahead(spot, |ray| lattice_rays.push(ray));
            }
            (Bitmaps::Lattice(lattice), End::Goal) => {
                lattice.rays_behind(spot, |ray| lattice_rays.push(ray));
            }
        }
    }

    /// Looks there.
    #[inline(always)]
    pub(crate) fn look(&mut self, labelled: &Labelled) {
        let view = &labelled.subgoals.view;
        let numbers = &*labelled.rows.numbers;
        let Self { rays, lattice_rays, sighted, .. } = self;
        sighted.clear();
        let mut note = |VisibleSubgoal { cell: spot, cost, arrival }: VisibleSubgoal| {
            prefetch_element(numbers, view.node(spot) as usize);
            let beside = Departures::ANY;
            sighted.push(Sighted { spot, cost, bound: cost, arrival, number: 0, beside });
        };
        match &view.bitmaps {
            Bitmaps::Corner(sight) => {
                let mut occlusion = Occlusion::default();
                for &ray in &*rays {
                    sight.trace(ray, &mut occlusion).into_iter().for_each(&mut note);
                }
            }
            Bitmaps::Lattice(lattice) => {
                for &ray in &*lattice_rays {
                    lattice.trace(ray).into_iter().for_each(&mut note);
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
    pub(crate) fn weigh(
        &mut self,
        labelled: &Labelled,
        lists: &Lists,
        end: End,
        ends: [PaddedCell; 2],
    ) {
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
        from: PaddedCell,
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
    pub(crate) fn foremost(rows: &HubLabels, [near, far]: [&Self; 2]) -> Option<[Access; 2]> {
        let many = near.weighed.count + far.weighed.count > FEW_ACCESSES;
        let tie = |Listed { number, cost, bound, .. }: Listed| {
            Access::new(rows.head(number), number, cost, bound)
        };
        Some([near.best?, far.best?].map(tie)).filter(|_| many)
    }

    /// Ties the end to them; the start not to those that no path goes on from.
    #[inline(always)]
    pub(crate) fn tie(&mut self, labelled: &Labelled, end: End, other: PaddedCell) {
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
                sighted.beside = head.continuations.bend_departures(sighted.arrival);
                leads_on = head.continuations.arrivals & sighted.arrival != 0;
            }
            let tie = Access::new(head, number, sighted.cost, sighted.bound);
            if lists.is_some() {
                rows.prefetch(&tie);
            }
            // Branchless, because the predicate is unpredictable.
            let count = self.ties.len() + usize::from(leads_on);
            self.ties.push(tie);
            self.ties.truncate(count);
        }
    }
}
