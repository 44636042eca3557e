//! Searches without an index: Dijkstra's algorithm, A*, A* from both ends, and A* in slices.
//!
//! The functions work on any [`Graph`] and lower bound, with [`Scratch`] space that the caller
//! reuses. [`SearchEngine`](crate::search_engine::SearchEngine) makes engines of them. Read
//! `scratch.rs` and `queue.rs` first: labels and the open list.
//!
//! Ties: of open nodes with the same lower bound, the one labelled last is expanded first. Edges
//! are relaxed in the fixed order of the map, and only a strictly smaller cost replaces a label. So
//! the same query on the same map always gives the same path.

pub mod astar;
mod bidirectional;
pub mod dijkstra;
mod nearest;
mod observer;
pub(crate) mod queue;
mod resumable;
mod scratch;
mod sliced;
pub(crate) mod wave;

pub use bidirectional::TwoSided;
pub use observer::{Counter, Observer};
pub use resumable::{Resumable, SearchState};
pub use scratch::Scratch;
pub(crate) use sliced::Sliced;

use std::collections::HashSet;

use crate::cost::Cost;
use crate::graph::{Endpoints, Graph, NodeId};
use crate::map::{EndpointError, Map, on_graph};

/// Whether there may be a path, by components. An error if an end is not a usable node.
pub(crate) fn check_ends(graph: &impl Graph, (from, to): Endpoints) -> Result<bool, EndpointError> {
    check_node(graph, from)?;
    check_node(graph, to)?;
    Ok(graph.may_reach(from, to))
}

impl Map {
    /// Whether a query may start or end at this node. If not, the error that queries return.
    pub fn check(&self, node: NodeId) -> Result<(), EndpointError> {
        on_graph!(self, graph => check_node(graph, node))
    }
}

/// An error if no path can start or end here.
pub(crate) fn check_node(graph: &impl Graph, node: NodeId) -> Result<(), EndpointError> {
    if graph.contains(node) { Ok(()) } else { Err(unusable(graph, node)) }
}

#[cold]
fn unusable(graph: &impl Graph, node: NodeId) -> EndpointError {
    let extent = graph.extent();
    let at = extent.location(node);
    match (node as usize) < graph.node_count() {
        true => EndpointError::Blocked { at },
        false => EndpointError::Outside { at, extent },
    }
}

/// The result of a search, or an error if it found nothing because costs overflowed.
fn unless_overflow(
    graph: &impl Graph,
    scratch: &Scratch,
    (from, to): Endpoints,
    found: Option<Cost>,
) -> Result<Option<Cost>, EndpointError> {
    if found.is_none() && scratch.overflowed() && reaches(graph, from, to) {
        return Err(EndpointError::overflow(graph.extent(), from, to));
    }
    Ok(found)
}

/// Whether a path of any cost exists. Searches from both ends in turn, because a separated
/// component is mostly small on one side.
pub(crate) fn reaches(graph: &impl Graph, from: NodeId, to: NodeId) -> bool {
    let mut seen = [HashSet::from([from]), HashSet::from([to])];
    let mut open = [vec![from], vec![to]];
    if from == to {
        return true;
    }
    for side in [0, 1].into_iter().cycle() {
        let Some(node) = open[side].pop() else { return false };
        let [mine, others] = if side == 0 { [0, 1] } else { [1, 0] };
        let mut met = false;
        let mut see = |next: NodeId, _| {
            met |= seen[others].contains(&next);
            if seen[mine].insert(next) {
                open[mine].push(next);
            }
        };
        match side {
            0 => graph.out_edges(node, &mut see),
            _ => graph.in_edges(node, &mut see),
        }
        if met {
            return true;
        }
    }
    false
}

/// The nodes that are reachable at any cost.
pub(crate) fn reachable(graph: &impl Graph, from: NodeId) -> Vec<bool> {
    let mut seen = vec![false; graph.node_count()];
    let mut open = vec![from];
    seen[from as usize] = true;
    while let Some(tail) = open.pop() {
        graph.out_edges(tail, |head, _| {
            if !std::mem::replace(&mut seen[head as usize], true) {
                open.push(head);
            }
        });
    }
    seen
}
