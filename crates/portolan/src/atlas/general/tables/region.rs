//! A region of the separator tree with its border and tables.
//!
//! Each core node is a member of one region: of a branch if it belongs to the branch's separator,
//! else of a leaf. The *border* of a region consists of the nodes of higher separators that have an
//! edge into the region or a region below. The *boundary* of a branch is its separator followed by
//! its border; the boundary of a leaf is its border.
//!
//! A path *within* a region uses only members of the region and of the regions below; a border node
//! may be its first or last node.
//!
//! Tables exist for each direction, see [`PerDirection`]. Arrays are in memory or in a mapped index
//! file. An index and its refreshed versions share regions.

use crate::atlas::general::direction::PerDirection;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::store::{Array, Words};

/// A region of the separator tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// The separator of a branch, all nodes of a leaf.
    pub(crate) members: Words,
    /// The border, nodes of higher separators first.
    pub(crate) border: Words,
    /// For each border node its position in the boundary of the parent.
    pub(crate) in_parent: Words,
    /// Border x border: the cost from one border node to another within the region, 0 on the
    /// diagonal.
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
    /// Boundary x separator. Forward: the cost from a boundary node to a separator node within the
    /// region. Backward: the cost from the separator node to the boundary node.
    pub(crate) via: PerDirection<Words>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Members x border. Forward: the cost from a member to a border node within the leaf.
    /// Backward: the cost from the border node to the member.
    pub(crate) reach: PerDirection<Words>,
    /// Border x members. Forward: the next member on the path to a border node. Backward: the
    /// previous member on the path from it. [`BORDER`] if that is the border node itself, or if
    /// there is no path.
    pub(crate) steps: PerDirection<Array<u16>>,
    /// Border x border. Forward: the first member on the path from one border node to another.
    /// Backward: the last member on the path from the other to the one. [`BORDER`] if there is no
    /// path.
    pub(crate) enter: PerDirection<Array<u16>>,
}

/// Instead of a member: the border node itself.
pub(crate) const BORDER: u16 = u16::MAX;

impl Region {
    /// A region with empty tables.
    pub(crate) fn outline(members: Words, border: Words, is_leaf: bool) -> Self {
        let tables = match is_leaf {
            true => RegionTables::Leaf(Leaf::default()),
            false => RegionTables::Branch(Branch::default()),
        };
        Self { members, border, in_parent: Words::default(), crossings: Words::default(), tables }
    }

    /// Bytes of the region when its tables are filled. They follow from the numbers of members and
    /// border nodes, so memory is planned before any table is computed.
    pub(crate) fn memory_bytes(&self, undirected: bool) -> usize {
        /// Overhead of an array: the allocator and the owner of the array, estimated.
        const ARRAY: usize = 32;
        const COST: usize = size_of::<Cost>();
        const STEP: usize = size_of::<u16>();
        let (members, border) = (self.members.len(), self.border.len());
        let directions = if undirected { 1 } else { 2 };
        // Members, border, positions in the parent, crossings.
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

    /// The cost between two border nodes within the region, by their positions in the border.
    #[inline(always)]
    pub(crate) fn crossing_cost(&self, from: usize, to: usize) -> Cost {
        self.crossings[from * self.border.len() + to]
    }
}

/// The node at a position of the boundary.
pub(crate) fn boundary_node(region: &Region, at: usize) -> Option<NodeId> {
    match &region.tables {
        RegionTables::Branch(_) => {
            let width = region.members.len();
            region.members.get(at).or_else(|| region.border.get(at.checked_sub(width)?)).copied()
        }
        RegionTables::Leaf(_) => region.border.get(at).copied(),
    }
}
