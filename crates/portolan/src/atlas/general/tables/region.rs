//! What a region of the tree holds, and where nodes are at home.
//!
//! Every core node is at home in one region: in a branch if it belongs to the branch's separator,
//! else in a leaf. *C* is the separator of a branch, *B* the border of a region: the nodes of
//! higher separators that are joined to it by an edge. Ways *within* a region use its own nodes and
//! those of the regions below it; a border node may be their first or last node only. *F* is C
//! followed by B.
//!
//! Tables of directed maps exist each way, see [`Both`]. All arrays are built in memory or lie in
//! an index file, and regions are shared between an index and its refreshed copies.

use std::sync::Arc;

use crate::atlas::separator_tree::{NONE, RegionId};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::store::{Array, Element, Words};

/// Along the edges, from the start of a path, or against them, from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Out,
    Into,
}

/// A table for each way; one serves both on undirected maps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Both<T> {
    pub(crate) out: T,
    pub(crate) into: Option<T>,
}

impl<T> Both<T> {
    #[inline(always)]
    pub(crate) fn way(&self, way: Way) -> &T {
        match (way, &self.into) {
            (Way::Into, Some(into)) => into,
            _ => &self.out,
        }
    }

    /// The table for each way there is one.
    pub(crate) fn each(&self) -> impl Iterator<Item = &T> {
        [&self.out].into_iter().chain(&self.into)
    }

    /// Makes the tables: one on undirected maps.
    pub(crate) fn make(undirected: bool, mut make: impl FnMut(Way) -> T) -> Self {
        Self { out: make(Way::Out), into: (!undirected).then(|| make(Way::Into)) }
    }
}

impl<T: Element> Both<Array<T>> {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.each().map(Array::memory_bytes).sum()
    }
}

/// A region: its nodes, its border, its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// The nodes at home here: C of a branch, all nodes inside a leaf.
    pub(crate) members: Words,
    /// B, higher separators first.
    pub(crate) border: Words,
    /// For each border node its place in F of the parent.
    pub(crate) lift: Words,
    /// B x B: the cost from one border node to another within the region, 0 on the diagonal.
    pub(crate) cross: Words,
    pub(crate) tables: Tables,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tables {
    Branch(Branch),
    Leaf(Leaf),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branch {
    /// F x C: out, the cost from a node of F to one of C within the region; into, the other way
    /// round.
    pub(crate) via: Both<Words>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Members x B: out, the cost from a member to a border node within the leaf; into, the other
    /// way round.
    pub(crate) reach: Both<Words>,
    /// B x members: the member that follows on the way to a border node (out), or comes before on
    /// the way from it (into); [`BORDER`] where that is the border node itself or there is no way.
    pub(crate) steps: Both<Array<u16>>,
    /// B x B: the first member on the way from one border node to another (out), or the last one on
    /// the way from the other to the one (into); [`BORDER`] where there is no way.
    pub(crate) enter: Both<Array<u16>>,
}

/// No member: the border node itself.
pub(crate) const BORDER: u16 = u16::MAX;

impl Region {
    /// A region with its nodes and its border, whose tables are still to be filled.
    pub(crate) fn outline(members: Words, border: Words, is_leaf: bool) -> Self {
        let tables = match is_leaf {
            true => Tables::Leaf(Leaf::default()),
            false => Tables::Branch(Branch::default()),
        };
        Self { members, border, lift: Words::default(), cross: Words::default(), tables }
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
        let ways = if undirected { 1 } else { 2 };
        // Members, border, lift; and what it costs to cross.
        let lists = size_of::<NodeId>() * (members + 2 * border) + COST * border * border;
        let table = match &self.tables {
            Tables::Branch(_) => COST * (members + border) * members,
            Tables::Leaf(_) => (COST + STEP) * members * border + STEP * border * border,
        };
        size_of::<Self>() + 8 * ARRAY + lists + ways * table
    }

    pub(crate) fn branch(&self) -> Option<&Branch> {
        match &self.tables {
            Tables::Branch(branch) => Some(branch),
            Tables::Leaf(_) => None,
        }
    }

    pub(crate) fn leaf(&self) -> Option<&Leaf> {
        match &self.tables {
            Tables::Leaf(leaf) => Some(leaf),
            Tables::Branch(_) => None,
        }
    }

    /// The cost from one border node to another, by their places in the border.
    #[inline(always)]
    pub(crate) fn crossing(&self, from: usize, to: usize) -> Cost {
        self.cross[from * self.border.len() + to]
    }
}

/// Where a node is at home, and its number among the members there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) home: RegionId,
    pub(crate) slot: u32,
}

impl Place {
    pub(crate) const NOWHERE: Self = Self { home: NONE, slot: 0 };
}

/// The places of all nodes, in pieces that copies share until one is written to.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pieces: Vec<Arc<[Place]>>,
    len: usize,
}

/// Nodes in a piece: enough that the list of pieces stays in the fastest cache, few enough to copy
/// at once.
const PIECE: usize = 1 << 12;

impl Places {
    pub(crate) fn new(nodes: usize) -> Self {
        let mut places = Self { pieces: Vec::new(), len: 0 };
        places.grow(nodes);
        places
    }

    /// The places of all nodes, by their ids.
    pub(crate) fn from_list(places: &[Place]) -> Self {
        let piece = |places: &[Place]| {
            let rest = std::iter::repeat_n(Place::NOWHERE, PIECE - places.len());
            places.iter().copied().chain(rest).collect()
        };
        Self { pieces: places.chunks(PIECE).map(piece).collect(), len: places.len() }
    }

    /// Room for so many nodes, those that are new nowhere.
    pub(crate) fn grow(&mut self, nodes: usize) {
        if nodes.div_ceil(PIECE) > self.pieces.len() {
            let empty: Arc<[Place]> = vec![Place::NOWHERE; PIECE].into();
            self.pieces.resize(nodes.div_ceil(PIECE), empty);
        }
        self.len = self.len.max(nodes);
    }

    /// Where a node is at home; [`Place::NOWHERE`] for nodes that are not in the core.
    #[inline(always)]
    pub(crate) fn of(&self, node: NodeId) -> Place {
        let piece = self.pieces.get(node as usize / PIECE);
        piece.map_or(Place::NOWHERE, |piece| piece[node as usize % PIECE])
    }

    pub(crate) fn set(&mut self, node: NodeId, place: Place) {
        if let Some(piece) = self.pieces.get_mut(node as usize / PIECE) {
            Arc::make_mut(piece)[node as usize % PIECE] = place;
        }
    }

    /// Writes down the members of a region.
    pub(crate) fn settle(&mut self, home: RegionId, members: &[NodeId]) {
        for (slot, &node) in (0..).zip(members) {
            self.set(node, Place { home, slot });
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.pieces.len() * PIECE * size_of::<Place>()
    }
}
