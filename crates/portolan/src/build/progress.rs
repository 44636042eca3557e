//! Build progress and cancellation.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{BuildError, TableSolver};
use crate::trace::event;

/// Receives the progress of a build, from any thread, and may cancel it.
///
/// Implemented by closures with the signature of [`advance`](Self::advance); `()` ignores progress.
pub trait Progress: Sync {
    /// Called when `done` of `total` units of a phase are done. [`ControlFlow::Break`] cancels the
    /// build, which then soon returns [`BuildError::Cancelled`](crate::BuildError::Cancelled).
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()>;

    /// What computes the tables of the build instead of the processor. Used by the general forms of
    /// an [`Atlas`](crate::atlas::Atlas) and by a [`Ppa`](crate::ppa::Ppa) without steps, whose
    /// indexes are the same with it and without.
    fn table_solver(&self) -> Option<&dyn TableSolver> {
        None
    }
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

/// Counts the work done by all threads and passes a cancellation on to them.
pub(crate) struct Watch<'a> {
    progress: &'a dyn Progress,
    phase: &'static str,
    total: usize,
    done: AtomicUsize,
    cancelled: AtomicBool,
}

impl<'a> Watch<'a> {
    /// Starts a phase and reports it at once, so that it can be cancelled before it begins.
    pub(crate) fn new(progress: &'a dyn Progress, phase: &'static str, total: usize) -> Self {
        let (done, cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
        event!(phase, total, "phase");
        let watch = Self { progress, phase, total, done, cancelled };
        watch.report(0);
        watch
    }

    /// Adds finished units of work and reports the sum.
    pub(crate) fn advance(&self, units: usize) {
        self.report(units + self.done.fetch_add(units, Ordering::Relaxed));
    }

    /// Fails once the build is cancelled.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(BuildError::Cancelled) } else { Ok(()) }
    }

    /// What computes tables instead of the processor.
    pub(crate) fn table_solver(&self) -> Option<&'a dyn TableSolver> {
        self.progress.table_solver()
    }

    fn report(&self, done: usize) {
        let total = self.total.max(done);
        if let ControlFlow::Break(()) = self.progress.advance(self.phase, done, total) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}
