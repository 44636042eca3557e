//! From costs to steps: which of several cheapest ways a field takes.
//!
//! Call an edge *tight* where its weight and the cost at its head make the cost at its tail: the
//! tight edges are those of all cheapest ways. A node goes along its first tight edge, in the map's
//! order, that costs something. Costs fall strictly along such edges, so following them cannot go
//! in circles.
//!
//! Along tight edges that cost nothing it could. Nodes of equal cost that these join form a
//! *plateau*. Those on it that are goals or have a step as above lie at its rim; every other node
//! goes along its first such edge to a node that is one edge nearer to the rim. What is stored are
//! steps alone, no distances to the rim, so a plateau is looked at as a whole.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};

/// The step where there is none; no node has this number.
pub(super) const NO_STEP: NodeId = NodeId::MAX;

/// The costs of a field that are right, for steps to be found by.
pub(super) struct Steps<'a, G> {
    pub(super) graph: &'a G,
    pub(super) goals: &'a [NodeId],
    pub(super) costs: &'a [Cost],
}

impl<G: Graph> Steps<'_, G> {
    /// Finds the steps of these nodes anew, where `level` edges, which cost nothing, are possible
    /// those of their plateaus too.
    pub(super) fn renew(&self, nodes: &[NodeId], level: bool, steps: &mut [NodeId]) {
        let plateaus;
        let nodes = if level {
            plateaus = self.plateaus(nodes);
            &plateaus
        } else {
            nodes
        };
        for &node in nodes {
            steps[node as usize] = self.step_down(node);
        }
        if level {
            self.cross(nodes, steps);
        }
    }

    /// Has every node that a way leads from, but only at a cost beyond counting, step to itself,
    /// and other nodes without a cost nowhere. Says whether there are any.
    pub(super) fn mark_beyond(&self, steps: &mut [NodeId]) -> bool {
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

    /// The first edge of a cheapest way that costs something; itself at a goal.
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

    /// Leads from the inside of plateaus to their rims, whose steps are known.
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
