//! Everything that a command prints.
//!
//! Standard output may be closed early (`portolan info x.map | head -1`). What is written after
//! that is dropped, the command still ends with its true exit code, and there is no error message.
//! Errors, notes and progress go to standard error; failures to write there are ignored.

use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use portolan::Progress;
use portolan_bench::{Bar, Bars};
use serde::Serialize;

use crate::error::Error;

/// The environment of the program; decides on colours and progress bars.
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

/// Makes progress bars on standard error, if a person watches it.
pub(crate) struct TerminalBars {
    visible: bool,
}

impl Bars for TerminalBars {
    fn bar(&self, what: &str, steps: usize) -> Box<dyn Bar + '_> {
        if !self.visible {
            return ().bar(what, steps);
        }
        let bar = ProgressBar::new(steps as u64).with_message(what.to_owned());
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Box::new(TerminalBar(bar))
    }
}

/// A bar that is removed when it is dropped.
struct TerminalBar(ProgressBar);

impl Bar for TerminalBar {
    fn inc(&self, steps: u64) {
        self.0.inc(steps);
    }

    fn show(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }
}

/// Shows the phases of a build.
impl Progress for TerminalBar {
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self.0.set_message(phase);
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        ControlFlow::Continue(())
    }
}

impl Drop for TerminalBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The streams of the program.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    surroundings: Surroundings,
    closed: bool,
}

impl<'a> Output<'a> {
    /// Answers go to `out`, errors and notes to `err`.
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

    /// Writes out what is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.attempt(|out| out.flush())
    }

    /// Writes to standard error, after everything on standard output.
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

    /// How to start this program in a shell.
    pub(crate) fn program(&self) -> &'static str {
        if self.surroundings.under_cargo { "cargo run --release --" } else { "portolan" }
    }

    /// Progress bars for long work.
    pub(crate) fn bars(&self) -> TerminalBars {
        TerminalBars { visible: self.surroundings.err_is_terminal }
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
