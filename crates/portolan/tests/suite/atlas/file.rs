//! Atlas as a file: it answers as the one that was built, and a file that is not what was written
//! is refused or answers wrongly, and never does worse.

use std::ops::Range;

use portolan::atlas::{Atlas, AtlasConfig, AtlasForm, AtlasLabels, Form};

use portolan::generate::{Random, Roads, Rooms};
use portolan::ppa::{Ppa, PpaConfig};
use portolan::store::{IndexFile, OpenError};
use portolan::{Build, Connectivity, Engine, GraphBuilder, Grid, Map, Query};
use portolan_testkit::edits::random_changes;
use portolan_testkit::forms;
use portolan_testkit::index_file::{Section, bytes_of, damage, sections, without_panic};
use portolan_testkit::matrix::{check_engine, check_same_answers};
use portolan_testkit::worlds::{World, drawn, random};

/// The sections that opening reads; all others are tables.
const LISTS: [&str; 12] = [
    "form",
    "tree",
    "sizes",
    "separators",
    "leaf-members",
    "borders",
    "borders-in-parent",
    "exit-rows",
    "exits",
    "members",
    "codes",
    "first-rare",
];

fn is_list(section: &str) -> bool {
    LISTS.contains(&section) || section.starts_with("core-")
}

/// Opens as a caller does who knows nothing of the index.
fn open(bytes: &[u8], map: &Map) -> Result<Atlas, OpenError> {
    Atlas::open(&IndexFile::from_bytes(bytes.to_vec())?, map, &AtlasConfig::default())
}

fn check_round_trip(world: &World, leaf: usize) {
    for built in forms::all(&world.map, leaf) {
        let bytes = bytes_of(&built);
        let index = IndexFile::from_bytes(bytes.clone()).unwrap();
        index.verify().unwrap();
        let opened = Atlas::open(&index, &world.map, &AtlasConfig::default())
            .unwrap_or_else(|error| panic!("{error}\n{world}"));
        drop(index);
        assert_eq!(Engine::name(&opened), Engine::name(&built));
        assert_eq!(form_of(&opened), form_of(&built));
        assert_eq!(Engine::memory_bytes(&opened), Engine::memory_bytes(&built));
        check_engine(&opened, world);
        check_same_answers(&mut Engine::query(&built), &mut Engine::query(&opened), 30);
        assert!(bytes_of(&opened) == bytes, "an opened index is stored as it was\n{world}");
    }
}

/// The form without why it was chosen.
fn form_of(atlas: &Atlas) -> (AtlasLabels, usize) {
    let AtlasForm { labels, regions, .. } = atlas.form();
    (labels, regions)
}

#[test]
fn round_trip_on_drawn_worlds() {
    for world in drawn() {
        [1, 3, 10].into_iter().for_each(|leaf| check_round_trip(&world, leaf));
    }
}

#[test]
fn round_trip_on_random_worlds() {
    for seed in 0..90 {
        check_round_trip(&random(seed), [1, 3, 10][seed as usize % 3]);
    }
}

#[test]
fn opened_indices_follow_edits() {
    for seed in 0..12 {
        let world = random(seed);
        for mut atlas in forms::all(&world.map, 3) {
            let mut draw = Random::new(seed);
            let mut map = world.map.clone();
            for step in 0..4 {
                if Engine::store(&atlas).is_err() {
                    // Labels of subgoals from before an edit are not kept.
                    atlas = atlas.relabelled().unwrap();
                }
                atlas = open(&bytes_of(&atlas), &map).unwrap();
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                atlas = Build::refreshed(&atlas, &map, &changes).unwrap();
                let name = format!("{} after step {step}: {changes:?}", world.name);
                check_engine(&atlas, &World { name, map: map.clone() });
            }
        }
    }
}

fn rooms() -> Map {
    Rooms { width: 40, height: 32, room: 7, ..Rooms::default() }.generate().unwrap().into()
}

fn roads() -> Map {
    Roads { nodes: 400, ..Roads::default() }.generate().unwrap().into()
}

/// Crossings with chains of nodes between them and dead ends; a third of all streets are one-way.
fn streets() -> Map {
    const SIDE: u32 = 7;
    let mut draw = Random::new(2);
    let mut builder = GraphBuilder::new(1000).unwrap();
    let mut next = SIDE * SIDE;
    let mut street = |from: u32, to: Option<u32>| {
        let one_way = to.is_some() && draw.below(3) == 0;
        let mut before = from;
        let inner = draw.below(4) as u32;
        for node in (next..next + inner).chain(to) {
            let weight = draw.below(9) as u32;
            builder.add_edge(before, node, weight).unwrap();
            if !one_way {
                builder.add_edge(node, before, weight + 1).unwrap();
            }
            before = node;
        }
        next += inner;
    };
    for crossing in 0..SIDE * SIDE {
        let (x, y) = (crossing % SIDE, crossing / SIDE);
        street(crossing, (x + 1 < SIDE).then_some(crossing + 1));
        street(crossing, (y + 1 < SIDE).then_some(crossing + SIDE));
        street(crossing, None);
    }
    builder.build().into()
}

/// A four-connected grid with few corners.
fn yard() -> Map {
    let grid = Grid::from_fn(44, 31, |x, y| x % 11 != 5 || y % 12 == 6).unwrap();
    grid.with_connectivity(Connectivity::Four).into()
}

/// Grids and graphs, undirected and directed; large enough for every form.
fn maps() -> [Map; 4] {
    [rooms(), yard(), roads(), streets()]
}

#[test]
fn the_same_input_gives_the_same_bytes_whatever_the_threads() {
    for map in maps() {
        for form in [Form::Fastest, Form::General, Form::Climb] {
            let build = |threads| {
                let config = AtlasConfig { threads, ..forms::config(form, 10) };
                bytes_of(&Atlas::build(&map, &config).unwrap())
            };
            let one = build(1);
            assert!(one == build(2) && one == build(1));
        }
        assert_eq!(forms::general(&map, 10).len(), 3);
    }
}

#[test]
fn a_mapped_file_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rooms.index");
    let map = rooms();
    let built = Atlas::build(&map, &AtlasConfig::default()).unwrap();
    Engine::store(&built).unwrap().save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes_of(&built));
    let index = IndexFile::open(&path).unwrap();
    let opened = Atlas::open(&index, &map, &AtlasConfig::default()).unwrap();
    drop(index);
    std::fs::remove_file(&path).unwrap();
    check_same_answers(&mut Engine::query(&built), &mut Engine::query(&opened), 200);
}

#[test]
fn the_form_is_the_files() {
    let map = rooms();
    for form in [Form::Fastest, Form::Uniform, Form::General, Form::Climb] {
        let built = Atlas::build(&map, &forms::config(form, 10)).unwrap();
        let index = IndexFile::from_bytes(bytes_of(&built)).unwrap();
        assert_eq!(index.engine(), Engine::name(&built));
        for asked in [Form::Fastest, Form::General, Form::Climb] {
            // A limit is for what is built.
            let config = AtlasConfig { memory_limit: 1, ..forms::config(asked, 3) };
            let opened = Atlas::open(&index, &map, &config).unwrap();
            assert_eq!(Engine::name(&opened), Engine::name(&built));
            assert_eq!(form_of(&opened), form_of(&built));
        }
    }
}

#[test]
fn another_engine_is_refused() {
    let map = rooms();
    let ppa = Ppa::build(&map, &PpaConfig::default()).unwrap();
    let refused = open(&bytes_of(&ppa), &map).map(|_| ());
    assert!(matches!(refused, Err(OpenError::OtherEngine { .. })));
    let index = IndexFile::from_bytes(bytes_of(&forms::all(&map, 10)[0])).unwrap();
    let refused = Ppa::open(&index, &map, &PpaConfig::default()).map(|_| ());
    assert!(matches!(refused, Err(OpenError::OtherEngine { .. })));
}

#[test]
fn another_map_is_refused() {
    let bytes = bytes_of(&forms::all(&rooms(), 10)[0]);
    let Map::Grid(grid) = rooms() else { unreachable!() };
    let mut edited = grid.clone();
    let (x, y) = edited.nearest_passable(5, 5).unwrap();
    edited.set_passable(x, y, false).unwrap();
    let four = grid.with_connectivity(portolan::Connectivity::Four);
    for map in [edited.into(), four.into(), streets(), Map::from(Grid::new(1, 1).unwrap())] {
        let refused = open(&bytes, &map).map(|_| ());
        assert!(matches!(refused, Err(OpenError::OtherMap { .. })));
    }
}

#[test]
fn truncated_files_are_refused() {
    for map in maps() {
        for atlas in forms::all(&map, 10) {
            let bytes = bytes_of(&atlas);
            let ends = sections(&bytes).into_iter().flat_map(|section| {
                let Range { start, end } = section.bytes;
                [start, start + 1, (start + end) / 2, end]
            });
            let between = (0..bytes.len()).step_by(bytes.len() / 50);
            for length in ends.chain(between).filter(|&length| length < bytes.len()) {
                assert!(open(&bytes[..length], &map).is_err(), "{length} of {}", bytes.len());
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            assert!(open(&longer, &map).is_err());
        }
    }
}

/// Asks everything of an index that may be damaged; it may answer anything, in good time.
fn ask(atlas: &Atlas, map: &Map, seed: u64) {
    let mut query = Engine::query(atlas);
    let mut draw = Random::new(seed);
    let nodes = map.node_count() as u64;
    let mut node = || draw.below(nodes) as u32;
    let pairs = [(); 24].map(|()| (node(), node()));
    let mut paths = Vec::new();
    for (from, to) in pairs {
        let route = query.find(from, to).ok().flatten();
        let path = route.map(|route| route.nodes().collect::<Vec<_>>());
        assert!(path.as_ref().is_none_or(|path| path.len() <= 4 * map.node_count() + 4));
        paths.push(path);
        let _ = query.distance(to, from);
        let _ = query.distances_from(from, &[to, from, 0]);
    }
    query.find_each(&pairs, &mut |at, answer| {
        let path = answer.ok().flatten().map(|route| route.nodes().collect::<Vec<_>>());
        assert!(path == paths[at], "a batch has another path");
    });
    query.distance_each(&pairs, &mut |_, _| {});
    if seed.is_multiple_of(8) {
        let changes = random_changes(map, &mut draw);
        let mut map = map.clone();
        map.apply(&changes).unwrap();
        if let Ok(refreshed) = Build::refreshed(atlas, &map, &changes) {
            let _ = Engine::query(&refreshed).find(0, map.node_count() as u32 - 1);
        }
    }
}

#[test]
fn a_flipped_byte_is_refused_in_lists_and_found_in_tables() {
    for map in maps() {
        for atlas in forms::all(&map, 10) {
            let bytes = bytes_of(&atlas);
            for section in sections(&bytes) {
                let step = ((section.bytes.end - section.bytes.start) / 12).max(1);
                for at in (section.bytes.start..section.bytes.end).step_by(step) {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << (at % 8);
                    let index = IndexFile::from_bytes(damaged).unwrap();
                    assert!(index.verify().is_err(), "byte {at} is checked by nobody");
                    let what = format!("byte {at} of {}", section.name);
                    without_panic(&what, || {
                        match Atlas::open(&index, &map, &AtlasConfig::default()) {
                            Ok(atlas) => {
                                assert!(!is_list(&section.name), "{what} was not noticed");
                                ask(&atlas, &map, at as u64);
                            }
                            Err(error) => {
                                let is_damaged = matches!(error, OpenError::Damaged { .. });
                                assert!(is_list(&section.name) && is_damaged, "{what}: {error}");
                            }
                        }
                    });
                }
            }
        }
    }
}

#[test]
fn damage_with_right_checksums_never_does_worse_than_answer_wrongly() {
    let mut opened = 0;
    for (number, map) in (0..).zip(maps()) {
        for atlas in forms::all(&map, 6) {
            let bytes = bytes_of(&atlas);
            let sections = sections(&bytes);
            let mut draw = Random::new(number);
            for round in 0..800 {
                let damaged = damage(&bytes, &sections, &mut draw, round);
                without_panic(&format!("round {round} on map {number}"), || {
                    if let Ok(atlas) = open(&damaged, &map) {
                        opened += 1;
                        ask(&atlas, &map, round);
                    }
                });
            }
        }
    }
    assert!(opened > 1000, "{opened} of 7200 could be opened");
}

/// An index whose tables, or those of one kind, hold nothing but what `number` gives.
fn check_nonsense(map: &Map, bytes: &[u8], number: &mut dyn FnMut() -> u32) {
    let sections = sections(bytes);
    let tables: Vec<&Section> = sections.iter().filter(|section| !is_list(&section.name)).collect();
    let alone = tables.iter().map(|&table| vec![table]);
    for filled in alone.chain([tables.clone()]) {
        let mut damaged = bytes.to_vec();
        for table in &filled {
            let wide = table.name.starts_with("hops")
                || table.name.starts_with("steps")
                || table.name.starts_with("enter");
            for entry in damaged[table.bytes.clone()].chunks_mut(if wide { 2 } else { 4 }) {
                entry.copy_from_slice(&number().to_le_bytes()[..entry.len()]);
            }
        }
        let names: Vec<&str> = filled.iter().map(|table| table.name.as_str()).collect();
        let atlas = open(&damaged, map).unwrap();
        without_panic(&format!("nonsense in {names:?}"), || ask(&atlas, map, 3));
    }
}

#[test]
fn tables_of_nonsense_lead_nowhere() {
    for map in maps() {
        for leaf in [3, 20] {
            for atlas in forms::all(&map, leaf) {
                let bytes = bytes_of(&atlas);
                for filler in [0, 1, 2, 0x7f7f_7f7f, u32::MAX] {
                    check_nonsense(&map, &bytes, &mut || filler);
                }
                for most in [2, 4, 8, 60, 1 << 16, 1 << 32] {
                    let mut draw = Random::new(most);
                    check_nonsense(&map, &bytes, &mut || draw.below(most) as u32);
                }
            }
        }
    }
}
