//! What is special about Partially Precomputed A* as a file, and which methods have files.

use portolan::changes::Changes;
use portolan::generate::{Random, Roads, Rooms};
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::store::{IndexFile, OpenError};
use portolan::{Build, Engine, METHODS, Map, Settings, registry};
use portolan_testkit::index_file::{bytes_of, fix_checksums, sections};
use portolan_testkit::worlds::one_way_streets;

fn open(bytes: &[u8], map: &Map, config: &PpaConfig) -> Result<Ppa, OpenError> {
    Ppa::open(&IndexFile::from_bytes(bytes.to_vec())?, map, config)
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

/// Asks an index that may be damaged; it may answer anything, in good time.
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
            ask(&open(&damaged, &map, &PpaConfig::default()).unwrap(), &map, seed);
        }
    }
}
