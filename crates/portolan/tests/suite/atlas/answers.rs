//! Atlas in all of its forms, with leaves so small that drawn worlds have deep trees.

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::changes::TerrainChange;
use portolan::generate::Random;
use portolan::{
    Build, Changes, Connectivity, EndpointError, Engine, GraphBuilder, Grid, Map, Query,
};
use portolan_testkit::edits::random_changes;
use portolan_testkit::forms;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::{Truth, check_engine};
use portolan_testkit::reference::distances;
use portolan_testkit::worlds::{World, drawn, random};

fn check(world: &World) {
    let truth = Truth::of(world);
    for leaf in [1, 3, 10] {
        forms::all(&world.map, leaf).iter().for_each(|atlas| truth.check(atlas));
    }
}

#[test]
fn drawn_worlds() {
    drawn().iter().for_each(check);
}

#[test]
fn random_worlds() {
    (5000..5300).for_each(|seed| check(&random(seed)));
}

#[test]
fn random_worlds_under_edits() {
    for seed in 6000..6150 {
        let world = random(seed);
        for leaf in [1, 3, 10] {
            check_edits(&world, &forms::config(Form::General, leaf), seed);
        }
        check_edits(&world, &AtlasConfig::default(), seed);
    }
}

/// Labels of corners in codes, which a map gets where plain ones do not fit.
#[test]
fn labels_in_codes_under_edits() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let blocked = 0.05 + 0.07 * seed as f64;
        let grid = Grid::from_fn(28, 24, |_, _| !random.chance(blocked)).unwrap();
        let world = World::new(format!("noise {seed}"), Map::from(grid));
        let in_codes = forms::uniform(&world.map, 8).find(forms::in_codes).unwrap();
        check_edits_of(in_codes, &world, seed);
    }
}

/// Edits a world again and again; the refreshed index must be right after each, and so must be one
/// that has labels again.
fn check_edits(world: &World, config: &AtlasConfig, seed: u64) {
    check_edits_of(Atlas::build(&world.map, config).unwrap(), world, seed);
}

fn check_edits_of(mut atlas: Atlas, world: &World, seed: u64) {
    let mut random = Random::new(seed);
    let mut map = world.map.clone();
    for step in 0..10 {
        let changes = random_changes(&map, &mut random);
        map.apply(&changes).unwrap();
        atlas = atlas.refreshed(&map, &changes).unwrap();
        let edited =
            World::new(format!("{}, edit {step}, {:?}", world.name, atlas.form()), map.clone());
        atlas.validate().unwrap_or_else(|broken| panic!("{broken}: {edited}"));
        let truth = Truth::of(&edited);
        truth.check(&atlas);
        truth.check(&atlas.relabelled().unwrap());
    }
}

/// A way through every second row, there and back, on ground that becomes as dear as can be.
#[test]
fn ground_that_grows_too_dear_to_count_is_no_missing_path() {
    let (width, height) = (200, 215);
    let open = |x, y| y % 2 == 0 || x == if y % 4 == 1 { width - 1 } else { 0 };
    let grid = Grid::from_fn(width, height, open).unwrap().with_connectivity(Connectivity::Four);
    let mut map = Map::from(grid.with_terrain(vec![1; (width * height) as usize]).unwrap());
    let (from, to) = (0, (height - 1) * width);
    let atlas = Atlas::build(&map, &AtlasConfig::default()).unwrap();
    assert!(matches!(atlas.query().distance(from, to), Ok(Some(_))));
    let changes =
        Changes::from_iter((0..width * height).map(|node| TerrainChange { node, factor: 255 }));
    map.apply(&changes).unwrap();
    let refreshed = atlas.refresh(&map, &changes).unwrap();
    let overflow = EndpointError::CostOverflow { from: map.location(from), to: map.location(to) };
    assert_eq!(refreshed.query().distance(from, to), Err(overflow));
}

/// Ground that comes by itself, not as an edit, changes what every step costs.
#[test]
fn a_grid_under_other_rules_is_built_from_scratch() {
    let grid = Grid::new(12, 12).unwrap();
    let config = AtlasConfig { leaf_size: Some(3), ..AtlasConfig::default() };
    let atlas = Atlas::build(&Map::from(grid.clone()), &config).unwrap();
    let mut edited = grid;
    edited.set_factor(5, 5, 3).unwrap();
    let terrain = vec![TerrainChange { node: 65, factor: 3 }];
    let world = World::new("ground on a grid of one terrain", edited);
    let changes = Changes::from(terrain);
    check_engine(&atlas.refreshed(&world.map, &changes).unwrap(), &world);
}

/// Where all are neighbours of all, separators have long lists of exits.
#[test]
fn crowds_stay_within_the_memory_limit() {
    let mut builder = GraphBuilder::new(90).unwrap();
    for a in 0..90 {
        (0..a).for_each(|b| builder.add_two_way(a, b, 1 + (a * 7 + b * 5) % 13).unwrap());
    }
    let map = Map::from(builder.build());
    let mut config = AtlasConfig { leaf_size: Some(1), ..AtlasConfig::default() };
    for _ in 0..3 {
        let atlas = Atlas::build(&map, &config).unwrap();
        let bytes = Engine::memory_bytes(&atlas) as u64;
        assert!(bytes <= config.memory_limit.bytes(&map), "{bytes}, {config:?}");
        config.memory_limit = (bytes - 1).into();
    }
}

#[test]
fn one_to_many_and_many_to_many_are_what_single_queries_say() {
    for seed in 7000..7060 {
        let world = random(seed);
        let map = &world.map;
        let nodes = (0..map.node_count() as u32).filter(|&node| map.contains(node));
        let nodes: Vec<u32> = nodes.take(25).collect();
        for atlas in forms::all(&world.map, 4) {
            let mut query = atlas.query();
            let rows: Result<Vec<_>, _> =
                nodes.iter().map(|&from| query.distances_from(from, &nodes)).collect();
            assert_eq!(query.matrix(&nodes, &nodes), rows, "{world}");
            for (&from, row) in nodes.iter().zip(rows.iter().flatten()) {
                let truth = distances(map, from);
                let expected = nodes.iter().map(|&to| truth[to as usize].map(|cost| cost as u32));
                assert!(row.iter().copied().eq(expected), "from {from}: {row:?}\n{world}");
            }
            assert!(query.distances_from(u32::MAX, &nodes).is_err());
            assert!(query.distances_from(0, &[u32::MAX]).is_err());
        }
    }
}

/// Asks for many paths of a map that is too large for the matrix.
fn check_some(atlas: &Atlas, map: &Map) {
    let mut random = Random::new(1);
    let nodes = map.node_count() as u64;
    let mut query = atlas.query();
    for _ in 0..12 {
        let from = random.below(nodes) as u32;
        let truth = distances(map, from);
        for _ in 0..150 {
            let to = random.below(nodes) as u32;
            let route = query.find(from, to).unwrap();
            let cost = route.as_ref().map(|route| u64::from(route.cost()));
            assert_eq!(cost, truth[to as usize], "{from} to {to}");
            let Some(route) = route else { continue };
            assert_eq!(map.walk(route.nodes()), Ok(route.cost()), "{from} to {to}");
            assert_eq!((route.nodes().next(), route.nodes().last()), (Some(from), Some(to)));
        }
    }
}

/// A lattice of streets that all cost the same, in different numbers of pieces: of two ways that
/// cost the same, one may have more nodes.
fn streets_of_pieces() -> Map {
    const SIDE: u32 = 30;
    let mut random = Random::new(3);
    let (mut edges, mut next) = (Vec::new(), SIDE * SIDE);
    for node in 0..SIDE * SIDE {
        for (head, inside) in
            [(node + 1, node % SIDE + 1 < SIDE), (node + SIDE, node / SIDE + 1 < SIDE)]
        {
            if !inside || random.chance(0.1) {
                continue;
            }
            let pieces = [1, 2, 3, 6][random.below(4) as usize];
            let mut tail = node;
            for _ in 1..pieces {
                edges.push((tail, next, 6 / pieces));
                (tail, next) = (next, next + 1);
            }
            edges.push((tail, head, 6 / pieces));
        }
    }
    let mut builder = GraphBuilder::new(next as usize).unwrap();
    edges.iter().for_each(|&(a, b, weight)| builder.add_two_way(a, b, weight).unwrap());
    builder.build().into()
}

#[test]
fn there_and_back_may_be_different_ways() {
    let map = streets_of_pieces();
    for leaf in [24, 128] {
        let atlas = Atlas::build(&map, &forms::config(Form::General, leaf)).unwrap();
        check_some(&atlas, &map);
        let index = portolan::store::IndexFile::from_bytes(bytes_of(&atlas)).unwrap();
        check_some(&Atlas::open(&index, &map, &AtlasConfig::default()).unwrap(), &map);
    }
}

#[test]
fn leaves_with_hundreds_of_border_nodes() {
    let mut random = Random::new(3);
    let nodes = 1500;
    let mut builder = GraphBuilder::new(nodes).unwrap();
    for tail in 0..nodes as u32 {
        for _ in 0..5 {
            let (head, weight) = (random.below(nodes as u64), 1 + random.below(1000));
            builder.add_two_way(tail, head as u32, weight as u32).unwrap();
        }
    }
    let map = Map::from(builder.build());
    let config = AtlasConfig { form: Form::General, ..AtlasConfig::default() };
    check_some(&Atlas::build(&map, &config).unwrap(), &map);
}

/// One way through all rows of a grid, there and back.
#[test]
fn a_way_that_is_too_long_to_count_is_no_missing_path_after_an_edit() {
    let (width, rows) = (1000, 131);
    let open = |x, y| y % 2 == 0 || x == if y % 4 == 1 { width - 1 } else { 0 };
    let mut map = Map::from(Grid::from_fn(width, 2 * rows - 1, open).unwrap());
    let atlas = Atlas::build(&map, &forms::config(Form::Uniform, 8)).unwrap();
    let (from, to) = (1, width * (2 * rows - 1) - 1);
    let changes = Changes::new().block(0);
    map.apply(&changes).unwrap();
    let refreshed = atlas.refreshed(&map, &changes).unwrap();
    let overflow =
        Err(EndpointError::CostOverflow { from: map.location(from), to: map.location(to) });
    assert_eq!(refreshed.query().distance(from, to), overflow);
    assert_eq!(refreshed.relabelled().unwrap().query().distance(from, to), overflow);
}

#[test]
fn runs_as_long_as_can_be() {
    let width = 65535;
    let grid = Grid::from_fn(width, 3, |x, y| y != 1 || x == width - 1).unwrap();
    let mut map = Map::from(grid);
    let mut atlas = Atlas::build(&map, &forms::config(Form::Uniform, 8)).unwrap();
    let (here, there) = (0, 2 * width);
    assert!(atlas.query().distance(here, there).is_err());
    for node in [width + width - 2, u32::MAX - 1] {
        let changes = Changes::new().free(node);
        let _ = map.apply(&changes);
        atlas = atlas.refreshed(&map, &changes).unwrap();
        assert_eq!(atlas.query().distance(0, 1), Ok(Some(portolan::cost::STRAIGHT)));
        assert!(atlas.query().distance(here, there).is_err());
    }
}
