//! What a world adds to its engine, how well a time budget is kept, and what it costs to make a
//! query.
//!
//! `cargo bench -p portolan-bench --features peers --bench worlds -- [OPTIONS]` prints three
//! Markdown tables:
//!
//! - **Paths**: microseconds per path from the engine's own query with `nodes_into`, from
//!   `Snapshot::find` and from `Requests`, in turn in the same run; medians over the rounds.
//! - **Budgets**: how far calls of `Requests::advance` with 1 ms overrun it, in processor time of
//!   the thread: the first call in a new world, all calls until the requests are answered, and the
//!   first calls after edits that block the middle of a path.
//! - **Queries**: microseconds per short path from a query that is kept and from one that is made
//!   for each path, before and after an edit.

mod measuring;

use std::time::{Duration, Instant};

use clap::Parser;
use cpu_time::ThreadTime;
use measuring::{Extent, median_us};
use portolan::generate::{Pairs, Random, Rooms};
use portolan::world::{Budget, Follow, Recipe, Request, Requests, RequestsConfig, Snapshot, World};
use portolan::{Grid, Map, NodeId, Query, Settings};
use portolan_bench::peers::{GRID_FOLDERS, Problem, real};

type Pair = (NodeId, NodeId);

const BUDGET: Duration = Duration::from_millis(1);

/// What a world adds to its engine. By default 2,000 pairs, and `rooms/` for the first table.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    extent: Extent,
    /// Sides of the generated maps for the other tables
    #[arg(long, value_delimiter = ',', default_value = "512,1024")]
    sides: Vec<u32>,
}

impl Options {
    fn pairs(&self) -> usize {
        self.extent.pairs.unwrap_or(2000)
    }
}

fn main() -> Result<(), Problem> {
    let options = Options::parse();
    println!("| map | engine us | `Snapshot::find` us | ratio | `Requests` us | ratio |");
    println!("|---|---|---|---|---|---|");
    for file in real::files(&GRID_FOLDERS, options.extent.maps.as_deref().unwrap_or("rooms/")) {
        let [own, found, requested] = paths(&real::load_map(&file)?, &options)?;
        let ratios = [found / own, requested / own];
        println!(
            "| {} | {own:.2} | {found:.2} | {:.2} | {requested:.2} | {:.2} |",
            real::name(&file),
            ratios[0],
            ratios[1]
        );
    }
    println!(
        "\n| side | engine | first call us | worst call us | after edits: median us | worst us |"
    );
    println!("|---|---|---|---|---|---|");
    for &side in &options.sides {
        for engine in [None, Some("atlas")] {
            let [first, worst, median, edited] = budgets(side, engine, &options)?;
            println!(
                "| {side} | {} | {first:.0} | {worst:.0} | {median:.0} | {edited:.0} |",
                engine.unwrap_or("none")
            );
        }
    }
    println!("\n| side | engine | kept us | made us | kept, edited us | made, edited us |");
    println!("|---|---|---|---|---|---|");
    for &side in &options.sides {
        for engine in ["astar", "bidirectional", "differential", "atlas", "behind"] {
            let [kept, made, kept_after, made_after] = queries(side, engine, &options)?;
            println!(
                "| {side} | {engine} | {kept:.2} | {made:.2} | {kept_after:.2} | {made_after:.2} |"
            );
        }
    }
    Ok(())
}

/// Microseconds per path from the engine's own query, from a snapshot and from requests.
fn paths(map: &Map, options: &Options) -> Result<[f64; 3], Problem> {
    let pairs = Pairs { count: options.pairs(), even_lengths: false, seed: 1 }.generate(map)?;
    let world = World::new(map.clone())?;
    let snapshot = world.add_with(recipe("atlas")?, Follow::AtOnce)?;
    let engine = snapshot.engine("atlas").ok_or("the engine is not ready")?;
    let (mut query, mut nodes) = (engine.query(), Vec::new());
    let mut requests = requests(Some("atlas"))?;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..options.extent.rounds {
        let mut sums = [0; 3];
        let start = Instant::now();
        for &(from, to) in &pairs {
            if let Some(route) = query.find(from, to)? {
                route.nodes_into(&mut nodes);
                sums[0] += u64::from(route.cost());
            }
        }
        times[0].push(start.elapsed());
        let start = Instant::now();
        for &(from, to) in &pairs {
            sums[1] += snapshot.find(from, to)?.map_or(0, |path| u64::from(path.cost()));
        }
        times[1].push(start.elapsed());
        let start = Instant::now();
        submit(&mut requests, &pairs);
        for answer in requests.advance(&snapshot, Budget::Expansions(u64::MAX))? {
            sums[2] += answer.path?.map_or(0, |path| u64::from(path.cost()));
        }
        times[2].push(start.elapsed());
        if sums != [sums[0]; 3] {
            return Err("paths of a world have other costs than those of its engine".into());
        }
    }
    Ok(times.map(|times| median_us(times, pairs.len())))
}

/// By how many microseconds calls exceed their budget: the first call in a new world and any call,
/// both the worst over several worlds; the first calls after edits, median and worst.
fn budgets(side: u32, engine: Option<&str>, options: &Options) -> Result<[f64; 4], Problem> {
    let pairs =
        Pairs { count: 200, even_lengths: false, seed: 2 }.generate(&rooms(side)?.into())?;
    let (mut first, mut worst, mut edited) = (0.0f64, 0.0f64, Vec::new());
    for _ in 0..options.extent.rounds {
        // Generated anew, so that nothing is known about it.
        let world = World::new(rooms(side)?)?;
        if let Some(name) = engine {
            world.add_with(recipe(name)?, Follow::AtOnce)?;
        }
        let mut requests = requests(engine)?;
        submit(&mut requests, &pairs);
        let first_calls = overruns(&mut requests, &world)?;
        first = first.max(first_calls[0]);
        worst = first_calls.into_iter().fold(worst, f64::max);
        for &(from, to) in pairs.iter().take(60) {
            let Some(path) = world.snapshot().find(from, to)? else { continue };
            let Some(middle) = path.nodes().nth(path.step_count() / 2) else { continue };
            world.edit(|e| e.block(middle))?;
            submit(&mut requests, &[(from, to)]);
            edited.push(overruns(&mut requests, &world)?.into_iter().fold(0.0, f64::max));
        }
    }
    edited.sort_by(f64::total_cmp);
    let [median, last] = [edited[edited.len() / 2], edited[edited.len() - 1]];
    Ok([first, worst, median, last])
}

/// The overruns of all calls that it takes to answer the requests.
fn overruns(requests: &mut Requests, world: &World) -> Result<Vec<f64>, Problem> {
    let mut overruns = Vec::new();
    while !requests.is_empty() {
        let snapshot = world.snapshot();
        let start = ThreadTime::now();
        requests.advance(&snapshot, Budget::Time(BUDGET))?;
        overruns.push((start.elapsed().as_secs_f64() - BUDGET.as_secs_f64()).max(0.0) * 1e6);
    }
    Ok(overruns)
}

/// Microseconds per short path from a query that is kept and from queries made for each path,
/// before and after an edit.
fn queries(side: u32, engine: &str, options: &Options) -> Result<[f64; 4], Problem> {
    let world = World::new(rooms(side)?)?;
    match engine {
        "behind" => world.add_with(recipe("atlas")?, Follow::Behind)?,
        name => world.add_with(recipe(name)?, Follow::AtOnce)?,
    };
    let name = if engine == "behind" { "atlas" } else { engine };
    let pairs = near(&world.snapshot(), options.pairs())?;
    let mut times = [(); 4].map(|()| Vec::new());
    for _ in 0..options.extent.rounds {
        let before = world.snapshot();
        let edit = world.edit(|e| e.block(pairs[pairs.len() / 2].0 + 1))?;
        let undone = world.edit(|e| e.free(pairs[pairs.len() / 2].0 + 1))?;
        for (at, snapshot) in [(0, &before), (2, undone.snapshot())] {
            let start = Instant::now();
            let mut query = snapshot.query_by(name)?;
            for &(from, to) in &pairs {
                query.find(from, to)?;
            }
            times[at].push(start.elapsed());
            let start = Instant::now();
            for &(from, to) in &pairs {
                snapshot.query_by(name)?.find(from, to)?;
            }
            times[at + 1].push(start.elapsed());
        }
        drop(edit);
    }
    Ok(times.map(|times| median_us(times, pairs.len())))
}

/// Pairs of cells a few steps apart.
fn near(snapshot: &Snapshot, count: usize) -> Result<Vec<Pair>, Problem> {
    let map = snapshot.map();
    let grid = map.as_grid().ok_or("the map is no grid")?;
    let mut random = Random::new(3);
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let from = random.below(map.node_count() as u64 - u64::from(grid.width())) as NodeId;
        let to = from + 4 * (from % grid.width() + 4 < grid.width()) as NodeId;
        if map.contains(from) && map.contains(to) && map.contains(from + 1) && from != to {
            pairs.push((from, to));
        }
    }
    Ok(pairs)
}

fn rooms(side: u32) -> Result<Grid, Problem> {
    Ok(Rooms { width: side, height: side, ..Rooms::default() }.generate()?)
}

fn recipe(name: &str) -> Result<Recipe, Problem> {
    let settings = Settings { threads: 1, memory_limit: (2 << 30).into(), ..Settings::default() };
    Ok(Recipe::named(name, settings)?)
}

fn requests(engine: Option<&str>) -> Result<Requests, Problem> {
    Ok(Requests::new(RequestsConfig { engine: engine.map(str::to_owned), threads: 1 })?)
}

fn submit(requests: &mut Requests, pairs: &[Pair]) {
    for &(from, to) in pairs {
        requests.submit(Request::new(from, to));
    }
}
