//! The one way out for everything a command says.
//!
//! Standard output may be closed early (`portolan info x.map | head -1`): from then on what is
//! written is dropped, the command still ends with its true exit code, and nobody sees an error.
//! Complaints and progress go to standard error; that they may fail is of no account.

use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use portolan::Progress;
use serde::Serialize;

use crate::error::Error;

/// What the program is run in; decides on colours and progress bars.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings {
    /// Whether a person watches standard output.
    pub out_is_terminal: bool,
    /// Whether a person watches standard error.
    pub err_is_terminal: bool,
    /// Whether colours are welcome on terminals; `NO_COLOR` forbids them.
    pub may_colour: bool,
    /// Whether cargo started the program, so that suggested commands should start with cargo too.
    pub under_cargo: bool,
}

/// A bar that shows the phases of a build, and cancels it when its time is over.
pub(crate) struct BuildBar {
    bar: ShownBar,
    deadline: Option<Instant>,
}

impl BuildBar {
    /// Cancels the build at the deadline.
    pub(crate) fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }
}

impl Progress for BuildBar {
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        if !self.bar.0.is_hidden() {
            self.bar.0.set_message(phase);
            self.bar.0.set_length(total as u64);
            self.bar.0.set_position(done as u64);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// A bar that goes away when it is dropped.
struct ShownBar(ProgressBar);

impl Drop for ShownBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Where text goes.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    surroundings: Surroundings,
    closed: bool,
}

impl<'a> Output<'a> {
    /// Answers go to `out`, complaints to `err`.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, surroundings: Surroundings) -> Self {
        Self { out, err, surroundings, closed: false }
    }

    /// Lets `write!` and `writeln!` write to standard output.
    pub(crate) fn write_fmt(&mut self, text: fmt::Arguments) -> Result<(), Error> {
        self.attempt(|out| out.write_fmt(text))
    }

    /// Writes bytes to standard output as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.attempt(|out| out.write_all(bytes))
    }

    /// Writes one JSON document for people and programs, one field per line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Error> {
        self.json_text(serde_json::to_string_pretty(value))
    }

    /// Writes one JSON document on a single line, where lists are long.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Error> {
        self.json_text(serde_json::to_string(value))
    }

    /// Hands everything over to whoever reads.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.attempt(|out| out.flush())
    }

    /// Writes to standard error, after what was said before.
    pub(crate) fn complain(&mut self, text: fmt::Arguments) {
        let _ = self.flush();
        let _ = self.err.write_fmt(text);
        let _ = self.err.flush();
    }

    /// Whether standard output takes colours.
    pub(crate) fn colours_out(&self) -> bool {
        self.surroundings.out_is_terminal && self.surroundings.may_colour
    }

    /// Whether standard error takes colours.
    pub(crate) fn colours_err(&self) -> bool {
        self.surroundings.err_is_terminal && self.surroundings.may_colour
    }

    /// How this program is called from a shell.
    pub(crate) fn program(&self) -> &'static str {
        if self.surroundings.under_cargo { "cargo run --release --" } else { "portolan" }
    }

    /// A bar for long work; nothing is shown where no person watches.
    pub(crate) fn progress(&self, what: &str, total: usize) -> ProgressBar {
        if !self.surroundings.err_is_terminal {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(total as u64).with_message(what.to_owned());
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    /// A bar for a build, which moves it itself; it goes away when dropped.
    pub(crate) fn build_progress(&self, what: &str) -> BuildBar {
        BuildBar { bar: ShownBar(self.progress(what, 1)), deadline: None }
    }

    fn json_text(&mut self, text: serde_json::Result<String>) -> Result<(), Error> {
        let text = text.map_err(|error| Error::Stdout(error.into()))?;
        writeln!(self, "{text}")
    }

    fn attempt(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        match write(self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result.map_err(Error::Stdout),
        }
    }
}
