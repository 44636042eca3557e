//! Public functions under arguments that nobody should pass: no panic, whatever comes.

use portolan::changes::{CellChange, EdgeChange, NodeChange, TerrainChange};
use portolan::crowd::{FlowField, Reach};
use portolan::engine::Query;
use portolan::generate::Random;
use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound};
use portolan::registry::METHODS;
use portolan::search::dijkstra::{one_to_all, one_to_many, within};
use portolan::search::{Resumable, Scratch};
use portolan::true_distance::StoredKind;
use portolan::{
    BuildError, Changes, Graph, GraphBuilder, Grid, Map, NodeId, PathFinder, Point, Settings,
};
use portolan_testkit::edits::random_changes;
use portolan_testkit::matrix::check_engine;
use portolan_testkit::worlds::{World, random};

/// A number near a border of something, most of the time.
fn odd_number(draw: &mut Random, size: u32) -> u32 {
    let odd = [0, 1, size.wrapping_sub(1), size, size + 1, 1 << 31, u32::MAX - 1, u32::MAX];
    if draw.chance(0.5) {
        odd[draw.below(odd.len() as u64) as usize]
    } else {
        draw.below(u64::from(size) + 2) as u32
    }
}

#[test]
fn any_cell_of_any_grid() {
    for seed in 0..300 {
        let mut draw = Random::new(seed);
        let (width, height) = (1 + draw.below(70) as u32, 1 + draw.below(5) as u32);
        let mut grid = Grid::from_fn(width, height, |_, _| draw.chance(0.7)).unwrap();
        for _ in 0..60 {
            let (x, y) = (odd_number(&mut draw, width), odd_number(&mut draw, height));
            let node = odd_number(&mut draw, width * height);
            let inside = x < width && y < height;
            assert_eq!(grid.node(x, y).is_some(), inside);
            assert!(inside || !grid.is_passable(x, y) && grid.moves(x, y).len() == 0);
            assert_eq!(grid.component(x, y).is_some(), grid.is_passable(x, y));
            assert_eq!(grid.factor(x, y).is_some(), inside);
            assert_eq!(grid.set_passable(x, y, draw.chance(0.5)).is_ok(), inside);
            let factor = draw.below(256) as u8;
            let terrain = draw.chance(0.1) && inside && factor > 0;
            assert!(!terrain || grid.set_factor(x, y, factor).is_ok());
            assert!(grid.set_factor(x, y, 0).is_err());
            assert_eq!(grid.position(node).is_some(), node < width * height);
            let nearest = grid.nearest_passable(x, y);
            assert_eq!(nearest.is_some(), grid.passable_count() > 0);
            grid.out_edges(node, |head, _| assert!(grid.contains(head)));
            assert!(grid.clearance().at(x, y) == 0 || inside);
            let size = odd_number(&mut draw, width);
            assert_eq!(grid.for_agent(size).is_ok(), (1..=65535).contains(&size));
            let map = Map::from(&grid);
            assert_eq!(map.walk([node]).is_ok(), map.contains(node));
            assert_eq!(map.nearest_reachable(node, 0).is_ok(), map.contains(node));
        }
    }
    for (width, height) in [(0, 0), (0, 5), (u32::MAX, u32::MAX), (1 << 16, 1 << 16)] {
        assert!(Grid::new(width, height).is_err());
    }
    assert!(Grid::new(2, 2).unwrap().with_terrain(vec![1; 3]).is_err());
    assert!(Grid::new(2, 2).unwrap().with_terrain(vec![1, 1, 0, 1]).is_err());
}

#[test]
fn any_change_of_any_map() {
    let mut made = 0;
    for seed in 0..400 {
        let mut draw = Random::new(seed);
        let mut map = random(seed).map;
        for _ in 0..20 {
            let size = map.node_count() as u32;
            let mut odd = || odd_number(&mut draw, size);
            let (a, b, c) = (odd(), odd(), odd());
            let mut changes = Changes::default();
            match draw.below(8) {
                0 => changes.cells.push(CellChange { node: a, passable: b > c }),
                1 => changes.terrain.push(TerrainChange { node: a, factor: b as u8 }),
                2 => changes.nodes.push(NodeChange::Delete { node: a }),
                3 => changes.nodes.push(NodeChange::Insert { at: None }),
                4 => {
                    changes.nodes.push(NodeChange::Insert { at: Some(Point { x: a as i32, y: 1 }) })
                }
                5 => changes.edges.push(EdgeChange::Insert { tail: a, head: b, weight: c }),
                6 => changes.edges.push(EdgeChange::Delete { tail: a, head: b }),
                _ => changes.edges.push(EdgeChange::SetWeight { tail: a, head: b, weight: c }),
            }
            made += usize::from(map.apply(&changes).is_ok());
        }
    }
    assert!(made > 1000, "only {made} changes could be made");
}

#[test]
fn any_question_to_any_engine() {
    for seed in 0..150 {
        let mut draw = Random::new(seed);
        let map = random(seed).map;
        let size = map.node_count() as u32;
        for method in METHODS {
            let Ok(engine) = method.build(&map, &Settings::default()) else { continue };
            let mut query: Box<dyn Query> = engine.query();
            for _ in 0..20 {
                let (from, to) = (odd_number(&mut draw, size), odd_number(&mut draw, size));
                let askable = map.contains(from) && map.contains(to);
                assert_eq!(query.distance(from, to).is_ok(), askable);
                assert_eq!(query.find(from, to).is_ok(), askable);
                assert_eq!(query.find_toward(from, to).is_ok(), map.contains(from) && to < size);
            }
        }
    }
}

/// A map that an engine might be told of: the same, edited without a word, or another altogether.
fn odd_map(map: &Map, draw: &mut Random) -> Map {
    let mut map = match draw.below(6) {
        0..4 => map.clone(),
        _ => random(draw.below(500)).map,
    };
    for _ in 0..draw.below(3) {
        map.apply(&random_changes(&map, draw)).unwrap();
    }
    map
}

/// Changes of which some can be made, most cannot, and none need have been.
fn odd_changes(map: &Map, draw: &mut Random) -> Changes {
    let mut changes = if draw.chance(0.3) { random_changes(map, draw) } else { Changes::default() };
    for _ in 0..draw.below(4) {
        let size = map.node_count() as u32;
        let mut odd = || odd_number(draw, size);
        let (node, tail, head, weight) = (odd(), odd(), odd(), odd());
        match draw.below(7) {
            0 => changes.cells.push(CellChange { node, passable: tail > head }),
            1 => changes.terrain.push(TerrainChange { node, factor: tail as u8 }),
            2 => changes.nodes.push(NodeChange::Delete { node }),
            3 => changes.nodes.push(NodeChange::Insert { at: None }),
            4 => changes.edges.push(EdgeChange::Insert { tail, head, weight }),
            5 => changes.edges.push(EdgeChange::Delete { tail, head }),
            _ => changes.edges.push(EdgeChange::SetWeight { tail, head, weight }),
        }
    }
    changes
}

#[test]
fn any_refresh_of_any_engine_is_exact_or_an_error() {
    let mut refreshed = 0;
    for seed in 0..36 {
        let mut draw = Random::new(seed);
        let map = random(seed).map;
        let stored = if seed % 4 == 0 { vec![StoredKind::Differential] } else { Vec::new() };
        let settings = Settings { threads: 1, stored, ..Settings::default() };
        for method in METHODS {
            let Ok(mut engine) = method.build(&map, &settings) else { continue };
            for step in 0..3 {
                let next = odd_map(engine.map(), &mut draw);
                let changes = odd_changes(engine.map(), &mut draw);
                let name = format!("{} of seed {seed}, step {step}: {changes:?}", method.name());
                match engine.refresh(&next, &changes) {
                    Ok(new) => {
                        check_engine(&*new, &World::new(name, next));
                        engine = new;
                        refreshed += 1;
                    }
                    Err(error) => assert!(matches!(error, BuildError::Unsupported(_)), "{name}"),
                }
            }
        }
    }
    assert!(refreshed > 800, "{refreshed} refreshed");
}

#[test]
fn any_search_on_any_graph() {
    fn ask(graph: &impl Graph, map: &Map, draw: &mut Random) {
        let size = graph.node_count() as u32;
        let mut scratch = Scratch::default();
        let bound = Geometric::new(map, HeuristicChoice::Auto).unwrap();
        for _ in 0..20 {
            let (from, to) = (odd_number(draw, size), odd_number(draw, size));
            assert_eq!(one_to_all(graph, &mut scratch, from).is_ok(), graph.contains(from));
            let many = one_to_many(graph, &mut scratch, from, &[to, from, to]);
            assert_eq!(many.is_ok(), graph.contains(from) && graph.contains(to));
            assert_eq!(within(graph, &mut scratch, from, to).is_ok(), graph.contains(from));
            let mut path: Vec<NodeId> = Vec::new();
            scratch.path_into(to, &mut path);
            assert!(bound.toward(to).at(from).is_some() && bound.away_from(from).at(to).is_some());
            if let Ok(mut search) = Resumable::new(graph, (from, to), bound.toward(to)) {
                assert!(search.advance(3).is_ok());
            }
        }
    }
    for seed in 0..200 {
        let map = random(seed).map;
        let mut draw = Random::new(seed);
        match &map {
            Map::Grid(grid) => ask(grid, &map, &mut draw),
            Map::Graph(graph) => ask(graph, &map, &mut draw),
        }
    }
}

#[test]
fn extreme_coordinates() {
    let corners = [i32::MIN, i32::MAX, 0];
    let mut builder = GraphBuilder::new(9).unwrap();
    let places = corners.iter().flat_map(|&x| corners.iter().map(move |&y| Point { x, y }));
    builder.set_coordinates(places.collect()).unwrap();
    for node in 0..8 {
        builder.add_two_way(node, node + 1, u32::MAX - 1 - node).unwrap();
    }
    let map = Map::from(builder.build());
    let bound = Geometric::new(&map, HeuristicChoice::Euclidean).unwrap();
    for node in 0..8 {
        let least = bound.toward(node + 1).at(node).unwrap();
        assert!((1..u32::MAX - 1 - node).contains(&least), "{least}");
    }
}

#[test]
fn values_with_large_tables_print_one_line() {
    let mut builder = GraphBuilder::new(2_000).unwrap();
    for node in 1..2_000 {
        builder.add_two_way(node - 1, node, 1).unwrap();
    }
    let graph = builder.build();
    let grid = Grid::new(200, 200).unwrap();
    let mut finder = PathFinder::new(&graph).unwrap();
    let mut reach = Reach::outward(&Map::from(&graph));
    reach.distances(0, &[1_999]).unwrap();
    let shown = [
        format!("{graph:?}"),
        format!("{reach:?}"),
        format!("{:?}", finder.find(0, 1_999)),
        format!("{finder:?}"),
        format!("{:?}", FlowField::new(&graph, &[0]).unwrap()),
        format!("{:?}", grid.clearance()),
    ];
    for shown in shown {
        assert!(shown.len() < 600, "{} bytes: {}", shown.len(), &shown[..600]);
    }
}
