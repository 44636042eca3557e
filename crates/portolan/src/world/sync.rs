//! What threads of a world share: one pointer that readers load, one lock that writers take, work
//! on other threads.
//!
//! `core.rs` and `keeper.rs` use these and nothing else that threads have in common, so that the
//! model checker can run them on its own versions (`tests/suite/world/model.rs`).

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

/// A pointer to the newest of something. Loading never waits, not even for whoever stores; what was
/// stored before lives as long as somebody holds it and no longer, which schemes that collect
/// garbage later do not promise.
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

/// What one thread at a time may change.
pub(super) struct Lock<T> {
    value: Mutex<T>,
    holder: Mutex<Option<ThreadId>>,
}

impl<T> Lock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), holder: Mutex::new(None) }
    }

    /// Whoever panics while it holds the lock leaves everything in a state to go on from.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = Held::new(&self.holder);
        work(&mut value)
    }

    /// Whether this thread holds the lock, and would wait for itself.
    pub(super) fn is_held_here(&self) -> bool {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) == Some(thread::current().id())
    }
}

/// Notes who holds a lock, for as long as this lives.
struct Held<'a>(&'a Mutex<Option<ThreadId>>);

impl<'a> Held<'a> {
    fn new(holder: &'a Mutex<Option<ThreadId>>) -> Self {
        let held = Self(holder);
        held.note(Some(thread::current().id()));
        held
    }

    fn note(&self, thread: Option<ThreadId>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.note(None);
    }
}

/// Work on another thread.
pub(super) struct Task<T>(JoinHandle<T>);

impl<T: Send + 'static> Task<T> {
    /// `None` where no thread can be had.
    pub(super) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Option<Self> {
        Builder::new().name("portolan-world".into()).spawn(work).ok().map(Self)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for the work; a panic in it goes on here.
    pub(super) fn join(self) -> T {
        self.0.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Does the work, and says how long it took.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}
