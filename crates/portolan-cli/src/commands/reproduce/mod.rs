//! `portolan reproduce`: the experiments of papers and our own, with a report.
//!
//! `trial` measures and checks, `maps` finds or makes the maps, `circumstances` says when and
//! where; none of them knows of any experiment. Each paper, and `growth`, has a module that plans
//! its experiments, runs them and writes them up.

pub(crate) mod circumstances;
mod dhpa;
mod growth;
mod landmarks;
mod maps;
mod portals;
mod ppa;
mod trial;

use std::path::Path;

use indicatif::ProgressBar;
use portolan_report::{Block, Comparison, Mark, Note, Report, Section};

use crate::args::{ReproduceArgs, Subject};
use crate::error::Error;
use crate::output::Output;
use crate::text::grouped;
use crate::{Outcome, files};

/// What came of an experiment.
pub(crate) struct Experiment {
    pub(crate) report: Report,
    /// The options it was run with, beside those that all experiments have.
    pub(crate) options: String,
    /// What came out, in a line.
    pub(crate) outcome: String,
    /// Answers that were checked.
    pub(crate) checked: usize,
    /// What their costs were held against: "its cost is that of A*".
    pub(crate) held_against: String,
    /// Answers that are wrong, described.
    pub(crate) faults: Vec<String>,
}

pub(crate) fn run(args: &ReproduceArgs, output: &mut Output) -> Result<Outcome, Error> {
    let shared = args.subject.report();
    // Before the work, not after it.
    check_destination(&shared.output)?;
    check_maps(&args.subject)?;
    let load = circumstances::load();
    let mut experiment = match &args.subject {
        Subject::Ppa(args) => ppa::run(args, output)?,
        Subject::Landmarks(args) => landmarks::run(args, output)?,
        Subject::Portals(args) => portals::run(args, output)?,
        Subject::Growth(args) => growth::run(args, output)?,
        Subject::Dhpa(args) => dhpa::run(args, output)?,
    };
    let (facts, answers) = (facts(&args.subject, &experiment.options), answers(&experiment));
    if shared.quick {
        experiment.report.sections.insert(0, quick_run());
        experiment.outcome = "a quick run, from whose figures nothing can be concluded".into();
    }
    let report = &mut experiment.report;
    report.date = shared.date.clone().unwrap_or_else(circumstances::today);
    report.machine = circumstances::machine();
    report.facts.splice(0..0, facts);
    link_pictures(report, &shared.output);
    // Empty ones are not shown.
    report.facts.push(("Load at the start".into(), load.unwrap_or_default()));
    report.sections.push(answers);
    write(&experiment, &shared.output, output)?;
    for fault in &experiment.faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    Ok(if experiment.faults.is_empty() { Outcome::Done } else { Outcome::Wrong })
}

fn quick_run() -> Section {
    let words = "Maps are small and searches few: nothing can be concluded from these figures, and they cannot be compared \
        with published ones.";
    Section::new("A quick run").with(Note::new(Mark::Neutral, words))
}

/// Gives a missed figure its reason, which is worked out only then.
pub(crate) fn because(row: Comparison, reason: impl FnOnce() -> String) -> Comparison {
    if row.verdict() == Mark::Bad { row.note(reason()) } else { row }
}

/// A note where builds on one thread had a core to themselves for less than nearly all of the time.
pub(crate) fn busy(core_share: f64) -> Option<Note> {
    /// The share of a core that a thread has on a quiet machine, at least.
    const ENOUGH: f64 = 0.95;
    let words = format!(
        "The machine was busy with other things: builds on one thread had a core to themselves for {:.0} % of the \
         time. Times are too long, and their ratios uncertain.",
        100.0 * core_share
    );
    (core_share < ENOUGH).then(|| Note::new(Mark::Bad, words))
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
    files::check_output(path, [])
}

/// A folder that was named is there, and one was named unless all maps are generated.
fn check_maps(subject: &Subject) -> Result<(), Error> {
    let Some(trial) = subject.trial() else { return Ok(()) };
    match trial.folder() {
        Some(maps) if !maps.is_dir() => Err(Error::NoFolder { path: maps.into() }),
        None if !trial.generated && !trial.report.quick => Err(Error::NoMaps),
        _ => Ok(()),
    }
}

fn facts(subject: &Subject, options: &str) -> [(String, String); 2] {
    let (name, shared) = (subject.name(), subject.report());
    let quick = if shared.quick { " --quick" } else { "" };
    let command = format!("portolan reproduce {name}{quick}{options} --seed {}", shared.seed);
    let version = env!("CARGO_PKG_VERSION");
    let program = match cfg!(debug_assertions) {
        true => format!("portolan {version}, a debug build: its times are worth nothing"),
        false => format!("portolan {version}"),
    };
    [("Program".into(), program), ("Command".into(), command)]
}

fn answers(experiment: &Experiment) -> Section {
    let Experiment { checked, held_against, faults, .. } = experiment;
    let section = Section::new("Answers");
    if faults.is_empty() {
        let words = format!(
            "{} answers were checked: every path was walked step by step, and {held_against}.",
            grouped(*checked)
        );
        return section.with(Note::new(Mark::Good, words));
    }
    let first = Note::new(Mark::Bad, "Wrong answers were found; nothing above is to be trusted.");
    let notes = faults.iter().map(|fault| Note::new(Mark::Bad, fault));
    notes.fold(section.with(first), Section::with)
}

fn write(experiment: &Experiment, path: &Path, output: &mut Output) -> Result<(), Error> {
    let Experiment { report, outcome, .. } = experiment;
    let beside = path.with_extension("md");
    files::write(path, |out| out.write_all(report.to_html().as_bytes()))?;
    files::write(&beside, |out| out.write_all(report.to_markdown().as_bytes()))?;
    writeln!(output, "{}: {outcome}", path.display())?;
    writeln!(output, "{}: the same as Markdown", beside.display())?;
    for (link, bytes) in linked(report) {
        let path = path.with_file_name(link);
        files::write(&path, |out| out.write_all(&bytes))?;
        writeln!(output, "{}: a drawing for the Markdown", path.display())?;
    }
    Ok(())
}

/// The plots and pictures that the Markdown shows as files of their own, with the names of those.
fn linked(report: &Report) -> impl Iterator<Item = (&str, Vec<u8>)> {
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    blocks.filter_map(|block| match block {
        Block::Plot(plot) => Some((plot.link.as_deref()?, plot.to_svg().into_bytes())),
        Block::Picture(picture) => Some((picture.link.as_deref()?, picture.png.clone())),
        _ => None,
    })
}

/// Gives every picture a file beside the report, for the Markdown.
fn link_pictures(report: &mut Report, path: &Path) {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let blocks = report.sections.iter_mut().flat_map(|section| &mut section.blocks);
    let pictures = blocks.filter_map(|block| match block {
        Block::Picture(picture) => Some(picture),
        _ => None,
    });
    for (number, picture) in (1..).zip(pictures) {
        picture.link = Some(format!("{stem}-{number}.png"));
    }
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
        let experiment = Experiment {
            report: Report::default(),
            options: String::new(),
            outcome: String::new(),
            checked: 5,
            held_against: String::new(),
            faults: vec!["a.map: ppa: query 1: illegal path".into()],
        };
        let mut report = Report::new("x");
        report.sections.push(answers(&experiment));
        let text = report.to_markdown();
        assert!(text.contains("✗ Wrong answers") && text.contains("✗ a.map: ppa"), "{text}");
    }
}
