//! Progress of a benchmark, as one bar for the page.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use portolan::Progress;
use portolan_bench::{Bar, Bars};

use crate::task::Task;

/// One step of a benchmark: finding the right answers, or measuring an engine.
pub(super) struct Watch<'a> {
    task: &'a Task<'a>,
    step: usize,
    steps: usize,
}

/// A bar within a step. Builds fill its first half, queries the second.
struct Meter<'a> {
    watch: &'a Watch<'a>,
    what: String,
    done: AtomicU64,
    total: u64,
}

/// Parts of a step that the page can tell apart.
const FINE: usize = 1000;

impl<'a> Watch<'a> {
    pub(super) fn new(task: &'a Task<'a>, step: usize, steps: usize) -> Self {
        Self { task, step, steps }
    }

    fn report(&self, what: &str, share: f64) {
        let within = (share.clamp(0.0, 1.0) * FINE as f64) as usize;
        self.task.report(what, self.step * FINE + within, self.steps * FINE);
    }
}

impl Bars for Watch<'_> {
    fn bar(&self, what: &str, steps: usize) -> Box<dyn Bar + '_> {
        let (what, total) = (what.to_owned(), steps.max(1) as u64);
        Box::new(Meter { watch: self, what, done: AtomicU64::new(0), total })
    }

    fn is_cancelled(&self) -> bool {
        self.task.is_cancelled()
    }
}

impl Bar for Meter<'_> {
    fn inc(&self, steps: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        let share = done as f64 / self.total as f64;
        let what = format!("{}: queries, {:.0} %", self.what, 100.0 * share);
        self.watch.report(&what, 0.5 + 0.5 * share);
    }

    fn show(&self, what: &str) {
        self.watch.report(&format!("{}: {what}", self.what), 0.5);
    }
}

impl Progress for Meter<'_> {
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        let share = done as f64 / total.max(1) as f64;
        let what = format!("{}: {phase}, {:.0} %", self.what, 100.0 * share);
        self.watch.report(&what, 0.5 * share);
        match self.watch.task.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
