//! Decomposes a graph into core, chains and trees.
//!
//! No lists of neighbours are stored. Each node has the number of its remaining neighbours and the
//! exclusive or of their ids. So the last remaining neighbour is that value, and the next node on a
//! chain is that value without the previous node.

use crate::graph::{Graph, NodeId};

/// The part of the graph to which a node belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Not a node of the map.
    Absent,
    Core,
    Chain,
    Tree,
}

/// A run of nodes with two neighbours each, between two core nodes, which may be the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    /// The core node before the first node.
    pub(crate) near: NodeId,
    /// The core node after the last node.
    pub(crate) far: NodeId,
    /// End of its nodes in `Decomposition::chain_nodes`. They start at the end of the previous
    /// chain.
    pub(crate) end: usize,
}

/// The trees and chains of a graph.
pub(crate) struct Decomposition {
    pub(crate) roles: Vec<Role>,
    /// The tree nodes, each after all nodes attached to it.
    pub(crate) peeled: Vec<NodeId>,
    pub(crate) chains: Vec<Chain>,
    /// The nodes of all chains, from `near` to `far`.
    pub(crate) chain_nodes: Vec<NodeId>,
    /// Number of remaining neighbours.
    degrees: Vec<u32>,
    /// Exclusive or of the remaining neighbours. For a tree node, the node to which it is attached.
    links: Vec<NodeId>,
}

impl Decomposition {
    /// Decomposes a graph. Nodes for which `keep` is true are core nodes in any case.
    pub(crate) fn of<G: Graph>(graph: &G, keep: impl Fn(NodeId) -> bool) -> Self {
        let mut decomposition = Self::count_neighbours(graph);
        decomposition.remove_trees(&keep);
        decomposition.find_chains(graph, &keep);
        decomposition
    }

    /// The node to which a tree node is attached.
    pub(crate) fn parent(&self, tree_node: NodeId) -> NodeId {
        self.links[tree_node as usize]
    }

    /// All nodes as core nodes, with their neighbours counted.
    fn count_neighbours<G: Graph>(graph: &G) -> Self {
        let count = graph.node_count();
        let mut decomposition = Self {
            roles: vec![Role::Absent; count],
            peeled: Vec::new(),
            chains: Vec::new(),
            chain_nodes: Vec::new(),
            degrees: vec![0; count],
            links: vec![0; count],
        };
        let mut around = Vec::new();
        for node in (0..count as NodeId).filter(|&node| graph.contains(node)) {
            neighbours_into(graph, node, &mut around);
            decomposition.roles[node as usize] = Role::Core;
            decomposition.degrees[node as usize] = around.len() as u32;
            decomposition.links[node as usize] = around.iter().fold(0, |link, &other| link ^ other);
        }
        decomposition
    }

    /// Removes nodes with one remaining neighbour. The last node of a tree has none and stays.
    fn remove_trees(&mut self, keep: &impl Fn(NodeId) -> bool) {
        for start in 0..self.roles.len() as NodeId {
            let mut node = start;
            while self.passes(node, 1, keep) {
                let parent = self.links[node as usize];
                self.roles[node as usize] = Role::Tree;
                self.peeled.push(node);
                self.degrees[parent as usize] -= 1;
                self.links[parent as usize] ^= node;
                node = parent;
            }
        }
    }

    /// Follows the chains from every core node, then from the smallest node of every cycle without
    /// core nodes.
    fn find_chains<G: Graph>(&mut self, graph: &G, keep: &impl Fn(NodeId) -> bool) {
        let mut around = Vec::new();
        for on_cycle in [false, true] {
            for near in 0..self.roles.len() as NodeId {
                let is_core = self.roles[near as usize] == Role::Core;
                if !is_core || self.passes(near, 2, keep) != on_cycle {
                    continue;
                }
                neighbours_into(graph, near, &mut around);
                for &first in &around {
                    if self.passes(first, 2, keep) {
                        self.follow_chain(near, first, keep);
                    }
                }
            }
        }
    }

    fn follow_chain(&mut self, near: NodeId, first: NodeId, keep: &impl Fn(NodeId) -> bool) {
        let (mut before, mut node) = (near, first);
        while node != near && self.passes(node, 2, keep) {
            self.roles[node as usize] = Role::Chain;
            self.chain_nodes.push(node);
            let next = self.links[node as usize] ^ before;
            (before, node) = (node, next);
        }
        self.chains.push(Chain { near, far: node, end: self.chain_nodes.len() });
    }

    /// Whether a core node has this number of remaining neighbours and need not be kept.
    fn passes(&self, node: NodeId, degree: u32, keep: &impl Fn(NodeId) -> bool) -> bool {
        let at = node as usize;
        self.roles[at] == Role::Core && self.degrees[at] == degree && !keep(node)
    }
}

/// The neighbours of a node in either direction, ascending, without duplicates.
fn neighbours_into<G: Graph>(graph: &G, node: NodeId, around: &mut Vec<NodeId>) {
    around.clear();
    let mut add = |other: NodeId| {
        if other != node && graph.contains(other) {
            around.push(other);
        }
    };
    graph.out_edges(node, |head, _| add(head));
    if !graph.is_undirected() {
        graph.in_edges(node, |tail, _| add(tail));
    }
    around.sort_unstable();
    around.dedup();
}
