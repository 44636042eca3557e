//! The entry point of queries, on an index with or without edits.
//!
//! After edits the labels are those of the earlier map, and `stale` uses them.

use super::batch::interleaved::InterleavedQueries;
use super::batch::order::{OrderedPair, locality, sort_pairs};
use super::index::UniformIndex;
use super::lookup::QueryScratch;
use super::stale::Edits;
use super::stale::detour::DetourScratch;
use super::subgoals::ColumnCache;
use crate::cost::Cost;
use crate::engine::{CostAnswer, PathAnswer};
use crate::graph::{Endpoints, NodeId};
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice};
use crate::map::{EndpointError, Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, astar, check_node};

/// The most pairs of a batch that are sorted together.
const MOST_PAIRS: usize = 1 << 24;

/// Scratch space of queries on a uniform index.
#[derive(Default)]
pub(crate) struct UniformScratch {
    lookup: QueryScratch,
    interleaved: InterleavedQueries,
    search: Scratch,
    detour: DetourScratch,
    columns: ColumnCache,
    path: Vec<NodeId>,
}

impl UniformIndex {
    /// Where a pair is on the map.
    pub(crate) fn locality(&self, pair: Endpoints) -> u32 {
        locality(&self.labelled.subgoals.view, pair)
    }
}

/// A query that is being answered.
pub(crate) struct UniformQuery<'q> {
    index: &'q UniformIndex,
    scratch: &'q mut UniformScratch,
}

/// The cost of an answer, and where its path is.
enum FoundPath {
    /// The legs in `UniformScratch::lookup`.
    Legs(Cost),
    /// The nodes in `UniformScratch::path`.
    Nodes(Cost),
}

impl<'q> UniformQuery<'q> {
    pub(crate) fn new(index: &'q UniformIndex, scratch: &'q mut UniformScratch) -> Self {
        Self { index, scratch }
    }

    /// The costs from one node to many, in their order; `None` if there is no path.
    pub(crate) fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        self.check(from)?;
        to.iter().try_for_each(|&to| self.check(to))?;
        to.iter().map(|&to| self.distance(from, to)).collect()
    }

    fn check(&self, node: NodeId) -> Result<(), EndpointError> {
        on_graph!(&self.index.map, graph => check_node(graph, node))
    }

    fn answer(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<FoundPath>, EndpointError> {
        self.check(from).and(self.check(to))?;
        let UniformIndex { map, labelled, edits } = self.index;
        if let (Some(edits), Map::Grid(grid)) = (edits, map) {
            if !map.may_reach(from, to) {
                return Ok(None);
            }
            if !labelled.has_all_rows() {
                return self.answer_without_rows(edits, (from, to), observer);
            }
            let index = (&**labelled, grid);
            let UniformScratch { lookup, detour, columns, path, .. } = &mut *self.scratch;
            let scratch = (lookup, detour, columns);
            let cost = edits.answer(index, [from, to], scratch, path, observer);
            // The cells are connected: `None` means that costs overflow or labels are damaged.
            return match cost {
                Some(cost) => Ok(Some(FoundPath::Nodes(cost))),
                None => Ok(self.search_instead(from, to, observer)?.map(FoundPath::Nodes)),
            };
        }
        if let Some(cost) = labelled.look_up(&mut self.scratch.lookup, from, to) {
            return Ok(Some(FoundPath::Legs(cost)));
        }
        if !map.may_reach(from, to) {
            return Ok(None);
        }
        Ok(self.search_instead(from, to, observer)?.map(FoundPath::Nodes))
    }

    /// The pairs that the labels can answer, in a good order, and the positions of the others.
    fn sort_pairs(&self, pairs: &[Endpoints]) -> (Vec<OrderedPair>, Vec<u32>) {
        // A climb has too much scratch space for many queries at once.
        if !self.index.is_labelled() || self.index.labelled.climb.is_some() {
            return (Vec::new(), (0..pairs.len() as u32).collect());
        }
        let is_valid = |from, to| self.check(from).and(self.check(to)).is_ok();
        sort_pairs(&self.index.labelled.subgoals.view, pairs, is_valid)
    }

    /// After edits of an index without plain rows, between connected cells: the old path if it is
    /// still legal and no freed cell is near enough to matter, else a search.
    fn answer_without_rows(
        &mut self,
        edits: &Edits,
        (from, to): Endpoints,
        observer: &mut dyn Observer,
    ) -> Result<Option<FoundPath>, EndpointError> {
        let UniformIndex { map, labelled, .. } = self.index;
        let known = edits
            .were_passable(from, to)
            .then(|| labelled.look_up(&mut self.scratch.lookup, from, to));
        if let Some(cost) = known.flatten() {
            let legs = self.scratch.lookup.legs();
            let legal = || map.walk(Route::along(map, cost, from, legs).nodes());
            if edits.bound_over_freed(&labelled.subgoals, from, to) >= cost && legal() == Ok(cost) {
                return Ok(Some(FoundPath::Legs(cost)));
            }
        }
        Ok(self.search_instead(from, to, observer)?.map(FoundPath::Nodes))
    }

    /// A plain search, for costs that overflow in labels and for damaged indexes.
    fn search_instead(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut observer: &mut dyn Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        let map = &self.index.map;
        let bound =
            Geometric::new(map, HeuristicChoice::Auto).unwrap_or_else(|_| Geometric::zero());
        let cost = on_graph!(map, graph => {
            astar::find(graph, &mut self.scratch.search, (from, to), &mut bound.toward(to), &mut observer)
        })?;
        self.scratch.search.path_into(to, &mut self.scratch.path);
        Ok(cost)
    }

    pub(crate) fn distance(
        &mut self,
        from: NodeId,
        to: NodeId,
    ) -> Result<Option<Cost>, EndpointError> {
        if self.index.edits.is_none() {
            self.check(from).and(self.check(to))?;
            if let Some(cost) = self.index.labelled.find(&mut self.scratch.lookup, from, to) {
                return Ok(Some(cost));
            }
        }
        let found = self.answer(from, to, &mut ())?;
        Ok(found.map(|found| match found {
            FoundPath::Legs(cost) | FoundPath::Nodes(cost) => cost,
        }))
    }

    pub(crate) fn find_each(
        &mut self,
        pairs: &[Endpoints],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        let index = self.index;
        for (first, pairs) in parts(pairs) {
            let (sorted, mut rest) = self.sort_pairs(pairs);
            self.scratch.interleaved.look_up(&index.labelled, &sorted, |pair, found| match found {
                Some(path) => {
                    visit(first + pair.number as usize, Ok(Some(path.route(&index.map))));
                }
                None => rest.push(pair.number),
            });
            for at in rest {
                let (from, to) = pairs[at as usize];
                let query = UniformQuery::new(index, &mut *self.scratch);
                visit(first + at as usize, query.find((from, to), &mut ()));
            }
        }
    }

    pub(crate) fn distance_each(
        &mut self,
        pairs: &[Endpoints],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        let labelled = &self.index.labelled;
        for (first, pairs) in parts(pairs) {
            let (sorted, mut rest) = self.sort_pairs(pairs);
            self.scratch.interleaved.distances(labelled, &sorted, |pair, cost| match cost {
                Some(cost) => visit(first + pair.number as usize, Ok(Some(cost))),
                None => rest.push(pair.number),
            });
            for at in rest {
                let (from, to) = pairs[at as usize];
                visit(first + at as usize, self.distance(from, to));
            }
        }
    }

    /// Looking a path up expands no nodes; searching for a detour does.
    pub(crate) fn find(
        mut self,
        (from, to): Endpoints,
        observer: &mut impl Observer,
    ) -> PathAnswer<'q> {
        let found = self.answer(from, to, observer)?;
        let (map, scratch) = (&self.index.map, self.scratch);
        Ok(found.map(|found| match found {
            FoundPath::Legs(cost) => Route::along(map, cost, from, scratch.lookup.legs()),
            FoundPath::Nodes(cost) => Route::complete(map, cost, &scratch.path),
        }))
    }
}

/// Splits a batch into parts whose pairs fit into 32-bit positions, each with its first position.
fn parts(pairs: &[Endpoints]) -> impl Iterator<Item = (usize, &[Endpoints])> {
    pairs.chunks(MOST_PAIRS).enumerate().map(|(at, part)| (at * MOST_PAIRS, part))
}
