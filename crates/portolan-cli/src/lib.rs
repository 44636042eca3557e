//! The program `portolan`: generate, inspect, build, query, verify and measure maps and engines.
//!
//! [`run`] is the whole program as a function: arguments in, text out, exit code back. Commands
//! print through one [`Output`], which also makes their progress bars. Nothing below `run` exits or
//! reads environment variables; only [`main`] watches for signals. There is one error enum, with
//! remedies. Measuring, judging and reports are in `portolan-bench`.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | wrong answers were found |
//! | 2 | bad input |
//! | 128 and the number of a signal | interrupted: 130 by Ctrl-C, 143 by a request to terminate |

mod args;
mod commands;
mod error;
mod files;
mod index;
mod interrupt;
mod introduction;
mod load;
mod measuring;
mod names;
#[cfg(feature = "gpu")]
mod on_gpu;
mod output;
mod which_engine;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal};

use clap::Parser;

use args::{Cli, Command};
use error::Error;
pub use output::{Output, Surroundings};

/// How a command ends without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything is right.
    Done,
    /// Wrong answers were found and reported.
    Wrong,
}

/// Runs the program on the arguments and streams of this process; returns the exit code.
pub fn main() -> u8 {
    interrupt::watch();
    let surroundings = Surroundings {
        out_is_terminal: io::stdout().is_terminal(),
        err_is_terminal: io::stderr().is_terminal(),
        may_colour: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        under_cargo: std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut err = io::stderr();
    run(std::env::args_os(), &mut Output::new(&mut out, &mut err, surroundings))
}

/// Runs the program on these arguments, starting with its name; returns the exit code.
///
/// ```
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let mut output = portolan_cli::Output::new(&mut out, &mut err, Default::default());
/// let code = portolan_cli::run(["portolan", "--version"].map(Into::into), &mut output);
/// assert_eq!(code, 0);
/// assert!(out.starts_with(b"portolan "));
/// ```
pub fn run(args: impl IntoIterator<Item = OsString>, output: &mut Output) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let result = match Cli::try_parse_from(&args) {
        Ok(cli) => dispatch(cli.command, output),
        Err(refused) => Err(Error::Usage(names::with_suggestion(refused, &args))),
    };
    let result = result.and_then(|outcome| output.flush().map(|()| outcome));
    match result {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Wrong) => 1,
        Err(error) => report(&error, output),
    }
}

fn dispatch(command: Command, output: &mut Output) -> Result<Outcome, Error> {
    match command {
        Command::Demo(args) => commands::demo::run(&args, output),
        Command::Generate(args) => commands::generate::run(&args, output),
        Command::Info(args) => commands::info::run(&args, output),
        Command::Recommend(args) => commands::recommend::run(&args, output),
        Command::Build(args) => commands::build::run(&args, output),
        Command::CheckIndex(args) => commands::check_index::run(&args, output),
        Command::Query(args) => commands::query::run(&args, output),
        Command::Verify(args) => commands::verify::run(&args, output),
        Command::Bench(args) => commands::bench::run(&args, output),
        Command::EditBench(args) => commands::edit_bench::run(&args, output),
        Command::Replay(args) => commands::replay::run(&args, output),
        Command::Reproduce(args) => commands::reproduce::run(&args, output),
        Command::Gpu(args) => commands::gpu::run(&args, output),
        Command::Lab(args) => commands::lab::run(&args, output),
        Command::Completions(args) => commands::completions::run(&args, output),
    }
}

/// Prints what went wrong and how to fix it; returns the exit code. Help and version are "errors"
/// of clap.
fn report(error: &Error, output: &mut Output) -> u8 {
    match error {
        Error::Usage(refused) if !refused.use_stderr() => {
            let styled = refused.render();
            let written = match output.colours_out() {
                true => write!(output, "{}", styled.ansi()),
                false => write!(output, "{styled}"),
            };
            return match written.and_then(|()| output.flush()) {
                Ok(()) => 0,
                Err(error) => report(&error, output),
            };
        }
        Error::Usage(refused) => {
            let styled = refused.render();
            match output.colours_err() {
                true => output.complain(format_args!("{}", styled.ansi())),
                false => output.complain(format_args!("{styled}")),
            }
        }
        error => {
            output.complain(format_args!("error: {error}\n"));
            if let Some(help) = error.help() {
                output.complain(format_args!("help: {help}\n"));
            }
        }
    }
    match error {
        Error::Interrupted { signal } => interrupt::exit_code(*signal),
        _ => 2,
    }
}
