//! Portals: exact whatever the memory, on every world; bounds never above true distances.

use std::ops::ControlFlow;

use portolan::build::BuildError;
use portolan::generate::{Pairs, Rooms};
use portolan::heuristic::{Heuristic, HeuristicChoice};
use portolan::portal::bound::{Portal, PortalConfig};
use portolan::portal::{PerfectPortal, PortalSearch};
use portolan::registry::method;
use portolan::search::Counter;
use portolan::true_distance::{
    BorderConfig, Bounds, Gateway, GatewayConfig, StoredConfig, StoredKind,
};
use portolan::{Build, Connectivity, Engine, Grid, Map, Settings};
use portolan_testkit::bounds::check_bounds;
use portolan_testkit::matrix::{check_edits_of, check_engine};
use portolan_testkit::methods::with_region_tables;
use portolan_testkit::worlds::{World, drawn, one_way_streets, random};

/// Small regions, so that small worlds have some.
fn config(memory_limit: u64) -> PortalConfig {
    PortalConfig { memory_limit, least_region: 4, ..PortalConfig::default() }
}

/// So many four-byte entries for every usable node.
fn entries(map: &Map, count: u64) -> u64 {
    4 * count * map.usable_count().max(1) as u64
}

/// Builds within a limit, or within what the refusal says is enough.
fn build<E: Build<Config = PortalConfig>>(map: &Map, limit: u64) -> E {
    let built = match E::build(map, &config(limit)) {
        Err(BuildError::MemoryLimit { needed, .. }) => {
            assert!(needed > limit, "{needed} of {limit}");
            let engine = E::build(map, &config(needed)).expect("what it says is enough");
            assert!(engine.memory_bytes() as u64 <= needed);
            return engine;
        }
        built => built,
    };
    let engine = built.expect("nothing else is in the way");
    assert!(engine.memory_bytes() as u64 <= limit, "{} of {limit}", engine.memory_bytes());
    engine
}

fn check<E: Build<Config = PortalConfig>>(world: &World) {
    for count in [1, 3, 8, 1000] {
        let engine: E = build(&world.map, entries(&world.map, count));
        let any: &dyn Engine = &engine;
        check_engine(any, world);
    }
}

#[test]
fn every_memory_limit_gives_shortest_paths_on_drawn_worlds() {
    for world in drawn() {
        check::<PortalSearch>(&world);
        check::<PerfectPortal>(&world);
    }
}

#[test]
fn every_memory_limit_gives_shortest_paths_on_random_worlds() {
    for seed in 5000..5150 {
        check::<PortalSearch>(&random(seed));
        check::<PerfectPortal>(&random(seed));
    }
}

fn rooms(connectivity: Connectivity) -> Map {
    let rooms = Rooms { width: 57, height: 49, room: 8, doors: 0.7, seed: 5, ..Rooms::default() };
    Map::from(rooms.generate().unwrap().with_connectivity(connectivity))
}

#[test]
fn bounds_are_never_above_true_distances_whatever_the_memory() {
    let streets = World::new("one-way streets", one_way_streets());
    let worlds = drawn().into_iter().chain([streets]).chain((6000..6040).map(random));
    let kinds =
        [StoredKind::Canonical, StoredKind::Border, StoredKind::Gateway, StoredKind::Portal];
    let mut bounds = 0;
    for world in worlds {
        for kind in kinds {
            for count in [2, 3, 5, 9] {
                let limit = entries(&world.map, count);
                let config = match kind.configure(&Settings::default(), limit) {
                    StoredConfig::Portal(_) => StoredConfig::Portal(config(limit)),
                    StoredConfig::Border(other) => {
                        StoredConfig::Border(BorderConfig { least_region: 4, ..other })
                    }
                    other => other,
                };
                let choice = HeuristicChoice::Zero;
                match Bounds::build("astar", &world.map, choice, &[config], &()) {
                    Ok(built) => {
                        assert!(built.memory_bytes() as u64 <= limit, "{kind:?}\n{world}");
                        bounds += check_bounds(&built, &world).bounds;
                    }
                    Err(BuildError::MemoryLimit { needed, .. }) => assert!(needed > limit),
                    Err(BuildError::Unsupported(_)) => assert_eq!(kind, StoredKind::Gateway),
                    Err(error) => panic!("{kind:?}: {error}\n{world}"),
                }
            }
        }
    }
    assert!(bounds > 100_000, "{bounds}");
}

#[test]
fn a_build_can_be_cancelled() {
    let stop = |_: &'static str, _: usize, _: usize| ControlFlow::Break(());
    for method in with_region_tables() {
        let name = method.name();
        let settings = Settings::default();
        let built = method.build_watched(&rooms(Connectivity::Four), &settings, &stop);
        assert!(matches!(built, Err(BuildError::Cancelled)), "{name}");
    }
}

/// Edits that raise and lower costs, block and free cells, insert and delete edges.
#[test]
fn paths_are_shortest_after_edits() {
    for seed in 7000..7016 {
        let world = random(seed);
        let search = PortalSearch::build(&world.map, &config(1 << 20)).unwrap();
        let perfect = PerfectPortal::build(&world.map, &config(1 << 20)).unwrap();
        check_edits_of(vec![Box::new(search), Box::new(perfect)], &world, 5, seed);
    }
}

/// More memory makes more portals, and searches that expand less.
#[test]
fn memory_buys_fewer_nodes() {
    let map = rooms(Connectivity::Four);
    let pairs = Pairs { count: 200, even_lengths: false, seed: 3 }.generate(&map).unwrap();
    let expanded = |engine: &dyn Engine| {
        let (mut query, mut counter) = (engine.query(), Counter::default());
        for &(from, to) in &pairs {
            query.find_observed(from, to, &mut counter).unwrap().unwrap();
        }
        counter.expanded
    };
    let build = |name: &str, count| {
        let memory_limit = entries(&map, count);
        method(name)
            .unwrap()
            .build(&map, &Settings { memory_limit: memory_limit.into(), ..Settings::default() })
            .unwrap()
    };
    let astar = expanded(&*build("astar", 1));
    let little = expanded(&*build("portal-search", 2));
    let much = expanded(&*build("portal-search", 20));
    let perfect = expanded(&*build("perfect-portal", 20));
    assert!(perfect < much && much < little && little < astar, "{perfect} {much} {little} {astar}");
    assert!(much * 4 < astar, "{much} of {astar}");
}

#[test]
fn regions_too_large_for_any_memory_are_told_with_a_way_out() {
    let map = Map::from(Grid::new(70_000, 1).unwrap());
    let few = PortalConfig { most_portals: 0, ..PortalConfig::default() };
    let Err(BuildError::Unsupported(refused)) = PerfectPortal::build(&map, &few) else {
        panic!("one region has 70,000 nodes")
    };
    assert!(refused.reason.contains("raise most_portals"), "{refused}");
}

#[test]
fn a_map_without_passable_cells_has_nothing_apart() {
    let map = Map::from(Grid::from_fn(5, 4, |_, _| false).unwrap());
    let summary = Portal::new(&map, &PortalConfig::default()).unwrap().summary();
    assert_eq!(summary.apart, 0.0);
}

#[test]
fn more_gates_than_numbers_are_not_a_matter_of_memory() {
    let is_free = |x, y| (x % 3 != 0 || y % 3 == 1) && (y % 3 != 0 || x % 3 == 1);
    let map = Map::from(Grid::from_fn(600, 600, is_free).unwrap());
    let refused = Gateway::new(&map, &GatewayConfig::default()).err().unwrap();
    assert!(matches!(&refused, BuildError::Unsupported(_)), "{refused}");
    assert!(refused.to_string().contains("the limit is 65534"), "{refused}");
}
