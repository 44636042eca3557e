//! Word of long work, and a way to stop it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::build::BuildError;
use crate::trace::event;

/// Is told how far a build has come, from whichever thread, and may stop it.
///
/// Every closure of the right shape is one; `()` listens to nothing.
pub trait Progress: Sync {
    /// `done` of `total` pieces of a phase are done. [`ControlFlow::Break`] cancels the work, which
    /// then ends with [`BuildError::Cancelled`](crate::BuildError::Cancelled) as soon as it can.
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()>;
}

impl Progress for () {
    fn advance(&self, _: &'static str, _: usize, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: Fn(&'static str, usize, usize) -> ControlFlow<()> + Sync> Progress for F {
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self(phase, done, total)
    }
}

/// Counts pieces of work done in all threads and passes a cancellation on to them.
pub(crate) struct Watch<'a> {
    progress: &'a dyn Progress,
    phase: &'static str,
    total: usize,
    done: AtomicUsize,
    cancelled: AtomicBool,
}

impl<'a> Watch<'a> {
    /// Tells that nothing of a phase is done yet, so that it can be cancelled before it begins.
    pub(crate) fn new(progress: &'a dyn Progress, phase: &'static str, total: usize) -> Self {
        let (done, cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
        event!(phase, total, "phase");
        let watch = Self { progress, phase, total, done, cancelled };
        watch.tell(0);
        watch
    }

    /// So many more pieces are done.
    pub(crate) fn advance(&self, pieces: usize) {
        self.tell(pieces + self.done.fetch_add(pieces, Ordering::Relaxed));
    }

    /// An error once the work was cancelled.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(BuildError::Cancelled) } else { Ok(()) }
    }

    fn tell(&self, done: usize) {
        let total = self.total.max(done);
        if let ControlFlow::Break(()) = self.progress.advance(self.phase, done, total) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}
