//! Searches that need no index: Dijkstra's algorithm, A*, A* from both ends, and A* in slices.
//!
//! The functions here work on any [`Graph`] and lower bound, with [`Scratch`] space that the caller keeps
//! between runs. [`SearchEngine`] puts them behind the face that all engines share.
//!
//! [`Upkeep`] keeps the landmarks of one up to date on a map that is edited.
//!
//! Ties: of open nodes with the same lower bound the one labelled last goes first, edges are followed in
//! the map's fixed order, and a label is replaced only by a strictly smaller cost. So the same query on
//! the same map always gives the same path.

pub mod astar;
mod bidirectional;
pub mod dijkstra;
mod engine;
mod observer;
pub(crate) mod queue;
mod resumable;
mod scratch;
mod sliced;
mod upkeep;

pub use bidirectional::TwoSided;
pub use engine::{Algorithm, SearchConfig, SearchEngine, SearchQuery};
pub use observer::{Counter, Observer};
pub use resumable::{Progress, Resumable};
pub use scratch::Scratch;
pub(crate) use sliced::Sliced;
pub use upkeep::Upkeep;

use std::collections::HashSet;

use crate::cost::Cost;
use crate::engine::{EndpointError, Query};
use crate::graph::{Graph, NodeId};
use crate::map::Map;
use crate::route::Route;

/// A query that searches first and reads off the path afterwards: all that [`Query`] needs to know of it.
pub(crate) trait Searching {
    fn map(&self) -> &Map;

    /// The cost of the path; `None` where there is none.
    fn search(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError>;

    /// The same for who wants the path as well, where finding it takes more than the cost does.
    fn search_path(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        self.search(from, to, observer)
    }

    /// The path of the search for it that has just found one of this cost.
    fn route(&mut self, to: NodeId, cost: Cost) -> Route<'_>;
}

impl<S: Searching> Query for S {
    fn map(&self) -> &Map {
        Searching::map(self)
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError> {
        self.search(from, to, &mut ())
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError> {
        let found = self.search_path(from, to, &mut ())?;
        Ok(found.map(|cost| self.route(to, cost)))
    }

    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut observer: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError> {
        let found = self.search_path(from, to, &mut observer)?;
        Ok(found.map(|cost| self.route(to, cost)))
    }
}

/// Whether there may be a path: both ends are nodes, and components do not tell them apart.
pub(crate) fn check_ends(
    graph: &impl Graph,
    (from, to): (NodeId, NodeId),
) -> Result<bool, EndpointError> {
    check_node(graph, from)?;
    check_node(graph, to)?;
    Ok(graph.may_reach(from, to))
}

/// Whether a path can start or end here.
pub(crate) fn check_node(graph: &impl Graph, node: NodeId) -> Result<(), EndpointError> {
    let nodes = graph.node_count();
    if node as usize >= nodes {
        return Err(EndpointError::Outside { node, nodes });
    }
    if graph.contains(node) { Ok(()) } else { Err(EndpointError::Blocked { node }) }
}

/// What a search found, unless it found nothing only because costs outgrew their numbers.
fn unless_overflow(
    graph: &impl Graph,
    scratch: &Scratch,
    (from, to): (NodeId, NodeId),
    found: Option<Cost>,
) -> Result<Option<Cost>, EndpointError> {
    if found.is_none() && scratch.overflowed() && reaches(graph, from, to) {
        return Err(EndpointError::CostOverflow { from, to });
    }
    Ok(found)
}

/// Whether any path exists, whatever it costs. Looks from both ends in turn: what is cut off is mostly small on
/// one side.
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

/// The nodes that any path leads to, whatever it costs.
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
