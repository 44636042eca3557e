//! Fingerprints: other answers, other fingerprint; pinned for all machines and versions.

use std::collections::HashMap;

use portolan::store::Fingerprint;
use portolan::{Changes, Connectivity, Corners, CsrGraph, Graph, GraphBuilder, Grid, Map, Point};
use portolan_testkit::worlds;

fn of(map: impl Into<Map>) -> Fingerprint {
    Fingerprint::of(&map.into())
}

fn grid(width: u32, height: u32) -> Grid {
    Grid::from_fn(width, height, |x, y| !(x * 7 + y * 13 + x * y).is_multiple_of(3)).unwrap()
}

fn graph(edges: &[(u32, u32, u32)]) -> CsrGraph {
    let mut builder = GraphBuilder::new(4).unwrap();
    for &(tail, head, weight) in edges {
        builder.add_edge(tail, head, weight).unwrap();
    }
    builder.build()
}

fn points(shift: i32) -> Vec<Point> {
    (0..4).map(|n| Point { x: n - 2, y: shift }).collect()
}

const EDGES: [(u32, u32, u32); 4] = [(0, 1, 5), (1, 2, 6), (2, 0, 7), (2, 3, 0)];

#[test]
fn they_never_change() {
    // Computed from the description in the module, with the original implementation of XXH3.
    let terrain = (0..70 * 3).map(|n| (n % 255 + 1) as u8).collect();
    let pinned = [
        (of(grid(1, 1)), "ffebcfa00577a581c3986cb13fab8dbd"),
        (of(grid(70, 3)), "3b3761801df3c4b2c9e097ac27e13a88"),
        (of(grid(70, 3).with_terrain(terrain).unwrap()), "2e62a2e2217286dbf63f4532cb539ff8"),
        (of(grid(64, 2).with_connectivity(Connectivity::Hex)), "c5614aedb0bb0a69e9cfd01391cd03eb"),
        (of(grid(300, 300)), "086e0c4dc8593e75c43031bfc645bfc9"),
        (of(graph(&EDGES)), "6c16374eaccf99c5cb84336ebb987775"),
        (
            of(graph(&EDGES).with_coordinates(points(9)).unwrap()),
            "64ca5a6f53560a7721120c6c5362bca3",
        ),
    ];
    for (number, (found, expected)) in pinned.into_iter().enumerate() {
        assert_eq!(found.to_string(), expected, "map {number}");
    }
}

#[test]
fn all_that_changes_answers_counts() {
    let base = grid(70, 3);
    let ground = |factor| base.clone().with_terrain(vec![factor; 210]).unwrap();
    let mut one_factor = ground(1);
    one_factor.set_factor(69, 2, 2).unwrap();
    let edges = graph(&EDGES);
    let mut without_node = edges.clone();
    without_node.apply(&Changes::new().delete_node(3)).unwrap();
    let mut without_edge = edges.clone();
    without_edge.apply(&Changes::new().delete_edge(2, 3)).unwrap();
    let mut more_nodes = edges.clone();
    more_nodes.apply(&Changes::new().insert_node(None)).unwrap();
    let mut maps: Vec<(String, Map)> = vec![
        ("base".into(), base.clone().into()),
        ("past one".into(), base.clone().with_corners(Corners::PastOne).into()),
        ("always".into(), base.clone().with_corners(Corners::Always).into()),
        ("four".into(), base.clone().with_connectivity(Connectivity::Four).into()),
        ("hex".into(), base.clone().with_connectivity(Connectivity::Hex).into()),
        ("terrain of ones".into(), ground(1).into()),
        ("terrain of twos".into(), ground(2).into()),
        ("one factor".into(), one_factor.into()),
        ("open".into(), Grid::new(70, 3).unwrap().into()),
        ("open, turned".into(), Grid::new(3, 70).unwrap().into()),
        ("open, wider".into(), Grid::new(71, 3).unwrap().into()),
        ("open, higher".into(), Grid::new(70, 4).unwrap().into()),
        ("edges".into(), edges.clone().into()),
        ("without node".into(), without_node.into()),
        ("without edge".into(), without_edge.into()),
        ("more nodes".into(), more_nodes.into()),
        ("weight".into(), graph(&[(0, 1, 5), (1, 2, 6), (2, 0, 7), (2, 3, 1)]).into()),
        ("head".into(), graph(&[(0, 1, 5), (1, 2, 6), (2, 0, 7), (2, 2, 0)]).into()),
        ("tail".into(), graph(&[(0, 1, 5), (1, 2, 6), (2, 0, 7), (1, 3, 0)]).into()),
        ("twice".into(), graph(&[EDGES[0], EDGES[0], EDGES[1], EDGES[2], EDGES[3]]).into()),
        ("no edges".into(), graph(&[]).into()),
        ("points".into(), edges.clone().with_coordinates(points(0)).unwrap().into()),
        ("other points".into(), edges.with_coordinates(points(-1)).unwrap().into()),
    ];
    for node in 0..base.node_count() as u32 {
        let mut toggled = base.clone();
        let (x, y) = base.position(node).unwrap();
        toggled.set_passable(x, y, !base.is_passable(x, y)).unwrap();
        maps.push((format!("toggled {x},{y}"), toggled.into()));
    }
    let mut seen = HashMap::new();
    for (name, map) in &maps {
        if let Some(twin) = seen.insert(Fingerprint::of(map), name) {
            panic!("{name} and {twin} have the same fingerprint");
        }
    }
}

#[test]
fn what_changes_no_answer_does_not_count() {
    let base = grid(70, 3);
    for connectivity in [Connectivity::Four, Connectivity::Hex] {
        let rules = |corners| base.clone().with_connectivity(connectivity).with_corners(corners);
        assert_eq!(of(rules(Corners::Never)), of(rules(Corners::Always)));
    }
    let mut edited = base.clone();
    edited.set_passable(1, 1, !base.is_passable(1, 1)).unwrap();
    edited.set_passable(1, 1, base.is_passable(1, 1)).unwrap();
    edited.component(0, 1);
    assert_eq!(of(edited), of(base));
    let mut backwards = EDGES;
    backwards.reverse();
    let asked = graph(&backwards);
    asked.components();
    asked.is_undirected();
    assert_eq!(of(asked), of(graph(&EDGES)));
}

#[test]
fn worlds_that_are_equal_have_equal_fingerprints() {
    let mut seen: HashMap<Fingerprint, Map> = HashMap::new();
    let worlds = worlds::drawn().into_iter().chain((0..40).map(worlds::random));
    for world in worlds {
        let fingerprint = Fingerprint::of(&world.map);
        assert_eq!(Fingerprint::of(&world.map.clone()), fingerprint);
        if let Some(Map::Grid(other)) = seen.get(&fingerprint) {
            let Map::Grid(grid) = &world.map else { panic!("a graph like a grid: {}", world.name) };
            let rules = |grid: &Grid| grid.clone().with_corners(Corners::Never);
            assert!(rules(grid) == rules(other), "{}", world.name);
        }
        seen.insert(fingerprint, world.map);
    }
}
