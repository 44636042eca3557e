//! A*: the node whose cost so far plus lower bound is least goes first.
//!
//! Exact for every admissible bound: a node whose cost falls after it was expanded is put back on
//! the open list, and the search ends only when the goal itself comes up, which proves that every
//! other way is at least as long.

use std::ops::ControlFlow;

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_ends, unless_overflow};
use crate::cost::{Cost, plus};
use crate::graph::{Graph, NodeId};
use crate::heuristic::LowerBound;

/// The least cost from one node to another; the path is then read with [`Scratch::path_into`].
///
/// `bound` must bound the way to the second node. Nodes of different components are answered
/// without a search.
///
/// ```
/// use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice};
/// use portolan::search::{Scratch, astar};
/// use portolan::Grid;
/// let grid = Grid::new(20, 20)?;
/// let octile = Geometric::new(&(&grid).into(), HeuristicChoice::Octile)?;
/// let mut scratch = Scratch::default();
/// let cost = astar::find(&grid, &mut scratch, (0, 5), &mut octile.toward(5), &mut ())?;
/// assert_eq!(cost, Some(5 * portolan::cost::STRAIGHT));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    scratch.forget();
    if !check_ends(graph, (from, to))? {
        return Ok(None);
    }
    scratch.start(graph.node_count(), from, bound, observer);
    let mut found = None;
    while let ControlFlow::Continue(true) = step(graph, scratch, to, bound, observer, &mut found) {}
    unless_overflow(graph, scratch, (from, to), found)
}

/// The same for bounds that [know different things](crate::heuristic::Heuristic::wants_pathmax) of
/// neighbours. Before a node is expanded it is asked what those before it are bounded by, less the
/// edge from there: where that is more, the node waits until its turn comes with the tighter bound.
/// (One step of bidirectional pathmax; Felner and others 2011.)
pub(crate) fn find_with_pathmax(
    graph: &impl Graph,
    scratch: &mut Scratch,
    ends: (NodeId, NodeId),
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    find_raising(graph, scratch, ends, bound, observer, |bound, node| {
        let mut rest = 0;
        graph.in_edges(node, |tail, weight| {
            // No path from there proves nothing here: this edge may be the only one that leads
            // away.
            let before = bound.at(tail).unwrap_or(0);
            rest = before.saturating_sub(weight).max(rest);
        });
        Some(rest)
    })
}

/// The same, giving up after so many expansions; `None` then, and where nothing was found for any
/// other reason.
pub(crate) fn find_up_to(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
    expansions: usize,
) -> Option<Cost> {
    scratch.start(graph.node_count(), from, bound, observer);
    let mut found = None;
    for _ in 0..expansions {
        let ControlFlow::Continue(true) = step(graph, scratch, to, bound, observer, &mut found)
        else {
            break;
        };
    }
    found
}

/// The same with two bounds on the way to the second node, of which the second is tighter but
/// dearer: it is looked up when a node comes up to be expanded, not when it is found, which pays
/// where many nodes are found and few expanded.
pub(crate) fn find_lazily(
    graph: &impl Graph,
    scratch: &mut Scratch,
    ends: (NodeId, NodeId),
    (cheap, tight): (&mut impl LowerBound, &mut impl LowerBound),
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    let mut lazy = Lazy { cheap, tight };
    find_raising(graph, scratch, ends, &mut lazy, observer, |lazy, node| lazy.tight.at(node))
}

/// Bounds by the first, and knows what the second allows.
struct Lazy<'a, C, T> {
    cheap: &'a mut C,
    tight: &'a mut T,
}

impl<C: LowerBound, T: LowerBound> LowerBound for Lazy<'_, C, T> {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        self.cheap.at(node)
    }

    #[inline(always)]
    fn allows(&self, whole: Cost) -> bool {
        self.tight.allows(whole)
    }
}

/// Asks once more what is left from a node when it comes up to be expanded; where that is more than
/// was thought, the node waits until its turn comes with the tighter bound.
#[inline(always)]
fn find_raising<B: LowerBound>(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    bound: &mut B,
    observer: &mut impl Observer,
    mut rest: impl FnMut(&mut B, NodeId) -> Option<Cost>,
) -> Result<Option<Cost>, EndpointError> {
    scratch.forget();
    if !check_ends(graph, (from, to))? {
        return Ok(None);
    }
    scratch.start(graph.node_count(), from, bound, observer);
    let mut found = None;
    while let Some(entry) = scratch.pop() {
        let Entry { bound: thought, cost, node } = entry;
        let Some(rest) = rest(bound, node) else { continue };
        match plus(cost, rest) {
            None => scratch.note_overflow(),
            Some(whole) if whole > thought => {
                if bound.allows(whole) {
                    scratch.put_back(Entry { bound: whole, ..entry });
                }
            }
            Some(_) => {
                observer.expanded(node, cost);
                if node == to {
                    found = Some(cost);
                    break;
                }
                scratch.relax(graph, (node, cost), bound, observer, |_, _| {});
            }
        }
    }
    unless_overflow(graph, scratch, (from, to), found)
}

/// Walks from the first node along edges down which the bound falls by all that they cost. Where
/// that leads to the second node, no path is cheaper, since this one costs no more than the bound;
/// where it ends before, nothing is found, and a search has to follow.
pub(crate) fn walk(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): (NodeId, NodeId),
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    if !check_ends(graph, (from, to))? {
        return Ok(None);
    }
    scratch.start(graph.node_count(), from, bound, observer);
    let whole = bound.at(from);
    let (mut node, mut cost) = (from, 0);
    while node != to {
        observer.expanded(node, cost);
        let mut next = None;
        graph.out_edges(node, |head, weight| {
            // Every step costs something, so the walk ends.
            let after = plus(cost, weight).filter(|_| next.is_none() && weight > 0);
            if let Some(after) = after
                && whole.is_some()
                && bound.at(head).and_then(|rest| plus(after, rest)) == whole
            {
                next = Some((head, after));
            }
        });
        let Some((head, after)) = next else { return Ok(None) };
        scratch.reach(head, after, node);
        observer.generated(head, after);
        (node, cost) = (head, after);
    }
    observer.expanded(to, cost);
    Ok(Some(cost))
}

/// Expands one node. Breaks when that was the goal, whose cost is then in `found`; continues with
/// false when the open list is empty.
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
