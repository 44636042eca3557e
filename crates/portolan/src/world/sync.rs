//! What the threads of a world share: a pointer that readers load, a lock that writers take, and
//! background tasks.
//!
//! `core.rs` and `maintainer.rs` share nothing else between threads, so the model checker can run
//! them with its own versions of these types (`tests/suite/world/model.rs`).

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

/// A pointer to the newest value. Loading never waits, not even for a thread that stores. An old
/// value lives exactly as long as it is held; schemes with deferred reclamation do not promise
/// that.
pub(super) struct Slot<T>(ArcSwap<T>);

impl<T> Slot<T> {
    pub(super) fn new(first: Arc<T>) -> Self {
        Self(ArcSwap::new(first))
    }

    pub(super) fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    pub(super) fn store(&self, next: Arc<T>) {
        self.0.store(next);
    }
}

/// A value that one thread at a time may change.
pub(super) struct Lock<T> {
    value: Mutex<T>,
    holder: Mutex<Option<ThreadId>>,
}

impl<T> Lock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), holder: Mutex::new(None) }
    }

    /// A panic in `work` does not poison the lock: all callers leave the value in a valid state.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let _guard = HolderGuard::new(&self.holder);
        work(&mut value)
    }

    /// Whether this thread holds the lock and would wait for itself.
    pub(super) fn is_held_here(&self) -> bool {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) == Some(thread::current().id())
    }
}

/// Records which thread holds a lock.
struct HolderGuard<'a>(&'a Mutex<Option<ThreadId>>);

impl<'a> HolderGuard<'a> {
    fn new(holder: &'a Mutex<Option<ThreadId>>) -> Self {
        let guard = Self(holder);
        guard.set(Some(thread::current().id()));
        guard
    }

    fn set(&self, thread: Option<ThreadId>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }
}

impl Drop for HolderGuard<'_> {
    fn drop(&mut self) {
        self.set(None);
    }
}

/// Work on another thread.
pub(super) struct Task<T>(JoinHandle<T>);

impl<T: Send + 'static> Task<T> {
    /// `None` if no thread is available.
    pub(super) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Option<Self> {
        Builder::new().name("portolan-world".into()).spawn(work).ok().map(Self)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for the work. A panic in it continues here.
    pub(super) fn join(self) -> T {
        self.0.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Does the work and returns how long it took.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}
