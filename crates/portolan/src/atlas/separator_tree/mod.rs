//! The separator tree: which region lies in which.
//!
//! Regions are numbered level by level from the root, so a parent comes before its children and the
//! regions of a level stand side by side. A *branch* has a separator and one or two children; a
//! *leaf* has none. The shape never changes after the build; edits change what regions hold.
//!
//! Where two regions part is read off their path codes, the turns from the root down in 64 bits.
//! Cuts keep sides within a share of the whole, so that 64 levels are never used up (`dissect.rs`).

pub(crate) mod dissect;

/// The number of a region.
pub(crate) type RegionId = u32;

/// No region: the parent of the root, a missing child, the home of a node that has none.
pub(crate) const NONE: RegionId = RegionId::MAX;

/// The deepest level that a path code can tell.
const DEEPEST: u32 = 63;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) parent: RegionId,
    pub(crate) depth: u32,
    /// The turns from the root, the first in the highest bit.
    code: u64,
    /// Absent children last; both are absent at a leaf.
    pub(crate) children: [RegionId; 2],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    links: Vec<Link>,
}

impl Tree {
    /// The tree with so many children, 0 to 2, at each region in the order of their numbers. `None`
    /// where these make no tree, or one that is too deep.
    pub(crate) fn new(children: impl IntoIterator<Item = u32>) -> Option<Self> {
        let root = Link { parent: NONE, depth: 0, code: 0, children: [NONE; 2] };
        let mut links = vec![root];
        let mut count = 0;
        for (id, children) in children.into_iter().enumerate() {
            let Link { depth, code, .. } = *links.get(id)?;
            if children > 2 || (children > 0 && depth == DEEPEST) {
                return None;
            }
            for turn in 0..children {
                links[id].children[turn as usize] = RegionId::try_from(links.len()).ok()?;
                links.push(Link {
                    parent: id as RegionId,
                    depth: depth + 1,
                    code: code | u64::from(turn) << (DEEPEST - depth),
                    children: [NONE; 2],
                });
            }
            count += 1;
        }
        (count == links.len()).then_some(Self { links })
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    #[inline(always)]
    pub(crate) fn link(&self, id: RegionId) -> &Link {
        &self.links[id as usize]
    }

    pub(crate) fn children(&self, id: RegionId) -> impl Iterator<Item = RegionId> + use<> {
        self.link(id).children.into_iter().filter(|&child| child != NONE)
    }

    pub(crate) fn is_leaf(&self, id: RegionId) -> bool {
        self.link(id).children[0] == NONE
    }

    /// The turns from the root, the first in the highest bit.
    pub(crate) fn code(&self, id: RegionId) -> u64 {
        self.link(id).code
    }

    /// From a region up to the root, itself included.
    pub(crate) fn up_from(&self, id: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(Some(id), |&id| {
            Some(self.link(id).parent).filter(|&parent| parent != NONE)
        })
    }

    /// How deep the smallest region lies that holds both.
    #[inline(always)]
    pub(crate) fn common_depth(&self, a: RegionId, b: RegionId) -> u32 {
        let (a, b) = (self.link(a), self.link(b));
        (a.code ^ b.code).leading_zeros().min(a.depth).min(b.depth)
    }

    /// The smallest region that holds both.
    pub(crate) fn common(&self, a: RegionId, b: RegionId) -> RegionId {
        let depth = self.common_depth(a, b);
        self.up_from(a).find(|&id| self.link(id).depth == depth).unwrap_or(0)
    }

    /// The regions of each level, the root's first.
    pub(crate) fn levels(&self) -> Vec<std::ops::Range<RegionId>> {
        let mut levels = Vec::new();
        let mut start = 0;
        while (start as usize) < self.links.len() {
            let depth = self.link(start).depth;
            let rest = &self.links[start as usize..];
            let end = start + rest.partition_point(|link| link.depth == depth) as RegionId;
            levels.push(start..end);
            start = end;
        }
        levels
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.links.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_part_where_their_codes_do() {
        // 0 -> 1, 2; 1 -> 3, 4; 2 -> 5; 4 -> 6, 7
        let tree = Tree::new([2, 2, 1, 0, 2, 0, 0, 0]).unwrap();
        for a in 0..8 {
            for b in 0..8 {
                let above: Vec<RegionId> = tree.up_from(a).collect();
                let expected = tree.up_from(b).find(|id| above.contains(id)).unwrap();
                assert_eq!(tree.common(a, b), expected, "{a} and {b}");
            }
        }
        assert_eq!(tree.levels(), [0..1, 1..3, 3..6, 6..8]);
        assert_eq!(tree.children(4).collect::<Vec<_>>(), [6, 7]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        assert!(Tree::new([]).is_none());
        assert!(Tree::new([2, 0]).is_none());
        assert!(Tree::new([0, 0]).is_none());
        assert!(Tree::new([3, 0, 0, 0]).is_none());
        assert!(Tree::new((0..63).map(|_| 1).chain([0])).is_some());
        assert!(Tree::new((0..64).map(|_| 1).chain([0])).is_none());
    }
}
