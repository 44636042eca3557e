//! Which nodes are core nodes, which lie on chains, and which in trees.
//!
//! No list of neighbours is stored. Of each node the number of neighbours left is kept, and their
//! ids combined by exclusive or: the last one left is that combination itself, and on a chain the
//! next node is the combination without the one before.

use crate::graph::{Graph, NodeId};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Not a node of the map.
    Absent,
    Core,
    Chain,
    Tree,
}

/// A run of nodes with two neighbours each, between two core nodes that may be the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    /// The core node before the first.
    pub(crate) near: NodeId,
    /// The core node after the last.
    pub(crate) far: NodeId,
    /// Where its nodes end in `Shape::chain_nodes`; they begin where those of the chain before end.
    pub(crate) end: usize,
}

/// The trees and chains of a graph.
pub(crate) struct Decomposition {
    pub(crate) roles: Vec<Role>,
    /// The tree nodes, each after all that hang on it.
    pub(crate) peeled: Vec<NodeId>,
    pub(crate) chains: Vec<Chain>,
    /// The nodes of all chains, in their order from `near` to `far`.
    pub(crate) chain_nodes: Vec<NodeId>,
    /// How many neighbours are left.
    degrees: Vec<u32>,
    /// The neighbours left, combined by exclusive or; of a tree node, the neighbour it hangs on.
    links: Vec<NodeId>,
}

impl Decomposition {
    /// The shape of a graph where these nodes are core nodes in any case.
    pub(crate) fn of<G: Graph>(graph: &G, keep: impl Fn(NodeId) -> bool) -> Self {
        let mut shape = Self::without_trees(graph);
        shape.take_off_trees(&keep);
        shape.find_chains(graph, &keep);
        shape
    }

    /// The node that a tree node hangs on.
    pub(crate) fn parent(&self, tree_node: NodeId) -> NodeId {
        self.links[tree_node as usize]
    }

    /// All nodes as core nodes, with their neighbours counted.
    fn without_trees<G: Graph>(graph: &G) -> Self {
        let count = graph.node_count();
        let mut shape = Self {
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
            shape.roles[node as usize] = Role::Core;
            shape.degrees[node as usize] = around.len() as u32;
            shape.links[node as usize] = around.iter().fold(0, |link, &other| link ^ other);
        }
        shape
    }

    /// Takes off nodes with one neighbour left. The last node of a tree has none and stays.
    fn take_off_trees(&mut self, keep: &impl Fn(NodeId) -> bool) {
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
    /// one.
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

    /// Whether a node that is still in the core has so many neighbours left and need not be kept.
    fn passes(&self, node: NodeId, degree: u32, keep: &impl Fn(NodeId) -> bool) -> bool {
        let at = node as usize;
        self.roles[at] == Role::Core && self.degrees[at] == degree && !keep(node)
    }
}

/// The other nodes that edges in any direction join with this one, ascending, each once.
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
