//! Why a pair of nodes has no answer.

use super::IllegalPath;
use crate::graph::NodeId;
use crate::location::{Extent, Location};

/// Why a query has no answer, not even "no path".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// A cell or node that is not on the map.
    #[error("{at} is not on the map; {extent}")]
    Outside {
        /// What was named.
        at: Location,
        /// How far the map extends.
        extent: Extent,
    },
    /// A cell or node that no path can start or end at.
    #[error("{at} is blocked; take the nearest passable one instead")]
    Blocked {
        /// What was named.
        at: Location,
    },
    /// There is a path, but its cost does not fit into a [`Cost`](crate::Cost).
    #[error(
        "the path from {from} to {to} costs {} or more, beyond what a cost can hold; scale the weights down",
        crate::UNREACHABLE
    )]
    CostOverflow {
        /// Where the path starts.
        from: Location,
        /// Where it ends.
        to: Location,
    },
    /// The engine gave something that is no path. This is a bug in the engine, or its index file is
    /// damaged ([`IndexFile::verify`](crate::store::IndexFile::verify) tells).
    #[error(
        "internal error: the path from {from} to {to} is not valid: {fault}; please report it, or check the index file"
    )]
    InvalidPath {
        /// Where the path should start.
        from: Location,
        /// Where it should end.
        to: Location,
        /// What is wrong with it.
        fault: IllegalPath,
    },
}

impl EndpointError {
    /// Both ends of a path whose cost is too large.
    pub(crate) fn overflow(extent: Extent, from: NodeId, to: NodeId) -> Self {
        Self::CostOverflow { from: extent.location(from), to: extent.location(to) }
    }

    /// What an engine gave for this pair is no path.
    pub(crate) fn invalid(
        extent: Extent,
        (from, to): (NodeId, NodeId),
        fault: IllegalPath,
    ) -> Self {
        Self::InvalidPath { from: extent.location(from), to: extent.location(to), fault }
    }
}
