//! `atlas` on one map under one or several memory limits: builds, answers checked, queries timed.
//!
//! The indexes of all limits are asked side by side, so that a busy moment of the machine hits all
//! alike. Limits that give the same index share its times.

use std::sync::Arc;
use std::time::{Duration, Instant};

use portolan::generate::Pairs;
use portolan::graph::Endpoints;
use portolan::{Engine, Map};

use super::super::trial::Trial;
use super::builds::{Built, build};
use super::kinds::{self, Kind, Limit};
use super::{Checked, ENGINE, Plan};
use crate::judge::{self, Tally};
use crate::text::{bytes, micros};
use crate::timing::{self, Own, Rounds, Sheet, race};
use crate::workload::Subject;
use crate::{Bars, Error, parallel};

/// How long the searches of one engine may take before they are checked, so that fewer are drawn
/// where a path takes long.
const BEFORE_THE_CHECK: Duration = Duration::from_secs(10);
/// How many searches tell how long one takes.
const PROBES: usize = 20;

/// `atlas` on one map under one memory limit.
pub(super) struct Run {
    /// The kind of a generated map.
    pub(super) kind: Option<Kind>,
    /// The name of the map, without its size.
    pub(super) map: String,
    /// The size in words.
    pub(super) size: String,
    /// Cells or nodes.
    pub(super) cells: usize,
    pub(super) limit: Limit,
    /// The figures, or why the map was refused.
    pub(super) outcome: Result<Figures, String>,
}

/// What was measured of an index.
pub(super) struct Figures {
    pub(super) form: String,
    pub(super) bytes: u64,
    /// Seconds of all cores together for a build.
    pub(super) cpu: f64,
    /// Seconds by the clock for a build.
    pub(super) wall: f64,
    /// By how many bytes resident memory grew at most during the build.
    pub(super) peak: Option<u64>,
    /// Steps of a path.
    pub(super) steps: f64,
    pub(super) times: Arc<QueryTimes>,
}

/// The times of all queries in all rounds.
#[derive(Default)]
pub(super) struct QueryTimes {
    distances: Rounds,
    paths: Rounds,
    /// How many queries were timed, the first ones.
    count: usize,
}

/// How long a path is and takes, as a few searches show.
pub(super) struct Probe {
    pub(super) seconds: f64,
    pub(super) steps: f64,
}

/// What the indexes of one map have in common, and what differs.
struct Measured<'b> {
    /// Steps of a path.
    steps: f64,
    /// Different indexes and their times.
    times: Vec<(&'b Built, Arc<QueryTimes>)>,
    checked: Checked,
}

/// Builds the index under each limit, and measures all.
pub(super) fn on_map(
    (kind, name): (Option<Kind>, &str),
    subject: &Subject,
    limits: Vec<Limit>,
    plan: &Plan,
    bars: &dyn Bars,
) -> Result<(Vec<Run>, Checked), Error> {
    let builds = limits.iter().map(|limit| build(subject, limit, 0, bars));
    let builds = builds.collect::<Result<Vec<_>, _>>()?;
    let built: Vec<&Built> = builds.iter().flatten().collect();
    let Measured { steps, times, checked } = measure(&built, subject, plan, bars)?;
    let figures = |built: &Built| {
        let times = times.iter().find(|(other, _)| other.equals(built));
        Figures {
            form: built.form.clone(),
            bytes: built.engine.memory_bytes() as u64,
            cpu: built.cpu,
            wall: built.wall,
            peak: built.peak,
            steps,
            times: times.map(|(_, times)| Arc::clone(times)).unwrap_or_default(),
        }
    };
    let run = |(limit, built): (Limit, &Result<Built, String>)| Run {
        kind,
        map: name.to_owned(),
        size: kinds::size(&subject.map),
        cells: subject.map.node_count(),
        limit,
        outcome: built.as_ref().map(figures).map_err(String::clone),
    };
    Ok((limits.into_iter().zip(&builds).map(run).collect(), checked))
}

/// Checks and times the different ones among these indexes. Costs that are not compared are those
/// of the last one, which has the largest limit.
fn measure<'b>(
    built: &[&'b Built],
    subject: &Subject,
    plan: &Plan,
    bars: &dyn Bars,
) -> Result<Measured<'b>, Error> {
    let mut measured = Measured { steps: f64::NAN, times: Vec::new(), checked: Checked::default() };
    let Some(largest) = built.last() else { return Ok(measured) };
    let mut distinct: Vec<&Built> = Vec::new();
    for &built in built {
        if distinct.iter().all(|other| !other.equals(built)) {
            distinct.push(built);
        }
    }
    let mut pairs = draw(&subject.map, plan.searches, plan.seed)?;
    pairs.truncate(affordable(&*largest.engine, &pairs, plan));
    let (trial, engine) = (subject.clone(), &*largest.engine);
    let trial = Trial::answered(trial, pairs.clone(), plan.compared, engine, bars)?;
    measured.steps = mean_steps(engine, &trial);
    for built in &distinct {
        let trial = trial.first(affordable(&*built.engine, &pairs, plan));
        let tally = judge::examine(&*built.engine, &trial.subject, &trial.workload, bars);
        measured.checked.add(&trial, &tally);
    }
    let times = time(&distinct, &trial, &mut measured.checked, plan, bars)?;
    measured.times = distinct.into_iter().zip(times).collect();
    Ok(measured)
}

/// Random pairs of nodes that reach each other. Fewer are the beginning of more.
pub(super) fn draw(map: &Map, count: usize, seed: u64) -> Result<Vec<Endpoints>, Error> {
    Pairs { count, even_lengths: false, seed }.generate(map).map_err(Error::Generate)
}

/// How many of these searches an engine finishes soon, and no fewer than are to be compared.
fn affordable(engine: &dyn Engine, pairs: &[Endpoints], plan: &Plan) -> usize {
    let affordable = BEFORE_THE_CHECK.as_secs_f64() / probe(engine, pairs).seconds;
    (affordable as usize).clamp(plan.compared, plan.searches).min(pairs.len())
}

/// Finds a few paths.
pub(super) fn probe(engine: &dyn Engine, pairs: &[Endpoints]) -> Probe {
    let mut query = engine.query();
    let (mut count, mut steps) = (0, 0);
    let start = Instant::now();
    for &(from, to) in pairs.iter().take(PROBES) {
        if let Ok(Some(route)) = query.find(from, to) {
            steps += route.nodes().len() - 1;
        }
        count += 1;
        if start.elapsed() > BEFORE_THE_CHECK / PROBES as u32 {
            break;
        }
    }
    let per_path = |sum: f64| sum / f64::from(count.max(1));
    Probe { seconds: per_path(start.elapsed().as_secs_f64()), steps: per_path(steps as f64) }
}

/// The steps of the paths that there are.
fn mean_steps(engine: &dyn Engine, trial: &Trial) -> f64 {
    let steps = parallel::map_in_order(
        &trial.workload.queries,
        || engine.query(),
        |query, search| {
            let route = query.find(search.from, search.to).ok().flatten();
            route.map(|route| route.nodes().len() - 1)
        },
    );
    let found = steps.iter().flatten().count();
    steps.iter().flatten().sum::<usize>() as f64 / found as f64
}

/// Times the queries of all indexes in turn, on one thread.
fn time(
    indexes: &[&Built],
    trial: &Trial,
    checked: &mut Checked,
    plan: &Plan,
    bars: &dyn Bars,
) -> Result<Vec<Arc<QueryTimes>>, Error> {
    let sheets = indexes.iter().map(|built| Sheet::new(Own::new(&*built.engine), &trial.workload));
    let mut sheets: Vec<Sheet> = sheets.collect();
    let plan =
        timing::Plan { rounds: plan.rounds, time_cap: Some(plan.time_cap), ..Default::default() };
    race(&trial.subject.map, &mut sheets, &plan, bars)?;
    let times = sheets.into_iter().map(|sheet| {
        checked.note_faults(trial, &sheet.tally);
        let count = sheet.query_count();
        let Sheet { distances, paths, .. } = sheet;
        Arc::new(QueryTimes { distances, paths, count })
    });
    Ok(times.collect())
}

impl Run {
    /// The run in a line, shown while the experiment runs.
    pub(super) fn line(&self) -> String {
        let Self { map, size, limit, .. } = self;
        let on = format!("{map}, {size}, {}", limit.name());
        match &self.outcome {
            Err(refusal) => format!("{on}: {refusal}"),
            Ok(figures) => format!(
                "{on}: {}; built in {:.2} s ({:.2} s of cores), {}, a distance in {}, a path in {}",
                figures.form,
                figures.wall,
                figures.cpu,
                bytes(figures.bytes),
                micros(figures.times.distance() * 1e6),
                micros(figures.times.path() * 1e6),
            ),
        }
    }
}

impl QueryTimes {
    /// Seconds of a distance: the mean over all queries of the median over all rounds.
    pub(super) fn distance(&self) -> f64 {
        seconds(&self.distances, self.count)
    }

    /// Seconds of a full path: the mean over all queries of the median over all rounds.
    pub(super) fn path(&self) -> f64 {
        seconds(&self.paths, self.count)
    }

    /// How many times as long distances and paths take as those of another index, for the queries
    /// that both were timed with.
    pub(super) fn ratios(&self, other: &Self) -> [f64; 2] {
        let count = self.count.min(other.count);
        [(&self.distances, &other.distances), (&self.paths, &other.paths)]
            .map(|(ours, theirs)| seconds(ours, count) / seconds(theirs, count))
    }
}

fn seconds(rounds: &Rounds, count: usize) -> f64 {
    rounds.mean_of_medians_us(count).map_or(f64::NAN, |time| time / 1e6)
}

impl Checked {
    /// Adds the verdicts on the answers to a trial.
    pub(super) fn add(&mut self, trial: &Trial, tally: &Tally) {
        self.answers += tally.answered.len();
        self.note_faults(trial, tally);
    }

    fn note_faults(&mut self, trial: &Trial, tally: &Tally) {
        self.faults.extend(trial.faults(ENGINE, tally));
    }
}
