//! Batches and builds on several threads, beside a loop that only computes.
//!
//! The loop shows what the machine can give: threads that share a core, or a clock that falls with
//! every busy core, slow it down as well.

use std::any::Any;
use std::hint::black_box;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use portolan::graph::Endpoints;
use portolan::{EndpointError, Engine, NodeId, ThreadError, batch};

use super::super::trial::Trial;
use super::builds::{build, median};
use super::kinds::{self, Kind, Limit};
use super::runs::{draw, probe};
use super::{Checked, ENGINE, Plan};
use crate::judge::{self, Answered, Fault, Tally, Verdict};
use crate::text::{count, grouped};
use crate::workload::{Expected, Query};
use crate::{Bars, Error, engines, parallel};

/// A kind of batch.
pub(super) struct Batch {
    /// What is answered, for tables.
    pub(super) name: &'static str,
    answer: Answer,
    check: Check,
}

/// Answers all pairs on so many threads. What is returned is freed after the clock has stopped.
type Answer = fn(&dyn Engine, &[Endpoints], usize) -> Result<Box<dyn Any>, ThreadError>;

/// The same for the pairs of a trial, with verdicts on all answers.
type Check = fn(&dyn Engine, &Trial, &[Endpoints], usize) -> Result<Tally, ThreadError>;

/// All kinds, in the order of tables.
pub(super) const BATCHES: [Batch; 2] = [
    Batch {
        name: "Distances",
        answer: |engine, pairs, threads| {
            Ok(Box::new(batch::distances(|| engine.query(), pairs, threads)?))
        },
        check: check_distances,
    },
    Batch {
        name: "Paths",
        answer: |engine, pairs, threads| {
            Ok(Box::new(batch::find_all(|| engine.query(), pairs, threads)?))
        },
        check: check_paths,
    },
];

/// Threads, as far as the machine has as many.
const THREADS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Seconds that a batch may take on one thread.
const BATCH_SECONDS: f64 = 1.0;
/// Nodes of all paths of a batch together, at most.
const MOST_NODES: f64 = 2e8;
/// Pairs of a batch.
const PAIRS: (usize, usize) = (1000, 200_000);
/// How often the loop computes.
const ITERATIONS: (u64, u64) = (100_000, 100_000_000);

/// One map and one number of threads.
pub(super) struct OnThreads {
    pub(super) kind: Kind,
    /// The size of the map in words.
    pub(super) size: String,
    pub(super) threads: usize,
    /// What was measured, or why the map was refused.
    pub(super) outcome: Result<Speeds, String>,
}

/// What so many threads do.
pub(super) struct Speeds {
    pub(super) pairs: usize,
    /// How many loops are computed per second.
    pub(super) loops: f64,
    /// How many pairs are answered per second, in the order of [`BATCHES`].
    pub(super) answers: [f64; BATCHES.len()],
    /// Seconds of a build by the clock.
    pub(super) wall: f64,
    /// Seconds of a build of all cores together.
    pub(super) cpu: f64,
}

/// The numbers of threads that are measured.
pub(super) fn counts(quick: bool) -> Vec<usize> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let most = if quick { 2 } else { cores };
    THREADS.into_iter().filter(|&threads| threads <= most).collect()
}

/// Measures builds and batches on one map.
pub(super) fn on_map(
    kind: Kind,
    size: u32,
    plan: &Plan,
    bars: &dyn Bars,
) -> Result<(Vec<OnThreads>, Checked), Error> {
    let subject = kind.generate(size, plan.seed)?;
    let size = kinds::size(&subject.map);
    let limit = Limit::usual(&subject.map);
    let row = |threads, outcome| OnThreads { kind, size: size.clone(), threads, outcome };
    let mut builds = Vec::new();
    let mut first = None;
    for &threads in &plan.threads {
        match build(&subject, &limit, threads, bars)? {
            Err(refusal) => return Ok((vec![row(threads, Err(refusal))], Checked::default())),
            Ok(built) => {
                builds.push((built.wall, built.cpu));
                first.get_or_insert(built.engine);
            }
        }
    }
    let Some(engine) = first else { return Ok(Default::default()) };
    let mut pairs = draw(&subject.map, PAIRS.1, plan.seed)?;
    let probe = probe(&*engine, &pairs);
    let affordable = (BATCH_SECONDS / probe.seconds).min(MOST_NODES / probe.steps.max(1.0));
    let most = if plan.quick { PAIRS.0 } else { PAIRS.1 };
    pairs.truncate((affordable as usize).clamp(PAIRS.0, most));
    let trial = Trial::answered(subject, pairs.clone(), plan.compared, &*engine, bars)?;
    let cannot = |error: ThreadError| engines::cannot_build(ENGINE)(error.into());
    let mut checked = Checked::default();
    for batch in &BATCHES {
        for &threads in &plan.threads {
            let tally = (batch.check)(&*engine, &trial, &pairs, threads).map_err(cannot)?;
            checked.add(&trial, &tally);
        }
    }
    let bar = bars.bar("batches", plan.rounds * plan.threads.len());
    let mut times = vec![(Vec::new(), BATCHES.map(|_| Vec::new())); plan.threads.len()];
    for _ in 0..plan.rounds {
        for (&threads, (loops, batches)) in plan.threads.iter().zip(&mut times) {
            let iterations = if plan.quick { ITERATIONS.0 } else { ITERATIONS.1 };
            loops.push(compute(threads, iterations).as_secs_f64());
            for (batch, times) in BATCHES.iter().zip(batches) {
                let start = Instant::now();
                let answers = black_box((batch.answer)(&*engine, &pairs, threads));
                times.push(start.elapsed().as_secs_f64());
                answers.map_err(cannot)?;
            }
            bar.inc(1);
            if bars.is_cancelled() {
                return Err(Error::Cancelled);
            }
        }
    }
    let speeds = |((&threads, (loops, batches)), (wall, cpu))| {
        let pairs = pairs.len();
        let loops = threads as f64 / median(loops);
        let answers = <[_; BATCHES.len()]>::map(batches, |times| pairs as f64 / median(times));
        row(threads, Ok(Speeds { pairs, loops, answers, wall, cpu }))
    };
    Ok((plan.threads.iter().zip(times).zip(builds).map(speeds).collect(), checked))
}

/// How long threads need that compute a loop each, and touch no memory.
fn compute(threads: usize, iterations: u64) -> Duration {
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut number = black_box(1_u64);
                for _ in 0..iterations {
                    number ^= number << 13;
                    number ^= number >> 7;
                    number ^= number << 17;
                }
                black_box(number)
            });
        }
    });
    start.elapsed()
}

fn check_paths(
    engine: &dyn Engine,
    trial: &Trial,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<Tally, ThreadError> {
    let paths = batch::find_all(|| engine.query(), pairs, threads)?;
    Ok(tally(trial, |nodes, at, query| {
        let answered = paths.get(at).unwrap_or(Ok(None)).map(|route| {
            route.map(|route| {
                route.nodes_into(nodes);
                route.cost()
            })
        });
        judge::judge(&trial.subject.map, query, engine.exact(), answered, nodes)
    }))
}

fn check_distances(
    engine: &dyn Engine,
    trial: &Trial,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<Tally, ThreadError> {
    let distances = batch::distances(|| engine.query(), pairs, threads)?;
    Ok(tally(trial, |_, at, query| {
        let answered: Answered = distances.get(at).cloned().unwrap_or(Ok(None));
        let fault = match &query.expected {
            Expected::Cost(cost) => judge::judge_distance(true, &Ok(*cost), &answered),
            _ if matches!(answered, Err(EndpointError::CostOverflow { .. })) => None,
            _ => Some(Fault::Overflow { found: answered.clone().ok().flatten() }),
        };
        Verdict { optimal: fault.is_none(), answered, excess: None, fault }
    }))
}

/// The verdicts on all answers, found on all cores. The buffer is for the nodes of a path.
fn tally(
    trial: &Trial,
    verdict: impl Fn(&mut Vec<NodeId>, usize, &Query) -> Verdict + Sync + Send,
) -> Tally {
    let numbered: Vec<(usize, &Query)> = trial.workload.queries.iter().enumerate().collect();
    let verdicts = parallel::map_in_order(&numbered, Vec::new, |nodes, &(at, query)| {
        nodes.clear();
        verdict(nodes, at, query)
    });
    let mut tally = Tally::default();
    verdicts.into_iter().for_each(|verdict| tally.add(verdict));
    tally
}

impl OnThreads {
    /// The row in a line, shown while the experiment runs.
    pub(super) fn line(&self) -> String {
        let Self { kind, size, threads, .. } = self;
        let threads = count(*threads, "thread", "threads");
        let on = format!("{}, {size}, {threads}", kind.name());
        match &self.outcome {
            Err(refusal) => format!("{on}: {refusal}"),
            Ok(speeds) => {
                let answers = BATCHES.iter().zip(speeds.answers).map(|(batch, speed)| {
                    format!(", {} {} per second", grouped(speed as u64), batch.name.to_lowercase())
                });
                let answers: String = answers.collect();
                format!("{on}: built in {:.2} s{answers}", speeds.wall)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_cores_are_not_measured() {
        assert_eq!(counts(true), [1, 2]);
        let counts = counts(false);
        assert_eq!(counts[0], 1);
        assert!(counts.windows(2).all(|pair| pair[1] == 2 * pair[0]), "{counts:?}");
    }
}
