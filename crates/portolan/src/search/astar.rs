//! A*: the node whose cost so far plus lower bound is least goes first.
//!
//! Exact for every admissible bound: a node whose cost falls after it was expanded is put back on the
//! open list, and the search ends only when the goal itself comes up, which proves that every other way
//! is at least as long.

use std::ops::ControlFlow;

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_node, unless_overflow};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::heuristic::LowerBound;

/// The least cost from one node to another; the path is then read with [`Scratch::path_into`].
///
/// `bound` must bound the way to the second node. Nodes of different components are answered without a
/// search.
///
/// ```
/// use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice};
/// use portolan::search::{Scratch, astar};
/// use portolan::Grid;
/// let grid = Grid::new(20, 20)?;
/// let octile = Geometric::new(&(&grid).into(), HeuristicChoice::Octile)?;
/// let mut scratch = Scratch::default();
/// let cost = astar::run(&grid, &mut scratch, (0, 5), &mut octile.toward(5), &mut ())?;
/// assert_eq!(cost, Some(5 * portolan::cost::STRAIGHT));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    scratch.forget();
    check_node(graph, from)?;
    check_node(graph, to)?;
    if !graph.may_reach(from, to) {
        return Ok(None);
    }
    scratch.start(graph.node_count(), from, bound, observer);
    let mut found = None;
    while let ControlFlow::Continue(true) = step(graph, scratch, to, bound, observer, &mut found) {}
    unless_overflow(graph, scratch, (from, to), found)
}

/// Expands one node. Breaks when that was the goal, whose cost is then in `found`; continues with false
/// when the open list is empty.
#[inline(always)]
pub(super) fn step(
    graph: &impl Graph,
    scratch: &mut Scratch,
    to: NodeId,
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
    found: &mut Option<Cost>,
) -> ControlFlow<(), bool> {
    let Some(Entry { cost, node, .. }) = scratch.pop() else { return ControlFlow::Continue(false) };
    observer.expanded(node, cost);
    if node == to {
        *found = Some(cost);
        return ControlFlow::Break(());
    }
    scratch.relax(graph, (node, cost), bound, observer, |_, _| {});
    ControlFlow::Continue(true)
}
