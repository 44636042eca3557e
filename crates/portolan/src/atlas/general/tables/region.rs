//! What a region of the tree holds, and where nodes are at home.
//!
//! Every core node is at home in one region: in a branch if it belongs to the branch's separator,
//! else in a leaf. *C* is the separator of a branch, *B* the border of a region: the nodes of
//! higher separators that are joined to it by an edge. Ways *within* a region use its own nodes and
//! those of the regions below it; a border node may be their first or last node only. *F* is C
//! followed by B.
//!
//! Tables of directed maps exist each way, see [`PerDirection`]. All arrays are built in memory or lie in
//! an index file, and regions are shared between an index and its refreshed copies.

use crate::atlas::general::direction::PerDirection;

use crate::cost::Cost;
use crate::graph::NodeId;
use crate::store::{Array, Words};

/// A region: its nodes, its border, its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// The nodes at home here: C of a branch, all nodes inside a leaf.
    pub(crate) members: Words,
    /// B, higher separators first.
    pub(crate) border: Words,
    /// For each border node its place in F of the parent.
    pub(crate) in_parent: Words,
    /// B x B: the cost from one border node to another within the region, 0 on the diagonal.
    pub(crate) crossings: Words,
    pub(crate) tables: RegionTables,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RegionTables {
    Branch(Branch),
    Leaf(Leaf),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branch {
    /// F x C: out, the cost from a node of F to one of C within the region; into, the other way
    /// round.
    pub(crate) via: PerDirection<Words>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Members x B: out, the cost from a member to a border node within the leaf; into, the other
    /// way round.
    pub(crate) reach: PerDirection<Words>,
    /// B x members: the member that follows on the way to a border node (out), or comes before on
    /// the way from it (into); [`BORDER`] where that is the border node itself or there is no way.
    pub(crate) steps: PerDirection<Array<u16>>,
    /// B x B: the first member on the way from one border node to another (out), or the last one on
    /// the way from the other to the one (into); [`BORDER`] where there is no way.
    pub(crate) enter: PerDirection<Array<u16>>,
}

/// No member: the border node itself.
pub(crate) const BORDER: u16 = u16::MAX;

impl Region {
    /// A region with its nodes and its border, whose tables are still to be filled.
    pub(crate) fn outline(members: Words, border: Words, is_leaf: bool) -> Self {
        let tables = match is_leaf {
            true => RegionTables::Leaf(Leaf::default()),
            false => RegionTables::Branch(Branch::default()),
        };
        Self { members, border, in_parent: Words::default(), crossings: Words::default(), tables }
    }

    /// Bytes of everything it holds, or will hold when its tables are filled: they follow from how
    /// many members and border nodes there are. This is what makes it possible to plan before
    /// anything is filled.
    pub(crate) fn memory_bytes(&self, undirected: bool) -> usize {
        /// What the allocator and the array's owner take for each array, about.
        const ARRAY: usize = 32;
        const COST: usize = size_of::<Cost>();
        const STEP: usize = size_of::<u16>();
        let (members, border) = (self.members.len(), self.border.len());
        let directions = if undirected { 1 } else { 2 };
        // Members, border, lift; and what it costs to cross.
        let lists = size_of::<NodeId>() * (members + 2 * border) + COST * border * border;
        let table = match &self.tables {
            RegionTables::Branch(_) => COST * (members + border) * members,
            RegionTables::Leaf(_) => (COST + STEP) * members * border + STEP * border * border,
        };
        size_of::<Self>() + 8 * ARRAY + lists + directions * table
    }

    pub(crate) fn branch(&self) -> Option<&Branch> {
        match &self.tables {
            RegionTables::Branch(branch) => Some(branch),
            RegionTables::Leaf(_) => None,
        }
    }

    pub(crate) fn leaf(&self) -> Option<&Leaf> {
        match &self.tables {
            RegionTables::Leaf(leaf) => Some(leaf),
            RegionTables::Branch(_) => None,
        }
    }

    /// The cost from one border node to another, by their places in the border.
    #[inline(always)]
    pub(crate) fn crossing_cost(&self, from: usize, to: usize) -> Cost {
        self.crossings[from * self.border.len() + to]
    }
}

/// The members and borders of a branch's F, in its order.
pub(crate) fn boundary_node(region: &Region, at: usize) -> Option<NodeId> {
    match &region.tables {
        RegionTables::Branch(_) => {
            let wide = region.members.len();
            region.members.get(at).or_else(|| region.border.get(at.checked_sub(wide)?)).copied()
        }
        RegionTables::Leaf(_) => region.border.get(at).copied(),
    }
}
