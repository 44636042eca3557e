//! What more threads gain: batches in every form, and builds, beside a loop that only computes.
//!
//! Each figure of a row is the time on one thread divided by the time on so many threads. Threads
//! that share a core gain less even in the loop, which is the bound for the others. Before the clock
//! runs, sums over the answers on all threads are compared with those on one.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::Rooms;
use portolan::{Build, Cell, Engine, Map, NodeId, batch};
use portolan_bench::peers::{GRID_FOLDERS, Problem, real};
use rayon::prelude::*;

use crate::measuring::{Extent, median_us};

/// Memory limit of an index: enough for plain labels.
const MEMORY_LIMIT: u64 = 32 << 30;

/// What is measured on one number of threads.
type Form<'a> = (&'static str, Box<dyn Fn() -> u64 + Sync + 'a>);

/// Prints a table for a generated map of so many cells a side, if any, and for each real map that
/// the options name.
pub(crate) fn print(
    threads: &[usize],
    generated: u32,
    extent: &Extent,
    builds: bool,
) -> Result<(), Problem> {
    let pairs = extent.pairs.unwrap_or(100_000);
    if generated > 0 {
        let rooms = Rooms { width: generated, height: generated, seed: 3, ..Rooms::default() };
        let map = Map::from(rooms.generate()?);
        measure(&format!("rooms of 16, {generated} a side"), &map, threads, pairs, extent.rounds)?;
        if builds {
            print_builds(&map, threads)?;
        }
    }
    let Some(part) = &extent.maps else { return Ok(()) };
    for part in part.split(',') {
        for file in real::files(&GRID_FOLDERS, part) {
            let map = real::load_map(&file)?;
            measure(&real::name(&file), &map, threads, pairs, extent.rounds)?;
        }
    }
    Ok(())
}

fn measure(
    name: &str,
    map: &Map,
    threads: &[usize],
    count: usize,
    rounds: usize,
) -> Result<(), Problem> {
    let config = AtlasConfig { memory_limit: MEMORY_LIMIT.into(), ..AtlasConfig::default() };
    let atlas = Atlas::build(map, &config)?;
    let pairs = crate::draw(map, count)?;
    let forms = forms(&atlas, &pairs);
    println!("\n{name}, {count} pairs, {}:\n", atlas.form());
    print_head("us on 1", threads);
    let pools = pools(threads)?;
    for (name, answer) in &forms {
        let digest = pools[0].install(answer);
        if pools.iter().any(|pool| pool.install(answer) != digest) {
            return Err(format!("{name}: answers depend on the number of threads").into());
        }
    }
    for (name, answer) in &forms {
        let mut times = vec![Vec::new(); pools.len()];
        for _ in 0..rounds {
            for (pool, times) in pools.iter().zip(&mut times) {
                let start = Instant::now();
                black_box(pool.install(answer));
                times.push(start.elapsed());
            }
        }
        print_row(name, times.into_iter().map(|times| median_us(times, count)));
    }
    Ok(())
}

/// All forms of a batch. Each returns a digest of its answers.
fn forms<'a>(atlas: &'a Atlas, pairs: &'a [(NodeId, NodeId)]) -> Vec<Form<'a>> {
    let query = || atlas.query();
    let compute = || {
        let rounds = 200 * pairs.len() as u64 / 1024;
        (0..1024_u64)
            .into_par_iter()
            .map(|seed| turned(seed, rounds))
            .reduce(|| 0, u64::wrapping_add)
    };
    let distances = move || {
        let answers = batch::distances(query, pairs, 0).unwrap_or_default();
        answers.last().map_or(0, |last| last.clone().map_or(0, |cost| cost.unwrap_or(0).into()))
    };
    let visitor = move || {
        let visited = batch::visit_all(
            query,
            pairs,
            0,
            || 0,
            |sum: &mut u64, _, answer| {
                *sum += answer.ok().flatten().map_or(0, |route| u64::from(route.cost()));
            },
        );
        visited.map_or(0, |sums| sums.into_iter().sum())
    };
    let visited_cells = move || {
        let init = || (0, Vec::new());
        let visited = batch::visit_all(query, pairs, 0, init, |(sum, cells), _, answer| {
            if let Ok(Some(route)) = answer {
                route.cells_into(cells);
                *sum += cells.len() as u64;
            }
        });
        visited.map_or(0, |sums| sums.into_iter().map(|(sum, _)| sum).sum())
    };
    let routes = move || {
        let paths = batch::find_all(query, pairs, 0);
        paths.map_or(0, |paths| {
            paths.get(0).map_or(0, |first| cost(first.map(|found| Some(found?.cost()))))
        })
    };
    let first = |lists: batch::PathLists<Cell>| {
        lists.get(0).map_or(0, |first| cost(first.map(|found| Some(found?.cost))))
    };
    let turns = move || batch::find_all_turns(query, pairs, 0).map_or(0, first);
    let cells = move || batch::find_all_cells(query, pairs, 0).map_or(0, first);
    vec![
        ("loop that only computes", Box::new(compute)),
        ("distances", Box::new(distances)),
        ("visitor, costs", Box::new(visitor)),
        ("visitor, cells", Box::new(visited_cells)),
        ("routes", Box::new(routes)),
        ("turns", Box::new(turns)),
        ("cells", Box::new(cells)),
    ]
}

fn cost<E>(answer: Result<Option<portolan::Cost>, E>) -> u64 {
    answer.ok().flatten().unwrap_or(0).into()
}

/// So many steps of a random generator, which read and write no memory.
fn turned(seed: u64, rounds: u64) -> u64 {
    (0..rounds).fold(seed + 1, |state, _| {
        let state = state ^ state << 13;
        let state = state ^ state >> 7;
        state ^ state << 17
    })
}

/// Builds on each number of threads, phase by phase. A phase lasts until the next one begins.
fn print_builds(map: &Map, threads: &[usize]) -> Result<(), Problem> {
    println!("\nBuilds of the same map:\n");
    print_head("s on 1", threads);
    let mut runs: Vec<Vec<(&'static str, f64)>> = Vec::new();
    for &threads in threads {
        let config =
            AtlasConfig { memory_limit: MEMORY_LIMIT.into(), threads, ..AtlasConfig::default() };
        let start = Instant::now();
        // The beginning of each phase. All threads report progress, so that it must not be locked
        // for more than the first and the last report.
        let phases = Mutex::new(vec![("subgoals", Duration::ZERO)]);
        let enter = |phase: &'static str| {
            let mut phases = phases.lock().unwrap_or_else(PoisonError::into_inner);
            phases.push((phase, start.elapsed()));
        };
        let progress = |phase: &'static str, done: usize, total: usize| {
            if done == 0 {
                enter(phase);
            }
            if done == total && phase == "labels" {
                enter("hops");
            }
            ControlFlow::Continue(())
        };
        let atlas = Atlas::build_watched(map, &config, &progress)?;
        let end = start.elapsed();
        drop(atlas);
        let phases = phases.into_inner().unwrap_or_else(PoisonError::into_inner);
        let ends = phases[1..].iter().map(|phase| phase.1).chain([end]);
        let seconds = |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64();
        let times = phases.iter().zip(ends).map(|(phase, end)| (phase.0, seconds(phase.1, end)));
        runs.push(times.chain([("all", end.as_secs_f64())]).collect());
    }
    for (at, &(name, _)) in runs[0].iter().enumerate() {
        print_row(name, runs.iter().map(|run| run.get(at).map_or(0.0, |&(_, time)| time)));
    }
    Ok(())
}

fn pools(threads: &[usize]) -> Result<Vec<rayon::ThreadPool>, Problem> {
    let pool = |&threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(threads.iter().map(pool).collect::<Result<_, _>>()?)
}

fn print_head(unit: &str, threads: &[usize]) {
    let numbers = threads[1..].iter().map(|threads| format!(" {threads} |"));
    println!("| | {unit} |{}", numbers.collect::<String>());
    println!("|---|---|{}", "---|".repeat(threads.len() - 1));
}

fn print_row(name: &str, mut times: impl Iterator<Item = f64>) {
    let one = times.next().unwrap_or(0.0);
    println!(
        "| {name} | {one:.3} |{}",
        times.map(|time| format!(" {:.2} |", one / time)).collect::<String>()
    );
}
