//! `portolan completions`.

use clap::CommandFactory;

use crate::Outcome;
use crate::args::{Cli, CompletionsArgs};
use crate::error::Error;
use crate::output::Output;

pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<Outcome, Error> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "portolan", &mut script);
    output.bytes(&script)?;
    Ok(Outcome::Done)
}
