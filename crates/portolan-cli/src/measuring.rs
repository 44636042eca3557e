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
    fn headings(&self) -> &'static [&'static str];

    fn cells(&self) -> Vec<String>;
}

/// The figures of several engines, and what is wrong with their answers, described.
pub(crate) struct Figures<L> {
    pub(crate) lines: Vec<L>,
    pub(crate) faults: Vec<String>,
}

/// Measures engine after engine and prints the figures and the wrong answers.
pub(crate) fn run<L: Line>(
    selection: &Selection,
    json: bool,
    output: &mut Output,
    measure: impl FnMut(&'static dyn Method, &Output) -> Result<(L, Vec<String>), portolan_bench::Error>,
) -> Result<Outcome, Error> {
    print(&gather(selection, output, measure)?, json, output)
}

/// Measures engine after engine.
pub(crate) fn gather<L>(
    selection: &Selection,
    output: &mut Output,
    mut measure: impl FnMut(
        &'static dyn Method,
        &Output,
    ) -> Result<(L, Vec<String>), portolan_bench::Error>,
) -> Result<Figures<L>, Error> {
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
    Ok(Figures { lines, faults })
}

/// Prints the figures, in a table for each kind of line, and the wrong answers.
pub(crate) fn print<L: Line>(
    figures: &Figures<L>,
    json: bool,
    output: &mut Output,
) -> Result<Outcome, Error> {
    let Figures { lines, faults } = figures;
    if json {
        output.json(lines)?;
    } else {
        for lines in lines.chunk_by(|a, b| a.headings() == b.headings()) {
            let mut table = Table::new(lines[0].headings().iter().copied());
            lines.iter().for_each(|line| table.row(line.cells()));
            writeln!(output, "\n{}", table.to_text())?;
        }
    }
    for fault in faults {
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
