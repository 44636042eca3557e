//! The program `peers` compares Portolan with other pathfinding crates on maps with queries: time,
//! memory, and the quality of every path.
//!
//! ```text
//! cargo run --release -p portolan-bench --features peers --bin peers -- --html peers.html --markdown peers.md
//! ```
//!
//! [`crate::timing::race`] describes how times are measured. Results in `--results` are not measured
//! again, so a stopped run can be continued. Exit code 1 if an engine of Portolan gives a wrong
//! answer or a map cannot be read.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use portolan::store::check_replaceable;

use super::entrant::{BASELINE, Entrant, Task};
use super::results::{self, MapResult};
use super::{GRID_FOLDERS, Problem, contraction, real, write_up};
use crate::experiments::circumstances;
use crate::timing::Plan;

/// Compares Portolan with other pathfinding crates and writes a report.
#[derive(Parser)]
struct Options {
    /// Only maps whose folder and name contain this, for example `rooms/8room`; can be repeated.
    #[arg(long, value_name = "PART")]
    maps: Vec<String>,
    /// A scenario (NAME.map.scen or NAME.scen beside NAME.map) or queries (NAME.queries beside
    /// NAME.gr) instead of the real maps in PORTOLAN_MAPS; can be repeated.
    #[arg(long, value_name = "FILE")]
    scen: Vec<PathBuf>,
    /// Engines and peers to measure, separated by commas; `pathfinding` is always included.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = DEFAULT_ENGINES)]
    engines: Vec<String>,
    /// Number of queries per map, spread evenly over its file.
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// Number of timed rounds, each with a first and a repeated pass; one more round checks paths.
    #[arg(long, default_value_t = 3)]
    passes: usize,
    /// Time limit for the paths of one engine on one map; slower engines get fewer queries.
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    time_cap: f64,
    /// Time limit for preparing a map with `fast_paths`, which is not measured if it exceeds it.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    prepare_limit: u64,
    /// Memory limit of Portolan's indexes.
    #[arg(long, value_name = "MB", default_value_t = 2147)]
    memory_limit: u64,
    /// Append the results of each map as a line of JSON, and skip maps that already have one.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Write the report as an HTML page.
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    /// Write the report as Markdown, with the plots as files beside it.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

const DEFAULT_ENGINES: &str = "pathfinding,petgraph,fast_paths,hierarchical_pathfinding,\
    hierarchical_pathfinding-16,grid_pathfinding,grid_pathfinding-4,\
    astar,ppa,atlas-climb,atlas-general,atlas";

/// Runs the program on the arguments of this process; returns the exit code. The binary must use
/// [`Counting`](super::Counting) as its global allocator.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = contraction::serve(&arguments) {
        return code;
    }
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Whether all maps were read and all answers of Portolan were right.
fn run(options: &Options) -> Result<bool, Problem> {
    let entrants = options.entrants()?;
    let files = options.files();
    if files.is_empty() {
        return Err("no map was found; set PORTOLAN_MAPS to the folder of real maps".into());
    }
    // Fails before the work, not after it.
    for path in [&options.html, &options.markdown].into_iter().flatten() {
        check_replaceable(path)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let known = options.results.as_ref();
    let known = known.map_or(Ok(Vec::new()), |path| results::read(path, &options.summary()))?;
    let (mut results, mut all_right) = (Vec::new(), true);
    for (index, file) in files.iter().enumerate() {
        let name = real::name(file);
        let result = match known.iter().rfind(|result| result.map == name) {
            Some(result) => Ok(result.clone()),
            None => measure(file, &entrants, options),
        };
        match result {
            Ok(result) => {
                eprintln!("{} of {}: {}", index + 1, files.len(), line(&result));
                all_right &= own_answers_are_right(&result);
                results.push(result);
            }
            Err(problem) => {
                eprintln!("{}: {problem}", file.display());
                all_right = false;
            }
        }
    }
    write(&results, options)?;
    Ok(all_right)
}

impl Options {
    fn entrants(&self) -> Result<Vec<Entrant>, String> {
        let names = self.engines.iter().map(|name| name.trim());
        let baseline = (!names.clone().any(|name| name == BASELINE)).then_some(BASELINE);
        baseline.into_iter().chain(names).map(Entrant::named).collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        if !self.scen.is_empty() {
            return self.scen.clone();
        }
        let folders = [&GRID_FOLDERS[..], &["da2", "roads"]].concat();
        let mut files = real::files(&folders, "");
        let wanted = |name: &str| self.maps.iter().any(|part| name.contains(part.as_str()));
        files.retain(|file| self.maps.is_empty() || wanted(&real::name(file)));
        files
    }

    /// The options that results depend on.
    fn summary(&self) -> String {
        format!(
            "--limit {} --passes {} --time-cap {} --prepare-limit {} --memory-limit {} --engines {}",
            self.limit,
            self.passes,
            self.time_cap,
            self.prepare_limit,
            self.memory_limit,
            self.engines.join(",")
        )
    }
}

fn measure(file: &Path, entrants: &[Entrant], options: &Options) -> Result<MapResult, Problem> {
    let (subject, mut workload) = real::load(file, options.limit)?;
    real::solve(&subject, &mut workload)?;
    real::stagger(&mut workload);
    let task = Task {
        map: &subject.map,
        file: Some(file),
        time_limit: Duration::from_secs(options.prepare_limit),
        memory_limit: options.memory_limit * 1_000_000,
    };
    let plan = Plan {
        rounds: options.passes,
        time_cap: Some(Duration::from_secs_f64(options.time_cap)),
        repeats: true,
        ..Plan::default()
    };
    let result = MapResult {
        map: subject.path.display().to_string(),
        nodes: subject.map.usable_count(),
        queries: workload.queries.len(),
        unusable: workload.invalid.len(),
        date: circumstances::today(),
        machine: circumstances::machine(),
        options: options.summary(),
        engines: results::measure(&subject, &workload, entrants, &task, &plan)?,
    };
    if let Some(path) = &options.results {
        results::append(path, &result)?;
    }
    Ok(result)
}

/// The times on a map, in one line.
fn line(result: &MapResult) -> String {
    let times = result.engines.iter().map(|engine| match &engine.outcome {
        Ok(measured) => {
            let us = |time: Option<f64>| time.unwrap_or(f64::NAN);
            let (first, repeated) = (us(measured.path.first_us), us(measured.path.repeated_us));
            format!("{} {first:.1}, repeated {repeated:.1} us", engine.name)
        }
        Err(reason) => format!("{} not measured ({reason})", engine.name),
    });
    format!("{}: {}", result.map, times.collect::<Vec<_>>().join("; "))
}

/// Whether all exact engines of Portolan gave shortest paths.
fn own_answers_are_right(result: &MapResult) -> bool {
    let mut all_right = true;
    for engine in &result.engines {
        let Ok(Entrant::Own(method)) = Entrant::named(&engine.name) else { continue };
        let Ok(measured) = &engine.outcome else { continue };
        if method.exact() && !measured.tally.is_clean() {
            eprintln!("{}: {}: WRONG: {:?}", result.map, engine.name, measured.tally);
            all_right = false;
        }
    }
    all_right
}

fn write(results: &[MapResult], options: &Options) -> Result<(), Problem> {
    let markdown = options.markdown.as_deref();
    let stem = markdown.and_then(Path::file_stem).unwrap_or_default().to_string_lossy();
    let mut report = write_up::report(results, &stem);
    let load = circumstances::load().unwrap_or_default();
    report.facts.push(("Load at the end".into(), load));
    if let Some(path) = &options.html {
        fs::write(path, report.to_html())?;
    }
    if let Some(path) = markdown {
        fs::write(path, report.to_markdown())?;
        for (link, bytes) in report.linked() {
            fs::write(path.with_file_name(link), bytes)?;
        }
    }
    if options.html.is_none() && markdown.is_none() {
        print!("{}", report.to_markdown());
    }
    Ok(())
}
