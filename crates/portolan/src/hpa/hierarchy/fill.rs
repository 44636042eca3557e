//! Computes the contents of one cluster: the costs between its nodes and, for DHPA*, the cell
//! cache.

use std::sync::Arc;

use crate::cost::Cost;
use crate::grid::Grid;
use crate::hpa::clusters::cell_cache::CellCache;
use crate::hpa::clusters::cell_search::ClusterSearch;
use crate::hpa::clusters::cluster::{Cluster, ClusterOutline};
use crate::hpa::clusters::tiling::Tiling;

pub(super) type Filled = (Arc<Cluster>, Option<Arc<CellCache>>);

/// Searches a cluster from each of its nodes.
pub(super) fn fill(
    grid: &Grid,
    tiling: &Tiling,
    id: u32,
    outline: ClusterOutline,
    compact: Option<bool>,
    search: &mut ClusterSearch,
) -> Filled {
    let rect = tiling.rect(id);
    let nodes = outline.slots().len();
    let mut costs = Vec::with_capacity(nodes * nodes);
    let mut cache = compact.map(|compact| CellCache::new(compact, rect.len(), nodes));
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
    grid: &Grid,
    tiling: &Tiling,
    id: u32,
    outline: ClusterOutline,
    (old, old_cache): (&Cluster, Option<&CellCache>),
    compact: Option<bool>,
    search: &mut ClusterSearch,
) -> Filled {
    let rect = tiling.rect(id);
    let (kept, nodes) = (known(tiling, old, &outline), outline.slots().len());
    let Some(old_cache) = old_cache.filter(|_| kept.iter().any(Option::is_some)) else {
        return fill(grid, tiling, id, outline, compact, search);
    };
    let mut cache = old_cache.like(nodes);
    let mut entered = false;
    let mut costs: Vec<Cost> = Vec::with_capacity(nodes * nodes);
    for (row, (&slot, kept)) in outline.slots().iter().zip(&kept).enumerate() {
        match kept {
            Some(kept) => cache.push_from(old_cache, *kept),
            None => {
                if !std::mem::replace(&mut entered, true) {
                    search.enter(grid, rect);
                }
                search.run(tiling.cell(slot));
                cache.push(search);
            }
        }
        let to = outline.slots().iter().map(|&to| rect.local(tiling.cell(to)));
        costs.extend(to.map(|cell| cache.cost(row, cell)));
    }
    (Arc::new(Cluster::new(outline, costs, Some(tiling))), Some(Arc::new(cache)))
}

/// The indices of an outline's nodes in a cluster, if it has them.
fn known(tiling: &Tiling, old: &Cluster, outline: &ClusterOutline) -> Vec<Option<usize>> {
    outline.slots().iter().map(|&slot| old.index(tiling, slot)).collect()
}
