//! Asking the index, edited or not.
//!
//! After edits the labels are those of the map before, which is still of use. A path that they know is as short as ever
//! if every step of it is still legal and no way through a freed cell can be shorter, which the octile distance to
//! the freed cell and on from there tells. That holds for most queries; the others search the graph of subgoals
//! (`edited.rs`).

use super::Uniform;
use super::flock::Flock;
use super::lookup::Room;
use crate::cost::Cost;
use crate::engine::{EndpointError, Query};
use crate::graph::NodeId;
use crate::map::{Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, check_node, dijkstra};

/// A query on an index of this form.
pub(in crate::atlas) struct UniformQuery<'a> {
    index: &'a Uniform,
    room: Room,
    flock: Flock,
    search: Scratch,
    path: Vec<NodeId>,
}

/// Where the path of an answer is.
enum Answer {
    /// In the room for looking up.
    LookedUp(Cost),
    /// In the list of nodes.
    Searched(Cost),
}

impl<'a> UniformQuery<'a> {
    pub(in crate::atlas) fn new(index: &'a Uniform) -> Self {
        Self {
            index,
            room: Room::default(),
            flock: Flock::default(),
            search: Scratch::default(),
            path: Vec::new(),
        }
    }

    /// The costs from one node to each of many, in their order; `None` where there is no path.
    pub(in crate::atlas) fn distances(
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

    fn answer(&mut self, from: NodeId, to: NodeId) -> Result<Option<Answer>, EndpointError> {
        self.check(from).and(self.check(to))?;
        let (labelled, edited) = (&*self.index.labelled, self.index.edited.as_ref());
        let cost = match edited {
            None => labelled.look_up(&mut self.room, from, to),
            Some(edited) if !self.index.map.may_reach(from, to) || !edited.knew(from, to) => None,
            Some(edited) => labelled.look_up(&mut self.room, from, to).filter(|&cost| {
                let route = Route::along(&self.index.map, cost, from, self.room.legs());
                let path = route.nodes();
                edited.least_by_freed(from, to) >= cost && self.index.map.walk(path) == Ok(cost)
            }),
        };
        if let Some(cost) = cost {
            return Ok(Some(Answer::LookedUp(cost)));
        }
        if !self.index.map.may_reach(from, to) {
            return Ok(None);
        }
        let cost = match edited {
            Some(edited) => edited.search(&self.index.map, (from, to), &mut self.path)?,
            None => self.search_instead(from, to)?,
        };
        Ok(cost.map(Answer::Searched))
    }

    /// The numbers of the pairs that can be looked up at once, in a good order, and those of the others.
    fn in_order(&self, pairs: &[(NodeId, NodeId)]) -> (Vec<u32>, Vec<u32>) {
        if !self.index.is_labelled() {
            return (Vec::new(), (0..pairs.len() as u32).collect());
        }
        let is_right = |&at: &u32| {
            let (from, to) = pairs[at as usize];
            self.check(from).and(self.check(to)).is_ok()
        };
        let (right, wrong): (Vec<u32>, Vec<u32>) = (0..pairs.len() as u32).partition(is_right);
        (self.index.in_order(pairs, right), wrong)
    }

    /// A plain search, for costs that outgrow the rows and for damaged indexes.
    fn search_instead(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError> {
        let cost = on_graph!(&self.index.map, graph => {
            dijkstra::one_to_one(graph, &mut self.search, (from, to), &mut ())
        })?;
        self.search.path_into(to, &mut self.path);
        Ok(cost)
    }
}

impl Query for UniformQuery<'_> {
    fn map(&self) -> &Map {
        &self.index.map
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError> {
        if self.index.edited.is_none() {
            self.check(from).and(self.check(to))?;
            if let Some(cost) = self.index.labelled.find(&mut self.room, from, to) {
                return Ok(Some(cost));
            }
        }
        let answer = self.answer(from, to)?;
        Ok(answer.map(|answer| match answer {
            Answer::LookedUp(cost) | Answer::Searched(cost) => cost,
        }))
    }

    fn run(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError> {
        Ok(self.answer(from, to)?.map(|answer| match answer {
            Answer::LookedUp(cost) => Route::along(&self.index.map, cost, from, self.room.legs()),
            Answer::Searched(cost) => Route::complete(&self.index.map, cost, &self.path),
        }))
    }

    fn run_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, Result<Option<Route<'_>>, EndpointError>),
    ) {
        let index = self.index;
        let (order, mut rest) = self.in_order(pairs);
        self.flock.look_up(&index.labelled, pairs, &order, |at, found| match found {
            Some((cost, legs)) => {
                visit(at, Ok(Some(Route::along(&index.map, cost, pairs[at].0, legs))));
            }
            None => rest.push(at as u32),
        });
        for at in rest {
            let (from, to) = pairs[at as usize];
            visit(at as usize, self.run(from, to));
        }
    }

    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, Result<Option<Cost>, EndpointError>),
    ) {
        let (order, mut rest) = self.in_order(pairs);
        self.flock.distances(&self.index.labelled, pairs, &order, |at, found| match found {
            Some(cost) => visit(at, Ok(Some(cost))),
            None => rest.push(at as u32),
        });
        for at in rest {
            let (from, to) = pairs[at as usize];
            visit(at as usize, self.distance(from, to));
        }
    }

    fn run_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        _: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError> {
        self.run(from, to)
    }
}
