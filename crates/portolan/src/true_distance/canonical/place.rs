//! Where canonical nodes are: each where all before it are farthest.

use std::collections::BinaryHeap;

use crate::cost::{Cost, UNREACHABLE};
use crate::generate::Random;
use crate::graph::{Graph, NodeId, weak_components};
use crate::search::wave::Wave;
use crate::true_distance::ranks::Ranks;

/// So many nodes, or fewer where the map has not as many different places. The first few lie in the
/// largest components, one in each that is large enough for its share.
pub(super) fn farthest(graph: &impl Graph, ranks: &Ranks, count: usize, seed: u64) -> Vec<NodeId> {
    let mut chosen = firsts(graph, ranks, count, seed);
    let mut wave = Wave::default();
    // Farthest first; an entry whose node has come nearer since is left behind.
    let mut open: BinaryHeap<(Cost, NodeId)> = BinaryHeap::new();
    wave.add(graph, &chosen, |node, cost| open.push((cost, node)));
    while chosen.len() < count {
        let Some((cost, node)) = open.pop() else { break };
        if cost == 0 || wave.costs()[node as usize] != cost {
            continue;
        }
        chosen.push(node);
        wave.add(graph, &[node], |node, cost| open.push((cost, node)));
    }
    chosen
}

fn firsts(graph: &impl Graph, ranks: &Ranks, count: usize, seed: u64) -> Vec<NodeId> {
    let components = weak_components(graph);
    let share = ranks.count().div_ceil(count.max(1));
    let sizes = components.sizes();
    let large = sizes.iter().take(count).enumerate();
    let large = large.filter(|&(at, &(_, size))| at == 0 || size >= share);
    let mut random = Random::new(seed);
    large
        .map(|(_, &(name, _))| {
            let nodes = 0..graph.node_count() as NodeId;
            let members: Vec<NodeId> =
                nodes.filter(|&node| components.of(node) == Some(name)).collect();
            // The one farthest from a node drawn at random, so that it lies on the rim.
            let drawn = members[random.below(members.len() as u64) as usize];
            let mut wave = Wave::default();
            let (costs, _) = wave.spread(graph, &[drawn]);
            let reached = members.iter().filter(|&&node| costs[node as usize] != UNREACHABLE);
            reached.max_by_key(|&&node| costs[node as usize]).copied().unwrap_or(drawn)
        })
        .collect()
}
