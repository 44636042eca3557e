//! Scratch space that queries leave for later ones.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The most spaces that are kept: one for each thread of most machines.
const MOST_KEPT: usize = 32;

/// Scratch space of queries that have ended, shared by an engine and its refreshed versions:
/// allocating it for a large map takes longer than most searches. Clones share the same spaces.
///
/// Space that comes out of a pool may have served another version of the map; engines reset it
/// before they use it. A pool keeps as many spaces as queries have been in use at once, up to 32.
/// Searches such as A* keep up to 8 bytes a node in each: on a very large map,
/// [`clear`](Self::clear) the pool after a batch on many threads.
#[allow(clippy::vec_box)] // Spaces are large, and change hands for every query.
pub(crate) struct ScratchPool<S>(Arc<Mutex<Vec<Box<S>>>>);

impl<S: Default> ScratchPool<S> {
    /// Returns pooled or new space.
    pub(crate) fn take(&self) -> Box<S> {
        self.spaces(|spaces| spaces.pop()).unwrap_or_default()
    }

    pub(crate) fn put_back(&self, space: Box<S>) {
        self.spaces(|spaces| {
            if spaces.len() < MOST_KEPT {
                spaces.push(space);
            }
        });
    }

    /// Frees the spaces that no query is using.
    pub(crate) fn clear(&self) {
        let spaces = self.spaces(std::mem::take);
        drop(spaces);
    }

    fn spaces<T>(&self, work: impl FnOnce(&mut Vec<Box<S>>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S> Clone for ScratchPool<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Default for ScratchPool<S> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<S> fmt::Debug for ScratchPool<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ScratchPool").finish_non_exhaustive()
    }
}
