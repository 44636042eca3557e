//! A request that is being answered: its parts, its progress, and whether it is still wanted.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use portolan::Progress;
use serde::Serialize;
use serde_json::json;

use crate::error::LabError;
use crate::shelf::Shelf;
use crate::wire::{Frame, Part};

/// The way back to the page that asks.
pub trait Link: Sync {
    /// Sends a frame to the page. Frames arrive in the order in which they are sent. A page that is
    /// gone receives nothing, which is no error.
    fn send(&self, frame: Vec<u8>);

    /// Whether the request is no longer wanted, or the page is gone. Asked often.
    fn is_cancelled(&self) -> bool;
}

/// A request that is being answered.
pub(crate) struct Task<'a> {
    /// Maps and engines.
    pub(crate) shelf: &'a Arc<Shelf>,
    id: u64,
    link: &'a dyn Link,
    request: &'a Frame,
    reported: Reported,
}

/// The least time between two progress messages.
const MILLISECONDS_PER_REPORT: u64 = 50;

struct Reported {
    start: Instant,
    next: AtomicU64,
}

/// An answer: data for the header, and parts.
#[derive(Debug)]
pub(crate) struct Reply(Frame);

impl Reply {
    /// An answer with this data and no parts.
    pub(crate) fn new(data: impl Serialize) -> Self {
        Self(Frame::new(json!({ "data": data })))
    }

    /// Adds an array.
    pub(crate) fn with(self, name: &str, part: impl Into<Part>) -> Self {
        Self(self.0.with(name, part))
    }

    pub(crate) fn into_frame(self, id: u64) -> Frame {
        let Self(mut frame) = self;
        frame.header["id"] = json!(id);
        frame
    }
}

impl<'a> Task<'a> {
    pub(crate) fn new(
        id: u64,
        shelf: &'a Arc<Shelf>,
        link: &'a dyn Link,
        request: &'a Frame,
    ) -> Self {
        let reported = Reported { start: Instant::now(), next: AtomicU64::new(0) };
        Self { shelf, id, link, request, reported }
    }

    /// An array that came with the request.
    pub(crate) fn part(&self, name: &str) -> Result<&'a Part, LabError> {
        let missing = || crate::error::bad_request(format!("it lacks the part `{name}`"));
        self.request.part(name).ok_or_else(missing)
    }

    /// Whether the request is no longer wanted.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.link.is_cancelled()
    }

    /// Fails if the request is no longer wanted.
    pub(crate) fn check(&self) -> Result<(), LabError> {
        if self.is_cancelled() { Err(LabError::Cancelled) } else { Ok(()) }
    }

    /// Shows how far long work has come.
    pub(crate) fn report(&self, phase: &str, done: usize, total: usize) {
        let now = self.reported.start.elapsed().as_millis() as u64;
        let next = self.reported.next.load(Ordering::Relaxed);
        if now < next && done < total {
            return;
        }
        self.reported.next.store(now + MILLISECONDS_PER_REPORT, Ordering::Relaxed);
        let progress = json!({ "phase": phase, "done": done, "total": total });
        self.link.send(Frame::new(json!({ "id": self.id, "progress": progress })).encode());
    }

    /// Sends part of an answer ahead of the whole. The page gets it as an event of the request.
    pub(crate) fn send(&self, event: Reply) {
        let mut frame = event.into_frame(self.id);
        frame.header["event"] = json!(true);
        self.link.send(frame.encode());
    }
}

/// Builds report to the page and stop when it is gone.
impl Progress for Task<'_> {
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self.report(phase, done, total);
        match self.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
