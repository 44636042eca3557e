//! Paths that outlive their query, in the form in which it had them.

use super::cells::append_cells;
use super::{Leg, Path, Route, RouteCells, RouteNodes};
use crate::graph::NodeId;
use crate::location::{Cell, Extent};

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

    /// Appends all nodes.
    pub(crate) fn append_to(&self, nodes: &mut Vec<NodeId>) {
        self.as_path().append_to(nodes);
    }

    pub(crate) fn cells(&self, extent: Extent) -> RouteCells<'_> {
        RouteCells::new(extent, self.as_path())
    }

    /// Appends all cells; none on graphs.
    pub(crate) fn append_cells_to(&self, extent: Extent, cells: &mut Vec<Cell>) {
        append_cells(extent, self.as_path(), cells);
    }

    fn as_path(&self) -> Path<'_> {
        match self {
            Self::Nodes(nodes) => Path::Nodes(nodes),
            Self::Legs(from, legs) => Path::Legs(*from, legs),
        }
    }

    pub(crate) fn nodes(&self) -> RouteNodes<'_> {
        RouteNodes::new(self.as_path())
    }
}
