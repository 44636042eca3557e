//! Dijkstra's algorithm: from one node to all, to many, to the nearest of many, or to all within a
//! cost.
//!
//! Afterwards, [`Scratch::cost`] and [`Scratch::path_into`] answer for the reached nodes.

use std::ops::ControlFlow;

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_node, reachable};
use crate::cost::Cost;
use crate::graph::{Endpoints, Graph, NodeId};
use crate::heuristic::LowerBound;

/// The least cost from a node to every other. An overflowing cost is an error that names the node.
pub fn one_to_all(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
) -> Result<(), EndpointError> {
    settle(graph, scratch, from, |_, _| ControlFlow::Continue(()))?;
    none_beyond(graph, scratch, from, 0..graph.node_count() as NodeId)
}

/// The least cost from a node to each of these, in their order; `None` if there is no path.
/// Stops when all of them are settled.
pub fn one_to_many(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    targets: &[NodeId],
) -> Result<Vec<Option<Cost>>, EndpointError> {
    let open = within_reach(graph, scratch, from, targets)?;
    let mut left = open.len();
    if left > 0 {
        settle(graph, scratch, from, |node, _| {
            left -= usize::from(open.binary_search(&node).is_ok());
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    if left > 0 {
        none_beyond(graph, scratch, from, targets.iter().copied())?;
    }
    Ok(targets.iter().map(|&target| scratch.cost(target)).collect())
}

/// The nearest of these goals with their costs, at most `count`; nearest first, then by id. A
/// repeated goal counts once. Stops when there can be no nearer goal.
///
/// Returns fewer than `count` if no more are reachable. An overflowing cost is an error only if
/// that goal would be part of the result.
pub fn nearest(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    goals: &[NodeId],
    count: usize,
) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
    let open = within_reach(graph, scratch, from, goals)?;
    let mut found: Vec<(NodeId, Cost)> = Vec::new();
    if count > 0 && !open.is_empty() {
        settle(graph, scratch, from, |node, cost| {
            // There are `count` goals, and no equally near one is left.
            if found.get(count - 1).is_some_and(|&(_, last)| last < cost) {
                return ControlFlow::Break(());
            }
            if open.binary_search(&node).is_ok() {
                found.push((node, cost));
            }
            if found.len() < open.len() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
    }
    if found.len() < count.min(open.len()) {
        none_beyond(graph, scratch, from, open.iter().copied())?;
    }
    found.sort_unstable_by_key(|&(node, cost)| (cost, node));
    found.truncate(count);
    Ok(found)
}

/// All nodes within a cost of this one, with their least costs, in the order of cost. The limit is
/// inclusive.
pub fn within(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    limit: Cost,
) -> Result<Vec<(NodeId, Cost)>, EndpointError> {
    let mut reached = Vec::new();
    settle(graph, scratch, from, |node, cost| {
        if cost > limit {
            return ControlFlow::Break(());
        }
        reached.push((node, cost));
        ControlFlow::Continue(())
    })?;
    Ok(reached)
}

/// Dijkstra's algorithm from one node to another.
pub fn one_to_one(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): Endpoints,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    super::astar::find(graph, scratch, (from, to), &mut NoBound, observer)
}

/// The targets that may be reachable, sorted, each once. An error if an end is not usable. Forgets
/// the last run.
fn within_reach(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    targets: &[NodeId],
) -> Result<Vec<NodeId>, EndpointError> {
    scratch.forget();
    check_node(graph, from)?;
    targets.iter().try_for_each(|&target| check_node(graph, target))?;
    let mut open: Vec<NodeId> =
        targets.iter().copied().filter(|&target| graph.may_reach(from, target)).collect();
    open.sort_unstable();
    open.dedup();
    Ok(open)
}

/// An error if a complete run missed one of these nodes because its cost overflowed.
fn none_beyond(
    graph: &impl Graph,
    scratch: &Scratch,
    from: NodeId,
    mut targets: impl Iterator<Item = NodeId>,
) -> Result<(), EndpointError> {
    if !scratch.overflowed() {
        return Ok(());
    }
    let reached = reachable(graph, from);
    let beyond = |&to: &NodeId| reached[to as usize] && scratch.cost(to).is_none();
    let error = |to| Err(EndpointError::overflow(graph.extent(), from, to));
    targets.find(beyond).map_or(Ok(()), error)
}

/// Settles nodes in the order of cost until `settled` breaks.
fn settle(
    graph: &impl Graph,
    scratch: &mut Scratch,
    from: NodeId,
    mut settled: impl FnMut(NodeId, Cost) -> ControlFlow<()>,
) -> Result<(), EndpointError> {
    scratch.forget();
    check_node(graph, from)?;
    scratch.start(graph.node_count(), from, &mut NoBound, &mut ());
    while let Some(Entry { cost, node, .. }) = scratch.pop() {
        if settled(node, cost).is_break() {
            break;
        }
        scratch.relax(graph, (node, cost), &mut NoBound, &mut (), |_, _| {});
    }
    Ok(())
}

/// The zero bound, known at compile time.
pub(super) struct NoBound;

impl LowerBound for NoBound {
    #[inline(always)]
    fn at(&mut self, _: NodeId) -> Option<Cost> {
        Some(0)
    }
}
