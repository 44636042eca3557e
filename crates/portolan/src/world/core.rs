//! One published state, changed by one writer at a time.
//!
//! Readers load the state and share nothing else with writers, so they never wait. A writer takes
//! the lock, makes the next state from the published one, lets every engine follow, and publishes
//! it. All of that happens under the lock, so no writer starts from an outdated state and no update
//! is lost. Background work sees only the maps it was given. Its results come back through
//! [`advance`](Core::advance), which takes the same lock.

use std::sync::Arc;

use super::maintainer::{Maintain, Maintainer, State};
use super::sync::{Lock, Slot};

/// What readers see: a map and the engines for it.
pub(super) struct Published<M: Maintain> {
    /// The number of edits so far.
    pub(super) version: u64,
    pub(super) map: M::Map,
    pub(super) engines: Vec<PublishedEngine<M>>,
}

pub(super) struct PublishedEngine<M: Maintain> {
    pub(super) recipe: Arc<M>,
    pub(super) state: State<M>,
}

/// The state after an edit, and what changed, if anything.
pub(super) type Edited<M> = (Arc<Published<M>>, Option<Arc<<M as Maintain>::Changes>>);

pub(super) struct Core<M: Maintain> {
    published: Slot<Published<M>>,
    maintainers: Lock<Vec<Maintainer<M>>>,
}

impl<M: Maintain> Core<M> {
    pub(super) fn new(map: M::Map) -> Self {
        let first = Published { version: 0, map, engines: Vec::new() };
        Self { published: Slot::new(Arc::new(first)), maintainers: Lock::new(Vec::new()) }
    }

    /// The newest state.
    pub(super) fn load(&self) -> Arc<Published<M>> {
        self.published.load()
    }

    /// Adds the engines that `new` makes for the newest state, unless it fails.
    pub(super) fn add<X>(
        &self,
        new: impl FnOnce(&Published<M>) -> Result<Vec<Maintainer<M>>, X>,
    ) -> Result<Arc<Published<M>>, X> {
        self.maintainers.with(|maintainers| {
            let before = self.load();
            maintainers.extend(new(&before)?);
            Ok(self.publish(before.version, before.map.clone(), maintainers))
        })
    }

    /// Makes one edit. `change` returns the map after it and what differs, or `None` if nothing
    /// does. If it fails, nothing happens.
    pub(super) fn edit<X>(
        &self,
        change: impl FnOnce(&M::Map) -> Result<Option<(M::Map, M::Changes)>, X>,
    ) -> Result<Edited<M>, X> {
        self.maintainers.with(|maintainers| {
            let before = self.load();
            let Some((map, changes)) = change(&before.map)? else { return Ok((before, None)) };
            let changes = Arc::new(changes);
            let followers = Followers { maintainers, done: false };
            followers.follow(&map, &changes);
            Ok((self.publish(before.version + 1, map, maintainers), Some(changes)))
        })
    }

    /// Advances every engine, or settles it with `wait`. Returns the indices of the engines that
    /// readers see differently.
    pub(super) fn advance(&self, wait: bool) -> (Arc<Published<M>>, Vec<usize>) {
        self.maintainers.with(|maintainers| {
            let (mut now, mut changed) = (self.load(), Vec::new());
            for index in 0..maintainers.len() {
                let maintainer = &mut maintainers[index];
                let is_changed = match wait {
                    true => maintainer.settle(&now.map),
                    false => maintainer.advance(&now.map),
                };
                // Published one by one, so that readers get this one even if the next one panics.
                if is_changed {
                    now = self.publish(now.version, now.map.clone(), maintainers);
                    changed.push(index);
                }
            }
            (now, changed)
        })
    }

    /// Begins the rebuilds that `start` makes. Returns whether there was any.
    pub(super) fn rebuild_with(
        &self,
        mut start: impl FnMut(&M, &M::Engine) -> Option<M::SlicedRebuild>,
    ) -> bool {
        self.maintainers.with(|maintainers| {
            let begun = maintainers.iter_mut().map(|one| one.rebuild_with(&mut start));
            begun.fold(false, |any, begun| any | begun)
        })
    }

    /// Whether there are unfinished jobs.
    pub(super) fn is_busy(&self) -> bool {
        self.maintainers.with(|maintainers| maintainers.iter().any(Maintainer::is_busy))
    }

    /// Whether this thread holds the lock, and would wait for itself.
    pub(super) fn is_held_here(&self) -> bool {
        self.maintainers.is_held_here()
    }

    fn publish(
        &self,
        version: u64,
        map: M::Map,
        maintainers: &[Maintainer<M>],
    ) -> Arc<Published<M>> {
        let engines = maintainers
            .iter()
            .map(|one| PublishedEngine { recipe: Arc::clone(&one.recipe), state: one.state() });
        let next = Arc::new(Published { version, map, engines: engines.collect() });
        self.published.store(Arc::clone(&next));
        next
    }
}

/// Engines that follow an edit. If one of them panics, nothing is published, but others have
/// already followed. All are then built from scratch for the published map.
struct Followers<'a, M: Maintain> {
    maintainers: &'a mut [Maintainer<M>],
    done: bool,
}

impl<M: Maintain> Followers<'_, M> {
    fn follow(mut self, map: &M::Map, changes: &Arc<M::Changes>) {
        for maintainer in self.maintainers.iter_mut() {
            maintainer.follow(map, changes);
        }
        self.done = true;
    }
}

impl<M: Maintain> Drop for Followers<'_, M> {
    fn drop(&mut self) {
        if !self.done {
            self.maintainers.iter_mut().for_each(Maintainer::forget);
        }
    }
}
