//! Memory limits: what a refusal names is enough, and an index keeps to its limit through edits.

use portolan::changes::CellChange;
use portolan::generate::{Random, Roads, Rooms};
use portolan::registry::{METHODS, Method};
use portolan::true_distance::StoredKind;
use portolan::world::{Follow, Recipe, Standing, World};
use portolan::{BuildError, Changes, Connectivity, Grid, Map, NodeId, Settings};
use portolan_testkit::edits::random_changes;
use portolan_testkit::matrix::check_engine;
use portolan_testkit::worlds::{World as Drawn, one_way_streets};

fn maps() -> Vec<(&'static str, Map)> {
    let rooms = Rooms { width: 40, height: 36, room: 8, seed: 3, ..Rooms::default() };
    let rooms = rooms.generate().unwrap();
    let roads = Roads { nodes: 300, ..Roads::default() }.generate().unwrap();
    let mut draw = Random::new(7);
    let noise = Grid::from_fn(30, 30, |_, _| !draw.chance(0.3)).unwrap();
    let factors = (0..40 * 36).map(|_| 1 + draw.below(5) as u8).collect();
    vec![
        ("rooms", rooms.clone().into()),
        ("rooms, four", rooms.clone().with_connectivity(Connectivity::Four).into()),
        ("terrain", rooms.with_terrain(factors).unwrap().into()),
        ("noise", noise.into()),
        ("a blocked cell", Grid::from_fn(1, 1, |_, _| false).unwrap().into()),
        ("roads", roads.into()),
        ("one-way streets", one_way_streets()),
    ]
}

/// What a build is refused with, and whether the limit that this names is enough.
fn refusal(method: &dyn Method, map: &Map, settings: &Settings, context: &str) -> Option<u64> {
    let allowed = settings.memory_limit.bytes(map);
    let context = || format!("{}, {context}, {allowed} bytes", method.name());
    match method.build(map, settings) {
        Ok(engine) => {
            let bytes = engine.memory_bytes() as u64;
            assert!(bytes <= allowed, "{bytes}: {}", context());
            None
        }
        Err(BuildError::MemoryLimit { needed, limit, .. }) => {
            assert_ne!(method.name(), "atlas", "{}", context());
            assert_eq!(limit, allowed, "{}", context());
            assert!(needed > limit, "{needed}: {}", context());
            let enough = Settings { memory_limit: needed.into(), ..settings.clone() };
            match method.build(map, &enough) {
                Ok(engine) => assert!(engine.memory_bytes() as u64 <= needed, "{}", context()),
                Err(error) => panic!("{needed} is not enough: {}: {error}", context()),
            }
            Some(needed)
        }
        Err(BuildError::Unsupported(_)) => None,
        Err(error) => panic!("{}: {error}", context()),
    }
}

fn limits() -> impl Iterator<Item = u64> {
    (0..22).step_by(3).map(|power| (1 << power) - 1)
}

#[test]
fn what_a_refusal_names_is_enough_for_every_engine() {
    let mut refused = 0;
    for (name, map) in maps() {
        for method in METHODS {
            for memory_limit in limits() {
                let settings = Settings {
                    memory_limit: memory_limit.into(),
                    threads: 1,
                    ..Settings::default()
                };
                refused += usize::from(refusal(*method, &map, &settings, name).is_some());
            }
        }
    }
    assert!(refused > 100, "{refused} refusals");
}

#[test]
fn what_a_refusal_names_is_enough_with_two_stored_bounds_and_more_levels() {
    let mut refused = 0;
    let kinds = [StoredKind::Differential, StoredKind::Border, StoredKind::Portal];
    for (name, map) in maps() {
        for method in METHODS {
            for memory_limit in limits() {
                let settings = Settings {
                    memory_limit: memory_limit.into(),
                    stored: kinds[..2 + memory_limit as usize % 2].to_vec(),
                    cluster_levels: 3,
                    threads: 1,
                    ..Settings::default()
                };
                refused += usize::from(refusal(*method, &map, &settings, name).is_some());
            }
        }
    }
    assert!(refused > 100, "{refused} refusals");
}

/// Frees cells of a closed map, which gives hierarchies more entrances.
#[test]
fn an_index_of_clusters_does_not_outgrow_its_limit_by_edits() {
    let closed = Grid::from_fn(120, 120, |x, y| x % 10 == 5 && y % 10 == 5).unwrap();
    for name in ["hpa", "dhpa"] {
        let method = portolan::registry::method(name).unwrap();
        let mut map = Map::from(&closed);
        let mut engine = method.build(&map, &Settings::default()).unwrap();
        let memory_limit = engine.memory_bytes() as u64 + 5000;
        engine = method
            .build(&map, &Settings { memory_limit: memory_limit.into(), ..Settings::default() })
            .unwrap();
        let free = |row: u32| {
            let cells =
                (row * 120..(row + 1) * 120).map(|node| CellChange { node, passable: true });
            Changes { cells: cells.collect(), ..Changes::default() }
        };
        let refused = (0..120).find_map(|row| {
            map.apply(&free(row)).unwrap();
            match engine.refresh(&map, &free(row)) {
                Ok(refreshed) => {
                    assert!(refreshed.memory_bytes() as u64 <= memory_limit, "{name}, row {row}");
                    engine = refreshed;
                    None
                }
                Err(error) => Some(error),
            }
        });
        let Some(BuildError::MemoryLimit { needed, limit, .. }) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert!(limit == memory_limit && needed > limit, "{name}: {needed} of {limit}");
    }
}

/// Indexes that are allowed just what they take.
#[test]
fn no_index_outgrows_its_limit_by_edits() {
    let (mut kept, mut refused) = (0, 0);
    for (name, map) in maps() {
        for method in METHODS {
            let settings = Settings { threads: 1, ..Settings::default() };
            let Ok(engine) = method.build(&map, &settings) else { continue };
            let memory_limit = engine.memory_bytes() as u64;
            let settings = Settings { memory_limit: memory_limit.into(), ..settings };
            // A smaller limit may ask for another form, which may take less or not fit.
            let Ok(mut engine) = method.build(&map, &settings) else { continue };
            let (mut map, mut draw) = (map.clone(), Random::new(5));
            for step in 0..8 {
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                match engine.refresh(&map, &changes) {
                    Ok(refreshed) => {
                        let bytes = refreshed.memory_bytes() as u64;
                        let context = || format!("{}, {name}, step {step}", method.name());
                        assert!(bytes <= memory_limit, "{bytes} of {memory_limit}: {}", context());
                        engine = refreshed;
                        kept += 1;
                    }
                    Err(BuildError::MemoryLimit { needed, limit, .. }) => {
                        assert!(limit == memory_limit && needed > limit, "{}", method.name());
                        refused += 1;
                        break;
                    }
                    Err(error) => panic!("{}, {name}: {error}", method.name()),
                }
            }
            let world = Drawn::new(name, engine.map().clone());
            if world.map.node_count() < 200 {
                check_engine(&*engine, &world);
            }
        }
    }
    assert!(kept > 100 && refused > 10, "{kept} kept, {refused} refused");
}

/// While an index does not fit A* answers, and once the map allows it the engine is back.
#[test]
fn a_world_goes_on_without_an_engine_that_outgrew_its_limit() {
    let closed = Grid::from_fn(40, 40, |x, _| x % 10 != 0 && x % 10 != 9).unwrap();
    let dhpa = portolan::registry::method("dhpa").unwrap();
    let map = Map::from(&closed);
    let memory_limit = dhpa.build(&map, &Settings::default()).unwrap().memory_bytes() as u64 + 100;
    let settings = Settings { memory_limit: memory_limit.into(), ..Settings::default() };
    let world = World::new(closed).unwrap();
    world.add_with(Recipe::method(dhpa, settings), Follow::AtOnce).unwrap();
    assert!(matches!(world.snapshot().standing("dhpa"), Some(Standing::Current(_))));
    let across: Vec<NodeId> = (0..40).map(|x| 20 * 40 + x).collect();
    for passable in [true, false, true, false] {
        let edit = world.edit(|edit| {
            let doors = across.iter().filter(|&&node| matches!(node % 10, 0 | 9));
            doors.for_each(|&node| edit.set_passable(node, passable));
        });
        let edit = edit.unwrap();
        for snapshot in [edit.snapshot(), &world.settle().snapshot] {
            let route = snapshot.find(across[1], across[38]).unwrap();
            assert_eq!(route.is_some(), passable);
        }
        match (passable, world.snapshot().standing("dhpa")) {
            (true, Some(Standing::Failed(BuildError::MemoryLimit { limit, .. }))) => {
                assert_eq!(*limit, memory_limit);
            }
            (false, Some(Standing::Current(_))) => {}
            (_, other) => panic!("{other:?}"),
        }
    }
}
