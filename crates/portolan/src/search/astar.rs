//! A*: expands the node with the least sum of cost and lower bound.
//!
//! Exact for every admissible bound: a node whose cost decreases after its expansion is reopened,
//! and the search ends only when it would expand the goal, which proves that no path is shorter.

use std::ops::ControlFlow;

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_ends, unless_overflow};
use crate::cost::{Cost, plus};
use crate::graph::{Endpoints, Graph, NodeId};
use crate::heuristic::{Heuristic, LowerBound};

/// The least cost from one node to another. [`Scratch::path_into`] then reads the path.
///
/// `bound` must be for the second node. Nodes of different components need no search.
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
    (from, to): Endpoints,
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

/// [`find`] for bounds that [differ much](crate::heuristic::Heuristic::wants_pathmax) between
/// neighbours. Before a node is expanded, its bound is compared with those of its predecessors,
/// each minus the edge from there. If one is greater, the node is put back with it. This is one
/// step of bidirectional pathmax (Felner and others 2011).
fn find_with_pathmax(
    graph: &impl Graph,
    scratch: &mut Scratch,
    ends: Endpoints,
    bound: &mut impl LowerBound,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    find_raising(graph, scratch, ends, bound, observer, |bound, node| {
        let mut rest = 0;
        graph.in_edges(node, |tail, weight| {
            // No path from a predecessor proves nothing here: this edge may be one-way.
            let before = bound.at(tail).unwrap_or(0);
            rest = before.saturating_sub(weight).max(rest);
        });
        Some(rest)
    })
}

/// [`find`] with a heuristic, in the variant that suits it.
pub(crate) fn find_guided(
    graph: &impl Graph,
    scratch: &mut Scratch,
    ends: Endpoints,
    heuristic: &impl Heuristic,
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    let mut bound = heuristic.forward(ends.0, ends.1);
    match heuristic.wants_pathmax() {
        true => find_with_pathmax(graph, scratch, ends, &mut bound, observer),
        false => find(graph, scratch, ends, &mut bound, observer),
    }
}

/// [`find`] with a limit on expansions. `None` if it is exceeded or there is no path.
pub(crate) fn find_up_to(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): Endpoints,
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

/// [`find`] with a cheap bound and a tight but expensive one for the second node. The second is
/// looked up when a node is about to be expanded and not when it is generated, which is faster if
/// many nodes are generated and few expanded.
pub(crate) fn find_lazily(
    graph: &impl Graph,
    scratch: &mut Scratch,
    ends: Endpoints,
    (cheap, tight): (&mut impl LowerBound, &mut impl LowerBound),
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    let mut lazy = Lazy { cheap, tight };
    find_raising(graph, scratch, ends, &mut lazy, observer, |lazy, node| lazy.tight.at(node))
}

/// Bounds by the first, and excludes costs by the second.
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

/// Computes a second bound of a node that is about to be expanded. If it is greater, the node is
/// put back with it.
#[inline(always)]
fn find_raising<B: LowerBound>(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): Endpoints,
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
        let Entry { bound: before, cost, node } = entry;
        let Some(rest) = rest(bound, node) else { continue };
        match plus(cost, rest) {
            None => scratch.note_overflow(),
            Some(whole) if whole > before => {
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

/// Walks from the first node along edges whose cost equals the decrease of the bound. If the walk
/// reaches the second node, its cost equals the lower bound, so no path is cheaper. Otherwise the
/// result is `None`, and a search is needed.
pub(crate) fn walk(
    graph: &impl Graph,
    scratch: &mut Scratch,
    (from, to): Endpoints,
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
            // Every step has a positive cost, so the walk ends.
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

/// Expands one node. Breaks at the goal, with its cost in `found`. Continues with `false` if the
/// open list is empty.
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
