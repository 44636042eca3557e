//! Data per direction. Undirected maps need it once, directed maps twice.

use crate::graph::Direction;
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
            (Direction::Backward, Some(into)) => into,
            _ => &self.forward,
        }
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
