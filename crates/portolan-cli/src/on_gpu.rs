//! Engines of the GPU, for the commands that ask all queries at once.

use std::time::Duration;

use portolan_bench::Error;
use portolan_bench::engines::Selection;
use portolan_bench::gpu::{self, Gpu, GpuMethod, GpuOptions, Measured, Timing};
use portolan_bench::text::{self, bytes, grouped, rounded};
use portolan_bench::workload::Workload;
use serde::Serialize;

use crate::args::GpuMemoryArgs;
use crate::measuring::Line;

/// The GPU, if engines on it were named.
pub(crate) struct OnGpu(Option<(Gpu, Vec<&'static GpuMethod>)>);

impl OnGpu {
    /// Opens the GPU before any work, so that a missing one is noticed at once.
    pub(crate) fn open(selection: &Selection, options: &GpuMemoryArgs) -> Result<Self, Error> {
        let options = GpuOptions { working_memory: options.gpu_memory, ..GpuOptions::default() };
        let methods: Vec<_> =
            selection.on_gpu.iter().filter_map(|name| gpu::method(name)).collect();
        match methods.is_empty() {
            true => Ok(Self(None)),
            false => Ok(Self(Some((gpu::open_with(options)?, methods)))),
        }
    }

    /// The engines that were named.
    pub(crate) fn on_each<E>(
        &self,
        mut work: impl FnMut(&Gpu, &'static GpuMethod) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((gpu, methods)) = &self.0 else { return Ok(()) };
        methods.iter().try_for_each(|method| work(gpu, method))
    }
}

/// What is printed for an engine that answers batches; names and order are fixed.
#[derive(Serialize)]
pub(crate) struct BatchFigures {
    engine: &'static str,
    exact: bool,
    form: Option<String>,
    gpu: String,
    build_s: f64,
    build_cpu_s: f64,
    device_bytes: u64,
    queries: usize,
    invalid: usize,
    found: usize,
    paths: BatchTimes,
    distances: BatchTimes,
    optimal: usize,
    suboptimality_mean: Option<f64>,
    suboptimality_max: Option<f64>,
    illegal: usize,
}

/// The times of the fastest run of a batch. Parts overlap, so their sum may exceed the total.
#[derive(Serialize)]
struct BatchTimes {
    per_second: f64,
    total_s: f64,
    /// The parts are null where the device has no timestamps.
    upload_s: Option<f64>,
    kernel_s: Option<f64>,
    download_s: Option<f64>,
    rounds: u32,
}

impl BatchFigures {
    pub(crate) fn new(
        (method, gpu): (&'static GpuMethod, &Gpu),
        measured: &Measured,
        workload: &Workload,
    ) -> Self {
        let Measured { build, tally, .. } = measured;
        let queries = workload.queries.len();
        let suboptimality = tally.suboptimality();
        Self {
            engine: method.name,
            exact: method.exact,
            form: measured.form.clone(),
            gpu: gpu.name().to_owned(),
            build_s: seconds(build.0),
            build_cpu_s: seconds(build.1),
            device_bytes: measured.device_bytes,
            queries,
            invalid: workload.invalid.len(),
            found: tally.found,
            paths: BatchTimes::new(&measured.paths, queries),
            distances: BatchTimes::new(&measured.distances, queries),
            optimal: tally.optimal,
            suboptimality_mean: suboptimality.map(|(mean, _)| rounded(mean, 9)),
            suboptimality_max: suboptimality.map(|(_, max)| rounded(max, 9)),
            illegal: tally.illegal,
        }
    }
}

impl BatchTimes {
    fn new(timing: &Timing, queries: usize) -> Self {
        let is_measured = timing.kernel > Duration::ZERO;
        let part = |time: Duration| is_measured.then(|| seconds(time));
        Self {
            per_second: rounded(queries as f64 / timing.total.as_secs_f64().max(1e-9), 1),
            total_s: seconds(timing.total),
            upload_s: part(timing.upload),
            kernel_s: part(timing.kernel),
            download_s: part(timing.download),
            rounds: timing.rounds,
        }
    }
}

/// To the nanosecond, finer than any clock.
fn seconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64(), 9)
}

impl Line for BatchFigures {
    fn headings(&self) -> &'static [&'static str] {
        &[
            "engine on the GPU",
            "form",
            "build",
            "on device",
            "paths/s",
            "all paths",
            "upload",
            "kernel",
            "download",
            "rounds",
            "distances/s",
            "optimal",
            "excess",
            "illegal",
        ]
    }

    fn cells(&self) -> Vec<String> {
        let time = |seconds: Option<f64>| text::time(seconds.map(|seconds| seconds * 1e6));
        let BatchTimes { per_second, total_s, upload_s, kernel_s, download_s, rounds } = self.paths;
        let excess = self.suboptimality_mean;
        vec![
            self.engine.to_owned(),
            self.form.clone().unwrap_or_else(|| "-".into()),
            time(Some(self.build_s)),
            bytes(self.device_bytes),
            grouped(per_second as u64),
            time(Some(total_s)),
            time(upload_s),
            time(kernel_s),
            time(download_s),
            grouped(rounds),
            grouped(self.distances.per_second as u64),
            format!("{}/{}", grouped(self.optimal), grouped(self.queries)),
            excess.map_or("-".into(), |excess| format!("{:.2} %", excess * 100.0)),
            grouped(self.illegal),
        ]
    }
}
