//! The row of each node.

use crate::graph::NodeId;
use crate::map::Map;
use crate::true_distance::ranks::Ranks;

/// Rows for all ids, or only for usable nodes. The first is faster; the second takes less memory on
/// maps with many walls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Numbering {
    ById { rows: usize },
    Ranked(Ranks),
}

impl Numbering {
    /// The numbering for a map whose nodes may have changed.
    pub(crate) fn renewed(&self, map: &Map) -> Self {
        match self {
            Self::ById { .. } => Self::ById { rows: map.node_count() },
            Self::Ranked(_) => Self::Ranked(Ranks::of(map)),
        }
    }

    /// The row of a node. `None` if it has none.
    #[inline(always)]
    pub(crate) fn row(&self, node: NodeId) -> Option<usize> {
        match self {
            Self::ById { rows } => ((node as usize) < *rows).then_some(node as usize),
            Self::Ranked(ranks) => ranks.rank(node),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::ById { rows } => *rows,
            Self::Ranked(ranks) => ranks.count(),
        }
    }

    pub(crate) fn is_ranked(&self) -> bool {
        matches!(self, Self::Ranked(_))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::ById { .. } => 0,
            Self::Ranked(ranks) => ranks.memory_bytes(),
        }
    }
}
