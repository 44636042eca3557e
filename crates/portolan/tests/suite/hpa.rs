//! HPA*, DHPA* and SHPA* with clusters so small that small worlds have many of them.

use portolan::generate::{Caves, Mazes, Random, Rooms};
use portolan::hpa::{Hpa, HpaConfig, Shpa, ShpaConfig};
use portolan::registry::method;
use portolan::search::Counter;
use portolan::{Build, BuildError, Changes, Engine, GraphBuilder, Grid, Map, NodeId, Settings};
use portolan_testkit::edits::random_changes;
use portolan_testkit::matrix::{check_engine, check_same_answers};
use portolan_testkit::worlds::{World, drawn, random};

/// With and without a cache, on one level and on more, in clusters of several sizes.
fn forms() -> impl Iterator<Item = HpaConfig> {
    let form = |cluster_size, levels, cached, smooth| HpaConfig {
        cluster_size,
        levels,
        cached,
        smooth,
        ..HpaConfig::default()
    };
    [
        form(2, 1, false, true),
        form(3, 2, false, false),
        form(2, 4, false, true),
        form(5, 1, false, false),
        form(2, 1, true, false),
        form(3, 1, true, true),
        form(5, 1, true, false),
        form(11, 1, true, true),
    ]
    .into_iter()
}

fn grids(worlds: impl IntoIterator<Item = World>) -> impl Iterator<Item = World> {
    worlds.into_iter().filter(|world| matches!(world.map, Map::Grid(_)))
}

fn check(world: &World, config: &HpaConfig) {
    let name = format!("{config:?} on {}", world.name);
    let world = World { name, map: world.map.clone() };
    let engine = Hpa::build(&world.map, config).unwrap_or_else(|error| panic!("{error}\n{world}"));
    check_engine(&engine, &world);
}

#[test]
fn every_form_on_drawn_worlds() {
    for world in grids(drawn()) {
        forms().for_each(|config| check(&world, &config));
    }
}

#[test]
fn every_form_on_random_worlds() {
    for world in grids((0..120).map(random)) {
        forms().for_each(|config| check(&world, &config));
    }
}

#[test]
fn every_form_after_edits() {
    let mut paths = 0;
    for (seed, world) in (0..).zip(grids((200..240).map(random))) {
        for config in forms() {
            let mut draw = Random::new(seed);
            let mut map = world.map.clone();
            let mut engine = Hpa::build(&map, &config).unwrap();
            for step in 0..12 {
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                engine = engine.refreshed(&map, &changes).unwrap();
                if step % 4 == 3 {
                    let name = format!("{} after step {step}: {config:?} {changes:?}", world.name);
                    check_engine(&engine, &World { name, map: map.clone() });
                    paths += check_like_new(&engine, &Hpa::build(&map, &config).unwrap(), 60);
                }
            }
        }
    }
    assert!(paths > 1_000, "{paths} paths");
}

/// The same paths, node by node, and the same number of clusters, nodes and entries. Returns how
/// many paths were found.
fn check_like_new(refreshed: &Hpa, built: &Hpa, pairs: usize) -> usize {
    assert_eq!(refreshed.summary(), built.summary());
    check_same_answers(&mut refreshed.query(), &mut built.query(), pairs)
}

#[test]
fn regions_of_every_size() {
    for world in grids(drawn().into_iter().chain((300..400).map(random))) {
        for (cluster_size, smooth) in [(2, true), (3, false), (5, true)] {
            let config = ShpaConfig { cluster_size, smooth, ..ShpaConfig::default() };
            let engine = Shpa::build(&world.map, &config).unwrap();
            let name = format!("{config:?} on {}", world.name);
            check_engine(&engine, &World { name, map: world.map.clone() });
        }
    }
}

/// Every engine of this page on a cave that is edited ten thousand times.
#[test]
fn ten_thousand_edits_leave_what_a_new_build_would() {
    let grid = Caves { width: 61, height: 43, seed: 3, ..Caves::default() }.generate().unwrap();
    let mut map = Map::from(grid);
    let settings = Settings { cluster_size: 5, cluster_levels: 3, ..Settings::default() };
    let build = |map: &Map, name: &str| method(name).unwrap().build(map, &settings).unwrap();
    let mut engines = ["hpa", "dhpa"].map(|name| build(&map, name));
    let mut shpa = build(&map, "shpa");
    let (mut draw, mut paths) = (Random::new(11), 0);
    for edit in 1..=10_000 {
        let node = draw.below(map.node_count() as u64) as NodeId;
        // Mostly free, so that the map stays in one piece.
        let changes = Changes::new().set_passable(node, draw.chance(0.8));
        map.apply(&changes).unwrap();
        for engine in &mut engines {
            *engine = engine.refresh(&map, &changes).unwrap();
        }
        if edit % 2_000 == 0 {
            for engine in &engines {
                let new = build(&map, engine.name());
                paths += check_same_answers(&mut engine.query(), &mut new.query(), 400);
                assert_eq!(engine.form(), new.form());
            }
            // It knows nothing of the edits since the last look, and builds anew whatever it is
            // told.
            shpa = shpa.refresh(&map, &changes).unwrap();
            let built = build(&map, "shpa");
            paths += check_same_answers(&mut shpa.query(), &mut built.query(), 400);
        }
    }
    assert!(paths > 600, "{paths} paths");
}

/// Cells of one terrain whose cache has counts of steps, and the same as terrain, whose cache has
/// costs.
#[test]
fn short_and_long_entries_lead_the_same_way() {
    let grid = Caves { width: 70, height: 50, seed: 5, ..Caves::default() }.generate().unwrap();
    let factors = vec![1; 70 * 50];
    let (short, long) = (Map::from(&grid), Map::from(grid.with_terrain(factors).unwrap()));
    let config = HpaConfig { cached: true, smooth: false, ..HpaConfig::default() };
    let engines = [&short, &long].map(|map| Hpa::build(map, &config).unwrap());
    let [entries, others] = engines.each_ref().map(|engine| engine.summary().entries);
    assert!(entries == others && entries > 5_000, "{entries} {others}");
    let [bytes, more] = engines.each_ref().map(|engine| engine.memory_bytes());
    assert_eq!(more - bytes, 5 * entries);
    let mut draw = Random::new(2);
    let mut queries = engines.each_ref().map(|engine| engine.query());
    let mut found = 0;
    for _ in 0..2_000 {
        let (from, to) = (draw.below(3_500) as NodeId, draw.below(3_500) as NodeId);
        let [a, b] = queries
            .each_mut()
            .map(|query| query.find(from, to).map(|route| route.map(|route| route.nodes().len())));
        assert_eq!(a, b, "{from} to {to}");
        found += usize::from(matches!(a, Ok(Some(_))));
    }
    assert!(found > 200, "{found} paths");
}

/// How much longer than the shortest the paths of an engine are on average.
fn excess(map: &Map, name: &str, settings: &Settings) -> f64 {
    let (astar, engine) = (
        method("astar").unwrap().build(map, settings).unwrap(),
        method(name).unwrap().build(map, settings).unwrap(),
    );
    let (mut exact, mut query) = (astar.query(), engine.query());
    let mut draw = Random::new(4);
    let (mut sum, mut count) = (0.0, 0.0);
    while count < 400.0 {
        let mut node = || draw.below(map.node_count() as u64) as NodeId;
        let (from, to) = (node(), node());
        let Ok(Some(least)) = exact.distance(from, to) else { continue };
        let found = query.find(from, to).unwrap().unwrap().cost();
        sum += f64::from(found) / f64::from(least.max(1)) - 1.0;
        count += 1.0;
    }
    sum / count
}

#[test]
fn paths_are_nearly_shortest() {
    let maps = [
        Map::from(Rooms { width: 90, height: 90, room: 8, ..Rooms::default() }.generate().unwrap()),
        Map::from(Caves { width: 90, height: 90, ..Caves::default() }.generate().unwrap()),
        Map::from(
            Mazes { width: 90, height: 90, corridor: 4, ..Mazes::default() }.generate().unwrap(),
        ),
        Map::from(Grid::new(90, 90).unwrap()),
    ];
    for map in &maps {
        // The first node found in a large cluster of the goal's may be far from the best.
        for (cluster_size, more) in [(5, 0.01), (10, 0.02), (20, 0.05)] {
            let settings = Settings { cluster_size, ..Settings::default() };
            let [hpa, dhpa, shpa] =
                ["hpa", "dhpa", "shpa"].map(|name| excess(map, name, &settings));
            let near = hpa < 0.05 && dhpa < hpa + more && shpa < 0.04 + more;
            assert!(near, "{cluster_size}: {hpa} {dhpa} {shpa}");
        }
        let levels = Settings { cluster_levels: 3, ..Settings::default() };
        let above = excess(map, "hpa", &levels);
        assert!(above < 0.06, "{above}");
    }
}

#[test]
fn expands_far_fewer_nodes_than_astar() {
    let grid = Rooms { width: 96, height: 96, room: 8, ..Rooms::default() }.generate().unwrap();
    let (from, to) = (grid.node(1, 1).unwrap(), grid.node(94, 94).unwrap());
    let map = Map::from(grid);
    let expanded = |name: &str, cluster_levels| {
        let settings = Settings { cluster_levels, ..Settings::default() };
        let engine = method(name).unwrap().build(&map, &settings).unwrap();
        let mut counter = Counter::default();
        engine.query().find_observed(from, to, &mut counter).unwrap();
        counter.expanded
    };
    let (astar, hpa, dhpa) = (expanded("astar", 1), expanded("hpa", 1), expanded("dhpa", 1));
    assert!(dhpa < hpa && hpa * 3 < astar && dhpa * 10 < astar, "{dhpa} {hpa} {astar}");
}

#[test]
fn the_build_does_not_depend_on_threads() {
    let grid = Caves { width: 150, height: 120, ..Caves::default() }.generate().unwrap();
    let map = Map::from(grid);
    for (levels, cached) in [(3, false), (1, true)] {
        let build = |threads| {
            let config = HpaConfig { levels, cached, threads, ..HpaConfig::default() };
            Hpa::build(&map, &config).unwrap()
        };
        let paths = check_like_new(&build(1), &build(3), 300);
        assert!(paths > 10, "{paths} paths");
    }
}

#[test]
fn what_cannot_be_built_says_why() {
    let grid = Map::from(Grid::new(40, 40).unwrap());
    let mut builder = GraphBuilder::new(2).unwrap();
    builder.add_edge(0, 1, 1).unwrap();
    let graph = Map::from(builder.build());
    let refused = |map: &Map, config: HpaConfig| match Hpa::build(map, &config).err() {
        Some(BuildError::Unsupported(unsupported)) => unsupported.reason,
        other => panic!("{config:?}: {other:?}"),
    };
    let usual = HpaConfig::default;
    assert!(refused(&graph, usual()).contains("graph"));
    for cluster_size in [0, 1, 65, u32::MAX] {
        let reason = refused(&grid, HpaConfig { cluster_size, ..usual() });
        assert!(reason.contains("choose 2 to 64"), "{reason}");
        let config = ShpaConfig { cluster_size, ..ShpaConfig::default() };
        assert!(Shpa::supports(&grid, &config).is_err());
    }
    for levels in [0, 7, usize::MAX] {
        assert!(refused(&grid, HpaConfig { levels, ..usual() }).contains("1 to 6"));
    }
    let config = HpaConfig { levels: 2, cached: true, ..usual() };
    assert!(refused(&grid, config).contains("1 to 1"));
}
