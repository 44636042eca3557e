//! Progress of long work, for callers that show it or may stop it.

use std::ops::ControlFlow;

use portolan::Progress;

/// Makes progress bars. `()` makes none.
pub trait Bars: Sync {
    /// A bar of this many steps. It disappears when it is dropped.
    ///
    /// Builds move it themselves, since a bar is a [`Progress`].
    fn bar(&self, what: &str, steps: usize) -> Box<dyn Bar + '_>;

    /// Whether the work is no longer wanted and should end with [`Error::Cancelled`]. Asked between
    /// queries, but never while a clock runs, so it should be quick. Builds ask their bar instead.
    ///
    /// [`Error::Cancelled`]: crate::Error::Cancelled
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A progress bar.
pub trait Bar: Progress {
    /// This many more steps are done.
    fn inc(&self, steps: u64);

    /// Shows what is done next.
    fn show(&self, what: &str);
}

impl Bars for () {
    fn bar(&self, _: &str, _: usize) -> Box<dyn Bar + '_> {
        Box::new(Hidden)
    }
}

/// A bar that is not shown.
struct Hidden;

impl Bar for Hidden {
    fn inc(&self, _: u64) {}

    fn show(&self, _: &str) {}
}

impl Progress for Hidden {
    fn advance(&self, _: &'static str, _: usize, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
