//! Engines with an index beside `pathfinding::astar` and `fast_paths`, on every real map with
//! queries.
//!
//! `cargo bench -p portolan-peers --bench index -- [OPTIONS]` prints a Markdown table and then the
//! geometric means of the ratios over the maps on which `pathfinding::astar` takes at least a
//! millisecond on average.
//!
//! | option | |
//! |---|---|
//! | `--engines a,b` | engines of `portolan::METHODS`; default: those of `PORTOLAN_ENGINES`, else `atlas-general` |
//! | `--limit N` | so many queries of each map, spread evenly over its file; default 200 |
//! | `--maps PART` | only maps whose folder and name contain this, as in `rooms/8room` |
//! | `--no-fast-paths` | without `fast_paths` |
//! | `--prepare-limit SECONDS` | how long `fast_paths` may prepare a map before it is left out; default 300 |
//! | `--block N` | so many queries are asked in a row before the next contestant; default 20 |
//! | `--warm` | also a table of those with an index when each is asked all queries of the file again and again, whatever the limit |
//!
//! The table of warm times has paths and distances, how many times as fast they are as a path of
//! `pathfinding::astar` on each map, and then the geometric means and the least of these ratios.
//!
//! Times are of full paths, cell by cell, unless they are called distances. How they are taken: see
//! `src/race.rs`. Every answer of the first table is checked against the file. Exit code 1 where
//! one is wrong or no map was found, 2 where the options are.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ProcessTime;
use portolan::registry::{self, Method};
use portolan::{Engine, METHODS, Settings};
use portolan_peers::contestant::{Own, Pathfinding};
use portolan_peers::contraction::{self, FastPaths, Prepared};
use portolan_peers::{Contestant, Figures, GRID_FOLDERS, Problem, Subject, Warm, files, race};

/// What an index of ours may take.
const MEMORY_LIMIT: u64 = 2 << 30;

/// Below this `pathfinding::astar` needs no help; in microseconds.
const WORTHWHILE_US: f64 = 1000.0;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = contraction::serve(&arguments) {
        return code;
    }
    let options = match Options::read(arguments) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let folders = [&GRID_FOLDERS[..], &["roads"]].concat();
    let files = files(&folders, &options.maps);
    if files.is_empty() {
        eprintln!("no map was found; PORTOLAN_MAPS names their folder");
        return ExitCode::FAILURE;
    }
    print_head();
    let (mut rows, mut warm, mut all_right) = (Vec::new(), Vec::new(), true);
    for file in files {
        match measure(&file, &options) {
            Ok(measured) => {
                for row in &measured.rows {
                    println!("{}", row.line());
                }
                for wrong in &measured.wrong {
                    eprintln!("{}: WRONG: {wrong}", file.display());
                }
                all_right &= measured.wrong.is_empty();
                rows.extend(measured.rows);
                warm.extend(measured.warm);
            }
            Err(problem) => {
                eprintln!("{}: {problem}", file.display());
                all_right = false;
            }
        }
    }
    for method in &options.engines {
        print_means(method.name(), &rows);
    }
    if options.warm {
        print_warm(&warm);
    }
    if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Options {
    engines: Vec<&'static dyn Method>,
    limit: usize,
    maps: String,
    fast_paths: bool,
    prepare_limit: Duration,
    block: usize,
    warm: bool,
}

impl Options {
    fn read(arguments: Vec<OsString>) -> Result<Self, Problem> {
        let (mut limit, mut block, mut seconds) = (200, 20, 300);
        let (mut maps, mut fast_paths, mut warm) = (String::new(), true, false);
        let mut engines =
            std::env::var("PORTOLAN_ENGINES").unwrap_or_else(|_| "atlas-general".into());
        let mut words = arguments.into_iter().map(|word| word.to_string_lossy().into_owned());
        while let Some(option) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                // Cargo adds this.
                "--bench" => {}
                "--engines" => engines = value()?,
                "--limit" => limit = number(&option, &value()?)?,
                "--maps" => maps = value()?,
                "--no-fast-paths" => fast_paths = false,
                "--warm" => warm = true,
                "--prepare-limit" => seconds = number(&option, &value()?)?,
                "--block" => block = number(&option, &value()?)?,
                other => return Err(format!("there is no option `{other}`").into()),
            }
        }
        let engines = engines.split(',').map(find).collect::<Result<_, _>>()?;
        let prepare_limit = Duration::from_secs(seconds as u64);
        Ok(Self { engines, limit, maps, fast_paths, prepare_limit, block, warm })
    }
}

fn number(option: &str, text: &str) -> Result<usize, String> {
    let found = text.parse().ok().filter(|&number| number > 0);
    found.ok_or_else(|| format!("{option} takes a number from 1, not `{text}`"))
}

fn find(name: &str) -> Result<&'static dyn Method, String> {
    registry::method(name).ok_or_else(|| {
        let known: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
        format!("there is no engine `{name}`; there are: {}", known.join(", "))
    })
}

/// An engine of ours that was built, and what that took.
struct Built {
    engine: Box<dyn Engine>,
    cpu: Duration,
}

/// The lines of one map.
struct Measured {
    rows: Vec<Row>,
    wrong: Vec<String>,
    /// For each contestant with an index, where warm times were asked for.
    warm: Vec<WarmRow>,
}

/// One contestant on one map with warm caches.
struct WarmRow {
    map: String,
    name: String,
    /// As in the other table: the best of three on the queries of the limit, which are spread over
    /// the file.
    pathfinding_us: f64,
    own: Warm,
}

/// One engine of ours on one map, beside the peers.
struct Row {
    map: String,
    queries: usize,
    pathfinding_us: f64,
    /// The time, and what the preparation took: seconds, and bytes.
    fast_paths: Option<(f64, Duration, usize)>,
    engine: &'static str,
    own: Option<OwnFigures>,
}

struct OwnFigures {
    distance_us: f64,
    path_us: f64,
    build: Duration,
    index_bytes: usize,
}

fn measure(file: &Path, options: &Options) -> Result<Measured, Problem> {
    let subject = Subject::load(file, options.limit)?;
    let prepared = if options.fast_paths { prepare(file, &subject, options) } else { None };
    let built: Vec<Option<Built>> =
        options.engines.iter().map(|&method| build(method, &subject)).collect();

    let mut contestants: Vec<Box<dyn Contestant + '_>> =
        vec![Box::new(Pathfinding::new(&subject.map)?)];
    if let Some(prepared) = &prepared {
        contestants.push(Box::new(FastPaths::new(&subject.map, prepared)));
    }
    for built in built.iter().flatten() {
        contestants.push(Box::new(Own::new(&*built.engine)));
    }
    let mut figures = race(&subject, &mut contestants, options.block);
    let mut warm = Vec::new();
    if options.warm {
        let all = Subject::load(file, usize::MAX)?;
        for contestant in &mut contestants[1..] {
            warm.push(WarmRow {
                map: subject.name.clone(),
                name: contestant.name().to_owned(),
                pathfinding_us: figures[0].path_us,
                own: Warm::measure(&all, &mut **contestant),
            });
        }
    }
    let wrong = figures.iter_mut().flat_map(|figures| std::mem::take(&mut figures.wrong)).collect();
    let mut figures = figures.into_iter();
    let mut next = || figures.next().expect("every contestant has figures");
    let pathfinding_us = next().path_us;
    let fast_paths = prepared.as_ref().map(|made| (next().path_us, made.cpu, made.memory_bytes()));
    let rows = options.engines.iter().zip(&built).map(|(method, built)| Row {
        map: subject.name.clone(),
        queries: subject.asks.len(),
        pathfinding_us,
        fast_paths,
        engine: method.name(),
        own: built.as_ref().map(|built| OwnFigures::new(built, &next())),
    });
    Ok(Measured { rows: rows.collect(), wrong, warm })
}

/// The hierarchy of `fast_paths`, or `None` and a note why there is none.
fn prepare(file: &Path, subject: &Subject, options: &Options) -> Option<Prepared> {
    let reason = match contraction::prepare_in_child(file, options.prepare_limit) {
        Ok(Some(prepared)) => return Some(prepared),
        Ok(None) => format!("not prepared in {} s", options.prepare_limit.as_secs()),
        Err(problem) => problem.to_string(),
    };
    eprintln!("{}: fast_paths left out: {reason}", subject.name);
    None
}

/// An engine of ours, or `None` and a note why there is none.
fn build(method: &'static dyn Method, subject: &Subject) -> Option<Built> {
    let settings = Settings { memory_limit: MEMORY_LIMIT, ..Settings::default() };
    let start = ProcessTime::now();
    match method.build(&subject.map, &settings) {
        Ok(engine) => Some(Built { engine, cpu: start.elapsed() }),
        Err(error) => {
            eprintln!("{}: {} left out: {error}", subject.name, method.name());
            None
        }
    }
}

impl OwnFigures {
    fn new(built: &Built, figures: &Figures) -> Self {
        Self {
            distance_us: figures.distance_us.unwrap_or(f64::NAN),
            path_us: figures.path_us,
            build: built.cpu,
            index_bytes: built.engine.memory_bytes(),
        }
    }
}

fn print_head() {
    println!(
        "| map | queries | `pathfinding` us | `fast_paths` us | `fast_paths` build s (CPU) | `fast_paths` MB | engine | distance us \
         | path us | `pathfinding` : path | `fast_paths` : path | build s (CPU) | index MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
}

impl Row {
    fn line(&self) -> String {
        let mut cells =
            vec![self.map.clone(), self.queries.to_string(), format!("{:.1}", self.pathfinding_us)];
        cells.extend(match self.fast_paths {
            Some((us, cpu, bytes)) => [format!("{us:.1}"), seconds(cpu), megabytes(bytes)],
            None => ["-"; 3].map(String::from),
        });
        cells.push(format!("`{}`", self.engine));
        match &self.own {
            Some(own) => cells.extend([
                format!("{:.2}", own.distance_us),
                format!("{:.2}", own.path_us),
                format!("{:.1}", self.pathfinding_us / own.path_us),
                self.fast_paths.map_or("-".into(), |(us, ..)| format!("{:.2}", us / own.path_us)),
                seconds(own.build),
                megabytes(own.index_bytes),
            ]),
            None => cells.extend(["-"; 6].map(String::from)),
        }
        format!("| {} |", cells.join(" | "))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

type PeerTime = fn(&Row) -> Option<f64>;
type OwnTime = fn(&OwnFigures) -> f64;

/// The geometric means over the maps that are worth an index.
fn print_means(engine: &str, rows: &[Row]) {
    let worthwhile: Vec<(&Row, &OwnFigures)> = rows
        .iter()
        .filter(|row| row.engine == engine && row.pathfinding_us >= WORTHWHILE_US)
        .filter_map(|row| Some((row, row.own.as_ref()?)))
        .collect();
    println!(
        "\n`{engine}`, geometric means over the maps on which `pathfinding` takes at least 1 ms:\n"
    );
    let pathfinding = |row: &Row| Some(row.pathfinding_us);
    let fast_paths = |row: &Row| row.fast_paths.map(|(us, ..)| us);
    let path = |own: &OwnFigures| own.path_us;
    let distance = |own: &OwnFigures| own.distance_us;
    let pairs: [(&str, PeerTime, &str, OwnTime); 4] = [
        ("pathfinding", pathfinding, "path", path),
        ("pathfinding", pathfinding, "distance", distance),
        ("fast_paths", fast_paths, "path", path),
        ("fast_paths", fast_paths, "distance", distance),
    ];
    for (peer, peer_us, what, own_us) in pairs {
        let ratios = worthwhile.iter().filter_map(|(row, own)| Some(peer_us(row)? / own_us(own)));
        let ratios: Vec<f64> = ratios.collect();
        if let Some(mean) = geometric_mean(&ratios) {
            let maps = ratios.len();
            println!("- a path of `{peer}` takes **{mean:.2}** times our {what} (maps: {maps})");
        }
    }
    if worthwhile.is_empty() {
        println!("- there is none");
    }
}

fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().copied().map(f64::ln).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

impl WarmRow {
    /// How many times as fast as a path of `pathfinding` paths are, and distances where there are
    /// any.
    fn ratios(&self) -> [Option<f64>; 2] {
        [Some(self.own.path_us), self.own.distance_us]
            .map(|time| time.map(|us| self.pathfinding_us / us))
    }

    fn line(&self) -> String {
        let number = |value: Option<f64>, digits| {
            value.map_or("-".into(), |value: f64| format!("{value:.digits$}"))
        };
        let [path, distance] = self.ratios();
        let cells = [
            self.map.clone(),
            format!("`{}`", self.name),
            format!("{:.1}", self.pathfinding_us),
            format!("{:.2}", self.own.path_us),
            number(self.own.distance_us, 2),
            number(path, 1),
            number(distance, 1),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

fn print_warm(rows: &[WarmRow]) {
    println!(
        "\nWarm caches: each is asked all queries of the file again and again, and the median of five passes counts; of \
         `pathfinding` the best of three as above.\n\n\
         | map | engine | `pathfinding` us | path us | distance us | `pathfinding` : path | `pathfinding` : distance |\n\
         |---|---|---|---|---|---|---|"
    );
    rows.iter().for_each(|row| println!("{}", row.line()));
    println!("\nOver the maps on which `pathfinding` takes at least 1 ms, with warm caches:\n");
    let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let worthwhile: Vec<&WarmRow> = rows
            .iter()
            .filter(|row| row.name == name && row.pathfinding_us >= WORTHWHILE_US)
            .collect();
        for (kind, what) in ["path", "distance"].into_iter().enumerate() {
            let ratios = worthwhile.iter().filter_map(|row| Some((row.ratios()[kind]?, &row.map)));
            let mut ratios: Vec<(f64, &String)> = ratios.collect();
            ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
            let values: Vec<f64> = ratios.iter().map(|&(ratio, _)| ratio).collect();
            if let (Some(mean), Some((least, map))) = (geometric_mean(&values), ratios.first()) {
                println!(
                    "- a path of `pathfinding` takes **{mean:.1}** times a {what} of `{name}` (geometric mean; maps: \
                     {}; least: {least:.1} on {map})",
                    ratios.len()
                );
            }
        }
    }
}
