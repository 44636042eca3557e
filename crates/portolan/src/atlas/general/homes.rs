//! Homes: by node of the map, where the core nodes are at home by which it is tied to the core.
//!
//! They are found from the node's record and the places of the core nodes, one after the other;
//! here they are found while the record is waited for.

use super::core::Reduced;
use super::tables::region::{Place, Places};
use crate::graph::{Graph, NodeId};
use crate::kernel::prefetch;
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Homes {
    /// The home and the number there of both core nodes.
    pub(crate) places: Words,
}

/// Words for each node.
const HOMES: usize = 4;

impl Homes {
    pub(crate) fn new(reduced: &Reduced, places: &Places) -> Self {
        let mut words = Vec::with_capacity(HOMES * reduced.node_count());
        for node in 0..reduced.node_count() as NodeId {
            let ties = reduced.ties(node);
            for tie in 0..HOMES / 2 {
                let place = ties.get(tie).map_or(Place::NOWHERE, |tie| places.of(tie.core));
                words.extend([place.home, place.slot]);
            }
        }
        Self { places: words.into() }
    }

    /// Where the core node of one of a node's ties is at home.
    #[inline(always)]
    pub(crate) fn of_tie(&self, node: NodeId, tie: usize) -> Place {
        let (places, _) = self.places.as_chunks::<HOMES>();
        let place = |place: &[u32; HOMES]| match tie {
            0 => Place { home: place[0], slot: place[1] },
            _ => Place { home: place[2], slot: place[3] },
        };
        places.get(node as usize).map_or(Place::NOWHERE, place)
    }

    /// Asks for what [`of_tie`](Self::of_tie) will read.
    #[inline(always)]
    pub(crate) fn fetch(&self, node: NodeId) {
        let (places, _) = self.places.as_chunks::<HOMES>();
        prefetch(places.get(node as usize..=node as usize).unwrap_or_default());
    }

    /// The bytes that they will take.
    pub(crate) fn planned_bytes(reduced: &Reduced) -> usize {
        4 * HOMES * reduced.node_count()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.places.memory_bytes()
    }
}
