//! Against the reference: legal paths of the cost returned, never cheaper than a cheapest path,
//! never missing, and on average little longer.

use portolan::generate::Random;
use portolan::{EndpointError, Grid, Map, NodeId, UNREACHABLE};
use portolan_testkit::reference::Reference;
use portolan_testkit::worlds::{World, draw, drawn, random, rules};

use super::tiers::MOST_SEARCHES;
use super::*;
use crate::device::GpuOptions;

/// The most by which paths of a world cost more on average. Rooms and noise in clusters of all
/// sizes stay below.
const MOST_EXCESS: f64 = 0.15;

fn gpu(working_memory: u64) -> Gpu {
    let options = GpuOptions { working_memory: Some(working_memory), ..GpuOptions::default() };
    Gpu::with_options(options).expect("a GPU, or a software driver")
}

fn build(gpu: &Gpu, map: &Map, cluster_size: u32) -> GpuHierarchical {
    let config = GpuHierarchicalConfig { cluster_size };
    GpuHierarchical::build(gpu, map, &config).expect("a grid")
}

/// All pairs of a small map; of a larger one some, chosen at random.
fn pairs(map: &Map, most: usize) -> Vec<Request> {
    let nodes = map.node_count() as NodeId;
    if map.node_count().pow(2) <= most {
        return (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))).collect();
    }
    let mut random = Random::new(1);
    let mut node = || random.below(nodes.into()) as NodeId;
    (0..most).map(|_| (node(), node())).collect()
}

/// Checks costs and paths, and returns by which share the paths cost more on average.
fn check(engine: &GpuHierarchical, world: &World, pairs: &[Request]) -> f64 {
    let reference = Reference::new(&world.map);
    let paths = engine.find_all(pairs).expect("a working device");
    let distances = engine.distances(pairs).expect("a working device");
    let mut sorted: Vec<usize> = (0..pairs.len()).collect();
    sorted.sort_by_key(|&at| pairs[at].0);
    let (mut truth, mut excess, mut nodes) = ((NodeId::MAX, Vec::new()), Vec::new(), Vec::new());
    for at in sorted {
        let (from, to) = pairs[at];
        let context = || format!("{from} to {to} on {world}");
        let path = paths.get(at).expect("a request");
        assert_eq!(distances.get(at), Some(path.clone().map(|path| path.map(|path| path.cost()))));
        if !reference.is_usable(from) || !reference.is_usable(to) {
            let at = world.map.location(if reference.is_usable(from) { to } else { from });
            assert_eq!(path.err(), Some(EndpointError::Blocked { at }), "{}", context());
            continue;
        }
        if truth.0 != from {
            truth.0 = from;
            reference.distances_into(from, &mut truth.1);
        }
        let path = path.unwrap_or_else(|error| panic!("{error}: {}", context()));
        assert_eq!(path.is_some(), truth.1[to as usize].is_some(), "{}", context());
        let (Some(path), Some(least)) = (path, truth.1[to as usize]) else { continue };
        path.nodes_into(&mut nodes);
        let walked = reference.walk(&nodes, from, to);
        assert_eq!(walked, Ok(path.cost().into()), "{}", context());
        assert!(u64::from(path.cost()) >= least, "{}", context());
        if least > 0 {
            excess.push(f64::from(path.cost()) / least as f64 - 1.0);
        }
    }
    excess.iter().sum::<f64>() / excess.len().max(1) as f64
}

#[test]
fn drawn_worlds_with_clusters_of_any_size() {
    let gpu = gpu(8 << 20);
    let worlds = drawn().into_iter().filter(|world| world.map.as_grid().is_some());
    // Each size meets each of the five rules.
    for (world, cluster_size) in worlds.zip([2, 3, 20].into_iter().cycle()) {
        let engine = build(&gpu, &world.map, cluster_size);
        let excess = check(&engine, &world, &pairs(&world.map, 3000));
        assert!(cluster_size < 20 || excess == 0.0, "one cluster is exact: {world}");
    }
}

#[test]
fn random_worlds() {
    let gpu = gpu(8 << 20);
    let worlds = (0..40).map(random).filter(|world| world.map.as_grid().is_some());
    for (world, cluster_size) in worlds.zip([2, 4, 5, 7].into_iter().cycle()) {
        let engine = build(&gpu, &world.map, cluster_size);
        check(&engine, &world, &pairs(&world.map, 2000));
    }
}

/// Noise, under all rules, with terrain and without.
fn noise(side: u32, blocked: f64) -> impl Iterator<Item = World> {
    rules().into_iter().flat_map(move |(name, connectivity, corners)| {
        [false, true].map(|has_terrain| {
            let mut random = Random::new(7);
            let grid = Grid::from_fn(side, side, |_, _| !random.chance(blocked)).expect("a size");
            let mut grid = grid.with_connectivity(connectivity).with_corners(corners);
            if has_terrain {
                let factors = (0..side * side).map(|_| 1 + random.below(9) as u8).collect();
                grid = grid.with_terrain(factors).expect("factors");
            }
            World::new(format!("{name}, terrain: {has_terrain}, {blocked} blocked"), grid)
        })
    })
}

#[test]
fn paths_are_near_optimal() {
    let gpu = gpu(16 << 20);
    for blocked in [0.0, 0.25] {
        for world in noise(60, blocked) {
            let engine = build(&gpu, &world.map, 20);
            let excess = check(&engine, &world, &pairs(&world.map, 250));
            println!("{}: {:.1} % more than the cheapest paths", world.name, 100.0 * excess);
            assert!(excess < MOST_EXCESS, "{excess} on {}", world.name);
        }
    }
}

#[test]
fn small_tables_and_pools_answer_alike() {
    let world = noise(70, 0.3).nth(2).expect("a world");
    let pairs = pairs(&world.map, 100);
    let costs = |engine: &GpuHierarchical| {
        let distances = engine.distances(&pairs).expect("a working device");
        (distances.costs().to_vec(), distances.timing().rounds)
    };
    let paths = |engine: &GpuHierarchical| {
        let paths = engine.find_all(&pairs).expect("a working device");
        let nodes = |path: crate::GpuPathAnswer<'_>| {
            path.ok().flatten().map(|path| path.nodes().collect::<Vec<_>>())
        };
        paths.iter().map(nodes).collect::<Vec<_>>()
    };
    let large = build(&gpu(64 << 20), &world.map, 4);
    let small = build(&gpu(1 << 18), &world.map, 4);
    let ((expected, few), (found, many)) = (costs(&large), costs(&small));
    assert!(found == expected && many > few, "{many} rounds and {few}");
    let expected = paths(&large);
    assert!(expected == paths(&small) && expected == paths(&large));
    check(&small, &world, &pairs);
}

#[test]
fn a_search_through_all_of_a_maze_gets_a_larger_table() {
    // A corridor that runs through every row.
    let grid = Grid::from_fn(100, 81, |x, y| y % 2 == 0 || x == if y % 4 == 1 { 99 } else { 0 });
    let map = Map::from(grid.expect("a size"));
    let engine = build(&gpu(64 << 20), &map, 2);
    let pairs = [(0, 99 + 100 * 80), (0, 0), (5, 9 + 100 * 80)];
    check(&engine, &World::new("a corridor", map), &pairs);
    let rounds = engine.distances(&pairs).expect("a working device").timing().rounds;
    assert!(rounds > 1, "the first table is too small");
}

#[test]
fn tables_of_all_sizes_share_the_working_memory() {
    let working_memory = 4 << 20;
    let world = noise(100, 0.2).nth(2).expect("a world");
    let engine = build(&gpu(working_memory), &world.map, 10);
    check(&engine, &world, &pairs(&world.map, 60));
    let working = engine.working.lock().expect("no panic");
    let Working { tiers, memory, rounds, .. } = working.as_ref().expect("a batch was answered");
    let sizes = tiers.iter().map(|tier| tier.table_bits).collect::<std::collections::BTreeSet<_>>();
    assert!(sizes.len() > 1 && tiers.iter().any(|tier| !tier.has_large_tables()), "{tiers:?}");
    let shape = rounds.shape();
    let of_rounds = 24 * (2 * HEADER_WORDS + 5 * shape.requests + shape.pool_words);
    let bytes = memory.large.size() + memory.small.size() + of_rounds;
    assert!(bytes <= working_memory, "{bytes}");
}

#[test]
fn small_batches_take_little_memory_and_large_ones_get_more() {
    let world = noise(64, 0.2).nth(2).expect("a world");
    let engine = build(&gpu(1 << 30), &world.map, 20);
    let bytes = || {
        let working = engine.working.lock().expect("no panic");
        let Working { memory, rounds, .. } = working.as_ref().expect("a batch was answered");
        memory.large.size() + memory.small.size() + rounds.bytes()
    };
    check(&engine, &world, &pairs(&world.map, 1));
    let small = bytes();
    assert!(small < 32 << 20, "{small}");
    check(&engine, &world, &pairs(&world.map, 300));
    let large = bytes();
    assert!(large > 2 * small && large < 256 << 20, "{small} and {large}");
    check(&engine, &world, &pairs(&world.map, 1));
    assert_eq!(bytes(), large);
}

#[test]
fn numbers_of_searches_start_again() {
    let world = noise(40, 0.2).next().expect("a world");
    let engine = build(&gpu(8 << 20), &world.map, 4);
    let pairs = pairs(&world.map, 40);
    check(&engine, &world, &pairs);
    {
        let working = engine.working.lock().expect("no panic");
        let memory = &working.as_ref().expect("a batch was answered").memory;
        memory.next.set(MOST_SEARCHES - 50);
    }
    check(&engine, &world, &pairs);
    check(&engine, &world, &pairs);
}

#[test]
fn an_invocation_that_has_finished_takes_another_request() {
    let world = World::new("two rooms", draw("....... / .#####. / .#...#. / .###.#.").0);
    let mut engine = build(&gpu(8 << 20), &world.map, 3);
    // More than the invocations of a workgroup.
    engine.is_software = false;
    check(&engine, &world, &pairs(&world.map, 1000)[..200]);
}

#[test]
fn ends_outside_the_map_and_blocked_ends_are_errors() {
    let (grid, ..) = draw(".#. / ...");
    let map = Map::from(grid);
    let engine = build(&gpu(8 << 20), &map, 2);
    let answers = engine.distances(&[(0, 6), (9, 1), (1, 1), (2, 1), (0, 2)]);
    let answers = answers.expect("a working device");
    let outside = |node| Some(Err(map.check(node).expect_err("not a cell")));
    let found: Vec<_> = (0..4).map(|at| answers.get(at)).collect();
    assert_eq!(found, [outside(6), outside(9), outside(1), outside(1)]);
    assert_eq!(answers.costs()[..4], [UNREACHABLE; 4]);
    assert!(answers.costs()[4] < UNREACHABLE && answers.get(5).is_none());
}

#[test]
fn graphs_and_odd_clusters_are_refused() {
    let gpu = gpu(8 << 20);
    let graph = drawn().into_iter().find(|world| world.map.as_graph().is_some()).expect("a graph");
    let grid = Map::from(Grid::new(3, 3).expect("a size"));
    for (map, cluster_size) in [(&graph.map, 20), (&grid, 1), (&grid, 65)] {
        let config = GpuHierarchicalConfig { cluster_size };
        let refused = GpuHierarchical::build(&gpu, map, &config);
        assert!(matches!(refused, Err(GpuError::Unsupported { .. })), "{refused:?}");
    }
}
