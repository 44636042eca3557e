//! One version of the index: the map, its core, and all that was computed of it.

use crate::atlas::general::core::{ReducedGraph, Scale};
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::LabelScope;
use crate::atlas::general::tables::homes::NodeHomes;
use crate::atlas::general::tables::region::Region;
use std::sync::Arc;

use crate::atlas::separator_tree::{RegionId, Tree};
use crate::cost::Cost;
use crate::graph::Graph;
use crate::grid::Grid;
use crate::map::Map;

/// Cheap to clone: copies share everything.
#[derive(Clone)]
pub(crate) struct GeneralIndex {
    pub(crate) map: Map,
    pub(crate) core: Core,
    /// How the core counts costs.
    pub(crate) scale: Scale,
    pub(crate) tree: Arc<Tree>,
    pub(crate) homes: NodeHomes,
    pub(crate) regions: Vec<Arc<Region>>,
    /// Absent in the form that climbs, and after edits until they are made anew.
    pub(crate) labels: Option<Arc<Labels>>,
    /// How many nodes edits have lifted into separators since the tree was found.
    pub(crate) lifted: usize,
}

/// What the tree divides: all cells of a grid, or what is left of a graph when its trees and chains
/// are off.
///
/// Another core needs the same three things: a graph with positive weights over the map's node ids,
/// the ends by which any node is tied to it, and a way to put back what lies between two of its
/// nodes.
#[derive(Clone)]
pub(crate) enum Core {
    Grid(Box<Grid>),
    Reduced(Arc<ReducedGraph>),
}

/// Runs the same code on either kind of core, compiled for each.
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

    /// The cost in the map's own weights of one that was counted in the core's.
    pub(crate) fn cost(&self, core_cost: Cost) -> Cost {
        self.scale.cost(core_cost)
    }

    /// Bytes of everything but the map, when all tables are filled.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes_without_labels() + self.labels.as_ref().map_or(0, |labels| labels.memory_bytes())
    }

    /// The same without labels.
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
