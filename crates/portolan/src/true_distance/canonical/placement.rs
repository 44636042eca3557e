//! Placement of canonical nodes: each at the node farthest from all previous ones.

use std::collections::BinaryHeap;

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId, weak_components};
use crate::random::Random;
use crate::search::wave::Wave;
use crate::true_distance::ranks::Ranks;

/// `count` nodes, or fewer if the map has fewer nodes at positive distances. The first nodes are in
/// the largest components, one in each that has at least an average share of the map.
pub(super) fn farthest(graph: &impl Graph, ranks: &Ranks, count: usize, seed: u64) -> Vec<NodeId> {
    let mut chosen = firsts(graph, ranks, count, seed);
    let mut wave = Wave::default();
    // Farthest first. Entries whose node has a smaller distance by now are stale.
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
            // The node farthest from a random one, so that it is at the edge of the component.
            let drawn = members[random.below(members.len() as u64) as usize];
            let mut wave = Wave::default();
            let (costs, _) = wave.spread(graph, &[drawn]);
            let reached = members.iter().filter(|&&node| costs[node as usize] != UNREACHABLE);
            reached.max_by_key(|&&node| costs[node as usize]).copied().unwrap_or(drawn)
        })
        .collect()
}
