//! The tree of regions: the leaf of each node, and the subgraphs above each leaf.
//!
//! Subgraphs are numbered level by level from the leaves (level 0) to the top; the children of one
//! parent are consecutive. Every leaf has an ancestor on every level.

use crate::graph::NodeId;

/// The number of a subgraph.
pub(super) type SubgraphId = u32;

/// The leaf of ids that are not nodes.
pub(super) const NO_LEAF: SubgraphId = u32::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegionTree {
    /// The first subgraph of each level, and the end of the last.
    first_of_level: Vec<SubgraphId>,
    /// The parent of each subgraph; the top is its own.
    parents: Vec<SubgraphId>,
    /// The first child of each subgraph, and the end of the last. Leaves have none.
    first_child: Vec<SubgraphId>,
    /// The ancestors of each leaf, starting with itself.
    ancestors: Vec<SubgraphId>,
}

impl RegionTree {
    /// Builds the tree from the number of children of each subgraph, level by level, from the level
    /// above the leaves up to the top, which is alone on its level. Without levels: a single leaf,
    /// which is the top.
    pub(super) fn new(children: &[Vec<u32>]) -> Self {
        let leaves = children.first().map_or(1, |counts| counts.iter().sum());
        let mut first_of_level = vec![0, leaves];
        let mut parents = Vec::new();
        let mut first_child = vec![0; leaves as usize + 1];
        for counts in children {
            let first = first_of_level[first_of_level.len() - 1];
            for (id, &count) in (first..).zip(counts) {
                parents.extend((0..count).map(|_| id));
                first_child.push(parents.len() as u32);
            }
            first_of_level.push(first + counts.len() as u32);
        }
        parents.push(parents.len() as u32);
        let levels = first_of_level.len() - 1;
        let mut ancestors = Vec::with_capacity(leaves as usize * levels);
        for leaf in 0..leaves {
            let mut id = leaf;
            for _ in 0..levels {
                ancestors.push(id);
                id = parents[id as usize];
            }
        }
        Self { first_of_level, parents, first_child, ancestors }
    }

    pub(super) fn levels(&self) -> usize {
        self.first_of_level.len() - 1
    }

    pub(super) fn subgraph_count(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn leaf_count(&self) -> usize {
        self.first_of_level[1] as usize
    }

    /// The subgraphs of a level.
    pub(super) fn level(&self, level: usize) -> std::ops::Range<SubgraphId> {
        self.first_of_level[level]..self.first_of_level[level + 1]
    }

    /// The children of a subgraph; none of a leaf.
    pub(super) fn children(&self, id: SubgraphId) -> std::ops::Range<SubgraphId> {
        self.first_child[id as usize]..self.first_child[id as usize + 1]
    }

    /// The parent; the top is its own.
    pub(super) fn parent(&self, id: SubgraphId) -> SubgraphId {
        self.parents[id as usize]
    }

    /// The subgraphs that contain a leaf, by level.
    #[inline(always)]
    pub(super) fn ancestors(&self, leaf: SubgraphId) -> &[SubgraphId] {
        let levels = self.levels();
        &self.ancestors[leaf as usize * levels..][..levels]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let entries = self.first_of_level.len()
            + self.parents.len()
            + self.first_child.len()
            + self.ancestors.len();
        entries * size_of::<u32>()
    }
}

/// A node's leaf and its number among the leaf's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LeafPosition {
    pub(super) leaf: SubgraphId,
    pub(super) index: u32,
}

/// The leaf position of every node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeafPositions(pub(super) Vec<LeafPosition>);

impl LeafPositions {
    pub(super) fn new(nodes: usize) -> Self {
        Self(vec![LeafPosition { leaf: NO_LEAF, index: 0 }; nodes])
    }

    /// Records the position of the members of a leaf.
    pub(super) fn set_members(&mut self, leaf: SubgraphId, members: &[NodeId]) {
        for (index, &node) in (0..).zip(members) {
            self.0[node as usize] = LeafPosition { leaf, index };
        }
    }

    #[inline(always)]
    pub(super) fn of(&self, node: NodeId) -> Option<LeafPosition> {
        self.0.get(node as usize).copied().filter(|position| position.leaf != NO_LEAF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_and_children_agree() {
        // Five leaves under two subgraphs under the top.
        let tree = RegionTree::new(&[vec![3, 2], vec![2]]);
        assert_eq!((tree.levels(), tree.subgraph_count(), tree.leaf_count()), (3, 8, 5));
        assert_eq!(tree.ancestors(0), [0, 5, 7]);
        assert_eq!(tree.ancestors(4), [4, 6, 7]);
        assert_eq!((tree.children(5), tree.children(6), tree.children(7)), (0..3, 3..5, 5..7));
        assert_eq!((tree.children(2).len(), tree.parent(7)), (0, 7));
        let single = RegionTree::new(&[]);
        assert_eq!((single.levels(), single.ancestors(0)), (1, [0].as_slice()));
    }
}
