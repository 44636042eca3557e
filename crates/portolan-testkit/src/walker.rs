//! Walks a path step by step.

use portolan::{Map, NodeId};

use crate::reference::{is_usable, steps};

/// The cost of a path from one node to another, or what is wrong with it. For many paths on one
/// map, use [`Reference::walk`](crate::reference::Reference::walk).
pub fn walk(map: &Map, path: &[NodeId], from: NodeId, to: NodeId) -> Result<u64, String> {
    let step = |tail, head| {
        let legal = steps(map, tail).into_iter().filter(|&(other, _)| other == head);
        legal.map(|(_, cost)| cost).min()
    };
    walk_by(path, (from, to), |node| is_usable(map, node), step)
}

/// Walks a path by a rule: which nodes are usable, and what the cheapest step between two costs.
pub(crate) fn walk_by(
    path: &[NodeId],
    (from, to): (NodeId, NodeId),
    is_usable: impl Fn(NodeId) -> bool,
    step: impl Fn(NodeId, NodeId) -> Option<u64>,
) -> Result<u64, String> {
    if path.first() != Some(&from) || path.last() != Some(&to) {
        return Err(format!("the path {path:?} does not lead from {from} to {to}"));
    }
    if let Some(node) = path.iter().find(|&&node| !is_usable(node)) {
        return Err(format!("the path contains node {node}, which is blocked"));
    }
    path.windows(2)
        .map(|pair| {
            let illegal = || format!("the step {} -> {} is not legal", pair[0], pair[1]);
            step(pair[0], pair[1]).ok_or_else(illegal)
        })
        .sum()
}
