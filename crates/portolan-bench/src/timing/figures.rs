//! The figures of one engine, as reports and pages show them.

use std::time::Duration;

use portolan::registry::Method;
use serde::Serialize;

use super::Measured;
use crate::text::rounded;
use crate::workload::Workload;

/// What an engine that was asked query after query needed. Names and order are fixed.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// Its name.
    pub engine: &'static str,
    /// Whether its paths are always shortest paths.
    pub exact: bool,
    /// The form that it chose.
    pub form: Option<String>,
    /// How long the build took, by the clock; `None` for an index that was opened.
    pub build_s: Option<f64>,
    /// The same for all threads together.
    pub build_cpu_s: Option<f64>,
    /// Bytes of the index.
    pub index_bytes: usize,
    /// The valid queries.
    pub queries: usize,
    /// The invalid ones, which were not asked.
    pub invalid: usize,
    /// Queries that were answered with a path.
    pub found: usize,
    /// The mean time of a full path, in microseconds.
    pub mean_us: Option<f64>,
    /// The median.
    pub median_us: Option<f64>,
    /// The time that 99 % of the paths do not exceed.
    pub p99_us: Option<f64>,
    /// The mean time of a distance alone.
    pub distance_mean_us: Option<f64>,
    /// Nodes expanded per query.
    pub expanded_mean: Option<f64>,
    /// Nodes generated per query.
    pub generated_mean: Option<f64>,
    /// Answers that are as good as they can be.
    pub optimal: usize,
    /// The mean share by which paths are longer than the shortest.
    pub suboptimality_mean: Option<f64>,
    /// The largest such share.
    pub suboptimality_max: Option<f64>,
    /// Paths that are illegal, whatever their length.
    pub illegal: usize,
}

impl Figures {
    /// The figures of what was measured.
    pub fn new(method: &'static dyn Method, measured: &Measured, workload: &Workload) -> Self {
        let Measured { paths, distances, counter, tally, .. } = measured;
        let queries = workload.queries.len();
        let mean = |sum: u64| (queries > 0).then(|| rounded(sum as f64 / queries as f64, 3));
        // To the nanosecond, finer than any clock.
        let seconds = |time: Duration| rounded(time.as_secs_f64(), 9);
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        let suboptimality = tally.suboptimality();
        Self {
            engine: method.name(),
            exact: method.exact(),
            form: measured.form.clone(),
            build_s: measured.build.map(|(wall, _)| seconds(wall)),
            build_cpu_s: measured.build.map(|(_, cpu)| seconds(cpu)),
            index_bytes: measured.index_bytes,
            queries,
            invalid: workload.invalid.len(),
            found: tally.found,
            mean_us: micros(paths.mean()),
            median_us: micros(paths.quantile(0.5)),
            p99_us: micros(paths.quantile(0.99)),
            distance_mean_us: micros(distances.mean()),
            expanded_mean: mean(counter.expanded),
            generated_mean: mean(counter.generated),
            optimal: tally.optimal,
            suboptimality_mean: suboptimality.map(|(mean, _)| rounded(mean, 9)),
            suboptimality_max: suboptimality.map(|(_, max)| rounded(max, 9)),
            illegal: tally.illegal,
        }
    }
}
