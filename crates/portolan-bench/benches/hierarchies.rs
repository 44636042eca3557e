//! Edits of `hpa` and `dhpa` beside `hierarchical_pathfinding` with clusters of the same size.
//!
//! `cargo bench -p portolan-bench --features peers --bench hierarchies [-- [CLUSTER_SIZE]
//! [NAME_PART]]` prints a Markdown table; by default clusters of 10 and all grids.
//!
//! One random cell is blocked or freed at a time, 200 times on each map, and each side follows it
//! on its own; the median counts. After each edit both are asked whether two cells reach each
//! other; ours is compared with the map itself. The crate has its own neighbourhood here, which
//! spares it most of the work of asking which steps are legal. The program `peers` compares paths.

use std::time::{Duration, Instant};

use hierarchical_pathfinding::PathCacheConfig;
use portolan::engine::Engine;
use portolan::generate::Random;
use portolan::registry::method;
use portolan::{Changes, Grid, Map, NodeId, Settings};
use portolan_bench::peers::{EditedClusters, GRID_FOLDERS, Problem, real};

const EDITS: usize = 200;

fn main() -> Result<(), Problem> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let size = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(10);
    let files = real::files(&GRID_FOLDERS, arguments.get(1).map_or("", String::as_str));
    if files.is_empty() {
        return Err("no map was found; set PORTOLAN_MAPS to the folder of real maps".into());
    }
    println!("| map | `tiles_changed` us | hpa us | dhpa us | times as fast |");
    println!("|---|---|---|---|---|");
    let mut refreshes = Vec::new();
    for file in files {
        let name = real::name(&file);
        let map = real::load_map(&file)?;
        let grid = map.as_grid().ok_or_else(|| format!("{name} is no grid"))?;
        let [peer_us, hpa_us, dhpa_us] = edits(grid, size)?;
        let ratio = peer_us / dhpa_us;
        println!("| {name} | {peer_us:.1} | {hpa_us:.1} | {dhpa_us:.1} | {ratio:.1} |");
        refreshes.push(ratio);
    }
    summary("dhpa: a refresh after the edit of a cell", &mut refreshes);
    Ok(())
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
        memory_limit: (2 << 30).into(),
        threads: 1,
        ..Settings::default()
    };
    let method = method(name).ok_or("an engine that there is not")?;
    Ok(method.build(map, &settings)?)
}

/// Microseconds to follow the edit of a cell, the median of all edits: the peer, `hpa`, `dhpa`.
fn edits(grid: &Grid, size: usize) -> Result<[f64; 3], Problem> {
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
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6
    }))
}
