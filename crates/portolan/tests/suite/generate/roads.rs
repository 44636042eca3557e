//! Generated road networks and queries: always the same, strongly connected, shaped like real ones.

use portolan::generate::{GenerateError, Obstacles, Pairs, Random, RoadMetric, Roads};
use portolan::graph::strong_components;
use portolan::{CsrGraph, Graph, GraphBuilder, Grid, Map, NodeId};

fn fnv(values: impl IntoIterator<Item = u32>) -> u64 {
    values.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn hash(graph: &CsrGraph) -> u64 {
    let points = graph.coordinates().unwrap().iter().flat_map(|at| [at.x as u32, at.y as u32]);
    let rows = 0..graph.node_count() as NodeId;
    let edges = rows.flat_map(|tail| graph.edges(tail).flat_map(move |(head, w)| [tail, head, w]));
    fnv(points.chain(edges))
}

/// How many nodes each node is joined to, whatever the direction.
fn degrees(graph: &CsrGraph) -> Vec<usize> {
    let degree = |node| {
        let mut near = Vec::new();
        graph.out_edges(node, |head, _| near.push(head));
        graph.in_edges(node, |tail, _| near.push(tail));
        near.sort_unstable();
        near.dedup();
        near.len()
    };
    (0..graph.node_count() as NodeId).map(degree).collect()
}

#[test]
fn the_same_seed_gives_the_same_roads_and_queries_forever() {
    let metres = Roads { nodes: 3000, seed: 1, ..Roads::default() };
    let time = Roads { metric: RoadMetric::Milliseconds, ..metres.clone() };
    let graph = metres.generate().unwrap();
    let pairs = Pairs { seed: 1, ..Pairs::default() }.generate(&Map::from(&graph)).unwrap();
    let pinned = [
        ("metres", hash(&graph), 0x1bc1_f18c_1616_25b2),
        ("time", hash(&time.generate().unwrap()), 0xf9ba_0b1a_5ec4_9d6a),
        ("pairs", fnv(pairs.into_iter().flat_map(<[u32; 2]>::from)), 0x1caa_2a8e_a191_255d),
    ];
    for (name, found, expected) in pinned {
        assert_eq!(found, expected, "{name}: {found:#018x}");
    }
}

/// Luxembourg: 22 % dead ends, 23 % bends, 51 % and 4 % junctions of three and four ways; 2.29
/// directed edges a node; 10 % of the streets one-way.
#[test]
fn networks_are_shaped_like_luxembourg() {
    for seed in 0..3 {
        let graph = Roads { nodes: 20_000, seed, ..Roads::default() }.generate().unwrap();
        let degrees = degrees(&graph);
        for (ways, least, most) in
            [(1, 0.18, 0.22), (2, 0.17, 0.25), (3, 0.5, 0.6), (4, 0.02, 0.07)]
        {
            let count = degrees.iter().filter(|&&degree| degree == ways).count();
            let share = count as f64 / 20_000.0;
            assert!((least..most).contains(&share), "{share} of the nodes have {ways} ways");
        }
        let streets = degrees.iter().sum::<usize>() / 2;
        let per_node = graph.edge_count() as f64 / 20_000.0;
        assert!((2.25..2.45).contains(&per_node), "{per_node} edges a node");
        let one_way = (2 * streets - graph.edge_count()) as f64 / streets as f64;
        assert!((0.095..=0.1).contains(&one_way), "{one_way} one-way");
    }
}

#[test]
fn networks_of_every_size_are_exact_and_strongly_connected() {
    for nodes in (16..80).chain([100, 1000, 30_000]) {
        for config in [
            Roads { nodes, seed: 9, ..Roads::default() },
            Roads { nodes, towns: 0.0, dead_ends: 0.0, one_way: 0.3, ..Roads::default() },
            Roads { nodes, towns: 1000.0, dead_ends: 0.25, one_way: 0.0, ..Roads::default() },
        ] {
            let graph = config.generate().unwrap();
            assert_eq!(graph.node_count(), nodes as usize, "{config:?}");
            assert_eq!(strong_components(&graph).count(), 1, "{config:?}");
        }
    }
}

#[test]
fn no_street_is_shorter_than_the_straight_line() {
    let config = Roads { nodes: 20_000, seed: 4, ..Roads::default() };
    let metres = config.generate().unwrap();
    let time = Roads { metric: RoadMetric::Milliseconds, ..config }.generate().unwrap();
    assert_eq!(metres.coordinates(), time.coordinates());
    let points = metres.coordinates().unwrap();
    let mut speeds = [0; 2];
    for tail in 0..20_000 {
        for ((head, length), (other, milliseconds)) in metres.edges(tail).zip(time.edges(tail)) {
            assert_eq!(head, other);
            let (a, b) = (points[tail as usize], points[head as usize]);
            let (dx, dy) = (i64::from(a.x - b.x), i64::from(a.y - b.y));
            let length = i64::from(length);
            assert!(length >= 1 && length * length >= dx * dx + dy * dy);
            // 130 km/h is 130 metres in 3600 milliseconds.
            assert!(i64::from(milliseconds) * 130 >= length * 3600);
            speeds[usize::from(i64::from(milliseconds) * 60 < length * 3600)] += 1;
        }
    }
    let [slow, fast] = speeds;
    assert!(fast * 4 < slow && fast * 100 > slow, "{fast} fast and {slow} slow stretches");
}

#[test]
fn towns_are_denser_than_the_land() {
    /// The share of nodes in the densest tenth of 400 squares.
    fn crowded(towns: f64) -> f64 {
        let graph = Roads { nodes: 30_000, towns, seed: 6, ..Roads::default() }.generate().unwrap();
        let points = graph.coordinates().unwrap();
        let side = points.iter().map(|at| at.x.max(at.y)).max().unwrap() + 1;
        let mut squares = [0; 400];
        for at in points {
            squares[(at.y * 20 / side * 20 + at.x * 20 / side) as usize] += 1;
        }
        squares.sort_unstable();
        f64::from(squares[360..].iter().sum::<i32>()) / 30_000.0
    }
    let (with, without) = (crowded(Roads::default().towns), crowded(0.0));
    assert!(with > 0.4 && without < 0.25, "{with} with towns, {without} without");
}

#[test]
fn roads_refuse_what_makes_no_sense() {
    let check = |config: Roads, expected: &str| {
        assert_eq!(config.generate().unwrap_err().to_string(), expected);
    };
    let config = Roads::default();
    check(Roads { nodes: 15, ..config.clone() }, "nodes is 15; 16 to 100000000 is allowed here");
    check(
        Roads { nodes: u32::MAX, ..config.clone() },
        "nodes is 4294967295; 16 to 100000000 is allowed here",
    );
    check(Roads { towns: f64::NAN, ..config.clone() }, "towns is NaN; 0 to 1000 is allowed");
    check(Roads { dead_ends: 0.5, ..config.clone() }, "dead_ends is 0.5; 0 to 0.25 is allowed");
    check(Roads { one_way: -0.1, ..config }, "one_way is -0.1; 0 to 0.3 is allowed");
}

#[test]
fn queries_join_what_hangs_together() {
    let islands = Obstacles { blocked: 0.45, largest_only: false, seed: 3, ..Obstacles::default() };
    let map = Map::from(islands.generate().unwrap());
    for even_lengths in [false, true] {
        let pairs = Pairs { even_lengths, ..Pairs::default() }.generate(&map).unwrap();
        assert_eq!(pairs.len(), 1000);
        assert!(pairs.iter().all(|&(from, to)| map.may_reach(from, to)));
    }
}

#[test]
fn even_lengths_give_more_near_goals() {
    let map = Map::from(Grid::new(200, 200).unwrap());
    let near = |even_lengths| {
        let pairs = Pairs { even_lengths, seed: 2, ..Pairs::default() }.generate(&map).unwrap();
        let gap = |a: u32, b: u32| (a % 200).abs_diff(b % 200) + (a / 200).abs_diff(b / 200);
        assert!(pairs.iter().all(|&(from, to)| from != to));
        pairs.into_iter().filter(|&(from, to)| gap(from, to) < 50).count()
    };
    assert!(near(true) > 2 * near(false), "{} and {}", near(true), near(false));
}

#[test]
fn queries_on_one_way_graphs_always_have_a_path_there_and_back() {
    let mut random = Random::new(5);
    let mut builder = GraphBuilder::new(200).unwrap();
    for _ in 0..260 {
        let [tail, head] = std::array::from_fn(|_| random.below(200) as NodeId);
        builder.add_edge(tail, head, 1).unwrap();
    }
    let graph = builder.build();
    let strong = strong_components(&graph);
    let pairs = Pairs::default().generate(&Map::from(&graph)).unwrap();
    assert!(pairs.iter().all(|&(from, to)| strong.same(from, to)));
}

#[test]
fn queries_need_a_node_to_stand_on() {
    let full = Map::from(Grid::from_fn(5, 5, |_, _| false).unwrap());
    assert_eq!(Pairs::default().generate(&full), Err(GenerateError::NoUsableNode));
    assert_eq!(Pairs { count: 0, ..Pairs::default() }.generate(&full), Ok(Vec::new()));
    let single = Map::from(Grid::new(1, 1).unwrap());
    assert_eq!(Pairs { count: 2, ..Pairs::default() }.generate(&single), Ok(vec![(0, 0); 2]));
    assert!(Pairs { count: usize::MAX, ..Pairs::default() }.generate(&single).is_err());
}
