//! Homes: the region in which each core node is a member.

use std::sync::Arc;

use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::graph::NodeId;

/// The region in which a node is a member, and its position among the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) region: RegionId,
    pub(crate) slot: u32,
}

impl Home {
    pub(crate) const NONE: Self = Self { region: NO_REGION, slot: 0 };
}

/// The homes of all nodes, in chunks that clones share until one is written to.
#[derive(Debug, Clone)]
pub(crate) struct NodeHomes {
    chunks: Vec<Arc<[Home]>>,
    len: usize,
}

/// Nodes in a chunk: enough that the list of chunks stays in the first-level cache, few enough
/// that a chunk is copied quickly.
const CHUNK: usize = 1 << 12;

impl NodeHomes {
    /// No node has a home.
    pub(crate) fn new(nodes: usize) -> Self {
        let mut homes = Self { chunks: Vec::new(), len: 0 };
        homes.grow(nodes);
        homes
    }

    /// The homes by node id.
    pub(crate) fn from_list(homes: &[Home]) -> Self {
        let chunk = |homes: &[Home]| {
            let rest = std::iter::repeat_n(Home::NONE, CHUNK - homes.len());
            homes.iter().copied().chain(rest).collect()
        };
        Self { chunks: homes.chunks(CHUNK).map(chunk).collect(), len: homes.len() }
    }

    /// Makes space for at least this many nodes. New nodes have no home.
    pub(crate) fn grow(&mut self, nodes: usize) {
        if nodes.div_ceil(CHUNK) > self.chunks.len() {
            let empty: Arc<[Home]> = vec![Home::NONE; CHUNK].into();
            self.chunks.resize(nodes.div_ceil(CHUNK), empty);
        }
        self.len = self.len.max(nodes);
    }

    /// The home of a node; [`Home::NONE`] if the node is not in the core.
    #[inline(always)]
    pub(crate) fn of(&self, node: NodeId) -> Home {
        let chunk = self.chunks.get(node as usize / CHUNK);
        chunk.map_or(Home::NONE, |chunk| chunk[node as usize % CHUNK])
    }

    pub(crate) fn set(&mut self, node: NodeId, home: Home) {
        if let Some(chunk) = self.chunks.get_mut(node as usize / CHUNK) {
            Arc::make_mut(chunk)[node as usize % CHUNK] = home;
        }
    }

    /// Sets the homes of the members of a region.
    pub(crate) fn set_members(&mut self, region: RegionId, members: &[NodeId]) {
        for (slot, &node) in (0..).zip(members) {
            self.set(node, Home { region, slot });
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Home>()
    }

    /// The size of a list of this many homes.
    pub(crate) fn bytes(nodes: usize) -> usize {
        nodes.next_multiple_of(CHUNK) * size_of::<Home>()
    }
}
