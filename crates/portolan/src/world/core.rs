//! One published state, changed by one writer at a time.
//!
//! Readers load the state; they share nothing else with writers, so they never wait. A writer takes
//! the lock, makes the next state from the one that is published, has every engine follow, and
//! publishes it. Since all of that happens under the lock, no writer builds on a state that another
//! has left behind: no update is lost. Background work knows only the maps it was given; it comes
//! back by [`advance`](Core::advance), which takes the same lock.

use std::sync::Arc;

use super::keeper::{Keeper, State, Upkeep};
use super::sync::{Lock, Slot};

/// What readers see: a map and the engines for it.
pub(super) struct Published<U: Upkeep> {
    /// How many edits led here.
    pub(super) version: u64,
    pub(super) map: U::Map,
    pub(super) engines: Vec<Held<U>>,
}

/// An engine as it stands.
pub(super) struct Held<U: Upkeep> {
    pub(super) recipe: Arc<U>,
    pub(super) state: State<U>,
}

/// What an edit led to: the state, and what changed if anything did.
pub(super) type Edited<U> = (Arc<Published<U>>, Option<Arc<<U as Upkeep>::Changes>>);

pub(super) struct Core<U: Upkeep> {
    published: Slot<Published<U>>,
    keepers: Lock<Vec<Keeper<U>>>,
}

impl<U: Upkeep> Core<U> {
    pub(super) fn new(map: U::Map) -> Self {
        let first = Published { version: 0, map, engines: Vec::new() };
        Self { published: Slot::new(Arc::new(first)), keepers: Lock::new(Vec::new()) }
    }

    /// The newest state.
    pub(super) fn load(&self) -> Arc<Published<U>> {
        self.published.load()
    }

    /// Adds engines, which `new` makes for the newest map, unless it refuses.
    pub(super) fn add<X>(
        &self,
        new: impl FnOnce(&Published<U>) -> Result<Vec<Keeper<U>>, X>,
    ) -> Result<Arc<Published<U>>, X> {
        self.keepers.with(|keepers| {
            let before = self.load();
            keepers.extend(new(&before)?);
            Ok(self.publish(before.version, before.map.clone(), keepers))
        })
    }

    /// Makes one edit: `change` makes the next map of the newest one and says what differs, or that
    /// nothing does. Where it fails nothing has happened.
    pub(super) fn edit<X>(
        &self,
        change: impl FnOnce(&U::Map) -> Result<Option<(U::Map, U::Changes)>, X>,
    ) -> Result<Edited<U>, X> {
        self.keepers.with(|keepers| {
            let before = self.load();
            let Some((map, changes)) = change(&before.map)? else { return Ok((before, None)) };
            let changes = Arc::new(changes);
            let followers = Followers { keepers, done: false };
            followers.follow(&map, &changes);
            Ok((self.publish(before.version + 1, map, keepers), Some(changes)))
        })
    }

    /// Puts what background work has finished in place, or waits for all of it; says which engines
    /// are others now.
    pub(super) fn advance(&self, wait: bool) -> (Arc<Published<U>>, Vec<usize>) {
        self.keepers.with(|keepers| {
            let (mut now, mut changed) = (self.load(), Vec::new());
            for place in 0..keepers.len() {
                let keeper = &mut keepers[place];
                let is_other = match wait {
                    true => keeper.settle(&now.map),
                    false => keeper.advance(&now.map),
                };
                // One by one: where the work for the next one has panicked, readers have this one
                // all the same.
                if is_other {
                    now = self.publish(now.version, now.map.clone(), keepers);
                    changed.push(place);
                }
            }
            (now, changed)
        })
    }

    /// Whether work is under way in the background.
    pub(super) fn is_busy(&self) -> bool {
        self.keepers.with(|keepers| keepers.iter().any(Keeper::is_busy))
    }

    /// Whether this thread is at work here and would wait for itself.
    pub(super) fn is_held_here(&self) -> bool {
        self.keepers.is_held_here()
    }

    fn publish(&self, version: u64, map: U::Map, keepers: &[Keeper<U>]) -> Arc<Published<U>> {
        let engines = keepers
            .iter()
            .map(|keeper| Held { recipe: Arc::clone(&keeper.recipe), state: keeper.state() });
        let next = Arc::new(Published { version, map, engines: engines.collect() });
        self.published.store(Arc::clone(&next));
        next
    }
}

/// Engines that follow an edit. Where one of them panics nothing is published, but others have
/// followed already: then all are built anew for the map that stands.
struct Followers<'a, U: Upkeep> {
    keepers: &'a mut [Keeper<U>],
    done: bool,
}

impl<U: Upkeep> Followers<'_, U> {
    fn follow(mut self, map: &U::Map, changes: &Arc<U::Changes>) {
        for keeper in self.keepers.iter_mut() {
            keeper.follow(map, changes);
        }
        self.done = true;
    }
}

impl<U: Upkeep> Drop for Followers<'_, U> {
    fn drop(&mut self) {
        if !self.done {
            self.keepers.iter_mut().for_each(Keeper::forget);
        }
    }
}
