//! Long sequences of edits: a world that has followed them gives the costs of one that is built
//! from scratch.

use portolan::generate::{Random, Roads, Rooms};
use portolan::registry::{METHODS, Method};
use portolan::world::{Follow, Recipe, World};
use portolan::{Cost, EndpointError, Grid, Map, NodeId, Query, Settings};
use portolan_testkit::edits::random_changes;
use portolan_testkit::reference::{distances, is_usable};
use portolan_testkit::worlds::one_way_streets;

/// Maps of the kinds that engines tell apart.
fn maps() -> [(&'static str, Map); 4] {
    let rooms = Rooms { width: 20, height: 18, room: 4, ..Rooms::default() };
    let mut draw = Random::new(11);
    let factors = (0..16 * 14).map(|_| 1 + draw.below(9) as u8).collect();
    let ground = Grid::from_fn(16, 14, |x, y| (x * y) % 7 != 3).unwrap();
    [
        ("rooms", rooms.generate().unwrap().into()),
        ("terrain", ground.with_terrain(factors).unwrap().into()),
        ("streets", one_way_streets()),
        ("roads", Roads { nodes: 120, ..Roads::default() }.generate().unwrap().into()),
    ]
}

/// Costs between a few nodes; where there is no answer, why.
fn costs(map: &Map, query: &mut dyn Query) -> Vec<Result<Option<Cost>, EndpointError>> {
    let usable: Vec<NodeId> =
        (0..map.node_count() as NodeId).filter(|&node| is_usable(map, node)).collect();
    let chosen: Vec<NodeId> = usable.iter().copied().step_by(usable.len() / 7 + 1).collect();
    let pairs = chosen.iter().flat_map(|&from| chosen.iter().map(move |&to| (from, to)));
    pairs
        .map(|(from, to)| query.find(from, to).map(|route| route.map(|route| route.cost())))
        .collect()
}

/// One engine through so many edits by this rule, with so many looks at it.
fn follow(
    method: &'static dyn Method,
    (name, map): (&str, &Map),
    rule: Follow,
    (edits, looks): (usize, usize),
) {
    let settings = Settings { threads: 1, ..Settings::default() };
    if method.supports(map, &settings).is_err() {
        return;
    }
    let world = World::new(map.clone()).unwrap();
    world.add_with(Recipe::method(method, settings.clone()), rule).unwrap();
    let mut draw = Random::new(edits as u64);
    for edit in 1..=edits {
        let changes = random_changes(world.snapshot().map(), &mut draw);
        world.apply(&changes).unwrap();
        if edit % (edits / looks) != 0 {
            continue;
        }
        if rule == Follow::Behind {
            world.settle();
        }
        let snapshot = world.snapshot();
        let context = format!("{} on {name} after {edit} edits", method.name());
        assert!(snapshot.engine(method.name()).is_some(), "{context}");
        let followed = costs(snapshot.map(), &mut *snapshot.query_by(method.name()).unwrap());
        // Stale bounds give up what a build from scratch knows; that is what they are for.
        if method.name() != "differential-stale" {
            let fresh = method.build(snapshot.map(), &settings).unwrap();
            assert_eq!(followed, costs(snapshot.map(), &mut *fresh.query()), "{context}");
        }
        if method.exact() {
            check_some(snapshot.map(), &mut *snapshot.query_by(method.name()).unwrap(), &context);
        }
        // Now and then with what was rebuilt.
        world.settle();
    }
}

/// The costs from one node, against Dijkstra.
fn check_some(map: &Map, query: &mut dyn Query, context: &str) {
    let Some(from) = (0..map.node_count() as NodeId).find(|&node| is_usable(map, node)) else {
        return;
    };
    let truth = distances(map, from);
    for to in (0..map.node_count() as NodeId).filter(|&node| is_usable(map, node)).step_by(5) {
        let found = query.distance(from, to).map(|cost| cost.map(u64::from));
        assert_eq!(found, Ok(truth[to as usize]), "{from} to {to}, {context}");
    }
}

fn follow_all(rule: Follow, times: (usize, usize)) {
    for (name, map) in maps() {
        for &method in METHODS {
            follow(method, (name, &map), rule, times);
        }
    }
}

#[test]
fn every_engine_after_many_edits_is_as_if_built_anew() {
    follow_all(Follow::AtOnce, (40, 2));
}

/// Nothing that is done in the background is taken over before the first look, so most of these
/// edits become one.
#[test]
fn every_engine_that_is_far_behind_catches_up() {
    follow_all(Follow::Behind, (80, 1));
}

/// Minutes; run it with `cargo test --release --test suite world::edits -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn every_engine_after_ten_thousand_edits_is_as_if_built_anew() {
    follow_all(Follow::AtOnce, (10_000, 20));
}
