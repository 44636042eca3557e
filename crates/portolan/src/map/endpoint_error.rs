//! Errors of the endpoints of a query.

use super::IllegalPath;
use crate::graph::{Endpoints, NodeId};
use crate::location::{Extent, Location};

/// Why a query fails. "No path" is not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// A cell or node that is not on the map.
    #[error("{at} is not on the map; {extent}")]
    Outside {
        /// The given location.
        at: Location,
        /// The extent of the map.
        extent: Extent,
    },
    /// A blocked cell or removed node.
    #[error("{at} {}", why_not(at))]
    Blocked {
        /// The given location.
        at: Location,
    },
    /// There is a path, but its cost does not fit into a [`Cost`](crate::Cost).
    #[error(
        "the path from {from} to {to} costs {} or more, beyond what a cost can hold; scale the weights down",
        crate::UNREACHABLE
    )]
    CostOverflow {
        /// The start.
        from: Location,
        /// The goal.
        to: Location,
    },
    /// The engine returned an invalid path. This is a bug in the engine, or its index file is
    /// damaged ([`IndexFile::verify`](crate::store::IndexFile::verify) finds out).
    #[error(
        "internal error: the path from {from} to {to} is not valid: {fault}; please report it, or check the index file"
    )]
    InvalidPath {
        /// The requested start.
        from: Location,
        /// The requested goal.
        to: Location,
        /// What is wrong with the path.
        fault: IllegalPath,
    },
}

impl EndpointError {
    /// The cost of the path between these nodes does not fit.
    pub(crate) fn overflow(extent: Extent, from: NodeId, to: NodeId) -> Self {
        Self::CostOverflow { from: extent.location(from), to: extent.location(to) }
    }

    /// The engine's path between these nodes is invalid.
    pub(crate) fn invalid(extent: Extent, (from, to): Endpoints, fault: IllegalPath) -> Self {
        Self::InvalidPath { from: extent.location(from), to: extent.location(to), fault }
    }
}

/// Why no path can start or end at a place on the map. Nodes of graphs are not blocked but deleted.
fn why_not(at: &Location) -> &'static str {
    match at {
        Location::Cell { .. } => "is blocked; take the nearest passable one instead",
        Location::Node(_) => "is deleted; take another node",
    }
}
