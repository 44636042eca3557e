//! Index files of stored bounds.

use portolan::ppa::{Ppa, PpaConfig};
use portolan::registry::method;
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::true_distance::{DifferentialConfig, StoredConfig, StoredKind};
use portolan::{Build, BuildError, Grid, Map, Settings};

#[test]
fn two_bounds_of_one_kind_are_refused_before_they_are_built() {
    let map = Map::from(Grid::new(20, 20).unwrap());
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
