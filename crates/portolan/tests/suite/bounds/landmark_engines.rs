//! Landmarks inside the engines that use them: exact unless stale ones were chosen by name, from
//! files and from both ends.

use portolan::changes::CellChange;

use portolan::generate::Random;
use portolan::heuristic::HeuristicChoice;
use portolan::ppa::{Ppa, PpaConfig};
use portolan::search_engine::{Algorithm, SearchConfig, SearchEngine};
use portolan::store::{IndexFile, OpenError};
use portolan::true_distance::differential::{AfterEdits, Precision};
use portolan::true_distance::{
    BoundForm, BoundForms, Canonical, CanonicalConfig, Differential, DifferentialConfig,
    StoredConfig, StoredKind,
};
use portolan::{
    Build, BuildError, Changes, Cost, Engine, GraphBuilder, Grid, Map, NodeId, Query, Settings,
    registry,
};
use portolan_testkit::bounds::check_bounds;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::{check_engine, check_same_answers};
use portolan_testkit::methods::with_stored_bounds;
use portolan_testkit::reference::distances;
use portolan_testkit::worlds::World;

/// A wall with a door at the far end, and the same with another opened close by.
struct Door {
    before: Map,
    after: Map,
    changes: Changes,
    ends: (NodeId, NodeId),
}

fn door() -> Door {
    let grid = Grid::from_fn(41, 41, |x, y| x != 20 || y == 40).unwrap();
    let [from, to, node] = [10, 30, 20].map(|x| grid.node(x, 0).unwrap());
    let changes = Changes::new().free(node);
    let before = Map::from(grid);
    let mut after = before.clone();
    after.apply(&changes).unwrap();
    Door { before, after, changes, ends: (from, to) }
}

fn astar_with(after_edits: AfterEdits) -> SearchConfig {
    let landmarks = DifferentialConfig { after_edits, ..DifferentialConfig::default() };
    let stored = vec![StoredConfig::Differential(landmarks)];
    SearchConfig { stored, ..SearchConfig::default() }
}

fn stored(engine: &impl Engine) -> IndexFile {
    IndexFile::from_bytes(bytes_of(engine)).unwrap()
}

#[test]
fn stale_distances_in_a_file_are_no_exact_engine() {
    let Door { before, after, changes, .. } = door();
    let stale = astar_with(AfterEdits::Stale);
    let engine = SearchEngine::build(&before, &stale).unwrap().refreshed(&after, &changes).unwrap();
    let index = stored(&engine);
    let opened = SearchEngine::open(&index, &after, &astar_with(AfterEdits::Exact));
    let refused = opened.expect_err("they overestimate");
    assert!(matches!(&refused, OpenError::Contents { reason, .. } if reason.contains("stale")));
    assert!(!SearchEngine::open(&index, &after, &stale).unwrap().exact());
    // What never was stale serves whoever asks.
    let index = stored(&SearchEngine::build(&after, &stale).unwrap());
    assert!(SearchEngine::open(&index, &after, &astar_with(AfterEdits::Exact)).unwrap().exact());
}

#[test]
fn only_a_name_that_says_so_gives_paths_that_may_be_stale() {
    let Door { before, after, changes, ends: (from, to) } = door();
    let truth = distances(&after, from)[to as usize].unwrap();
    let differential =
        DifferentialConfig { after_edits: AfterEdits::Stale, ..DifferentialConfig::default() };
    let stored = vec![StoredKind::Differential];
    let settings = Settings { stored, differential, ..Settings::default() };
    let named = registry::method("differential").unwrap();
    for method in with_stored_bounds().into_iter().chain([named]) {
        let name = method.name();
        let built = method.build(&before, &settings).unwrap();
        let engine = built.refresh(&after, &changes).unwrap();
        assert!(method.exact() && engine.exact(), "{name}");
        let cost = engine.query().distance(from, to).unwrap();
        assert_eq!(cost.map(u64::from), Some(truth), "{name}");
    }
    let stale = registry::method("differential-stale").unwrap();
    let engine = stale.build(&before, &Settings::default()).unwrap();
    assert!(!engine.exact() && engine.name() == "differential-stale");
    let SearchConfig { stored, .. } = astar_with(AfterEdits::Stale);
    let ppa = Ppa::build(&before, &PpaConfig { stored, ..PpaConfig::default() }).unwrap();
    assert!(!ppa.exact(), "its bounds may be stale");
}

#[test]
fn a_search_without_bounds_has_nothing_to_store() {
    let config = SearchConfig { algorithm: Algorithm::Dijkstra, ..astar_with(AfterEdits::Exact) };
    assert!(SearchEngine::storable(&config).is_err());
    let Door { before, .. } = door();
    assert!(SearchEngine::build(&before, &config).unwrap().store().is_err());
}

/// A chain of nodes whose ends are too far apart for a cost.
fn chain(weights: impl Iterator<Item = Cost>) -> Map {
    let weights: Vec<Cost> = weights.collect();
    let mut chain = GraphBuilder::new(weights.len() + 1).unwrap();
    for (node, weight) in (0..).zip(weights) {
        chain.add_two_way(node, node + 1, weight).unwrap();
    }
    chain.build().into()
}

#[test]
fn few_active_landmarks_are_consistent_where_costs_are_huge() {
    for nodes in 4..14 {
        let world = World::new("a long chain", chain((1..nodes).map(|_| 1_000_000_000)));
        let chosen = [(1, 2), (1, 4), (2, 4)].into_iter();
        // All weights are alike, so that 16 bits lose nothing but what no cost can hold.
        let chosen = chosen.flat_map(|few| [(few, Precision::Bits32), (few, Precision::Bits16)]);
        for ((active, landmarks), precision) in chosen {
            let usual =
                DifferentialConfig { landmarks, precision, ..DifferentialConfig::default() };
            let config = DifferentialConfig { active: Some(active), ..usual };
            check_bounds(&Differential::new(&world.map, &config).unwrap(), &world);
            let stored = vec![StoredConfig::Differential(config)];
            let both = SearchConfig::new(Algorithm::Bidirectional, HeuristicChoice::Auto);
            let engine = SearchEngine::build(&world.map, &SearchConfig { stored, ..both });
            check_engine(&engine.unwrap(), &world);
        }
    }
}

#[test]
fn dropped_entries_of_few_bits_bound_soundly_where_costs_are_huge() {
    for (seed, precision) in (0..400).zip([Precision::Bits8, Precision::Bits16].iter().cycle()) {
        let mut draw = Random::new(seed);
        let mut weight = || match draw.below(3) {
            0 => 1 + draw.below(9) as Cost,
            1 => 100_000_000 + draw.below(900_000_000) as Cost,
            _ => 2_000_000_000 + draw.below(2_000_000_000) as Cost,
        };
        let weights: Vec<Cost> = (0..12).map(|_| weight()).collect();
        let world = World::new(format!("chain {seed}"), chain(weights.into_iter()));
        let (landmarks, kept) = (2 + seed as usize % 5, Some(1 + seed as usize % 2));
        let usual = DifferentialConfig { landmarks, kept, ..DifferentialConfig::default() };
        let config = DifferentialConfig { precision: *precision, ..usual };
        check_bounds(&Differential::new(&world.map, &config).unwrap(), &world);
    }
}

/// Narrow ways between blocks, and a limit under which rows for passable cells alone make room for
/// more landmarks.
#[test]
fn an_edited_table_of_passable_cells_comes_back_from_a_file() {
    let grid = Grid::from_fn(60, 60, |x, y| x % 6 == 0 || y % 5 == 0).unwrap();
    let cells = [grid.node(12, 3), grid.node(31, 10), grid.node(0, 0)].map(Option::unwrap);
    let before = Map::from(grid);
    let settings = Settings { memory_limit: 45_000.into(), ..Settings::default() };
    for (name, passable) in [("differential", false), ("differential-stale", true)] {
        let mut before = before.clone();
        let change =
            |passable| Changes::from(cells.map(|node| CellChange { node, passable }).to_vec());
        before.apply(&change(!passable)).unwrap();
        let method = registry::method(name).unwrap();
        let engine = method.build(&before, &settings).unwrap();
        let form = engine.form().unwrap();
        let BoundForms(bounds) = form.downcast_ref().unwrap();
        assert!(
            matches!(bounds[0], BoundForm::Landmarks { passable_only: true, .. }),
            "{bounds:?}"
        );
        let mut after = before.clone();
        after.apply(&change(passable)).unwrap();
        let engine = engine.refresh(&after, &change(passable)).unwrap();
        let index = IndexFile::from_bytes(bytes_of(engine.as_ref())).unwrap();
        let opened = method.open(&index, &after, &settings).unwrap();
        check_same_answers(&mut *engine.query(), &mut *opened.query(), 200);
        if opened.exact() {
            check_engine(opened.as_ref(), &World::new("narrow ways", after));
        }
    }
}

#[test]
fn numbers_beyond_all_memory_are_refused_or_cut_down() {
    let Door { before, .. } = door();
    let few = DifferentialConfig { memory_limit: 100_000, ..DifferentialConfig::default() };
    let config = DifferentialConfig { landmarks: usize::MAX, kept: Some(1), ..few };
    let refused = Differential::new(&before, &config).err();
    assert!(matches!(refused, Some(BuildError::MemoryLimit { .. })), "{refused:?}");
    let config = CanonicalConfig { nearest: Some(usize::MAX), ..CanonicalConfig::default() };
    match Canonical::new(&before, &CanonicalConfig { most: 50, ..config }) {
        Ok(canonical) => assert!(canonical.sizes().1 <= 50),
        Err(error) => assert!(matches!(error, BuildError::MemoryLimit { .. }), "{error}"),
    }
}
