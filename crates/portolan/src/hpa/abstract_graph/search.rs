//! A* over abstract nodes, for all three hierarchies and every level.
//!
//! A way inside a cluster costs no more in one piece than in two, so a node that was reached
//! through its cluster has nothing to do but leave it. Such nodes are therefore not opened: whoever
//! expands the node at which a cluster was entered goes on along the inter_edges of all others at once.
//! Only nodes that a link leads to are on the open list.
//!
//! Nothing is added to the graph for a search: the start is what it costs to the nodes of its
//! cluster, the goal what it costs from those of its own.

use super::{AbstractCluster, AbstractGraph};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::heuristic::Position;
use crate::hpa::clusters::tiling::Slot;
use crate::search::queue::Entry;
use crate::search::{Observer, Scratch};

/// Where a search starts.
#[derive(Clone, Copy)]
pub(crate) enum SearchStart<'a> {
    /// In a cluster, from where its nodes cost so much.
    Cluster(u32, &'a [Cost]),
    /// At a node.
    Slot(Slot),
}

/// Where a search ends: in a cluster whose nodes are so far from the goal.
#[derive(Clone, Copy)]
pub(crate) struct SearchGoal<'a> {
    pub(crate) cluster: u32,
    pub(crate) costs: &'a [Cost],
    /// Whether the first node taken off the open list from which the goal can be reached inside the
    /// cluster ends the search; else the best way does.
    pub(crate) first: bool,
    /// What a way costs that does not leave the cluster of the start.
    pub(crate) direct: Cost,
}

/// The best way that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AbstractRoute {
    pub(crate) cost: Cost,
    /// The node from which it goes on to the goal; `None` for the direct way.
    pub(crate) last: Option<Slot>,
}

/// Searches; `bound` is a lower bound from a place to the goal, and nodes that are not `within` are
/// left out.
pub(crate) fn search<A: AbstractGraph>(
    graph: &A,
    scratch: &mut Scratch,
    source: SearchStart<'_>,
    target: SearchGoal<'_>,
    bound: impl Fn(Position) -> Cost,
    within: impl Fn(Slot) -> bool,
    observer: &mut impl Observer,
) -> Option<AbstractRoute> {
    scratch.begin(graph.slots());
    let mut run = AbstractSearch {
        graph,
        scratch,
        target,
        bound,
        within,
        observer,
        best: target.direct,
        last: None,
    };
    match source {
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

/// A target that is never reached, for searches that are to find what all nodes cost.
pub(crate) const NO_GOAL: SearchGoal<'static> =
    SearchGoal { cluster: u32::MAX, costs: &[], first: false, direct: UNREACHABLE };

struct AbstractSearch<'a, A, B, W, O> {
    graph: &'a A,
    scratch: &'a mut Scratch,
    target: SearchGoal<'a>,
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
    /// Goes on from a node that a link leads to; false where that ends the search.
    fn expand(&mut self, slot: Slot, cost: Cost) -> bool {
        self.observer.expanded(self.graph.node(slot), cost);
        let id = self.graph.cluster_of(slot);
        let cluster = self.graph.cluster(id);
        let Some(from) = self.graph.index(cluster, slot) else { return true };
        if self.target.first && id == self.target.cluster {
            self.finish(from, slot, cost);
            if self.best != UNREACHABLE {
                return false;
            }
        }
        self.note(id, from, slot, cost);
        self.graph.intra_edges(cluster, from, |index, way| {
            let Some(cost) = plus(cost, way) else { return self.scratch.note_overflow() };
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

    /// Opens the nodes that the inter_edges of a node lead to.
    #[inline(always)]
    fn leave(&mut self, cluster: &A::Cluster, index: usize, cost: Cost) {
        let tail = cluster.slot(index);
        for link in cluster.inter_edges(index) {
            if !(self.within)(link.head) {
                continue;
            }
            let rest = (self.bound)(link.spot);
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

    /// A node was reached: perhaps the goal is near.
    #[inline(always)]
    fn note(&mut self, id: u32, index: usize, slot: Slot, cost: Cost) {
        if id == self.target.cluster && !self.target.first {
            self.finish(index, slot, cost);
        }
    }

    /// Goes on to the goal, if that can be reached inside the cluster.
    fn finish(&mut self, index: usize, slot: Slot, cost: Cost) {
        let rest = self.target.costs.get(index).copied().unwrap_or(UNREACHABLE);
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
