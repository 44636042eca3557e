//! What the tables of a region are computed from: the core graph, the tree, the homes of its nodes.

use crate::atlas::general::tables::homes::NodeHomes;
use crate::atlas::separator_tree::{RegionId, Tree};
use crate::graph::{Graph, NodeId, touching};

pub(crate) struct Dissected<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) tree: &'a Tree,
    pub(crate) homes: &'a NodeHomes,
}

impl<G: Graph> Dissected<'_, G> {
    pub(crate) fn undirected(&self) -> bool {
        self.graph.is_undirected()
    }

    /// The depth of a node's home and its number there: what nodes of separators are ordered by.
    pub(crate) fn order(&self, node: NodeId) -> (u32, u32) {
        let home = self.homes.of(node);
        (self.tree.link(home.region).depth, home.slot)
    }

    /// The nodes of higher separators among those at the other ends of the members' edges.
    pub(crate) fn above(&self, home: RegionId, members: &[NodeId], found: &mut Vec<NodeId>) {
        let depth = self.tree.link(home).depth;
        for &member in members {
            touching(self.graph, self.undirected(), member, |other, _| {
                if self.tree.link(self.homes.of(other).region).depth < depth {
                    found.push(other);
                }
            });
        }
    }

    /// Puts the nodes of a border in order, each once.
    pub(crate) fn arrange(&self, border: &mut Vec<NodeId>) {
        border.sort_by_cached_key(|&node| self.order(node));
        border.dedup();
    }
}

/// Finds nodes of a list by their ids.
pub(crate) struct Positions(Vec<(NodeId, u32)>);

impl Positions {
    pub(crate) fn new(nodes: &[NodeId]) -> Self {
        let mut sorted: Vec<(NodeId, u32)> = nodes.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    /// The place of a node in the list.
    pub(crate) fn find(&self, node: NodeId) -> Option<usize> {
        let at = self.0.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(self.0[at].1 as usize)
    }
}
