//! Queries: the steps that all three engines share.
//!
//! A query tries A* on the map where start and goal share a cluster, searches the abstract graph,
//! fills in the cells between abstract nodes, and smooths the path. `levels.rs` does the middle
//! part for square clusters, `regions/engine.rs` for merged regions; `local.rs` searches cells, and
//! `smooth.rs` straightens paths.

pub(super) mod levels;
pub(super) mod local;
mod smooth;

use std::ops::Range;

use local::LocalSearch;
use smooth::Smoother;

use super::clusters::cell_search::ClusterSearch;
use super::clusters::tiling::Slot;
use crate::cost::Cost;
use crate::engine::{CostAnswer, Searching};
use crate::graph::{Endpoints, NodeId};
use crate::grid::Grid;
use crate::heuristic::Geometric;
use crate::map::Map;
use crate::route::Route;
use crate::search::{Observer, Scratch, check_ends};

/// Scratch space of a query on any of the three engines.
#[derive(Default)]
pub(crate) struct HierarchyScratch {
    pub(crate) search: Scratch,
    pub(crate) local: LocalSearch,
    cluster_search: ClusterSearch,
    smoother: Smoother,
    /// By level, the costs from the start to the nodes of its cluster.
    pub(crate) starts: Vec<Vec<Cost>>,
    /// By level, the costs from the nodes of the goal's cluster to the goal.
    pub(crate) goals: Vec<Vec<Cost>>,
    /// Abstract paths; those of several levels follow one another.
    pub(crate) slots: Vec<Slot>,
    /// The abstract nodes of the first level on the path that was filled in.
    pub(crate) entrances: Vec<Slot>,
    pub(crate) path: Vec<NodeId>,
}

impl HierarchyScratch {
    /// Provides lists of costs for so many levels.
    pub(crate) fn set_levels(&mut self, levels: usize) {
        self.starts.resize(levels, Vec::new());
        self.goals.resize(levels, Vec::new());
    }

    /// Appends the abstract path to `last` that the last search found; returns its range in
    /// `slots`.
    pub(crate) fn trace(&mut self, last: Slot) -> Range<usize> {
        let first = self.slots.len();
        let mut slot = last;
        loop {
            self.slots.push(slot);
            let before = self.search.parent(slot);
            if before == slot {
                break;
            }
            slot = before;
        }
        self.slots[first..].reverse();
        first..self.slots.len()
    }
}

/// What every step of a query needs from its engine.
pub(crate) struct Ground<'a> {
    pub(crate) map: &'a Map,
    pub(crate) grid: &'a Grid,
    pub(crate) bound: &'a Geometric,
    /// Whether paths are straightened.
    pub(crate) smooth: bool,
}

/// An engine whose queries follow the steps above.
pub(crate) trait HierarchyEngine {
    fn ground(&self) -> Ground<'_>;

    /// If A* on the map should be tried first because the endpoints share a cluster: about how many
    /// cells a cluster has.
    fn cells_of_shared_cluster(&self, ends: Endpoints) -> Option<usize>;

    /// Finds a path through abstract nodes and appends it to the empty `path` of the scratch space;
    /// returns its cost.
    fn find_through_nodes(
        &self,
        scratch: &mut HierarchyScratch,
        ends: Endpoints,
        observer: &mut impl Observer,
    ) -> Option<Cost>;
}

/// A query in progress.
pub(crate) struct HierarchySearch<'q, E: HierarchyEngine> {
    engine: &'q E,
    scratch: &'q mut HierarchyScratch,
}

impl<'q, E: HierarchyEngine> HierarchySearch<'q, E> {
    pub(crate) fn new(engine: &'q E, scratch: &'q mut HierarchyScratch) -> Self {
        Self { engine, scratch }
    }
}

impl<'q, E: HierarchyEngine> Searching<'q> for HierarchySearch<'q, E> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        let Ground { grid, bound, smooth, .. } = self.engine.ground();
        let ends = (from, to);
        let HierarchyScratch { local, entrances, path, .. } = &mut *self.scratch;
        entrances.clear();
        path.clear();
        if !check_ends(grid, ends)? {
            return Ok(None);
        }
        if from == to {
            path.push(from);
            return Ok(Some(0));
        }
        if let Some(cells) = self.engine.cells_of_shared_cluster(ends)
            && let Some(cost) = local.near(grid, bound, ends, cells, observer, path)
        {
            return Ok(Some(cost));
        }
        let found = self.engine.find_through_nodes(self.scratch, ends, observer);
        let HierarchyScratch { local, smoother, path, .. } = &mut *self.scratch;
        match found {
            Some(cost) if smooth => Ok(Some(smoother.smooth(grid, bound, path, cost))),
            Some(cost) => Ok(Some(cost)),
            // A path exists, but the sums of this search overflowed.
            None => local.on_map(grid, bound, ends, observer, path),
        }
    }

    fn route(self, _: NodeId, cost: Cost) -> Route<'q> {
        Route::complete(self.engine.ground().map, cost, &self.scratch.path)
    }
}
