//! The square clusters of a grid on all levels: the build and the refresh after edits.
//!
//! The first level has squares of cells. Each further level has squares of two by two clusters of
//! the level below. Its nodes are those of the first level with an inter-edge that leaves the
//! larger square; the costs between them come from a search on the level below, within that square.
//!
//! After an edit, the clusters whose cells changed are searched again. Nodes and inter-edges are
//! recomputed only if a cell on the rim of a cluster changed, on both sides of the border. All
//! other clusters are shared with the previous engine.
//!
//! `level.rs` has one level as an abstract graph, `fill.rs` the contents of one cluster,
//! `shared_list.rs` the list that versions share.

mod fill;
pub(super) mod level;
mod shared_list;

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use fill::ClusterFiller;
use level::{GROUP, Level};
use shared_list::SharedList;

use super::abstract_graph::InterEdge;
use super::clusters::cell_cache::{self, CellCache};
use super::clusters::cluster::{Cluster, ClusterOutline};
use super::clusters::entrances::outline;
use super::clusters::tiling::{Rect, Tiling};
use crate::build::{BuildError, Progress, Watch};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::grid::Grid;
use crate::heuristic::Geometric;
use crate::search::Scratch;

/// All levels, finest first.
pub(super) struct Hierarchy {
    pub(super) levels: Vec<Level>,
    /// By cluster of the first level; empty without a cache.
    pub(super) caches: SharedList<CellCache>,
}

impl Hierarchy {
    pub(super) fn build(
        grid: &Grid,
        base: &Geometric,
        tiling: Tiling,
        config: &super::HpaConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let ids = 0..tiling.len() as u32;
        let outlines: Vec<ClusterOutline> =
            ids.into_par_iter().map(|id| outline(grid, &tiling, base, id)).collect();
        // The size of further levels is known only once they are built.
        if config.levels <= 1 {
            let compact = config.cached.then(|| cell_cache::is_compact(grid, tiling.size()));
            let needed = planned_bytes(&tiling, &outlines, compact);
            BuildError::check_limit(needed, config.memory_limit)?;
        }
        let watch = Watch::new(progress, "clusters", outlines.len());
        let new_filler = || ClusterFiller::new(grid, &tiling, config.cached);
        let filled: Result<Vec<_>, BuildError> = outlines
            .into_par_iter()
            .enumerate()
            .map_init(new_filler, |filler, (id, outline)| {
                watch.check()?;
                let filled = filler.fill(id as u32, outline);
                watch.advance(1);
                Ok(filled)
            })
            .collect();
        let (clusters, caches): (Vec<_>, Vec<_>) = filled?.into_iter().unzip();
        watch.check()?;
        let caches: Vec<Arc<CellCache>> = caches.into_iter().flatten().collect();
        let levels = vec![Level { fine: tiling, tiling, clusters: clusters.into() }];
        let mut hierarchy = Self { levels, caches: caches.into() };
        while hierarchy.levels.len() < config.levels && hierarchy.add_level() {
            watch.check()?;
        }
        BuildError::check_limit(hierarchy.memory_bytes() as u64, config.memory_limit)?;
        Ok(hierarchy)
    }

    /// Groups the clusters of the last level; returns false if there is only one.
    fn add_level(&mut self) -> bool {
        let Some(last) = self.levels.last().filter(|last| last.clusters.len() > 1) else {
            return false;
        };
        let coarse = last.tiling.coarser(GROUP);
        let clusters: Vec<_> = (0..coarse.len() as u32)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, id| Arc::new(last.group(&coarse, id, scratch)))
            .collect();
        let level = Level { fine: last.fine, tiling: coarse, clusters: clusters.into() };
        self.levels.push(level);
        true
    }

    /// The hierarchy of the grid after these changes, which are already made in `grid`.
    pub(super) fn refreshed(&self, grid: &Grid, base: &Geometric, changes: &Changes) -> Self {
        let [first, coarser @ ..] = &self.levels[..] else {
            return Self { levels: Vec::new(), caches: self.caches.clone() };
        };
        let tiling = first.tiling;
        let (damaged, bordering) = touched(grid, &tiling, changes);
        let (mut clusters, mut caches) = (first.clusters.clone(), self.caches.clone());
        let mut filler = ClusterFiller::new(grid, &tiling, self.caches.len() > 0);
        let mut changed = BTreeSet::new();
        for &id in damaged.union(&bordering) {
            let at = id as usize;
            let old = &first.clusters[at];
            let new = bordering.contains(&id).then(|| outline(grid, &tiling, base, id));
            let new = new.filter(|outline| outline != old.outline());
            let (cluster, cache) = match (damaged.contains(&id), new) {
                (false, None) => continue,
                (true, outline) => {
                    filler.fill(id, outline.unwrap_or_else(|| old.outline().clone()))
                }
                (false, Some(outline)) => filler.repair(id, outline, (old, self.caches.get(at))),
            };
            clusters.set(at, cluster);
            if let Some(cache) = cache {
                caches.set(at, cache);
            }
            changed.insert(id);
        }
        let mut levels = vec![Level { fine: tiling, tiling, clusters }];
        let mut scratch = Scratch::default();
        for coarse in coarser {
            let below = &levels[levels.len() - 1];
            let squares = changed.iter().map(|&id| below.tiling.column_and_row(id));
            changed =
                squares.filter_map(|(x, y)| coarse.tiling.cluster(x / GROUP, y / GROUP)).collect();
            let mut clusters = coarse.clusters.clone();
            for &id in &changed {
                let cluster = below.group(&coarse.tiling, id, &mut scratch);
                clusters.set(id as usize, Arc::new(cluster));
            }
            levels.push(Level { fine: tiling, tiling: coarse.tiling, clusters });
        }
        Self { levels, caches }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let levels = self.levels.iter().map(|level| {
            let clusters = level.clusters.iter().map(Cluster::memory_bytes);
            clusters.sum::<usize>() + SharedList::<Cluster>::bytes(level.clusters.len())
        });
        let caches = self.caches.iter().map(CellCache::memory_bytes);
        levels.chain(caches).sum::<usize>() + SharedList::<CellCache>::bytes(self.caches.len())
    }
}

/// The clusters whose cells changed, and those along whose border a cell changed.
fn touched(grid: &Grid, tiling: &Tiling, changes: &Changes) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut damaged, mut bordering) = (BTreeSet::new(), BTreeSet::new());
    let cells = changes.cells.iter().map(|change| change.node);
    let cells = cells.chain(changes.terrain.iter().map(|change| change.node));
    for (x, y) in cells.filter_map(|node| grid.position(node)) {
        damaged.insert(tiling.cluster_at((x, y)));
        let Rect { left, top, right, bottom } = tiling.rect(tiling.cluster_at((x, y)));
        if x > left && x + 1 < right && y > top && y + 1 < bottom {
            continue;
        }
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        bordering.extend(around.filter_map(|(dx, dy)| {
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            grid.node(x, y).map(|_| tiling.cluster_at((x, y)))
        }));
    }
    (damaged, bordering)
}

/// The size of the first level, known before the searches.
fn planned_bytes(tiling: &Tiling, outlines: &[ClusterOutline], compact: Option<bool>) -> u64 {
    let bytes = outlines.iter().enumerate().map(|(id, outline)| {
        let nodes = outline.slots().len();
        let entries = compact.map_or(0, |compact| {
            let cells = tiling.rect(id as u32).len();
            size_of::<CellCache>() + cells * nodes * cell_cache::entry_bytes(compact)
        });
        let inter_edges =
            outline.inter_edges() * size_of::<InterEdge>() + (nodes + 1) * size_of::<u16>();
        let intra_edges = nodes * nodes * size_of::<Cost>() + size_of_val(outline.slots());
        (entries + inter_edges + intra_edges + size_of::<Cluster>() + tiling.rim_positions()) as u64
    });
    let caches = compact.map_or(0, |_| SharedList::<CellCache>::bytes(outlines.len()));
    let lists = caches + SharedList::<Cluster>::bytes(outlines.len());
    bytes.sum::<u64>() + lists as u64
}
