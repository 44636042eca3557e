//! Worlds under edits: versions, snapshots, engines in the background, paths that hold or do not.

use std::time::Duration;

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::changes::CellChange;
use portolan::generate::{Random, Rooms};
use portolan::registry::METHODS;
use portolan::world::{Broken, Follow, Recipe, Registry, Standing, World, WorldConfig, WorldError};
use portolan::{BuildError, EndpointError, Engine, Grid, Map, NodeId, Query, Settings};
use portolan_testkit::edits::random_changes;
use portolan_testkit::forms;
use portolan_testkit::reference::{distances, is_usable, steps};
use portolan_testkit::walker::walk;
use portolan_testkit::worlds::{draw, random};

fn atlas() -> Recipe {
    Recipe::of::<Atlas>("atlas", AtlasConfig::default())
}

/// Asks for paths between nodes drawn at random and holds them against Dijkstra.
fn check(map: &Map, query: &mut dyn Query, exact: bool, draw: &mut Random, context: &str) {
    let nodes = map.node_count() as u64;
    let from = draw.below(nodes) as NodeId;
    if !is_usable(map, from) {
        return;
    }
    let truth = distances(map, from);
    for _ in 0..8 {
        let to = draw.below(nodes) as NodeId;
        if !is_usable(map, to) {
            continue;
        }
        let best = truth[to as usize];
        match query.find(from, to) {
            Ok(None) => assert_eq!(best, None, "{from} to {to}, {context}"),
            Ok(Some(route)) => {
                let path: Vec<NodeId> = route.nodes().collect();
                assert_eq!(walk(map, &path, from, to), Ok(u64::from(route.cost())), "{context}");
                assert!(!exact || Some(u64::from(route.cost())) == best, "{from} {to} {context}");
            }
            Err(error) => {
                assert_eq!(
                    error,
                    EndpointError::CostOverflow { from: map.location(from), to: map.location(to) },
                    "{context}"
                );
                assert!(best >= Some(u64::from(u32::MAX)), "{context}");
            }
        }
    }
}

#[test]
fn a_snapshot_never_changes() {
    let world = World::new(draw("..... / ..... / .....").0).unwrap();
    world.add(atlas()).unwrap();
    let before = world.snapshot();
    let straight = before.find(0, 4).unwrap().unwrap();
    let edit = world.edit(|e| [2, 7].into_iter().for_each(|node| e.block(node))).unwrap();
    assert_eq!((before.version().number(), edit.version().number()), (0, 1));
    assert_eq!(before.find(0, 4).unwrap().unwrap(), straight);
    let around = edit.snapshot().find(0, 4).unwrap().unwrap();
    assert!(around.cost() > straight.cost() && around.version() == edit.version());
    assert_eq!(world.snapshot().version(), edit.version());
}

#[test]
fn an_edit_is_one_step_or_none() {
    let world = World::new(Grid::new(4, 4).unwrap()).unwrap();
    let error = world.edit(|e| [1, 99].into_iter().for_each(|node| e.block(node))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no node 99; the map has 4 x 4 cells: x runs from 0 to 3, y from 0 to 3"
    );
    assert!(world.snapshot().map().contains(1) && world.snapshot().version().number() == 0);
    // What is as it was is no change, and where nothing changes there is no new version.
    let edit = world
        .edit(|e| {
            e.free(0);
            e.block(5);
            e.free(5);
            e.block(6);
            e.block(6);
        })
        .unwrap();
    assert_eq!(edit.changes().cells, [CellChange { node: 6, passable: false }]);
    let nothing = world.edit(|e| e.block(6)).unwrap();
    assert!(nothing.changes().is_empty() && nothing.version() == edit.version());
    let wrong = world.edit(|e| e.set_weight(0, 1, 7)).unwrap_err();
    assert!(matches!(wrong, WorldError::Change(_)), "{wrong}");
}

#[test]
fn an_edit_inside_an_edit_is_refused_and_does_not_hang() {
    let world = World::new(Grid::new(4, 4).unwrap()).unwrap();
    world.add(atlas()).unwrap();
    let mut inner = Vec::new();
    let edit = world.edit(|e| {
        inner.push(world.edit(|e| e.block(1)).map(|edit| edit.version()).unwrap_err());
        inner.push(world.add(atlas()).map(|after| after.version()).unwrap_err());
        assert!(world.is_busy() && world.advance().engines.is_empty());
        e.block(2);
    });
    assert_eq!(inner, [WorldError::Nested, WorldError::Nested]);
    assert_eq!(edit.unwrap().version().number(), 1);
    assert!(!world.is_busy() && world.edit(|e| e.block(1)).is_ok());
}

#[test]
fn graphs_are_edited_too() {
    let world = World::new(portolan_testkit::worlds::one_way_streets()).unwrap();
    world.add(atlas()).unwrap();
    let edit = world
        .edit(|e| {
            let node = e.insert_node(None);
            e.insert_edge(3, node, 1);
            e.insert_edge(node, 90, 1);
        })
        .unwrap();
    assert!(edit.snapshot().find(3, 90).unwrap().unwrap().nodes().eq([3, 120, 90]));
    let edit = world.edit(|e| e.delete_node(120)).unwrap();
    assert!(edit.snapshot().find(3, 90).unwrap().unwrap().cost() > 2);
}

#[test]
fn names_are_unique_and_asked_for_by_name() {
    let world = World::new(Grid::new(4, 4).unwrap()).unwrap();
    world.add(atlas()).unwrap();
    let twice = world.add(atlas()).unwrap_err();
    assert!(twice.to_string().contains("already has an engine `atlas`"), "{twice}");
    let unknown = world.snapshot().query_by("ppa").err().unwrap();
    assert!(unknown.to_string().ends_with("it has: atlas"), "{unknown}");
    assert!(matches!(world.snapshot().standing("atlas"), Some(Standing::Current(_))));
    let limited = Settings { memory_limit: 1.into(), ..Settings::default() };
    let refused = world.add(Recipe::named("ppa", limited).unwrap()).unwrap_err();
    assert!(matches!(refused, WorldError::Build(_)), "{refused}");
    assert_eq!(world.snapshot().engines().count(), 1);
}

/// Every registered engine in one world, on random maps of all kinds under random edits; some at
/// once, some behind.
#[test]
fn every_engine_in_one_world() {
    for seed in 0..24 {
        let mut draw = Random::new(seed);
        let start = random(3000 + seed).map;
        let config = WorldConfig { budget: Duration::from_micros(200), ..WorldConfig::default() };
        let world = World::with_config(start, config).unwrap();
        for (place, method) in METHODS.iter().enumerate() {
            let settings = Settings { threads: 1, ..Settings::default() };
            if method.supports(world.snapshot().map(), &settings).is_err() {
                continue;
            }
            let follow = [Follow::Auto, Follow::AtOnce, Follow::Behind][place % 3];
            world.add_with(Recipe::method(*method, settings), follow).unwrap();
        }
        for step in 0..12 {
            let changes = random_changes(world.snapshot().map(), &mut draw);
            let edit = world.apply(&changes).unwrap();
            if step % 4 == 3 {
                world.settle();
            } else {
                world.advance();
            }
            let newest = world.snapshot();
            assert_eq!(newest.version(), edit.version());
            for snapshot in [edit.snapshot(), &newest] {
                for (name, standing) in snapshot.engines() {
                    let ready = matches!(standing, Standing::Current(_));
                    assert!(ready || step % 4 != 3 || std::ptr::eq(snapshot, edit.snapshot()));
                    let exact = snapshot.engine(name).is_none_or(|engine| engine.exact());
                    let mut query = snapshot.query_by(name).unwrap();
                    let context = format!("{name} of seed {seed} after edit {step}: {changes:?}");
                    check(snapshot.map(), &mut *query, exact, &mut draw, &context);
                }
            }
        }
    }
}

/// An engine that is behind answers as A* does, is taken over by `advance` and by nothing else, and
/// then answers itself.
#[test]
fn what_the_background_finds_is_installed_by_advance_alone() {
    let rooms = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() };
    let world = World::new(rooms.generate().unwrap()).unwrap();
    world.add_with(atlas(), Follow::Behind).unwrap();
    assert!(matches!(world.snapshot().standing("atlas"), Some(Standing::Behind)));
    world.settle();
    assert!(world.snapshot().engine("atlas").is_some());
    let free = (0..64 * 64).find(|&node| world.snapshot().map().contains(node)).unwrap();
    let edit = world.edit(|e| e.block(free)).unwrap();
    assert!(edit.snapshot().engine("atlas").is_none() && world.is_busy());
    std::thread::sleep(Duration::from_millis(30));
    assert!(world.snapshot().engine("atlas").is_none(), "nobody has called `advance`");
    let installed = world.settle();
    assert_eq!(installed.engines, ["atlas"]);
    assert!(installed.snapshot.engine("atlas").is_some() && !world.is_busy());
    assert!(edit.snapshot().engine("atlas").is_none(), "a snapshot never changes");
    let mut draw = Random::new(1);
    for snapshot in [edit.snapshot(), &installed.snapshot] {
        check(snapshot.map(), &mut *snapshot.query(), true, &mut draw, "behind and not");
    }
}

/// Many edits slow an index down. It is rebuilt while it answers.
#[test]
fn a_slow_index_is_rebuilt_behind() {
    for (seed, form) in [(3, Form::Uniform), (4, Form::General)] {
        let rooms = Rooms { width: 60, height: 60, room: 6, seed, ..Rooms::default() };
        let world = World::new(rooms.generate().unwrap()).unwrap();
        let config = AtlasConfig { form, ..AtlasConfig::default() };
        world.add_with(Recipe::of::<Atlas>("atlas", config), Follow::AtOnce).unwrap();
        let mut draw = Random::new(seed);
        let mut rebuilt = 0;
        for step in 0..120 {
            let node = draw.below(3600) as NodeId;
            let passable = !world.snapshot().map().contains(node);
            let edit = world.edit(|e| e.set_passable(node, passable)).unwrap();
            let snapshot = edit.snapshot();
            assert!(snapshot.engine("atlas").is_some(), "at once");
            check(snapshot.map(), &mut *snapshot.query(), true, &mut draw, &format!("step {step}"));
            let now = if step % 10 == 9 { world.settle() } else { world.advance() };
            rebuilt += now.engines.len();
            let snapshot = now.snapshot;
            check(
                snapshot.map(),
                &mut *snapshot.query(),
                true,
                &mut draw,
                &format!("{step}, later"),
            );
        }
        assert!(rebuilt > 0);
        assert!(!world.snapshot().engine("atlas").unwrap().wants_rebuild());
    }
}

/// An index that outgrows its memory limit is replaced by A*, and comes back when the map allows
/// it.
#[test]
fn an_engine_that_cannot_follow_is_replaced_by_astar() {
    let grid = Grid::from_fn(40, 40, |x, y| x != 20 || y == 39).unwrap();
    let size = forms::uniform(&Map::from(&grid), 10).last().unwrap().memory_bytes() as u64;
    let world = World::new(grid).unwrap();
    let limited =
        AtlasConfig { form: Form::Uniform, memory_limit: size.into(), ..AtlasConfig::default() };
    world.add_with(Recipe::of::<Atlas>("atlas", limited), Follow::AtOnce).unwrap();
    let mut draw = Random::new(8);
    let (mut ready, mut failed) = (0, 0);
    for (node, passable) in [(420, true), (1402, false), (420, false), (700, false), (1402, true)] {
        let edit = world.edit(|e| e.set_passable(node, passable)).unwrap();
        for (snapshot, settled) in [(edit.snapshot(), false), (&world.settle().snapshot, true)] {
            match snapshot.standing("atlas") {
                Some(Standing::Current(_)) => ready += 1,
                Some(Standing::Behind) if !settled => {}
                Some(Standing::Failed(BuildError::MemoryLimit { .. })) => failed += 1,
                other => panic!("{other:?}"),
            }
            let mut query = snapshot.query_by("atlas").unwrap();
            check(snapshot.map(), &mut *query, true, &mut draw, &format!("after {node}"));
        }
    }
    assert!(ready > 0 && failed > 0, "{ready} ready, {failed} failed");
}

/// Validity against a walk of what is left, by rules of the test's own.
#[test]
fn paths_are_valid_as_long_as_every_step_costs_what_it_did() {
    let (mut valid, mut broken, mut longer) = (0, 0, 0);
    for seed in 0..120 {
        let mut draw = Random::new(seed);
        let world = World::new(random(5000 + seed).map).unwrap();
        let start = world.snapshot();
        let nodes = start.map().node_count() as u64;
        let ends = (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId);
        let Ok(Some(mut path)) = start.find(ends.0, ends.1) else { continue };
        path.walk(draw.below(3) as usize);
        assert!(start.is_valid(&path) && start.is_shortest(&path) == Ok(true), "seed {seed}");
        let expected = |map: &Map| {
            let cost = |map: &Map, pair: &[NodeId]| {
                steps(map, pair[0])
                    .into_iter()
                    .filter(|&(to, _)| to == pair[1])
                    .map(|(_, c)| c)
                    .min()
            };
            let left: Vec<NodeId> = path.remaining().collect();
            let mut left = left.windows(2);
            let first = left.position(|pair| cost(map, pair) != cost(start.map(), pair));
            match path.is_finished() && !is_usable(map, path.goal()) {
                true => Some(path.walked()),
                false => first.map(|at| at + path.walked()),
            }
        };
        for _ in 0..10 {
            let changes = random_changes(world.snapshot().map(), &mut draw);
            let snapshot = world.apply(&changes).unwrap().snapshot().clone();
            let found = snapshot.first_blocked_step(&path);
            assert_eq!(found.map(|step| step.index), expected(snapshot.map()), "seed {seed}");
            let truth = found.is_none().then(|| distances(snapshot.map(), path.position()));
            let left = Some(u64::from(path.remaining_cost()));
            let shortest = truth.is_some_and(|truth| truth[path.goal() as usize] == left);
            assert_eq!(snapshot.is_shortest(&path), Ok(shortest), "seed {seed}");
            match (found, shortest) {
                (Some(_), _) => broken += 1,
                (None, true) => valid += 1,
                (None, false) => longer += 1,
            }
        }
    }
    assert!(valid > 50 && broken > 50 && longer > 5, "{valid} {broken} {longer}");
}

/// The registry names exactly the paths that a look at all of them finds newly broken.
#[test]
fn the_registry_finds_what_an_edit_breaks() {
    let mut found = 0;
    for seed in 0..40 {
        let mut draw = Random::new(seed);
        let map = match seed % 2 {
            0 => random(6000 + seed).map,
            _ => {
                let (width, height) = (60 + draw.below(60) as u32, 40 + draw.below(60) as u32);
                Map::from(Grid::from_fn(width, height, |_, _| !draw.chance(0.1)).unwrap())
            }
        };
        let world = World::new(map).unwrap();
        let mut paths = Registry::new(&world.snapshot());
        for _ in 0..12 {
            let snapshot = world.snapshot();
            let nodes = snapshot.map().node_count() as u64;
            for _ in 0..10 {
                let ends = (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId);
                if let Ok(Some(path)) = snapshot.find(ends.0, ends.1) {
                    let id = paths.insert(path, ends);
                    paths.walk(id, draw.below(20) as usize);
                }
            }
            assert!(paths.broken_in(&snapshot).is_empty(), "broken ones were let go of");
            let changes = random_changes(snapshot.map(), &mut draw);
            let edit = world.apply(&changes).unwrap();
            let broken = paths.broken_by(&edit);
            assert_eq!(broken, paths.broken_in(edit.snapshot()), "seed {seed}: {changes:?}");
            found += broken.len();
            for (at, Broken { id, tag, position, goal, .. }) in broken.into_iter().enumerate() {
                assert_eq!(goal, tag.1, "a path comes back with what it was inserted with");
                match edit.snapshot().find(position, goal) {
                    Ok(Some(path)) if at % 2 == 0 => assert!(paths.replace(id, path).is_some()),
                    _ => assert!(paths.remove(id).is_some()),
                }
            }
        }
        let ids: Vec<_> = paths.iter().map(|(id, ..)| id).collect();
        assert_eq!(ids.len(), paths.len());
        ids.into_iter().for_each(|id| assert!(paths.remove(id).is_some()));
        assert!(paths.is_empty());
    }
    assert!(found > 100, "{found}");
}

#[test]
fn adopted_paths_are_looked_at() {
    let world = World::new(draw("...# / ....").0).unwrap();
    let snapshot = world.snapshot();
    assert!(snapshot.adopt(vec![0, 1, 2]).unwrap().nodes().eq([0, 1, 2]));
    for nodes in [vec![], vec![3], vec![2, 3], vec![0, 2], vec![0, 99]] {
        assert!(snapshot.adopt(nodes.clone()).is_err(), "{nodes:?}");
    }
    let mut path = snapshot.adopt(vec![4, 5, 6]).unwrap();
    assert!(path.walk(1) == 5 && path.remaining().eq([5, 6]));
    assert_eq!((path.walk(9), path.is_finished()), (6, true));
}
