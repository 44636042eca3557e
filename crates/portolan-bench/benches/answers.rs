//! The same paths in every form: node by node, as cells, as turns, through a `PathFinder`, and in a
//! batch on one thread, on every real grid with queries.
//!
//! `cargo bench -p portolan-bench --features peers --bench answers -- [OPTIONS]` prints a Markdown
//! table, times as multiples of those of single queries with `nodes_into`, and then their geometric
//! means. `atlas` answers in every form in turn; figures are medians over the rounds. Before the
//! clock runs, all paths of a batch are compared with those of single queries.
//!
//! With `--threads 1,2,4,8,16` it measures instead what more threads gain: in batches of every form
//! and, with `--builds`, in builds, on a generated map of `--generated` cells a side and on the real
//! maps that `--maps` names.

mod measuring;
mod scaling;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use measuring::{Extent, median_us};
use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::Random;
use portolan::{Build, Cell, Engine, Map, NodeId, PathFinder, Query, Route};
use portolan_bench::peers::{GRID_FOLDERS, Problem, real};

/// Memory limit of an index.
const MEMORY_LIMIT: u64 = 2 << 30;

/// The same paths in every form. By default all grids and 100,000 pairs of connected free cells.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    extent: Extent,
    /// Measure batches on each of these numbers of threads, the first of which is 1
    #[arg(long, value_delimiter = ',')]
    threads: Vec<usize>,
    /// Cells a side of the generated map, for `--threads`; 0 for none
    #[arg(long, default_value_t = 2048)]
    generated: u32,
    /// Also build the generated map on each number of threads
    #[arg(long)]
    builds: bool,
}

fn main() -> Result<(), Problem> {
    let Options { extent, threads, generated, builds } = Options::parse();
    if !threads.is_empty() {
        return scaling::print(&threads, generated, &extent, builds);
    }
    let Extent { maps: part, pairs: count, rounds, .. } = extent;
    let (part, count) = (part.unwrap_or_default(), count.unwrap_or(100_000));
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
        return Err("no map was found; set PORTOLAN_MAPS to the folder of real maps".into());
    }
    let means = sums.map(|sum| format!("{:.2}", (sum / f64::from(maps)).exp()));
    println!("\nGeometric means over {maps} maps: {}.", means[1..].join(", "));
    Ok(())
}

/// The forms of a path; times are relative to the first.
const FORMS: [&str; 5] = ["nodes", "cells", "turns", "finder, cells", "batch, nodes"];

/// Microseconds per query in each form.
fn measure(map: &Map, count: usize, rounds: usize) -> Result<[f64; FORMS.len()], Problem> {
    let config = AtlasConfig { memory_limit: MEMORY_LIMIT.into(), ..AtlasConfig::default() };
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
    Ok(times.map(|times| median_us(times, count)))
}

/// Queries all pairs and adds their total time; returns the total length of the answers.
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

/// Whether all forms of an answer are the same path.
fn agree(map: &Map, route: &Route<'_>, cells: &mut Vec<Cell>) -> bool {
    route.cells_into(cells);
    let same = cells.iter().copied().map(Some).eq(route.nodes().map(|node| map.cell(node)));
    route.turns_into(cells);
    same && route.turns().eq(cells.iter().copied())
}

/// A hash of a path: its cost and all its cells.
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
