//! Configuration of Partially Precomputed A*.

use super::tables::TableLayout;
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT};
use crate::heuristic::HeuristicChoice;
use crate::partition::Partitioner;
use crate::true_distance::{StoredConfig, shared_memory_limit};

/// What the tables store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tables {
    /// Distances; paths are derived from them. The smallest of the fast choices.
    #[default]
    Distances,
    /// Distances and the step before each node: faster paths for about twice the memory.
    Steps,
    /// Distances, each row computed when a query first needs it. The build only cuts the map, first
    /// queries are slower, and unused rows take no memory.
    OnDemand,
}

/// Configuration of a [`Ppa`](super::Ppa).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PpaConfig {
    /// Into how many regions a region is cut. More makes the hierarchy flatter: fewer hops, larger
    /// tables above.
    pub branching: usize,
    /// How often regions are cut, at most 64 times. More makes smaller tables and longer searches.
    /// `None` chooses this from the map and the memory limit, and also the branching where a flat
    /// hierarchy is affordable.
    pub splits: Option<usize>,
    /// How cuts are found.
    pub partitioner: Partitioner,
    /// What the tables store.
    pub tables: Tables,
    /// The geometric lower bound of the search.
    pub heuristic: HeuristicChoice,
    /// Stored bounds used with it; the greatest counts. Their own configurations limit their
    /// memory.
    pub stored: Vec<StoredConfig>,
    /// Whether queries search from both ends.
    pub bidirectional: bool,
    /// The memory limit of the index in bytes, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for
    /// no limit.
    pub memory_limit: u64,
    /// Threads for the build; 0 for one per core. The index does not depend on it.
    pub threads: usize,
}

impl Default for PpaConfig {
    fn default() -> Self {
        Self {
            branching: 4,
            splits: None,
            // More tries make cuts a few per cent smaller, and METIS makes them one after the
            // other.
            partitioner: Partitioner { tries: 2, ..Partitioner::default() },
            tables: Tables::default(),
            heuristic: HeuristicChoice::Auto,
            stored: Vec::new(),
            bidirectional: false,
            memory_limit: DEFAULT_MEMORY_LIMIT,
            threads: 0,
        }
    }
}

/// The paper cuts at most five times, and graphs of more than 50,000 nodes that often.
const USUAL_SPLITS: usize = 5;
pub(super) const MIN_LEAF: usize = 48;

/// Far more cuts than any map needs: each at least halves regions, down to single nodes.
pub(super) const MAX_SPLITS: usize = 64;

/// The nodes of a leaf in a flat hierarchy: as in the paper's largest maps.
const FLAT_LEAF: usize = 200;

impl PpaConfig {
    /// Combines the errors of the bounds and of the tables. If each has half of one limit, the
    /// error reports the whole limit and what it must be for both.
    pub(super) fn refused(
        &self,
        bounds: Option<BuildError>,
        tables: Option<BuildError>,
    ) -> BuildError {
        let halves = shared_memory_limit(&self.stored);
        let halves = halves.filter(|limit| limit.abs_diff(self.memory_limit) <= 1);
        let whole = halves.map(|limit| limit.saturating_add(self.memory_limit));
        let of = |error: &Option<BuildError>| match error {
            Some(BuildError::MemoryLimit { needed, .. }) => Some(*needed),
            Some(_) => None,
            None => Some(0),
        };
        match (of(&bounds), of(&tables), whole, bounds, tables) {
            (Some(a), Some(b), Some(limit), ..) => {
                let needed = a.max(b).saturating_mul(2);
                BuildError::MemoryLimit { needed, limit, smaller: None }
            }
            (Some(_), None, .., Some(error)) | (.., Some(error), _) | (.., Some(error)) => error,
            (.., None, None) => BuildError::Cancelled,
        }
    }

    /// Into how many regions to cut twice for a flat hierarchy; `None` for small maps.
    pub(super) fn flat_branching(&self, nodes: usize) -> Option<usize> {
        let affordable = self.memory_limit / 4 / nodes.max(1) as u64;
        let leaf = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(24, FLAT_LEAF);
        let branching = (nodes / leaf).isqrt();
        (branching >= 8 && self.splits.is_none()).then_some(branching)
    }

    /// Whether the top table of a flat hierarchy with this many members leaves enough memory for
    /// the others. Without a limit the default limit decides.
    pub(super) fn is_affordable(&self, top_members: usize) -> bool {
        let bytes = (top_members * top_members) as u64 * 4;
        let is_unlimited = self.memory_limit == u64::MAX;
        bytes <= if is_unlimited { DEFAULT_MEMORY_LIMIT } else { self.memory_limit } / 4
    }

    /// How often a map of this many nodes is cut into [`branching`](Self::branching) regions.
    pub(super) fn splits(&self, nodes: usize) -> usize {
        if let Some(splits) = self.splits {
            return splits;
        }
        let branching = self.branching.max(2);
        let leaf_size = |splits: usize| nodes / branching.saturating_pow(splits as u32);
        let mut splits = (0..=USUAL_SPLITS).rev().find(|&splits| leaf_size(splits) >= MIN_LEAF);
        // The leaves take most of the memory; half of the limit leaves enough for the rest.
        let limit = self.memory_limit / 2;
        while splits.is_some_and(|splits| {
            leaf_size(splits) >= 2 * MIN_LEAF / branching
                && nodes as u128 * leaf_size(splits) as u128 * 2 > u128::from(limit)
        }) {
            splits = splits.map(|splits| splits + 1);
        }
        splits.unwrap_or(0)
    }

    pub(super) fn method(&self) -> &'static str {
        if self.bidirectional { "ppa-bidirectional" } else { "ppa" }
    }

    pub(super) fn steps(&self) -> bool {
        self.tables == Tables::Steps
    }

    pub(super) fn table_layout(&self, undirected: bool) -> TableLayout {
        match self.tables {
            Tables::OnDemand => TableLayout::OnDemand,
            _ if undirected => TableLayout::Half,
            _ => TableLayout::Full,
        }
    }
}
