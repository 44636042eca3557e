//! Interrupts: Ctrl-C and requests to terminate.
//!
//! A signal ends the program at once, unless a file is being written. Then the write stops, its
//! temporary file is removed, and the program ends with an error. A second signal ends it at once
//! in any case; the next write to the same folder removes what that leaves behind. The exit code is
//! 128 plus the number of the signal, as shells expect.
//!
//! A server runs until it is told to stop, so for it a signal is no failure: see [`Stoppable`].

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the thread that waits for signals and those that write files share.
struct State {
    /// Files that are being written.
    writing: usize,
    /// The first signal, where it came during a write.
    signal: Option<u8>,
    /// What the first signal does instead of ending the program.
    stop: Option<Box<dyn FnOnce() + Send>>,
}

static STATE: Mutex<State> = Mutex::new(State { writing: 0, signal: None, stop: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches for signals from now on, where the system has them.
pub(crate) fn watch() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        // Without a watcher, signals end the program as they always do.
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
            return;
        };
        std::thread::spawn(move || signals.forever().for_each(interrupted));
    }
}

#[cfg(unix)]
fn interrupted(signal: i32) {
    let signal = u8::try_from(signal).unwrap_or(0);
    let mut state = state();
    if let Some(stop) = state.stop.take() {
        return stop();
    }
    if state.writing == 0 || state.signal.is_some() {
        // The lock is held to the end, so no file is begun any more.
        std::process::exit(exit_code(signal).into());
    }
    state.signal = Some(signal);
}

/// What shells report for a program that a signal ended.
pub(crate) fn exit_code(signal: u8) -> u8 {
    128u8.saturating_add(signal)
}

/// Held by a command that stops when the first signal tells it to. The second ends the program.
#[cfg(feature = "lab")]
pub(crate) struct Stoppable(());

#[cfg(feature = "lab")]
impl Stoppable {
    /// `stop` runs at most once, on the thread that watches for signals.
    pub(crate) fn new(stop: impl FnOnce() + Send + 'static) -> Self {
        state().stop = Some(Box::new(stop));
        Self(())
    }
}

#[cfg(feature = "lab")]
impl Drop for Stoppable {
    fn drop(&mut self) {
        state().stop = None;
    }
}

/// Held while a file is written.
pub(crate) struct Writing(());

impl Writing {
    pub(crate) fn begin() -> Self {
        state().writing += 1;
        Self(())
    }

    /// The signal that came meanwhile.
    pub(crate) fn signal(&self) -> Option<u8> {
        state().signal
    }

    /// A writer that fails once there was a signal.
    pub(crate) fn writer<'a>(&'a self, out: &'a mut dyn Write) -> impl Write {
        Interruptible { writing: self, out }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        state().writing -= 1;
    }
}

struct Interruptible<'a> {
    writing: &'a Writing,
    out: &'a mut dyn Write,
}

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// Large pieces are written in parts, so that a signal is soon noticed.
        const PART: usize = 1 << 20;
        match self.writing.signal() {
            Some(_) => Err(io::Error::other("interrupted")),
            None => self.out.write(&bytes[..bytes.len().min(PART)]),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
