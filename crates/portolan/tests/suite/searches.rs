//! What the searches promise beyond single pairs.

use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::generate::Random;
use portolan::heuristic::{Geometric, GeometricBound, Heuristic, HeuristicChoice, LowerBound};
use portolan::search::dijkstra::{one_to_all, one_to_many, within};
use portolan::search::{Counter, Resumable, Scratch, SearchState, astar};
use portolan::search_engine::{Algorithm, SearchConfig, SearchEngine};
use portolan::{
    Build, Cost, EndpointError, Engine, Graph, Grid, Map, NodeId, Query, RouteStatus, UNREACHABLE,
};
use portolan_testkit::reference::{distances, is_usable, steps};
use portolan_testkit::walker::walk;
use portolan_testkit::worlds::{draw, drawn, random};

fn usable(map: &Map) -> Vec<NodeId> {
    (0..map.node_count() as NodeId).filter(|&node| is_usable(map, node)).collect()
}

/// The answer of A* on a drawing, as straight and diagonal steps.
fn check(drawing: &str, expected: Option<(u32, u32)>) {
    let (grid, start, goal) = draw(drawing);
    let engine = SearchEngine::build(&grid.into(), &SearchConfig::default()).unwrap();
    let found = engine.query().distance(start.unwrap(), goal.unwrap()).unwrap();
    let expected = expected.map(|(straight, diagonal)| straight * STRAIGHT + diagonal * DIAGONAL);
    assert_eq!(found, expected, "{drawing}");
}

#[test]
fn walks_round_a_wall() {
    check("S#. / .#. / ..T", Some((4, 0)));
}

#[test]
fn never_cuts_a_corner() {
    check("S. / #T", Some((2, 0)));
}

#[test]
fn takes_the_diagonal() {
    check("S.. / ... / ..T", Some((0, 2)));
}

#[test]
fn closed_door() {
    check("S#T / .#. / .#.", None);
}

#[test]
fn an_unreachable_goal_costs_no_search() {
    let (grid, start, goal) = draw("S.#T / ..#.");
    for algorithm in [Algorithm::Dijkstra, Algorithm::AStar, Algorithm::Bidirectional] {
        let config = SearchConfig::new(algorithm, HeuristicChoice::Auto);
        let engine = SearchEngine::build(&Map::from(&grid), &config).unwrap();
        let mut counter = Counter::default();
        let mut query = engine.query();
        let route = query.find_observed(start.unwrap(), goal.unwrap(), &mut counter).unwrap();
        assert!(route.is_none());
        assert_eq!(counter, Counter::default());
    }
}

#[test]
fn counts_nodes_as_the_papers_do() {
    let (grid, start, goal) = draw("S...T");
    let engine = SearchEngine::build(&grid.into(), &SearchConfig::default()).unwrap();
    let mut counter = Counter::default();
    engine.query().find_observed(start.unwrap(), goal.unwrap(), &mut counter).unwrap();
    assert_eq!(counter, Counter { expanded: 5, generated: 5 });
}

#[test]
fn walks_to_the_nearest_reachable_cell() {
    let (grid, start, goal) = draw("S...#. / ....#T / ....#.");
    let engine = SearchEngine::build(&grid.into(), &SearchConfig::default()).unwrap();
    let mut query = engine.query();
    let route = query.find_toward(start.unwrap(), goal.unwrap()).unwrap();
    assert_eq!(route.status(), RouteStatus::Partial);
    assert_eq!(route.nodes().last(), Some(9), "the cell beside the wall");
    let whole = query.find_toward(0, 9).unwrap();
    assert_eq!(whole.status(), RouteStatus::Complete);
    let into_the_wall = query.find_toward(0, 4).unwrap();
    assert_eq!(into_the_wall.nodes().last(), Some(3));
    assert_eq!(query.find_toward(4, 0).unwrap_err(), EndpointError::Blocked { at: (4, 0).into() });
}

#[test]
fn one_to_all_is_every_distance() {
    let mut scratch = Scratch::default();
    for seed in 0..150 {
        let world = random(seed);
        for &from in usable(&world.map).iter().step_by(7) {
            let truth = distances(&world.map, from);
            match &world.map {
                Map::Grid(grid) => one_to_all(grid, &mut scratch, from).unwrap(),
                Map::Graph(graph) => one_to_all(graph, &mut scratch, from).unwrap(),
            }
            let mut path = Vec::new();
            for (node, expected) in (0..).zip(&truth) {
                assert_eq!(
                    scratch.cost(node).map(u64::from),
                    *expected,
                    "{from} -> {node}\n{world}"
                );
                scratch.path_into(node, &mut path);
                match expected {
                    Some(cost) => assert_eq!(walk(&world.map, &path, from, node), Ok(*cost)),
                    None => assert!(path.is_empty()),
                }
            }
        }
    }
}

#[test]
fn one_to_many_and_within_are_parts_of_it() {
    let mut scratch = Scratch::default();
    for seed in 0..150 {
        let world = random(seed);
        let nodes = usable(&world.map);
        let Some(&from) = nodes.first() else { continue };
        let truth = distances(&world.map, from);
        let mut draw = Random::new(seed);
        let targets: Vec<NodeId> =
            (0..5).map(|_| nodes[draw.below(nodes.len() as u64) as usize]).collect();
        let limit = truth.iter().flatten().max().map_or(0, |&far| draw.below(far + 2)) as Cost;
        let (costs, near) = match &world.map {
            Map::Grid(grid) => (
                one_to_many(grid, &mut scratch, from, &targets).unwrap(),
                within(grid, &mut scratch, from, limit).unwrap(),
            ),
            Map::Graph(graph) => (
                one_to_many(graph, &mut scratch, from, &targets).unwrap(),
                within(graph, &mut scratch, from, limit).unwrap(),
            ),
        };
        for (&target, cost) in targets.iter().zip(costs) {
            assert_eq!(cost.map(u64::from), truth[target as usize], "{from} -> {target}\n{world}");
        }
        let mut expected: Vec<(NodeId, u64)> = (0..)
            .zip(&truth)
            .filter_map(|(node, cost)| Some((node, (*cost)?)))
            .filter(|&(_, cost)| cost <= u64::from(limit))
            .collect();
        let mut found: Vec<_> = near.iter().map(|&(node, cost)| (node, u64::from(cost))).collect();
        assert!(found.is_sorted_by_key(|&(_, cost)| cost), "{world}");
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "within {limit} of {from}\n{world}");
    }
}

#[test]
fn a_search_in_slices_is_the_same_search() {
    for seed in 0..120 {
        let world = random(seed);
        let nodes = usable(&world.map);
        let (Some(&from), Some(&to)) = (nodes.first(), nodes.last()) else { continue };
        let truth = distances(&world.map, from)[to as usize];
        let bound = Geometric::new(&world.map, HeuristicChoice::Auto).unwrap();
        let sliced = |slice: u64| -> (SearchState, u64, Vec<NodeId>) {
            fn work<G: Graph, B: LowerBound>(
                mut search: Resumable<&G, B>,
                slice: u64,
            ) -> (SearchState, u64, Vec<NodeId>) {
                assert_eq!(search.advance(0).map(|state| state == SearchState::NoPath), Ok(false));
                let mut path = Vec::new();
                loop {
                    let before = search.expanded();
                    let state = search.advance(slice).unwrap();
                    assert!(search.expanded() - before <= slice);
                    search.path_into(&mut path);
                    match state {
                        SearchState::Working => assert!(path.is_empty()),
                        done => return (done, search.expanded(), path),
                    }
                }
            }
            match &world.map {
                Map::Grid(map) => {
                    work(Resumable::new(map, (from, to), bound.toward(to)).unwrap(), slice)
                }
                Map::Graph(map) => {
                    work(Resumable::new(map, (from, to), bound.toward(to)).unwrap(), slice)
                }
            }
        };
        if !world.map.may_reach(from, to) {
            continue;
        }
        let whole = sliced(u64::MAX);
        assert_eq!(sliced(1), whole, "{world}");
        assert_eq!(sliced(7), whole, "{world}");
        let cost = match whole.0 {
            SearchState::Found { cost } => Some(u64::from(cost)),
            _ => None,
        };
        assert_eq!(cost, truth, "{world}");
    }
}

#[test]
fn bounds_are_never_above_the_truth_and_never_drop_too_fast() {
    use HeuristicChoice::*;
    let worlds = drawn().into_iter().chain((0..200).map(random));
    let mut positive = 0;
    for world in worlds {
        for choice in [Auto, Zero, Manhattan, Octile, Hex, Euclidean] {
            let Ok(heuristic) = Geometric::new(&world.map, choice) else { continue };
            let nodes = usable(&world.map);
            for &from in nodes.iter().step_by(5) {
                let truth = distances(&world.map, from);
                let mut away = heuristic.away_from(from);
                for &to in &nodes {
                    let (there, back) =
                        (away.at(to).unwrap(), heuristic.toward(to).at(from).unwrap());
                    assert_eq!(there, back, "{choice:?} {from} {to}\n{world}");
                    positive += u64::from(there > 0);
                    let cost = truth[to as usize].unwrap_or(u64::MAX);
                    assert!(
                        u64::from(there) <= cost,
                        "{choice:?} {from} -> {to}: {there}\n{world}"
                    );
                    for (head, weight) in steps(&world.map, to) {
                        let next = u64::from(away.at(head).unwrap());
                        let here = u64::from(there);
                        assert!(next <= here + weight, "{choice:?} {to} -> {head}\n{world}");
                        let (toward, next) =
                            (heuristic.toward(from).at(to), heuristic.toward(from).at(head));
                        let (toward, next) = (u64::from(toward.unwrap()), u64::from(next.unwrap()));
                        assert!(toward <= next + weight, "{choice:?} {to} -> {head}\n{world}");
                    }
                }
            }
        }
    }
    assert!(positive > 10_000);
}

#[test]
fn unsound_bounds_are_refused_with_a_reason() {
    use HeuristicChoice::*;
    let grid = Map::from(Grid::new(3, 3).unwrap());
    let refused = Geometric::new(&grid, Manhattan).unwrap_err().to_string();
    assert!(refused.contains("manhattan") && refused.contains("auto"), "{refused}");
    assert!(Geometric::new(&grid, Hex).is_err());
    let graph = Map::from(portolan::GraphBuilder::new(2).unwrap().build());
    assert!(Geometric::new(&graph, Euclidean).unwrap_err().to_string().contains("coordinates"));
    assert!(Geometric::new(&graph, Octile).is_err());
}

#[test]
fn a_row_too_long_for_costs_overflows_in_every_engine() {
    let map = Map::from(Grid::new(140_000, 1).unwrap());
    for algorithm in [Algorithm::Dijkstra, Algorithm::AStar, Algorithm::Bidirectional] {
        let config = SearchConfig::new(algorithm, HeuristicChoice::Auto);
        let engine = SearchEngine::build(&map, &config).unwrap();
        let mut query = engine.query();
        let overflow = EndpointError::CostOverflow { from: (0, 0).into(), to: (139_999, 0).into() };
        assert_eq!(query.distance(0, 139_999), Err(overflow.clone()), "{algorithm:?}");
        assert_eq!(query.find_toward(0, 139_999).err(), Some(overflow), "{algorithm:?}");
        assert_eq!(query.distance(0, 100_000), Ok(Some(100_000 * STRAIGHT)));
    }
}

#[test]
fn an_immediate_no_leaves_nothing_of_the_run_before() {
    let (grid, _, _) = draw("....#....");
    let mut scratch = Scratch::default();
    let zero = Geometric::zero();
    let run = |from, to, scratch: &mut Scratch| {
        astar::find(&grid, scratch, (from, to), &mut zero.toward(to), &mut ())
    };
    assert!(run(0, 3, &mut scratch).unwrap().is_some());
    assert_eq!(run(0, 8, &mut scratch), Ok(None));
    assert_eq!(scratch.cost(3), None);
    assert!(run(0, 3, &mut scratch).unwrap().is_some());
    assert_eq!(one_to_many(&grid, &mut scratch, 5, &[0, 1]), Ok(vec![None, None]));
    assert_eq!(scratch.cost(3), None);
}

#[test]
fn a_search_can_be_kept_beside_other_things() {
    struct Unit {
        search: Resumable<Grid, GeometricBound>,
        name: &'static str,
    }
    let grid = Grid::new(10, 10).unwrap();
    let octile = Geometric::new(&Map::from(&grid), HeuristicChoice::Octile).unwrap();
    let search = Resumable::new(grid.clone(), (0, 99), octile.with_end(99)).unwrap();
    let mut unit = Unit { search, name: "scout" };
    drop((grid, octile));
    let cost = 9 * DIAGONAL;
    assert_eq!(unit.search.advance(1000), Ok(SearchState::Found { cost }), "{}", unit.name);
}

#[test]
fn overflow_names_the_pair_in_every_search() {
    let mut builder = portolan::GraphBuilder::new(4).unwrap();
    for (tail, head) in [(0, 1), (1, 2)] {
        builder.add_edge(tail, head, UNREACHABLE - 1).unwrap();
    }
    let graph = builder.build();
    let mut scratch = Scratch::default();
    let overflow = EndpointError::CostOverflow { from: 0.into(), to: 2.into() };
    assert_eq!(one_to_all(&graph, &mut scratch, 0), Err(overflow.clone()));
    assert_eq!(one_to_many(&graph, &mut scratch, 0, &[1, 2]), Err(overflow.clone()));
    assert_eq!(
        one_to_many(&graph, &mut scratch, 0, &[1, 3]),
        Ok(vec![Some(UNREACHABLE - 1), None])
    );
    let zero = Geometric::zero();
    let mut search = Resumable::new(&graph, (0, 2), zero.toward(2)).unwrap();
    assert_eq!(search.advance(u64::MAX), Err(overflow));
}
