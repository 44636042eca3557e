//! Step 3 without a search: paths that follow known distances, step by step.

use crate::cost::Cost;
use crate::graph::{Endpoints, Graph, NodeId};
use crate::search::Observer;

/// Appends to `path` the nodes after `from`, up to `goal`, which is at distance `left`. Each step
/// goes to the first neighbour for which `is_on_path(neighbour, remaining cost)`. Returns `false`,
/// and appends nothing, if there is none. Every step has a positive cost, so the loop ends.
#[inline(always)]
pub(super) fn descend(
    graph: &impl Graph,
    (from, goal): Endpoints,
    mut left: Cost,
    path: &mut Vec<NodeId>,
    observer: &mut impl Observer,
    is_on_path: impl Fn(NodeId, Cost) -> bool,
) -> bool {
    let (before, mut here) = (path.len(), from);
    while here != goal {
        observer.expanded(here, left);
        let mut next = None;
        graph.out_edges(here, |head, weight| {
            let Some(rest) = left.checked_sub(weight) else { return };
            if next.is_none() && weight > 0 && is_on_path(head, rest) {
                next = Some((head, rest));
            }
        });
        let Some((head, rest)) = next else {
            path.truncate(before);
            return false;
        };
        path.push(head);
        (here, left) = (head, rest);
    }
    left == 0
}
