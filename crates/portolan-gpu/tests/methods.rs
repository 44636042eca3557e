//! Every method of the registry against the reference, with walked paths. Machines without a GPU
//! need a software driver; `scripts/test` installs it.

use portolan::formats::movingai::{read_map, read_scen};
use portolan::generate::{Caves, Pairs, Random};
use portolan::{EndpointError, Map, NodeId, Settings, UNREACHABLE};
use portolan_gpu::{Gpu, GpuEngine, GpuError, GpuMethod, GpuOptions, METHODS, Request};
use portolan_testkit::real;
use portolan_testkit::reference::Reference;
use portolan_testkit::worlds::{World, drawn, random};

fn gpu() -> Gpu {
    Gpu::new().expect("a GPU, or a software driver")
}

/// The engine, or `None` where the method gives a reason why it cannot serve the map.
fn build(method: &GpuMethod, gpu: &Gpu, world: &World) -> Option<Box<dyn GpuEngine>> {
    match method.build(gpu, &world.map, &Settings::default()) {
        Ok(engine) => {
            assert_eq!((engine.name(), engine.exact()), (method.name, method.exact), "{world}");
            Some(engine)
        }
        Err(GpuError::Unsupported { method: name, reason }) => {
            assert!(name == method.name && !reason.is_empty(), "{name}: {reason}\n{world}");
            None
        }
        Err(error) => panic!("{}: {error}\n{world}", method.name),
    }
}

/// Checks costs, paths and errors, in the order of the requests.
fn check(engine: &dyn GpuEngine, world: &World, reference: &Reference, requests: &[Request]) {
    let map = &world.map;
    let costs = engine.distances(requests).unwrap_or_else(|error| panic!("{error}\n{world}"));
    let paths = engine.find_all(requests).unwrap_or_else(|error| panic!("{error}\n{world}"));
    assert_eq!((costs.costs().len(), paths.len()), (requests.len(), requests.len()));
    let mut truth: (NodeId, Vec<Option<u64>>) = (NodeId::MAX, Vec::new());
    for (index, &(from, to)) in requests.iter().enumerate() {
        let context = || format!("{}: {from} -> {to}\n{world}", engine.name());
        let cost = costs.get(index).expect("an answer");
        let path = paths.get(index).expect("an answer");
        if let Err(refused) = map.check(from).and_then(|()| map.check(to)) {
            assert_eq!((cost, path.err()), (Err(refused.clone()), Some(refused)), "{}", context());
            continue;
        }
        if truth.0 != from {
            truth = (from, reference.distances(from));
        }
        let least = truth.1[to as usize];
        if least.is_some_and(|cost| cost >= u64::from(UNREACHABLE)) {
            assert!(matches!(cost, Err(EndpointError::CostOverflow { .. })), "{}", context());
            continue;
        }
        let cost = cost.unwrap_or_else(|error| panic!("{error}: {}", context()));
        let path = path.unwrap_or_else(|error| panic!("{error}: {}", context()));
        assert_eq!(cost, path.map(|path| path.cost()), "{}", context());
        let Some(path) = path else {
            assert_eq!(least, None, "no path found: {}", context());
            continue;
        };
        let nodes: Vec<NodeId> = path.nodes().collect();
        let walked = reference.walk(&nodes, from, to);
        assert_eq!(walked, Ok(u64::from(path.cost())), "{nodes:?}: {}", context());
        match engine.exact() {
            true => assert_eq!(Some(u64::from(path.cost())), least, "{}", context()),
            false => assert!(Some(u64::from(path.cost())) >= least, "{}", context()),
        }
    }
}

/// All pairs of a few nodes, blocked ones and some outside the map among them.
fn some_pairs(map: &Map, seed: u64) -> Vec<Request> {
    let nodes = map.node_count() as u64;
    let mut random = Random::new(seed);
    let mut ends: Vec<NodeId> = (0..nodes.min(10)).map(|_| random.below(nodes) as NodeId).collect();
    ends.extend([nodes as NodeId, NodeId::MAX]);
    ends.iter().flat_map(|&from| ends.iter().map(move |&to| (from, to))).collect()
}

/// Checks every method on these worlds. Each must serve some of them, and refuse graphs alone or
/// with a reason.
fn check_all(worlds: &[World]) {
    let gpu = gpu();
    let mut served = vec![0; METHODS.len()];
    for (number, world) in (1..).zip(worlds) {
        let reference = Reference::new(&world.map);
        let requests = some_pairs(&world.map, number);
        for (method, served) in METHODS.iter().zip(&mut served) {
            if let Some(engine) = build(method, &gpu, world) {
                check(&*engine, world, &reference, &requests);
                *served += 1;
            }
        }
    }
    for (method, served) in METHODS.iter().zip(served) {
        assert!(served > 0, "{} serves none of {} worlds", method.name, worlds.len());
    }
}

#[test]
fn drawn_worlds() {
    check_all(&drawn().into_iter().skip(1).step_by(4).collect::<Vec<_>>());
}

#[test]
fn random_worlds() {
    check_all(&(100..116).map(random).collect::<Vec<_>>());
}

#[test]
fn ten_thousand_agents_get_the_same_answers_in_one_round_and_in_many() {
    let caves = Caves { width: 30, height: 24, seed: 4, ..Caves::default() };
    let world = World::new("caves", caves.generate().expect("caves"));
    let reference = Reference::new(&world.map);
    let pairs = Pairs { count: 10_000, even_lengths: false, seed: 2 };
    let mut requests = pairs.generate(&world.map).expect("a walkable cell");
    // Not only those that reach each other.
    requests.splice(0..144, some_pairs(&world.map, 7));
    assert_eq!(requests.len(), 10_000);
    let options = GpuOptions { working_memory: Some(1 << 20), ..GpuOptions::default() };
    let (whole, little) = (gpu(), Gpu::with_options(options).expect("a GPU"));
    for method in METHODS {
        let build = |gpu: &Gpu| build(method, gpu, &world).expect("caves of one terrain");
        let [whole, little] = [&whole, &little].map(build);
        let (one, many) = (whole.find_all(&requests), little.find_all(&requests));
        let (one, many) = (one.expect("answers"), many.expect("answers"));
        let rounds = (one.timing().rounds, many.timing().rounds);
        assert!(rounds.0 < rounds.1, "{}: {rounds:?} rounds", method.name);
        for (index, (one, many)) in one.iter().zip(many.iter()).enumerate() {
            let nodes = one.clone().map(|path| path.map(|path| path.nodes().collect::<Vec<_>>()));
            let others = many.map(|path| path.map(|path| path.nodes().collect::<Vec<_>>()));
            assert_eq!(nodes, others, "{}: {:?}", method.name, requests[index]);
        }
        let costs = little.distances(&requests).expect("answers");
        assert_eq!(costs.costs(), whole.distances(&requests).expect("answers").costs());
        check(&*little, &world, &reference, &requests[..400]);
    }
}

/// The smallest of the real maps, with queries of their scenarios.
#[test]
fn real_maps() {
    const LARGEST: u64 = 12_000;
    const QUERIES: usize = 24;
    let small =
        |path: &std::path::PathBuf| path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST);
    let gpu = gpu();
    for path in real::files(".map").into_iter().filter(small) {
        let scenario = path.with_extension("map.scen");
        let Ok(lines) = std::fs::read(&scenario) else { continue };
        let grid = read_map(&std::fs::read(&path).expect("a map")).expect("a map");
        let lines = read_scen(&lines).expect("a scenario");
        let stride = lines.len().div_ceil(QUERIES).max(1);
        let node = |cell: (u32, u32)| grid.node(cell.0, cell.1).expect("a cell");
        let requests: Vec<Request> =
            lines.iter().step_by(stride).map(|line| (node(line.start), node(line.goal))).collect();
        let world = World::new(path.display().to_string(), grid.clone());
        let reference = Reference::new(&world.map);
        for method in METHODS {
            if let Some(engine) = build(method, &gpu, &world) {
                check(&*engine, &world, &reference, &requests);
            }
        }
    }
}
