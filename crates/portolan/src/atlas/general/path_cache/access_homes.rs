//! The homes of the access nodes of every map node.
//!
//! Without them, a query reads the record of a node first and the homes of its access nodes
//! afterwards. With them, it reads both at the same time.

use crate::atlas::general::core::ReducedGraph;
use crate::atlas::general::tables::homes::{Home, NodeHomes};
use crate::graph::{Graph, NodeId};
use crate::kernel::prefetch;
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccessHomes {
    /// For each node the region and slot of both access nodes.
    pub(crate) homes: Words,
}

/// Words per node.
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

    /// The home of one of the access nodes.
    #[inline(always)]
    pub(crate) fn of_access(&self, node: NodeId, access: usize) -> Home {
        let (homes, _) = self.homes.as_chunks::<HOMES>();
        let home = |home: &[u32; HOMES]| match access {
            0 => Home { region: home[0], slot: home[1] },
            _ => Home { region: home[2], slot: home[3] },
        };
        homes.get(node as usize).map_or(Home::NONE, home)
    }

    /// Prefetches what [`of_access`](Self::of_access) reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, node: NodeId) {
        let (homes, _) = self.homes.as_chunks::<HOMES>();
        prefetch(homes.get(node as usize..=node as usize).unwrap_or_default());
    }

    /// Predicts [`memory_bytes`](Self::memory_bytes).
    pub(crate) fn planned_bytes(reduced: &ReducedGraph) -> usize {
        4 * HOMES * reduced.node_count()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.homes.memory_bytes()
    }
}
