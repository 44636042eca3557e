//! How far a phase of a build has come.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::engine::BuildError;
use crate::progress::Progress;

/// Counts pieces of work and passes a cancellation on to all threads.
pub(super) struct Watch<'a> {
    progress: &'a dyn Progress,
    phase: &'static str,
    total: usize,
    done: AtomicUsize,
    cancelled: AtomicBool,
}

impl<'a> Watch<'a> {
    /// Tells that nothing of a phase is done yet, so that it can be cancelled before it begins.
    pub(super) fn new(progress: &'a dyn Progress, phase: &'static str, total: usize) -> Self {
        let (done, cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
        let watch = Self { progress, phase, total, done, cancelled };
        watch.tell(0);
        watch
    }

    pub(super) fn advance(&self) {
        self.tell(1 + self.done.fetch_add(1, Ordering::Relaxed));
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(BuildError::Cancelled) } else { Ok(()) }
    }

    fn tell(&self, done: usize) {
        let total = self.total.max(done);
        if let ControlFlow::Break(()) = self.progress.advance(self.phase, done, total) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}
