//! One engine and its counterpart on the CPU, asked batches of several sizes on one map.

use std::hint::black_box;
use std::time::{Duration, Instant};

use portolan::{Engine, NodeId, batch};

use super::super::trial::Trial;
use crate::gpu::{self, Gpu, GpuEngine, GpuError, GpuMethod, Timing};
use crate::judge::Tally;
use crate::text::{self, grouped};
use crate::timing::ROUNDS;
use crate::workload::{Query, Subject};
use crate::{Error, engines};

/// A batch that takes longer is not repeated.
const LONG: Duration = Duration::from_secs(2);

/// No batch is asked that would take more seconds, as the one before shows.
pub(super) const MOST: f64 = 10.0;

/// An engine on one map.
pub(super) struct Curve {
    pub(super) engine: &'static str,
    /// The name of the method that answers on the CPU.
    pub(super) counterpart: &'static str,
    pub(super) exact: bool,
    /// The side of its clusters, if it has any.
    pub(super) cluster: Option<u32>,
    /// Seconds of the build, by the clock.
    pub(super) build: f64,
    pub(super) device_bytes: u64,
    /// By how much paths are longer than the shortest, as shares: the mean, and at most.
    pub(super) excess: (f64, f64),
    /// Why there are no points.
    pub(super) refused: Option<String>,
    pub(super) points: Vec<Point>,
    /// How many answers were checked.
    pub(super) checked: usize,
    pub(super) faults: Vec<String>,
}

/// The times for one batch.
pub(super) struct Point {
    pub(super) agents: usize,
    /// `None` where it would have taken too long, as smaller batches show.
    pub(super) gpu: Option<Timing>,
    /// Seconds on all cores of the CPU.
    pub(super) cpu: Option<f64>,
}

/// Builds an engine, times the batches, and checks all answers. The times of the CPU are taken from
/// an earlier curve with the same counterpart, if there is one.
pub(super) fn curve(
    gpu: &Gpu,
    (trial, earlier): (&Trial, &[Curve]),
    (engine, cluster): (&'static str, Option<u32>),
    batches: &[usize],
) -> Result<Curve, Error> {
    let method = gpu::method(engine).ok_or(Error::NoEngine)?;
    let mut subject = trial.subject.clone();
    subject.settings.cluster_size = cluster.unwrap_or(subject.settings.cluster_size);
    let mut curve = Curve::new(method, cluster);
    let is_like = |earlier: &&Curve| {
        earlier.refused.is_none()
            && (earlier.counterpart, earlier.cluster) == (method.counterpart, cluster)
    };
    let known = earlier.iter().find(is_like).map(|earlier| earlier.points.as_slice());
    match curve.measure((gpu, method), (trial, &subject), batches, known) {
        // Nothing is wrong with the device: the map or the table is too large for it.
        Err(Error::Gpu {
            error:
                error @ (GpuError::TooLarge { .. }
                | GpuError::OutOfMemory { .. }
                | GpuError::Build(_)
                | GpuError::Unsupported { .. }),
            ..
        }) => {
            curve.points.clear();
            curve.refused = Some(error.problem());
        }
        measured => measured?,
    }
    Ok(curve)
}

impl Curve {
    fn new(method: &GpuMethod, cluster: Option<u32>) -> Self {
        Self {
            engine: method.name,
            counterpart: method.counterpart,
            exact: method.exact,
            cluster,
            build: f64::NAN,
            device_bytes: 0,
            excess: (f64::NAN, f64::NAN),
            refused: None,
            points: Vec::new(),
            checked: 0,
            faults: Vec::new(),
        }
    }

    fn measure(
        &mut self,
        (gpu, method): (&Gpu, &GpuMethod),
        (trial, subject): (&Trial, &Subject),
        batches: &[usize],
        known: Option<&[Point]>,
    ) -> Result<(), Error> {
        let start = Instant::now();
        let engine = gpu::build(method, gpu, subject)?;
        self.build = start.elapsed().as_secs_f64();
        self.device_bytes = engine.memory_bytes();
        let cpu = engines::build_named(method.counterpart, subject)?;
        let queries = &trial.workload.queries;
        for (index, &agents) in batches.iter().enumerate() {
            let queries = &queries[..agents.min(queries.len())];
            let before = self.points.last();
            let on_gpu = is_short(before.map(|point| (point.agents, point.gpu_time())), agents);
            let on_cpu = is_short(before.map(|point| (point.agents, point.cpu)), agents);
            let mut point = Point { agents: queries.len(), gpu: None, cpu: None };
            if on_gpu {
                let (timing, tally) = time_gpu(&*engine, queries)?;
                point.gpu = Some(timing);
                self.checked += queries.len();
                self.excess = tally.suboptimality().unwrap_or_default();
                self.faults.extend(trial.faults(self.engine, &tally));
            }
            point.cpu = match known {
                Some(known) => known.get(index).and_then(|point| point.cpu),
                None => on_cpu.then(|| time_cpu(&*cpu, &gpu::requests(queries))),
            };
            self.points.push(point);
        }
        Ok(())
    }

    /// What came out, in a line.
    pub(super) fn line(&self) -> String {
        let name = self.name();
        if let Some(reason) = &self.refused {
            return format!("{name}: not possible: {reason}");
        }
        let Some(point) = self.points.iter().rfind(|point| point.gpu.is_some()) else {
            return format!("{name}: nothing to measure");
        };
        let time = |seconds: Option<f64>| text::time(seconds.map(|seconds| seconds * 1e6));
        let (gpu, cpu) = (time(point.gpu_time()), time(point.cpu));
        let counterpart = self.counterpart;
        format!(
            "{name}: {} agents in {gpu}; {counterpart} on all cores {cpu}",
            grouped(point.agents)
        )
    }

    /// The name in tables and plots.
    pub(super) fn name(&self) -> String {
        match self.cluster {
            Some(size) => format!("{}, clusters of {size}", self.engine),
            None => self.engine.to_owned(),
        }
    }
}

impl Point {
    /// Seconds on the GPU, transfers included.
    pub(super) fn gpu_time(&self) -> Option<f64> {
        self.gpu.map(|timing| timing.total.as_secs_f64())
    }
}

/// Whether a batch takes no longer than is sensible, by the agents and seconds of the one before.
fn is_short(before: Option<(usize, Option<f64>)>, agents: usize) -> bool {
    match before {
        None => true,
        Some((_, None)) => false,
        Some((before, Some(seconds))) => seconds * agents as f64 / before.max(1) as f64 <= MOST,
    }
}

/// The fastest run of a batch, and the verdicts on all answers.
fn time_gpu(engine: &dyn GpuEngine, queries: &[Query]) -> Result<(Timing, Tally), Error> {
    let requests = gpu::requests(queries);
    let paths = engine.find_all(&requests).map_err(gpu::failed(engine.name()))?;
    let mut tally = gpu::judge_paths(engine, &paths, queries);
    let mut runs = vec![paths.timing()];
    drop(paths);
    while runs.len() < ROUNDS && runs[0].total < LONG {
        runs.push(gpu::time_paths(engine, queries, &mut tally)?);
    }
    Ok((gpu::fastest(runs), tally))
}

/// The seconds of the fastest run of a batch on all cores.
fn time_cpu(engine: &dyn Engine, requests: &[(NodeId, NodeId)]) -> f64 {
    let run = || {
        let start = Instant::now();
        // Zero threads, one per core, are never too many.
        let _ = black_box(batch::find_all(|| engine.query(), requests, 0));
        start.elapsed()
    };
    let mut best = run();
    for _ in 1..ROUNDS {
        if best < LONG {
            best = best.min(run());
        }
    }
    best.as_secs_f64()
}
