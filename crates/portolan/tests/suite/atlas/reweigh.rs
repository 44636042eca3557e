//! New weights for a whole map: exact, and the index that a fresh build gives.

use portolan::atlas::{Atlas, AtlasConfig, AtlasLabels, Form, ReweighError};
use portolan::changes::{EdgeChange, TerrainChange, TopologyDifference};
use portolan::formats;
use portolan::generate::{Random, Roads};
use portolan::{
    Build, Changes, Cost, CsrGraph, EndpointError, Engine, Grid, Map, Query, UNREACHABLE,
};
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::Truth;
use portolan_testkit::reference::distances;
use portolan_testkit::worlds::{World, one_way_streets, random};
use portolan_testkit::{forms, real};

/// The same edges with other weights: all of them, or one in ten; zeros and large ones among them.
fn drawn_weights(graph: &CsrGraph, random: &mut Random, share: f64) -> CsrGraph {
    let weights = graph.with_weights(|_, _, old| match random.below(8) {
        _ if !random.chance(share) => old,
        0 => 0,
        1 => 1 + random.below(100_000) as Cost,
        _ => 1 + random.below(60) as Cost,
    });
    weights.unwrap()
}

/// One-way streets in several components, with parallel edges, loops, dead ends and chains.
fn graph(random: &mut Random) -> CsrGraph {
    let parts = 1 + random.below(3) as u32;
    let nodes = 4 + random.below(40) as u32;
    let mut edges = Vec::new();
    for part in 0..parts {
        for _ in 0..random.below(3 * u64::from(nodes)) {
            let [tail, head] = [(); 2].map(|()| part * nodes + random.below(nodes.into()) as u32);
            // Many short steps, so that there are chains.
            let near = part * nodes + (tail - part * nodes + 1) % nodes;
            let head = if random.chance(0.5) { near } else { head };
            let weight = random.below(30) as Cost;
            edges.push((tail, head, weight));
            if random.chance(0.6) {
                edges.push((head, tail, weight));
            }
        }
    }
    CsrGraph::from_edges((parts * nodes) as usize, edges).unwrap()
}

/// Checks an index and the same with labels.
fn check(atlas: &Atlas, name: &str) {
    let world = World::new(name, atlas.map().clone());
    atlas.validate().unwrap_or_else(|broken| panic!("{broken}: {world}"));
    let truth = Truth::of(&world);
    truth.check(atlas);
    truth.check(&atlas.relabelled().unwrap());
}

#[test]
fn random_graphs_take_any_weights() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let graph = graph(&mut random);
        let leaf = [1, 3, 10][seed as usize % 3];
        let config = forms::config([Form::General, Form::Climb][seed as usize % 2], leaf);
        let mut atlas = Atlas::build(&graph.clone().into(), &config).unwrap();
        for share in [1.0, 0.1, 1.0] {
            let weights = drawn_weights(atlas.map().as_graph().unwrap(), &mut random, share);
            let map = Map::from(weights);
            atlas = atlas.reweighed(&map).unwrap();
            check(&atlas, &format!("seed {seed}, share {share}"));
            let fresh = Atlas::build(&map, &config).unwrap();
            let relabelled = atlas.relabelled().unwrap();
            assert_eq!(bytes_of(&relabelled), bytes_of(&fresh), "seed {seed}, share {share}");
        }
    }
}

/// Edits first, which lift nodes and keep chains in the core, then weights.
#[test]
fn edited_graphs_take_any_weights() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut map = Map::from(graph(&mut random));
        let mut atlas = Atlas::build(&map, &forms::config(Form::General, 3)).unwrap();
        for step in 0..6 {
            let changes = portolan_testkit::edits::random_changes(&map, &mut random);
            map.apply(&changes).unwrap();
            atlas = atlas.refreshed(&map, &changes).unwrap();
            map = drawn_weights(map.as_graph().unwrap(), &mut random, 0.5).into();
            atlas = atlas.reweighed(&map).unwrap();
            check(&atlas, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn streets_become_one_way_and_two_way_by_their_weights() {
    let roads = Roads { nodes: 300, ..Roads::default() }.generate().unwrap();
    // Both ways, at the same cost.
    let edges = (0..300).flat_map(|tail| roads.edges(tail).map(move |(head, _)| (tail, head)));
    let edges = edges.flat_map(|(a, b)| [(a, b, 7), (b, a, 7)]);
    let two_way = CsrGraph::from_edges(300, edges).unwrap();
    let config = forms::config(Form::General, 12);
    let mut atlas = Atlas::build(&two_way.clone().into(), &config).unwrap();
    assert!(atlas.map().is_undirected());
    let uphill = two_way.with_weights(|tail, head, old| old + u32::from(tail < head)).unwrap();
    for map in [Map::from(uphill), Map::from(two_way)] {
        atlas = atlas.reweighed(&map).unwrap();
        check(&atlas, "one way and two ways");
        let fresh = Atlas::build(&map, &config).unwrap();
        assert_eq!(bytes_of(&atlas.relabelled().unwrap()), bytes_of(&fresh));
    }
}

#[test]
fn threads_do_not_matter() {
    let roads = Roads { nodes: 3000, ..Roads::default() }.generate().unwrap();
    let weights = drawn_weights(&roads, &mut Random::new(4), 0.1);
    let stored = [1, 2, 3].map(|threads| {
        let config = AtlasConfig { threads, form: Form::Climb, ..AtlasConfig::default() };
        let atlas = Atlas::build(&roads.clone().into(), &config).unwrap();
        bytes_of(&atlas.reweighed(&weights.clone().into()).unwrap())
    });
    assert!(stored[0] == stored[1] && stored[0] == stored[2]);
    let config = AtlasConfig { form: Form::Climb, ..AtlasConfig::default() };
    assert!(stored[0] == bytes_of(&Atlas::build(&weights.into(), &config).unwrap()));
}

/// A chain of edges that together cost too much to count, and edges that do not fit themselves.
#[test]
fn weights_that_are_too_large_to_count_are_no_missing_paths() {
    let zeros = |node: u32| if node.is_multiple_of(7) { 0 } else { 5 };
    let graph = CsrGraph::from_edges(
        40,
        (0..40)
            .flat_map(|node| [(node, (node + 1) % 40, zeros(node)), (node, (node + 11) % 40, 90)]),
    );
    let graph = graph.unwrap();
    let config = forms::config(Form::General, 4);
    let mut atlas = Atlas::build(&graph.clone().into(), &config).unwrap();
    for huge in [1 << 20, 1 << 30, UNREACHABLE - 1, 3] {
        let weights =
            graph.with_weights(|_, _, old| if old == 90 { huge } else { old.saturating_mul(huge) });
        let Ok(weights) = weights.or_else(|_| graph.with_weights(|_, _, _| huge)) else { panic!() };
        let map = Map::from(weights);
        atlas = atlas.reweighed(&map).unwrap();
        let mut query = atlas.query();
        for from in 0..40 {
            let truth = distances(&map, from);
            for to in 0..40 {
                let expected = match truth[to as usize] {
                    Some(cost) if cost >= u64::from(UNREACHABLE) => {
                        let (from, to) = (map.location(from), map.location(to));
                        Err(EndpointError::CostOverflow { from, to })
                    }
                    cost => Ok(cost.map(|cost| cost as Cost)),
                };
                assert_eq!(query.distance(from, to), expected, "{from} to {to}, {huge}");
            }
        }
    }
}

#[test]
fn terrain_takes_other_factors() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let grid = Grid::from_fn(19, 14, |_, _| !random.chance(0.2)).unwrap();
        let mut factors = |most| (0..19 * 14).map(|_| 1 + random.below(most) as u8).collect();
        let map = |factors| Map::from(grid.clone().with_terrain(factors).unwrap());
        let (before, after) = (map(factors(9)), map(factors(200)));
        for form in [Form::General, Form::Climb] {
            let config = forms::config(form, 6);
            let atlas = Atlas::build(&before, &config).unwrap().reweighed(&after).unwrap();
            check(&atlas, &format!("terrain {seed}"));
            let fresh = Atlas::build(&after, &config).unwrap();
            assert_eq!(bytes_of(&atlas.relabelled().unwrap()), bytes_of(&fresh), "seed {seed}");
        }
    }
}

/// An edit that sets many weights leads to the same index.
#[test]
fn many_changed_weights_are_one_edit() {
    let mut map = one_way_streets();
    let config = forms::config(Form::General, 8);
    let atlas = Atlas::build(&map, &config).unwrap();
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for tail in 0..120 {
        edges.extend(map.as_graph().unwrap().edges(tail).map(|(head, _)| (tail, head)));
    }
    let changes: Changes = edges
        .chunk_by(|a, b| a == b)
        .filter(|parallel| parallel.len() == 1)
        .map(|edge| EdgeChange::SetWeight { tail: edge[0].0, head: edge[0].1, weight: edge[0].1 })
        .collect();
    map.apply(&changes).unwrap();
    let refreshed = atlas.refreshed(&map, &changes).unwrap();
    check(&refreshed, "many changed weights");
    assert_eq!(bytes_of(&refreshed), bytes_of(&atlas.reweighed(&map).unwrap()));

    let mut map = Map::from(Grid::new(30, 30).unwrap().with_terrain(vec![2; 900]).unwrap());
    let atlas = Atlas::build(&map, &config).unwrap();
    let changes = Changes::from_iter((0..700).map(|node| TerrainChange { node, factor: 9 }));
    map.apply(&changes).unwrap();
    let refreshed = atlas.refreshed(&map, &changes).unwrap();
    check(&refreshed, "much changed terrain");
    assert_eq!(bytes_of(&refreshed), bytes_of(&atlas.reweighed(&map).unwrap()));
}

#[test]
fn maps_that_differ_in_more_than_weights_are_refused() {
    for seed in 0..30 {
        let world = random(7000 + seed);
        let atlas = Atlas::build(&world.map, &AtlasConfig::default()).unwrap();
        assert_eq!(
            bytes_of(&atlas.reweighed(&world.map).unwrap().relabelled().unwrap()),
            bytes_of(&atlas)
        );
    }
    let map = one_way_streets();
    let atlas = Atlas::build(&map, &AtlasConfig::default()).unwrap();
    let mut other = map.clone();
    other.apply(&Changes::new().insert_edge(3, 4, 1)).unwrap();
    let error = atlas.reweighed(&other).unwrap_err();
    let difference = TopologyDifference::Edges { tail: 3, head: 4, before: 1, after: 2 };
    assert_eq!(error, ReweighError::Topology(difference));
    assert_eq!(
        error.to_string(),
        "the map of the index and the new map differ in more than weights: \
         1 edges lead from node 3 to node 4 in the first and 2 in the second; build an index of the new map"
    );
    let atlas = Atlas::build(&Grid::new(9, 9).unwrap().into(), &AtlasConfig::default()).unwrap();
    let terrain = Grid::new(9, 9).unwrap().with_terrain(vec![3; 81]).unwrap();
    let error = atlas.reweighed(&terrain.into()).unwrap_err();
    assert_eq!(error, ReweighError::Topology(TopologyDifference::Rules));
}

/// Roads by time and by length are each other's new weights.
#[test]
fn real_roads_take_the_other_metric() {
    let mut roads = real::files("gr");
    roads.retain(|path| path.to_string_lossy().contains("luxembourg"));
    let maps: Vec<Map> = roads.iter().map(|path| formats::open(path).unwrap()).collect();
    let [distance, time] = &maps[..] else { return };
    let atlas = Atlas::build(distance, &AtlasConfig::default()).unwrap();
    let reweighed = atlas.reweighed(time).unwrap();
    assert_eq!(reweighed.form().labels, AtlasLabels::None);
    assert!(reweighed.wants_rebuild());
    let (mut query, mut random) = (reweighed.query(), Random::new(1));
    for _ in 0..5 {
        let from = random.below(time.node_count() as u64) as u32;
        let truth = distances(time, from);
        for _ in 0..200 {
            let to = random.below(time.node_count() as u64) as u32;
            let route = query.find(from, to).unwrap();
            assert_eq!(route.as_ref().map(|route| u64::from(route.cost())), truth[to as usize]);
            let Some(route) = route else { continue };
            assert_eq!(time.walk(route.nodes()), Ok(route.cost()), "{from} to {to}");
        }
    }
    let fresh = Atlas::build(time, &AtlasConfig::default()).unwrap();
    assert_eq!(bytes_of(&reweighed.relabelled().unwrap()), bytes_of(&fresh));
}
