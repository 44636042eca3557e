//! `hpa`, `dhpa` and `shpa` beside `hierarchical_pathfinding` with clusters of the same size: full
//! paths, their lengths, and edits.
//!
//! `cargo bench -p portolan-peers --bench hierarchies [-- [CLUSTER_SIZE] [QUERIES_PER_MAP]
//! [NAME_PART]]` prints two Markdown tables; by default clusters of 10, 50 queries and all grids.
//!
//! Searches: one thread, everybody in turn, all queries of a map each time. A query counts with its
//! best time of three. Every path is walked by our rules and compared with the shortest; both sides
//! know that corners are not to be cut. Edits: one random cell is blocked or freed at a time, 200
//! times on each map, and each side follows it on its own; the median counts; after each edit both
//! are asked whether two cells reach each other, ours against the map itself. The crate has its own
//! neighbourhood there, which spares it most of the work of asking which steps are legal.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hierarchical_pathfinding::PathCacheConfig;
use portolan::generate::Random;
use portolan::registry::method;
use portolan::{Changes, Engine, Grid, Map, NodeId, Settings};
use portolan_peers::clusters::{Clusters, EditedClusters, Hierarchical};
use portolan_peers::contestant::Own;
use portolan_peers::race::{Plan, Sheet, run};
use portolan_peers::verdict::Verdict;
use portolan_peers::{Contestant, GRID_FOLDERS, Problem, Subject, files};

const OURS: [&str; 3] = ["hpa", "dhpa", "shpa"];
const EDITS: usize = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let number = |at: usize, usual: usize| {
        arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (size, limit) = (number(0, 10), number(1, 50));
    let files = files(&GRID_FOLDERS, arguments.get(2).map_or("", String::as_str));
    if files.is_empty() {
        eprintln!("no map was found; PORTOLAN_MAPS names their folder");
        return ExitCode::FAILURE;
    }
    println!(
        "| map | peer us | longer % | hpa us | longer % | times as fast | dhpa us | shpa us |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let (mut speeds, mut refreshes, mut edited) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        match measure(&file, size, limit) {
            Ok((line, speed, edits)) => {
                println!("{line}");
                speeds.push(speed);
                refreshes.push(edits.peer_us / edits.dhpa_us);
                edited.push(edits);
            }
            Err(problem) => {
                eprintln!("{}: {problem}", file.display());
                return ExitCode::FAILURE;
            }
        }
    }
    println!("\n| map | `tiles_changed` us | hpa us | dhpa us | times as fast |");
    println!("|---|---|---|---|---|");
    for Edits { map, peer_us, hpa_us, dhpa_us } in &edited {
        let ratio = peer_us / dhpa_us;
        println!("| {map} | {peer_us:.1} | {hpa_us:.1} | {dhpa_us:.1} | {ratio:.1} |");
    }
    summary("hpa: a path", &mut speeds);
    summary("dhpa: a refresh after the edit of a cell", &mut refreshes);
    ExitCode::SUCCESS
}

fn summary(what: &str, ratios: &mut [f64]) {
    ratios.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else { return };
    let median = ratios[ratios.len() / 2];
    println!(
        "\n{what}: median **{median:.1} times as fast** (from {least:.1} to {most:.1} on {} maps).",
        ratios.len()
    );
}

fn build(name: &str, map: &Map, size: usize) -> Result<Box<dyn Engine>, Problem> {
    let settings = Settings {
        cluster_size: size as u32,
        memory_limit: 2 << 30,
        threads: 1,
        ..Settings::default()
    };
    let method = method(name).ok_or("an engine that there is not")?;
    Ok(method.build(map, &settings)?)
}

/// A line of the first table, how many times as fast as the peer `hpa` is, and what edits take.
fn measure(file: &Path, size: usize, limit: usize) -> Result<(String, f64, Edits), Problem> {
    let mut subject = Subject::load(file, limit)?;
    subject.solve()?;
    let Map::Grid(grid) = &subject.map else { return Err("knows grids only".into()) };
    let clusters = Clusters::new(grid, PathCacheConfig::with_chunk_size(size));
    let engines = OURS.map(|name| build(name, &subject.map, size));
    let engines = engines.into_iter().collect::<Result<Vec<_>, Problem>>()?;
    let mut contestants: Vec<Box<dyn Contestant + '_>> =
        vec![Box::new(Hierarchical::new("hierarchical_pathfinding", &clusters))];
    for engine in &engines {
        contestants.push(Box::new(Own::paths_only(&**engine)));
    }
    let plan = Plan { rounds: 3, block: limit, time_cap: None, repeats: false };
    let sheets = run(&subject, &mut contestants, &plan);
    let micros = |sheet: &Sheet| sheet.paths.best_us();
    let [peer, hpa, dhpa, shpa] = &sheets[..] else { return Err("everybody was asked".into()) };
    for (name, sheet) in OURS.iter().zip([hpa, dhpa, shpa]) {
        let is_legal =
            |verdict: &&Verdict| matches!(verdict, Verdict::Optimal | Verdict::Longer(_));
        if let Some(wrong) = sheet.verdicts.iter().find(|verdict| !is_legal(verdict)) {
            return Err(format!("{name}: {wrong}").into());
        }
    }
    let speed = micros(peer) / micros(hpa);
    let line = format!(
        "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {speed:.1} | {:.1} | {:.1} |",
        subject.name,
        micros(peer),
        longer(peer),
        micros(hpa),
        longer(hpa),
        micros(dhpa),
        micros(shpa),
    );
    Ok((line, speed, edits(&subject.name, grid, size)?))
}

/// Per cent that legal paths are longer than the shortest on average.
fn longer(sheet: &Sheet) -> f64 {
    let excess = sheet.verdicts.iter().filter_map(|verdict| match verdict {
        Verdict::Optimal => Some(0.0),
        Verdict::Longer(ratio) => Some(ratio - 1.0),
        _ => None,
    });
    let (sum, count) = excess.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
    100.0 * sum / count
}

/// What following the edit of a cell takes in microseconds, the median of all edits.
struct Edits {
    map: String,
    peer_us: f64,
    hpa_us: f64,
    dhpa_us: f64,
}

fn edits(name: &str, grid: &Grid, size: usize) -> Result<Edits, Problem> {
    let mut peer = EditedClusters::new(grid, PathCacheConfig::with_chunk_size(size));
    let mut map = Map::from(grid);
    let mut engines = [build("hpa", &map, size)?, build("dhpa", &map, size)?];
    let mut random = Random::new(1);
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..EDITS {
        let mut node = || random.below(map.node_count() as u64) as NodeId;
        let (edited, from, to) = (node(), node(), node());
        let changes = Changes::new().set_passable(edited, !map.contains(edited));
        map.apply(&changes)?;
        let Map::Grid(grid) = &map else { return Err("knows grids only".into()) };
        let cell = grid.position(edited).ok_or("a cell of the map")?;
        let start = Instant::now();
        peer.cell_changed(grid, cell);
        times[0].push(start.elapsed());
        for (engine, time) in engines.iter_mut().zip(&mut times[1..]) {
            let start = Instant::now();
            *engine = engine.refresh(&map, &changes)?;
            time.push(start.elapsed());
            let found = engine.query().find(from, to).ok().flatten().is_some();
            if found != map.may_reach(from, to) {
                return Err(format!("{}: {from} to {to} after an edit", engine.name()).into());
            }
        }
        // Asked as well, so that what it puts off is done; its rules are others, and so may its
        // answer be.
        peer.finds(grid, from, to);
    }
    let [peer_us, hpa_us, dhpa_us] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6
    });
    Ok(Edits { map: name.to_owned(), peer_us, hpa_us, dhpa_us })
}
