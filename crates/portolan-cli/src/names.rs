//! Names that were mistyped, and what was probably meant.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::Cli;

/// The known name most like this one, if any is. Case does not count.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&name, &known.to_lowercase());
    let known = known.into_iter().map(|known| (distance(known), known));
    known.min().filter(|&(distance, known)| distance <= known.len() / 2).map(|(_, known)| known)
}

/// The end of a message about an unknown name: what was probably meant, and all that are known.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`? There are: {}", known.join(", ")),
        None => format!("there are: {}", known.join(", ")),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let known = ["astar", "atlas", "dijkstra"];
        for (given, expected) in [
            ("ATLAS", Some("atlas")),
            ("Atlas", Some("atlas")),
            ("atals", Some("atlas")),
            ("a-star", Some("astar")),
            ("dikstra", Some("dijkstra")),
            ("qqqqqqqqqqq", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
