//! The input of the tables: a core graph, its separator tree, and the homes of its nodes.

use super::homes::NodeHomes;
use crate::atlas::separator_tree::{RegionId, SeparatorTree};
use crate::graph::{Graph, NodeId, touching};

pub(crate) struct Dissected<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) tree: &'a SeparatorTree,
    pub(crate) homes: &'a NodeHomes,
}

impl<G: Graph> Dissected<'_, G> {
    pub(crate) fn undirected(&self) -> bool {
        self.graph.is_undirected()
    }

    /// The depth of a node's home and its position there. Borders are sorted by it.
    pub(crate) fn order(&self, node: NodeId) -> (u32, u32) {
        let home = self.homes.of(node);
        (self.tree.node(home.region).depth, home.slot)
    }

    /// Appends the neighbours of the members whose homes are above this region.
    pub(crate) fn collect_higher_neighbours(
        &self,
        home: RegionId,
        members: &[NodeId],
        found: &mut Vec<NodeId>,
    ) {
        let depth = self.tree.node(home).depth;
        for &member in members {
            touching(self.graph, self.undirected(), member, |other, _| {
                if self.tree.node(self.homes.of(other).region).depth < depth {
                    found.push(other);
                }
            });
        }
    }

    /// Sorts the nodes of a border and removes duplicates.
    pub(crate) fn sort_border(&self, border: &mut Vec<NodeId>) {
        border.sort_by_cached_key(|&node| self.order(node));
        border.dedup();
    }
}

/// Positions of nodes in a list.
pub(crate) struct Positions(Vec<(NodeId, u32)>);

impl Positions {
    pub(crate) fn new(nodes: &[NodeId]) -> Self {
        let mut sorted: Vec<(NodeId, u32)> = nodes.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    pub(crate) fn find(&self, node: NodeId) -> Option<usize> {
        let at = self.0.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(self.0[at].1 as usize)
    }
}
