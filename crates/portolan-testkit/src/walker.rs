//! Walks a path step by step.

use portolan::{Map, NodeId};

use crate::reference::{is_usable, steps};

/// The cost of a path from one node to another, or what is wrong with it.
pub fn walk(map: &Map, path: &[NodeId], from: NodeId, to: NodeId) -> Result<u64, String> {
    if path.first() != Some(&from) || path.last() != Some(&to) {
        return Err(format!("the path {path:?} does not lead from {from} to {to}"));
    }
    if let Some(node) = path.iter().find(|&&node| !is_usable(map, node)) {
        return Err(format!("the path stands on node {node}, which is blocked"));
    }
    path.windows(2)
        .map(|pair| {
            let legal = steps(map, pair[0]).into_iter().filter(|&(head, _)| head == pair[1]);
            let cheapest = legal.map(|(_, cost)| cost).min();
            cheapest.ok_or_else(|| format!("the step {} -> {} is not legal", pair[0], pair[1]))
        })
        .sum()
}
