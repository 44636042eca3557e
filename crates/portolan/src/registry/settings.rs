//! Generic settings of all methods.

use crate::build::MemoryLimit;
use crate::heuristic::HeuristicChoice;
use crate::map::Map;
use crate::true_distance::{DifferentialConfig, StoredKind};

/// Generic settings of all methods. Methods ignore those that they do not use.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The geometric lower bound of searches. A tighter one expands fewer nodes.
    pub heuristic: HeuristicChoice,
    /// Additional stored bounds of these searches. The maximum counts. They share the memory limit.
    pub stored: Vec<StoredKind>,
    /// How landmarks are placed and stored. Its limits are replaced by those here. The method
    /// decides about edits: only `differential-stale` lets bounds be stale.
    pub differential: DifferentialConfig,
    /// Cells along the side of the clusters of near-optimal hierarchies. Small ones follow edits
    /// faster, large ones make abstract searches shorter.
    pub cluster_size: u32,
    /// The number of levels of clusters of `hpa`.
    pub cluster_levels: usize,
    /// The most memory of an index. More makes queries faster. The default suits the map.
    pub memory_limit: MemoryLimit,
    /// The seed of random choices in a build.
    pub seed: u64,
    /// The number of threads of a build; 0 for one per core. The result does not depend on it.
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
            memory_limit: MemoryLimit::Auto,
            seed: 1,
            threads: 0,
        }
    }
}

impl Settings {
    /// The same settings with the memory limit in bytes that applies to this map.
    pub fn on(&self, map: &Map) -> Self {
        Self { memory_limit: self.memory_limit.bytes(map).into(), ..self.clone() }
    }
}
