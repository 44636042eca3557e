//! Labels: one row per node of a separator, with its costs to all separator nodes above it.
//!
//! Separator nodes are ranked level by level. The entries of a row stand for the nodes of the
//! separators on the way from the root to the node's home, root first, and in the home those before
//! the node; the last entry is the node itself. So two rows agree on what an entry stands for as
//! far as their homes lie in one region.
//!
//! An entry is the length of a real way, and where a shortest way never comes above the entry's
//! node, it is that way's length. That is all a query needs: of all separator nodes on a shortest
//! path one is the highest, and the entries of both ends for it add up to the path. Of several
//! entries with the least sum, the first stands for such a highest node.
//!
//! Beside each entry there may be a *hop* (`hops.rs`). Nodes inside leaves get rows too where
//! memory allows.

pub(crate) mod exits;
pub(crate) mod hops;
pub(crate) mod layout;
mod rows;

use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::index::{GeneralIndex, on_core};
use crate::atlas::general::labels::exits::Exits;
use crate::atlas::general::labels::hops::Hops;
use crate::atlas::general::labels::layout::{LabelScope, Layout, Rank};
use crate::atlas::general::labels::rows::RowFiller;
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::general::path_cache::hop_paths::HopPaths;
use crate::atlas::general::tables::dissected::Dissected;
use crate::graph::Direction;

use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::store::Words;

#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) layout: Layout,
    pub(crate) costs: PerDirection<Words>,
    pub(crate) hops: Hops,
    pub(crate) hop_paths: Option<HopPaths>,
    /// All that lies ready to be copied where the core leaves nodes out, instead of strips.
    pub(crate) cache: Option<PathCache>,
}

impl Labels {
    /// The rows of all separator nodes, and of all nodes if `inside`, with their hops; with strips,
    /// and with all that can lie ready, if they take no more than so many bytes. An error only
    /// where the work is cancelled.
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
        Watch::new(progress, "strips", 1).check()?;
        let hop_paths = HopPaths::build(index, &layout, &hops, cache_limit);
        let cache = hop_paths.as_ref().and_then(|hop_paths| {
            PathCache::build(index, &layout, &costs, &hops, hop_paths, cache_limit)
        });
        let hop_paths = hop_paths.filter(|_| cache.is_none());
        Ok(Self { layout, costs, hops, hop_paths, cache })
    }

    /// Whether ways across leaves lie ready to be copied.
    pub(crate) fn has_cached_paths(&self) -> bool {
        self.hop_paths.is_some() || self.cache.is_some()
    }

    /// The costs of a row.
    #[inline(always)]
    pub(crate) fn row(&self, direction: Direction, rank: Rank) -> &[Cost] {
        &self.costs.of(direction)[self.layout.range(rank)]
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.layout.memory_bytes() + self.costs.memory_bytes();
        rows + self.hops.memory_bytes() + self.cached_bytes()
    }

    /// The bytes of ways that lie ready to be copied.
    pub(crate) fn cached_bytes(&self) -> usize {
        let cache = self.cache.as_ref().map_or(0, PathCache::memory_bytes);
        cache + self.hop_paths.as_ref().map_or(0, HopPaths::memory_bytes)
    }

    /// The bytes that rows, hops and exits will take.
    pub(crate) fn planned_bytes(index: &GeneralIndex, layout: &Layout) -> usize {
        let GeneralIndex { core, homes, regions, .. } = index;
        let directions = if index.undirected() { 1 } else { 2 };
        let rows = 4 * layout.entries() + 2 * layout.separator_entries();
        let exits = on_core!(core, graph => Exits::planned_bytes(graph, homes, regions, layout));
        layout.memory_bytes() + directions * rows + exits
    }
}
