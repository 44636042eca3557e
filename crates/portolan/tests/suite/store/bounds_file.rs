//! Index files of stored bounds and of searches along portals: cut short they are refused, what is
//! damaged is found by `verify`, and what is opened all the same walks on ground that there is.

use portolan::generate::{Random, Rooms};
use portolan::ppa::{Ppa, PpaConfig};
use portolan::registry::{Method, method};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::store::IndexFile;
use portolan::true_distance::differential::Precision;
use portolan::true_distance::{DifferentialConfig, StoredConfig, StoredKind};
use portolan::{Build, BuildError, Connectivity, Engine, Map, NodeId, Settings};
use portolan_testkit::index_file::{bytes_of, damage, sections};
use portolan_testkit::methods::with_region_tables;
use portolan_testkit::worlds::one_way_streets;

/// A file of every engine on a map, with what it was built by.
fn files(map: &Map) -> Vec<(&'static dyn Method, Settings, Vec<u8>)> {
    let usual = Settings::default();
    let with = |differential| Settings { differential, ..Settings::default() };
    let landmarks = DifferentialConfig::default();
    let bytes = DifferentialConfig { precision: Precision::Bits8, ..landmarks.clone() };
    let words = DifferentialConfig { precision: Precision::Bits16, ..landmarks.clone() };
    let dropped = DifferentialConfig { landmarks: 9, kept: Some(2), ..landmarks };
    let mut chosen: Vec<_> = with_region_tables().map(|method| (method, usual.clone())).collect();
    let differential = method("differential").unwrap();
    chosen.extend([bytes, words, dropped].map(|config| (differential, with(config))));
    let built = chosen.into_iter().filter_map(|(method, settings)| {
        method.supports(map, &settings).ok()?;
        let engine = method.build(map, &settings).unwrap();
        Some((method, settings, bytes_of(engine.as_ref())))
    });
    built.collect()
}

fn maps() -> [Map; 2] {
    let rooms = Rooms { width: 33, height: 41, room: 8, doors: 0.7, seed: 2, ..Rooms::default() };
    let rooms = rooms.generate().unwrap().with_connectivity(Connectivity::Four);
    [rooms.into(), one_way_streets()]
}

fn ask(opened: &dyn Engine, map: &Map, draw: &mut Random) {
    let mut query = opened.query();
    let nodes = map.node_count() as u64;
    for _ in 0..8 {
        let (from, to) = (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId);
        let _ = query.distance(from, to);
        if let Ok(Some(route)) = query.find(from, to) {
            assert!(map.walk(route.nodes()).is_ok(), "{}: {from} to {to}", opened.name());
        }
    }
}

#[test]
fn two_bounds_of_one_kind_are_refused_before_they_are_built() {
    let [map, _] = maps();
    let landmarks = |landmarks| {
        StoredConfig::Differential(DifferentialConfig { landmarks, ..Default::default() })
    };
    let stored = vec![landmarks(2), landmarks(3)];
    let search = SearchConfig { stored: stored.clone(), ..SearchConfig::default() };
    let ppa = PpaConfig { stored, ..PpaConfig::default() };
    let errors = [
        SearchEngine::supports(&map, &search).err().map(BuildError::from),
        SearchEngine::build(&map, &search).err(),
        Ppa::build(&map, &ppa).err(),
    ];
    for error in errors {
        let error = error.expect("a refusal").to_string();
        assert!(error.contains("two stored bounds named differential"), "{error}");
    }
    // Settings name a kind as often as they like.
    let stored = vec![StoredKind::Differential, StoredKind::Differential];
    let engine = method("astar").unwrap().build(&map, &Settings { stored, ..Settings::default() });
    engine.unwrap().store().unwrap().write_to(&mut Vec::new()).unwrap();
}

#[test]
fn files_that_are_cut_short_are_refused() {
    for map in maps() {
        for (method, settings, bytes) in files(&map) {
            for length in (0..200).map(|part| part * bytes.len() / 200) {
                let index = IndexFile::from_bytes(bytes[..length].to_vec());
                let opened = index.and_then(|index| method.open(&index, &map, &settings));
                let error = opened.err().unwrap_or_else(|| panic!("{} bytes", length));
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_refused_or_found_by_a_check() {
    let (mut refused, mut found) = (0, 0);
    for map in maps() {
        for (method, settings, bytes) in files(&map) {
            let mut draw = Random::new(bytes.len() as u64);
            for at in (0..bytes.len()).step_by((bytes.len() / 250).max(1)) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << draw.below(8);
                let Ok(index) = IndexFile::from_bytes(damaged) else {
                    refused += 1;
                    continue;
                };
                assert!(index.verify().is_err(), "{}: byte {at}", method.name());
                found += 1;
                if let Ok(opened) = method.open(&index, &map, &settings) {
                    ask(opened.as_ref(), &map, &mut draw);
                }
            }
        }
    }
    assert!(refused > 50 && found > 1000, "{refused} refused, {found} found");
}

/// Numbers changed anywhere, by someone who mends every checksum.
#[test]
fn damage_that_no_check_finds_leads_nowhere_else() {
    let (mut refused, mut opened) = (0, 0);
    for map in maps() {
        for (method, settings, bytes) in files(&map) {
            let sections = sections(&bytes);
            let mut draw = Random::new(3);
            for round in 0..250 {
                let damaged = damage(&bytes, &sections, &mut draw, round);
                let index = IndexFile::from_bytes(damaged).unwrap();
                index.verify().unwrap();
                match method.open(&index, &map, &settings) {
                    Err(error) => {
                        refused += 1;
                        assert!(!error.to_string().is_empty());
                    }
                    Ok(engine) => {
                        opened += 1;
                        ask(engine.as_ref(), &map, &mut draw);
                    }
                }
            }
        }
    }
    assert!(refused > 500 && opened > 500, "{refused} refused, {opened} opened");
}
