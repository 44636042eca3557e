//! A* from both ends.
//!
//! A forward and a backward search take turns: the one with the shorter open list expands a node.
//! A node that both have reached gives a path. The best path so far costs `best`.
//!
//! Termination: every unknown path passes through the open list of either side. So once the least
//! lower bound of one side is not below `best`, `best` is optimal. This is true for every
//! admissible bound (Pohl 1971). With *consistent* bounds, two kinds of nodes are not expanded
//! (Pijls and Post 2009): those that the other side has settled, and those whose cost on this side,
//! plus the least bound of the other side, minus the bound of the other side at the node, is not
//! below `best`.

use super::observer::Observer;
use super::queue::Entry;
use super::{EndpointError, Scratch, check_ends, reaches};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Endpoints, Graph, NodeId};
use crate::heuristic::{Heuristic, LowerBound};

/// Scratch space for a search from both ends.
#[derive(Debug, Clone, Default)]
pub struct TwoSided {
    forward: Scratch,
    backward: Scratch,
    meeting: Option<NodeId>,
    /// One bit per node that either side has settled, with consistent bounds.
    settled: Settled,
}

impl TwoSided {
    /// The least cost from one node to another. [`path_into`](Self::path_into) then reads the path.
    pub fn find<G: Graph, H: Heuristic>(
        &mut self,
        graph: &G,
        (from, to): Endpoints,
        heuristic: &H,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        self.meeting = None;
        if !check_ends(graph, (from, to))? {
            return Ok(None);
        }
        let (mut toward, mut away) = (heuristic.forward(from, to), heuristic.backward(from, to));
        let nodes = graph.node_count();
        self.forward.start(nodes, from, &mut toward, observer);
        self.backward.start(nodes, to, &mut away, observer);
        self.settled.start(nodes, heuristic.is_consistent());
        let mut best = Best { cost: UNREACHABLE, meeting: None, overflowed: false };
        if from == to {
            best = Best { cost: 0, meeting: Some(from), overflowed: false };
        }
        let reversed = graph.reversed();
        loop {
            let (this, other) = (&mut self.forward, &mut self.backward);
            let go_on = if this.open_len() <= other.open_len() {
                expand(
                    graph,
                    this,
                    other,
                    (&mut toward, &mut away),
                    observer,
                    &mut self.settled,
                    &mut best,
                )
            } else {
                expand(
                    &reversed,
                    other,
                    this,
                    (&mut away, &mut toward),
                    observer,
                    &mut self.settled,
                    &mut best,
                )
            };
            if !go_on {
                break;
            }
        }
        self.meeting = best.meeting;
        if best.meeting.is_some() {
            return Ok(Some(best.cost));
        }
        let sides = self.forward.overflowed() || self.backward.overflowed();
        let overflowed = sides || best.overflowed;
        if overflowed && reaches(graph, from, to) {
            return Err(EndpointError::overflow(graph.extent(), from, to));
        }
        Ok(None)
    }

    /// Replaces the contents of `path` by the path of the last run; empty if there was none.
    pub fn path_into(&self, path: &mut Vec<NodeId>) {
        path.clear();
        let Some(mut node) = self.meeting else { return };
        self.forward.path_into(node, path);
        loop {
            let next = self.backward.parent(node);
            if next == node {
                break;
            }
            path.push(next);
            node = next;
        }
    }

    /// Bytes held on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.forward.memory_bytes() + self.backward.memory_bytes() + self.settled.memory_bytes()
    }
}

struct Best {
    cost: Cost,
    meeting: Option<NodeId>,
    /// Whether the cost of some path overflowed.
    overflowed: bool,
}

/// Expands one node of this side. Returns `false` if there is no better path.
#[inline(always)]
fn expand<G: Graph>(
    graph: &G,
    this: &mut Scratch,
    other: &mut Scratch,
    (bound, other_bound): (&mut impl LowerBound, &mut impl LowerBound),
    observer: &mut impl Observer,
    settled: &mut Settled,
    best: &mut Best,
) -> bool {
    let Some(Entry { bound: whole, cost, node }) = this.pop() else { return false };
    if whole >= best.cost {
        return false;
    }
    if settled.in_use() {
        if settled.insert(node) {
            return true;
        }
        // A lower bound on the cost between this node and the end of the other side.
        let rest = match (other.least_bound(), other_bound.at(node)) {
            (Some(least), Some(bound)) => least.saturating_sub(bound),
            _ => return true,
        };
        let least = plus(cost, rest);
        best.overflowed |= least.is_none();
        if least.is_none_or(|least| least >= best.cost) {
            return true;
        }
    }
    observer.expanded(node, cost);
    this.relax(graph, (node, cost), bound, observer, |head, cost| {
        let rest = other.label_cost(head);
        if rest == UNREACHABLE {
            return;
        }
        let whole = plus(cost, rest);
        best.overflowed |= whole.is_none();
        if let Some(whole) = whole.filter(|&whole| whole < best.cost) {
            (best.cost, best.meeting) = (whole, Some(head));
        }
    });
    true
}

/// Nodes that one of the sides has settled. Only used with consistent bounds.
#[derive(Debug, Clone, Default)]
struct Settled {
    in_use: bool,
    run: u32,
    stamps: Vec<u32>,
}

impl Settled {
    fn start(&mut self, nodes: usize, in_use: bool) {
        self.in_use = in_use;
        if in_use && self.stamps.len() != nodes {
            *self = Self { in_use, run: 0, stamps: vec![0; nodes] };
        }
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.stamps.fill(0);
            self.run = 1;
        }
    }

    fn in_use(&self) -> bool {
        self.in_use
    }

    /// Marks a node. Returns whether it was already marked.
    fn insert(&mut self, node: NodeId) -> bool {
        std::mem::replace(&mut self.stamps[node as usize], self.run) == self.run
    }

    fn memory_bytes(&self) -> usize {
        self.stamps.capacity() * size_of::<u32>()
    }
}
