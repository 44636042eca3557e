//! Queries: find access nodes, join, unpack.
//!
//! - `access`: the core nodes through which an endpoint reaches the core.
//! - `join`: combines the labels of both endpoints. `climb` does the same without labels. Neither
//!   sees paths that pass no separator node: `leaf_search` finds those inside a leaf,
//!   `ReducedGraph::local_cost` those in a tree or on a chain.
//! - The path is built from both endpoints to the node where they meet, hop by hop
//!   (`path_builder.rs`), or copied from cached node sequences (`path_copier`).
//!
//! If an index from a damaged file leads nowhere, Dijkstra's algorithm answers instead.

pub(crate) mod access;
pub(crate) mod climb;
pub(crate) mod join;
pub(crate) mod leaf_search;
pub(crate) mod path_copier;

use self::access::AccessGroup;
use self::climb::{Climber, MeetingNode};
use self::join::EndpointLabels;
use self::leaf_search::LeafSearch;
use self::path_copier::HalfPath;
use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::labels::Labels;
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::separator_tree::NO_REGION;
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::{CostAnswer, PathAnswer};
use crate::graph::{Direction, Endpoints, NodeId};
use crate::map::{EndpointError, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, check_node, dijkstra, reaches};

/// Scratch space of queries on a general index.
pub(crate) struct GeneralScratch {
    endpoints: [EndpointLabels; 2],
    climbers: [Climber; 2],
    builders: [PathBuilder; 2],
    halves: [HalfPath; 2],
    leaf_search: LeafSearch,
    search: Scratch,
    /// The deepest access nodes of the groups that were joined last. The contents of the scratch
    /// space refer to them. They identify the groups of an endpoint.
    joined: Option<Endpoints>,
}

impl Default for GeneralScratch {
    fn default() -> Self {
        let both = [Direction::Forward, Direction::Backward];
        Self {
            endpoints: both.map(EndpointLabels::new),
            climbers: both.map(Climber::new),
            builders: both.map(PathBuilder::new),
            halves: both.map(HalfPath::new),
            leaf_search: LeafSearch::default(),
            search: Scratch::default(),
            joined: None,
        }
    }
}

/// A query that is being answered.
pub(crate) struct GeneralQuery<'q> {
    index: &'q GeneralIndex,
    scratch: &'q mut GeneralScratch,
}

impl GeneralIndex {
    /// Where a pair is in the separator tree: the turns from the root to the regions of both ends,
    /// in turn. Pairs with most turns in common join the same labels.
    pub(crate) fn locality(&self, (from, to): Endpoints) -> u32 {
        let turns = |node: NodeId, direction| {
            let known = (node as usize) < self.map.node_count();
            let group = known.then(|| self.access_groups(node, direction)[0]).flatten();
            let region = group.map(|group| group.deepest().home.region);
            region.filter(|&id| id != NO_REGION).map_or(0, |id| self.tree.code(id))
        };
        let (from, to) = (turns(from, Direction::Forward), turns(to, Direction::Backward));
        let bit = |code: u64, at: u32| (code >> (u64::BITS - 1 - at)) as u32 & 1;
        (0..u32::BITS / 2).fold(0, |all, at| all << 2 | bit(from, at) << 1 | bit(to, at))
    }
}

/// The kind of the best path.
#[derive(Clone, Copy)]
pub(super) enum PathSource {
    /// Both endpoints are the same node.
    SameNode,
    /// Along one tree or chain.
    Local,
    /// Inside one leaf.
    Leaf(AccessGroup, AccessGroup),
    /// Over the hub of a label entry.
    Label(AccessGroup, AccessGroup, usize),
    /// Over a separator node that the climb found.
    Climb(AccessGroup, AccessGroup, MeetingNode),
}

impl<'q> GeneralQuery<'q> {
    pub(crate) fn new(index: &'q GeneralIndex, scratch: &'q mut GeneralScratch) -> Self {
        scratch.joined = None;
        Self { index, scratch }
    }

    /// The costs from one node to many, in their order; `None` if there is no path.
    pub(crate) fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        self.check(from, from)?;
        to.iter().try_for_each(|&to| self.check(to, to))?;
        let index = self.index;
        let single = match (&index.labels, index.access_groups(from, Direction::Forward)) {
            (Some(labels), [Some(group), None]) => Some((labels, group)),
            _ => None,
        };
        let Some((labels, group)) = single else {
            return to.iter().map(|&to| self.distance(from, to)).collect();
        };
        let [near, far] = &mut self.scratch.endpoints;
        let costs = join::costs_from(index, labels, near, &group);
        let mut found = Vec::with_capacity(to.len());
        let mut others = Vec::new();
        for (number, &to) in to.iter().enumerate() {
            let [goal, second] = index.access_groups(to, Direction::Backward);
            let simple = second.is_none() && !Self::is_local(index, from, to);
            let goal = goal
                .filter(|goal| simple && goal.deepest().home.region != group.deepest().home.region);
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

    /// Whether a path may exist that does not use the core.
    fn is_local(index: &GeneralIndex, from: NodeId, to: NodeId) -> bool {
        from == to
            || match &index.core {
                Core::Grid(_) => false,
                Core::Reduced(reduced) => reduced.local_cost(from, to).is_some(),
            }
    }

    /// The cost in the core and the kind of path. Without `with_path` labels are joined faster, and
    /// the entry in the result is invalid.
    pub(super) fn look_up(
        &mut self,
        from: NodeId,
        to: NodeId,
        with_path: bool,
    ) -> Option<(Cost, PathSource)> {
        let index = self.index;
        if from == to {
            return Some((0, PathSource::SameNode));
        }
        index.prefetch_accesses(from);
        index.prefetch_accesses(to);
        let mut best = match &index.core {
            Core::Grid(_) => None,
            Core::Reduced(reduced) => {
                reduced.local_cost(from, to).map(|cost| (cost, PathSource::Local))
            }
        };
        for near in index.access_groups(from, Direction::Forward).into_iter().flatten() {
            for far in index.access_groups(to, Direction::Backward).into_iter().flatten() {
                let known = best.map_or(UNREACHABLE, |(cost, _)| cost);
                if let Some(found) = self.join(&near, &far, known, with_path) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The best path between two access groups that costs less than `known`.
    fn join(
        &mut self,
        near: &AccessGroup,
        far: &AccessGroup,
        mut known: Cost,
        with_path: bool,
    ) -> Option<(Cost, PathSource)> {
        let index = self.index;
        let mut best = None;
        let inside = self.scratch.leaf_search.search(index, near, far);
        if let Some((cost, ..)) = inside.filter(|found| found.0 < known) {
            known = cost;
            best = Some((cost, PathSource::Leaf(*near, *far)));
        }
        let found = match &index.labels {
            None => {
                let [a, b] = &mut self.scratch.climbers;
                let meeting = climb::meet(index, a, b, (near, far), known);
                meeting.map(|at| (at.cost, PathSource::Climb(*near, *far, at)))
            }
            Some(labels) => self.join_labels(labels, near, far, with_path),
        };
        self.scratch.joined = Some((near.deepest().node, far.deepest().node));
        found.filter(|&(cost, _)| cost < known).or(best)
    }

    fn join_labels(
        &mut self,
        labels: &Labels,
        near: &AccessGroup,
        far: &AccessGroup,
        with_path: bool,
    ) -> Option<(Cost, PathSource)> {
        let index = self.index;
        let [a, b] = &mut self.scratch.endpoints;
        a.gather(index, labels, near);
        b.gather(index, labels, far);
        let shared = join::shared(index, labels, near, far);
        a.prefetch(labels, shared);
        b.prefetch(labels, shared);
        if with_path {
            a.prefetch_path_starts(labels, near, shared);
            b.prefetch_path_starts(labels, far, shared);
        }
        let (cost, entry) = match with_path {
            false => (join::distance(labels, a, b, shared), usize::MAX),
            true => join::meet(labels, a, b, shared)?,
        };
        Some((cost, PathSource::Label(*near, *far, entry)))
    }

    /// Builds the path in the first builder.
    fn unpack(&mut self, from: NodeId, to: NodeId, found: PathSource) -> Option<()> {
        let index = self.index;
        match found {
            PathSource::SameNode | PathSource::Local => {
                let forward = &mut self.scratch.builders[0];
                forward.start(from);
                if let (PathSource::Local, Core::Reduced(reduced)) = (found, &index.core) {
                    reduced.local_path(from, to, &mut forward.nodes);
                }
                return Some(());
            }
            PathSource::Leaf(near, far)
            | PathSource::Label(near, far, _)
            | PathSource::Climb(near, far, _) => {
                // The scratch space still refers to these groups, unless others were joined
                // afterwards.
                if self.scratch.joined != Some((near.deepest().node, far.deepest().node)) {
                    self.join(&near, &far, UNREACHABLE, true);
                }
            }
        }
        let [forward, backward] = &mut self.scratch.builders;
        match found {
            PathSource::SameNode | PathSource::Local => {}
            PathSource::Leaf(near, far) => {
                let (_, start, goal) = self.scratch.leaf_search.search(index, &near, &far)?;
                self.scratch.leaf_search.walk(index, from, (start, goal), forward)?;
                backward.start(to);
                backward.enter_core(index, to, goal);
            }
            PathSource::Label(near, far, entry) => {
                let (labels, [a, b]) = (index.labels.as_ref()?, &self.scratch.endpoints);
                if let Some(cache) = &labels.cache {
                    return self.copy(labels, cache, (from, &near), (to, &far), entry);
                }
                a.walk(index, labels, (from, &near), entry, forward)?;
                b.walk(index, labels, (to, &far), entry, backward)?;
            }
            PathSource::Climb(near, far, meeting) => {
                let [a, b] = &self.scratch.climbers;
                a.walk(index, (from, &near), &meeting, forward)?;
                b.walk(index, (to, &far), &meeting, backward)?;
            }
        }
        // Both halves end at the node where they meet.
        let (&met, back) = backward.nodes.split_last()?;
        if forward.nodes.last() != Some(&met) {
            return None;
        }
        forward.nodes.extend(back.iter().rev());
        Some(())
    }

    /// Copies the path over the hub of an entry from the cache.
    fn copy(
        &mut self,
        labels: &Labels,
        cache: &PathCache,
        (from, near): (NodeId, &AccessGroup),
        (to, far): (NodeId, &AccessGroup),
        entry: usize,
    ) -> Option<()> {
        let (index, [a, b]) = (self.index, &self.scratch.endpoints);
        let starts = (a.start(index, labels, near, entry)?, b.start(index, labels, far, entry)?);
        let start = [
            a.half_path_start(labels, cache, &starts.0)?,
            b.half_path_start(labels, cache, &starts.1)?,
        ];
        let most = index.map.node_count();
        path_copier::collect_spans(labels, cache, &mut self.scratch.halves, start, (entry, most))?;
        let forward = &mut self.scratch.builders[0];
        forward.start(from);
        forward.enter_core(index, from, starts.0.access);
        path_copier::copy_spans(cache, &self.scratch.halves, most, &mut forward.nodes)?;
        forward.leave_core(index, to, starts.1.access);
        Some(())
    }

    /// Whether the cost may not fit into the scaled costs of the core, so that a missing path may
    /// exist.
    fn may_overflow(&self, from: NodeId, to: NodeId) -> bool {
        let map = &self.index.map;
        self.index.scale.overflows()
            && map.may_reach(from, to)
            && (map.is_undirected() || on_graph!(map, graph => reaches(graph, from, to)))
    }

    /// Dijkstra's algorithm, for costs that do not fit and for damaged indexes.
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

    /// The observer sees events only if Dijkstra's algorithm answers, which is rare.
    pub(crate) fn find(
        mut self,
        (from, to): Endpoints,
        observer: &mut impl Observer,
    ) -> PathAnswer<'q> {
        self.check(from, to)?;
        if let Core::Reduced(reduced) = &self.index.core {
            reduced.prefetch_path(from);
            reduced.prefetch_path(to);
        }
        let found = self.look_up(from, to, true).filter(|&(cost, _)| cost != UNREACHABLE);
        let cost = match found {
            Some((cost, source)) if self.unpack(from, to, source).is_some() => {
                let (cost, path) = (self.index.cost(cost), &self.scratch.builders[0].nodes);
                return Ok(Some(Route::complete(&self.index.map, cost, path)));
            }
            Some(_) => self.search_instead(from, to, observer)?,
            None if self.may_overflow(from, to) => self.search_instead(from, to, observer)?,
            None => None,
        };
        let path = &mut self.scratch.builders[0].nodes;
        self.scratch.search.path_into(to, path);
        Ok(cost.map(|cost| Route::complete(&self.index.map, cost, path)))
    }
}
