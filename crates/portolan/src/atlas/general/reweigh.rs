//! New weights for the same nodes and edges.
//!
//! The tree, the homes and the borders of all regions stay. The core gets its new weights
//! (`core/reweigh.rs`). A region is computed again if the weight of one of its edges changed, or if
//! the crossings of a child did; all others are shared with the index before. Regions are computed
//! level by level from the leaves up, those of a level in parallel. The result has no labels.

use std::sync::Arc;

use rayon::prelude::*;

use super::core::Scale;
use super::index::{Core, GeneralIndex, on_core};
use super::tables;
use super::tables::dissected::Dissected;
use super::tables::region::Region;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::changes::{Changes, EdgeChange, same_topology};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId, touching};
use crate::map::Map;

/// The index of a map with the same topology, without labels; `None` if it must be built from
/// scratch, because weights that do not fit add edges to the core or remove some.
pub(crate) fn reweigh(old: &GeneralIndex, map: &Map) -> Option<GeneralIndex> {
    let (core, scale) = match (&old.core, map) {
        (Core::Grid(_), Map::Grid(grid)) => (Core::Grid(Box::new(grid.clone())), Scale::of(grid)),
        (Core::Reduced(before), Map::Graph(graph)) => {
            let scale = Scale::of(graph);
            (Core::Reduced(Arc::new(before.reweighed(graph, scale)?)), scale)
        }
        _ => return None,
    };
    let mut new = GeneralIndex { map: map.clone(), core, scale, labels: None, ..old.clone() };
    on_core!(&new.core.clone(), graph => {
        let dirty = on_core!(&old.core, before => changed_regions(old, before, graph));
        rebuild(&mut new, graph, dirty);
    });
    Some(new)
}

/// Whether these changes alter weights alone, and so many that [`reweigh`] is faster than to follow
/// each. The map has them already.
pub(crate) fn alters_weights(old: &GeneralIndex, map: &Map, changes: &Changes) -> bool {
    let sets_weight = |change: &EdgeChange| matches!(change, EdgeChange::SetWeight { .. });
    let alone = changes.cells.is_empty()
        && changes.nodes.is_empty()
        && changes.edges.iter().all(sets_weight);
    let many = match map {
        Map::Grid(_) => changes.terrain.len() > old.regions.len(),
        // Any edit of a graph visits all its nodes.
        Map::Graph(_) => true,
    };
    alone && many && same_topology(&old.map, map).is_ok()
}

/// The regions with an edge whose weight changed. An edge is one of the lower of the homes of its
/// ends.
fn changed_regions<G: Graph, H: Graph>(index: &GeneralIndex, before: &G, after: &H) -> Vec<bool> {
    let undirected = after.is_undirected();
    if before.is_undirected() != undirected {
        return vec![true; index.regions.len()];
    }
    let (tree, homes) = (&index.tree, &index.homes);
    let changed = |(id, region): (usize, &Arc<Region>)| {
        let depth = tree.node(id as RegionId).depth;
        let is_own = |&(other, _): &(NodeId, Cost)| {
            let home = homes.of(other).region;
            home != NO_REGION && tree.node(home).depth <= depth
        };
        let (mut old, mut new) = (Vec::new(), Vec::new());
        region.members.iter().any(|&node| {
            old.clear();
            new.clear();
            touching(before, undirected, node, |other, weight| old.push((other, weight)));
            touching(after, undirected, node, |other, weight| new.push((other, weight)));
            old != new
                && !old.iter().filter(|end| is_own(end)).eq(new.iter().filter(|end| is_own(end)))
        })
    };
    index.regions.par_iter().enumerate().map(changed).collect()
}

/// Computes the dirty regions, and each parent whose input changed.
fn rebuild<G: Graph>(new: &mut GeneralIndex, graph: &G, mut dirty: Vec<bool>) {
    let GeneralIndex { tree, homes, regions, .. } = new;
    let dissected = Dissected { graph, tree, homes };
    for level in tree.levels().into_iter().rev() {
        let ids = level.into_par_iter().filter(|&id| dirty[id as usize]);
        let rebuilt: Vec<(RegionId, Region)> =
            ids.map(|id| (id, tables::reweigh_region(&dissected, id, regions))).collect();
        for (id, region) in rebuilt {
            let (before, parent) = (&mut regions[id as usize], tree.node(id).parent);
            if parent != NO_REGION && region.crossings != before.crossings {
                dirty[parent as usize] = true;
            }
            *before = Arc::new(region);
        }
    }
}
