//! The clusters of a grid on all levels, how they are made and how they follow edits.
//!
//! The first level has squares of cells. Each further level has squares of two by two clusters of
//! the one before; its nodes are those of the first level that have a link out of the larger
//! square, and what it costs between them is found on the level before, without leaving that
//! square.
//!
//! After an edit the clusters whose cells changed are searched anew. Nodes and links are looked for
//! anew only where a cell on the rim of a cluster changed, on both sides of the border. All other
//! clusters are shared with the engine before.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::cache::{self, Cache};
use super::cluster::{Cluster, Outline};
use super::entrances::outline;
use super::flood::Flood;
use super::pages::Pages;
use super::search::{Abstract, Doors, Link, NONE, Source, search};
use super::tiling::{Rect, Slot, Tiling};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::BuildError;
use crate::graph::NodeId;
use crate::grid::Grid;
use crate::heuristic::Geometric;
use crate::progress::{Progress, Watch};
use crate::search::Scratch;

/// How many clusters make the side of one on the next level.
const GROUP: u32 = 2;

/// All levels, the finest first.
pub(super) struct Hierarchy {
    pub(super) levels: Vec<Level>,
    /// By cluster of the first level; empty where nothing is cached.
    pub(super) caches: Pages<Cache>,
}

/// The clusters of one level.
pub(super) struct Level {
    /// How the first level is cut, which numbers the nodes of all.
    pub(super) fine: Tiling,
    pub(super) tiling: Tiling,
    clusters: Pages<Cluster>,
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
        let outlines: Vec<Outline> =
            ids.into_par_iter().map(|id| outline(grid, &tiling, base, id)).collect();
        let compact = config.cached.then(|| cache::is_compact(grid, tiling.size()));
        // What further levels take is known once they are there.
        if config.levels <= 1 {
            within_limit(&tiling, &outlines, compact, config)?;
        }
        let watch = Watch::new(progress, "clusters", outlines.len());
        let filled: Result<Vec<_>, BuildError> = outlines
            .into_par_iter()
            .enumerate()
            .map_init(Flood::default, |flood, (id, outline)| {
                watch.check()?;
                let filled = fill(grid, &tiling, id as u32, outline, compact, flood);
                watch.advance(1);
                Ok(filled)
            })
            .collect();
        let (clusters, caches): (Vec<_>, Vec<_>) = filled?.into_iter().unzip();
        watch.check()?;
        let caches: Vec<Arc<Cache>> = caches.into_iter().flatten().collect();
        let levels = vec![Level { fine: tiling, tiling, clusters: clusters.into() }];
        let mut hierarchy = Self { levels, caches: caches.into() };
        while hierarchy.levels.len() < config.levels && hierarchy.add_level() {
            watch.check()?;
        }
        hierarchy.within_limit(config)?;
        Ok(hierarchy)
    }

    /// Refuses what has become too large.
    pub(super) fn within_limit(&self, config: &super::HpaConfig) -> Result<(), BuildError> {
        let (needed, limit) = (self.memory_bytes() as u64, config.memory_limit);
        match needed > limit {
            true => Err(BuildError::MemoryLimit { needed, limit, smaller: None }),
            false => Ok(()),
        }
    }

    /// Groups the clusters of the last level; false where there is only one.
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

    /// The hierarchy of the same grid after these changes, which have been made in it.
    pub(super) fn refreshed(&self, grid: &Grid, base: &Geometric, changes: &Changes) -> Self {
        let [first, coarser @ ..] = &self.levels[..] else {
            return Self { levels: Vec::new(), caches: self.caches.clone() };
        };
        let tiling = first.tiling;
        let (damaged, bordering) = touched(grid, &tiling, changes);
        let compact = (self.caches.len() > 0).then(|| cache::is_compact(grid, tiling.size()));
        let (mut clusters, mut caches) = (first.clusters.clone(), self.caches.clone());
        let mut flood = Flood::default();
        let mut changed = BTreeSet::new();
        for &id in damaged.union(&bordering) {
            let at = id as usize;
            let old = &first.clusters[at];
            let new = bordering.contains(&id).then(|| outline(grid, &tiling, base, id));
            let new = new.filter(|outline| !old.has_outline(outline));
            let (cluster, cache) = match (damaged.contains(&id), new) {
                (false, None) => continue,
                (true, Some(outline)) => fill(grid, &tiling, id, outline, compact, &mut flood),
                (true, None) => fill(grid, &tiling, id, old.outline(), compact, &mut flood),
                (false, Some(outline)) => {
                    let old = (old, self.caches.get(at));
                    mend(grid, &tiling, id, outline, old, compact, &mut flood)
                }
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
            let seats = changed.iter().map(|&id| below.tiling.seat(id));
            changed =
                seats.filter_map(|(x, y)| coarse.tiling.cluster(x / GROUP, y / GROUP)).collect();
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
            clusters.sum::<usize>() + Pages::<Cluster>::bytes(level.clusters.len())
        });
        let caches = self.caches.iter().map(Cache::memory_bytes);
        levels.chain(caches).sum::<usize>() + Pages::<Cache>::bytes(self.caches.len())
    }
}

impl Level {
    /// The clusters, by number.
    pub(super) fn clusters(&self) -> &Pages<Cluster> {
        &self.clusters
    }

    /// A cluster of the next level.
    fn group(&self, coarse: &Tiling, id: u32, scratch: &mut Scratch) -> Cluster {
        let (column, row) = coarse.seat(id);
        let seats =
            (0..GROUP * GROUP).map(|at| (column * GROUP + at % GROUP, row * GROUP + at / GROUP));
        let members = seats.filter_map(|(x, y)| self.tiling.cluster(x, y));
        let mut crossings: Vec<(Slot, Link)> = Vec::new();
        for member in members {
            let cluster = &self.clusters[member as usize];
            for index in 0..cluster.len() {
                let leaving = cluster.links(index).iter();
                let leaving = leaving.filter(|link| self.fine.outer(coarse, link.head) != id);
                crossings.extend(leaving.map(|&link| (cluster.slot(index), link)));
            }
        }
        let outline = Outline::new(crossings);
        let mut costs = Vec::with_capacity(outline.slots().len().pow(2));
        for &slot in outline.slots() {
            let within = |head| self.fine.outer(coarse, head) == id;
            search(self, scratch, Source::Slot(slot), NONE, |_| 0, within, &mut ());
            let cost = |&to: &Slot| scratch.cost(to).unwrap_or(UNREACHABLE);
            costs.extend(outline.slots().iter().map(cost));
        }
        Cluster::new(outline, costs, None)
    }
}

impl Abstract for Level {
    type Cluster = Cluster;

    fn slots(&self) -> usize {
        self.fine.slots()
    }

    #[inline(always)]
    fn cluster_of(&self, slot: Slot) -> u32 {
        match self.tiling.size() == self.fine.size() {
            true => self.fine.cluster_of(slot),
            false => self.fine.outer(&self.tiling, slot),
        }
    }

    #[inline(always)]
    fn cluster(&self, id: u32) -> &Cluster {
        &self.clusters[id as usize]
    }

    #[inline(always)]
    fn index(&self, cluster: &Cluster, slot: Slot) -> Option<usize> {
        cluster.index(&self.fine, slot)
    }

    fn node(&self, slot: Slot) -> NodeId {
        self.fine.node(slot)
    }

    #[inline(always)]
    fn ways_from(&self, cluster: &Cluster, index: usize, mut visit: impl FnMut(usize, Cost)) {
        for (other, &cost) in cluster.row(index).iter().enumerate() {
            if cost != UNREACHABLE {
                visit(other, cost);
            }
        }
    }
}

type Filled = (Arc<Cluster>, Option<Arc<Cache>>);

/// Searches a cluster from each of its nodes.
fn fill(
    grid: &Grid,
    tiling: &Tiling,
    id: u32,
    outline: Outline,
    compact: Option<bool>,
    flood: &mut Flood,
) -> Filled {
    let rect = tiling.rect(id);
    let nodes = outline.slots().len();
    let mut costs = Vec::with_capacity(nodes * nodes);
    let mut cache = compact.map(|compact| Cache::new(compact, rect.len(), nodes));
    if nodes > 0 {
        flood.enter(grid, rect);
    }
    for &slot in outline.slots() {
        flood.run(tiling.cell(slot));
        costs.extend(outline.slots().iter().map(|&to| flood.cost(tiling.cell(to))));
        if let Some(cache) = &mut cache {
            cache.push(flood);
        }
    }
    (Arc::new(Cluster::new(outline, costs, Some(tiling))), cache.map(Arc::new))
}

/// The same where the cells have not changed: what is known of nodes that stay is kept.
fn mend(
    grid: &Grid,
    tiling: &Tiling,
    id: u32,
    outline: Outline,
    (old, old_cache): (&Cluster, Option<&Cache>),
    compact: Option<bool>,
    flood: &mut Flood,
) -> Filled {
    let rect = tiling.rect(id);
    let (kept, nodes) = (known(tiling, old, &outline), outline.slots().len());
    let Some(old_cache) = old_cache.filter(|_| kept.iter().any(Option::is_some)) else {
        return fill(grid, tiling, id, outline, compact, flood);
    };
    let mut cache = old_cache.like(nodes);
    let mut entered = false;
    let mut costs: Vec<Cost> = Vec::with_capacity(nodes * nodes);
    for (row, (&slot, kept)) in outline.slots().iter().zip(&kept).enumerate() {
        match kept {
            Some(kept) => cache.push_from(old_cache, *kept),
            None => {
                if !std::mem::replace(&mut entered, true) {
                    flood.enter(grid, rect);
                }
                flood.run(tiling.cell(slot));
                cache.push(flood);
            }
        }
        let to = outline.slots().iter().map(|&to| rect.local(tiling.cell(to)));
        costs.extend(to.map(|cell| cache.cost(row, cell)));
    }
    (Arc::new(Cluster::new(outline, costs, Some(tiling))), Some(Arc::new(cache)))
}

/// The numbers that the nodes of an outline have in a cluster, where they have some.
fn known(tiling: &Tiling, old: &Cluster, outline: &Outline) -> Vec<Option<usize>> {
    outline.slots().iter().map(|&slot| old.index(tiling, slot)).collect()
}

/// The clusters whose cells changed, and those along whose border something changed.
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

/// Refuses what would not fit, before anything is searched.
fn within_limit(
    tiling: &Tiling,
    outlines: &[Outline],
    compact: Option<bool>,
    config: &super::HpaConfig,
) -> Result<(), BuildError> {
    let limit = config.memory_limit;
    let bytes = outlines.iter().enumerate().map(|(id, outline)| {
        let nodes = outline.slots().len();
        let entries = compact.map_or(0, |compact| {
            let cells = tiling.rect(id as u32).len();
            size_of::<Cache>() + cells * nodes * cache::entry_bytes(compact)
        });
        let links = outline.links() * size_of::<Link>() + (nodes + 1) * size_of::<u16>();
        let ways = nodes * nodes * size_of::<Cost>() + size_of_val(outline.slots());
        (entries + links + ways + size_of::<Cluster>() + tiling.places()) as u64
    });
    let caches = compact.map_or(0, |_| Pages::<Cache>::bytes(outlines.len()));
    let lists = caches + Pages::<Cluster>::bytes(outlines.len());
    let needed = bytes.sum::<u64>() + lists as u64;
    let smaller = None;
    if needed > limit { Err(BuildError::MemoryLimit { needed, limit, smaller }) } else { Ok(()) }
}
