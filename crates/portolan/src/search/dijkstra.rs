//! Dijkstra's algorithm: from one node to all, to many, to the nearest of many, or to everything
//! within a cost.
//!
//! Afterwards the [`Scratch`] answers for the nodes that were reached: [`Scratch::cost`] and
//! [`Scratch::path_into`].

use std::ops::ControlFlow;

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_node, reachable};
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
    settle(graph, scratch, from, |_, _| ControlFlow::Continue(()))?;
    none_beyond(graph, scratch, from, 0..graph.node_count() as NodeId)
}

/// The least cost from a node to each of these, in their order; `None` where there is no path.
/// Stops as soon as all of them are settled.
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

/// The nearest of these goals, at most `count`, with what it costs to get there; nearest first, of
/// equally near ones the smallest id. A goal that is named twice counts once. Stops as soon as
/// nothing nearer can come.
///
/// Fewer than `count` are all that a path leads to. That a cost is no finite number is an error
/// only where that goal would have been among them.
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
            // As many as were asked for, and none as near is left.
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

/// Every node within a cost of this one, with its least cost, in the order in which a wave from the
/// node would reach them. The limit is included.
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

/// Dijkstra's algorithm from one node to another, watched; the whole of the engine `dijkstra`.
pub fn one_to_one(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    super::astar::find(graph, scratch, (from, to), &mut NoBound, observer)
}

/// Which of these nodes a path may lead to, each once, sorted; all ends have to be nodes. Forgets
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

/// An error where a run that came to its end missed one of these nodes only because costs outgrew
/// their numbers.
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

/// Settles nodes in the order of their cost until `settled` has seen enough.
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

/// The bound of zero, known when compiled.
pub(super) struct NoBound;

impl LowerBound for NoBound {
    #[inline(always)]
    fn at(&mut self, _: NodeId) -> Option<Cost> {
        Some(0)
    }
}
