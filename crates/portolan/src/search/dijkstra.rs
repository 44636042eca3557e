//! Dijkstra's algorithm: from one node to all, to many, or to everything within a cost.
//!
//! Afterwards the [`Scratch`] answers for the nodes that were reached: [`Scratch::cost`] and
//! [`Scratch::path_into`].

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_node, reaches, unless_overflow};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::heuristic::LowerBound;

/// The least cost from a node to every other.
///
/// A cost that is no finite number is an error that names the node, as everywhere.
pub fn one_to_all(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
) -> Result<(), EndpointError> {
    check_node(graph, from)?;
    settle(graph, scratch, from, |_, _| Next::GoOn);
    if scratch.overflowed() {
        let unsettled = |&to: &NodeId| scratch.cost(to).is_none() && reaches(graph, from, to);
        if let Some(to) = (0..graph.node_count() as NodeId).find(unsettled) {
            return Err(EndpointError::CostOverflow { from, to });
        }
    }
    Ok(())
}

/// The least cost from a node to each of these, in their order; `None` where there is no path. Stops as
/// soon as all of them are settled.
pub fn one_to_many(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    targets: &[NodeId],
) -> Result<Vec<Option<Cost>>, EndpointError> {
    check_node(graph, from)?;
    for &target in targets {
        check_node(graph, target)?;
    }
    let mut open: Vec<NodeId> =
        targets.iter().copied().filter(|&target| graph.may_reach(from, target)).collect();
    open.sort_unstable();
    open.dedup();
    let mut left = open.len();
    if left > 0 {
        settle(graph, scratch, from, |node, _| {
            left -= usize::from(open.binary_search(&node).is_ok());
            if left == 0 { Next::Stop } else { Next::GoOn }
        });
    }
    let answer = |&target: &NodeId| match open.binary_search(&target) {
        Ok(_) => unless_overflow(graph, scratch, (from, target), scratch.cost(target)),
        Err(_) => Ok(None),
    };
    targets.iter().map(answer).collect()
}

/// Every node within a cost of this one, with its least cost, in the order in which a wave from the node
/// would reach them. The limit is included.
pub fn within(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    limit: Cost,
) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
    check_node(graph, from)?;
    let mut reached = Vec::new();
    settle(graph, scratch, from, |node, cost| {
        if cost > limit {
            return Next::Stop;
        }
        reached.push((node, cost));
        Next::GoOn
    });
    Ok(reached)
}

pub(super) enum Next {
    GoOn,
    Stop,
}

/// Settles nodes in the order of their cost until `settled` has seen enough.
fn settle(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    mut settled: impl FnMut(NodeId, Cost) -> Next,
) {
    scratch.start(graph.node_count(), from, &mut NoBound, &mut ());
    while let Some(Entry { cost, node, .. }) = scratch.pop() {
        if let Next::Stop = settled(node, cost) {
            break;
        }
        scratch.relax(graph, (node, cost), &mut NoBound, &mut (), |_, _| {});
    }
}

/// The bound of zero, known when compiled.
pub(super) struct NoBound;

impl LowerBound for NoBound {
    #[inline(always)]
    fn at(&mut self, _: NodeId) -> Option<Cost> {
        Some(0)
    }
}

/// Dijkstra's algorithm from one node to another, watched; the whole of the engine `dijkstra`.
pub fn one_to_one(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    super::astar::run(graph, scratch, (from, to), &mut NoBound, observer)
}
