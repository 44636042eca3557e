//! Visibility: the subgoals that connect an endpoint of a query to the labels.
//!
//! A start connects to the subgoals ahead of it, a goal to those behind it. A [`Connection`] finds
//! them in steps; each step prefetches the memory that the next one reads. There are two:
//! [`BitmapScan`] (`bitmap_scan`) traces rays on the bitmaps of the grid; [`VisibilityLists`] (read
//! by `list_scan`, built by `list_builder`) stores the result for every cell.

mod bitmap_scan;
mod list_builder;
mod list_scan;
pub(crate) mod lists;

pub(crate) use bitmap_scan::BitmapScan;

use self::lists::{ListBounds, ListedSubgoal};
use super::index::LabelledGrid;
use super::labels::join::Access;
use super::labels::{HubLabels, SubgoalId};
use super::subgoals::{Departures, LatticeRay, PaddedCell, Ray, View};
use crate::cost::Cost;

/// An endpoint of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Connects to the subgoals ahead.
    Start,
    /// Connects to the subgoals behind.
    Goal,
}

/// How both endpoints of a query find their accesses. The methods are called in this order, with
/// the endpoints and their access sets in the order start, goal.
pub(crate) trait Connection: Copy {
    /// Prefetches what the direct check and `locate` read.
    fn prefetch(self, view: &View, endpoints: [PaddedCell; 2]);

    /// Determines what to scan for subgoals.
    fn locate(self, view: &View, endpoints: [PaddedCell; 2], sets: &mut [AccessSet; 2]);

    /// Scans it.
    fn scan(self, labelled: &LabelledGrid, endpoints: [PaddedCell; 2], sets: &mut [AccessSet; 2]);

    /// Resolves the subgoals needed next and prefetches their label heads or labels.
    fn number(self, labelled: &LabelledGrid, sets: &mut [AccessSet; 2]);

    /// Selects the candidates by a first upper bound, if there is one.
    fn select(self, labelled: &LabelledGrid, endpoints: [PaddedCell; 2], sets: &mut [AccessSet; 2]);

    /// Turns the candidates into accesses and prefetches labels.
    fn access(self, labelled: &LabelledGrid, endpoints: [PaddedCell; 2], sets: &mut [AccessSet; 2]);

    /// Removes the accesses that a first upper bound rules out.
    fn prune(self, labels: &HubLabels, sets: &mut [AccessSet; 2]);
}

/// The accesses of one endpoint, with the scratch space to find them.
#[derive(Debug, Default)]
pub(crate) struct AccessSet {
    /// For [`BitmapScan`]: the rays to trace; which list is used depends on the kind of bitmaps.
    rays: Vec<Ray>,
    lattice_rays: Vec<LatticeRay>,
    /// For [`VisibilityLists`]: the bounds of the listed subgoals, and the one with the least.
    bounds: ListBounds,
    best: Option<ListedSubgoal>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) accesses: Vec<Access>,
}

/// A subgoal visible from an endpoint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) cell: PaddedCell,
    cost: Cost,
    /// A lower bound for paths over it; valid once the endpoint has its accesses.
    pub(crate) bound: Cost,
    /// The direction in which a run from a start arrives, one bit of eight.
    arrival: u8,
    number: SubgoalId,
    /// The directions in which a path that bends only here may leave for the goal, if the labels do
    /// not contain it.
    pub(crate) bend_departures: Departures,
}

impl AccessSet {
    /// Computes the accesses. A start skips subgoals from which no path continues along an edge.
    #[inline(always)]
    fn collect(
        &mut self,
        labels: &HubLabels,
        endpoint: Endpoint,
        bound: impl Fn(&Candidate) -> Cost,
        mut visit: impl FnMut(&Access),
    ) {
        self.accesses.clear();
        for candidate in &mut self.candidates {
            let number = candidate.number;
            // Damaged lists may contain any number.
            let Some(head) = labels.heads.get(number as usize) else { continue };
            candidate.bound = bound(candidate);
            let mut continues = true;
            if endpoint == Endpoint::Start {
                candidate.bend_departures = head.continuations.bend_departures(candidate.arrival);
                continues = head.continuations.arrivals & candidate.arrival != 0;
            }
            let access = Access::new(head, number, candidate.cost, candidate.bound);
            visit(&access);
            // Branchless, because the predicate is unpredictable.
            let count = self.accesses.len() + usize::from(continues);
            self.accesses.push(access);
            self.accesses.truncate(count);
        }
    }
}
