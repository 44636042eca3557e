//! Finds a path on the labels: a direct run, else over subgoals.
//!
//! The steps of [`find_all`] run for several queries in turn, so that one computes while others
//! wait for memory.

use super::batch::shared_paths::SharedPaths;
use super::climb::ClimbScratch;
use super::index::LabelledGrid;
use super::labels::compact::CompactScratch;
use super::labels::join::{BestHub, join};
use super::subgoals::{PaddedCell, View};
use super::unpack::PathUnpacker;
use super::visibility::{AccessSet, BitmapScan, Candidate, Connection};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::map::Map;
use crate::route::{Leg, Route};

/// A query on the labels, with its scratch space.
#[derive(Debug, Default)]
pub(super) struct QueryScratch {
    endpoints: [NodeId; 2],
    cells: [PaddedCell; 2],
    /// The accesses of start and goal.
    pub(super) sets: [AccessSet; 2],
    scratch: FormScratch,
    pub(super) found: Option<(Cost, PathKind)>,
    pub(super) unpacker: PathUnpacker,
}

/// Scratch space of the forms without a row for every subgoal.
#[derive(Debug, Default)]
pub(super) struct FormScratch {
    pub(super) compact: CompactScratch,
    pub(super) climb: ClimbScratch,
}

/// The kind of the best path.
#[derive(Debug, Clone, Copy)]
pub(super) enum PathKind {
    /// One run.
    Direct,
    /// Two runs that meet at a subgoal.
    Bend(PaddedCell),
    /// Over the hub of a label entry.
    Hub(BestHub),
}

/// A path of a batch.
#[derive(Clone, Copy)]
pub(crate) struct BatchPath<'a> {
    cost: Cost,
    from: NodeId,
    legs: &'a [Leg],
    /// The cells, if they are listed as well.
    cells: Option<&'a [NodeId]>,
}

impl<'a> BatchPath<'a> {
    pub(crate) fn route(self, map: &'a Map) -> Route<'a> {
        Route::along(map, self.cost, self.from, self.legs).with_listed(self.cells)
    }
}

/// Finds the best path of each query.
#[inline(always)]
pub(super) fn find_all(labelled: &LabelledGrid, queries: &mut [QueryScratch]) {
    match &labelled.lists {
        Some(lists) => find_all_by(labelled, lists, queries),
        None => find_all_by(labelled, BitmapScan, queries),
    }
}

#[inline(always)]
fn find_all_by(labelled: &LabelledGrid, connection: impl Connection, queries: &mut [QueryScratch]) {
    let view = &labelled.subgoals.view;
    for query in &mut *queries {
        connection.prefetch(view, query.cells);
    }
    for query in &mut *queries {
        query.found = direct_run(view, query.cells);
        if query.found.is_none() {
            connection.locate(view, query.cells, &mut query.sets);
        }
    }
    for query in open(queries) {
        connection.scan(labelled, query.cells, &mut query.sets);
    }
    for query in open(queries) {
        connection.number(labelled, &mut query.sets);
    }
    for query in open(queries) {
        connection.select(labelled, query.cells, &mut query.sets);
    }
    for query in open(queries) {
        connection.access(labelled, query.cells, &mut query.sets);
    }
    for query in open(queries) {
        query.join(labelled, connection);
    }
}

/// The queries without a path yet.
#[inline(always)]
fn open(queries: &mut [QueryScratch]) -> impl Iterator<Item = &mut QueryScratch> {
    queries.iter_mut().filter(|query| query.found.is_none())
}

#[inline(always)]
fn direct_run(view: &View, [start, goal]: [PaddedCell; 2]) -> Option<(Cost, PathKind)> {
    view.sees(start, goal).then(|| (view.distance(start, goal), PathKind::Direct))
}

impl QueryScratch {
    /// The legs of the unpacked path.
    pub(super) fn legs(&self) -> &[Leg] {
        self.unpacker.legs()
    }

    /// The cost of the best path.
    pub(super) fn cost(&self) -> Option<Cost> {
        self.found.map(|(cost, _)| cost)
    }

    /// Starts a query.
    #[inline(always)]
    pub(super) fn begin(&mut self, labelled: &LabelledGrid, from: NodeId, to: NodeId) {
        self.endpoints = [from, to];
        self.cells = self.endpoints.map(|node| labelled.subgoals.view.cell(node));
    }

    /// Joins the labels of both access sets, and compares the result with paths of one bend.
    #[inline(always)]
    fn join(&mut self, labelled: &LabelledGrid, connection: impl Connection) {
        let view = &labelled.subgoals.view;
        let [_, goal] = self.cells;
        let labels = &labelled.labels;
        if labelled.has_all_rows() {
            connection.prune(labels, &mut self.sets);
        }
        let [near, far] = &mut self.sets;
        let accesses: [&mut [_]; 2] = [&mut near.accesses, &mut far.accesses];
        let FormScratch { compact: compact_scratch, climb: climb_scratch } = &mut self.scratch;
        let hub = match (&labelled.compact, &labelled.climb) {
            (None, None) => join(labels, accesses),
            (None, Some(climb)) => {
                let accesses = accesses.map(|accesses| &*accesses);
                climb.join((labels, view), self.cells, accesses, climb_scratch)
            }
            (Some(compact), _) => {
                match compact.join(labels, self.cells, accesses, compact_scratch) {
                    Ok(hub) => hub,
                    // An unknown entry may be part of the best path.
                    Err(_) => return,
                }
            }
        };
        let mut best = hub.map(|hub| (hub.cost, PathKind::Hub(hub)));
        let mut least = best.map_or(UNREACHABLE, |(cost, _)| cost);
        for &Candidate { cell, bound, bend_departures: bend, .. } in &near.candidates {
            // Damaged lists may contain any cell.
            let sees = || view.contains(cell) && view.sees(cell, goal);
            if (bound < least) & !bend.is_empty() && view.leaves(bend, cell, goal) && sees() {
                least = bound;
                best = Some((bound, PathKind::Bend(cell)));
            }
        }
        self.found = best;
    }

    /// Starts to unpack the best path, if there is one.
    #[inline(always)]
    pub(super) fn begin_to_unpack(&mut self, labelled: &LabelledGrid) {
        if let Some((_, kind)) = self.found {
            self.unpacker.begin(labelled, self.endpoints, kind, &mut self.scratch);
        }
    }

    /// Unpacks the whole path for a batch. Copies from other paths what they share with it.
    pub(super) fn follow<'a>(
        &'a mut self,
        labelled: &LabelledGrid,
        paths: &'a mut SharedPaths,
    ) -> Option<BatchPath<'a>> {
        let (cost, _) = self.found?;
        let from = self.endpoints[0];
        let (legs, cells) = match self.unpacker.hops_left {
            0 => {
                self.unpacker.finish(cost)?;
                (self.unpacker.legs(), None)
            }
            _ => paths.follow(labelled, from, &mut self.unpacker, cost)?,
        };
        Some(BatchPath { cost, from, legs, cells })
    }
}

impl LabelledGrid {
    /// The cost between two cells; `None` if there is no path.
    pub(super) fn find(
        &self,
        scratch: &mut QueryScratch,
        from: NodeId,
        to: NodeId,
    ) -> Option<Cost> {
        scratch.begin(self, from, to);
        find_all(self, std::slice::from_mut(scratch));
        scratch.cost()
    }

    /// Like [`find`](Self::find), and unpacks the path.
    pub(super) fn look_up(
        &self,
        scratch: &mut QueryScratch,
        from: NodeId,
        to: NodeId,
    ) -> Option<Cost> {
        self.find(scratch, from, to)?;
        self.unpack(scratch)
    }

    /// Unpacks the path that was found last. `None` if there is none, or if damaged labels lead
    /// nowhere.
    pub(super) fn unpack(&self, scratch: &mut QueryScratch) -> Option<Cost> {
        scratch.begin_to_unpack(self);
        while scratch.unpacker.advance(self) {}
        let (cost, _) = scratch.found?;
        scratch.unpacker.finish(cost)
    }
}
