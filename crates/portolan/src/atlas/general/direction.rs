//! Tables per direction.

use crate::graph::Direction;
use crate::store::{Array, Element};
/// A table for each way; one serves both on undirected maps.
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

    /// The table for each way there is one.
    pub(crate) fn each(&self) -> impl Iterator<Item = &T> {
        [&self.forward].into_iter().chain(&self.backward)
    }

    /// Makes the tables: one on undirected maps.
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
