//! A cache with a byte limit; evicts the least recently used.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::error::LabError;
use crate::task::Task;

/// Values by name, within so many bytes.
pub(super) struct Cache<V> {
    most_bytes: u64,
    state: Mutex<State<V>>,
    /// Something has been made, or could not be.
    changed: Condvar,
}

struct State<V> {
    entries: HashMap<String, Entry<V>>,
    bytes: u64,
    /// Counts uses.
    clock: u64,
}

enum Entry<V> {
    Building,
    Ready { value: V, bytes: u64, used: u64 },
}

/// How often those who wait look whether they are still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl<V: Clone> Cache<V> {
    pub(super) fn new(most_bytes: u64) -> Self {
        let state = State { entries: HashMap::new(), bytes: 0, clock: 0 };
        Self { most_bytes, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The value of this name. Makes it, with its size, unless it is there or another view is about
    /// to make it.
    pub(super) fn get(
        &self,
        name: &str,
        task: &Task<'_>,
        make: impl FnOnce() -> Result<(V, u64), LabError>,
    ) -> Result<V, LabError> {
        let mut state = self.lock();
        loop {
            state.clock += 1;
            let now = state.clock;
            match state.entries.get_mut(name) {
                Some(Entry::Ready { value, used, .. }) => {
                    *used = now;
                    return Ok(value.clone());
                }
                Some(Entry::Building) => {
                    let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    task.check()?;
                }
                None => break,
            }
        }
        state.entries.insert(name.to_owned(), Entry::Building);
        drop(state);
        // Removed again if the value cannot be made, or making it panics.
        let guard = BuildGuard { cache: self, name };
        let (value, bytes) = make()?;
        let mut state = self.lock();
        let used = state.clock;
        let entry = Entry::Ready { value: value.clone(), bytes, used };
        state.entries.insert(name.to_owned(), entry);
        state.bytes += bytes;
        state.make_room(self.most_bytes, name);
        drop(state);
        drop(guard);
        Ok(value)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the entry of a value that could not be made.
struct BuildGuard<'a, V: Clone> {
    cache: &'a Cache<V>,
    name: &'a str,
}

impl<V: Clone> Drop for BuildGuard<'_, V> {
    fn drop(&mut self) {
        let mut state = self.cache.lock();
        if let Some(Entry::Building) = state.entries.get(self.name) {
            state.entries.remove(self.name);
        }
        drop(state);
        self.cache.changed.notify_all();
    }
}

impl<V> State<V> {
    /// Drops what has not been used for longest, but not the newest.
    fn make_room(&mut self, most: u64, newest: &str) {
        while self.bytes > most {
            let ready = self.entries.iter().filter_map(|(name, entry)| match entry {
                Entry::Ready { used, .. } if name != newest => Some((*used, name)),
                _ => None,
            });
            let Some((_, oldest)) = ready.min() else { return };
            let oldest = oldest.clone();
            if let Some(Entry::Ready { bytes, .. }) = self.entries.remove(&oldest) {
                self.bytes -= bytes;
            }
        }
    }
}
