//! Rebuilds in a world, in slices and in the background: exact at every moment, and no edit is
//! lost.

use std::time::Duration;

use portolan::generate::Random;
use portolan::heuristic::{Heuristic, LowerBound};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::true_distance::differential::{Adaptive, Placement, Precision};
use portolan::true_distance::{Differential, DifferentialConfig, StoredConfig, StoredKind};
use portolan::world::{Follow, RebuildMode, Recipe, Snapshot, World, WorldConfig};
use portolan::{Changes, Engine, GraphBuilder, Grid, Map, NodeId, Settings};
use portolan_testkit::bounds::check_bounds;
use portolan_testkit::edits::random_changes;
use portolan_testkit::matrix::check_engine;
use portolan_testkit::reference::{distances, is_usable};
use portolan_testkit::worlds::{self, one_way_streets, random};

const MODES: [RebuildMode; 2] = [RebuildMode::Background, RebuildMode::Slices { expansions: 40 }];

/// A world whose engine `landmarks` follows edits at once.
fn world(map: impl Into<Map>, rebuild: RebuildMode, config: SearchConfig) -> World {
    let world_config = WorldConfig { rebuild, ..WorldConfig::default() };
    let world = World::with_config(map, world_config).unwrap();
    world.add_with(Recipe::of::<SearchEngine>("landmarks", config), Follow::AtOnce).unwrap();
    world
}

fn engine(snapshot: &Snapshot) -> &SearchEngine {
    snapshot.engine("landmarks").expect("it is ready").downcast_ref().expect("a search")
}

fn landmarks(snapshot: &Snapshot) -> &Differential {
    engine(snapshot).bounds().landmarks().expect("it has landmarks")
}

fn move_landmarks(world: &World, moves: &[(usize, NodeId)]) -> bool {
    let start = |engine: &dyn Engine| {
        let engine: &SearchEngine = engine.downcast_ref()?;
        Some(engine.rebuild_with(engine.bounds().landmarks()?.renewal_with(moves)))
    };
    world.rebuild_with("landmarks", start).unwrap()
}

fn adapt(world: &World, adaptive: &mut Adaptive) -> bool {
    let start = |engine: &dyn Engine| {
        let engine: &SearchEngine = engine.downcast_ref()?;
        Some(engine.rebuild_with(adaptive.next_move(engine.bounds().landmarks()?)?))
    };
    world.rebuild_with("landmarks", start).unwrap()
}

fn check(snapshot: &Snapshot, name: String) {
    let now = worlds::World::new(name, snapshot.map().clone());
    check_engine(engine(snapshot), &now);
    check_bounds(engine(snapshot).bounds(), &now);
}

/// Landmarks beside another stored bound: a rebuild renews the first and keeps the second.
fn with_canonical(precision: Precision) -> SearchConfig {
    let settings = Settings { stored: vec![StoredKind::Canonical], ..Settings::default() };
    let mut config = SearchConfig::named(StoredKind::Differential, &settings);
    for stored in &mut config.stored {
        if let StoredConfig::Differential(landmarks) = stored {
            landmarks.precision = precision;
        }
    }
    config
}

fn only_landmarks() -> SearchConfig {
    SearchConfig::named(StoredKind::Differential, &Settings::default())
}

fn halls() -> Grid {
    halls_of_size(48, 40)
}

fn halls_of_size(width: u32, height: u32) -> Grid {
    let is_passable = |x, y| (x % 12 != 0 || y % 7 == 3) && (y % 10 != 0 || x % 5 == 2);
    Grid::from_fn(width, height, is_passable).unwrap()
}

/// Two halls with a door at the far end, the cells on both sides of the wall, and a cell in the
/// wall close to them.
fn two_halls() -> (Grid, (NodeId, NodeId), NodeId) {
    let grid = Grid::from_fn(41, 41, |x, y| x != 20 || y == 40).unwrap();
    let [from, to, wall] = [10, 30, 20].map(|x| grid.node(x, 0).unwrap());
    (grid, (from, to), wall)
}

#[test]
fn an_engine_is_exact_at_every_moment_and_in_the_end_as_built_from_scratch() {
    let worlds = [
        random(3),
        random(8),
        random(21),
        worlds::World::new("streets", one_way_streets()),
        worlds::World::new("halls", halls_of_size(20, 14)),
    ];
    for (test, mode) in worlds.iter().zip(MODES.into_iter().cycle()) {
        for precision in [Precision::Bits32, Precision::Bits16] {
            let (config, mut draw) = (with_canonical(precision), Random::new(11));
            let world = world(test.map.clone(), mode, config.clone());
            let mut rebuilt = 0;
            for step in 0..25 {
                let map = world.snapshot().map().clone();
                let changes = match landmarks(&world.snapshot()).landmarks().first() {
                    // A landmark gets blocked.
                    Some(&landmark) if step % 10 == 9 && map.as_grid().is_some() => {
                        Changes::new().block(landmark)
                    }
                    _ => random_changes(&map, &mut draw),
                };
                let edit = world.apply(&changes).unwrap();
                check(edit.snapshot(), format!("{} after edit {step}", test.name));
                let advance = world.advance();
                rebuilt += advance.engines.len();
                if !advance.engines.is_empty() {
                    check(&advance.snapshot, format!("{} rebuilt, {step}", test.name));
                }
            }
            let settled = world.settle();
            rebuilt += settled.engines.len();
            let (snapshot, name) = (&settled.snapshot, &test.name);
            assert!(rebuilt > 0 && !engine(snapshot).wants_rebuild() && !world.is_busy(), "{name}");
            check_as_built(snapshot, &config);
        }
    }
}

/// The distances are those of a build with the same landmarks.
fn check_as_built(snapshot: &Snapshot, config: &SearchConfig) {
    let renewed = landmarks(snapshot);
    let Some(StoredConfig::Differential(config)) = config.stored.first() else {
        panic!("landmarks come first")
    };
    let placement = Placement::At(renewed.landmarks().to_vec());
    let config = DifferentialConfig { placement, ..config.clone() };
    let fresh = Differential::new(snapshot.map(), &config).unwrap();
    for node in 0..snapshot.map().node_count() as NodeId {
        assert_eq!(renewed.toward(1).at(node), fresh.toward(1).at(node), "{node}");
    }
}

/// More edits during one rebuild than are recorded one by one.
#[test]
fn a_rebuild_that_misses_many_edits_follows_them_all() {
    for mode in MODES {
        let world = world(halls(), mode, only_landmarks());
        let first = landmarks(&world.snapshot()).landmarks()[0];
        assert!(move_landmarks(&world, &[(0, first)]));
        let mut draw = Random::new(14);
        for _ in 0..150 {
            world.apply(&random_changes(world.snapshot().map(), &mut draw)).unwrap();
        }
        assert!(world.is_busy());
        check(&world.settle().snapshot, format!("halls after 150 edits, {mode:?}"));
    }
}

/// While a landmark moves, a door opens close by.
#[test]
fn landmarks_that_move_follow_the_edits_meanwhile() {
    let (grid, _, door) = two_halls();
    for (mode, by_hand) in [(MODES[0], false), (MODES[1], false), (MODES[1], true)] {
        let world = world(grid.clone(), mode, only_landmarks());
        let (mut adaptive, goal) = (Adaptive::new(20), 30);
        assert!(!adapt(&world, &mut adaptive), "there were no queries");
        (0..20).for_each(|from| adaptive.note(landmarks(&world.snapshot()), from, goal));
        assert!(match by_hand {
            true => move_landmarks(&world, &[(3, goal)]),
            false => adapt(&world, &mut adaptive),
        });
        assert!(!adapt(&world, &mut adaptive) && !move_landmarks(&world, &[]), "one at a time");
        if mode != RebuildMode::Background {
            assert!(world.advance().engines.is_empty(), "one slice is not enough");
        }
        world.edit(|e| e.free(door)).unwrap();
        let settled = world.settle().snapshot;
        assert!(landmarks(&settled).landmarks().contains(&goal));
        check(&settled, format!("halls later, {mode:?}"));
    }
}

#[test]
fn a_stale_engine_is_exact_again_after_a_rebuild() {
    let (grid, (from, to), door) = two_halls();
    let bound = |snapshot: &Snapshot| {
        u64::from(engine(snapshot).bounds().toward(to).at(from).expect("there is a path"))
    };
    for mode in MODES {
        let stale = SearchConfig::stale_landmarks(&Settings::default());
        let world = world(grid.clone(), mode, stale);
        assert!(world.advance().engines.is_empty() && !world.is_busy(), "nothing is stale yet");
        let edit = world.edit(|e| e.free(door)).unwrap();
        let truth = distances(edit.snapshot().map(), from)[to as usize].unwrap();
        assert!(bound(edit.snapshot()) > truth, "it does not know the door yet");
        let mut rebuilt = world.advance().engines;
        assert!(rebuilt.is_empty() && world.is_busy());
        while world.is_busy() {
            std::thread::sleep(Duration::from_micros(100));
            rebuilt.extend(world.advance().engines);
        }
        let now = world.snapshot();
        assert_eq!(rebuilt, ["landmarks"]);
        assert!(bound(&now) <= truth && !engine(&now).wants_rebuild());
        let cost = now.query_by("landmarks").unwrap().distance(from, to).unwrap();
        assert_eq!(cost.map(u64::from), Some(truth));
    }
}

/// An edit that adds a node does not fit into the memory limit. Neither the rebuild under way nor
/// later edits may lose it.
#[test]
fn an_edit_that_is_refused_during_a_rebuild_is_not_lost() {
    let mut chain = GraphBuilder::new(40).unwrap();
    for node in 0..39 {
        chain.add_two_way(node, node + 1, node % 7 + 1).unwrap();
    }
    let map = Map::from(chain.build());
    let limited = DifferentialConfig {
        landmarks: 1,
        precision: Precision::Bits8,
        memory_limit: 4 + 40,
        ..DifferentialConfig::default()
    };
    let stored = vec![StoredConfig::Differential(limited)];
    let config = SearchConfig { stored, ..SearchConfig::default() };
    let short_cut = Changes::new().insert_edge(0, 39, 1).insert_edge(39, 0, 1);
    let edits = [
        Changes::new().insert_node(None),
        short_cut,
        Changes::new().delete_node(40),
        Changes::new().set_weight(3, 4, 9),
    ];
    for mode in MODES {
        for settle in [false, true] {
            let world = world(map.clone(), mode, config.clone());
            let first = landmarks(&world.snapshot()).landmarks()[0];
            assert!(move_landmarks(&world, &[(0, first)]));
            let mut refused = 0;
            for changes in &edits {
                let edit = world.apply(changes).unwrap();
                refused += u32::from(edit.snapshot().engine("landmarks").is_none());
                let advance = if settle { world.settle() } else { world.advance() };
                for snapshot in [edit.snapshot(), &advance.snapshot] {
                    check_costs(snapshot);
                }
            }
            assert!(refused > 0, "no edit was refused");
        }
    }
}

/// The engine, or A* in its place, against Dijkstra.
fn check_costs(snapshot: &Snapshot) {
    let map = snapshot.map();
    let mut query = snapshot.query_by("landmarks").unwrap();
    let nodes = || (0..map.node_count() as NodeId).filter(|&node| is_usable(map, node));
    for from in nodes().step_by(9) {
        let truth = distances(map, from);
        for to in nodes() {
            let cost = query.distance(from, to).unwrap().map(u64::from);
            assert_eq!(cost, truth[to as usize], "{from} to {to}");
        }
    }
}

/// With slices, the calls that take rebuilds over, and the paths, are the same in every run.
#[test]
fn slices_do_not_depend_on_timing() {
    let run = |pause: Duration| {
        let world = world(halls(), RebuildMode::Slices { expansions: 700 }, only_landmarks());
        let (mut draw, mut log) = (Random::new(5), Vec::new());
        for step in 0..60 {
            if step % 12 == 0 {
                world.apply(&random_changes(world.snapshot().map(), &mut draw)).unwrap();
            }
            std::thread::sleep(pause);
            let advance = world.advance();
            let [from, to] = [0; 2].map(|_| draw.below(48 * 40) as NodeId);
            let path = advance.snapshot.find_by("landmarks", from, to).ok().flatten();
            log.push((advance.engines, path.map(|path| path.nodes().collect::<Vec<_>>())));
        }
        log
    };
    let log = run(Duration::ZERO);
    assert!(log.iter().any(|(engines, _)| !engines.is_empty()), "something was rebuilt");
    assert_eq!(log, run(Duration::from_millis(1)));
}

/// An engine that follows in the background has nothing to answer with while it is rebuilt in
/// slices, so the rebuild goes on in the background.
#[test]
fn slices_of_an_engine_that_falls_behind_move_to_the_background() {
    let mode = RebuildMode::Slices { expansions: 1 };
    let config = WorldConfig { rebuild: mode, ..WorldConfig::default() };
    let world = World::with_config(halls(), config).unwrap();
    let recipe = Recipe::of::<SearchEngine>("landmarks", only_landmarks());
    world.add_with(recipe, Follow::Behind).unwrap();
    let settled = world.settle().snapshot;
    let first = landmarks(&settled).landmarks()[0];
    assert!(move_landmarks(&world, &[(0, first)]));
    let free = (0..48 * 40).find(|&node| settled.map().contains(node)).unwrap();
    world.edit(|e| e.block(free)).unwrap();
    let mut calls = 0;
    while world.snapshot().engine("landmarks").is_none() {
        calls += 1;
        assert!(calls < 10_000, "slices of one node would take 15,000 calls");
        std::thread::sleep(Duration::from_millis(1));
        world.advance();
    }
    check(&world.snapshot(), "halls".to_owned());
}
