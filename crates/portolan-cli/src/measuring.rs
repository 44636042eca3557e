//! The common end of the commands that measure: engine after engine, figures, wrong answers.

use portolan::registry::Method;
use portolan_bench::engines::Selection;
use portolan_bench::report::Table;
use serde::Serialize;

use crate::Outcome;
use crate::error::Error;
use crate::output::Output;

/// The figures of one engine: a row of a table, or a JSON object whose names and order are fixed.
pub(crate) trait Line: Serialize {
    const HEADINGS: &'static [&'static str];

    fn cells(&self) -> Vec<String>;
}

/// Measures engine after engine and prints the figures and the wrong answers.
pub(crate) fn run<L: Line>(
    selection: &Selection,
    json: bool,
    output: &mut Output,
    mut measure: impl FnMut(
        &'static dyn Method,
        &Output,
    ) -> Result<(L, Vec<String>), portolan_bench::Error>,
) -> Result<Outcome, Error> {
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for &method in &selection.chosen {
        match measure(method, output) {
            Err(error) if selection.does_without(&error) => {
                let why = error.without_engine();
                output.complain(format_args!("note: {} skipped: {why}\n", method.name()));
            }
            measured => {
                let (line, described) = measured?;
                lines.push(line);
                faults.extend(described);
            }
        }
    }
    if json {
        output.json(&lines)?;
    } else {
        let mut table = Table::new(L::HEADINGS.iter().copied());
        lines.iter().for_each(|line| table.row(line.cells()));
        writeln!(output, "\n{}", table.to_text())?;
    }
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    Ok(if faults.is_empty() { Outcome::Done } else { Outcome::Wrong })
}

/// Prints which engines do not support the map: beside the figures, or on standard error where
/// standard output is one JSON document.
pub(crate) fn show_skipped(
    selection: &Selection,
    json: bool,
    output: &mut Output,
) -> Result<(), Error> {
    for skipped in &selection.skipped {
        let (method, reason) = (skipped.method, &skipped.reason);
        match json {
            true => output.complain(format_args!("note: {method} skipped: {reason}\n")),
            false => writeln!(output, "  {method:18} skipped: {reason}")?,
        }
    }
    Ok(())
}
