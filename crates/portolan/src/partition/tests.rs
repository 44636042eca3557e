//! Tests that both methods split and separate graphs of every shape.

use super::{CutMethod, CutSide, PartitionError, Partitioner, Separator, SubsetScratch, Topology};
use crate::generate::{Obstacles, Roads, Rooms};
use crate::random::Random;
use crate::{Changes, Connectivity, Graph, GraphBuilder, Grid, Map, NodeId};

fn methods() -> Vec<Partitioner> {
    let with = |method| Partitioner { method, imbalance: 100, ..Partitioner::default() };
    let mut all = vec![with(CutMethod::InertialFlow)];
    if cfg!(feature = "metis") {
        all.push(with(CutMethod::Metis));
    }
    all
}

fn graph(nodes: u32, edges: impl IntoIterator<Item = (NodeId, NodeId)>) -> Topology {
    let mut builder = GraphBuilder::new(nodes as usize).unwrap();
    edges.into_iter().for_each(|(tail, head)| builder.add_edge(tail, head, 1).unwrap());
    Topology::of_graph(&builder.build()).unwrap()
}

fn map(map: impl Into<Map>) -> Topology {
    Topology::of_map(&map.into()).unwrap()
}

fn path(nodes: u32) -> Topology {
    graph(nodes, (1..nodes).map(|head| (head - 1, head)))
}

fn clique(nodes: u32) -> Topology {
    graph(nodes, (0..nodes).flat_map(|tail| (0..tail).map(move |head| (tail, head))))
}

fn random_graph(nodes: u32, edges: u32, random: &mut Random) -> Topology {
    let mut node = || random.below(u64::from(nodes)) as u32;
    graph(nodes, (0..edges).map(|_| (node(), node())).collect::<Vec<_>>())
}

fn shapes() -> Vec<(&'static str, Topology)> {
    let mut random = Random::new(5);
    let two_cliques = (0..16u32)
        .flat_map(|tail| (0..tail).map(move |head| (tail, head)))
        .filter(|&(tail, head)| (tail < 8) == (head < 8));
    let comb = (0..40u32).flat_map(|node| [(node, node + 40), (node, (node + 1) % 40)]);
    vec![
        ("empty", graph(0, [])),
        ("single", graph(1, [(0, 0)])),
        ("pair", path(2)),
        ("path of 3", path(3)),
        ("path of 100", path(100)),
        ("ring of 64", graph(64, (0..64).map(|node| (node, (node + 1) % 64)))),
        ("star of 50", graph(50, (1..50).map(|head| (0, head)))),
        ("comb", graph(80, comb)),
        ("clique of 5", clique(5)),
        ("clique of 40", clique(40)),
        ("two cliques", graph(16, two_cliques)),
        ("three paths", graph(30, (0..30).filter(|at| at % 10 != 9).map(|at| (at, at + 1)))),
        ("isolated", graph(1000, [])),
        ("isolated and a path", graph(1000, (1..300).map(|head| (head - 1, head)))),
        ("many pairs", graph(501, (0..500).step_by(2).map(|node| (node, node + 1)))),
        ("grid without places", Topology::of_graph(&Grid::new(30, 20).unwrap()).unwrap()),
        ("grid", map(Grid::new(40, 40).unwrap())),
        ("line of cells", map(Grid::new(500, 1).unwrap())),
        ("sparse random", random_graph(400, 390, &mut random)),
        ("dense random", random_graph(200, 4000, &mut random)),
        ("roads", map(Roads { nodes: 3000, ..Roads::default() }.generate().unwrap())),
        (
            "rooms",
            map(Rooms { width: 96, height: 64, room: 8, ..Rooms::default() }.generate().unwrap()),
        ),
        (
            "islands",
            map(Obstacles {
                width: 60,
                height: 60,
                blocked: 0.45,
                largest_only: false,
                ..Obstacles::default()
            }
            .generate()
            .unwrap()),
        ),
    ]
}

/// How many nodes one of `parts` parts may have.
fn most(nodes: usize, parts: usize, imbalance: u32) -> usize {
    let parts = parts.min(nodes.max(1));
    nodes.div_ceil(parts).max(nodes * (1000 + imbalance as usize) / (1000 * parts))
}

fn check_split(what: &str, config: &Partitioner, topology: &Topology, parts: usize) {
    let partition = config.split(topology, parts).unwrap();
    let what = format!("{what} in {parts} with {config:?}");
    assert_eq!(partition.check(topology), Ok(()), "{what}");
    assert_eq!(partition.parts, parts.min(topology.node_count().max(1)), "{what}");
    let largest = partition.members().iter().map(Vec::len).max().unwrap_or(0);
    let most = most(topology.node_count(), parts, config.imbalance);
    assert!(largest <= most, "{what}: a part of {largest}, {most} allowed");
    assert_eq!(config.split(topology, parts).unwrap(), partition, "{what}: not the same again");
}

fn check_separator(what: &str, config: &Partitioner, topology: &Topology) -> Separator {
    let separator = config.separate(topology).unwrap();
    let what = format!("{what} with {config:?}");
    assert_eq!(separator.check(topology), Ok(()), "{what}");
    let most = most(topology.node_count(), 2, config.imbalance);
    for side in [CutSide::A, CutSide::B] {
        let count = separator.count(side);
        assert!(count <= most, "{what}: {count} nodes on side {side:?}, {most} allowed");
    }
    assert_eq!(config.separate(topology).unwrap(), separator, "{what}: not the same again");
    separator
}

#[test]
fn every_shape_can_be_split() {
    for (name, topology) in shapes() {
        for config in methods() {
            for parts in [1, 2, 3, 4, 7, 16, 100, 2000, usize::MAX] {
                check_split(name, &config, &topology, parts);
            }
        }
    }
}

#[test]
fn every_shape_can_be_separated() {
    for (name, topology) in shapes() {
        for config in methods() {
            for imbalance in [0, 30, 300, 5000] {
                let config = Partitioner { imbalance, ..config.clone() };
                check_separator(name, &config, &topology);
            }
        }
    }
}

#[test]
fn random_graphs_and_settings() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let nodes = 1 + random.below(1 + (seed % 20) * 10) as u32;
        let edges = random.below(3 * u64::from(nodes)) as u32;
        let topology = random_graph(nodes, edges, &mut random);
        for config in methods() {
            let config = Partitioner {
                imbalance: random.below(400) as u32,
                tries: random.below(7) as u32,
                seed: random.bits(),
                ..config
            };
            let parts = 1 + random.below(u64::from(nodes) + 2) as usize;
            check_split(&format!("seed {seed}"), &config, &topology, parts);
            check_separator(&format!("seed {seed}"), &config, &topology);
        }
    }
}

#[test]
fn cuts_are_small() {
    let grid = map(Grid::new(40, 40).unwrap());
    let four = map(Grid::new(40, 40).unwrap().with_connectivity(Connectivity::Four));
    let blind =
        Topology::of_graph(&Grid::new(40, 40).unwrap().with_connectivity(Connectivity::Four))
            .unwrap();
    let rooms =
        map(Rooms { width: 128, height: 128, room: 8, ..Rooms::default() }.generate().unwrap());
    let roads = map(Roads { nodes: 20_000, ..Roads::default() }.generate().unwrap());
    // Maximum edges cut by a bisection and nodes in a separator. A straight cut through the grids
    // takes 118 edges (three for each of 40 cells, less two) or 40.
    for (name, topology, edges, nodes) in [
        ("eight ways", &grid, 130, 44),
        ("four ways", &four, 50, 44),
        ("four ways without places", &blind, 60, 48),
        ("rooms", &rooms, 30, 24),
        ("roads", &roads, 60, 50),
        ("path", &path(1000), 1, 1),
    ] {
        for config in methods() {
            let config = Partitioner { imbalance: 200, ..config };
            let cut = config.split(topology, 2).unwrap().cut(topology);
            assert!(cut <= edges, "{name} with {config:?}: {cut} edges cut");
            let size = check_separator(name, &config, topology).count(CutSide::Separator);
            assert!(size <= nodes, "{name} with {config:?}: {size} nodes in the separator");
        }
    }
}

#[test]
fn components_are_not_cut_without_need() {
    let squares = |count: u32| {
        let ring = |at: u32| (4 * at..4 * at + 4).map(move |node| (node, 4 * at + (node + 1) % 4));
        graph(4 * count, (0..count).flat_map(ring))
    };
    for config in methods() {
        for (count, parts) in [(2, 2), (6, 2), (9, 3), (64, 16)] {
            let topology = squares(count);
            let partition = config.split(&topology, parts).unwrap();
            assert_eq!(partition.cut(&topology), 0, "{count} in {parts} with {config:?}");
        }
        let separator = config.separate(&squares(6)).unwrap();
        assert_eq!(separator.count(CutSide::Separator), 0, "{config:?}");
    }
}

#[test]
fn a_recursion_over_the_sides_ends() {
    for (name, topology) in shapes() {
        for config in methods() {
            let mut scratch = SubsetScratch::default();
            let mut separated = 0;
            let mut open = vec![topology.clone()];
            while let Some(part) = open.pop() {
                let separator = config.separate(&part).unwrap();
                separated += separator.count(CutSide::Separator);
                for side in [CutSide::A, CutSide::B] {
                    let members = separator.members(side);
                    if !members.is_empty() {
                        open.push(part.subset(&members, &mut scratch));
                    }
                }
            }
            assert_eq!(separated, topology.node_count(), "{name} with {config:?}");
        }
    }
}

#[test]
fn subsets_lead_back_to_the_map() {
    let grid = Obstacles { width: 40, height: 30, ..Obstacles::default() }.generate().unwrap();
    let mut scratch = SubsetScratch::default();
    let mut part = map(&grid);
    let mut random = Random::new(2);
    while part.node_count() > 10 {
        let mut chosen: Vec<u32> = (0..part.node_count() as u32).collect();
        random.shuffle(&mut chosen);
        chosen.truncate(part.node_count() * 3 / 4);
        part = part.subset(&chosen, &mut scratch);
        for node in 0..part.node_count() as u32 {
            let original = part.original(node);
            let at = part.points().unwrap()[node as usize];
            assert_eq!(grid.node(at.x as u32, at.y as u32), Some(original));
            let mut expected = Vec::new();
            grid.out_edges(original, |head, _| {
                expected.extend(part.originals().iter().position(|&id| id == head));
            });
            expected.sort_unstable();
            let found: Vec<usize> = part.neighbours(node).iter().map(|&id| id as usize).collect();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn threads_change_nothing() {
    let rooms = map(Rooms { width: 64, height: 64, ..Rooms::default() }.generate().unwrap());
    let roads = map(Roads { nodes: 2000, ..Roads::default() }.generate().unwrap());
    for config in methods() {
        let answer = |seed: u64, topology: &Topology| {
            let config = Partitioner { seed, ..config.clone() };
            (config.split(topology, 5).unwrap(), config.separate(topology).unwrap())
        };
        let tasks: Vec<(u64, &Topology)> =
            (0..4).flat_map(|seed| [(seed, &rooms), (seed, &roads)]).collect();
        let alone: Vec<_> = tasks.iter().map(|&(seed, topology)| answer(seed, topology)).collect();
        for threads in [2, 3, 8] {
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let (tasks, alone, answer, config) = (&tasks, &alone, &answer, &config);
                    scope.spawn(move || {
                        for at in (0..tasks.len()).map(|at| (at + thread) % tasks.len()) {
                            let (seed, topology) = tasks[at];
                            assert!(answer(seed, topology) == alone[at], "seed {seed}: {config:?}");
                        }
                    });
                }
            });
        }
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let config = Partitioner::default();
    assert_eq!(config.split(&path(3), 0), Err(PartitionError::ZeroParts));
    let metis = Partitioner { method: CutMethod::Metis, ..config };
    let expected = if cfg!(feature = "metis") { None } else { Some(PartitionError::NoMetis) };
    assert_eq!(metis.split(&path(9), 2).err(), expected);
    assert_eq!(metis.separate(&path(9)).err(), expected);
}

#[test]
fn removed_nodes_are_left_out() {
    let mut builder = GraphBuilder::new(4).unwrap();
    for (tail, head) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        builder.add_edge(tail, head, 1).unwrap();
    }
    let mut graph = builder.build();
    graph.apply(&Changes::new().delete_node(1)).unwrap();
    let topology = map(graph);
    assert_eq!(topology.originals(), [0, 2, 3]);
    assert_eq!((topology.edge_count(), topology.neighbours(2)), (2, &[0, 1][..]));
}
