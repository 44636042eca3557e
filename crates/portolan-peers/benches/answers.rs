//! The same paths in every form: node by node, as cells, as turns, through a `PathFinder`, and in a
//! batch on one thread, on every real grid with queries.
//!
//! `cargo bench -p portolan-peers --bench answers -- [OPTIONS]` prints a Markdown table, times as
//! multiples of those of single queries with `nodes_into`, and then their geometric means. `atlas`
//! answers in all of them, in turn; figures are medians over the rounds. Before the clock runs, all
//! paths of a batch are compared with those of single queries.
//!
//! | option | |
//! |---|---|
//! | `--maps PART` | only maps whose folder and name contain this, as in `rooms/8room` |
//! | `--pairs N` | so many pairs, drawn among the free cells of a map that are joined; default 100,000 |
//! | `--rounds N` | default 5 |

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::Random;
use portolan::{Engine, Map, NodeId, PathFinder, Query, Route};
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
    println!("| map | us | {} |", FORMS[1..].join(" | "));
    println!("|---|---|{}", "---|".repeat(FORMS.len() - 1));
    let (mut sums, mut maps) = ([0.0; FORMS.len()], 0);
    for file in files(&GRID_FOLDERS, &part) {
        let map = Subject::load_map(&file)?;
        let times = measure(&map, count, rounds)?;
        let ratios = times.map(|time| time / times[0]);
        print!("| {} | {:.2} |", name(&file), times[0]);
        ratios[1..].iter().for_each(|ratio| print!(" {ratio:.2} |"));
        println!();
        sums.iter_mut().zip(ratios).for_each(|(sum, ratio)| *sum += ratio.ln());
        maps += 1;
    }
    if maps == 0 {
        return Err("no map was found; PORTOLAN_MAPS names their folder".into());
    }
    let means = sums.map(|sum| format!("{:.2}", (sum / f64::from(maps)).exp()));
    println!("\nGeometric means over {maps} maps: {}.", means[1..].join(", "));
    Ok(())
}

/// In which forms paths are asked for; the first is what the others are compared with.
const FORMS: [&str; 5] = ["nodes", "cells", "turns", "finder, cells", "batch, nodes"];

/// Microseconds per query in each form.
fn measure(map: &Map, count: usize, rounds: usize) -> Result<[f64; FORMS.len()], Problem> {
    let config = AtlasConfig { memory_limit: MEMORY_LIMIT, ..AtlasConfig::default() };
    let atlas = Atlas::build(map, &config)?;
    let pairs = draw(map, count)?;
    let atlas = Arc::new(atlas);
    let mut finder = PathFinder::from_engine(atlas.clone());
    let place = |node| map.cell(node).ok_or("a pair beyond the map");
    let (mut query, mut nodes, mut cells) = (atlas.query(), Vec::new(), Vec::new());
    let mut times = [const { Vec::new() }; FORMS.len()];
    let places = pairs.iter().map(|&(from, to)| Ok((place(from)?, place(to)?)));
    let places = places.collect::<Result<Vec<_>, Problem>>()?;
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
        let mut steps = [0; FORMS.len()];
        let start = Instant::now();
        for &(from, to) in &pairs {
            if let Some(route) = query.find(from, to)? {
                route.nodes_into(&mut nodes);
                steps[0] += nodes.len();
            }
        }
        times[0].push(start.elapsed());
        let start = Instant::now();
        for &(from, to) in &pairs {
            if let Some(route) = query.find(from, to)? {
                route.cells_into(&mut cells);
                steps[1] += cells.len();
            }
        }
        times[1].push(start.elapsed());
        let start = Instant::now();
        for &(from, to) in &pairs {
            if let Some(route) = query.find(from, to)? {
                route.turns_into(&mut cells);
                steps[2] += cells.len();
            }
        }
        times[2].push(start.elapsed());
        let start = Instant::now();
        for &(from, to) in &places {
            if let Some(route) = finder.find(from, to)? {
                route.cells_into(&mut cells);
                steps[3] += cells.len();
            }
        }
        times[3].push(start.elapsed());
        let start = Instant::now();
        query.find_each(&pairs, &mut |_, answer| {
            if let Ok(Some(route)) = answer {
                route.nodes_into(&mut nodes);
                steps[4] += nodes.len();
            }
        });
        times[4].push(start.elapsed());
        let [all, cells, turns, found, batch] = steps;
        if [cells, found, batch] != [all; 3] || turns > all {
            return Err(format!("forms of the same paths differ in length: {steps:?}").into());
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
