//! `portolan bench`.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::args::BenchArgs;
use crate::engines::{self, Selection};
use crate::error::Error;
use crate::index::Index;
use crate::load::Loaded;
use crate::measure::{self, Measured};
use crate::output::Output;
use crate::text::{self, bytes, grouped, rounded};
use crate::workload::Workload;
use crate::{Outcome, introduction};

/// What is printed for one engine; names and order are fixed.
#[derive(Serialize)]
struct Line {
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
    let loaded = Loaded::load(&args.map)?;
    let index = args.index.as_deref().map(Index::open).transpose()?;
    let selection = select(args, index.as_ref(), &loaded)?;
    let start = Instant::now();
    let opened = index.map(|index| index.engine(index.method()?, &loaded)).transpose()?;
    let open_time = start.elapsed();
    let workload = Workload::gather(&loaded, &args.workload, output)?;
    if args.json {
        introduction::note(&workload, &selection, output);
    } else {
        introduction::tell(&loaded, &workload, output)?;
        for skipped in &selection.skipped {
            writeln!(output, "  {:18} skipped: {}", skipped.method, skipped.reason)?;
        }
        if let Some(engine) = &opened {
            let time = text::micros(measure::micros(&open_time));
            writeln!(output, "  {:18} opened in {time}", engine.name())?;
        }
    }
    let mut lines = Vec::new();
    let mut faults = Vec::new();
    let mut exact_answers: Option<Vec<_>> = None;
    for &method in &selection.chosen {
        let measured = match opened.as_ref().filter(|engine| engine.name() == method.name()) {
            Some(engine) => Ok(measure::measure_opened(&**engine, &loaded, &workload, output)),
            None => measure::measure(method, &loaded, &workload, output),
        };
        let mut measured = match measured {
            Err(error) if selection.does_without(&error) => {
                engines::note_skipped(method, &error, output);
                continue;
            }
            measured => measured?,
        };
        if method.exact() {
            let tally = &mut measured.tally;
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        let described = measured.tally.first_faults(&loaded, &workload);
        faults.extend(described.into_iter().map(|fault| format!("{}: {fault}", method.name())));
        lines.push(Line::new(method.name(), method.exact(), measured, &workload));
    }
    if args.json {
        output.json(&lines)?;
    } else {
        writeln!(output, "\n{}", table(&lines))?;
    }
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    let all_right = faults.is_empty() && workload.disputed.is_empty();
    Ok(if all_right { Outcome::Done } else { Outcome::Wrong })
}

/// The engines that were asked for; that of the index must be one of them, and is the only one
/// where none was named.
fn select(args: &BenchArgs, index: Option<&Index>, loaded: &Loaded) -> Result<Selection, Error> {
    let names = &args.workload.engines;
    let Some(index) = index else { return engines::select(names, loaded) };
    let engine = index.method()?.name();
    if names.is_empty() {
        return engines::select(&[engine.to_owned()], loaded);
    }
    let selection = engines::select(names, loaded)?;
    if selection.chosen.iter().all(|method| method.name() != engine) {
        let path = args.index.clone().unwrap_or_default();
        return Err(Error::IndexUnused { path, engine: engine.to_owned() });
    }
    Ok(selection)
}

impl Line {
    fn new(engine: &'static str, exact: bool, measured: Measured, workload: &Workload) -> Self {
        let Measured { paths, distances, counter, tally, .. } = &measured;
        let queries = workload.queries.len();
        let mean = |sum: u64| (queries > 0).then(|| rounded(sum as f64 / queries as f64, 3));
        // To the nanosecond, finer than any clock.
        let seconds = |time: Duration| rounded(time.as_secs_f64(), 9);
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        let suboptimality = tally.suboptimality();
        Self {
            engine,
            exact,
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

fn table(lines: &[Line]) -> String {
    let headings = [
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
    ];
    let time = |time: Option<f64>| time.map_or("-".into(), text::micros);
    let count =
        |count: Option<f64>| count.map_or("-".into(), |count| grouped(count.round() as u64));
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let excess = line.suboptimality_mean;
            vec![
                line.engine.to_owned(),
                time(line.build_s.map(|seconds| seconds * 1e6)),
                bytes(line.index_bytes),
                time(line.mean_us),
                time(line.median_us),
                time(line.p99_us),
                time(line.distance_mean_us),
                count(line.expanded_mean),
                count(line.generated_mean),
                format!("{}/{}", grouped(line.optimal), grouped(line.queries)),
                excess.map_or("-".into(), |excess| format!("{:.2} %", excess * 100.0)),
                grouped(line.illegal),
            ]
        })
        .collect();
    text::table(&headings, &rows)
}
