//! Every memory limit is kept and none is refused: below the smallest index a search answers.

use std::fs;

use portolan::atlas::{Atlas, AtlasConfig, AtlasLabels, Form, FormReason};
use portolan::formats::movingai;
use portolan::generate::{Caves, Mazes, Obstacles, Random, Roads, Rooms};
use portolan::store::IndexFile;
use portolan::{
    Build, BuildError, Changes, Connectivity, Engine, Grid, Map, MemoryLimit, NodeId, Query,
    Settings,
};
use portolan_testkit::edits::random_changes;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::check_same_answers;
use portolan_testkit::real;
use portolan_testkit::reference::Reference;

const SIDE: u32 = 40;

/// Grids and graphs of every kind.
fn maps() -> Vec<(&'static str, Map)> {
    let (width, height) = (SIDE, SIDE);
    let rooms = Rooms { width, height, room: 9, ..Rooms::default() }.generate().unwrap();
    let caves = Caves { width, height, ..Caves::default() }.generate().unwrap();
    let noise = Obstacles { width, height, blocked: 0.3, ..Obstacles::default() };
    let maze = Mazes { width, height, ..Mazes::default() }.generate().unwrap();
    let roads = Roads { nodes: 600, one_way: 0.2, ..Roads::default() }.generate().unwrap();
    let mut draw = Random::new(3);
    let factors = (0..SIDE * SIDE).map(|_| 1 + draw.below(9) as u8).collect();
    vec![
        ("rooms", rooms.clone().into()),
        ("caves", caves.clone().into()),
        ("noise", noise.generate().unwrap().into()),
        ("a maze", maze.into()),
        ("terrain", rooms.clone().with_terrain(factors).unwrap().into()),
        ("hex", caves.with_connectivity(Connectivity::Hex).into()),
        ("four", rooms.with_connectivity(Connectivity::Four).into()),
        ("roads", roads.into()),
    ]
}

/// From nothing to everything.
fn limits(map: &Map) -> impl Iterator<Item = u64> {
    let cells = map.node_count() as u64;
    let of_cells = [1, 5, 10, 20, 40, 80, 160, 320, 640, 6400].map(|tenths| cells * tenths / 10);
    let mut limits: Vec<u64> = [0, 1, 1000].into_iter().chain(of_cells).collect();
    limits.sort_unstable();
    limits.into_iter().chain([u64::MAX])
}

fn config(limit: u64) -> AtlasConfig {
    AtlasConfig { memory_limit: limit.into(), leaf_size: Some(16), ..AtlasConfig::default() }
}

fn is_search(atlas: &Atlas) -> bool {
    matches!(atlas.form().labels, AtlasLabels::Search { .. })
}

/// Compares random paths with a search of the test kit's own, and walks them.
fn check(atlas: &Atlas, sources: usize, context: &str) {
    let map = Engine::map(atlas);
    let (reference, mut draw) = (Reference::new(map), Random::new(11));
    let nodes = map.node_count() as u64;
    let mut query = atlas.query();
    for _ in 0..sources {
        let from = draw.below(nodes) as NodeId;
        let truth = reference.distances(from);
        let to: Vec<NodeId> = (0..25).map(|_| draw.below(nodes) as NodeId).collect();
        for &to in &to {
            let context = || format!("{from} to {to}, {}, {context}", atlas.form());
            if !map.contains(from) || !map.contains(to) {
                assert!(query.distance(from, to).is_err(), "{}", context());
                continue;
            }
            let cost = query.distance(from, to).unwrap();
            assert_eq!(cost.map(u64::from), truth[to as usize], "{}", context());
            let route = query.find(from, to).unwrap();
            assert_eq!(route.as_ref().map(|route| route.cost()), cost, "{}", context());
            let Some(route) = route else { continue };
            let path: Vec<NodeId> = route.nodes().collect();
            let walked = reference.walk(&path, from, to);
            assert_eq!(walked.map(Some), Ok(truth[to as usize]), "{}", context());
        }
        let usable: Vec<NodeId> = to.into_iter().filter(|&node| map.contains(node)).collect();
        if map.contains(from) {
            let row = query.distances_from(from, &usable).unwrap();
            let expected = usable.iter().map(|&to| truth[to as usize].map(|cost| cost as u32));
            assert!(row.into_iter().eq(expected), "{from}, {}, {context}", atlas.form());
        }
    }
}

#[test]
fn no_limit_is_refused_and_each_is_kept() {
    let mut searches = 0;
    for (name, map) in maps() {
        let mut before = 0;
        for limit in limits(&map) {
            let context = format!("{name} in {limit} bytes");
            let atlas = Atlas::build(&map, &config(limit)).unwrap();
            let bytes = Engine::memory_bytes(&atlas) as u64;
            assert!(bytes <= limit, "{bytes}: {context}");
            assert_eq!(Engine::name(&atlas), "atlas");
            let plan = Atlas::plan(&map, &config(limit), &()).unwrap();
            if is_search(&atlas) {
                assert_eq!((plan.bytes, plan.form), (bytes, atlas.form()), "{context}");
                assert!(bytes >= before, "{bytes} after {before}: {context}");
                let FormReason::TooLarge { needed, limit: said } = atlas.form().reason else {
                    panic!("{}: {context}", atlas.form())
                };
                assert!(needed > limit && said == limit, "{}: {context}", atlas.form());
                before = bytes;
                searches += 1;
            }
            check(&atlas, 4, &context);
            let again = Atlas::build(&map, &AtlasConfig { threads: 3, ..config(limit) }).unwrap();
            assert!(bytes_of(&atlas) == bytes_of(&again), "{context}");
        }
        let all = Atlas::build(&map, &config(u64::MAX)).unwrap();
        assert!(!is_search(&all), "{name}");
    }
    assert!(searches > 60, "{searches} searches");
}

/// What a form takes at least is never more than what it takes.
#[test]
fn forms_that_would_fit_are_not_ruled_out() {
    for (name, map) in maps() {
        let climb = AtlasConfig { form: Form::Climb, ..config(u64::MAX) };
        let climb = Atlas::build(&map, &climb).unwrap();
        let limit = Engine::memory_bytes(&climb) as u64;
        assert!(!is_search(&Atlas::build(&map, &config(limit)).unwrap()), "{name}");
        let smallest = portolan_testkit::forms::uniform(&map, 16).last();
        let Some(smallest) = smallest else { continue };
        let limit = Engine::memory_bytes(&smallest) as u64;
        assert!(limit >= map.node_count() as u64, "{name}: {limit}");
        assert!(!is_search(&Atlas::build(&map, &config(limit)).unwrap()), "{name}");
    }
}

#[test]
fn the_named_forms_still_refuse() {
    for (name, map) in maps() {
        for form in [Form::Uniform, Form::General, Form::Climb] {
            let config = AtlasConfig { form, ..config(1000) };
            if Atlas::supports(&map, &config).is_err() {
                continue;
            }
            let refused = Atlas::build(&map, &config).unwrap_err();
            assert!(matches!(refused, BuildError::MemoryLimit { needed: 1001.., .. }), "{name}");
        }
    }
}

#[test]
fn edits_keep_every_limit() {
    let mut dropped = 0;
    for (name, map) in maps() {
        for limit in limits(&map).chain([70 * map.node_count() as u64]) {
            let mut draw = Random::new(limit ^ 5);
            let mut map = map.clone();
            let mut atlas = Atlas::build(&map, &config(limit)).unwrap();
            for step in 0..5 {
                let context = format!("{name} in {limit} bytes, step {step}");
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                atlas = atlas.refreshed(&map, &changes).unwrap();
                let bytes = Engine::memory_bytes(&atlas) as u64;
                assert!(bytes <= limit, "{bytes}: {context}");
                check(&atlas, 2, &context);
                if is_search(&atlas) && atlas.wants_rebuild() {
                    dropped += 1;
                    let rebuilt = atlas.relabelled().unwrap();
                    assert!(!rebuilt.wants_rebuild(), "{context}");
                    assert!(Engine::memory_bytes(&rebuilt) as u64 <= limit, "{context}");
                    check(&rebuilt, 1, &context);
                    let compact = bytes_of(&atlas.compact().unwrap());
                    let fresh = bytes_of(&Atlas::build(&map, &config(limit)).unwrap());
                    assert!(compact == fresh, "{context}");
                }
            }
        }
    }
    assert!(dropped > 20, "{dropped} searches wanted new landmarks");
}

/// An index that is allowed just what it takes becomes a smaller one when it outgrows that.
#[test]
fn what_outgrows_its_limit_takes_a_smaller_form() {
    let mut smaller = 0;
    for (name, map) in maps() {
        for form in [Form::Fastest, Form::Climb] {
            let full = Atlas::build(&map, &AtlasConfig { form, ..config(u64::MAX) }).unwrap();
            let limit = Engine::memory_bytes(&full) as u64;
            let (mut map, mut draw) = (map.clone(), Random::new(9));
            let mut atlas = Atlas::build(&map, &config(limit)).unwrap();
            for step in 0..6 {
                let before = atlas.form();
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                atlas = atlas.refreshed(&map, &changes).unwrap();
                let bytes = Engine::memory_bytes(&atlas) as u64;
                assert!(bytes <= limit, "{bytes} of {limit}, {name}, step {step}");
                smaller += usize::from(atlas.form().labels != before.labels);
                check(&atlas, 1, &format!("{name}, step {step}"));
            }
        }
    }
    assert!(smaller > 0);
}

#[test]
fn a_search_says_what_it_is() {
    let map = maps().swap_remove(4).1;
    let cells = map.node_count() as u64;
    let of = |limit| Atlas::build(&map, &config(limit)).unwrap();
    let (plain, one, some) = (of(0), of(2 * cells), of(9 * cells));
    assert_eq!(Engine::memory_bytes(&plain), 0);
    assert_eq!(plain.form().labels, AtlasLabels::Search { landmarks: 0 });
    assert_eq!(some.form().labels, AtlasLabels::Search { landmarks: 2 });
    let texts = [&plain, &one, &some].map(|atlas| atlas.form().to_string());
    assert!(texts[0].starts_with("A* without an index, because the next"), "{}", texts[0]);
    assert!(texts[0].ends_with("and the limit is 0 bytes"), "{}", texts[0]);
    assert!(texts[1].starts_with("A* with one landmark, because"), "{}", texts[1]);
    assert!(texts[2].starts_with("A* with 2 landmarks, because"), "{}", texts[2]);
    let usable: Vec<NodeId> = (0..cells as NodeId).filter(|&node| map.contains(node)).collect();
    let ends = [0, 1, 2, 3].map(|part| usable[part * (usable.len() - 1) / 3]);
    assert_eq!(some.explain(ends[0], ends[3]), Ok(None));
    assert!(some.explain(ends[0], u32::MAX).is_err());
    use portolan::engine::inspect::Inspect as _;
    let level = some.level(0).unwrap();
    assert_eq!((some.levels(), level.regions.len(), some.level(1)), (1, 1, None));
    assert_eq!(level.regions[0].nodes, map.usable_count());

    // More landmarks expand fewer nodes.
    let expanded = |atlas: &Atlas| {
        let (mut counter, mut query) = (portolan::search::Counter::default(), atlas.query());
        for (from, to) in [(ends[0], ends[3]), (ends[2], ends[0]), (ends[1], ends[3])] {
            query.find_observed(from, to, &mut counter).unwrap();
        }
        counter.expanded
    };
    assert!(expanded(&some) < expanded(&plain) * 3 / 4);
    assert!(check_same_answers(&mut *plain.query(), &mut *of(1).query(), 100) > 20);
}

/// The limit is for what is built: an index from a file keeps its landmarks, before and after edits.
#[test]
fn an_opened_search_keeps_its_landmarks() {
    let map = maps().swap_remove(4).1;
    let built = Atlas::build(&map, &config(9 * map.node_count() as u64)).unwrap();
    let file = IndexFile::from_bytes(bytes_of(&built)).unwrap();
    let opened = Atlas::open(&file, &map, &config(1)).unwrap();
    assert_eq!(opened.form().reason, FormReason::Stored);
    let node = (0..map.node_count() as NodeId).find(|&node| map.contains(node)).unwrap();
    let (mut edited, changes) = (map, Changes::new().block(node));
    edited.apply(&changes).unwrap();
    let refreshed = opened.refreshed(&edited, &changes).unwrap();
    assert_eq!(refreshed.form().labels, AtlasLabels::Search { landmarks: 2 });
    check(&refreshed, 4, "opened and edited");
}

#[test]
fn the_default_limit_suits_the_map() {
    let floor = portolan::build::DEFAULT_MEMORY_LIMIT;
    let auto = |map: &Map| MemoryLimit::Auto.bytes(map);
    assert_eq!(auto(&maps().swap_remove(0).1), floor);
    // As many as it takes to exceed the floor.
    let grid = Map::from(Grid::new(3000, 2000).unwrap());
    assert_eq!(auto(&grid), 24 * 6_000_000);
    let nodes = 250_000;
    let graph = Map::from(portolan::GraphBuilder::new(nodes).unwrap().build());
    assert_eq!(auto(&graph), 600 * nodes as u64);
    assert_eq!(MemoryLimit::from(5).bytes(&graph), 5);
    assert_eq!(Settings::default().on(&graph).memory_limit, (600 * nodes as u64).into());
    let atlas = Atlas::plan(&graph, &AtlasConfig::default(), &()).unwrap();
    assert_eq!(atlas.limit, 600 * nodes as u64);
}

#[test]
fn real_maps_under_every_limit_in_turn() {
    check_real_maps(|at, limit| at % 6 == limit);
}

/// Takes several minutes.
#[test]
#[ignore = "builds every map six times"]
fn real_maps_under_every_limit() {
    check_real_maps(|_, _| true);
}

fn check_real_maps(is_wanted: impl Fn(usize, usize) -> bool) {
    for (at, file) in real::files(".map.scen").into_iter().enumerate() {
        let grid = movingai::read_map(&fs::read(file.with_extension("")).unwrap()).unwrap();
        let lines = movingai::read_scen(&fs::read(&file).unwrap()).unwrap();
        let map = Map::from(grid.clone());
        for (number, limit) in [4, 8, 16, 32, 64, 128].map(|mib| mib << 20).into_iter().enumerate()
        {
            if !is_wanted(at, number) {
                continue;
            }
            let config =
                AtlasConfig { memory_limit: MemoryLimit::Bytes(limit), ..AtlasConfig::default() };
            let atlas = Atlas::build(&map, &config).unwrap();
            let context = || format!("{} in {limit} bytes, {}", file.display(), atlas.form());
            println!("{}", context());
            assert!(Engine::memory_bytes(&atlas) as u64 <= limit, "{}", context());
            let mut query = atlas.query();
            for line in lines.iter().step_by(lines.len().div_ceil(20).max(1)) {
                let ends = [line.start, line.goal].map(|(x, y)| grid.node(x, y).unwrap());
                let route = query.find(ends[0], ends[1]).unwrap().unwrap();
                assert!(line.agrees(map.length(route.cost())), "{}", context());
                assert_eq!(map.walk(route.nodes()), Ok(route.cost()), "{}", context());
            }
        }
    }
}
