//! The separator tree.
//!
//! Regions are numbered level by level from the root, so a parent comes before its children and the
//! regions of a level have consecutive numbers. A *branch* has a separator and one or two children;
//! a *leaf* has none. Edits change the members of regions, but never the tree.
//!
//! The lowest common ancestor of two regions is computed from their path codes: the turns from the
//! root down, one bit per level. The dissection limits the imbalance of its cuts, so 64 bits
//! suffice (`dissect.rs`).

pub(crate) mod dissect;

/// Number of a region.
pub(crate) type RegionId = u32;

/// No region: the parent of the root, an absent child, the home of a node without one.
pub(crate) const NO_REGION: RegionId = RegionId::MAX;

/// The deepest level that a path code can express.
const DEEPEST: u32 = 63;

/// A region in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TreeNode {
    pub(crate) parent: RegionId,
    pub(crate) depth: u32,
    /// The turns from the root down, the first in the highest bit.
    code: u64,
    /// Absent children come last. A leaf has none.
    pub(crate) children: [RegionId; 2],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeparatorTree {
    nodes: Vec<TreeNode>,
}

impl SeparatorTree {
    /// Builds the tree from the number of children (0 to 2) of each region. `None` if the numbers
    /// do not describe a tree or the tree is too deep.
    pub(crate) fn new(children: impl IntoIterator<Item = u32>) -> Option<Self> {
        let root = TreeNode { parent: NO_REGION, depth: 0, code: 0, children: [NO_REGION; 2] };
        let mut nodes = vec![root];
        let mut count = 0;
        for (id, children) in children.into_iter().enumerate() {
            let TreeNode { depth, code, .. } = *nodes.get(id)?;
            if children > 2 || (children > 0 && depth == DEEPEST) {
                return None;
            }
            for turn in 0..children {
                nodes[id].children[turn as usize] = RegionId::try_from(nodes.len()).ok()?;
                nodes.push(TreeNode {
                    parent: id as RegionId,
                    depth: depth + 1,
                    code: code | u64::from(turn) << (DEEPEST - depth),
                    children: [NO_REGION; 2],
                });
            }
            count += 1;
        }
        (count == nodes.len()).then_some(Self { nodes })
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline(always)]
    pub(crate) fn node(&self, id: RegionId) -> &TreeNode {
        &self.nodes[id as usize]
    }

    pub(crate) fn children(&self, id: RegionId) -> impl Iterator<Item = RegionId> + use<> {
        self.node(id).children.into_iter().filter(|&child| child != NO_REGION)
    }

    pub(crate) fn is_leaf(&self, id: RegionId) -> bool {
        self.node(id).children[0] == NO_REGION
    }

    /// The turns from the root down, the first in the highest bit.
    pub(crate) fn code(&self, id: RegionId) -> u64 {
        self.node(id).code
    }

    /// The region and all its ancestors, up to the root.
    pub(crate) fn ancestors(&self, id: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(Some(id), |&id| {
            Some(self.node(id).parent).filter(|&parent| parent != NO_REGION)
        })
    }

    /// The depth of the lowest common ancestor.
    #[inline(always)]
    pub(crate) fn common_depth(&self, a: RegionId, b: RegionId) -> u32 {
        let (a, b) = (self.node(a), self.node(b));
        (a.code ^ b.code).leading_zeros().min(a.depth).min(b.depth)
    }

    /// The lowest common ancestor.
    pub(crate) fn common(&self, a: RegionId, b: RegionId) -> RegionId {
        let depth = self.common_depth(a, b);
        self.ancestors(a).find(|&id| self.node(id).depth == depth).unwrap_or(0)
    }

    /// The regions of each level, from the root down.
    pub(crate) fn levels(&self) -> Vec<std::ops::Range<RegionId>> {
        let mut levels = Vec::new();
        let mut start = 0;
        while (start as usize) < self.nodes.len() {
            let depth = self.node(start).depth;
            let rest = &self.nodes[start as usize..];
            let end = start + rest.partition_point(|node| node.depth == depth) as RegionId;
            levels.push(start..end);
            start = end;
        }
        levels
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_common_ancestors_follow_from_path_codes() {
        // 0 -> 1, 2; 1 -> 3, 4; 2 -> 5; 4 -> 6, 7
        let tree = SeparatorTree::new([2, 2, 1, 0, 2, 0, 0, 0]).unwrap();
        for a in 0..8 {
            for b in 0..8 {
                let above: Vec<RegionId> = tree.ancestors(a).collect();
                let expected = tree.ancestors(b).find(|id| above.contains(id)).unwrap();
                assert_eq!(tree.common(a, b), expected, "{a} and {b}");
            }
        }
        assert_eq!(tree.levels(), [0..1, 1..3, 3..6, 6..8]);
        assert_eq!(tree.children(4).collect::<Vec<_>>(), [6, 7]);
    }

    #[test]
    fn numbers_that_describe_no_tree_are_rejected() {
        assert!(SeparatorTree::new([]).is_none());
        assert!(SeparatorTree::new([2, 0]).is_none());
        assert!(SeparatorTree::new([0, 0]).is_none());
        assert!(SeparatorTree::new([3, 0, 0, 0]).is_none());
        assert!(SeparatorTree::new((0..63).map(|_| 1).chain([0])).is_some());
        assert!(SeparatorTree::new((0..64).map(|_| 1).chain([0])).is_none());
    }
}
