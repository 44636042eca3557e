//! `portolan edit-bench`.

pub(crate) mod replay;
pub(crate) mod script;

use std::time::{Duration, Instant};

use portolan::Map;
use portolan::registry::Method;
use serde::Serialize;

use crate::args::EditBenchArgs;
use crate::error::Error;
use crate::load::Loaded;
use crate::output::Output;
use crate::text::{self, grouped, rounded};
use crate::{Outcome, engines};
use replay::Replayed;
use script::{SEARCHES, Step, Where};

/// What is printed for one engine; names and order are fixed.
#[derive(Serialize)]
struct Line {
    engine: &'static str,
    exact: bool,
    build_s: f64,
    edits: usize,
    edit_mean_us: Option<f64>,
    edit_p99_us: Option<f64>,
    /// Null where no edit left anything to ask.
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
    let loaded = Loaded::load(&args.map)?;
    let place = if args.on_paths { Where::OnPaths } else { Where::Anywhere };
    let selection = engines::select_for_edits(&args.engines, &loaded)?;
    let script = script::draw(&loaded, args.edits as usize, place, output)?;
    if !args.json {
        tell(&loaded, &script, place, output)?;
    }
    for skipped in &selection.skipped {
        let (method, reason) = (skipped.method, &skipped.reason);
        match args.json {
            true => output.complain(format_args!("note: {method} skipped: {reason}\n")),
            false => writeln!(output, "  {method:18} skipped: {reason}")?,
        }
    }
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for &method in &selection.chosen {
        match measure(method, &loaded, &script, output) {
            Err(error) if selection.does_without(&error) => {
                engines::note_skipped(method, &error, output);
            }
            measured => {
                let (build, replayed) = measured?;
                lines.push(Line::new(method, build, script.len(), &replayed));
                faults.extend(replayed.faults.lines(method.name()));
            }
        }
    }
    if args.json {
        output.json(&lines)?;
    } else {
        writeln!(output, "\n{}", table(&lines))?;
    }
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    Ok(if faults.is_empty() { Outcome::Done } else { Outcome::Wrong })
}

/// Builds the engine and takes it through the script.
fn measure(
    method: &'static dyn Method,
    loaded: &Loaded,
    script: &[Step],
    output: &Output,
) -> Result<(Duration, Replayed), Error> {
    let start = Instant::now();
    let engine = engines::build_watched(method, loaded, output)?;
    let build = start.elapsed();
    Ok((build, replay::replay(engine, loaded, script, || true, output)?))
}

fn tell(loaded: &Loaded, script: &[Step], place: Where, output: &mut Output) -> Result<(), Error> {
    let edits = text::count(script.len(), "edit", "edits");
    let what = match (&loaded.map, place) {
        (Map::Grid(_), Where::Anywhere) => "one cell blocked or freed each",
        (Map::Graph(_), Where::Anywhere) => "one weight doubled or restored each",
        (Map::Grid(_), Where::OnPaths) => "a cell on a path blocked each, older ones freed",
        (Map::Graph(_), Where::OnPaths) => "a weight on a path doubled each, older ones restored",
    };
    let (path, seed) = (loaded.path.display(), loaded.settings.seed);
    writeln!(output, "{path}: {edits} ({what}, seed {seed}), {SEARCHES} searches after each")?;
    writeln!(output, "  lengths compared with a Dijkstra search of this program's own")?;
    output.flush()
}

impl Line {
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
            wrong: replayed.faults.len(),
            dynamic: dynamic(replayed),
        }
    }

    /// The time for so many searches after an edit.
    fn total(&self, searches: u32) -> Option<f64> {
        let mut totals = self.dynamic.iter();
        totals.find(|total| total.searches_per_build == searches).map(|total| total.total_us)
    }
}

/// What one edit and 10, 20, ... 100 searches take; empty where nothing could be asked.
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

fn table(lines: &[Line]) -> String {
    let headings =
        ["engine", "build", "edit", "edit p99", "first", "edit + 10", "edit + 100", "wrong"];
    let time = |time: Option<f64>| time.map_or("-".into(), text::micros);
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            vec![
                line.engine.to_owned(),
                text::micros(line.build_s * 1e6),
                time(line.edit_mean_us),
                time(line.edit_p99_us),
                time(line.first_query_mean_us),
                time(line.total(10)),
                time(line.total(100)),
                grouped(line.wrong),
            ]
        })
        .collect();
    text::table(&headings, &rows)
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
