//! The experiments of papers and our own, each with its report.
//!
//! [`Study::run`] runs one. `trial` measures and checks the same searches for several engines; it
//! knows of no experiment. Every paper, and `growth`, has a folder that plans its experiments
//! (`mod`), runs them, and compares the figures (`write_up`) with the published ones (`paper`).

pub mod circumstances;
mod dhpa;
#[cfg(feature = "gpu")]
mod gpu;
mod growth;
mod landmarks;
mod portals;
mod ppa;
mod trial;

use std::path::Path;

pub use self::growth::{Extent, Kind, Part};
use crate::report::{Comparison, Mark, Note, Report, Section};
use crate::text::grouped;
use crate::{Bar, Bars, Error};

/// The heading of the section that says whether all answers were right.
pub const ANSWERS: &str = "Answers";

/// An experiment by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Study {
    /// Partially Precomputed A*.
    Ppa,
    /// Landmarks, by number and placement.
    Landmarks,
    /// Portal-based true-distance heuristics.
    Portals,
    /// What larger maps, smaller limits and more threads mean for `atlas`.
    Growth,
    /// HPA*, DHPA* and SHPA*.
    Dhpa,
    /// A* on graphics processors.
    Gpu,
}

/// How large an experiment is, and on which maps it runs.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The folder of real maps; generated maps replace missing ones.
    pub maps: Option<&'a Path>,
    /// Small maps and few queries, whose figures mean nothing.
    pub quick: bool,
    /// The seed of generated maps, searches and edits.
    pub seed: u64,
    /// The most searches on each map.
    pub queries: Option<u32>,
    /// How many generated maps of a kind there are (portals).
    pub count: Option<u32>,
    /// What is measured (growth).
    pub growth: Extent,
    /// The names of drawings beside the report begin with this.
    pub stem: &'a str,
}

/// The outcome of an experiment.
pub struct Experiment {
    /// The report, without date, command and the section on answers until it is
    /// [`finish`](Self::finish)ed.
    pub report: Report,
    /// The outcome in a line.
    pub outcome: String,
    /// How many answers were checked.
    checked: usize,
    /// What their costs were compared with: "its cost is that of A*".
    held_against: String,
    /// Wrong answers, described.
    pub faults: Vec<String>,
}

impl Study {
    /// Runs the experiment. `tell` receives lines to show while it runs.
    pub fn run(
        self,
        options: &Options,
        bars: &dyn Bars,
        tell: &mut dyn FnMut(String),
    ) -> Result<Experiment, Error> {
        match self {
            Self::Ppa => ppa::run(options, bars),
            Self::Landmarks => landmarks::run(options, bars),
            Self::Portals => portals::run(options, bars),
            Self::Growth => growth::run(options, bars, tell),
            Self::Dhpa => dhpa::run(options, bars),
            #[cfg(feature = "gpu")]
            Self::Gpu => gpu::run(options, bars, tell),
            #[cfg(not(feature = "gpu"))]
            Self::Gpu => Err(Error::WithoutGpu { what: "this experiment".into() }),
        }
    }
}

impl Experiment {
    /// Adds when, where and how the experiment ran, and whether all answers were right.
    ///
    /// `load` is the load of the machine before the experiment.
    pub fn finish(
        mut self,
        options: &Options,
        command: String,
        date: Option<String>,
        load: Option<String>,
    ) -> Self {
        let answers = self.answers();
        let report = &mut self.report;
        if options.quick {
            report.sections.insert(0, quick_run());
            self.outcome = "a quick run, from whose figures nothing can be concluded".into();
        }
        report.date = date.unwrap_or_else(circumstances::today);
        report.machine = circumstances::machine();
        let version = env!("CARGO_PKG_VERSION");
        let program = match cfg!(debug_assertions) {
            true => format!("portolan {version}, a debug build: its times are worth nothing"),
            false => format!("portolan {version}"),
        };
        let facts = [("Program".into(), program), ("Command".into(), command)];
        report.facts.splice(0..0, facts);
        // Empty ones are not shown.
        report.facts.push(("Load at the start".into(), load.unwrap_or_default()));
        report.sections.push(answers);
        report.link_pictures(options.stem);
        self
    }

    fn answers(&self) -> Section {
        let section = Section::new(ANSWERS);
        if self.faults.is_empty() {
            let words = format!(
                "{} answers were checked: every path was walked step by step, and {}.",
                grouped(self.checked),
                self.held_against
            );
            return section.with(Note::new(Mark::Good, words));
        }
        let words = "Wrong answers were found; nothing above is to be trusted.";
        let notes = self.faults.iter().map(|fault| Note::new(Mark::Bad, fault));
        notes.fold(section.with(Note::new(Mark::Bad, words)), Section::with)
    }
}

fn quick_run() -> Section {
    let words = "Maps are small and searches few: nothing can be concluded from these figures, and \
        they cannot be compared with published ones.";
    Section::new("A quick run").with(Note::new(Mark::Neutral, words))
}

/// How much of the paper was reached, in a line.
fn reached(report: &Report) -> String {
    let tally = report.tally();
    match tally.reached + tally.missed {
        0 => "nothing to compare with the paper in a run as small as this".into(),
        all => format!("{} of {all} published figures reached", tally.reached),
    }
}

/// Gives a missed figure its reason, which is worked out only then.
fn because(row: Comparison, reason: impl FnOnce() -> String) -> Comparison {
    if row.verdict() == Mark::Bad { row.note(reason()) } else { row }
}

/// A note if builds on one thread had a core to themselves for less than nearly all of the time.
fn busy(core_share: f64) -> Option<Note> {
    /// The share of a core that a thread has on a quiet machine, at least.
    const ENOUGH: f64 = 0.95;
    let words = format!(
        "The machine was busy with other things: builds on one thread had a core to themselves for \
         {:.0} % of the time. Times are too long, and their ratios uncertain.",
        100.0 * core_share
    );
    (core_share < ENOUGH).then(|| Note::new(Mark::Bad, words))
}

/// A bar over the steps of an experiment.
struct Steps<'a>(Box<dyn Bar + 'a>);

impl<'a> Steps<'a> {
    fn new(total: usize, bars: &'a dyn Bars) -> Self {
        Self(bars.bar("", total))
    }

    /// Shows what is done next.
    fn next(&self, what: impl AsRef<str>) {
        self.0.show(what.as_ref());
        self.0.inc(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Better;

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
            outcome: String::new(),
            checked: 5,
            held_against: String::new(),
            faults: vec!["a.map: ppa: query 1: illegal path".into()],
        };
        let mut report = Report::new("x");
        report.sections.push(experiment.answers());
        let text = report.to_markdown();
        assert!(text.contains("✗ Wrong answers") && text.contains("✗ a.map: ppa"), "{text}");
    }
}
