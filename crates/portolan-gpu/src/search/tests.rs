//! Every engine that searches, against the reference.

use portolan::generate::{Random, Rooms};
use portolan::{Connectivity, Corners, EndpointError, Grid, Map, NodeId, UNREACHABLE};
use portolan_testkit::reference::Reference;
use portolan_testkit::worlds::{World, drawn, random};

use super::{GpuAstar, GpuCooperative, GpuPrecalculated};
use crate::batch::Request;
use crate::device::{Gpu, GpuOptions};
use crate::engine::GpuEngine;
use crate::error::{GpuError, GpuLimit};

fn open(options: GpuOptions) -> Gpu {
    Gpu::with_options(options).expect("a GPU, or a software driver")
}

fn engines(gpu: &Gpu, map: &Map) -> Vec<Box<dyn GpuEngine>> {
    vec![
        Box::new(GpuAstar::build(gpu, map).expect("a grid")),
        Box::new(GpuCooperative::build(gpu, map).expect("a grid")),
        Box::new(GpuPrecalculated::build(gpu, map).expect("a grid")),
    ]
}

/// The engines but the last, if the stored paths do not fit into a binding.
fn engines_that_fit(gpu: &Gpu, map: &Map) -> Vec<Box<dyn GpuEngine>> {
    let mut engines: Vec<Box<dyn GpuEngine>> = vec![
        Box::new(GpuAstar::build(gpu, map).expect("a grid")),
        Box::new(GpuCooperative::build(gpu, map).expect("a grid")),
    ];
    match GpuPrecalculated::build(gpu, map) {
        Ok(engine) => engines.push(Box::new(engine)),
        Err(error) => assert!(matches!(error, GpuError::TooLarge { .. }), "{error}"),
    }
    engines
}

fn is_grid(world: &World) -> bool {
    world.map.as_grid().is_some()
}

/// All pairs of a few nodes, some of them outside the map.
fn some_pairs(map: &Map, seed: u64) -> Vec<Request> {
    let nodes = map.node_count() as u64;
    let mut random = Random::new(seed);
    let ends = 12.min(nodes) as usize;
    let mut ends: Vec<NodeId> = (0..ends).map(|_| random.below(nodes) as NodeId).collect();
    ends.extend([nodes as NodeId, NodeId::MAX]);
    ends.iter().flat_map(|&from| ends.iter().map(move |&to| (from, to))).collect()
}

/// Checks costs, paths and errors. Returns the paths.
fn check(engine: &dyn GpuEngine, world: &World, requests: &[Request]) -> Vec<Vec<NodeId>> {
    let map = &world.map;
    let reference = Reference::new(map);
    let costs = engine.distances(requests).unwrap_or_else(|error| panic!("{world}\n{error}"));
    let paths = engine.find_all(requests).unwrap_or_else(|error| panic!("{world}\n{error}"));
    assert_eq!((costs.costs().len(), paths.len()), (requests.len(), requests.len()));
    let mut from_start: (NodeId, Vec<Option<u64>>) = (NodeId::MAX, Vec::new());
    let found = requests.iter().enumerate().map(|(index, &(from, to))| {
        let context = format!("{}: {from} -> {to}\n{world}", engine.name());
        let cost = costs.get(index).expect("an answer");
        let path = paths.get(index).expect("an answer");
        assert_eq!(cost, path.clone().map(|path| path.map(|path| path.cost())), "{context}");
        if let Err(error) = map.check(from).and_then(|()| map.check(to)) {
            assert_eq!(cost, Err(error), "{context}");
            return Vec::new();
        }
        if from_start.0 != from {
            from_start = (from, reference.distances(from));
        }
        let truth = from_start.1[to as usize];
        if truth.is_some_and(|cost| cost >= u64::from(UNREACHABLE)) {
            assert!(matches!(cost, Err(EndpointError::CostOverflow { .. })), "{context}");
            return Vec::new();
        }
        assert_eq!(cost.map(|cost| cost.map(u64::from)), Ok(truth), "{context}");
        let Ok(Some(path)) = path else { return Vec::new() };
        let nodes: Vec<NodeId> = path.nodes().collect();
        assert_eq!(reference.walk(&nodes, from, to).map(Some), Ok(truth), "{context}");
        nodes
    });
    found.collect()
}

#[test]
fn answers_on_drawn_worlds() {
    let gpu = open(GpuOptions::default());
    for world in drawn().iter().filter(|world| is_grid(world)).step_by(7) {
        for engine in engines(&gpu, &world.map) {
            check(engine.as_ref(), world, &some_pairs(&world.map, 1));
        }
    }
}

#[test]
fn answers_on_random_worlds() {
    let gpu = open(GpuOptions::default());
    for world in (0..20).map(random).filter(is_grid) {
        for engine in engines(&gpu, &world.map) {
            check(engine.as_ref(), &world, &some_pairs(&world.map, 2));
        }
    }
}

/// Rooms of many pages, with terrain or without.
fn rooms(connectivity: Connectivity, has_terrain: bool) -> World {
    let grid =
        Rooms { width: 42, height: 34, room: 7, ..Rooms::default() }.generate().expect("rooms");
    let mut grid = grid.with_connectivity(connectivity).with_corners(Corners::PastOne);
    if has_terrain {
        let mut random = Random::new(3);
        let factors = (0..42 * 34).map(|_| 1 + random.below(4) as u8).collect();
        grid = grid.with_terrain(factors).expect("factors");
    }
    World::new(format!("rooms, {connectivity:?}, terrain: {has_terrain}"), grid)
}

#[test]
fn little_memory_means_more_rounds_and_the_same_paths() {
    let little = GpuOptions {
        working_memory: Some(60_000),
        max_binding: Some(100_000),
        ..GpuOptions::default()
    };
    let (gpu, little) = (open(GpuOptions::default()), open(little));
    let kinds =
        [(Connectivity::Eight, true), (Connectivity::Four, false), (Connectivity::Hex, false)];
    for (connectivity, has_terrain) in kinds {
        let world = rooms(connectivity, has_terrain);
        let requests = some_pairs(&world.map, 4);
        let few = engines(&little, &world.map);
        for (engine, few) in engines(&gpu, &world.map).iter().zip(&few) {
            let paths = check(engine.as_ref(), &world, &requests);
            assert!(check(few.as_ref(), &world, &requests) == paths, "{}", engine.name());
            assert!(few.distances(&requests).expect("answers").timing().rounds > 1);
        }
    }
}

#[test]
fn stored_paths_do_not_depend_on_the_device() {
    let mut random = Random::new(2);
    let grid = Grid::from_fn(75, 61, |_, _| !random.chance(0.15)).expect("a size");
    let world = World::new("noise", grid);
    let mut node = || random.below(75 * 61) as NodeId;
    let requests: Vec<Request> = (0..400).map(|_| (node(), node())).collect();
    let mut found = Vec::new();
    for (working_memory, max_binding) in
        [(None, None), (Some(800_000), None), (Some(800_000), Some(300_000))]
    {
        let gpu = open(GpuOptions { working_memory, max_binding, ..GpuOptions::default() });
        let engine = GpuPrecalculated::build(&gpu, &world.map).expect("room for stored paths");
        found.push((engine.stored_paths(), check(&engine, &world, &requests)));
    }
    assert!(found.iter().all(|it| it == &found[0]));
    let small = open(GpuOptions { max_binding: Some(100_000), ..GpuOptions::default() });
    let refused = GpuPrecalculated::build(&small, &world.map).map(|_| ());
    assert!(matches!(refused, Err(GpuError::TooLarge { .. })), "{refused:?}");
}

#[test]
fn several_banks_give_the_same_answers_as_one() {
    let several = GpuOptions {
        working_memory: Some(4 << 20),
        max_binding: Some(400_000),
        ..GpuOptions::default()
    };
    let (one, several) = (open(GpuOptions::default()), open(several));
    let rooms = rooms(Connectivity::Eight, false);
    // Each search needs more pages than there are for an agent at first.
    let corridor = World::new("a corridor", corridor(80));
    let through = [(0, 78 * 80), (78 * 80, 0)].repeat(40);
    for (world, requests) in [(&rooms, some_pairs(&rooms.map, 6)), (&corridor, through)] {
        let [one, many] = [&one, &several].map(|gpu| engines_that_fit(gpu, &world.map));
        for (one, many) in one.iter().zip(&many) {
            let paths = check(one.as_ref(), world, &requests);
            assert!(check(many.as_ref(), world, &requests) == paths, "{}", one.name());
        }
        let astar = GpuAstar::build(&several, &world.map).expect("a grid");
        assert_eq!(astar.batches.banks > 1, several.most_buffers_in_arrays() > 0);
    }
    let astar = GpuAstar::build(&several, &corridor.map).expect("a grid");
    let requests = vec![(0, 78 * 80); 80];
    assert!(astar.distances(&requests).expect("answers").timing().rounds > 1);
}

#[test]
fn searches_go_on_after_a_run_of_the_kernel_has_ended() {
    let gpu = open(GpuOptions::default());
    let world = rooms(Connectivity::Eight, true);
    let requests = some_pairs(&world.map, 5);
    let whole = engines(&gpu, &world.map);
    let mut astar = GpuAstar::build(&gpu, &world.map).expect("a grid");
    let mut cooperative = GpuCooperative::build(&gpu, &world.map).expect("a grid");
    let mut precalculated = GpuPrecalculated::build(&gpu, &world.map).expect("a grid");
    astar.batches.actions = 30;
    cooperative.batches.actions = 10;
    precalculated.batches.actions = 30;
    let cut: [&dyn GpuEngine; 3] = [&astar, &cooperative, &precalculated];
    for (cut, whole) in cut.into_iter().zip(&whole) {
        let paths = check(whole.as_ref(), &world, &requests);
        assert!(check(cut, &world, &requests) == paths, "{}", cut.name());
    }
}

/// One corridor that winds through the whole map.
fn corridor(size: u32) -> Grid {
    let is_open =
        |x: u32, y: u32| y.is_multiple_of(2) || x == if y % 4 == 1 { size - 1 } else { 0 };
    Grid::from_fn(size, size, is_open).expect("a size")
}

#[test]
fn costs_that_do_not_fit_are_errors() {
    let size = 205;
    let grid = corridor(size);
    let factors = vec![255; (size * size) as usize];
    let grid = grid.with_connectivity(Connectivity::Four).with_terrain(factors).expect("factors");
    let gpu = open(GpuOptions::default());
    let world = World::new("a corridor", grid);
    let last = size * size - 1;
    for engine in engines(&gpu, &world.map) {
        let requests = [(0, last), (last, 0), (0, last - size * 20), (0, 5)];
        let costs = engine.distances(&requests).expect("answers");
        assert!(matches!(costs.get(0), Some(Err(EndpointError::CostOverflow { .. }))));
        check(engine.as_ref(), &world, &requests);
    }
}

#[test]
fn what_cannot_be_served_is_refused() {
    let gpu = open(GpuOptions::default());
    let graph = drawn().into_iter().find(|world| !is_grid(world)).expect("drawn graphs");
    let refused = GpuAstar::build(&gpu, &graph.map).map(|_| ());
    assert!(matches!(refused, Err(GpuError::Unsupported { method: "gpu-astar", .. })));
    let tiny = GpuOptions { max_binding: Some(16384), ..GpuOptions::default() };
    let map = Map::from(corridor(60));
    let gpu = open(tiny);
    let astar = GpuAstar::build(&gpu, &map).expect("a grid");
    let cooperative = GpuCooperative::build(&gpu, &map).expect("a grid");
    for engine in [&astar as &dyn GpuEngine, &cooperative] {
        let far = engine.distances(&[(0, 58 * 60)]).map(|it| it.costs().to_vec());
        let is_expected =
            matches!(far, Err(GpuError::TooLarge { limit: GpuLimit::MaxBinding, .. }));
        assert!(is_expected, "{far:?}");
        assert_eq!(engine.distances(&[(0, 1)]).expect("a short search").costs(), [33461]);
    }
}

/// More turns than a round has room for.
#[test]
fn paths_that_find_the_pool_full_are_found_again() {
    let gpu = open(GpuOptions::default());
    let stairs = Grid::from_fn(200, 200, |x, y| x == y || x == y + 1).expect("a size");
    let world = World::new("stairs", stairs.with_connectivity(Connectivity::Four));
    let requests = vec![(0, 200 * 200 - 1); 60];
    for engine in engines(&gpu, &world.map) {
        let mut rounds = 0;
        let mut answers = vec![0; requests.len()];
        let visited = engine.visit_paths(&requests, &mut |round| {
            rounds += 1;
            round.iter().for_each(|(at, _)| answers[at] += 1);
        });
        assert!(visited.is_ok() && rounds > 1, "{}: {visited:?}", engine.name());
        assert!(answers.iter().all(|&count| count == 1), "{answers:?}");
        check(engine.as_ref(), &world, &requests);
    }
}

#[test]
fn long_straight_parts_take_several_legs() {
    let gpu = open(GpuOptions::default());
    let world = World::new("a long row", Grid::new(9000, 1).expect("a size"));
    for engine in engines(&gpu, &world.map) {
        let requests = [(0, 8999), (8999, 0)];
        check(engine.as_ref(), &world, &requests);
        for answer in engine.find_all(&requests).expect("answers").iter() {
            let legs = answer.map(|path| path.map(|path| path.legs().len()));
            assert_eq!(legs, Ok(Some(2)), "{}", engine.name());
        }
    }
}

#[test]
fn parts_of_stored_paths_are_answers() {
    let gpu = open(GpuOptions::default());
    let world = rooms(Connectivity::Eight, false);
    let engine = GpuPrecalculated::build(&gpu, &world.map).expect("a grid");
    // The upper and left walls have no cells, but all other columns and rows do.
    assert_eq!(engine.stored_paths(), 42 + 34 - 2);
    let grid = world.map.as_grid().expect("a grid");
    let ends = |x: u32| {
        let mut cells = (0..34).filter(|&y| grid.is_passable(x, y));
        Some((grid.node(x, cells.next()?)?, grid.node(x, cells.next_back()?)?))
    };
    let columns: Vec<Request> = (0..42).filter_map(ends).collect();
    let paths = check(&engine, &world, &columns);
    let parts = |path: &Vec<NodeId>| [(path[5], path[20]), (path[path.len() - 1], path[1])];
    let parts: Vec<Request> = paths.iter().flat_map(parts).collect();
    check(&engine, &world, &parts);
}
