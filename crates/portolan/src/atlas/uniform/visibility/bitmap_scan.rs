//! Finds the subgoals visible from an endpoint on the bitmaps of the grid.

use super::{AccessSet, Candidate, Connection, Endpoint};
use crate::atlas::uniform::index::LabelledGrid;
use crate::atlas::uniform::labels::HubLabels;
use crate::atlas::uniform::labels::join::{prefetch_first, prune};
use crate::atlas::uniform::subgoals::{
    Bitmaps, Departures, Occlusion, PaddedCell, View, VisibleSubgoal,
};
use crate::kernel::prefetch_element;

/// The [`Connection`] without stored lists.
#[derive(Clone, Copy)]
pub(crate) struct BitmapScan;

impl Connection for BitmapScan {
    #[inline(always)]
    fn prefetch(self, view: &View, endpoints: [PaddedCell; 2]) {
        endpoints.into_iter().for_each(|cell| view.prefetch(cell));
    }

    #[inline(always)]
    fn locate(self, view: &View, [start, goal]: [PaddedCell; 2], sets: &mut [AccessSet; 2]) {
        let [near, far] = sets;
        near.find_rays(view, Endpoint::Start, start);
        far.find_rays(view, Endpoint::Goal, goal);
    }

    #[inline(always)]
    fn scan(self, labelled: &LabelledGrid, _: [PaddedCell; 2], sets: &mut [AccessSet; 2]) {
        let [near, far] = sets;
        near.trace_rays(labelled);
        far.trace_rays(labelled);
    }

    #[inline(always)]
    fn number(self, labelled: &LabelledGrid, sets: &mut [AccessSet; 2]) {
        let view = &labelled.subgoals.view;
        let HubLabels { numbers, heads, .. } = &labelled.labels;
        for set in sets {
            for candidate in &mut set.candidates {
                candidate.number = numbers.of(view.node(candidate.cell));
                prefetch_element(heads, candidate.number as usize);
            }
        }
    }

    /// There is no bound yet: labels are read from `access` on.
    #[inline(always)]
    fn select(self, _: &LabelledGrid, _: [PaddedCell; 2], _: &mut [AccessSet; 2]) {}

    #[inline(always)]
    fn access(
        self,
        labelled: &LabelledGrid,
        [start, goal]: [PaddedCell; 2],
        sets: &mut [AccessSet; 2],
    ) {
        let LabelledGrid { subgoals, labels, .. } = labelled;
        let [near, far] = sets;
        let bound = |candidate: &Candidate, other| {
            candidate.cost.saturating_add(subgoals.view.distance(candidate.cell, other))
        };
        near.collect(labels, Endpoint::Start, |candidate| bound(candidate, goal), |_| ());
        far.collect(labels, Endpoint::Goal, |candidate| bound(candidate, start), |_| ());
        if labelled.has_all_rows() {
            prefetch_first(labels, [&near.accesses, &far.accesses]);
        }
    }

    #[inline(always)]
    fn prune(self, labels: &HubLabels, [near, far]: &mut [AccessSet; 2]) {
        prune(labels, [&mut near.accesses, &mut far.accesses]);
    }
}

impl AccessSet {
    /// Finds the rays on which subgoals may be visible.
    #[inline(always)]
    fn find_rays(&mut self, view: &View, endpoint: Endpoint, cell: PaddedCell) {
        let Self { rays, lattice_rays, .. } = self;
        rays.clear();
        lattice_rays.clear();
        match (&view.bitmaps, endpoint) {
            (Bitmaps::Corner(bitmaps), Endpoint::Start) => {
                bitmaps.rays_ahead(cell, |ray| rays.push(ray));
            }
            (Bitmaps::Corner(bitmaps), Endpoint::Goal) => {
                bitmaps.rays_behind(cell, |ray| rays.push(ray));
            }
            (Bitmaps::Lattice(lattice), Endpoint::Start) => {
                lattice.rays_ahead(cell, |ray| lattice_rays.push(ray));
            }
            (Bitmaps::Lattice(lattice), Endpoint::Goal) => {
                lattice.rays_behind(cell, |ray| lattice_rays.push(ray));
            }
        }
    }

    #[inline(always)]
    fn trace_rays(&mut self, labelled: &LabelledGrid) {
        let view = &labelled.subgoals.view;
        let numbers = &labelled.labels.numbers;
        let Self { rays, lattice_rays, candidates, .. } = self;
        candidates.clear();
        let mut note = |VisibleSubgoal { cell, cost, arrival }: VisibleSubgoal| {
            numbers.prefetch(view.node(cell));
            let bend_departures = Departures::ANY;
            candidates.push(Candidate {
                cell,
                cost,
                bound: cost,
                arrival,
                number: 0,
                bend_departures,
            });
        };
        match &view.bitmaps {
            Bitmaps::Corner(bitmaps) => {
                let mut occlusion = Occlusion::default();
                for &ray in &*rays {
                    bitmaps.trace(ray, &mut occlusion).into_iter().for_each(&mut note);
                }
            }
            Bitmaps::Lattice(lattice) => {
                for &ray in &*lattice_rays {
                    lattice.trace(ray).into_iter().for_each(&mut note);
                }
            }
        }
    }
}
