//! Configuration of an [`Atlas`](super::Atlas).

use crate::build::MemoryLimit;
use crate::map::Map;
use crate::partition::Partitioner;

/// The form that an [`Atlas`](super::Atlas) takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// The fastest form that fits into the memory limit; A* with landmarks where no other does.
    #[default]
    Fastest,
    /// Hub labels of subgoals (obstacle corners). For four- and eight-connected grids without
    /// terrain costs.
    Uniform,
    /// Hub labels of core nodes. The fastest answers on all other maps; needs the most memory.
    General,
    /// Tables without labels. Needs the least memory and follows edits fastest.
    Climb,
}

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Fastest, Self::Uniform, Self::General, Self::Climb];

    /// The name of an engine that is configured with this form.
    pub(super) fn engine_name(self) -> &'static str {
        match self {
            Self::Fastest => "atlas",
            Self::Uniform => "atlas-uniform",
            Self::General => "atlas-general",
            Self::Climb => "atlas-climb",
        }
    }
}

/// Configuration of an [`Atlas`](super::Atlas).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtlasConfig {
    /// The form to build.
    pub form: Form,
    /// Maximum size of the index. The default suits the map; with `u64::MAX` bytes the fastest form
    /// always fits. [`Form::Fastest`] keeps every limit: where no index fits, A* answers.
    pub memory_limit: MemoryLimit,
    /// Maximum size of a leaf: nodes in the general forms, subgoals in the uniform form. In the
    /// general forms, larger leaves make labels shorter and paths need fewer hops, but leaf tables
    /// and searches inside leaves grow. In the uniform form, larger leaves make labels longer and
    /// the dissection faster. `None` means 128 nodes and 8 subgoals, which suits every kind of
    /// map.
    pub leaf_size: Option<usize>,
    /// How separators are found. On graphs the imbalance is always 300 thousandths, which suits
    /// road networks; on grids it is the partitioner's.
    pub partitioner: Partitioner,
    /// Threads for the build; 0 for one per core. The index does not depend on it.
    pub threads: usize,
}

impl AtlasConfig {
    /// The memory limit on this map, in bytes.
    pub(super) fn limit(&self, map: &Map) -> u64 {
        self.memory_limit.bytes(map)
    }
}

impl Default for AtlasConfig {
    fn default() -> Self {
        Self {
            form: Form::default(),
            memory_limit: MemoryLimit::Auto,
            leaf_size: None,
            // A second try takes a third more time and makes the index a few per cent smaller.
            partitioner: Partitioner { tries: 1, ..Partitioner::default() },
            threads: 0,
        }
    }
}
