//! Asking the index, edited or not.
//!
//! After edits the labels are those of the map before, which is still of use (`edited.rs`).

use super::Uniform;
use super::batch::interleaved::Flock;
use super::batch::order::{Asked, in_order};
use super::lookup::Room;
use super::stale::Edited;
use super::stale::detour::Space;
use super::subgoals::ColumnCache;
use crate::cost::Cost;
use crate::engine::{CostAnswer, PathAnswer};
use crate::graph::NodeId;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice};
use crate::map::{EndpointError, Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, astar, check_node};

/// The most pairs that are put in order at once.
const MOST_PAIRS: usize = 1 << 24;

/// What a query on an index of this form works in.
#[derive(Default)]
pub(crate) struct UniformScratch {
    room: Room,
    flock: Flock,
    search: Scratch,
    detours: Space,
    columns: ColumnCache,
    path: Vec<NodeId>,
}

/// A question that is being answered.
pub(crate) struct UniformRun<'q> {
    index: &'q Uniform,
    scratch: &'q mut UniformScratch,
}

/// Where the path of an answer is.
enum Answer {
    /// In the room for looking up.
    LookedUp(Cost),
    /// In the list of nodes.
    Searched(Cost),
}

impl<'q> UniformRun<'q> {
    pub(crate) fn new(index: &'q Uniform, scratch: &'q mut UniformScratch) -> Self {
        Self { index, scratch }
    }

    /// The costs from one node to each of many, in their order; `None` where there is no path.
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
    ) -> Result<Option<Answer>, EndpointError> {
        self.check(from).and(self.check(to))?;
        let Uniform { map, labelled, edited } = self.index;
        if let (Some(edited), Map::Grid(grid)) = (edited, map) {
            if !map.may_reach(from, to) {
                return Ok(None);
            }
            if labelled.compact.is_some() {
                return self.answer_by_codes(edited, (from, to), observer);
            }
            let index = (&**labelled, grid);
            let UniformScratch { room, detours, columns, path, .. } = &mut *self.scratch;
            let scratch = (room, detours, columns);
            let cost = edited.answer(index, [from, to], scratch, path, observer);
            // The cells are joined: where nothing is found, costs could not be counted, or labels
            // are damaged.
            return match cost {
                Some(cost) => Ok(Some(Answer::Searched(cost))),
                None => Ok(self.search_instead(from, to, observer)?.map(Answer::Searched)),
            };
        }
        if let Some(cost) = labelled.look_up(&mut self.scratch.room, from, to) {
            return Ok(Some(Answer::LookedUp(cost)));
        }
        if !map.may_reach(from, to) {
            return Ok(None);
        }
        Ok(self.search_instead(from, to, observer)?.map(Answer::Searched))
    }

    /// The pairs that can be looked up at once, in a good order, and the numbers of the others.
    fn in_order(&self, pairs: &[(NodeId, NodeId)]) -> (Vec<Asked>, Vec<u32>) {
        if !self.index.is_labelled() {
            return (Vec::new(), (0..pairs.len() as u32).collect());
        }
        let is_right = |from, to| self.check(from).and(self.check(to)).is_ok();
        in_order(&self.index.labelled.subgoals.view, pairs, is_right)
    }

    /// After edits of an index with rows in codes, between cells that are joined: the old path
    /// where it is still legal and no freed cell is near enough to matter, else a search.
    fn answer_by_codes(
        &mut self,
        edited: &Edited,
        (from, to): (NodeId, NodeId),
        observer: &mut dyn Observer,
    ) -> Result<Option<Answer>, EndpointError> {
        let Uniform { map, labelled, .. } = self.index;
        let known =
            edited.knew(from, to).then(|| labelled.look_up(&mut self.scratch.room, from, to));
        if let Some(cost) = known.flatten() {
            let legal =
                || map.walk(Route::along(map, cost, from, self.scratch.room.legs()).nodes());
            if edited.least_by_freed(&labelled.subgoals, from, to) >= cost && legal() == Ok(cost) {
                return Ok(Some(Answer::LookedUp(cost)));
            }
        }
        Ok(self.search_instead(from, to, observer)?.map(Answer::Searched))
    }

    /// A plain search, for costs that outgrow the rows and for damaged indexes.
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
        if self.index.edited.is_none() {
            self.check(from).and(self.check(to))?;
            if let Some(cost) = self.index.labelled.find(&mut self.scratch.room, from, to) {
                return Ok(Some(cost));
            }
        }
        let answer = self.answer(from, to, &mut ())?;
        Ok(answer.map(|answer| match answer {
            Answer::LookedUp(cost) | Answer::Searched(cost) => cost,
        }))
    }

    pub(crate) fn find_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        let index = self.index;
        for (first, pairs) in in_parts(pairs) {
            let (asked, mut rest) = self.in_order(pairs);
            self.scratch.flock.look_up(&index.labelled, &asked, |asked, found| match found {
                Some((cost, path)) => {
                    let route = Route::new(&index.map, cost, path);
                    visit(first + asked.number as usize, Ok(Some(route)));
                }
                None => rest.push(asked.number),
            });
            for at in rest {
                let (from, to) = pairs[at as usize];
                let run = UniformRun::new(index, &mut *self.scratch);
                visit(first + at as usize, run.find((from, to), &mut ()));
            }
        }
    }

    pub(crate) fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        for (first, pairs) in in_parts(pairs) {
            let (asked, mut rest) = self.in_order(pairs);
            self.scratch.flock.distances(
                &self.index.labelled,
                &asked,
                |asked, found| match found {
                    Some(cost) => visit(first + asked.number as usize, Ok(Some(cost))),
                    None => rest.push(asked.number),
                },
            );
            for at in rest {
                let (from, to) = pairs[at as usize];
                visit(first + at as usize, self.distance(from, to));
            }
        }
    }

    /// What is looked up expands nothing; after edits a detour may have to be searched for.
    pub(crate) fn find(
        mut self,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> PathAnswer<'q> {
        let answer = self.answer(from, to, observer)?;
        let (map, scratch) = (&self.index.map, self.scratch);
        Ok(answer.map(|answer| match answer {
            Answer::LookedUp(cost) => Route::along(map, cost, from, scratch.room.legs()),
            Answer::Searched(cost) => Route::complete(map, cost, &scratch.path),
        }))
    }
}

/// Pairs in parts that 32 bits can number, each with the number of its first pair.
fn in_parts(pairs: &[(NodeId, NodeId)]) -> impl Iterator<Item = (usize, &[(NodeId, NodeId)])> {
    pairs.chunks(MOST_PAIRS).enumerate().map(|(at, part)| (at * MOST_PAIRS, part))
}
