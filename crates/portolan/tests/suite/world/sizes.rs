//! Units of several sizes on one map: one edit changes the map of every size, and engines, paths
//! and requests follow.

use portolan::generate::Random;
use portolan::grid::{AgentError, Connectivity};
use portolan::world::{
    Broken, Budget, Follow, Recipe, Registry, Request, Requests, RequestsConfig, Standing, World,
    WorldConfig, WorldError,
};
use portolan::{EndpointError, Grid, Map, NodeId, Query, Settings};
use portolan_testkit::edits::random_changes;
use portolan_testkit::reference::{distances, is_usable};
use portolan_testkit::walker::walk;

const SIZES: [u32; 3] = [1, 2, 3];

fn sized(map: impl Into<Map>, sizes: &[u32]) -> World {
    let config = WorldConfig { sizes: sizes.to_vec(), ..WorldConfig::default() };
    World::with_config(map, config).unwrap()
}

fn recipe(name: &str) -> Recipe {
    Recipe::named(name, Settings { threads: 1, ..Settings::default() }).unwrap()
}

/// Maps of one terrain and of several.
fn grid(draw: &mut Random) -> Grid {
    let (width, height) = (8 + draw.below(16) as u32, 8 + draw.below(16) as u32);
    let grid = Grid::from_fn(width, height, |_, _| !draw.chance(0.08)).unwrap();
    match draw.chance(0.3) {
        true => {
            let factors = (0..width * height).map(|_| 1 + draw.below(6) as u8).collect();
            grid.with_terrain(factors).unwrap()
        }
        false => grid,
    }
}

/// Holds an answer against Dijkstra on the map of its unit; says whether there was a path.
fn check(map: &Map, ends: (NodeId, NodeId), found: Option<&portolan::world::Path>) -> bool {
    let best = distances(map, ends.0)[ends.1 as usize];
    assert_eq!(found.map(|path| u64::from(path.cost())), best);
    if let Some(path) = found {
        let nodes: Vec<NodeId> = path.nodes().collect();
        assert_eq!(walk(map, &nodes, ends.0, ends.1).ok(), best);
        let cells: Vec<_> = nodes.iter().map(|&node| map.cell(node).unwrap()).collect();
        assert!(path.cells().eq(cells));
    }
    found.is_some()
}

#[test]
fn one_edit_changes_the_map_and_the_engines_of_every_size() {
    let mut found = [0; 3];
    for seed in 0..12 {
        let mut draw = Random::new(seed);
        let world = sized(grid(&mut draw), &SIZES[1..]);
        for (name, follow) in
            [("atlas", Follow::AtOnce), ("ppa", Follow::Behind), ("astar", Follow::Auto)]
        {
            world.add_with(recipe(name), follow).unwrap();
        }
        for step in 0..10 {
            let changes = random_changes(world.snapshot().map(), &mut draw);
            let edit = world.apply(&changes).unwrap();
            let snapshot = if step % 3 == 2 { world.settle().snapshot } else { world.snapshot() };
            let base = snapshot.map().as_grid().unwrap().clone();
            assert!(snapshot.sizes().eq(SIZES));
            for (at, size) in SIZES.into_iter().enumerate() {
                let sized = snapshot.for_size(size).unwrap();
                assert_eq!((sized.version(), sized.size()), (edit.version(), size));
                assert_eq!(sized.map().as_grid(), Some(&base.for_agent(size).unwrap()));
                assert_eq!(sized.engines().count(), 3);
                for (name, standing) in sized.engines() {
                    if let Standing::Current(engine) = standing {
                        assert_eq!(engine.map().as_grid(), sized.map().as_grid());
                    }
                    for _ in 0..3 {
                        let mut node = || draw.below(sized.map().node_count() as u64) as NodeId;
                        let ends = (node(), node());
                        match sized.find_by(name, ends.0, ends.1) {
                            Ok(path) => {
                                found[at] += u32::from(check(sized.map(), ends, path.as_ref()));
                            }
                            Err(_) => assert!(
                                !is_usable(sized.map(), ends.0) || !is_usable(sized.map(), ends.1)
                            ),
                        }
                    }
                }
            }
        }
    }
    assert!(found.iter().all(|&found| found > 50), "{found:?}");
}

#[test]
fn the_registry_tells_units_of_different_sizes_apart() {
    let mut found = 0;
    for seed in 0..20 {
        let mut draw = Random::new(seed);
        let world = sized(grid(&mut draw), &SIZES);
        let mut paths = Registry::new(&world.snapshot());
        for _ in 0..10 {
            let snapshot = world.snapshot();
            for _ in 0..12 {
                let size = SIZES[draw.below(3) as usize];
                let sized = snapshot.for_size(size).unwrap();
                let mut node = || draw.below(sized.map().node_count() as u64) as NodeId;
                if let Ok(Some(path)) = sized.find(node(), node()) {
                    let tag = (size, path.goal());
                    let id = paths.insert(path, tag);
                    paths.walk(id, draw.below(6) as usize);
                    assert_eq!((paths.get(id).unwrap().size(), paths.tag(id)), (size, Some(&tag)));
                }
            }
            let changes = random_changes(snapshot.map(), &mut draw);
            let edit = world.apply(&changes).unwrap();
            let broken = paths.broken_by(&edit);
            let all = paths.broken_in(edit.snapshot());
            let ids = |broken: &[Broken<_>]| broken.iter().map(|one| one.id).collect::<Vec<_>>();
            assert_eq!(ids(&broken), ids(&all), "seed {seed}: {changes:?}");
            found += broken.len();
            for Broken { id, tag: (size, goal), position, goal: end, step, .. } in broken {
                assert_eq!(goal, end);
                let sized = edit.snapshot().for_size(size).unwrap();
                assert!(step.cost.is_none_or(|cost| {
                    sized.map().step_cost(step.tail, step.head) == Some(cost)
                }));
                match sized.find(position, goal) {
                    Ok(Some(path)) => assert!(paths.replace(id, path).is_some()),
                    _ => assert_eq!(paths.remove(id).unwrap().1, (size, goal)),
                }
            }
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn requests_come_back_with_their_tags_and_for_their_sizes() {
    for (engine, threads) in [(None, 1), (Some("atlas"), 1), (Some("atlas"), 3)] {
        let mut draw = Random::new(5);
        let world = sized(grid(&mut draw), &SIZES);
        // Units of three cells do without an engine.
        world.add(recipe("atlas").for_size(1)).unwrap();
        world.add(recipe("atlas").for_size(2)).unwrap();
        let engine = engine.map(str::to_owned);
        let mut requests = Requests::new(RequestsConfig { engine, threads }).unwrap();
        let nodes = world.snapshot().map().node_count() as u64;
        for _ in 0..200 {
            let (from, to) = (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId);
            let size = SIZES[draw.below(3) as usize];
            let request = Request::new(from, to).for_size(size).with_tag((from, to, size));
            requests.submit(request.with_urgency(draw.below(3) as i32));
        }
        let unknown = requests.submit(Request::new(0, 1).for_size(7).with_tag((0, 1, 7)));
        let outside = requests.submit(Request::new((-1, 0), (0, 0)).with_tag((0, 0, 0)));
        let (mut answered, mut found) = (0, 0);
        while !requests.is_empty() {
            let snapshot = world.snapshot();
            for answer in requests.advance(&snapshot, Budget::Expansions(500)).unwrap() {
                answered += 1;
                let (from, to, size) = answer.tag;
                match answer.path {
                    Err(WorldError::NoSuchSize { size: 7, known }) => {
                        assert_eq!((answer.id, known.as_str()), (unknown, "1, 2, 3"));
                    }
                    Err(WorldError::Endpoint(EndpointError::Outside { .. })) => {
                        assert_eq!(answer.id, outside);
                    }
                    Err(error) => {
                        assert!(matches!(error, WorldError::Endpoint(_)), "{error}");
                        let map = snapshot.for_size(size).unwrap().map().clone();
                        assert!(!is_usable(&map, from) || !is_usable(&map, to));
                    }
                    Ok(path) => {
                        let sized = snapshot.for_size(size).unwrap();
                        found += u32::from(check(sized.map(), (from, to), path.as_ref()));
                        assert!(path.is_none_or(|path| path.size() == size));
                    }
                }
            }
        }
        assert!(answered == 202 && found > 50, "{answered} {found}");
    }
}

#[test]
fn sizes_that_cannot_be_are_errors() {
    let with = |map: Map, size| {
        World::with_config(map, WorldConfig { sizes: vec![size], ..WorldConfig::default() })
    };
    let grid = Grid::new(5, 5).unwrap();
    let nothing = with(Map::from(&grid), 0).err().unwrap();
    assert_eq!(nothing, WorldError::Size(AgentError::Nothing));
    let hex = with(grid.clone().with_connectivity(Connectivity::Hex).into(), 2).err().unwrap();
    assert_eq!(hex, WorldError::Size(AgentError::Hex));
    let graph = with(portolan_testkit::worlds::one_way_streets(), 2).err().unwrap();
    assert_eq!(graph, WorldError::SizeOnGraph { size: 2 });
    let world = with(grid.into(), 9).unwrap(); // fits nowhere, which is no error
    assert!(world.snapshot().for_size(9).unwrap().find(0, 1).is_err());
    let unknown = world.snapshot().for_size(3).err().unwrap();
    assert!(unknown.to_string().contains("its sizes are: 1, 9"), "{unknown}");
    let unknown = world.add(recipe("atlas").for_size(3)).err().unwrap();
    assert_eq!(unknown, WorldError::NoSuchSize { size: 3, known: "1, 9".into() });
    world.add(recipe("atlas")).unwrap();
    let taken = world.add(recipe("atlas").for_size(9)).err().unwrap();
    assert_eq!(taken, WorldError::NameTaken { name: "atlas".into() });
}

#[test]
fn a_world_starts_with_engines_that_are_built_already() {
    let mut draw = Random::new(4);
    let world = sized(grid(&mut draw), &[2]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.index");
    let two = world.snapshot().for_size(2).unwrap();
    let method = portolan::registry::method("atlas").unwrap();
    let settings = Settings { threads: 1, ..Settings::default() };
    method.build(two.map(), &settings).unwrap().store().unwrap().save(&path).unwrap();
    let index = portolan::store::IndexFile::open(&path).unwrap();
    assert!(Recipe::open(&index, world.snapshot().map(), settings.clone()).is_err(), "wrong size");
    let opened = Recipe::open(&index, two.map(), settings.clone()).unwrap();
    world.add_with(opened.for_size(2), Follow::AtOnce).unwrap();
    assert!(world.snapshot().engine("atlas").is_none(), "that is for size 2 only");

    // It follows edits as any other.
    for step in 0..40 {
        let changes = random_changes(world.snapshot().map(), &mut draw);
        let edit = world.apply(&changes).unwrap();
        if step % 8 == 7 {
            world.settle();
        }
        let sized = edit.snapshot().for_size(2).unwrap();
        assert!(sized.engine("atlas").is_some(), "step {step}");
        let mut query = sized.query_by("atlas").unwrap();
        let mut node = || draw.below(sized.map().node_count() as u64) as NodeId;
        let (from, to) = (node(), node());
        if is_usable(sized.map(), from) && is_usable(sized.map(), to) {
            let best = distances(sized.map(), from)[to as usize];
            assert_eq!(query.distance(from, to).unwrap().map(u64::from), best, "step {step}");
        }
    }

    // One that is for the map as it was is refused.
    let late = recipe("ppa").with_engine(method.build(two.map(), &settings).unwrap());
    let refused = world.add(late).err().unwrap();
    assert_eq!(refused, WorldError::OtherMap { name: "ppa".into() });
}
