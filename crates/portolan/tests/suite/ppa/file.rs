//! The index of Partially Precomputed A* as a file: it answers as the one that was built, and a
//! file that is not what was written is refused or answers wrongly, and never does worse.

use portolan::changes::Changes;
use portolan::generate::{Random, Roads, Rooms};
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::store::{IndexFile, OpenError};
use portolan::{Build, Engine, Grid, METHODS, Map, Query, Settings, registry};
use portolan_testkit::edits::random_changes;
use portolan_testkit::index_file::{bytes_of, damage, fix_checksums, sections, without_panic};
use portolan_testkit::matrix::{check_engine, check_same_answers};
use portolan_testkit::worlds::{World, drawn, one_way_streets, random};

/// Both forms of the tables that can be stored, searched from one end and from both.
fn forms(splits: usize) -> impl Iterator<Item = PpaConfig> {
    let forms = [Tables::Distances, Tables::Steps].into_iter();
    forms.flat_map(|tables| [(tables, false), (tables, true)]).map(
        move |(tables, bidirectional)| {
            let (branching, splits) = (2 + splits % 3, Some(splits));
            PpaConfig { branching, splits, tables, bidirectional, ..PpaConfig::default() }
        },
    )
}

fn open(bytes: &[u8], map: &Map, config: &PpaConfig) -> Result<Ppa, OpenError> {
    Ppa::open(&IndexFile::from_bytes(bytes.to_vec())?, map, config)
}

/// The configuration of a caller who knows nothing of the index but its engine.
fn plain(config: &PpaConfig) -> PpaConfig {
    PpaConfig { bidirectional: config.bidirectional, ..PpaConfig::default() }
}

fn check_round_trip(world: &World, config: &PpaConfig) {
    let built = Ppa::build(&world.map, config).unwrap_or_else(|error| panic!("{error}\n{world}"));
    let bytes = bytes_of(&built);
    let index = IndexFile::from_bytes(bytes.clone()).unwrap();
    index.verify().unwrap();
    let opened = Ppa::open(&index, &world.map, &plain(config))
        .unwrap_or_else(|error| panic!("{error}\n{world}"));
    drop(index);
    assert_eq!(opened.form(), built.form());
    assert_eq!(opened.summary(), built.summary());
    assert_eq!(opened.memory_bytes(), built.memory_bytes());
    check_engine(&opened, world);
    check_same_answers(&mut Engine::query(&built), &mut Engine::query(&opened), 30);
    assert!(bytes_of(&opened) == bytes, "an opened index is stored as it was\n{world}");
}

#[test]
fn round_trip_on_drawn_worlds() {
    for world in drawn() {
        for config in forms(2) {
            check_round_trip(&world, &config);
        }
    }
}

#[test]
fn round_trip_on_random_worlds() {
    for seed in 0..40 {
        for config in forms(seed as usize % 4) {
            check_round_trip(&random(seed), &config);
        }
    }
}

#[test]
fn opened_indices_follow_edits() {
    for seed in 0..12 {
        let world = random(seed);
        for config in forms(1 + seed as usize % 3) {
            let mut draw = Random::new(seed);
            let mut map = world.map.clone();
            let mut ppa = Ppa::build(&map, &config).unwrap();
            for step in 0..4 {
                ppa = open(&bytes_of(&ppa), &map, &config).unwrap();
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                ppa = ppa.refreshed(&map, &changes).unwrap();
                let name = format!("{} after step {step}: {config:?} {changes:?}", world.name);
                check_engine(&ppa, &World { name, map: map.clone() });
            }
        }
    }
}

fn rooms() -> Map {
    Rooms { width: 40, height: 32, room: 7, ..Rooms::default() }.generate().unwrap().into()
}

#[test]
fn an_opened_index_is_built_anew_as_it_was_cut() {
    // A flat hierarchy, which only the map's size suggests; a one-way edge asks for other tables.
    let mut map = Map::from(Roads { nodes: 16_000, ..Roads::default() }.generate().unwrap());
    let config = PpaConfig { memory_limit: 256 << 20, ..PpaConfig::default() };
    let built = Ppa::build(&map, &config).unwrap();
    let opened = open(&bytes_of(&built), &map, &config).unwrap();
    let changes = Changes::new().insert_edge(0, 9000, 1);
    map.apply(&changes).unwrap();
    let [built, opened] = [built, opened].map(|ppa| ppa.refreshed(&map, &changes).unwrap());
    assert_eq!(built.summary(), opened.summary());
    assert!(opened.summary().subgraphs[0] > 40, "{:?}", opened.summary());
}

#[test]
fn the_same_input_gives_the_same_bytes_whatever_the_threads() {
    let roads = Map::from(Roads { nodes: 2000, ..Roads::default() }.generate().unwrap());
    for map in [roads, rooms(), one_way_streets()] {
        for config in forms(3) {
            let build = |threads| {
                bytes_of(&Ppa::build(&map, &PpaConfig { threads, ..config.clone() }).unwrap())
            };
            let one = build(1);
            assert!(one == build(3) && one == build(1));
        }
    }
}

#[test]
fn a_mapped_file_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rooms.index");
    let (map, config) = (rooms(), PpaConfig::default());
    let built = Ppa::build(&map, &config).unwrap();
    built.store().unwrap().save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes_of(&built));
    let opened = Ppa::open(&IndexFile::open(&path).unwrap(), &map, &config).unwrap();
    std::fs::remove_file(&path).unwrap();
    check_same_answers(&mut Engine::query(&built), &mut Engine::query(&opened), 200);
}

#[test]
fn what_cannot_be_stored_says_why() {
    let config = PpaConfig { tables: Tables::OnDemand, ..PpaConfig::default() };
    assert!(Ppa::storable(&config).is_err());
    let ppa = Ppa::build(&rooms(), &config).unwrap();
    assert!(ppa.store().unwrap_err().reason.contains("on demand"));
    let search = SearchEngine::build(&rooms(), &SearchConfig::default()).unwrap();
    assert!(Engine::store(&search).unwrap_err().reason.contains("nothing"));
    for method in METHODS {
        let engine = method.build(&rooms(), &Settings::default()).unwrap();
        let storable = method.storable(&Settings::default()).is_ok();
        assert_eq!(engine.store().is_ok(), storable, "{}", method.name());
    }
}

#[test]
fn every_method_opens_its_own_files_only() {
    let (map, settings) = (rooms(), Settings::default());
    for method in METHODS.iter().filter(|method| method.storable(&settings).is_ok()) {
        let built = method.build(&map, &settings).unwrap();
        let index = IndexFile::from_bytes(bytes_of(built.as_ref())).unwrap();
        for other in METHODS {
            match other.open(&index, &map, &settings) {
                Ok(opened) => {
                    assert_eq!((other.name(), opened.name()), (method.name(), built.name()))
                }
                Err(OpenError::OtherEngine { expected, found }) => {
                    assert_eq!((expected.as_str(), found.as_str()), (other.name(), method.name()));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    // A file may say that a search wrote it.
    let mut bytes = bytes_of(&Ppa::build(&map, &PpaConfig::default()).unwrap());
    let sections = sections(&bytes);
    bytes[56..96].fill(0);
    bytes[56..61].copy_from_slice(b"astar");
    fix_checksums(&mut bytes, &sections);
    let index = IndexFile::from_bytes(bytes).unwrap();
    let astar = registry::method("astar").unwrap();
    let refused = astar.open(&index, &map, &settings).map(|_| ());
    assert!(matches!(refused, Err(OpenError::NothingStored { .. })));
}

#[test]
fn another_map_is_refused() {
    let config = PpaConfig::default();
    let bytes = bytes_of(&Ppa::build(&rooms(), &config).unwrap());
    let Map::Grid(grid) = rooms() else { unreachable!() };
    let mut edited = grid.clone();
    let (x, y) = edited.nearest_passable(5, 5).unwrap();
    edited.set_passable(x, y, false).unwrap();
    let four = grid.with_connectivity(portolan::Connectivity::Four);
    for map in [edited.into(), four.into(), one_way_streets(), Map::from(Grid::new(1, 1).unwrap())]
    {
        let refused = open(&bytes, &map, &config).map(|_| ());
        assert!(matches!(refused, Err(OpenError::OtherMap { .. })));
    }
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let bytes = bytes_of(&Ppa::build(&rooms(), &PpaConfig::default()).unwrap());
    let heuristic = portolan::heuristic::HeuristicChoice::Hex;
    let config = PpaConfig { heuristic, ..PpaConfig::default() };
    let refused = open(&bytes, &rooms(), &config).map(|_| ());
    assert!(matches!(refused, Err(OpenError::Unsupported(_))));
    // A limit is for what is built.
    let config = PpaConfig { memory_limit: 1, ..PpaConfig::default() };
    assert!(open(&bytes, &rooms(), &config).is_ok());
}

#[test]
fn truncated_files_are_refused() {
    let (map, config) = (one_way_streets(), PpaConfig { splits: Some(2), ..PpaConfig::default() });
    let bytes = bytes_of(&Ppa::build(&map, &config).unwrap());
    for length in (0..bytes.len()).step_by(97).chain(bytes.len() - 70..bytes.len()) {
        assert!(open(&bytes[..length], &map, &config).is_err(), "{length} of {}", bytes.len());
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(open(&longer, &map, &config).is_err());
}

/// Asks everything of an index that may be damaged; it may answer anything, in good time.
fn ask(ppa: &Ppa, map: &Map, seed: u64) {
    let mut query = ppa.query();
    let mut draw = Random::new(seed);
    let nodes = map.node_count() as u64;
    for _ in 0..12 {
        let (from, to) = (draw.below(nodes) as u32, draw.below(nodes) as u32);
        if let Ok(Some(route)) = query.find(from, to) {
            assert!(route.nodes().len() <= 24 * map.node_count() + 1);
        }
        let _ = query.distance(to, from);
    }
    let changes = random_changes(map, &mut draw);
    let mut map = map.clone();
    map.apply(&changes).unwrap();
    if let Ok(refreshed) = ppa.refresh(&map, &changes) {
        let _ = refreshed.query().distance(0, map.node_count() as u32 - 1);
    }
}

#[test]
fn a_flipped_byte_is_refused_or_found_or_answers_wrongly() {
    for map in [rooms(), one_way_streets()] {
        for config in forms(2) {
            let bytes = bytes_of(&Ppa::build(&map, &config).unwrap());
            let step = (bytes.len() / 300).max(1);
            let (mut refused, mut found) = (0, 0);
            for at in (0..bytes.len()).step_by(step) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                let Ok(index) = IndexFile::from_bytes(damaged) else {
                    refused += 1;
                    continue;
                };
                assert!(index.verify().is_err(), "byte {at} is checked by nobody");
                found += 1;
                without_panic(&format!("byte {at}, {config:?}"), || {
                    if let Ok(ppa) = Ppa::open(&index, &map, &plain(&config)) {
                        ask(&ppa, &map, at as u64);
                    }
                });
            }
            assert!(refused > 0 && found > 100, "{refused} {found}");
        }
    }
}

#[test]
fn damage_with_right_checksums_never_does_worse_than_answer_wrongly() {
    let mut opened = 0;
    for map in [rooms(), one_way_streets()] {
        for (number, config) in (0..).zip(forms(2)) {
            let bytes = bytes_of(&Ppa::build(&map, &config).unwrap());
            let sections = sections(&bytes);
            let mut draw = Random::new(number);
            for round in 0..600 {
                let damaged = damage(&bytes, &sections, &mut draw, round);
                without_panic(&format!("round {round}, {config:?}"), || {
                    if let Ok(ppa) = open(&damaged, &map, &plain(&config)) {
                        opened += 1;
                        ask(&ppa, &map, round);
                    }
                });
            }
        }
    }
    assert!(opened > 500, "{opened} of 4800 could be opened");
}

#[test]
fn tables_of_nonsense_lead_nowhere() {
    for map in [rooms(), one_way_streets()] {
        for config in forms(2) {
            let bytes = bytes_of(&Ppa::build(&map, &config).unwrap());
            let index = IndexFile::from_bytes(bytes.clone()).unwrap();
            for filler in [[0; 4], [1; 4], [0x7f; 4], [0xff; 4], [0, 0, 1, 0], [1, 0, 0, 0]] {
                for name in ["distances", "steps"] {
                    let Some(section) = index.sections().find(|section| section.name == name)
                    else {
                        continue;
                    };
                    let mut damaged = bytes.clone();
                    let contents =
                        &mut damaged[section.offset as usize..][..section.length as usize];
                    contents
                        .iter_mut()
                        .zip(filler.iter().cycle())
                        .for_each(|(to, &byte)| *to = byte);
                    let ppa = open(&damaged, &map, &plain(&config)).unwrap();
                    without_panic(&format!("{name} {filler:?} {config:?}"), || ask(&ppa, &map, 3));
                }
            }
        }
    }
}

#[test]
fn stored_steps_that_go_round_above_and_nowhere_below_come_to_an_end() {
    // Above level 1 steps lead from child to child in circles, and no child adds a node to the
    // path.
    for map in [rooms(), one_way_streets()] {
        for seed in 0..20 {
            let (tables, splits) = (Tables::Steps, Some(3));
            let config = PpaConfig { tables, splits, branching: 2, ..PpaConfig::default() };
            let ppa = Ppa::build(&map, &config).unwrap();
            let mut damaged = bytes_of(&ppa);
            let sections = sections(&damaged);
            let words = |bytes: &[u8]| -> Vec<u32> {
                bytes.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes).collect()
            };
            let place = |name: &str| {
                let section = sections.iter().find(|section| section.name == name);
                section.unwrap().bytes.clone()
            };
            let sizes = words(&damaged[place("subgraphs")]);
            let members = sizes.chunks(3).map(|size| size[0] as usize);
            let subgraphs = ppa.summary().subgraphs;
            let mut draw = Random::new(seed);
            let mut at = place("steps").start;
            for (id, members) in members.enumerate() {
                let is_leaf = id < subgraphs[0];
                let is_next = !is_leaf && id < subgraphs[0] + subgraphs[1];
                for pair in 0..members * members {
                    let step = match (is_leaf, is_next) {
                        (true, _) => continue,
                        (_, true) => (pair % members) as u16,
                        _ => draw.below(members as u64) as u16,
                    };
                    damaged[at + 2 * pair..][..2].copy_from_slice(&step.to_le_bytes());
                }
                at += 2 * members * members;
            }
            assert_eq!(at, place("steps").end);
            ask(&open(&damaged, &map, &plain(&config)).unwrap(), &map, seed);
        }
    }
}
