//! The report of `peers`: how times are measured, summaries over all maps, a table per map.

use portolan::METHODS;

use super::entrant::{BASELINE, PEERS, Peer};
use super::results::{EngineResult, MapResult, Measured, Pass, Tally};
use crate::report::{Axis, Better, Cell, Draw, Mark, Note, Plot, Report, Section, Series, Table};

/// Summaries use the maps on which the baseline takes at least this many microseconds per path.
pub(crate) const WORTHWHILE_US: f64 = 1000.0;

/// Creates the report. The Markdown links to the plots as files, whose names start with `drawing`.
pub(crate) fn report(results: &[MapResult], drawing: &str) -> Report {
    let mut report = Report::new("Portolan beside its peers");
    report.intro = INTRO.into();
    report.date = span(results.iter().map(|result| result.date.as_str()));
    report.machine = distinct(results.iter().map(|result| result.machine.as_str())).join("; ");
    let options = distinct(results.iter().map(|result| result.options.as_str())).join("; ");
    report.facts.push(("Options".into(), options));
    let names = distinct(results.iter().flat_map(|r| &r.engines).map(|e| e.name.as_str()));
    let engines: Vec<Engine<'_>> = names.iter().map(|name| Engine::new(name, results)).collect();
    report.sections.push(summary(&engines, results, drawing));
    report.sections.push(map_by_map(&engines, results));
    report.sections.push(paths(&engines));
    report.sections.push(peers(&names));
    report.sections.push(own(&names));
    report.sections.extend(results.iter().map(one_map));
    report
}

const INTRO: &str = "Every time is that of a full path, cell by cell, on one thread. Grids have eight directions; a diagonal \
    step needs both orthogonal neighbours free. Every path of every engine is walked step by step, and its cost is compared with \
    the optimum, which Portolan's A* computes and the scenario confirms.\n\n\
    One engine answers all queries of a map before the next one starts. There are several rounds, each started by a different \
    engine. The first round checks the paths and is not timed. Every other round has two passes over all queries: before the first \
    pass, other engines have used the caches; the repeated pass follows immediately. A pass counts as the mean over its queries, \
    and the tables show the median over the rounds. An engine that exceeds the time cap gets fewer queries, spread evenly over \
    the file, and its speed relative to the baseline is computed on these queries only. Distances are measured after the paths.\n\n\
    Memory: index is what is allocated after a map is prepared; work is the peak memory of the queries in addition to the \
    index, including scratch space that they keep. The allocator counts both, with two exceptions: engines of Portolan report \
    their large arrays, which are mapped pages, and fast_paths is prepared in a separate process, so its index is \
    computed from its numbers of nodes and edges. The map is not counted. All engines prepare on one thread.";

/// One engine on all maps.
struct Engine<'a> {
    name: &'a str,
    /// The figures of each map, with the baseline's time there.
    measured: Vec<(&'a Measured, Option<f64>)>,
    left_out: usize,
}

impl<'a> Engine<'a> {
    fn new(name: &'a str, results: &'a [MapResult]) -> Self {
        let mut engine = Self { name, measured: Vec::new(), left_out: 0 };
        for result in results {
            match find(result, name) {
                Some(Ok(measured)) => engine.measured.push((measured, baseline_us(result))),
                Some(Err(_)) => engine.left_out += 1,
                None => {}
            }
        }
        engine
    }

    /// The geometric mean of a figure over the maps on which the baseline takes long.
    fn mean(&self, figure: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
        let worthwhile = self.measured.iter().filter(|(_, baseline)| is_worthwhile(*baseline));
        let figures = worthwhile.filter_map(|(measured, _)| figure(measured));
        geometric_mean(figures.filter(|&figure| figure > 0.0))
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.measured.iter().for_each(|(measured, _)| tally.add(&measured.tally));
        tally
    }
}

fn find<'a>(result: &'a MapResult, name: &str) -> Option<Result<&'a Measured, &'a str>> {
    let engine = result.engines.iter().find(|engine| engine.name == name)?;
    Some(engine.outcome.as_ref().map_err(String::as_str))
}

fn baseline_us(result: &MapResult) -> Option<f64> {
    find(result, BASELINE)?.ok()?.path.repeated_us
}

fn is_worthwhile(baseline_us: Option<f64>) -> bool {
    baseline_us.is_some_and(|time| time >= WORTHWHILE_US)
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    let count = logarithms.len() as f64;
    (count > 0.0).then(|| (logarithms.iter().sum::<f64>() / count).exp())
}

fn summary(engines: &[Engine<'_>], results: &[MapResult], drawing: &str) -> Section {
    let worthwhile = results.iter().filter(|result| is_worthwhile(baseline_us(result))).count();
    let mut table = Table::new([
        "engine",
        "maps",
        "path, first pass: speed relative to pathfinding",
        "path, repeated: relative speed",
        "distance, repeated: speed relative to a path of pathfinding",
        "path us, repeated",
        "prepare s (CPU)",
        "index MB",
        "work MB",
        "shortest legal paths %",
    ])
    .caption(format!(
        "Geometric means over the {worthwhile} of {} maps on which {BASELINE} takes at least {} ms on average. An engine that \
         could not be prepared for all of them has the mean over fewer. Paths that are illegal or not shortest are timed too; \
         the last column shows the share of shortest legal paths on all maps.",
        results.len(),
        WORTHWHILE_US / 1000.0
    ));
    for engine in engines {
        let maps = engine.measured.iter().filter(|(_, us)| is_worthwhile(*us)).count();
        let tally = engine.tally();
        table.row([
            engine.name.into(),
            Cell::number(maps as f64, 0),
            optional(engine.mean(|measured| measured.speed(Pass::First)), 2),
            optional(engine.mean(|measured| measured.speed(Pass::Repeated)), 2),
            optional(engine.mean(|measured| measured.distance_speed(Pass::Repeated)), 2),
            optional(engine.mean(|measured| measured.path.repeated_us), 2),
            optional(engine.mean(|measured| Some(measured.prepare_cpu_s)), 3),
            optional(engine.mean(|measured| Some(megabytes(measured.prepared_bytes))), 2),
            optional(engine.mean(|measured| Some(megabytes(measured.working_bytes))), 3),
            Cell::number(100.0 * tally.optimal as f64 / tally.asked as f64, 1),
        ]);
    }
    for column in [2, 3, 4] {
        table.mark_best(column, Better::Higher);
    }
    let section = Section::new("Time and memory").with(table);
    section.with(mean_plot(engines, drawing)).with(plot(engines, drawing))
}

/// Both axes of a plot of time against memory.
fn time_against_memory(title: &str) -> Plot {
    let axes = (Axis::log("Memory, index and work").unit("MB"), Axis::log("Path").unit("us"));
    Plot::new(title, axes.0, axes.1)
}

/// A point per engine.
fn mean_plot(engines: &[Engine<'_>], drawing: &str) -> Plot {
    let plot = time_against_memory("Time against memory")
        .caption(
            "Repeated passes. One point per engine: the geometric means over the maps of the table above. Lower and further \
             left is better.",
        )
        .link(format!("{drawing}-time-memory.svg"));
    engines.iter().fold(plot, |plot, engine| {
        let memory = engine.mean(|measured| Some(megabytes(measured.bytes())));
        let time = engine.mean(|measured| measured.path.repeated_us);
        plot.with(Series::ours(engine.name, memory.zip(time)).draw(Draw::Markers))
    })
}

/// A point per engine and map.
fn plot(engines: &[Engine<'_>], drawing: &str) -> Plot {
    let plot = time_against_memory("Time against memory, map by map")
        .caption("Repeated passes. One point per engine and map.")
        .link(format!("{drawing}-time-memory-maps.svg"));
    engines.iter().fold(plot, |plot, engine| {
        let points = engine.measured.iter().filter_map(|(measured, _)| {
            Some((megabytes(measured.bytes()), measured.path.repeated_us?))
        });
        plot.with(Series::ours(engine.name, points).draw(Draw::Markers))
    })
}

/// A row per map and a column per engine: times, and how many times as fast as the baseline.
fn map_by_map(engines: &[Engine<'_>], results: &[MapResult]) -> Section {
    let repeated_us = |measured: &Measured| measured.path.repeated_us;
    let first_us = |measured: &Measured| measured.path.first_us;
    let speed = |measured: &Measured| measured.speed(Pass::Repeated);
    Section::new("Map by map")
        .with("Mean time of a full path in us, repeated passes. Bold: the best engine whose paths were all shortest.")
        .with(matrix(engines, results, (repeated_us, 2), Better::Lower))
        .with("Mean time of a full path in us, first passes.")
        .with(matrix(engines, results, (first_us, 2), Better::Lower))
        .with("Speed relative to pathfinding, repeated passes.")
        .with(matrix(engines, results, (speed, 1), Better::Higher))
}

/// One figure of all engines on all maps, with this many digits.
fn matrix(
    engines: &[Engine<'_>],
    results: &[MapResult],
    (figure, digits): (impl Fn(&Measured) -> Option<f64>, usize),
    better: Better,
) -> Table {
    let names = engines.iter().map(|engine| engine.name);
    let mut table = Table::new(["map"].into_iter().chain(names.clone()));
    for result in results {
        let measured = |name| find(result, name).and_then(Result::ok);
        let exact = names.clone().filter_map(measured).filter(|measured| measured.tally.is_clean());
        let best = exact.filter_map(&figure).reduce(match better {
            Better::Lower => f64::min,
            Better::Higher => f64::max,
        });
        let cell = |name| {
            let measured = measured(name);
            let value = measured.and_then(&figure);
            let cell = optional(value, digits);
            let is_best = value.is_some()
                && value == best
                && measured.is_some_and(|measured| measured.tally.is_clean());
            if is_best { cell.marked(Mark::Good) } else { cell }
        };
        table.row([Cell::text(&result.map)].into_iter().chain(names.clone().map(cell)));
    }
    table
}

fn paths(engines: &[Engine<'_>]) -> Section {
    let mut section = Section::new("Paths");
    let mut table = Table::new(
        ["engine", "maps", "maps not measured", "paths"].into_iter().chain(TALLY_COLUMNS),
    )
    .caption("All maps. The length of a path that cuts a corner is not compared.");
    let mut notes = Vec::new();
    for engine in engines {
        let tally = engine.tally();
        let counts = [engine.measured.len(), engine.left_out, tally.asked];
        let counts = counts.into_iter().map(|count| Cell::number(count as f64, 0));
        table.row([Cell::text(engine.name)].into_iter().chain(counts).chain(tally_cells(&tally)));
        notes.extend(note(engine.name, &tally));
    }
    section.push(table);
    notes.into_iter().fold(section, Section::with)
}

const TALLY_COLUMNS: [&str; 7] = [
    "optimal",
    "longer",
    "mean length : optimum",
    "worst",
    "cut corners",
    "illegal otherwise",
    "no answer",
];

fn tally_cells(tally: &Tally) -> [Cell; 7] {
    let bad = |count: usize| match count {
        0 => Cell::number(0.0, 0),
        count => Cell::number(count as f64, 0).marked(Mark::Bad),
    };
    let worst = (tally.longer > 0).then_some(tally.worst_ratio);
    [
        Cell::number(tally.optimal as f64, 0),
        bad(tally.longer),
        optional(tally.mean_ratio(), 3),
        optional(worst, 3),
        bad(tally.cut_corners),
        bad(tally.illegal + tally.contradictions),
        bad(tally.no_answer),
    ]
}

/// One line about the wrong paths of an engine.
fn note(name: &str, tally: &Tally) -> Option<Note> {
    if tally.is_clean() {
        return None;
    }
    let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / tally.asked as f64);
    let mut faults = Vec::new();
    if tally.cut_corners > 0 {
        faults.push(format!("{} cut corners", share(tally.cut_corners)));
    }
    if let Some(ratio) = tally.mean_ratio() {
        faults.push(format!(
            "{} are legal but longer than the optimum, by {:.1} % on average and at most {:.1} %",
            share(tally.longer),
            100.0 * (ratio - 1.0),
            100.0 * (tally.worst_ratio - 1.0)
        ));
    }
    let others = tally.illegal + tally.no_answer + tally.contradictions;
    if let Some(example) = &tally.example {
        faults.push(format!("{} are missing or wrong, for example: {example}", share(others)));
    }
    Some(Note::new(Mark::Bad, format!("Paths of {name}: {}.", faults.join("; "))))
}

/// The peers in this report.
fn peers(names: &[&str]) -> Section {
    let mut table = Table::new(["peer", "version", "setup"]);
    for peer in PEERS.iter().filter(|peer| names.contains(&peer.name)) {
        table.row([peer.name.to_owned(), version(peer), peer.remark.to_owned()]);
    }
    Section::new("Peers").with(table)
}

/// The engines of Portolan in this report.
fn own(names: &[&str]) -> Section {
    let mut table = Table::new(["engine", "description"]).caption(concat!(
        "Portolan ",
        env!("CARGO_PKG_VERSION"),
        ". On grids of one terrain, atlas is atlas-uniform, which has hub labels of corners only."
    ));
    for method in METHODS.iter().filter(|method| names.contains(&method.name())) {
        table.row([method.name(), method.summary()]);
    }
    Section::new("Engines of Portolan").with(table)
}

/// The version in the lock file of the checkout.
fn version(peer: &Peer) -> String {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    let head = format!("name = \"{}\"\nversion = \"", peer.package);
    let found = lock.split_once(&head).and_then(|(_, rest)| rest.split_once('"'));
    found.map_or("unknown", |(version, _)| version).to_owned()
}

fn one_map(result: &MapResult) -> Section {
    let columns = [
        "engine",
        "queries",
        "path us, first pass",
        "path us, repeated",
        "relative speed, repeated",
        "distance us, repeated",
    ];
    let costs = ["prepare s", "prepare s (CPU)", "index MB", "work MB"];
    let mut table = Table::new(columns.into_iter().chain(costs).chain(TALLY_COLUMNS));
    let mut left_out = Vec::new();
    for EngineResult { name, outcome } in &result.engines {
        match outcome {
            Ok(measured) => table.row(row(name, measured)),
            Err(reason) => left_out.push(format!("{name}: {reason}")),
        }
    }
    for column in [2, 3, 5] {
        table.mark_best(column, Better::Lower);
    }
    let mut words = format!("{} nodes, {} queries.", result.nodes, result.queries);
    if result.unusable > 0 {
        words += &format!(
            " {} lines of the file were skipped because an end is blocked or outside the map.",
            result.unusable
        );
    }
    if !left_out.is_empty() {
        words += &format!(" Not measured: {}.", left_out.join("; "));
    }
    Section::new(&result.map).with(words).with(table)
}

fn row(name: &str, measured: &Measured) -> Vec<Cell> {
    let mut cells = vec![
        name.into(),
        Cell::number(measured.tally.asked as f64, 0),
        optional(measured.path.first_us, 2),
        optional(measured.path.repeated_us, 2),
        optional(measured.speed(Pass::Repeated), 2),
        optional(measured.distance.repeated_us, 2),
        optional(measured.prepare_s, 3),
        Cell::number(measured.prepare_cpu_s, 3),
        Cell::number(megabytes(measured.prepared_bytes), 2),
        Cell::number(megabytes(measured.working_bytes), 3),
    ];
    cells.extend(tally_cells(&measured.tally));
    cells
}

fn optional(value: Option<f64>, digits: usize) -> Cell {
    value.map_or_else(Cell::missing, |value| Cell::number(value, digits))
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// Every word once, in order of first occurrence.
fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct
}

/// The first and the last of some dates.
fn span<'a>(dates: impl Iterator<Item = &'a str> + Clone) -> String {
    match (dates.clone().min(), dates.max()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (first, _) => first.unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::results::PassTimes;

    #[test]
    fn means_are_taken_where_the_baseline_takes_long() {
        let times = |us| PassTimes { first_us: Some(2.0 * us), repeated_us: Some(us) };
        let result = |map: &str, baseline, own| MapResult {
            map: map.into(),
            nodes: 9,
            queries: 3,
            unusable: 0,
            date: "2026-01-01".into(),
            machine: "one".into(),
            options: String::new(),
            engines: [(BASELINE, baseline), ("quick", own)]
                .map(|(name, path_us)| EngineResult {
                    name: name.into(),
                    outcome: Ok(Measured {
                        path: times(path_us),
                        baseline: times(baseline),
                        ..Measured::default()
                    }),
                })
                .into(),
        };
        let results =
            [result("a", 2000.0, 1000.0), result("b", 8000.0, 1000.0), result("c", 10.0, 10.0)];
        let engine = Engine::new("quick", &results);
        assert!(
            (engine.mean(|measured| measured.speed(Pass::Repeated)).unwrap() - 4.0).abs() < 1e-9
        );
        let text = report(&results, "a.svg").to_markdown();
        assert!(text.contains("| quick | 2 | **4.00** | **4.00** |"), "{text}");
        assert!(text.contains("over the 2 of 3 maps"), "{text}");
        assert!(text.contains("| b | 8,000.00 | **1,000.00** |"), "{text}");
        assert!(text.contains("| b | 1.0 | **8.0** |"), "{text}");
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        for peer in &PEERS {
            assert!(version(peer).starts_with(|c: char| c.is_ascii_digit()), "{}", peer.name);
        }
    }

    #[test]
    fn faults_are_described() {
        let tally = Tally {
            asked: 10,
            optimal: 5,
            longer: 2,
            ratio_sum: 2.4,
            worst_ratio: 1.3,
            cut_corners: 3,
            ..Tally::default()
        };
        let text = note("x", &tally).unwrap().text;
        assert_eq!(
            text,
            "Paths of x: 30.0 % cut corners; 20.0 % are legal but longer than the optimum, by 20.0 % \
             on average and at most 30.0 %."
        );
        assert_eq!(note("x", &Tally { asked: 3, optimal: 3, ..Tally::default() }), None);
    }
}
