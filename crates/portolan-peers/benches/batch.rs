//! A batch on one thread beside the same queries one by one, on every real grid with queries.
//!
//! `cargo bench -p portolan-peers --bench batch -- [OPTIONS]` prints a Markdown table and then the geometric mean of
//! the ratios. Both ask `atlas` for full paths, cell by cell, in turn; figures are medians over the rounds. Before that all paths of both
//! are compared.
//!
//! | option | |
//! |---|---|
//! | `--maps PART` | only maps whose folder and name contain this, as in `rooms/8room` |
//! | `--pairs N` | so many pairs, drawn among the free cells of a map that are joined; default 100,000 |
//! | `--rounds N` | default 5 |

use std::process::ExitCode;
use std::time::Instant;

use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::Random;
use portolan::{Engine, Map, NodeId, Query, Route};
use portolan_peers::{GRID_FOLDERS, Problem, Subject, files, name};

/// What an index may take.
const MEMORY_LIMIT: u64 = 2 << 30;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Problem> {
    let (mut part, mut count, mut rounds) = (String::new(), 100_000, 5);
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{option} needs a value"));
        match option.as_str() {
            // Cargo adds this.
            "--bench" => {}
            "--maps" => part = value()?,
            "--pairs" => count = value()?.parse()?,
            "--rounds" => rounds = value()?.parse::<usize>()?.max(1),
            other => return Err(format!("there is no option `{other}`").into()),
        }
    }
    println!("| map | one by one us | batch us | times as fast |\n|---|---|---|---|");
    let mut ratios = Vec::new();
    for file in files(&GRID_FOLDERS, &part) {
        let map = Subject::load_map(&file)?;
        let [single, batch] = measure(&map, count, rounds)?;
        ratios.push(single / batch);
        println!("| {} | {single:.2} | {batch:.2} | {:.2} |", name(&file), single / batch);
    }
    if ratios.is_empty() {
        return Err("no map was found; PORTOLAN_MAPS names their folder".into());
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    println!("\nGeometric mean over {} maps: {:.2} times as fast.", ratios.len(), mean.exp());
    Ok(())
}

/// Microseconds per query one by one, and in a batch.
fn measure(map: &Map, count: usize, rounds: usize) -> Result<[f64; 2], Problem> {
    let config = AtlasConfig { memory_limit: MEMORY_LIMIT, ..AtlasConfig::default() };
    let atlas = Atlas::build(map, &config)?;
    let pairs = draw(map, count)?;
    let (mut query, mut cells) = (atlas.query(), Vec::new());
    let mut times = [Vec::new(), Vec::new()];
    let mut expected = vec![0; pairs.len()];
    for (at, &(from, to)) in pairs.iter().enumerate() {
        expected[at] = query.find(from, to)?.map_or(0, |route| digest(&route));
    }
    let mut wrong = 0;
    query.find_each(&pairs, &mut |at, answer| {
        let found = answer.ok().flatten().map_or(0, |route| digest(&route));
        wrong += usize::from(found != expected[at]);
    });
    if wrong > 0 {
        return Err(format!("{wrong} answers of a batch are not those of single queries").into());
    }
    for _ in 0..rounds {
        let mut found = [0, 0];
        let start = Instant::now();
        for &(from, to) in &pairs {
            if let Some(route) = query.find(from, to)? {
                route.nodes_into(&mut cells);
                found[0] += u64::from(route.cost()) + cells.len() as u64;
            }
        }
        times[0].push(start.elapsed());
        let start = Instant::now();
        query.find_each(&pairs, &mut |_, answer| {
            if let Ok(Some(route)) = answer {
                route.nodes_into(&mut cells);
                found[1] += u64::from(route.cost()) + cells.len() as u64;
            }
        });
        times[1].push(start.elapsed());
        if found[0] != found[1] {
            return Err("a batch has other costs than single queries".into());
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6 / count.max(1) as f64
    }))
}

/// A number that stands for a path: its cost and all its cells.
fn digest(route: &Route<'_>) -> u64 {
    let mix = |sum: u64, next: u32| (sum ^ u64::from(next)).wrapping_mul(0x0100_0000_01b3);
    route.nodes().fold(mix(1, route.cost()), mix)
}

/// Pairs of cells with a path between them.
fn draw(map: &Map, count: usize) -> Result<Vec<(NodeId, NodeId)>, Problem> {
    let free: Vec<NodeId> =
        (0..map.node_count() as NodeId).filter(|&node| map.contains(node)).collect();
    if free.is_empty() {
        return Err("the map has no free cell".into());
    }
    let mut random = Random::new(1);
    let mut cell = || free[random.below(free.len() as u64) as usize];
    let pair = |_| loop {
        let (from, to) = (cell(), cell());
        if map.may_reach(from, to) {
            return (from, to);
        }
    };
    Ok((0..count).map(pair).collect())
}
