//! Batches give the answers of single queries, whatever the engine and the number of threads.

use portolan::changes::CellChange;
use portolan::generate::{Random, Rooms};
use portolan::registry::{METHODS, method};
use portolan::{
    Cell, Changes, Cost, Engine, Graph, Grid, Map, NodeId, PathFinder, Route, Settings, batch,
};
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
    let name = engine.name();
    let (new, mut query) = (|| engine.query(), engine.query());
    let mut expected = Vec::new();
    for &(from, to) in pairs {
        let answer = query.find(from, to);
        expected.push(answer.map(|found| found.map(|route| FoundPath::of(&route))));
    }
    for threads in [1, 2, 3, 8] {
        let costs = batch::distances(new, pairs, threads).unwrap();
        let known = expected.iter().map(|answer| answer.clone().map(|found| Some(found?.cost)));
        assert!(known.eq(costs), "{name}: distances on {threads} threads");

        let paths = batch::find_all(new, pairs, threads).unwrap();
        let cells = batch::find_all_cells(new, pairs, threads).unwrap();
        let turns = batch::find_all_turns(new, pairs, threads).unwrap();
        let nodes = batch::find_all_nodes(new, pairs, threads).unwrap();
        assert_eq!([paths.len(), cells.len(), turns.len(), nodes.len()], [pairs.len(); 4]);
        let routes =
            paths.iter().map(|answer| answer.map(|found| found.map(|at| FoundPath::of(&at))));
        assert!(routes.eq(expected.iter().cloned()), "{name}: routes on {threads} threads");
        for (at, answer) in expected.iter().enumerate() {
            let lists = (cells.get(at).unwrap(), turns.get(at).unwrap(), nodes.get(at).unwrap());
            let listed = match lists {
                (Ok(Some(cells)), Ok(Some(turns)), Ok(Some(nodes))) => Ok(Some(FoundPath {
                    cost: cells.cost.max(turns.cost).max(nodes.cost),
                    cells: cells.items.to_vec(),
                    turns: turns.items.to_vec(),
                    nodes: nodes.items.to_vec(),
                })),
                (Ok(None), Ok(None), Ok(None)) => Ok(None),
                (Err(one), Err(two), Err(three)) if one == two && two == three => Err(one),
                others => panic!("{name}: {:?}: {others:?}", pairs[at]),
            };
            assert_eq!(listed, *answer, "{name}: {:?} on {threads} threads", pairs[at]);
        }
        assert!(paths.get(pairs.len()).is_none() && turns.get(pairs.len()).is_none());

        let states = batch::visit_all(new, pairs, threads, Vec::new, |seen, at, answer| {
            seen.push((at, answer.map(|found| found.map(|route| FoundPath::of(&route)))));
        });
        let mut visits: Vec<_> = states.unwrap().into_iter().flatten().collect();
        visits.sort_by_key(|&(at, _)| at);
        let all = (0..).zip(expected.iter().cloned());
        assert!(all.eq(visits), "{name}: visits on {threads} threads");
    }
}

/// Everything about a path.
#[derive(Debug, Clone, PartialEq)]
struct FoundPath {
    cost: Cost,
    nodes: Vec<NodeId>,
    cells: Vec<Cell>,
    turns: Vec<Cell>,
}

impl FoundPath {
    fn of(route: &Route<'_>) -> Self {
        Self {
            cost: route.cost(),
            nodes: route.nodes().collect(),
            cells: route.cells().collect(),
            turns: route.turns().collect(),
        }
    }
}

#[test]
fn batches_are_single_queries() {
    for rule in &RULES {
        let Map::Grid(grid) = map(1) else { panic!("it is a grid") };
        let map = Map::from(rule.apply(grid));
        for method in METHODS {
            let engine = method.build(&map, &Settings::default()).unwrap();
            check(engine.as_ref(), &pairs(&map, 400));
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

#[test]
fn a_finder_refuses_single_pairs() {
    let map = map(3);
    let finder = PathFinder::builder(&map).threads(3).build().unwrap();
    let mut random = Random::new(9);
    let mut place = || (random.below(62) as u32, random.below(46) as u32);
    let pairs: Vec<_> = (0..900).map(|_| (place(), place())).collect();
    let mut single = finder.clone();
    let mut expected = Vec::new();
    for &(from, to) in &pairs {
        let answer = single.find(from, to);
        expected.push(answer.map(|found| found.map(|route| FoundPath::of(&route).turns)));
    }
    assert!(expected.iter().any(|answer| answer.is_err()));
    let turns = finder.find_all_turns(&pairs).unwrap();
    let listed = turns.iter().map(|answer| answer.map(|found| Some(found?.items.to_vec())));
    assert!(listed.eq(expected.iter().cloned()));
    let cells = finder.find_all_cells(&pairs).unwrap();
    let ends = |cells: &[Cell]| (cells[0], cells[cells.len() - 1]);
    let ends_of_cells = cells.iter().map(|answer| answer.map(|found| Some(ends(found?.items))));
    let known = expected.iter().map(|answer| answer.clone().map(|found| Some(ends(&found?))));
    assert!(ends_of_cells.eq(known));
    let states = finder.visit_all(&pairs, Vec::new, |seen, at, answer| {
        seen.push((at, answer.map(|found| found.map(|route| FoundPath::of(&route).turns))));
    });
    let mut visits: Vec<_> = states.unwrap().into_iter().flatten().collect();
    visits.sort_by_key(|&(at, _)| at);
    assert!((0..).zip(expected).eq(visits));
}
