//! `portolan bench`.

use std::time::{Duration, Instant};

use portolan::registry::Method;
use portolan_bench::engines::{self, Selection};
#[cfg(feature = "gpu")]
use portolan_bench::gpu;
use portolan_bench::text::{self, bytes, grouped, rounded};
use portolan_bench::timing::{self, Measured, micros};
use portolan_bench::workload::{Subject, Workload};
use serde::Serialize;

use crate::args::BenchArgs;
use crate::error::Error;
use crate::index::Index;
use crate::measuring::{self, Line};
#[cfg(feature = "gpu")]
use crate::on_gpu::{BatchFigures, OnGpu};
use crate::output::Output;
use crate::{Outcome, introduction, load};

/// What is printed for one engine.
#[derive(Serialize)]
#[serde(untagged)]
enum Figures {
    Queries(Box<QueryFigures>),
    #[cfg(feature = "gpu")]
    Batch(Box<BatchFigures>),
}

/// What is printed for one engine that is asked query after query; names and order are fixed.
#[derive(Serialize)]
struct QueryFigures {
    engine: &'static str,
    exact: bool,
    form: Option<String>,
    /// Null for an index that was opened.
    build_s: Option<f64>,
    build_cpu_s: Option<f64>,
    index_bytes: usize,
    queries: usize,
    invalid: usize,
    found: usize,
    mean_us: Option<f64>,
    median_us: Option<f64>,
    p99_us: Option<f64>,
    distance_mean_us: Option<f64>,
    expanded_mean: Option<f64>,
    generated_mean: Option<f64>,
    optimal: usize,
    suboptimality_mean: Option<f64>,
    suboptimality_max: Option<f64>,
    illegal: usize,
}

pub(crate) fn run(args: &BenchArgs, output: &mut Output) -> Result<Outcome, Error> {
    let subject = load::load(&args.map)?;
    let index = args.index.as_deref().map(Index::open).transpose()?;
    let selection = select(args, index.as_ref(), &subject)?;
    #[cfg(feature = "gpu")]
    let on_gpu = OnGpu::open(&selection)?;
    let start = Instant::now();
    let opened = index.map(|index| index.engine(index.method()?, &subject)).transpose()?;
    let open_time = start.elapsed();
    let workload = Workload::gather(&subject, &args.workload.wanted(), &output.bars())?;
    if args.json {
        introduction::note(&workload, output);
    } else {
        introduction::tell(&subject, &workload, output)?;
    }
    measuring::show_skipped(&selection, args.json, output)?;
    if let Some(engine) = opened.as_ref().filter(|_| !args.json) {
        let time = text::micros(micros(&open_time));
        writeln!(output, "  {:18} opened in {time}", engine.name())?;
    }
    let mut exact_answers: Option<Vec<_>> = None;
    #[cfg_attr(not(feature = "gpu"), expect(unused_mut))]
    let mut measured = measuring::gather(&selection, output, |method, output| {
        let bars = output.bars();
        let mut measured = match opened.as_ref().filter(|engine| engine.name() == method.name()) {
            Some(engine) => timing::measure_opened(&**engine, &subject, &workload, &bars),
            None => timing::measure(method, &subject, &workload, &bars)?,
        };
        if method.exact() {
            let tally = &mut measured.tally;
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        let described = measured.tally.first_faults(&subject, &workload);
        let faults = described.into_iter().map(|fault| format!("{}: {fault}", method.name()));
        let figures = Box::new(QueryFigures::new(method, measured, &workload));
        Ok((Figures::Queries(figures), faults.collect()))
    })?;
    #[cfg(feature = "gpu")]
    on_gpu.on_each(|gpu, method| {
        let mut batch = gpu::measure(method, gpu, (&subject, &workload), &output.bars())?;
        if method.exact {
            let tally = &mut batch.tally;
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        let described = batch.tally.first_faults(&subject, &workload);
        let described = described.into_iter().map(|fault| format!("{}: {fault}", method.name));
        measured.faults.extend(described);
        let figures = BatchFigures::new((method, gpu), &batch, &workload);
        measured.lines.push(Figures::Batch(Box::new(figures)));
        Ok::<_, Error>(())
    })?;
    let outcome = measuring::print(&measured, args.json, output)?;
    Ok(if workload.disputed.is_empty() { outcome } else { Outcome::Wrong })
}

/// The engines that were named. That of the index must be one of them, and is the only one if none
/// was named.
fn select(args: &BenchArgs, index: Option<&Index>, subject: &Subject) -> Result<Selection, Error> {
    let names = &args.workload.engines;
    let Some(index) = index else { return Ok(engines::select_for_batches(names, subject)?) };
    let engine = index.method()?.name();
    if names.is_empty() {
        return Ok(engines::select(&[engine.to_owned()], subject)?);
    }
    let selection = engines::select_for_batches(names, subject)?;
    if selection.chosen.iter().all(|method| method.name() != engine) {
        let path = args.index.clone().unwrap_or_default();
        return Err(Error::IndexUnused { path, engine: engine.to_owned() });
    }
    Ok(selection)
}

impl QueryFigures {
    fn new(method: &'static dyn Method, measured: Measured, workload: &Workload) -> Self {
        let Measured { paths, distances, counter, tally, .. } = &measured;
        let queries = workload.queries.len();
        let mean = |sum: u64| (queries > 0).then(|| rounded(sum as f64 / queries as f64, 3));
        // To the nanosecond, finer than any clock.
        let seconds = |time: Duration| rounded(time.as_secs_f64(), 9);
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        let suboptimality = tally.suboptimality();
        Self {
            engine: method.name(),
            exact: method.exact(),
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
            form: measured.form,
        }
    }
}

impl Line for Figures {
    fn headings(&self) -> &'static [&'static str] {
        match self {
            Self::Queries(figures) => figures.headings(),
            #[cfg(feature = "gpu")]
            Self::Batch(figures) => figures.headings(),
        }
    }

    fn cells(&self) -> Vec<String> {
        match self {
            Self::Queries(figures) => figures.cells(),
            #[cfg(feature = "gpu")]
            Self::Batch(figures) => figures.cells(),
        }
    }
}

impl Line for QueryFigures {
    fn headings(&self) -> &'static [&'static str] {
        &[
            "engine",
            "build",
            "index",
            "mean",
            "median",
            "p99",
            "distance",
            "expanded",
            "generated",
            "optimal",
            "excess",
            "illegal",
        ]
    }

    fn cells(&self) -> Vec<String> {
        let count =
            |count: Option<f64>| count.map_or("-".into(), |count| grouped(count.round() as u64));
        let excess = self.suboptimality_mean;
        vec![
            self.engine.to_owned(),
            text::time(self.build_s.map(|seconds| seconds * 1e6)),
            bytes(self.index_bytes),
            text::time(self.mean_us),
            text::time(self.median_us),
            text::time(self.p99_us),
            text::time(self.distance_mean_us),
            count(self.expanded_mean),
            count(self.generated_mean),
            format!("{}/{}", grouped(self.optimal), grouped(self.queries)),
            excess.map_or("-".into(), |excess| format!("{:.2} %", excess * 100.0)),
            grouped(self.illegal),
        ]
    }
}
