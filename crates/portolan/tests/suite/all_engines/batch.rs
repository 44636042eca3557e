//! Batches give the answers of single queries, whatever the engine and the number of threads.

use portolan::changes::CellChange;
use portolan::generate::{Random, Rooms};
use portolan::registry::{METHODS, method};
use portolan::{Changes, Engine, Graph, Grid, Map, NodeId, Settings, batch};
use portolan_testkit::small_grids::RULES;

fn map(seed: u64) -> Map {
    let mut random = Random::new(seed);
    Map::from(Grid::from_fn(60, 45, |_, _| random.below(100) >= 30).unwrap())
}

/// Pairs all over the map and a little beyond: blocked cells, cells apart, and ids that are none;
/// some come twice.
fn pairs(map: &Map, count: usize) -> Vec<(NodeId, NodeId)> {
    let mut random = Random::new(7);
    let most = map.node_count() as u64 + 20;
    let mut node = || random.below(most) as NodeId;
    let mut pairs: Vec<(NodeId, NodeId)> = (0..count).map(|_| (node(), node())).collect();
    pairs.extend_from_within(..count / 10);
    pairs
}

fn check(engine: &dyn Engine, pairs: &[(NodeId, NodeId)]) {
    let mut query = engine.query();
    for threads in [1, 3] {
        let paths = batch::find_all(|| engine.query(), pairs, threads).unwrap();
        let costs = batch::distances(|| engine.query(), pairs, threads).unwrap();
        assert_eq!((paths.len(), costs.len()), (pairs.len(), pairs.len()));
        for (at, (&(from, to), answer)) in pairs.iter().zip(&paths).enumerate() {
            let name = engine.name();
            let single = query.find(from, to);
            match (single, answer) {
                (Ok(Some(route)), Ok(Some(path))) => {
                    assert_eq!(
                        (route.cost(), Ok(Some(route.cost()))),
                        (path.cost(), costs[at].clone())
                    );
                    assert!(route.nodes().eq(path.nodes()), "{name}: {from} to {to}");
                }
                (Ok(None), Ok(None)) => assert_eq!(costs[at], Ok(None)),
                (Err(one), Err(other)) => {
                    assert_eq!((&one, Err(one.clone())), (&other, costs[at].clone()));
                }
                (single, answer) => panic!("{name}: {from} to {to}: {single:?}, {answer:?}"),
            }
        }
        assert!(paths.get(pairs.len()).is_none());
    }
}

#[test]
fn batches_are_single_queries() {
    for rule in &RULES {
        let Map::Grid(grid) = map(1) else { panic!("it is a grid") };
        let map = Map::from(rule.apply(grid));
        for method in METHODS {
            let engine = method.build(&map, &Settings::default()).unwrap();
            check(engine.as_ref(), &pairs(&map, 1_500));
            check(engine.as_ref(), &[]);
        }
    }
}

#[test]
fn after_edits_too() {
    let mut map = map(2);
    let settings = Settings::default();
    let method = method("atlas-uniform").unwrap();
    let engine = method.build(&map, &settings).unwrap();
    let Map::Grid(grid) = &map else { panic!("it is a grid") };
    let turned = |node| CellChange { node, passable: !grid.contains(node) };
    let cells = [300, 301, 1_500].map(turned).to_vec();
    let changes = Changes::from(cells);
    map.apply(&changes).unwrap();
    let engine = engine.refresh(&map, &changes).unwrap();
    check(engine.as_ref(), &pairs(&map, 1_500));
}

/// On one thread thousands of pairs are a single share, in which several are under way at once.
#[test]
fn a_large_batch_in_rooms() {
    let rooms = Rooms { width: 120, height: 100, room: 7, ..Rooms::default() };
    let map = Map::from(rooms.generate().unwrap());
    let engine = method("atlas-uniform").unwrap();
    let engine = engine.build(&map, &Settings::default()).unwrap();
    check(engine.as_ref(), &pairs(&map, 20_000));
}
