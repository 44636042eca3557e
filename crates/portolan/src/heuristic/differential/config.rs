//! What can be chosen about landmarks.

use crate::engine::Settings;
use crate::graph::NodeId;

/// Where landmarks go.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Placement {
    /// Anywhere: the least work, and what the others are measured by.
    Random,
    /// Each as far as can be from those before it: at the ends of the map, which suits most maps.
    #[default]
    Farthest,
    /// At these nodes, by hand. Nodes that are blocked or not on the map are left out.
    At(Vec<NodeId>),
}

/// What can be chosen when building a [`Differential`](super::Differential).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferentialConfig {
    /// How many landmarks. More bound more tightly, and each takes an entry per node (two on directed maps).
    pub landmarks: usize,
    /// Where they go.
    pub placement: Placement,
    /// Bytes that the table may take; `None` for as many as it needs. Where the landmarks that were asked for do not
    /// fit, there are fewer of them.
    pub memory_limit: Option<u64>,
    /// What random choices start from.
    pub seed: u64,
}

impl Default for DifferentialConfig {
    fn default() -> Self {
        Self { landmarks: 8, placement: Placement::default(), memory_limit: None, seed: 1 }
    }
}

impl DifferentialConfig {
    /// What a caller has chosen who knows no more than the name.
    pub fn from_settings(settings: &Settings, memory_limit: u64) -> Self {
        Self {
            memory_limit: Some(memory_limit),
            seed: settings.seed,
            ..settings.differential.clone()
        }
    }
}
