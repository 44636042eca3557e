//! One version of the index: the map, its core, and all that was computed of it.

use std::sync::Arc;

use super::core::{Reduced, Scale};
use super::labels::Labels;
use super::path_cache::Ready;
use super::tables::region::{Place, Places, Region, Way};
use crate::atlas::separator_tree::{RegionId, Tree};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
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
    pub(crate) places: Places,
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
    Reduced(Arc<Reduced>),
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

/// A core node by which an end of a path is tied to the core, and what it costs to get there or
/// come from there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// Which of the ties it is.
    pub(crate) tie: usize,
    pub(crate) node: NodeId,
    pub(crate) place: Place,
    pub(crate) cost: Cost,
}

/// The ends that belong together: one, or two whose homes lie one inside the other, the deeper
/// first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Group {
    One(End),
    Two(End, End),
}

impl Group {
    pub(crate) fn deepest(&self) -> &End {
        match self {
            Self::One(end) | Self::Two(end, _) => end,
        }
    }

    pub(crate) fn ends(&self) -> impl Iterator<Item = &End> {
        match self {
            Self::One(end) => [Some(end), None],
            Self::Two(a, b) => [Some(a), Some(b)],
        }
        .into_iter()
        .flatten()
    }
}

impl GeneralIndex {
    /// By which ends a node is left or entered. Two of a chain with a way through are neighbours in
    /// the core, so one's home lies inside the other's; others are kept apart.
    pub(crate) fn groups(&self, node: NodeId, way: Way) -> [Option<Group>; 2] {
        let reduced = match &self.core {
            Core::Grid(_) => {
                let end = End { tie: 0, node, place: self.places.of(node), cost: 0 };
                return [Some(Group::One(end)), None];
            }
            Core::Reduced(reduced) => reduced,
        };
        let (ties, ready) = (reduced.ties(node), self.ready());
        let mut ends = ties.iter().enumerate().filter_map(|(tie, at)| {
            let cost = match way {
                Way::Out => at.out,
                Way::Into => at.into,
            };
            let place = match ready {
                Some(ready) => ready.homes.of_tie(node, tie),
                None => self.places.of(at.core),
            };
            let end = End { tie, node: at.core, place, cost };
            (cost != UNREACHABLE).then_some(end)
        });
        match (ends.next(), ends.next()) {
            (Some(a), Some(b)) => {
                let (a_depth, b_depth) = (self.depth(&a), self.depth(&b));
                let common = self.tree.common_depth(a.place.home, b.place.home);
                match common == a_depth.min(b_depth) {
                    true if a_depth >= b_depth => [Some(Group::Two(a, b)), None],
                    true => [Some(Group::Two(b, a)), None],
                    false => [Some(Group::One(a)), Some(Group::One(b))],
                }
            }
            (one, _) => [one.map(Group::One), None],
        }
    }

    /// Asks for the memory that [`groups`](Self::groups) will read for a node.
    #[inline(always)]
    pub(crate) fn fetch_groups(&self, node: NodeId) {
        if let Some(ready) = self.ready() {
            ready.homes.fetch(node);
        }
    }

    fn ready(&self) -> Option<&Ready> {
        self.labels.as_ref()?.ready.as_ref()
    }

    fn depth(&self, end: &End) -> u32 {
        self.tree.link(end.place.home).depth
    }

    pub(crate) fn region(&self, id: RegionId) -> &Region {
        &self.regions[id as usize]
    }

    /// The cost in the map's own weights of one that was counted in the core's.
    pub(crate) fn cost(&self, core_cost: Cost) -> Cost {
        self.scale.cost(core_cost)
    }

    /// Bytes of everything but the map, when all tables are filled.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bare_bytes() + self.labels.as_ref().map_or(0, |labels| labels.memory_bytes())
    }

    /// The same without labels.
    pub(crate) fn bare_bytes(&self) -> usize {
        let core = match &self.core {
            Core::Grid(_) => 0,
            Core::Reduced(reduced) => reduced.memory_bytes(),
        };
        let undirected = self.undirected();
        let regions = self.regions.iter().map(|region| region.memory_bytes(undirected));
        core + self.tree.memory_bytes() + self.places.memory_bytes() + regions.sum::<usize>()
    }

    pub(crate) fn undirected(&self) -> bool {
        on_core!(&self.core, graph => graph.is_undirected())
    }
}
