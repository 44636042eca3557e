//! Cached node sequences, from which queries copy paths.
//!
//! Without them, a path is unpacked hop by hop, and on reduced graphs the nodes along each core
//! edge are looked up. Most of that time is spent waiting for memory. All of it follows from label
//! rows and hops.
//!
//! - `hop_paths`: the nodes along each hop. On reduced graphs, they are only used to build the
//!   others.
//! - `leaf_paths`: paths from the members of leaves to the borders.
//! - `shortcuts`: paths from separator node to separator node over several hops.
//! - `first_borders`, `access_homes`: the values that a query needs to choose among them.

pub(crate) mod access_homes;
pub(crate) mod first_borders;
pub(crate) mod hop_paths;
pub(crate) mod leaf_paths;
pub(crate) mod shortcuts;
#[cfg(test)]
mod tests;

use self::access_homes::AccessHomes;
use self::first_borders::FirstBorders;
use self::hop_paths::HopPaths;
use self::leaf_paths::LeafPaths;
use self::shortcuts::Shortcuts;
use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::labels::hops::Hops;
use crate::atlas::general::labels::layout::Layout;
use crate::graph::NodeId;
use crate::store::{AnyArray, Words, pack_arrays};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathCache {
    pub(crate) leaf_paths: LeafPaths,
    pub(crate) shortcuts: Shortcuts,
    pub(crate) first_borders: FirstBorders,
    pub(crate) access_homes: AccessHomes,
}

impl PathCache {
    /// Builds the cache; `None` on grids, and if it takes more than `limit` bytes.
    pub(crate) fn build(
        index: &GeneralIndex,
        layout: &Layout,
        costs: &PerDirection<Words>,
        hops: &Hops,
        hop_paths: &HopPaths,
        limit: u64,
    ) -> Option<Self> {
        let Core::Reduced(reduced) = &index.core else { return None };
        let taken =
            FirstBorders::planned_bytes(index, layout) + AccessHomes::planned_bytes(reduced);
        let room = limit.checked_sub(taken as u64)?;
        let leaf_paths = LeafPaths::build(index, reduced, room)?;
        let room = room.checked_sub(leaf_paths.memory_bytes() as u64)?;
        let shortcuts = Shortcuts::build(layout, costs, hops, hop_paths, room)?;
        let first_borders = FirstBorders::build(&index.regions, layout, &hops.exits, costs);
        let access_homes = AccessHomes::new(reduced, &index.homes);
        let mut cache = Self { leaf_paths, shortcuts, first_borders, access_homes };
        cache.settle();
        Some(cache)
    }

    /// Moves the arrays that every path reads next to each other in memory.
    fn settle(&mut self) {
        let Self { leaf_paths, shortcuts, access_homes, .. } = self;
        let ([forward, backward], Shortcuts { numbers, first, shortcuts, nodes }) =
            (&mut leaf_paths.parts, shortcuts);
        let [first_out, first_into] = first;
        let [pieces_out, pieces_into] = shortcuts;
        let mut arrays: Vec<&mut dyn AnyArray> = vec![
            &mut access_homes.homes,
            forward,
            backward,
            first_out,
            first_into,
            pieces_out,
            pieces_into,
            &mut numbers.forward,
            &mut leaf_paths.nodes,
            nodes,
        ];
        if let Some(numbers) = &mut numbers.backward {
            arrays.push(numbers);
        }
        pack_arrays(&mut arrays);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let Self { leaf_paths, shortcuts, first_borders, access_homes } = self;
        leaf_paths.memory_bytes()
            + shortcuts.memory_bytes()
            + first_borders.memory_bytes()
            + access_homes.memory_bytes()
    }
}

/// A contiguous range of cached nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NodeSpan {
    pub(crate) start: u32,
    /// Zero if there is no path.
    pub(crate) len: u32,
}

impl NodeSpan {
    /// The nodes of the span; `None` if it is out of bounds.
    #[inline(always)]
    pub(crate) fn of(self, nodes: &[NodeId]) -> Option<&[NodeId]> {
        nodes.get(self.start as usize..)?.get(..self.len as usize)
    }
}
