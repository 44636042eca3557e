//! Mistyped commands.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use portolan_bench::names::nearest;

use crate::args::Cli;

/// Adds the command that was probably meant to an error about an unknown one; clap finds none for
/// capitals.
pub(crate) fn with_suggestion(mut error: clap::Error, args: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let is_new = error.get(ContextKind::SuggestedSubcommand).is_none();
    if error.kind() == ErrorKind::InvalidSubcommand && is_new {
        let all = Cli::command();
        let mut command = &all;
        for word in args.iter().skip(1) {
            match word.to_str().and_then(|word| command.find_subcommand(word)) {
                Some(inner) => command = inner,
                None => break,
            }
        }
        let known = command.get_subcommands().map(clap::Command::get_name);
        if let Some(nearest) = nearest(given, known) {
            let nearest = ContextValue::Strings(vec![nearest.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, nearest);
        }
    }
    error
}
