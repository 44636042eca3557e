//! `atlas` under the protocol of the Grid-Based Path Planning Competition: a fresh process opens an
//! index file and answers a scenario once, in its order, on one thread. A path is a list of the
//! coordinates of every cell, in a buffer that the next query reuses. Every query is timed by
//! itself.
//!
//! `cargo bench -p portolan-bench --features peers --bench competition -- [OPTIONS]` prints a
//! Markdown table. Between two queries the length of the path is compared with that of the file, as
//! the competition's start kit computes it; after the pass every path is walked on the map.
//!
//! `--entry FOLDER` races an entry of the competition: the executable `run` of its start kit, which
//! FOLDER contains. Both run in turn, in every round. Its paths are not checked. `--bench-binary`
//! races another build of this program instead, for example of an earlier commit.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Parser;
use portolan::atlas::{Atlas, AtlasConfig};
use portolan::formats::movingai::read_scen;
use portolan::store::IndexFile;
use portolan::{Build, Cell, Engine, Map, Query};
use portolan_bench::peers::{Problem, real};

/// The folders of real grids with scenarios.
const FOLDERS: [&str; 8] = ["rooms", "mazes", "dao", "bg512", "da2", "sc1", "random", "cities"];

/// One pass over each scenario on a freshly opened index. By default all real grids.
#[derive(Parser)]
struct Options {
    /// Only maps whose folder and name contain this, for example `rooms/8room`
    #[arg(long, default_value = "")]
    maps: String,
    /// Number of rounds; of every query the least time counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Map the index file instead of loading it
    #[arg(long)]
    mapped: bool,
    /// Keep the index files in this folder, and use those that are there
    #[arg(long)]
    indexes: Option<PathBuf>,
    /// Race the start kit's executable `run` in this folder
    #[arg(long)]
    entry: Option<PathBuf>,
    /// Let the entry preprocess each map first
    #[arg(long)]
    preprocess: bool,
    /// Race another build of this program
    #[arg(long, conflicts_with = "entry")]
    bench_binary: Option<PathBuf>,
    /// Answer one scenario from one index; a run starts itself with this in a fresh process
    #[arg(long, num_args = 2, hide = true)]
    answer: Option<Vec<PathBuf>>,
    /// Added by Cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// Nanoseconds of every query of a scenario. Over several rounds the least of each counts, because
/// a busy machine only adds.
#[derive(Default)]
struct QueryTimes(Vec<u64>);

impl QueryTimes {
    fn keep_least(&mut self, round: Vec<u64>) {
        match self.0.is_empty() {
            true => self.0 = round,
            false => {
                self.0.iter_mut().zip(round).for_each(|(least, time)| *least = time.min(*least))
            }
        }
    }

    fn mean_us(&self) -> f64 {
        self.0.iter().sum::<u64>() as f64 / 1e3 / self.0.len().max(1) as f64
    }

    /// Microseconds that this share of all queries does not exceed.
    fn share_us(&self, share: f64) -> f64 {
        let mut times = self.0.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        times.get((last as f64 * share) as usize).map_or(0.0, |&time| time as f64 / 1e3)
    }
}

/// What a fresh process reports: nanoseconds to open the index, then of every query of the first
/// pass and of the second.
struct Report {
    open: u64,
    passes: [Vec<u64>; 2],
}

fn main() -> Result<(), Problem> {
    let options = Options::parse();
    if let Some([index, scenario]) = options.answer.as_deref() {
        println!("{}", answer(index, scenario, options.mapped)?);
        return Ok(());
    }
    let temporary =
        std::env::temp_dir().join(format!("portolan-competition-{}", std::process::id()));
    let folder = options.indexes.clone().unwrap_or_else(|| temporary.clone());
    fs::create_dir_all(&folder)?;
    let done = race(&options, &folder);
    if options.indexes.is_none() {
        fs::remove_dir_all(&temporary)?;
    }
    done
}

fn race(options: &Options, folder: &Path) -> Result<(), Problem> {
    let this = std::env::current_exe()?;
    println!(
        "| map | mean us | 1 % above us | worst us | second pass us | open ms | other us | times as fast |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for scenario in real::files(&FOLDERS, &options.maps) {
        let scenario = scenario.canonicalize()?;
        let index = index_of(&scenario, folder)?;
        if let (Some(entry), true) = (&options.entry, options.preprocess) {
            start(entry, &["-pre".as_ref(), &scenario.with_extension("")])?;
        }
        let (mut first, mut second) = (QueryTimes::default(), QueryTimes::default());
        let (mut open, mut other) = (u64::MAX, QueryTimes::default());
        for _ in 0..options.rounds.max(1) {
            let report = report_of(&this, &index, &scenario, options.mapped)?;
            open = open.min(report.open);
            let [one, two] = report.passes;
            first.keep_least(one);
            second.keep_least(two);
            match (&options.entry, &options.bench_binary) {
                (Some(entry), _) => other.keep_least(times_of_entry(entry, &scenario)?),
                (_, Some(binary)) => {
                    let [first, _] = report_of(binary, &index, &scenario, options.mapped)?.passes;
                    other.keep_least(first);
                }
                (None, None) => {}
            }
        }
        let (mean, slow, worst) = (first.mean_us(), first.share_us(0.99), first.share_us(1.0));
        print!("| {} | {mean:.2} | {slow:.1} | {worst:.1} |", real::name(&scenario));
        print!(" {:.2} | {:.1} |", second.mean_us(), open as f64 / 1e6);
        match other.0.is_empty() {
            true => println!(" | |"),
            false => {
                println!(" {:.2} | {:.2} |", other.mean_us(), other.mean_us() / mean);
                ratios.push(other.mean_us() / mean);
            }
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "\n{} maps: {mean:.2} times as fast by geometric mean, {least:.2} at least.",
            ratios.len()
        );
    }
    Ok(())
}

/// The index file of a map; builds it if it is not in the folder.
fn index_of(scenario: &Path, folder: &Path) -> Result<PathBuf, Problem> {
    let path = folder.join(format!("{}.index", real::name(scenario).replace('/', "-")));
    if !path.is_file() {
        let map = real::load_map(scenario)?;
        Atlas::build(&map, &AtlasConfig::default())?.store()?.save(&path)?;
    }
    Ok(path)
}

/// Answers a scenario in a fresh process of this program, or of another build of it.
fn report_of(
    binary: &Path,
    index: &Path,
    scenario: &Path,
    mapped: bool,
) -> Result<Report, Problem> {
    let mut command = Command::new(binary);
    command.arg("--answer").args([index, scenario]);
    if mapped {
        command.arg("--mapped");
    }
    let output = command.output()?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {complaint}", scenario.display()).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let numbers = |line: &str| line.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>();
    let lines = text.lines().map(numbers).collect::<Result<Vec<_>, _>>()?;
    match <[Vec<u64>; 3]>::try_from(lines) {
        Ok([open, first, second]) if open.len() == 1 => {
            Ok(Report { open: open[0], passes: [first, second] })
        }
        _ => Err("another build of this program must report times as this one does".into()),
    }
}

/// Lets the start kit's executable answer a scenario.
fn times_of_entry(folder: &Path, scenario: &Path) -> Result<Vec<u64>, Problem> {
    /// The column of the start kit's results with the nanoseconds of a query.
    const TIME: usize = 6;
    start(folder, &["-run".as_ref(), &scenario.with_extension(""), scenario])?;
    let results = fs::read_to_string(folder.join("result.csv"))?;
    let times = results
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(TIME).and_then(|time| time.parse().ok()));
    Ok(times.collect::<Option<Vec<u64>>>().ok_or("result.csv has no times")?)
}

fn start(folder: &Path, arguments: &[&Path]) -> Result<(), Problem> {
    let program = folder.canonicalize()?.join("run");
    let output = Command::new(program).current_dir(folder).args(arguments).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("the entry ended with {}", output.status).into()),
    }
}

/// Opens an index and answers a scenario, twice; only the first pass is the competition's.
fn answer(index: &Path, scenario: &Path, mapped: bool) -> Result<String, Problem> {
    let map = real::load_map(scenario)?;
    let lines = read_scen(&fs::read(scenario)?)?;
    let node = |(x, y): (u32, u32)| map.node((x, y));
    let pairs = lines.iter().map(|line| Ok((node(line.start)?, node(line.goal)?)));
    let pairs = pairs.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let mut passes = [(); 2].map(|()| vec![0; pairs.len()]);

    let clock = Instant::now();
    let file = if mapped { IndexFile::open(index)? } else { IndexFile::load(index)? };
    let atlas = Atlas::open(&file, &map, &AtlasConfig::default())?;
    drop(file);
    let open = nanos(clock);
    let (mut query, mut cells) = (atlas.query(), Vec::<Cell>::new());
    for times in &mut passes {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            let clock = Instant::now();
            match query.find(from, to)? {
                Some(route) => route.cells_into(&mut cells),
                None => cells.clear(),
            }
            times[at] = nanos(clock);
            let length = (!cells.is_empty()).then(|| length(&cells));
            if !lines[at].agrees(length) {
                return Err(format!("query {}: length {length:?}", at + 1).into());
            }
        }
    }
    for &(from, to) in &pairs {
        let Some(route) = query.find(from, to)? else { continue };
        route.cells_into(&mut cells);
        check(&map, &cells, route.cost())?;
    }
    let [first, second] =
        passes.map(|times| times.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
    Ok(format!("{open}\n{first}\n{second}"))
}

/// Walks a path on the map.
fn check(map: &Map, cells: &[Cell], cost: u32) -> Result<(), Problem> {
    let nodes = cells.iter().map(|&cell| map.node(cell)).collect::<Result<Vec<_>, _>>()?;
    match map.walk(nodes) {
        Ok(walked) if walked == cost => Ok(()),
        other => Err(format!("a path that costs {cost} is walked with {other:?}").into()),
    }
}

/// The sum of the lengths of all steps.
fn length(cells: &[Cell]) -> f64 {
    let step = |pair: &[Cell]| {
        let (wide, high) = (pair[0].x.abs_diff(pair[1].x), pair[0].y.abs_diff(pair[1].y));
        f64::from(wide * wide + high * high).sqrt()
    };
    cells.windows(2).map(step).sum()
}

fn nanos(clock: Instant) -> u64 {
    clock.elapsed().as_nanos() as u64
}
