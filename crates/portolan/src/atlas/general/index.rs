//! One version of a general index.

use std::sync::Arc;

use super::core::{ReducedGraph, Scale};
use super::labels::Labels;
use super::labels::layout::LabelScope;
use super::tables::homes::NodeHomes;
use super::tables::region::Region;
use crate::atlas::separator_tree::{RegionId, SeparatorTree};
use crate::cost::Cost;
use crate::engine::{RebuiltPart, replaced};
use crate::graph::Graph;
use crate::grid::Grid;
use crate::map::Map;

/// An index of the general form. Clones share all tables.
#[derive(Clone)]
pub(crate) struct GeneralIndex {
    pub(crate) map: Map,
    pub(crate) core: Core,
    /// How the core scales weights.
    pub(crate) scale: Scale,
    pub(crate) tree: Arc<SeparatorTree>,
    pub(crate) homes: NodeHomes,
    pub(crate) regions: Vec<Arc<Region>>,
    /// `None` in the climb form, and after edits until labels are built again.
    pub(crate) labels: Option<Arc<Labels>>,
    /// Number of nodes that edits have lifted into separators since the last dissection, see
    /// `refresh.rs`.
    pub(crate) lifted: usize,
}

/// The graph that the separator tree divides: all cells of a grid, or a graph without its trees and
/// chains.
///
/// It has positive weights and uses the node ids of the map. For each node of the map it knows the
/// access to the core, and for each core edge the nodes in between.
#[derive(Clone)]
pub(crate) enum Core {
    Grid(Box<Grid>),
    Reduced(Arc<ReducedGraph>),
}

/// Runs a block on either kind of core, compiled for each.
macro_rules! on_core {
    ($core:expr, $graph:ident => $body:expr) => {
        match $core {
            $crate::atlas::general::index::Core::Grid(grid) => {
                let $graph = &**grid;
                $body
            }
            $crate::atlas::general::index::Core::Reduced(reduced) => {
                let $graph = &**reduced;
                $body
            }
        }
    };
}
pub(crate) use on_core;

impl GeneralIndex {
    pub(crate) fn region(&self, id: RegionId) -> &Region {
        &self.regions[id as usize]
    }

    /// The regions that are not shared with an earlier version.
    pub(crate) fn rebuilt_since(&self, before: &Self) -> Vec<RebuiltPart> {
        let deepest = (0..self.regions.len() as RegionId).map(|id| self.tree.node(id).depth).max();
        let part = |id: usize| {
            let region = id as RegionId;
            let height = deepest.unwrap_or(0) - self.tree.node(region).depth;
            let level = if self.tree.is_leaf(region) { 0 } else { height.max(1) as usize };
            RebuiltPart { level, nodes: self.regions[id].members.to_vec() }
        };
        let (before, after) = (before.regions.iter(), self.regions.iter());
        let rebuilt = replaced(before.map(Arc::as_ref), after.map(Arc::as_ref));
        rebuilt.into_iter().map(part).collect()
    }

    /// Converts a cost in the core into a cost on the map.
    pub(crate) fn cost(&self, core_cost: Cost) -> Cost {
        self.scale.cost(core_cost)
    }

    /// Bytes of everything but the map, with all tables filled.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes_without_labels() + self.labels.as_ref().map_or(0, |labels| labels.memory_bytes())
    }

    /// Bytes without labels.
    pub(crate) fn bytes_without_labels(&self) -> usize {
        let core = match &self.core {
            Core::Grid(_) => 0,
            Core::Reduced(reduced) => reduced.memory_bytes(),
        };
        let undirected = self.undirected();
        let regions = self.regions.iter().map(|region| region.memory_bytes(undirected));
        core + self.tree.memory_bytes() + self.homes.memory_bytes() + regions.sum::<usize>()
    }

    /// The nodes that have labels, if any.
    pub(crate) fn label_scope(&self) -> Option<LabelScope> {
        self.labels.as_ref().map(|labels| labels.layout.scope())
    }

    pub(crate) fn undirected(&self) -> bool {
        on_core!(&self.core, graph => graph.is_undirected())
    }
}
