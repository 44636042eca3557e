//! Partially Precomputed A* in all its forms, cut finely enough that small worlds have several
//! levels.

use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::generate::{Random, Rooms};
use portolan::heuristic::HeuristicChoice;
use portolan::partition::{CutMethod, Partitioner};
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::search::Counter;
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::store::IndexFile;
use portolan::{Build, BuildError, Engine, Grid, Map, Query};
use portolan_testkit::edits::random_changes;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::{check_edits_of, check_engine};
use portolan_testkit::worlds::{World, drawn, random};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every form of the tables, from one end and from both, cut in different ways.
fn forms(splits: usize) -> impl Iterator<Item = PpaConfig> {
    let tables = [Tables::Distances, Tables::Steps, Tables::OnDemand];
    let forms = tables.into_iter().flat_map(|tables| [(tables, false), (tables, true)]);
    forms.map(move |(tables, bidirectional)| PpaConfig {
        branching: 2 + splits % 3,
        splits: Some(splits),
        tables,
        bidirectional,
        ..PpaConfig::default()
    })
}

fn check(world: &World, config: &PpaConfig) {
    let name = format!("{:?} {} cuts, {}", config.tables, config.splits.unwrap_or(9), world.name);
    let world = World { name, map: world.map.clone() };
    let ppa = Ppa::build(&world.map, config).unwrap_or_else(|error| panic!("{error}\n{world}"));
    check_engine(&ppa, &world);
}

#[test]
fn every_form_on_drawn_worlds() {
    for world in drawn() {
        for config in forms(2) {
            check(&world, &config);
        }
    }
}

#[test]
fn every_form_on_random_worlds() {
    for seed in 0..60 {
        let world = random(seed);
        for config in forms(1 + seed as usize % 4) {
            check(&world, &config);
        }
    }
}

#[test]
fn without_metis() {
    let method = CutMethod::InertialFlow;
    for seed in 100..130 {
        let partitioner = Partitioner { method, ..Partitioner::default() };
        let config = PpaConfig { splits: Some(3), partitioner, ..PpaConfig::default() };
        check(&random(seed), &config);
    }
}

#[test]
fn every_form_after_edits() {
    for seed in 0..24 {
        let world = random(seed);
        let engines = forms(1 + seed as usize % 3).map(|config| {
            let ppa = Ppa::build(&world.map, &config).unwrap();
            Box::new(ppa) as Box<dyn Engine>
        });
        check_edits_of(engines.collect(), &world, 10, seed);
    }
}

#[test]
fn asking_the_old_index_does_not_spoil_the_new_one() {
    for seed in 0..40 {
        let world = random(seed);
        for config in forms(2 + seed as usize % 2) {
            let mut map = world.map.clone();
            let old = Ppa::build(&map, &config).unwrap();
            let changes = random_changes(&map, &mut Random::new(seed));
            map.apply(&changes).unwrap();
            let new = old.refreshed(&map, &changes).unwrap();
            check_engine(&old, &world);
            let name = format!("{} after {changes:?}: {config:?}", world.name);
            check_engine(&new, &World { name, map });
        }
    }
}

#[test]
fn expands_far_fewer_nodes_than_astar() {
    let grid = Rooms { width: 96, height: 96, room: 8, ..Rooms::default() }.generate().unwrap();
    let map = Map::from(&grid);
    let ppa = Ppa::build(&map, &PpaConfig::default()).unwrap();
    let mut counter = Counter::default();
    let (from, to) = (grid.node(1, 1).unwrap(), grid.node(94, 94).unwrap());
    ppa.query().find_observed(from, to, &mut counter).unwrap();
    assert!(counter.expanded < 150, "{counter:?}");
    let summary = ppa.summary();
    assert_eq!(summary.subgraphs, [64, 16, 4, 1]);
    assert!((summary.table_bytes as u128) < summary.full_matrix_bytes / 20, "{summary:?}");
}

#[test]
fn a_build_can_be_watched_and_stopped() {
    let grid = Rooms { width: 96, height: 96, room: 8, ..Rooms::default() }.generate().unwrap();
    let calls = AtomicUsize::new(0);
    let stop = |_: &'static str, done: usize, total: usize| {
        assert!(done <= total);
        match calls.fetch_add(1, Ordering::Relaxed) {
            5 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let map = Map::from(grid);
    for memory_limit in [u64::MAX, 128 << 20] {
        calls.store(0, Ordering::Relaxed);
        let config = PpaConfig { memory_limit, ..PpaConfig::default() };
        let stopped = Ppa::build_watched(&map, &config, &stop);
        assert!(matches!(stopped, Err(BuildError::Cancelled)));
        assert!(calls.load(Ordering::Relaxed) < 40, "the build went on");
        // Before anything is cut.
        calls.store(5, Ordering::Relaxed);
        let stopped = Ppa::build_watched(&map, &config, &stop);
        assert!(matches!(stopped, Err(BuildError::Cancelled)));
        assert_eq!(calls.load(Ordering::Relaxed), 6);
    }
}

#[test]
fn tables_beyond_the_limit_are_refused_before_they_are_filled() {
    let map = Map::from(Grid::new(1500, 1500).unwrap());
    let (splits, memory_limit) = (Some(0), 1 << 30);
    let config = PpaConfig { splits, memory_limit, ..PpaConfig::default() };
    // Ten terabytes, which no test machine has.
    let refused = Ppa::build(&map, &config).err();
    assert!(matches!(refused, Some(BuildError::MemoryLimit { .. })), "{refused:?}");

    let map = Map::from(Grid::new(512, 512).unwrap());
    let (splits, memory_limit) = (Some(0), 1 << 20);
    let config = PpaConfig { splits, memory_limit, ..PpaConfig::default() };
    let refused = Ppa::build(&map, &config).err();
    assert!(matches!(refused, Some(BuildError::MemoryLimit { .. })), "{refused:?}");

    // Leaves of one size would fit; only their borders, of which the cuts leave many, tell that all
    // does not.
    let map = Map::from(Grid::new(128, 128).unwrap());
    let (splits, memory_limit) = (Some(4), 3 << 20);
    let filled = |phase: &'static str, _: usize, _: usize| {
        assert!(!phase.contains("tables"), "{phase}");
        ControlFlow::Continue(())
    };
    let config = PpaConfig { splits, memory_limit, ..PpaConfig::default() };
    let refused = Ppa::build_watched(&map, &config, &filled).err();
    assert!(matches!(refused, Some(BuildError::MemoryLimit { .. })), "{refused:?}");
}

#[test]
fn what_is_too_large_when_flat_is_built_with_more_levels() {
    let grid = Rooms { width: 200, height: 200, room: 16, ..Rooms::default() }.generate().unwrap();
    let map = Map::from(&grid);
    let astar = SearchEngine::build(&map, &SearchConfig::default()).unwrap();
    let mut levels = Vec::new();
    // With METIS the flat hierarchy, which has three levels, fits into the first limit only.
    for limit in [16, 15, 12, 11].map(|mebibytes| mebibytes << 20) {
        let config = PpaConfig { memory_limit: limit, ..PpaConfig::default() };
        let ppa = Ppa::build(&map, &config).unwrap();
        assert!(ppa.memory_bytes() as u64 <= limit, "{:?}", ppa.form());
        levels.push(ppa.summary().subgraphs.len());
        assert_optimal(&ppa, &map, &astar, limit);
        // The file remembers that the hierarchy was chosen, and the choice is made again.
        let bytes = bytes_of(&ppa);
        let opened = Ppa::open(&IndexFile::from_bytes(bytes.clone()).unwrap(), &map, &config);
        let opened = opened.unwrap();
        assert_eq!(opened.form(), ppa.form());
        assert!(bytes_of(&opened) == bytes);
    }
    assert!(levels[1..].iter().all(|&levels| levels > 3), "{levels:?}");
    let config = PpaConfig { memory_limit: 4 << 20, ..PpaConfig::default() };
    match Ppa::build(&map, &config) {
        Err(BuildError::MemoryLimit { needed, .. }) => assert!(needed < 11 << 20, "{needed}"),
        other => panic!("{:?}", other.err()),
    }
}

/// Paths between random nodes, against A*.
fn assert_optimal(ppa: &Ppa, map: &Map, astar: &SearchEngine, seed: u64) {
    let (mut query, mut astar) = (ppa.query(), astar.query());
    let mut draw = Random::new(seed);
    for _ in 0..200 {
        let mut node = || draw.below(map.node_count() as u64) as u32;
        let (from, to) = (node(), node());
        if !map.contains(from) || !map.contains(to) {
            continue;
        }
        let route = query.find(from, to).unwrap();
        let cost = route.map(|route| {
            assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
            route.cost()
        });
        assert_eq!(cost, astar.distance(from, to).unwrap(), "{from} to {to} of {:?}", ppa.form());
    }
}

#[test]
fn any_number_of_regions_and_cuts_is_built_or_refused() {
    let map = Map::from(Grid::new(12, 9).unwrap());
    let far = Some(3 * STRAIGHT + 8 * DIAGONAL);
    for branching in [0, 1, 2, 96, 97, 8192, usize::MAX] {
        for splits in [None, Some(0), Some(1), Some(3), Some(64), Some(65), Some(usize::MAX)] {
            for memory_limit in [128 << 20, 1, u64::MAX] {
                let config = PpaConfig { branching, splits, memory_limit, ..PpaConfig::default() };
                match Ppa::build(&map, &config) {
                    Ok(ppa) => assert_eq!(ppa.query().distance(0, 107).unwrap(), far),
                    Err(BuildError::Unsupported(_)) => {
                        let cuts = splits.unwrap_or(1);
                        assert!(cuts > 64 || branching < 2 && cuts > 0, "{config:?}");
                    }
                    Err(error) => assert_eq!(memory_limit, 1, "{config:?}: {error}"),
                }
            }
        }
    }
}

#[test]
fn any_bound_can_be_plugged_in() {
    let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate().unwrap();
    let map = Map::from(&grid);
    let expanded = |heuristic| {
        let ppa = Ppa::build(&map, &PpaConfig { heuristic, ..PpaConfig::default() }).unwrap();
        let mut counter = Counter::default();
        let mut query = ppa.query();
        let route = query.find_observed(65, 64 * 62 + 62, &mut counter).unwrap();
        (route.map(|route| route.cost()), counter.expanded)
    };
    let (zero, octile) = (expanded(HeuristicChoice::Zero), expanded(HeuristicChoice::Octile));
    assert_eq!(zero.0, octile.0);
    assert!(octile.1 < zero.1, "{octile:?} {zero:?}");
}
