//! Paths that outlive their query, in the form in which it had them.

use super::{Leg, Path, Route};
use crate::graph::NodeId;

/// A path that owns what a [`Route`] borrows. Legs stay legs: nothing is walked.
#[derive(Debug, Clone)]
pub(crate) enum OwnedPath {
    Nodes(Box<[NodeId]>),
    /// Along these legs, from a cell of a grid that is not hexagonal.
    Legs(NodeId, Box<[Leg]>),
}

impl OwnedPath {
    pub(crate) fn of(route: &Route<'_>) -> Self {
        match route.path {
            Path::Nodes(nodes) => Self::Nodes(nodes.into()),
            Path::Legs(from, legs) => Self::Legs(from, legs.into()),
        }
    }

    pub(crate) fn as_path(&self) -> Path<'_> {
        match self {
            Self::Nodes(nodes) => Path::Nodes(nodes),
            Self::Legs(from, legs) => Path::Legs(*from, legs),
        }
    }
}
