//! Which row of a table belongs to a node.

use crate::graph::NodeId;
use crate::map::Map;
use crate::true_distance::ranks::Ranks;

/// Rows for all ids, or only for nodes that paths can use: the first is quicker to find, the second
/// takes less memory where much is blocked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Numbering {
    ById { rows: usize },
    Ranked(Ranks),
}

impl Numbering {
    /// The same for a map that may have got other nodes since.
    pub(super) fn renewed(&self, map: &Map) -> Self {
        match self {
            Self::ById { .. } => Self::ById { rows: map.node_count() },
            Self::Ranked(_) => Self::Ranked(Ranks::of(map)),
        }
    }

    /// The row of a node, if it has one.
    #[inline(always)]
    pub(super) fn row(&self, node: NodeId) -> Option<usize> {
        match self {
            Self::ById { rows } => ((node as usize) < *rows).then_some(node as usize),
            Self::Ranked(ranks) => ranks.rank(node),
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::ById { rows } => *rows,
            Self::Ranked(ranks) => ranks.count(),
        }
    }

    pub(super) fn is_ranked(&self) -> bool {
        matches!(self, Self::Ranked(_))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::ById { .. } => 0,
            Self::Ranked(ranks) => ranks.memory_bytes(),
        }
    }
}
