//! Directions: data for each of them, and operations that depend on one.
//!
//! Forward means along the path from start to goal. The forward half of a path begins at the
//! start, the backward half at the goal.

use crate::cost::Cost;
use crate::graph::{Direction, Graph, NodeId};
use crate::store::{Array, Element};

/// A value for each direction. On undirected maps the forward value serves both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PerDirection<T> {
    pub(crate) forward: T,
    pub(crate) backward: Option<T>,
}

impl<T> PerDirection<T> {
    #[inline(always)]
    pub(crate) fn of(&self, direction: Direction) -> &T {
        match (direction, &self.backward) {
            (Direction::Backward, Some(backward)) => backward,
            _ => &self.forward,
        }
    }

    /// The value for the opposite direction.
    #[inline(always)]
    pub(crate) fn against(&self, direction: Direction) -> &T {
        self.of(opposite(direction))
    }

    /// The stored values: one on undirected maps, else two.
    pub(crate) fn each(&self) -> impl Iterator<Item = &T> {
        [&self.forward].into_iter().chain(&self.backward)
    }

    /// Builds the value of each direction, only the forward one on undirected maps.
    pub(crate) fn make(undirected: bool, mut make: impl FnMut(Direction) -> T) -> Self {
        Self {
            forward: make(Direction::Forward),
            backward: (!undirected).then(|| make(Direction::Backward)),
        }
    }
}

impl<T: Element> PerDirection<Array<T>> {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.each().map(Array::memory_bytes).sum()
    }
}

#[inline(always)]
pub(crate) fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
    }
}

/// Orders two things along the path. `near` is nearer to the endpoint where the half path of this
/// direction begins.
pub(crate) fn along_path<T>(direction: Direction, near: T, far: T) -> (T, T) {
    match direction {
        Direction::Forward => (near, far),
        Direction::Backward => (far, near),
    }
}

/// Visits the edges that leave a node in this direction.
#[inline(always)]
pub(crate) fn visit_edges<G: Graph>(
    graph: &G,
    direction: Direction,
    node: NodeId,
    visit: impl FnMut(NodeId, Cost),
) {
    match direction {
        Direction::Forward => graph.out_edges(node, visit),
        Direction::Backward => graph.in_edges(node, visit),
    }
}
