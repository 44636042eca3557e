//! Plain A* beside `pathfinding::astar`: full paths, one thread, both in turn on every query.
//!
//! `cargo bench -p portolan-peers --bench astar [-- QUERIES_PER_MAP [NAME_PART]]` prints a Markdown table.
//! Every answer of both sides is checked against the scenario before it counts. A query's time is the best
//! of three; a map's is the mean over its queries. The verdict is the median of the ratios over the maps
//! on which the peer takes at least a millisecond on average.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use portolan::formats::movingai::{self, ScenarioLine};
use portolan::search::{SearchConfig, SearchEngine};
use portolan::{Engine, Grid, Map, NodeId, Query};
use portolan_peers::pathfinding_astar;
use portolan_testkit::real;

const FOLDERS: [&str; 6] = ["rooms", "mazes", "dao", "bg512", "sc1", "random"];
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let limit = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(100);
    let part = arguments.get(1).map_or("", String::as_str);
    println!("| map | queries | `pathfinding::astar` us | `astar` us | times as fast |");
    println!("|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for file in real::files(".map.scen") {
        let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
        let wanted = folder.is_some_and(|name| FOLDERS.contains(&name.as_ref()));
        if !wanted || !file.to_string_lossy().contains(part) {
            continue;
        }
        match measure(&file, limit) {
            Ok(row) => {
                println!(
                    "| {} | {} | {:.0} | {:.0} | {:.1} |",
                    row.map,
                    row.queries,
                    row.peer_us,
                    row.own_us,
                    row.peer_us / row.own_us
                );
                if row.peer_us >= 1000.0 {
                    ratios.push(row.peer_us / row.own_us);
                }
            }
            Err(problem) => {
                eprintln!("{}: {problem}", file.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
        println!(
            "\nMedian over the {} maps on which the peer takes at least 1 ms: **{median:.1} times as \
             fast** (from {least:.1} to {most:.1}).",
            ratios.len()
        );
    }
    ExitCode::SUCCESS
}

struct Row {
    map: String,
    queries: usize,
    peer_us: f64,
    own_us: f64,
}

fn measure(scenario: &Path, limit: usize) -> Result<Row, Box<dyn std::error::Error>> {
    let map_file = scenario.with_extension("");
    let grid = movingai::read_map(&fs::read(&map_file)?)?;
    let lines = movingai::read_scen(&fs::read(scenario)?)?;
    let map = Map::from(&grid);
    let engine = SearchEngine::build(&map, &SearchConfig::default())?;
    let mut query = engine.query();
    let stride = lines.len().div_ceil(limit).max(1);
    let (mut peer_us, mut own_us, mut queries) = (0.0, 0.0, 0);
    let mut path = Vec::new();
    for line in lines.iter().step_by(stride) {
        let (from, to) = ends(&grid, line).ok_or("a scenario line outside the map")?;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let found = pathfinding_astar(&grid, from, to);
            best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e6);
            let start = Instant::now();
            let route = query.run(from, to)?;
            if let Some(route) = &route {
                route.nodes_into(&mut path);
            }
            best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e6);
            let (Some((_, peer_cost)), Some(route)) = (found, route) else {
                return Err(format!("no path on {line:?}").into());
            };
            let walked = map.walk(path.iter().copied())?;
            if peer_cost != route.cost() || walked != peer_cost || !line.agrees(map.length(walked))
            {
                return Err(format!("wrong answer on {line:?}: {peer_cost}, {walked}").into());
            }
        }
        peer_us += best[0];
        own_us += best[1];
        queries += 1;
    }
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let count = f64::from(queries);
    Ok(Row {
        map: name(&map_file),
        queries: queries as usize,
        peer_us: peer_us / count,
        own_us: own_us / count,
    })
}

fn ends(grid: &Grid, line: &ScenarioLine) -> Option<(NodeId, NodeId)> {
    Some((grid.node(line.start.0, line.start.1)?, grid.node(line.goal.0, line.goal.1)?))
}
