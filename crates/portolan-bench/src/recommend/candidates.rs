//! The engines that may be recommended, each measured within its share of the time.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use portolan::registry::Method;
use portolan::{BuildError, Progress};
use serde::Serialize;

use super::LeftOut;
use crate::text::rounded;
use crate::timing::edits::{Replayed, follow};
use crate::timing::{Own, ROUNDS, Sheet};
use crate::workload::edits::Step;
use crate::workload::{Subject, Workload};
use crate::{Bar, Bars, Error, engines};

/// What one engine needed; names and order are those of the JSON output.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// Its name.
    pub engine: &'static str,
    /// Whether its paths are always shortest.
    pub exact: bool,
    /// The time of the build.
    pub build_us: f64,
    /// What it takes in memory.
    pub memory_bytes: usize,
    /// How many queries it answered; a slow engine gets fewer.
    pub queries: usize,
    /// The median time of a full path.
    pub path_median_us: Option<f64>,
    /// The mean time of a full path.
    pub(crate) path_mean_us: Option<f64>,
    /// By how much paths are longer than the shortest, as a share.
    pub longer_mean: Option<f64>,
    /// How many edits it followed.
    pub(crate) edits: usize,
    /// How many queries it answered after edits.
    pub edit_queries: usize,
    /// The mean time of an edit.
    pub edit_mean_us: Option<f64>,
    /// The first path after an edit.
    pub first_mean_us: Option<f64>,
    /// The paths after that.
    pub later_mean_us: Option<f64>,
    /// Wrong answers.
    pub wrong: usize,
}

/// All that were tried.
#[derive(Default)]
pub struct Candidates {
    /// In the order of the list of all engines.
    pub figures: Vec<Figures>,
    /// Those that were not measured.
    pub left_out: Vec<LeftOut>,
    /// Those of them that were not built in time.
    pub cancelled: Vec<&'static str>,
    /// Wrong answers, described.
    pub faults: Vec<String>,
}

/// The candidates where none is named, in the order in which they are tried, with their shares of
/// the time. What quick ones leave over is for the others. `atlas` is the most probable choice.
const CANDIDATES: [(&str, f64); 8] = [
    ("astar", 1.0),
    ("atlas", 12.0),
    ("hpa", 1.0),
    ("dhpa", 1.0),
    ("atlas-climb", 6.0),
    ("differential", 2.0),
    ("shpa", 1.0),
    ("ppa", 1.0),
];

/// Measures the candidates one after the other until the deadline.
pub(super) fn measure(
    names: &[String],
    subject: &Subject,
    (workload, script): (&Workload, &[Step]),
    deadline: Instant,
    bars: &dyn Bars,
) -> Result<Candidates, Error> {
    let mut candidates = Candidates::default();
    let selection = match names {
        [] => engines::select_supported(&CANDIDATES.map(|(name, _)| name), subject)?,
        named => {
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            engines::select_supported(&named, subject)?
        }
    };
    for skipped in selection.skipped {
        candidates.left_out.push(LeftOut { engine: skipped.method, reason: skipped.reason });
    }
    let weight = |method: &dyn Method| {
        let known = CANDIDATES.iter().find(|&&(name, _)| name == method.name());
        known.map_or(1.0, |&(_, weight)| weight)
    };
    for (index, &method) in selection.chosen.iter().enumerate() {
        let weights: f64 = selection.chosen[index..].iter().map(|&method| weight(method)).sum();
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left.mul_f64(weight(method) / weights);
        let times = (share, deadline);
        candidates.try_one(method, subject, workload, script, times, bars)?;
    }
    candidates.figures.sort_by_key(|figures| engines::rank(figures.engine));
    Ok(candidates)
}

impl Candidates {
    fn try_one(
        &mut self,
        method: &'static dyn Method,
        subject: &Subject,
        workload: &Workload,
        script: &[Step],
        (share, deadline): (Duration, Instant),
        bars: &dyn Bars,
    ) -> Result<(), Error> {
        let start = Instant::now();
        let within = |part: f64| start.elapsed() < share.mul_f64(part);
        // The most probable choice may use up the time: advice without it is worth little.
        let least = if method.name() == engines::BEST { deadline } else { start };
        let until = least.max(start + share.mul_f64(0.6));
        let progress = Until { bar: bars.bar(method.name(), 1), deadline: until };
        let engine = match engines::build_watched(method, subject, &progress) {
            Err(Error::Cancelled) => {
                let spent = start.elapsed().as_secs_f64();
                self.leave_out(method, format!("not built in {spent:.1} s"));
                self.cancelled.push(method.name());
                return Ok(());
            }
            Err(
                error @ (Error::Build { error: BuildError::MemoryLimit { .. }, .. }
                | Error::Unsupported(_)),
            ) => {
                self.leave_out(method, error.without_engine());
                return Ok(());
            }
            engine => engine?,
        };
        let build = start.elapsed();
        let (paths, tally) = {
            let mut sheet = Sheet::new(Own::paths_only(&*engine), workload);
            sheet.check(&subject.map, |_| within(0.75));
            for round in 0..ROUNDS {
                if round == 0 || within(0.85) {
                    sheet.time_paths(round, 0..sheet.query_count(), bars);
                }
            }
            (sheet.paths.best(), sheet.tally)
        };
        let mut figures = Figures {
            engine: method.name(),
            exact: method.exact(),
            build_us: micros(build.as_secs_f64() * 1e6),
            memory_bytes: engine.memory_bytes(),
            queries: tally.answered.len(),
            path_median_us: paths.quantile(0.5).map(micros),
            path_mean_us: paths.mean().map(micros),
            longer_mean: tally.suboptimality().map(|(mean, _)| rounded(mean, 5)),
            edits: 0,
            edit_queries: 0,
            edit_mean_us: None,
            first_mean_us: None,
            later_mean_us: None,
            wrong: tally.faults.len(),
        };
        let described = tally.first_faults(subject, workload);
        self.faults.extend(described.iter().map(|fault| format!("{}: {fault}", method.name())));
        let mut first = true;
        let go_on = || std::mem::take(&mut first) || within(1.0);
        match follow(engine, subject, script, go_on, bars) {
            Ok(replayed) => {
                self.faults.extend(replayed.faults.lines(method.name()));
                figures.add(&replayed);
            }
            Err(error @ (Error::Build { .. } | Error::Unsupported(_))) => {
                self.leave_out(
                    method,
                    format!("cannot follow the edits: {}", error.without_engine()),
                );
            }
            Err(error) => return Err(error),
        }
        self.figures.push(figures);
        Ok(())
    }

    fn leave_out(&mut self, method: &dyn Method, reason: String) {
        self.left_out.push(LeftOut { engine: method.name(), reason });
    }
}

impl Figures {
    fn add(&mut self, replayed: &Replayed) {
        self.edits = replayed.edits.all().len();
        self.edit_queries = replayed.first.all().len() + replayed.later.all().len();
        self.edit_mean_us = replayed.edits.mean().map(micros);
        self.first_mean_us = replayed.first.mean().map(micros);
        self.later_mean_us = replayed.later.mean().map(micros);
        self.wrong += replayed.faults.count();
    }

    /// One edit, and this many full paths after it, in microseconds.
    pub(super) fn edit_and_paths(&self, paths: u32) -> Option<f64> {
        let later = self.later_mean_us?;
        Some(self.edit_mean_us? + self.first_mean_us? + f64::from(paths - 1) * later)
    }

    /// The same if the engine is built from scratch after the edit.
    pub(super) fn edit_build_and_paths(&self, paths: u32) -> Option<f64> {
        Some(self.edit_mean_us? + self.build_us + f64::from(paths) * self.path_mean_us?)
    }
}

/// A progress bar that cancels the build at a deadline.
struct Until<'a> {
    bar: Box<dyn Bar + 'a>,
    deadline: Instant,
}

impl Progress for Until<'_> {
    fn advance(&self, phase: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        match Instant::now() >= self.deadline {
            true => ControlFlow::Break(()),
            false => self.bar.advance(phase, done, total),
        }
    }
}

fn micros(time: f64) -> f64 {
    rounded(time, 3)
}
