//! Homes: by node of the map, where the core nodes are at home by which it is tied to the core.
//!
//! They are found from the node's record and the places of the core nodes, one after the other;
//! here they are found while the record is waited for.

use crate::atlas::general::core::ReducedGraph;
use crate::atlas::general::tables::homes::{Home, NodeHomes};
use crate::graph::{Graph, NodeId};
use crate::kernel::prefetch;
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccessHomes {
    /// The home and the number there of both core nodes.
    pub(crate) homes: Words,
}

/// Words for each node.
const HOMES: usize = 4;

impl AccessHomes {
    pub(crate) fn new(reduced: &ReducedGraph, homes: &NodeHomes) -> Self {
        let mut words = Vec::with_capacity(HOMES * reduced.node_count());
        for node in 0..reduced.node_count() as NodeId {
            let accesses = reduced.accesses(node);
            for access in 0..HOMES / 2 {
                let home = accesses.get(access).map_or(Home::NONE, |access| homes.of(access.core));
                words.extend([home.region, home.slot]);
            }
        }
        Self { homes: words.into() }
    }

    /// Where the core node of one of a node's ties is at home.
    #[inline(always)]
    pub(crate) fn of_access(&self, node: NodeId, access: usize) -> Home {
        let (homes, _) = self.homes.as_chunks::<HOMES>();
        let home = |home: &[u32; HOMES]| match access {
            0 => Home { region: home[0], slot: home[1] },
            _ => Home { region: home[2], slot: home[3] },
        };
        homes.get(node as usize).map_or(Home::NONE, home)
    }

    /// Asks for what [`of_access`](Self::of_tie) will read.
    #[inline(always)]
    pub(crate) fn prefetch(&self, node: NodeId) {
        let (homes, _) = self.homes.as_chunks::<HOMES>();
        prefetch(homes.get(node as usize..=node as usize).unwrap_or_default());
    }

    /// The bytes that they will take.
    pub(crate) fn planned_bytes(reduced: &ReducedGraph) -> usize {
        4 * HOMES * reduced.node_count()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.homes.memory_bytes()
    }
}
