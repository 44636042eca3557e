//! Steps from costs: which of several cheapest paths a field takes.
//!
//! An edge is *tight* if its weight plus the cost of its head equals the cost of its tail. The
//! tight edges are those of all cheapest paths. A node steps along its first tight edge of positive
//! weight, in the order of the map. Costs strictly decrease along such edges, so there are no
//! cycles.
//!
//! Tight edges of weight zero could form cycles. Nodes of equal cost that they connect form a
//! *plateau*. Its *rim* are the goals and the nodes with a step as above. Every other node steps
//! along its first such edge to a node that is one edge nearer to the rim. Distances to the rim are
//! not stored, so a plateau is always processed as a whole.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};

/// No step. No node has this id.
pub(super) const NO_STEP: NodeId = NodeId::MAX;

/// The final costs of a field, which determine its steps.
pub(super) struct Steps<'a, G> {
    pub(super) graph: &'a G,
    pub(super) goals: &'a [NodeId],
    pub(super) costs: &'a [Cost],
}

impl<G: Graph> Steps<'_, G> {
    /// Computes the steps of these nodes and, if there may be edges of weight zero, of their
    /// plateaus.
    pub(super) fn update(&self, nodes: &[NodeId], has_zero_edges: bool, steps: &mut [NodeId]) {
        let plateaus;
        let nodes = if has_zero_edges {
            plateaus = self.plateaus(nodes);
            &plateaus
        } else {
            nodes
        };
        for &node in nodes {
            steps[node as usize] = self.step_down(node);
        }
        if has_zero_edges {
            self.cross(nodes, steps);
        }
    }

    /// Makes nodes whose cost overflows step to themselves, and other nodes without a cost nowhere.
    /// Returns whether a cost overflows.
    pub(super) fn mark_overflowed(&self, steps: &mut [NodeId]) -> bool {
        let mut open = Vec::new();
        for (node, step) in (0..).zip(steps.iter_mut()) {
            match self.costs[node as usize] {
                UNREACHABLE => *step = NO_STEP,
                _ => open.push(node),
            }
        }
        let mut any = false;
        while let Some(node) = open.pop() {
            self.graph.in_edges(node, |tail, _| {
                let step = &mut steps[tail as usize];
                if self.costs[tail as usize] == UNREACHABLE && *step == NO_STEP {
                    *step = tail;
                    any = true;
                    open.push(tail);
                }
            });
        }
        any
    }

    /// The head of the first tight edge of positive weight; the node itself at a goal.
    fn step_down(&self, node: NodeId) -> NodeId {
        let cost = self.costs[node as usize];
        if cost == UNREACHABLE {
            return NO_STEP;
        }
        if cost == 0 && self.goals.binary_search(&node).is_ok() {
            return node;
        }
        let mut step = NO_STEP;
        self.graph.out_edges(node, |head, weight| {
            let rest = self.costs[head as usize];
            if step == NO_STEP && weight > 0 && plus(weight, rest) == Some(cost) {
                step = head;
            }
        });
        step
    }

    /// These nodes and all others on their plateaus.
    fn plateaus(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut all = nodes.to_vec();
        let mut known: HashSet<NodeId> = nodes.iter().copied().collect();
        let mut at = 0;
        while let Some(&node) = all.get(at) {
            at += 1;
            let cost = self.costs[node as usize];
            if cost == UNREACHABLE {
                continue;
            }
            let mut join = |other: NodeId, weight: Cost| {
                if weight == 0 && self.costs[other as usize] == cost && known.insert(other) {
                    all.push(other);
                }
            };
            self.graph.out_edges(node, &mut join);
            self.graph.in_edges(node, join);
        }
        all
    }

    /// Computes steps inside plateaus toward their rims, whose steps are known.
    fn cross(&self, nodes: &[NodeId], steps: &mut [NodeId]) {
        let rim = |node: &NodeId| steps[*node as usize] != NO_STEP;
        let mut order: Vec<NodeId> = nodes.iter().copied().filter(rim).collect();
        let mut away: HashMap<NodeId, u32> = order.iter().map(|&node| (node, 0)).collect();
        let first_inside = order.len();
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            at += 1;
            let farther = away.get(&node).map_or(0, |edges| edges + 1);
            self.graph.in_edges(node, |tail, weight| {
                if weight == 0
                    && self.costs[tail as usize] == self.costs[node as usize]
                    && let Entry::Vacant(place) = away.entry(tail)
                {
                    place.insert(farther);
                    order.push(tail);
                }
            });
        }
        for &node in &order[first_inside..] {
            self.graph.out_edges(node, |head, weight| {
                let level = weight == 0 && self.costs[head as usize] == self.costs[node as usize];
                let edges = away.get(&head).map(|edges| edges + 1);
                if level && steps[node as usize] == NO_STEP && edges == away.get(&node).copied() {
                    steps[node as usize] = head;
                }
            });
        }
    }
}
