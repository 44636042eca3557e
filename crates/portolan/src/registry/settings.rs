//! Settings that every method understands.

use crate::build::DEFAULT_MEMORY_LIMIT;
use crate::heuristic::HeuristicChoice;
use crate::true_distance::{DifferentialConfig, StoredKind};

/// What can be chosen for any method: generic settings.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The geometric lower bound of searches that take one. A tighter one means fewer nodes
    /// expanded.
    pub heuristic: HeuristicChoice,
    /// Stored bounds of these searches beside it; the greatest counts, and they share the memory
    /// limit.
    pub stored: Vec<StoredKind>,
    /// How landmarks are placed and kept, where they are used. Its limits are replaced by those
    /// here, and what becomes of bounds after edits is the method's: only `differential-stale` lets
    /// them be stale.
    pub differential: DifferentialConfig,
    /// Cells along the side of the clusters of near-optimal hierarchies. Small ones follow edits
    /// faster, large ones make abstract searches shorter.
    pub cluster_size: u32,
    /// How many levels of clusters `hpa` has.
    pub cluster_levels: usize,
    /// Bytes that an index may take, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for as many as
    /// it needs. More buys speed; engines that precompute nothing ignore it.
    pub memory_limit: u64,
    /// What random choices of a build start from.
    pub seed: u64,
    /// Threads that a build may use; 0 for one per core. The result does not depend on it.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            heuristic: HeuristicChoice::Auto,
            stored: Vec::new(),
            differential: DifferentialConfig::default(),
            cluster_size: 10,
            cluster_levels: 1,
            memory_limit: DEFAULT_MEMORY_LIMIT,
            seed: 1,
            threads: 0,
        }
    }
}
