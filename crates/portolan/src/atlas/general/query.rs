//! Asking the index: connect, join, unpack.
//!
//! *Connect*: a node is tied to the core by one or two ends. *Join*: by labels where there are
//! some, else by climbing; beside it, what never comes to a separator: two nodes of one leaf, of
//! one tree, of one chain. *Unpack*: each side walks to where the two met, and the second half is
//! turned round.
//!
//! Should an index from a damaged file lead nowhere, a plain search answers instead.

use super::index::{Core, GeneralIndex, Group};
use super::labels::Labels;
use super::labels::join;
use super::labels::join::Side;
use super::path_cache::Ready;
use super::path_cache::trail;
use super::path_cache::trail::Trail;
use super::path_cache::walk::Walker;
use super::tables::climb;
use super::tables::climb::{Climber, Meeting};
use super::tables::inside::Inside;
use super::tables::region::Way;
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::{CostAnswer, EndpointError, PathAnswer};
use crate::graph::NodeId;
use crate::map::on_graph;
use crate::route::Route;
use crate::search::{Observer, Scratch, check_node, dijkstra, reaches};

/// What a query on an index of the general form works in.
pub(crate) struct GeneralScratch {
    sides: [Side; 2],
    climbers: [Climber; 2],
    walkers: [Walker; 2],
    trails: [Trail; 2],
    inside: Inside,
    search: Scratch,
    /// The deepest core nodes of the groups that were joined last: what the sides, the climbers and
    /// the leaf's search hold is about them. No two groups of one end have the same.
    joined: Option<(NodeId, NodeId)>,
}

impl Default for GeneralScratch {
    fn default() -> Self {
        let both = [Way::Out, Way::Into];
        Self {
            sides: both.map(Side::new),
            climbers: both.map(Climber::new),
            walkers: both.map(Walker::new),
            trails: both.map(Trail::new),
            inside: Inside::default(),
            search: Scratch::default(),
            joined: None,
        }
    }
}

/// A question that is being answered.
pub(crate) struct GeneralRun<'q> {
    index: &'q GeneralIndex,
    scratch: &'q mut GeneralScratch,
}

/// How the best way goes.
#[derive(Clone, Copy)]
enum Found {
    /// The ends are one node.
    Nothing,
    /// Along one tree or chain.
    Local,
    /// Inside one leaf.
    Inside(Group, Group),
    /// Over an entry of both sides' labels.
    Entry(Group, Group, usize),
    /// Over a node of a separator.
    Meeting(Group, Group, Meeting),
}

impl<'q> GeneralRun<'q> {
    pub(crate) fn new(index: &'q GeneralIndex, scratch: &'q mut GeneralScratch) -> Self {
        scratch.joined = None;
        Self { index, scratch }
    }

    /// The costs from one node to each of many, in their order; `None` where there is no path.
    pub(crate) fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        self.check(from, from)?;
        to.iter().try_for_each(|&to| self.check(to, to))?;
        let index = self.index;
        let spread = match (&index.labels, index.groups(from, Way::Out)) {
            (Some(labels), [Some(group), None]) => Some((labels, group)),
            _ => None,
        };
        let Some((labels, group)) = spread else {
            return to.iter().map(|&to| self.distance(from, to)).collect();
        };
        let [near, far] = &mut self.scratch.sides;
        let costs = join::spread(index, labels, near, &group);
        let mut found = Vec::with_capacity(to.len());
        let mut others = Vec::new();
        for (number, &to) in to.iter().enumerate() {
            let [goal, second] = index.groups(to, Way::Into);
            let simple = second.is_none() && !Self::is_local(index, from, to);
            let goal = goal
                .filter(|goal| simple && goal.deepest().place.home != group.deepest().place.home);
            let Some(goal) = goal else {
                others.push(number);
                found.push(None);
                continue;
            };
            let shared = join::shared(index, labels, &group, &goal);
            far.gather(index, labels, &goal);
            let cost = far.least_with(labels, &costs[..shared.min(costs.len())]);
            if cost == UNREACHABLE {
                others.push(number);
            }
            found.push((cost != UNREACHABLE).then(|| index.cost(cost)));
        }
        for number in others {
            found[number] = self.distance(from, to[number])?;
        }
        Ok(found)
    }

    fn check(&self, from: NodeId, to: NodeId) -> Result<(), EndpointError> {
        on_graph!(&self.index.map, graph => check_node(graph, from).and(check_node(graph, to)))
    }

    /// Whether there may be a way that never comes to the core.
    fn is_local(index: &GeneralIndex, from: NodeId, to: NodeId) -> bool {
        from == to
            || match &index.core {
                Core::Grid(_) => false,
                Core::Reduced(reduced) => reduced.local(from, to).is_some(),
            }
    }

    /// The cost in the core's weights and how the way goes. For the cost alone labels are read
    /// faster, and the entry that they name is none.
    fn look_up(&mut self, from: NodeId, to: NodeId, with_way: bool) -> Option<(Cost, Found)> {
        let index = self.index;
        if from == to {
            return Some((0, Found::Nothing));
        }
        index.fetch_groups(from);
        index.fetch_groups(to);
        let mut best = match &index.core {
            Core::Grid(_) => None,
            Core::Reduced(reduced) => reduced.local(from, to).map(|cost| (cost, Found::Local)),
        };
        for near in index.groups(from, Way::Out).into_iter().flatten() {
            for far in index.groups(to, Way::Into).into_iter().flatten() {
                let known = best.map_or(UNREACHABLE, |(cost, _)| cost);
                if let Some(found) = self.join(&near, &far, known, with_way) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// A way between two groups of ends that costs less than what is known.
    fn join(
        &mut self,
        near: &Group,
        far: &Group,
        mut known: Cost,
        with_way: bool,
    ) -> Option<(Cost, Found)> {
        let index = self.index;
        let mut best = None;
        let inside = self.scratch.inside.search(index, near, far);
        if let Some((cost, ..)) = inside.filter(|found| found.0 < known) {
            known = cost;
            best = Some((cost, Found::Inside(*near, *far)));
        }
        let found = match &index.labels {
            None => {
                let [a, b] = &mut self.scratch.climbers;
                let meeting = climb::meet(index, a, b, (near, far), known);
                meeting.map(|at| (at.cost, Found::Meeting(*near, *far, at)))
            }
            Some(labels) => self.join_labels(labels, near, far, with_way),
        };
        self.scratch.joined = Some((near.deepest().node, far.deepest().node));
        found.filter(|&(cost, _)| cost < known).or(best)
    }

    fn join_labels(
        &mut self,
        labels: &Labels,
        near: &Group,
        far: &Group,
        with_way: bool,
    ) -> Option<(Cost, Found)> {
        let index = self.index;
        let [a, b] = &mut self.scratch.sides;
        a.gather(index, labels, near);
        b.gather(index, labels, far);
        let shared = join::shared(index, labels, near, far);
        a.fetch(labels, near, shared);
        b.fetch(labels, far, shared);
        if with_way {
            a.fetch_ways(labels, near, shared);
            b.fetch_ways(labels, far, shared);
        }
        let (cost, entry) = match with_way {
            false => (join::distance(labels, a, b, shared), usize::MAX),
            true => join::meet(labels, a, b, shared)?,
        };
        Some((cost, Found::Entry(*near, *far, entry)))
    }

    /// Puts the way together in the first walker.
    fn unpack(&mut self, from: NodeId, to: NodeId, found: Found) -> Option<()> {
        let index = self.index;
        match found {
            Found::Nothing | Found::Local => {
                let out = &mut self.scratch.walkers[0];
                out.start(from);
                if let (Found::Local, Core::Reduced(reduced)) = (found, &index.core) {
                    reduced.local_path(from, to, &mut out.path);
                }
                return Some(());
            }
            Found::Inside(near, far)
            | Found::Entry(near, far, _)
            | Found::Meeting(near, far, _) => {
                // What was learnt of these groups is still there unless others came after them.
                if self.scratch.joined != Some((near.deepest().node, far.deepest().node)) {
                    self.join(&near, &far, UNREACHABLE, true);
                }
            }
        }
        let [out, into] = &mut self.scratch.walkers;
        match found {
            Found::Nothing | Found::Local => {}
            Found::Inside(near, far) => {
                let (_, start, goal) = self.scratch.inside.search(index, &near, &far)?;
                self.scratch.inside.walk(index, from, (start, goal), out)?;
                into.start(to);
                into.enter_core(index, to, goal);
            }
            Found::Entry(near, far, entry) => {
                let (labels, [a, b]) = (index.labels.as_ref()?, &self.scratch.sides);
                if let Some(ready) = &labels.ready {
                    return self.copy(labels, ready, (from, &near), (to, &far), entry);
                }
                a.walk(index, labels, (from, &near), entry, out)?;
                b.walk(index, labels, (to, &far), entry, into)?;
            }
            Found::Meeting(near, far, meeting) => {
                let [a, b] = &self.scratch.climbers;
                a.walk(index, (from, &near), &meeting, out)?;
                b.walk(index, (to, &far), &meeting, into)?;
            }
        }
        // Both halves end at the node where they met.
        let (&met, back) = into.path.split_last()?;
        if out.path.last() != Some(&met) {
            return None;
        }
        out.path.extend(back.iter().rev());
        Some(())
    }

    /// Puts the way over an entry together from what lies ready.
    fn copy(
        &mut self,
        labels: &Labels,
        ready: &Ready,
        (from, near): (NodeId, &Group),
        (to, far): (NodeId, &Group),
        entry: usize,
    ) -> Option<()> {
        let (index, [a, b]) = (self.index, &self.scratch.sides);
        let starts = (a.start(index, labels, near, entry)?, b.start(index, labels, far, entry)?);
        let begin = [a.begin(labels, ready, &starts.0)?, b.begin(labels, ready, &starts.1)?];
        let most = index.map.node_count();
        trail::note(labels, ready, &mut self.scratch.trails, begin, (entry, most))?;
        let out = &mut self.scratch.walkers[0];
        out.start(from);
        out.enter_core(index, from, starts.0.end);
        trail::copy(ready, &self.scratch.trails, most, &mut out.path)?;
        out.leave_core(index, to, starts.1.end);
        Some(())
    }

    /// Whether "no path" may only mean that costs outgrew the core's numbers.
    fn may_overflow(&self, from: NodeId, to: NodeId) -> bool {
        let map = &self.index.map;
        self.index.scale.overflows()
            && map.may_reach(from, to)
            && (map.is_undirected() || on_graph!(map, graph => reaches(graph, from, to)))
    }

    /// A plain search, for costs that outgrow the core's numbers and for damaged indexes.
    fn search_instead(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        on_graph!(&self.index.map, graph => {
            dijkstra::one_to_one(graph, &mut self.scratch.search, (from, to), observer)
        })
    }

    pub(crate) fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer {
        self.check(from, to)?;
        match self.look_up(from, to, false) {
            Some((cost, _)) if cost != UNREACHABLE => Ok(Some(self.index.cost(cost))),
            _ if self.may_overflow(from, to) => self.search_instead(from, to, &mut ()),
            _ => Ok(None),
        }
    }

    /// Nothing is expanded or generated where paths are looked up, as nearly always.
    pub(crate) fn find(
        mut self,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> PathAnswer<'q> {
        self.check(from, to)?;
        if let Core::Reduced(reduced) = &self.index.core {
            reduced.fetch_way(from);
            reduced.fetch_way(to);
        }
        let found = self.look_up(from, to, true).filter(|&(cost, _)| cost != UNREACHABLE);
        let cost = match found {
            Some((cost, way)) if self.unpack(from, to, way).is_some() => {
                let (cost, path) = (self.index.cost(cost), &self.scratch.walkers[0].path);
                return Ok(Some(Route::complete(&self.index.map, cost, path)));
            }
            Some(_) => self.search_instead(from, to, observer)?,
            None if self.may_overflow(from, to) => self.search_instead(from, to, observer)?,
            None => None,
        };
        let path = &mut self.scratch.walkers[0].path;
        self.scratch.search.path_into(to, path);
        Ok(cost.map(|cost| Route::complete(&self.index.map, cost, path)))
    }

    pub(crate) fn find_each(
        self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        for (at, &ends) in pairs.iter().enumerate() {
            visit(at, GeneralRun::new(self.index, self.scratch).find(ends, &mut ()));
        }
    }

    pub(crate) fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.distance(from, to));
        }
    }
}
