//! Progress of long work, for callers that show it.

use std::ops::ControlFlow;

use portolan::Progress;

/// Makes progress bars. `()` makes none.
pub trait Bars: Sync {
    /// A bar of this many steps. It disappears when it is dropped.
    ///
    /// Builds move it themselves, since a bar is a [`Progress`].
    fn bar(&self, what: &str, steps: usize) -> Box<dyn Bar>;
}

/// A progress bar.
pub trait Bar: Progress {
    /// This many more steps are done.
    fn inc(&self, steps: u64);

    /// Shows what is done next.
    fn show(&self, what: &str);
}

impl Bars for () {
    fn bar(&self, _: &str, _: usize) -> Box<dyn Bar> {
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
