//! Index files of every engine and form: one answers as the engine that was built, and one that is
//! not what was written is refused or answers wrongly, and never does worse.

use std::ops::Range;

use portolan::atlas::{Atlas, AtlasForm};
use portolan::generate::{Random, Roads, Rooms};
use portolan::ppa::Ppa;
use portolan::store::{IndexFile, OpenError};
use portolan::{Connectivity, Engine, GraphBuilder, Grid, Map, NodeId};
use portolan_testkit::edits::random_changes;
use portolan_testkit::forms::{Storable, storable};
use portolan_testkit::index_file::{bytes_of, damage, sections, without_panic};
use portolan_testkit::matrix::{Truth, check_engine, check_same_answers};
use portolan_testkit::small_grids::RULES;
use portolan_testkit::worlds::{World, drawn, random};

/// The sections that opening an Atlas reads; all others are tables.
const LISTS: [&str; 15] = [
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
    "arc-rows",
    "differential.landmarks",
    "differential.shape",
];

fn is_list(section: &str) -> bool {
    LISTS.contains(&section) || section.starts_with("core-")
}

fn is<E: Engine>(engine: &dyn Engine) -> bool {
    engine.downcast_ref::<E>().is_some()
}

fn rooms() -> Grid {
    Rooms { width: 40, height: 32, room: 7, ..Rooms::default() }.generate().unwrap()
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

/// Grids and graphs, undirected and directed; large enough for every form. The second has few
/// corners.
fn maps() -> [Map; 4] {
    let yard = Grid::from_fn(44, 31, |x, y| x % 11 != 5 || y % 12 == 6).unwrap();
    let roads = Roads { nodes: 400, ..Roads::default() }.generate().unwrap();
    let yard = yard.with_connectivity(Connectivity::Four);
    [rooms().into(), yard.into(), roads.into(), streets()]
}

/// Equal but for the reason why an Atlas has its form.
fn have_same_form(a: &dyn Engine, b: &dyn Engine) -> bool {
    let forms = [a, b].map(|engine| engine.form().expect("what is stored has a form"));
    match forms.each_ref().map(|form| form.downcast_ref::<AtlasForm>()) {
        [Some(a), Some(b)] => (a.labels, a.regions) == (b.labels, b.regions),
        _ => a.form() == b.form(),
    }
}

fn check_round_trip(world: &World, leaf: usize, splits: usize) {
    // On large maps the answers of what was built are enough.
    let truth = (world.map.node_count() < 300).then(|| Truth::of(world));
    for storable in storable(&world.map, leaf, splits, 1) {
        let (name, built) = (&storable.name, &*storable.engine);
        let bytes = bytes_of(built);
        IndexFile::from_bytes(bytes.clone()).unwrap().verify().unwrap();
        let opened = storable.open(&bytes, &world.map);
        let opened = opened.unwrap_or_else(|error| panic!("{name}: {error}\n{world}"));
        assert_eq!(opened.name(), built.name());
        assert!(have_same_form(&*opened, built), "{name}\n{world}");
        assert_eq!(opened.memory_bytes(), built.memory_bytes(), "{name}\n{world}");
        truth.iter().for_each(|truth| truth.check(&*opened));
        if let Some(atlas) = opened.downcast_ref::<Atlas>() {
            atlas.validate().unwrap_or_else(|invalid| panic!("{name}: {invalid}\n{world}"));
        }
        check_same_answers(&mut *built.query(), &mut *opened.query(), 60);
        assert!(bytes_of(&*opened) == bytes, "{name} is stored as it was\n{world}");
    }
}

#[test]
fn round_trip_on_drawn_worlds() {
    for world in drawn() {
        for (leaf, splits) in [(1, 0), (3, 1), (10, 2)] {
            check_round_trip(&world, leaf, splits);
        }
    }
}

#[test]
fn round_trip_on_random_worlds() {
    for seed in 0..90 {
        check_round_trip(&random(seed as u64), [1, 3, 10][seed % 3], seed % 4);
    }
}

#[test]
fn round_trip_on_larger_maps() {
    let rules = RULES.iter().map(|rule| rule.apply(rooms()).into());
    for map in maps().into_iter().chain(rules) {
        check_round_trip(&World::new("a larger map", map), 10, 3);
    }
}

#[test]
fn opened_indices_follow_edits() {
    for seed in 0..12 {
        let world = random(seed);
        for mut storable in storable(&world.map, 3, 1 + seed as usize % 3, 1) {
            let mut draw = Random::new(seed);
            let mut map = world.map.clone();
            for step in 0..4 {
                if storable.engine.store().is_err() {
                    // Labels of subgoals from before an edit are not kept.
                    storable.engine = storable.engine.rebuilt(&map).unwrap();
                }
                let opened = storable.open(&bytes_of(&*storable.engine), &map).unwrap();
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                storable.engine = opened.refresh(&map, &changes).unwrap();
                let name = format!("{} after step {step}: {changes:?}", world.name);
                check_engine(&*storable.engine, &World { name, map: map.clone() });
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_whatever_the_threads() {
    for map in maps() {
        let bytes = |threads| -> Vec<(String, Vec<u8>)> {
            let storable = storable(&map, 10, 3, threads).into_iter();
            storable.map(|one| (one.engine.name().to_owned(), bytes_of(&*one.engine))).collect()
        };
        let one = bytes(1);
        for (again, threads) in [(bytes(3), 3), (bytes(1), 1)] {
            for ((name, one), (_, again)) in one.iter().zip(&again) {
                assert!(one == again, "{name}: {threads} threads");
            }
            assert_eq!(again.len(), one.len());
        }
    }
}

#[test]
fn a_mapped_file_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let map = Map::from(rooms());
    for method in portolan::METHODS {
        let settings = portolan::Settings::default();
        if method.storable(&settings).is_err() {
            continue;
        }
        let path = folder.path().join(method.name());
        let built = method.build(&map, &settings).unwrap();
        built.store().unwrap().save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes_of(&*built));
        let opened = method.open(&IndexFile::open(&path).unwrap(), &map, &settings).unwrap();
        std::fs::remove_file(&path).unwrap();
        check_same_answers(&mut *built.query(), &mut *opened.query(), 200);
    }
}

#[test]
fn another_map_is_refused() {
    let mut edited = rooms();
    let (x, y) = edited.nearest_passable(5, 5).unwrap();
    edited.set_passable(x, y, false).unwrap();
    let four = rooms().with_connectivity(Connectivity::Four);
    let others = [edited.into(), four.into(), streets(), Grid::new(1, 1).unwrap().into()];
    for storable in storable(&rooms().into(), 10, 2, 1) {
        let bytes = bytes_of(&*storable.engine);
        for map in &others {
            let refused = storable.open(&bytes, map).map(|_| ());
            assert!(matches!(refused, Err(OpenError::OtherMap { .. })), "{}", storable.name);
        }
    }
}

#[test]
fn truncated_files_are_refused() {
    for map in maps() {
        for storable in storable(&map, 10, 2, 1) {
            let bytes = bytes_of(&*storable.engine);
            let ends = sections(&bytes).into_iter().flat_map(|section| {
                let Range { start, end } = section.bytes;
                [start, start + 1, (start + end) / 2, end]
            });
            let between = (0..bytes.len()).step_by(bytes.len() / 50);
            for length in ends.chain(between).filter(|&length| length < bytes.len()) {
                let refused = storable.open(&bytes[..length], &map).err();
                let refused = refused.unwrap_or_else(|| panic!("{length} of {}", storable.name));
                assert!(!refused.to_string().is_empty());
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            assert!(storable.open(&longer, &map).is_err(), "{}", storable.name);
        }
    }
}

/// Asks everything of an index that may be damaged. It may answer anything, in good time. Paths that
/// a search on the map finds are legal.
fn ask(engine: &dyn Engine, map: &Map, seed: u64) {
    let mut query = engine.query();
    let mut draw = Random::new(seed);
    let nodes = map.node_count();
    let mut node = || draw.below(nodes as u64) as NodeId;
    let pairs = [(); 24].map(|()| (node(), node()));
    let searches = !is::<Atlas>(engine) && !is::<Ppa>(engine);
    let most = if is::<Ppa>(engine) { 24 * nodes + 1 } else { 4 * nodes + 4 };
    let mut paths = Vec::new();
    for (from, to) in pairs {
        let route = query.find(from, to).ok().flatten();
        let path = route.map(|route| route.nodes().collect::<Vec<_>>());
        if let Some(path) = &path {
            assert!(path.len() <= most, "{from} to {to}");
            assert!(!searches || map.walk(path.iter().copied()).is_ok(), "{from} to {to}");
        }
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
        if let Ok(refreshed) = engine.refresh(&map, &changes) {
            let _ = refreshed.query().find(0, map.node_count() as NodeId - 1);
        }
    }
}

#[test]
fn a_flipped_byte_is_refused_or_found() {
    for map in maps() {
        for storable in storable(&map, 10, 2, 1) {
            let bytes = bytes_of(&*storable.engine);
            for section in sections(&bytes) {
                let step = ((section.bytes.end - section.bytes.start) / 8).max(1);
                for at in section.bytes.clone().step_by(step) {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << (at % 8);
                    let what = format!("byte {at} of {} of {}", section.name, storable.name);
                    let index = IndexFile::from_bytes(damaged.clone()).unwrap();
                    assert!(index.verify().is_err(), "{what} is checked by nobody");
                    let opened = without_panic(&what, || {
                        let opened = storable.open(&damaged, &map);
                        opened.map(|engine| ask(&*engine, &map, at as u64))
                    });
                    if is::<Atlas>(&*storable.engine) {
                        let is_damaged = matches!(opened, Err(OpenError::Damaged { .. }));
                        let is_list = is_list(&section.name);
                        assert_eq!((is_damaged, opened.is_err()), (is_list, is_list), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn damage_with_right_checksums_never_does_worse_than_answer_wrongly() {
    let (mut opened, mut refused) = (0, 0);
    for (number, map) in (0..).zip(maps()) {
        for storable in storable(&map, 6, 2, 1) {
            let bytes = bytes_of(&*storable.engine);
            let sections = sections(&bytes);
            let mut draw = Random::new(number);
            for round in 0..400 {
                let damaged = damage(&bytes, &sections, &mut draw, round);
                let name = &storable.name;
                without_panic(&format!("{name}, round {round} on map {number}"), || match storable
                    .open(&damaged, &map)
                {
                    Ok(engine) => {
                        opened += 1;
                        ask(&*engine, &map, round);
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(!error.to_string().is_empty());
                    }
                });
            }
        }
    }
    assert!(opened > 10_000 && refused > 2000, "{opened} opened, {refused} refused");
}

/// Indexes of which one section, or all that may hold anything, hold nothing but what `number` gives.
fn check_nonsense(storable: &Storable, map: &Map, bytes: &[u8], number: &mut dyn FnMut() -> u32) {
    let is_narrow = |name: &str| ["hops", "steps", "enter"].iter().any(|it| name.starts_with(it));
    let mut all = bytes.to_vec();
    for section in sections(bytes) {
        let mut damaged = bytes.to_vec();
        let entry = if is_narrow(&section.name) { 2 } else { 4 };
        for entry in damaged[section.bytes.clone()].chunks_mut(entry) {
            entry.copy_from_slice(&number().to_le_bytes()[..entry.len()]);
        }
        let opened = storable.open(&damaged, map);
        let what = format!("nonsense in {} of {}", section.name, storable.name);
        if is::<Atlas>(&*storable.engine) {
            assert_eq!(opened.is_ok(), !is_list(&section.name), "{what}");
        }
        if let Ok(engine) = opened {
            without_panic(&what, || ask(&*engine, map, 3));
            all[section.bytes.clone()].copy_from_slice(&damaged[section.bytes]);
        }
    }
    let engine = storable.open(&all, map).unwrap();
    without_panic(&format!("nonsense in {}", storable.name), || ask(&*engine, map, 3));
}

#[test]
fn tables_of_nonsense_lead_nowhere() {
    for map in maps() {
        for storable in [3, 20].into_iter().flat_map(|leaf| storable(&map, leaf, 2, 1)) {
            let bytes = bytes_of(&*storable.engine);
            for filler in [0, 1, 2, 0x7f7f_7f7f, u32::MAX, 1 << 16] {
                check_nonsense(&storable, &map, &bytes, &mut || filler);
            }
            for most in [2, 4, 8, 60, 1 << 16, 1 << 32] {
                let mut draw = Random::new(most);
                check_nonsense(&storable, &map, &bytes, &mut || draw.below(most) as u32);
            }
        }
    }
}
