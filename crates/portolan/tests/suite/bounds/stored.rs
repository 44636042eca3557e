//! Every stored heuristic against true distances, and every search with each of them.

use portolan::heuristic::HeuristicChoice;
use portolan::true_distance::{Bounds, StoredKind};
use portolan::{BuildError, Map, Settings};
use portolan_testkit::bounds::{Seen, check_bounds};
use portolan_testkit::matrix::{check_edits_of, check_method};
use portolan_testkit::methods::with_stored_bounds;
use portolan_testkit::worlds::{World, drawn, one_way_streets, random};

fn bounds_of(kind: StoredKind, map: &Map, settings: &Settings) -> Result<Bounds, BuildError> {
    let config = kind.configure(settings, settings.memory_limit.least_bytes());
    Bounds::build("astar", map, HeuristicChoice::Zero, &[config], &())
}

fn worlds() -> impl Iterator<Item = World> {
    let streets = World::new("one-way streets", one_way_streets());
    drawn().into_iter().chain([streets]).chain((0..150).map(random))
}

#[test]
fn bounds_are_never_above_true_distances() {
    for &kind in StoredKind::ALL {
        let mut seen = Seen::default();
        for world in worlds() {
            let stored = match bounds_of(kind, &world.map, &Settings::default()) {
                Err(BuildError::Unsupported(_)) => continue,
                built => built.unwrap_or_else(|error| panic!("{}: {error}\n{world}", kind.name())),
            };
            seen.add(check_bounds(&stored, &world));
        }
        let Seen { bounds, tight, proofs } = seen;
        let name = kind.name();
        assert!(bounds > 10_000 && tight > bounds / 10, "{name}: {tight} of {bounds} are tight");
        assert!(proofs > 0, "{name} proves nothing");
    }
}

#[test]
fn every_search_is_exact_with_every_stored_heuristic() {
    let searches = with_stored_bounds();
    assert!(searches.len() >= 4, "{} methods take stored bounds", searches.len());
    for &kind in StoredKind::ALL {
        for heuristic in [HeuristicChoice::Auto, HeuristicChoice::Zero] {
            let settings = Settings { heuristic, stored: vec![kind], ..Settings::default() };
            let checked = (0..60)
                .flat_map(|seed| searches.iter().map(move |search| (seed, *search)))
                .filter(|&(seed, search)| check_method(search, &random(seed), &settings))
                .count();
            assert!(checked >= 100, "{}: {checked} checks only", kind.name());
        }
    }
}

#[test]
fn all_stored_heuristics_together_are_exact() {
    for seed in 100..140 {
        let world = random(seed);
        let settings = all_that_suit(&world.map);
        for method in with_stored_bounds() {
            assert!(check_method(method, &world, &settings), "{}", method.name());
        }
    }
}

/// Settings with all stored heuristics that can be built on a map: gates are on grids only.
fn all_that_suit(map: &Map) -> Settings {
    let alone = |kind| Settings { stored: vec![kind], ..Settings::default() };
    let search = with_stored_bounds()[0];
    let suits = |kind: &StoredKind| search.supports(map, &alone(*kind)).is_ok();
    let stored: Vec<StoredKind> = StoredKind::ALL.iter().copied().filter(suits).collect();
    assert!(stored.len() + 1 >= StoredKind::ALL.len(), "{stored:?}");
    Settings { stored, ..Settings::default() }
}

#[test]
fn searches_with_stored_heuristics_follow_edits() {
    for (seed, method) in (500..532).zip(with_stored_bounds().into_iter().cycle()) {
        let world = random(seed);
        let engine = method.build(&world.map, &all_that_suit(&world.map)).unwrap();
        check_edits_of(vec![engine], &world, 6, seed);
    }
}

#[test]
fn a_limit_that_is_too_small_says_what_is_needed() {
    let map = Map::from(portolan::Grid::new(40, 40).unwrap());
    for &kind in StoredKind::ALL {
        let settings = Settings { memory_limit: 64.into(), ..Settings::default() };
        let Err(BuildError::MemoryLimit { needed, limit, .. }) = bounds_of(kind, &map, &settings)
        else {
            panic!("{} fits into 64 bytes", kind.name());
        };
        assert_eq!(limit, 64);
        let enough = Settings { memory_limit: needed.into(), ..Settings::default() };
        let built = bounds_of(kind, &map, &enough).unwrap_or_else(|error| panic!("{error}"));
        use portolan::heuristic::Heuristic;
        assert!(built.memory_bytes() as u64 <= needed, "{}", kind.name());
    }
}
