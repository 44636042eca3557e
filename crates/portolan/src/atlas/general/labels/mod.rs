//! Hub labels: one row per separator node, with its costs to all separator nodes above it.
//!
//! The nodes to which a row has entries are the *hubs* of its node. They are the nodes of all
//! separators on the path from the root to the node's home, root first; in its home, the nodes
//! before it; and last the node itself. So two rows have the same hubs for the common ancestors of
//! their homes, in the same order.
//!
//! An entry is the cost of an existing path. If some shortest path to the hub passes no node above
//! the hub, the entry is exact. That suffices for queries: on a shortest path between two nodes,
//! one separator node is the highest; the entries of both ends for this hub add up to the distance.
//! Among several entries with the least sum, the first has such a hub.
//!
//! - `layout`: positions of rows in memory.
//! - `rows`: computes the costs.
//! - `exits`, `hops`: beside each entry the next step toward the hub.
//! - `leaf_links`: how members of leaves reach the rows, where they have none themselves.
//!
//! Members of leaves have rows too if the memory limit allows, see [`LabelScope`].

pub(crate) mod exits;
pub(crate) mod hops;
pub(crate) mod layout;
pub(crate) mod leaf_links;
mod rows;

use self::exits::{Exit, Exits};
use self::hops::{Hops, NO_HOP};
use self::layout::{LabelScope, Layout, Rank};
use self::leaf_links::LeafLinks;
use self::rows::RowFiller;
use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::index::{Core, GeneralIndex, on_core};
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::general::path_cache::hop_paths::HopPaths;
use crate::atlas::general::tables::dissected::Dissected;
use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Direction;
use crate::store::Words;

#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) layout: Layout,
    pub(crate) costs: PerDirection<Words>,
    pub(crate) hops: Hops,
    /// Where members of leaves have no rows.
    pub(crate) links: Option<LeafLinks>,
    pub(crate) hop_paths: Option<HopPaths>,
    /// Cached paths on reduced graphs, instead of `hop_paths`.
    pub(crate) cache: Option<PathCache>,
}

impl Labels {
    /// Builds rows and hops, and cached paths if they take at most `cache_limit` bytes. Fails only
    /// if the build is cancelled.
    pub(crate) fn build(
        index: &GeneralIndex,
        scope: LabelScope,
        cache_limit: u64,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let GeneralIndex { tree, homes, regions, .. } = index;
        let layout = Layout::new(tree, regions, scope);
        let directions = if index.undirected() { 1 } else { 2 };
        let watch = Watch::new(progress, "labels", directions * regions.len());
        let costs = PerDirection::make(index.undirected(), |direction| {
            let filling =
                RowFiller { layout: &layout, tree, homes, regions, direction, watch: &watch };
            Words::filled(layout.entries(), UNREACHABLE, |costs| filling.fill(costs))
        });
        watch.check()?;
        let hops = on_core!(&index.core, graph => {
            Hops::build(&Dissected { graph, tree, homes }, regions, &layout, &costs)
        });
        Watch::new(progress, "cached paths", 1).check()?;
        let links_within = |limit: u64| {
            let has_rows = scope == LabelScope::AllNodes;
            if has_rows {
                None
            } else {
                LeafLinks::build(index, &layout, &hops.exits, &costs, limit)
            }
        };
        // On graphs, links come first: they save more time than paths of hops.
        let is_graph = matches!(index.core, Core::Reduced(_));
        let links = is_graph.then(|| links_within(cache_limit)).flatten();
        let cache_limit = cache_limit - links.as_ref().map_or(0, LeafLinks::memory_bytes) as u64;
        let hop_paths = HopPaths::build(index, &layout, &hops, cache_limit);
        // Cached paths take the place of hops.
        let limit = cache_limit.saturating_add(hops.hops.memory_bytes() as u64);
        let cache = hop_paths.as_ref().and_then(|hop_paths| {
            PathCache::build(index, &layout, &costs, &hops, hop_paths, limit)
        });
        let hop_bytes = hop_paths.as_ref().map_or(0, HopPaths::memory_bytes) as u64;
        let links = if is_graph { links } else { links_within(cache_limit - hop_bytes) };
        let hops = if cache.is_some() { hops.without_steps() } else { hops };
        let hop_paths = hop_paths.filter(|_| cache.is_none());
        Ok(Self { layout, costs, hops, links, hop_paths, cache })
    }

    /// Whether paths are cached.
    pub(crate) fn has_cached_paths(&self) -> bool {
        self.hop_paths.is_some() || self.cache.is_some()
    }

    /// The costs of a row.
    #[inline(always)]
    pub(crate) fn row(&self, direction: Direction, rank: Rank) -> &[Cost] {
        &self.costs.of(direction)[self.layout.range(rank)]
    }

    /// The rank of the next separator node on the path from one to the hub of an entry.
    pub(crate) fn next_toward(
        &self,
        direction: Direction,
        rank: Rank,
        entry: usize,
    ) -> Option<Rank> {
        match &self.cache {
            None => Some(self.exit_toward(direction, rank, entry)?.1),
            Some(cache) => {
                let (_, at) = self.layout.entry(rank, entry)?;
                Some(cache.shortcuts.shortcut(direction, rank, at)?.target)
            }
        }
    }

    /// How the path from a separator node to the hub of an entry goes on, and the rank of the next
    /// separator node on it. `None` if no hop is stored.
    #[inline(always)]
    pub(crate) fn exit_toward(
        &self,
        direction: Direction,
        rank: Rank,
        entry: usize,
    ) -> Option<(Exit, Rank)> {
        let range = self.layout.range(rank);
        let at = range.start + entry;
        let hop = if at < range.end { self.hops.hop(direction, at) } else { NO_HOP };
        let exit = self.hops.exits.exit(rank, hop)?;
        let next = match exit {
            Exit::Edge(to) => to,
            Exit::Leaf { leaf, to, .. } => *self.hops.exits.border(leaf).get(to as usize)?,
        };
        Some((exit, next))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.layout.memory_bytes() + self.costs.memory_bytes();
        rows + self.hops.memory_bytes() + self.cached_bytes()
    }

    /// Bytes of links and cached paths.
    pub(crate) fn cached_bytes(&self) -> usize {
        let links = self.links.as_ref().map_or(0, LeafLinks::memory_bytes);
        let cache = self.cache.as_ref().map_or(0, PathCache::memory_bytes);
        links + cache + self.hop_paths.as_ref().map_or(0, HopPaths::memory_bytes)
    }

    /// Bytes of the hops that cached paths replace.
    #[cfg(test)]
    pub(crate) fn hop_bytes(&self) -> usize {
        let directions = self.costs.each().count();
        self.cache.as_ref().map_or(0, |_| 2 * directions * self.layout.separator_entries())
    }

    /// Predicts the bytes of rows, hops and exits. Cached paths replace the hops.
    pub(crate) fn planned_bytes(index: &GeneralIndex, layout: &Layout) -> usize {
        let GeneralIndex { core, homes, regions, .. } = index;
        let directions = if index.undirected() { 1 } else { 2 };
        let rows = 4 * layout.entries() + 2 * layout.separator_entries();
        let exits = on_core!(core, graph => Exits::planned_bytes(graph, homes, regions, layout));
        layout.memory_bytes() + directions * rows + exits
    }
}
