//! `portolan edit-bench`.

use std::time::{Duration, Instant};

use portolan::Map;
use portolan::registry::Method;
use portolan_bench::engines::{self, Selection};
use portolan_bench::text::{self, grouped, rounded};
use portolan_bench::timing::edits::{Replayed, follow};
use portolan_bench::timing::traffic::{InTraffic, in_traffic};
use portolan_bench::workload::Subject;
use portolan_bench::workload::edits::{self, SEARCHES, Step, Where};
use serde::Serialize;

use crate::args::EditBenchArgs;
use crate::error::Error;
use crate::measuring::{self, Line};
use crate::output::Output;
use crate::{Outcome, load};

/// What is printed for one engine; names and order are fixed.
#[derive(Serialize)]
struct Figures {
    engine: &'static str,
    exact: bool,
    build_s: f64,
    edits: usize,
    edit_mean_us: Option<f64>,
    edit_p99_us: Option<f64>,
    /// Null if no edit left anything passable.
    first_query_mean_us: Option<f64>,
    wrong: usize,
    dynamic: Vec<Total>,
}

/// The dynamic performance metric of Kring, Champandard and Samarin, "DHPA* and SHPA*" (AIIDE
/// 2010): all the time that one change of the map and the searches up to the next one take.
#[derive(Serialize)]
struct Total {
    searches_per_build: u32,
    total_us: f64,
}

pub(crate) fn run(args: &EditBenchArgs, output: &mut Output) -> Result<Outcome, Error> {
    let subject = load::load(&args.map)?;
    let place = if args.on_paths { Where::OnPaths } else { Where::Anywhere };
    let selection = engines::select_for_edits(&args.engines, &subject)?;
    if args.traffic {
        return run_traffic(args, &subject, &selection, output);
    }
    let script = edits::draw(&subject, args.edits as usize, place, &output.bars())?;
    if !args.json {
        tell(&subject, &script, place, output)?;
    }
    measuring::show_skipped(&selection, args.json, output)?;
    measuring::run(&selection, args.json, output, |method, output| {
        let (start, bars) = (Instant::now(), output.bars());
        let engine = engines::build(method, &subject, &bars)?;
        let build = start.elapsed();
        let replayed = follow(engine, &subject, &script, || true, &bars)?;
        let faults = replayed.faults.lines(method.name());
        Ok((Figures::new(method, build, script.len(), &replayed), faults))
    })
}

fn run_traffic(
    args: &EditBenchArgs,
    subject: &Subject,
    selection: &Selection,
    output: &mut Output,
) -> Result<Outcome, Error> {
    if !args.json {
        let (path, seed) = (subject.path.display(), subject.settings.seed);
        writeln!(output, "{path}: new weights for all edges, then for a tenth (seed {seed})")?;
        output.flush()?;
    }
    measuring::show_skipped(selection, args.json, output)?;
    measuring::run(selection, args.json, output, |method, output| {
        let found = in_traffic(method, subject, &output.bars())?;
        let faults = found.replayed.faults.lines(method.name());
        Ok((TrafficFigures::new(method, &found), faults))
    })
}

fn tell(
    subject: &Subject,
    script: &[Step],
    place: Where,
    output: &mut Output,
) -> Result<(), Error> {
    let edits = text::count(script.len(), "edit", "edits");
    let what = match (&subject.map, place) {
        (Map::Grid(_), Where::Anywhere) => "one cell blocked or freed each",
        (Map::Graph(_), Where::Anywhere) => "one weight doubled or restored each",
        (Map::Grid(_), Where::OnPaths) => "a cell on a path blocked each, older ones freed",
        (Map::Graph(_), Where::OnPaths) => "a weight on a path doubled each, older ones restored",
    };
    let (path, seed) = (subject.path.display(), subject.settings.seed);
    writeln!(output, "{path}: {edits} ({what}, seed {seed}), {SEARCHES} searches after each")?;
    writeln!(output, "  lengths compared with a Dijkstra search of this program's own")?;
    output.flush()
}

impl Figures {
    fn new(method: &dyn Method, build: Duration, edits: usize, replayed: &Replayed) -> Self {
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        Self {
            engine: method.name(),
            exact: method.exact(),
            build_s: rounded(build.as_secs_f64(), 9),
            edits,
            edit_mean_us: micros(replayed.edits.mean()),
            edit_p99_us: micros(replayed.edits.quantile(0.99)),
            first_query_mean_us: micros(replayed.first.mean()),
            wrong: replayed.faults.count(),
            dynamic: dynamic(replayed),
        }
    }

    /// The time for an edit and this many searches.
    fn total(&self, searches: u32) -> Option<f64> {
        let mut totals = self.dynamic.iter();
        totals.find(|total| total.searches_per_build == searches).map(|total| total.total_us)
    }
}

/// What one edit and 10, 20, ... 100 searches take; empty if nothing was searched.
fn dynamic(replayed: &Replayed) -> Vec<Total> {
    let means = (replayed.edits.mean(), replayed.first.mean(), replayed.later.mean());
    let (Some(edit), Some(first), Some(later)) = means else { return Vec::new() };
    (10..=100)
        .step_by(10)
        .map(|searches| {
            let total_us = rounded(edit + first + f64::from(searches - 1) * later, 3);
            Total { searches_per_build: searches, total_us }
        })
        .collect()
}

/// What is printed for one engine with `--traffic`: medians. Names and order are fixed.
#[derive(Serialize)]
struct TrafficFigures {
    engine: &'static str,
    exact: bool,
    build_us: Option<f64>,
    all_weights_us: Option<f64>,
    tenth_us: Option<f64>,
    labels_us: Option<f64>,
    query_mean_us: Option<f64>,
    wrong: usize,
}

impl TrafficFigures {
    fn new(method: &dyn Method, found: &InTraffic) -> Self {
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        Self {
            engine: method.name(),
            exact: method.exact(),
            build_us: micros(found.builds.quantile(0.5)),
            all_weights_us: micros(found.all.quantile(0.5)),
            tenth_us: micros(found.tenth.quantile(0.5)),
            labels_us: micros(found.rebuilds.quantile(0.5)),
            query_mean_us: micros(found.replayed.later.mean()),
            wrong: found.replayed.faults.count(),
        }
    }
}

impl Line for TrafficFigures {
    fn headings(&self) -> &'static [&'static str] {
        &["engine", "build", "all weights", "a tenth", "labels", "path before labels", "wrong"]
    }

    fn cells(&self) -> Vec<String> {
        let times =
            [self.build_us, self.all_weights_us, self.tenth_us, self.labels_us, self.query_mean_us];
        let times = times.into_iter().map(text::time);
        let first = [self.engine.to_owned()].into_iter();
        first.chain(times).chain([grouped(self.wrong)]).collect()
    }
}

impl Line for Figures {
    fn headings(&self) -> &'static [&'static str] {
        &["engine", "build", "edit", "edit p99", "first", "edit + 10", "edit + 100", "wrong"]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.engine.to_owned(),
            text::micros(self.build_s * 1e6),
            text::time(self.edit_mean_us),
            text::time(self.edit_p99_us),
            text::time(self.first_query_mean_us),
            text::time(self.total(10)),
            text::time(self.total(100)),
            grouped(self.wrong),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_one_edit_one_first_search_and_the_others() {
        let mut replayed = Replayed::default();
        for (edit, first, later) in [(100, 30, 7), (300, 10, 9)] {
            replayed.edits.add(Duration::from_micros(edit));
            replayed.first.add(Duration::from_micros(first));
            replayed.later.add(Duration::from_micros(later));
        }
        let totals = dynamic(&replayed);
        assert_eq!(totals.len(), 10);
        assert_eq!((totals[0].searches_per_build, totals[9].searches_per_build), (10, 100));
        assert_eq!((totals[0].total_us, totals[9].total_us), (292.0, 1012.0));
        assert!(dynamic(&Replayed::default()).is_empty());
    }
}
