//! Landmarks inside the engines that use them: exact unless stale ones were chosen by name, from
//! files and from both ends.

use portolan::changes::CellChange;

use portolan::generate::Random;
use portolan::heuristic::{Heuristic, HeuristicChoice, LowerBound};
use portolan::ppa::{Ppa, PpaConfig};
use portolan::search_engine::{Algorithm, SearchConfig, SearchEngine, Upkeep};
use portolan::store::{IndexFile, OpenError};
use portolan::true_distance::differential::{
    Adaptive, AfterEdits, LandmarkUpkeep, Placement, Precision,
};
use portolan::true_distance::{
    BoundForm, BoundForms, Canonical, CanonicalConfig, Differential, DifferentialConfig,
    StoredConfig, StoredKind,
};
use portolan::{
    Build, BuildError, Changes, Cost, Engine, GraphBuilder, Grid, Map, NodeId, Query, Settings,
    registry,
};
use portolan_testkit::bounds::check_bounds;
use portolan_testkit::edits::random_changes;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::{check_engine, check_same_answers};
use portolan_testkit::methods::with_stored_bounds;
use portolan_testkit::reference::distances;
use portolan_testkit::worlds::{World, one_way_streets, random};

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
    let settings = Settings { memory_limit: 45_000, ..Settings::default() };
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

/// An engine's landmarks beside another stored bound, so that one is renewed and the other follows.
fn with_landmarks_and_canonical(precision: Precision) -> SearchConfig {
    let mut config = SearchConfig::named(
        StoredKind::Differential,
        &Settings { stored: vec![StoredKind::Canonical], ..Settings::default() },
    );
    for stored in &mut config.stored {
        if let StoredConfig::Differential(landmarks) = stored {
            landmarks.precision = precision;
        }
    }
    config
}

/// Costs rise and fall, cells come and go, edges too; every frame has a slice or a look at the
/// other thread.
#[test]
fn an_engine_is_exact_at_every_moment_and_as_if_built_anew_at_last() {
    let worlds = [random(3), random(8), random(21), World::new("streets", one_way_streets())];
    for (world, background) in worlds.iter().zip([false, true].into_iter().cycle()) {
        for precision in [Precision::Bits32, Precision::Bits16] {
            let (mut map, mut draw) = (world.map.clone(), Random::new(11));
            let config = with_landmarks_and_canonical(precision);
            let mut upkeep = Upkeep::new(SearchEngine::build(&map, &config).unwrap());
            for step in 0..25 {
                let changes = random_changes(&map, &mut draw);
                map.apply(&changes).unwrap();
                upkeep.edit(&map, &changes).unwrap();
                if background {
                    upkeep.renew_in_background();
                }
                upkeep.advance(40).unwrap();
                let name = format!("{} after edit {step}, {precision:?}", world.name);
                let now = World::new(name, map.clone());
                check_engine(upkeep.engine(), &now);
                check_bounds(upkeep.engine().bounds(), &now);
            }
            upkeep.finish().unwrap();
            while upkeep.advance(100).unwrap() {}
            assert!(!upkeep.wants_renewal() && !upkeep.is_renewing());
            assert!(upkeep.renewals() > 0, "{}", world.name);
            check_as_if_built_anew(&upkeep, &map);
        }
    }
}

fn check_as_if_built_anew(upkeep: &Upkeep, map: &Map) {
    let renewed = upkeep.landmarks().unwrap();
    let mut config = upkeep.engine().config().stored.clone();
    let Some(StoredConfig::Differential(config)) = config.first_mut() else {
        panic!("landmarks come first")
    };
    config.placement = Placement::At(renewed.landmarks().to_vec());
    let fresh = Differential::new(map, config).unwrap();
    for node in 0..map.node_count() as NodeId {
        assert_eq!(renewed.toward(1).at(node), fresh.toward(1).at(node), "{node}");
    }
}

#[test]
fn a_stale_engine_is_exact_again_once_it_is_renewed() {
    let Door { before, after, changes, ends: (from, to) } = door();
    let truth = distances(&after, from)[to as usize].unwrap();
    let bound = |upkeep: &Upkeep| {
        u64::from(upkeep.engine().bounds().toward(to).at(from).expect("there is a path"))
    };
    for background in [false, true] {
        let stale = SearchConfig::stale_landmarks(&Settings::default());
        let mut upkeep = Upkeep::new(SearchEngine::build(&before, &stale).unwrap());
        assert!(!upkeep.advance(100).unwrap(), "there is nothing to renew yet");
        upkeep.edit(&after, &changes).unwrap();
        assert!(bound(&upkeep) > truth, "nothing is known of the door yet");
        assert!(upkeep.wants_renewal());
        if background {
            upkeep.renew_in_background();
            assert!(upkeep.is_renewing());
            upkeep.finish().unwrap();
        } else {
            while upkeep.advance(100).unwrap() {}
        }
        assert!(bound(&upkeep) <= truth && !upkeep.wants_renewal());
        assert_eq!(upkeep.renewals(), 1);
        let cost = upkeep.engine().query().distance(from, to).unwrap();
        assert_eq!(cost.map(u64::from), Some(truth));
    }
}

#[test]
fn landmarks_of_an_engine_move_toward_goals() {
    let Door { before, ends: (_, goal), .. } = door();
    let config = SearchConfig::named(StoredKind::Differential, &Settings::default());
    let mut upkeep = Upkeep::new(SearchEngine::build(&before, &config).unwrap());
    let mut adaptive = Adaptive::new(20);
    (0..20).for_each(|from| adaptive.note(upkeep.landmarks().unwrap(), from, goal));
    assert!(upkeep.adapt(&mut adaptive));
    while upkeep.advance(300).unwrap() {}
    assert!(upkeep.landmarks().unwrap().landmarks().contains(&goal));
    check_engine(upkeep.engine(), &World::new("two halls", before));
}

/// A renewal that begins after an edit was refused knows of that edit once it is done.
#[test]
fn a_renewal_after_a_refused_edit_knows_of_it() {
    let mut map = chain((1..40).map(|weight| weight % 7 + 1));
    let config = DifferentialConfig {
        landmarks: 1,
        precision: Precision::Bits8,
        memory_limit: 4 + 40,
        ..DifferentialConfig::default()
    };
    let mut upkeep = LandmarkUpkeep::new(Differential::new(&map, &config).unwrap());
    // A short cut, and a node for which there is no room.
    let changes = Changes::new().insert_node(None).insert_edge(0, 39, 1).insert_edge(39, 0, 1);
    map.apply(&changes).unwrap();
    assert!(upkeep.edit(&map, &changes).is_err());
    let first = upkeep.landmarks().landmarks()[0];
    assert!(upkeep.move_landmarks(&[(0, first)]));
    // It cannot follow either, and must not pass for one that has.
    assert!(upkeep.finish().is_err());
    let gone = Changes::new().delete_node(40);
    map.apply(&gone).unwrap();
    if upkeep.edit(&map, &gone).is_ok() {
        let bound = upkeep.landmarks().toward(39).at(0).unwrap();
        assert!(bound <= 1, "{bound} over an edge of 1");
    }
}

/// With no room for another row an edit that adds a node is refused; the next builds anew and must
/// not build on what it missed.
#[test]
fn edits_of_an_engine_after_one_that_was_refused() {
    let mut map = chain((1..40).map(|weight| weight % 7 + 1));
    let landmarks = DifferentialConfig {
        landmarks: 1,
        precision: Precision::Bits8,
        memory_limit: 4 + 40,
        ..DifferentialConfig::default()
    };
    let stored = vec![StoredConfig::Differential(landmarks)];
    let config = SearchConfig { stored, ..SearchConfig::default() };
    let mut upkeep = Upkeep::new(SearchEngine::build(&map, &config).unwrap());
    let node = Changes::new().insert_node(None);
    let short_cut = Changes::new().insert_edge(0, 39, 1);
    let gone = Changes::new().delete_node(40);
    let mut refused = 0;
    for changes in [node, short_cut, gone] {
        map.apply(&changes).unwrap();
        match upkeep.edit(&map, &changes) {
            Ok(()) => check_engine(upkeep.engine(), &World::new("a chain", map.clone())),
            Err(error) => {
                refused += 1;
                assert!(matches!(error, BuildError::MemoryLimit { .. }), "{error}");
                assert!(!upkeep.advance(1000).unwrap() && !upkeep.is_renewing());
            }
        }
    }
    assert!(refused > 0, "none was refused");
    // Directed by now, so that every node needs two entries.
    let roomy = SearchConfig { stored: Vec::new(), ..config };
    let mut plain = Upkeep::new(SearchEngine::build(&map, &roomy).unwrap());
    assert!(!plain.advance(10).unwrap() && plain.landmarks().is_none());
}
