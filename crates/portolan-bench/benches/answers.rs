//! The same paths in every form: node by node, as cells, as turns, through a `PathFinder`, and in a
//! batch on one thread, on every real grid with queries.
//!
//! `cargo bench -p portolan-bench --features peers --bench answers -- [OPTIONS]` prints a Markdown
//! table, times as multiples of those of single queries with `nodes_into`, and then their geometric
//! means. `atlas` answers in all of them, in turn; figures are medians over the rounds. Before the
//! clock runs, all paths of a batch are compared with those of single queries.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::Random;
use portolan::{Build, Cell, Engine, Map, NodeId, PathFinder, Query, Route};
use portolan_bench::peers::{GRID_FOLDERS, Problem, real};

/// What an index may take.
const MEMORY_LIMIT: u64 = 2 << 30;

/// The same paths in every form.
#[derive(Parser)]
struct Options {
    /// Only maps whose folder and name contain this, as in `rooms/8room`
    #[arg(long, default_value = "")]
    maps: String,
    /// So many pairs, drawn among the free cells of a map that are joined
    #[arg(long, default_value_t = 100_000)]
    pairs: usize,
    /// How often everything is asked
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Added by Cargo
    #[arg(long, hide = true)]
    bench: bool,
}

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
    let Options { maps: part, pairs: count, rounds, .. } = Options::parse();
    println!("| map | us | {} |", FORMS[1..].join(" | "));
    println!("|---|---|{}", "---|".repeat(FORMS.len() - 1));
    let (mut sums, mut maps) = ([0.0; FORMS.len()], 0);
    for file in real::files(&GRID_FOLDERS, &part) {
        let map = real::load_map(&file)?;
        let times = measure(&map, count, rounds)?;
        let ratios = times.map(|time| time / times[0]);
        print!("| {} | {:.2} |", real::name(&file), times[0]);
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
        let Some(route) = query.find(from, to)? else { continue };
        if !agree(map, &route, &mut cells) {
            return Err(format!("forms of the path from {from} to {to} differ").into());
        }
        expected[at] = digest(&route);
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
        let steps = [
            singly(&mut times[0], &pairs, |(from, to)| {
                Ok(query.find(from, to)?.map_or(0, |route| {
                    route.nodes_into(&mut nodes);
                    nodes.len()
                }))
            })?,
            singly(&mut times[1], &pairs, |(from, to)| {
                Ok(query.find(from, to)?.map_or(0, |route| {
                    route.cells_into(&mut cells);
                    cells.len()
                }))
            })?,
            singly(&mut times[2], &pairs, |(from, to)| {
                Ok(query.find(from, to)?.map_or(0, |route| {
                    route.turns_into(&mut cells);
                    cells.len()
                }))
            })?,
            singly(&mut times[3], &places, |(from, to)| {
                Ok(finder.find(from, to)?.map_or(0, |route| {
                    route.cells_into(&mut cells);
                    cells.len()
                }))
            })?,
            {
                let (start, mut steps) = (Instant::now(), 0);
                query.find_each(&pairs, &mut |_, answer| {
                    if let Ok(Some(route)) = answer {
                        route.nodes_into(&mut nodes);
                        steps += nodes.len();
                    }
                });
                times[4].push(start.elapsed());
                steps
            },
        ];
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

/// Asks for pair after pair and notes the time of all; returns the sum of the answers' lengths.
fn singly<T: Copy>(
    times: &mut Vec<Duration>,
    pairs: &[T],
    mut answer: impl FnMut(T) -> Result<usize, Problem>,
) -> Result<usize, Problem> {
    let (start, mut steps) = (Instant::now(), 0);
    for &pair in pairs {
        steps += answer(pair)?;
    }
    times.push(start.elapsed());
    Ok(steps)
}

/// Whether all forms of an answer tell the same path.
fn agree(map: &Map, route: &Route<'_>, cells: &mut Vec<Cell>) -> bool {
    route.cells_into(cells);
    let same = cells.iter().copied().map(Some).eq(route.nodes().map(|node| map.cell(node)));
    route.turns_into(cells);
    same && route.turns().eq(cells.iter().copied())
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
