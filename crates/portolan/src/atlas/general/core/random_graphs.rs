//! Random graphs for tests, with everything that a core must handle.

use crate::changes::Changes;
use crate::cost::Cost;
use crate::graph::{CsrGraph, GraphBuilder, NodeId};
use crate::random::Random;

/// The state of a random graph.
struct Draw {
    random: Random,
    builder: GraphBuilder,
    one_way: f64,
    zero: f64,
    largest: u64,
}

impl Draw {
    fn join(&mut self, a: NodeId, b: NodeId) {
        let (zero, largest) = (self.zero, self.largest);
        let weight = |random: &mut Random| match random.chance(zero) {
            true => 0,
            false => 1 + random.below(largest) as Cost,
        };
        for _ in 0..1 + u64::from(self.random.chance(0.1)) {
            let there = weight(&mut self.random);
            let back = weight(&mut self.random);
            if !self.random.chance(self.one_way) {
                self.builder.add_two_way(a, b, there).unwrap();
                continue;
            }
            match self.random.below(3) {
                0 => self.builder.add_edge(a, b, there).unwrap(),
                1 => self.builder.add_edge(b, a, back).unwrap(),
                _ => {
                    self.builder.add_edge(a, b, there).unwrap();
                    self.builder.add_edge(b, a, back).unwrap();
                }
            }
        }
    }

    fn pick(&mut self, nodes: &[NodeId]) -> NodeId {
        nodes[self.random.below(nodes.len() as u64) as usize]
    }
}

/// A few nodes joined by chains, some of them loops, with trees attached and ids shuffled. Some
/// nodes are isolated and some are removed.
pub(crate) fn random_graph(seed: u64) -> CsrGraph {
    let mut random = Random::new(seed);
    let nodes = 1 + random.below(36) as usize;
    let mut ids: Vec<NodeId> = (0..nodes as NodeId).collect();
    random.shuffle(&mut ids);
    let one_way = [0.0, 0.1, 0.5][random.below(3) as usize];
    let zero = [0.0, 0.2, 0.9][random.below(3) as usize];
    let largest = [3, 20, 1 << 25][random.below(3) as usize];
    let builder = GraphBuilder::new(nodes).unwrap();
    let skeleton = nodes.min(1 + random.below(6) as usize);
    let in_trees = random.below(nodes as u64 + 1) as usize;
    let mut draw = Draw { random, builder, one_way, zero, largest };
    let ends = &ids[..skeleton];
    let mut fresh = skeleton;
    for _ in 0..draw.random.below(10) {
        let (mut at, end) = (draw.pick(ends), draw.pick(ends));
        for _ in 0..draw.random.below(6) {
            if fresh + in_trees < nodes {
                draw.join(at, ids[fresh]);
                at = ids[fresh];
                fresh += 1;
            }
        }
        draw.join(at, end);
    }
    for leaf in fresh..nodes {
        if draw.random.chance(0.95) {
            let on = draw.pick(&ids[..leaf]);
            draw.join(on, ids[leaf]);
        }
    }
    let (mut random, mut graph) = (draw.random, draw.builder.build());
    if random.chance(0.3) {
        let node = random.below(nodes as u64) as NodeId;
        graph.apply(&Changes::new().delete_node(node)).unwrap();
    }
    graph
}
