//! `portolan reproduce`: the experiments of papers, with a report.
//!
//! `trial` measures and checks, `maps` finds or makes the maps, `circumstances` says when and where; none of
//! them knows of any paper. Each paper has a module that plans its experiments, runs them and writes them up.

mod circumstances;
mod maps;
mod ppa;
mod trial;

use std::path::Path;

use indicatif::ProgressBar;
use portolan_report::{Comparison, Mark, Note, Report, Section};

use crate::Outcome;
use crate::args::{ExperimentArgs, Paper, ReproduceArgs};
use crate::error::Error;
use crate::files;
use crate::output::Output;
use crate::text::grouped;

/// What came of an experiment.
pub(crate) struct Experiment {
    pub(crate) report: Report,
    /// Answers that were checked.
    pub(crate) checked: usize,
    /// Answers that are wrong, described.
    pub(crate) faults: Vec<String>,
}

pub(crate) fn run(args: &ReproduceArgs, output: &mut Output) -> Result<Outcome, Error> {
    let (name, args, experiment) = match &args.paper {
        Paper::Ppa(args) => ("ppa", args, ppa::run as fn(&_, &_) -> _),
    };
    // Before the work, not after it.
    check_destination(&args.output)?;
    let load = circumstances::load();
    let Experiment { mut report, checked, faults } = experiment(args, output)?;
    report.date = args.date.clone().unwrap_or_else(circumstances::today);
    report.machine = circumstances::machine();
    report.facts.splice(0..0, facts(name, args));
    // Empty ones are not shown.
    report.facts.push(("Load at the start".into(), load.unwrap_or_default()));
    report.sections.push(answers(checked, &faults));
    write(&report, &args.output, output)?;
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    Ok(if faults.is_empty() { Outcome::Done } else { Outcome::Wrong })
}

/// Gives a missed figure its reason, which is worked out only then.
pub(crate) fn because(row: Comparison, reason: impl FnOnce() -> String) -> Comparison {
    if row.verdict() == Mark::Bad { row.note(reason()) } else { row }
}

/// A bar over the steps of an experiment.
pub(crate) struct Steps(ProgressBar);

impl Steps {
    pub(crate) fn new(total: usize, output: &Output) -> Self {
        Self(output.progress("", total))
    }

    /// Says what is done next.
    pub(crate) fn next(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
        self.0.inc(1);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn check_destination(path: &Path) -> Result<(), Error> {
    if !files::has_extension(path, "html") {
        return Err(Error::OutputKind { path: path.into(), what: "reports", extensions: ".html" });
    }
    files::check_destination(path)
}

fn facts(paper: &str, args: &ExperimentArgs) -> [(String, String); 2] {
    let quick = if args.quick { " --quick" } else { "" };
    let queries = args.queries.map_or(String::new(), |count| format!(" --queries {count}"));
    let command = format!("portolan reproduce {paper}{quick}{queries} --seed {}", args.seed);
    let version = env!("CARGO_PKG_VERSION");
    let program = match cfg!(debug_assertions) {
        true => format!("portolan {version}, a debug build: its times are worth nothing"),
        false => format!("portolan {version}"),
    };
    [("Program".into(), program), ("Command".into(), command)]
}

fn answers(checked: usize, faults: &[String]) -> Section {
    let section = Section::new("Answers");
    if faults.is_empty() {
        let words = format!(
            "{} answers were checked: every path was walked step by step, and its cost is that of A*.",
            grouped(checked)
        );
        return section.with(Note::new(Mark::Good, words));
    }
    let first = Note::new(Mark::Bad, "Wrong answers were found; nothing above is to be trusted.");
    let notes = faults.iter().map(|fault| Note::new(Mark::Bad, fault));
    notes.fold(section.with(first), Section::with)
}

fn write(report: &Report, path: &Path, output: &mut Output) -> Result<(), Error> {
    let beside = path.with_extension("md");
    files::write(path, |out| out.write_all(report.to_html().as_bytes()))?;
    files::write(&beside, |out| out.write_all(report.to_markdown().as_bytes()))?;
    let tally = report.tally();
    let reached = match tally.reached + tally.missed {
        0 => "nothing to compare with the paper in a run as small as this".into(),
        all => format!("{} of {all} published figures reached", tally.reached),
    };
    writeln!(output, "{}: {reached}", path.display())?;
    writeln!(output, "{}: the same as Markdown", beside.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan_report::Better;

    #[test]
    fn only_missed_figures_have_a_reason() {
        let row = |ours| Comparison::new("x", Better::Lower, ours).paper(2.0);
        assert_eq!(because(row(3.0), || "why".into()).note, "why");
        assert_eq!(because(row(1.0), || unreachable!()).note, "");
        let open = Comparison::new("x", Better::Lower, 3.0);
        assert_eq!(because(open, || unreachable!()).note, "");
    }

    #[test]
    fn wrong_answers_are_in_the_report() {
        let section = answers(5, &["a.map: ppa: query 1: illegal path".into()]);
        let mut report = Report::new("x");
        report.sections.push(section);
        let text = report.to_markdown();
        assert!(text.contains("✗ Wrong answers") && text.contains("✗ a.map: ppa"), "{text}");
    }
}
