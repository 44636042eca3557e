//! Computes the contents of one cluster: the costs between its nodes and, for DHPA*, the cell
//! cache.

use std::sync::Arc;

use crate::cost::Cost;
use crate::grid::Grid;
use crate::hpa::clusters::cell_cache::{CellCache, is_compact};
use crate::hpa::clusters::cell_search::ClusterSearch;
use crate::hpa::clusters::cluster::{Cluster, ClusterOutline};
use crate::hpa::clusters::tiling::Tiling;

/// Fills the clusters of the first level, one after the other.
pub(super) struct ClusterFiller<'a> {
    grid: &'a Grid,
    tiling: &'a Tiling,
    cached: bool,
    search: ClusterSearch,
}

type Filled = (Arc<Cluster>, Option<Arc<CellCache>>);

impl<'a> ClusterFiller<'a> {
    pub(super) fn new(grid: &'a Grid, tiling: &'a Tiling, cached: bool) -> Self {
        Self { grid, tiling, cached, search: ClusterSearch::default() }
    }

    /// Searches a cluster from each of its nodes.
    pub(super) fn fill(&mut self, id: u32, outline: ClusterOutline) -> Filled {
        let Self { grid, tiling, search, .. } = self;
        let rect = tiling.rect(id);
        let nodes = outline.slots().len();
        let mut costs = Vec::with_capacity(nodes * nodes);
        let is_compact = is_compact(grid, tiling.size());
        let mut cache = self.cached.then(|| CellCache::new(is_compact, rect.len(), nodes));
        if nodes > 0 {
            search.enter(grid, rect);
        }
        for &slot in outline.slots() {
            search.run(tiling.cell(slot));
            costs.extend(outline.slots().iter().map(|&to| search.cost(tiling.cell(to))));
            if let Some(cache) = &mut cache {
                cache.push(search);
            }
        }
        (Arc::new(Cluster::new(outline, costs, Some(tiling))), cache.map(Arc::new))
    }

    /// Fills a cluster whose cells have not changed: reuses the results of nodes that it still has.
    pub(super) fn repair(
        &mut self,
        id: u32,
        outline: ClusterOutline,
        (old, old_cache): (&Cluster, Option<&CellCache>),
    ) -> Filled {
        let Self { grid, tiling, search, .. } = self;
        let slots = outline.slots();
        let kept: Vec<Option<usize>> = slots.iter().map(|&slot| old.index(tiling, slot)).collect();
        let Some(old_cache) = old_cache.filter(|_| kept.iter().any(Option::is_some)) else {
            return self.fill(id, outline);
        };
        let rect = tiling.rect(id);
        let mut cache = old_cache.like(slots.len());
        let mut entered = false;
        let mut costs: Vec<Cost> = Vec::with_capacity(slots.len().pow(2));
        for (row, (&slot, kept)) in slots.iter().zip(kept).enumerate() {
            match kept {
                Some(kept) => cache.push_from(old_cache, kept),
                None => {
                    if !std::mem::replace(&mut entered, true) {
                        search.enter(grid, rect);
                    }
                    search.run(tiling.cell(slot));
                    cache.push(search);
                }
            }
            let to = slots.iter().map(|&to| rect.local(tiling.cell(to)));
            costs.extend(to.map(|cell| cache.cost(row, cell)));
        }
        (Arc::new(Cluster::new(outline, costs, Some(tiling))), Some(Arc::new(cache)))
    }
}
