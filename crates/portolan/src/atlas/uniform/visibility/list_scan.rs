//! Reads the subgoals visible from an endpoint from stored lists.
//!
//! The most promising subgoal of each endpoint gives an upper bound. It excludes most of the others
//! before their labels are read.

use super::lists::{ListedSubgoal, VisibilityLists};
use super::{AccessSet, Candidate, Connection, Endpoint};
use crate::atlas::uniform::index::LabelledGrid;
use crate::atlas::uniform::labels::HubLabels;
use crate::atlas::uniform::labels::join::{Access, FEW_ACCESSES, cost_over};
use crate::atlas::uniform::subgoals::{Departures, PaddedCell, View};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::prefetch_element;

impl Connection for &VisibilityLists {
    #[inline(always)]
    fn prefetch(self, view: &View, [start, goal]: [PaddedCell; 2]) {
        self.prefetch_directory(Endpoint::Start, start);
        self.prefetch_directory(Endpoint::Goal, goal);
        view.prefetch_line_of_sight(start, goal);
    }

    #[inline(always)]
    fn locate(self, _: &View, [start, goal]: [PaddedCell; 2], _: &mut [AccessSet; 2]) {
        self.prefetch_list(Endpoint::Start, start);
        self.prefetch_list(Endpoint::Goal, goal);
    }

    #[inline(always)]
    fn scan(
        self,
        labelled: &LabelledGrid,
        [start, goal]: [PaddedCell; 2],
        sets: &mut [AccessSet; 2],
    ) {
        let [near, far] = sets;
        near.bound_listed(labelled, self, Endpoint::Start, [start, goal]);
        far.bound_listed(labelled, self, Endpoint::Goal, [goal, start]);
    }

    #[inline(always)]
    fn number(self, labelled: &LabelledGrid, sets: &mut [AccessSet; 2]) {
        if let Some(accesses) = most_promising(&labelled.labels, sets) {
            labelled.labels.prefetch_all(&accesses);
        }
    }

    #[inline(always)]
    fn select(
        self,
        labelled: &LabelledGrid,
        [start, goal]: [PaddedCell; 2],
        sets: &mut [AccessSet; 2],
    ) {
        let accesses = most_promising(&labelled.labels, sets);
        let most = accesses.map_or(UNREACHABLE, |accesses| cost_over(&labelled.labels, accesses));
        let [near, far] = sets;
        near.read_listed(labelled, self, Endpoint::Start, start, most);
        far.read_listed(labelled, self, Endpoint::Goal, goal, most);
    }

    #[inline(always)]
    fn access(self, labelled: &LabelledGrid, _: [PaddedCell; 2], sets: &mut [AccessSet; 2]) {
        let labels = &labelled.labels;
        let [near, far] = sets;
        let bound = |candidate: &Candidate| candidate.bound;
        near.collect(labels, Endpoint::Start, bound, |access| labels.prefetch(access));
        far.collect(labels, Endpoint::Goal, bound, |access| labels.prefetch(access));
    }

    /// `select` has done this.
    #[inline(always)]
    fn prune(self, _: &HubLabels, _: &mut [AccessSet; 2]) {}
}

/// The accesses with the least bounds, if there are so many subgoals that it pays off to read their
/// labels first.
#[inline(always)]
fn most_promising(labels: &HubLabels, [near, far]: &[AccessSet; 2]) -> Option<[Access; 2]> {
    let many = near.bounds.count + far.bounds.count > FEW_ACCESSES;
    let access = |ListedSubgoal { number, cost, bound, .. }: ListedSubgoal| {
        Access::new(labels.head(number), number, cost, bound)
    };
    Some([near.best?, far.best?].map(access)).filter(|_| many)
}

impl AccessSet {
    /// Computes the bounds of the subgoals on the list of this endpoint.
    #[inline(always)]
    fn bound_listed(
        &mut self,
        labelled: &LabelledGrid,
        lists: &VisibilityLists,
        endpoint: Endpoint,
        endpoints: [PaddedCell; 2],
    ) {
        let heads = &labelled.labels.heads[..];
        let best = lists.bound(&labelled.subgoals.view, endpoint, endpoints, &mut self.bounds);
        // Damaged lists may contain any number.
        self.best = best.filter(|best| (best.number as usize) < heads.len());
        if let Some(best) = self.best {
            prefetch_element(heads, best.number as usize);
        }
    }

    /// Reads the subgoals whose bound is at most `most`.
    #[inline(always)]
    fn read_listed(
        &mut self,
        labelled: &LabelledGrid,
        lists: &VisibilityLists,
        endpoint: Endpoint,
        from: PaddedCell,
        most: Cost,
    ) {
        let (view, heads) = (&labelled.subgoals.view, &labelled.labels.heads[..]);
        self.candidates.clear();
        lists.each(endpoint, from, most, &self.bounds, |listed| {
            let ListedSubgoal { number, cell, cost, bound } = listed;
            prefetch_element(heads, number as usize);
            // The arrival is used only for starts.
            let arrival = if endpoint == Endpoint::Start { view.arrival(from, cell) } else { 0 };
            let bend_departures = Departures::ANY;
            self.candidates.push(Candidate { cell, cost, bound, arrival, number, bend_departures });
        });
    }
}
