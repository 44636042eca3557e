//! A* over abstract nodes, for all three hierarchies and every level.
//!
//! A path within a cluster costs no more in one piece than in two, so from a node that was reached
//! through its cluster the only useful step is to leave it. Such nodes are never opened: expanding
//! the node where a cluster was entered relaxes the inter-edges of all nodes of the cluster at
//! once. Only nodes that an inter-edge leads to are on the open list.
//!
//! A search adds nothing to the graph: the start is given by its costs to the nodes of its cluster,
//! the goal by the costs from the nodes of its own.

use super::{AbstractCluster, AbstractGraph};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::heuristic::Position;
use crate::hpa::clusters::tiling::Slot;
use crate::search::queue::Entry;
use crate::search::{Observer, Scratch};

/// Where a search starts.
#[derive(Clone, Copy)]
pub(crate) enum SearchStart<'a> {
    /// In a cluster, with these costs to its nodes.
    Cluster(u32, &'a [Cost]),
    /// At a node.
    Slot(Slot),
}

/// Where a search ends: in a cluster whose nodes have these costs to the goal.
#[derive(Clone, Copy)]
pub(crate) struct SearchGoal<'a> {
    pub(crate) cluster: u32,
    pub(crate) costs: &'a [Cost],
    /// Whether the search ends at the first node taken off the open list from which the goal can be
    /// reached within the cluster; otherwise it ends with the best path.
    pub(crate) first: bool,
    /// The cost of the path that does not leave the start's cluster.
    pub(crate) direct: Cost,
}

/// The best path that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AbstractRoute {
    pub(crate) cost: Cost,
    /// The node from which the path continues to the goal; `None` for the direct path.
    pub(crate) last: Option<Slot>,
}

/// Runs a search. `bound` is a lower bound from a place to the goal; nodes that are not `within`
/// are skipped.
pub(crate) fn search<A: AbstractGraph>(
    graph: &A,
    scratch: &mut Scratch,
    start: SearchStart<'_>,
    goal: SearchGoal<'_>,
    bound: impl Fn(Position) -> Cost,
    within: impl Fn(Slot) -> bool,
    observer: &mut impl Observer,
) -> Option<AbstractRoute> {
    scratch.begin(graph.slots());
    let mut run = AbstractSearch {
        graph,
        scratch,
        goal,
        bound,
        within,
        observer,
        best: goal.direct,
        last: None,
    };
    match start {
        SearchStart::Cluster(id, costs) => {
            let cluster = graph.cluster(id);
            for (index, &cost) in costs.iter().enumerate().take(cluster.len()) {
                let slot = cluster.slot(index);
                if cost != UNREACHABLE && run.scratch.improve(slot, cost, slot) {
                    run.note(id, index, slot, cost);
                    run.leave(cluster, index, cost);
                }
            }
        }
        SearchStart::Slot(slot) => {
            run.scratch.improve(slot, 0, slot);
            run.scratch.put_back(Entry { bound: 0, cost: 0, node: slot });
        }
    }
    while let Some(Entry { bound, cost, node }) = run.scratch.pop() {
        if bound >= run.best || !run.expand(node, cost) {
            break;
        }
    }
    (run.best != UNREACHABLE).then_some(AbstractRoute { cost: run.best, last: run.last })
}

/// A goal that is never reached, for searches that compute the costs of all nodes.
pub(crate) const NO_GOAL: SearchGoal<'static> =
    SearchGoal { cluster: u32::MAX, costs: &[], first: false, direct: UNREACHABLE };

struct AbstractSearch<'a, A, B, W, O> {
    graph: &'a A,
    scratch: &'a mut Scratch,
    goal: SearchGoal<'a>,
    bound: B,
    within: W,
    observer: &'a mut O,
    best: Cost,
    last: Option<Slot>,
}

impl<A, B, W, O> AbstractSearch<'_, A, B, W, O>
where
    A: AbstractGraph,
    B: Fn(Position) -> Cost,
    W: Fn(Slot) -> bool,
    O: Observer,
{
    /// Expands a node that an inter-edge leads to; returns false if that ends the search.
    fn expand(&mut self, slot: Slot, cost: Cost) -> bool {
        self.observer.expanded(self.graph.node(slot), cost);
        let id = self.graph.cluster_of(slot);
        let cluster = self.graph.cluster(id);
        let Some(from) = self.graph.index(cluster, slot) else { return true };
        if self.goal.first && id == self.goal.cluster {
            self.finish(from, slot, cost);
            if self.best != UNREACHABLE {
                return false;
            }
        }
        self.note(id, from, slot, cost);
        self.graph.intra_edges(cluster, from, |index, intra_edge| {
            let Some(cost) = plus(cost, intra_edge) else { return self.scratch.note_overflow() };
            let other = cluster.slot(index);
            if other == slot {
                self.leave(cluster, index, cost);
            } else if self.scratch.improve(other, cost, slot) {
                self.note(id, index, other, cost);
                self.leave(cluster, index, cost);
            }
        });
        true
    }

    /// Opens the nodes that the inter-edges of a node lead to.
    #[inline(always)]
    fn leave(&mut self, cluster: &A::Cluster, index: usize, cost: Cost) {
        let tail = cluster.slot(index);
        for link in cluster.inter_edges(index) {
            if !(self.within)(link.head) {
                continue;
            }
            let rest = (self.bound)(link.position);
            let sums = plus(cost, link.weight).and_then(|cost| Some((cost, plus(cost, rest)?)));
            let Some((cost, bound)) = sums else {
                self.scratch.note_overflow();
                continue;
            };
            if bound < self.best && self.scratch.improve(link.head, cost, tail) {
                self.observer.generated(self.graph.node(link.head), cost);
                self.scratch.put_back(Entry { bound, cost, node: link.head });
            }
        }
    }

    /// Called for every node reached: the goal may be in the same cluster.
    #[inline(always)]
    fn note(&mut self, id: u32, index: usize, slot: Slot, cost: Cost) {
        if id == self.goal.cluster && !self.goal.first {
            self.finish(index, slot, cost);
        }
    }

    /// Continues to the goal if it can be reached within the cluster.
    fn finish(&mut self, index: usize, slot: Slot, cost: Cost) {
        let rest = self.goal.costs.get(index).copied().unwrap_or(UNREACHABLE);
        if rest == UNREACHABLE {
            return;
        }
        match plus(cost, rest) {
            Some(whole) if whole < self.best => (self.best, self.last) = (whole, Some(slot)),
            Some(_) => {}
            None => self.scratch.note_overflow(),
        }
    }
}
