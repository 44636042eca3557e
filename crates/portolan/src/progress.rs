//! Word of long work, and a way to stop it.

use std::ops::ControlFlow;

/// Is told how far a build has come, from whichever thread, and may stop it.
///
/// Every closure of the right shape is one; `()` listens to nothing.
pub trait Progress: Sync {
    /// `done` of `total` pieces of a phase are done. [`ControlFlow::Break`] cancels the work, which then ends
    /// with [`BuildError::Cancelled`](crate::BuildError::Cancelled) as soon as it can.
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
