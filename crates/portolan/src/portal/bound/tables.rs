//! The stored tables of portals: the layout, the distances, and how paths are refined.
//!
//! A path between portals is a chain of portals. Two consecutive portals are joined by an edge, or
//! by a path through one region that meets no other portal. So distances are computed in a small
//! graph of portals, with edges from one search per region and portal, and not by searches over the
//! whole map.

use super::crossings::Crossings;
use super::layout::PortalLayout;
use super::region_with_portals::RegionWithPortals;
use crate::build::{BuildError, Progress};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{CsrGraph, Direction, Graph, GraphBuilder, NodeId};
use crate::heuristic::Geometric;
use crate::map::{Map, on_graph};
use crate::search::{Scratch, dijkstra};
use crate::true_distance::matrix::DistanceMatrix;
use crate::true_distance::searches::search_all;

/// Portals, with the distances between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PortalTables {
    pub(crate) layout: PortalLayout,
    /// The true distances between portals.
    pub(crate) distances: DistanceMatrix,
    pub(crate) crossings: Crossings,
    /// Whether some cost overflowed. If so, nothing stored is used.
    pub(crate) overflowed: bool,
}

impl PortalTables {
    pub(crate) fn build(
        map: &Map,
        layout: PortalLayout,
        base: &Geometric,
        unit: Option<Cost>,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        on_graph!(map, graph => Self::on(graph, layout, base, unit, progress))
    }

    fn on(
        graph: &impl Graph,
        layout: PortalLayout,
        base: &Geometric,
        unit: Option<Cost>,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let undirected = graph.is_undirected();
        let regions = layout.regions() as usize;
        let (direct, direct_overflowed) =
            search_all(regions, "regions", progress, |scratch: &mut Scratch, region| {
                direct_distances(graph, &layout, region as u32, scratch)
            })?;
        let small = portal_graph(graph, &layout, &direct);
        let portals = layout.portals();
        let (rows, overflowed) =
            search_all(portals, "portals", progress, |scratch: &mut Scratch, from| {
                let overflowed = dijkstra::one_to_all(&small, scratch, from as NodeId).is_err();
                let cost = |to| scratch.cost(to).unwrap_or(UNREACHABLE);
                ((0..portals as NodeId).map(cost).collect(), overflowed)
            })?;
        let distances = DistanceMatrix::from_rows(&rows, undirected, unit);
        let crossings = Crossings::find(graph, &layout, &direct, &distances, base, progress)?;
        let overflowed = overflowed || direct_overflowed;
        Ok(Self { layout, distances, crossings, overflowed })
    }

    /// The distance between portals: from the first to the second, or backward.
    #[inline(always)]
    pub(crate) fn between(&self, a: u16, b: u16, direction: Direction) -> Cost {
        let (from, to) = match direction {
            Direction::Forward => (a, b),
            Direction::Backward => (b, a),
        };
        self.distances.between(usize::from(from), usize::from(to))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.layout.memory_bytes() + self.distances.memory_bytes() + self.crossings.memory_bytes()
    }
}

/// The distances between all portals of a region on paths through the region that meet no other
/// portal, row by row, and whether a cost overflowed.
fn direct_distances(
    graph: &impl Graph,
    layout: &PortalLayout,
    region: u32,
    scratch: &mut Scratch,
) -> (Vec<Cost>, bool) {
    let list = layout.portals_of(region);
    let mut table = Vec::with_capacity(list.len() * list.len());
    let mut overflowed = false;
    for &from in list {
        let root = layout.node(from);
        let inside = RegionWithPortals { graph, layout, region, root, only: None };
        overflowed |= dijkstra::one_to_all(&inside, scratch, root).is_err();
        let cost = |&to: &u16| scratch.cost(layout.node(to)).unwrap_or(UNREACHABLE);
        table.extend(list.iter().map(cost));
    }
    (table, overflowed)
}

/// All portals, joined by edges of the map and by the direct distances of each region.
fn portal_graph(graph: &impl Graph, layout: &PortalLayout, direct: &[Vec<Cost>]) -> CsrGraph {
    // Portal numbers have 16 bits and weights come from the map, so the builder accepts them.
    let mut builder = GraphBuilder::new(layout.portals()).expect("portal numbers are small");
    let mut add = |tail: usize, head: usize, weight: Cost| {
        if weight != UNREACHABLE {
            builder.add_edge(tail as NodeId, head as NodeId, weight).expect("a finite weight");
        }
    };
    for (list, table) in layout.portal_lists().zip(direct) {
        for (row, &tail) in table.chunks(list.len().max(1)).zip(list) {
            let heads = row.iter().zip(list).filter(|&(_, &head)| head != tail);
            heads.for_each(|(&weight, &head)| add(tail.into(), head.into(), weight));
        }
    }
    for (tail, &node) in layout.nodes().iter().enumerate() {
        graph.out_edges(node, |head, weight| {
            if let Some(head) = layout.portal(head) {
                add(tail, head.into(), weight);
            }
        });
    }
    builder.build()
}
