//! The distances between every node and the portals of its region, inside the region.
//!
//! Inside means: without another portal on the path. The first portal of a path is the first that
//! it meets, so the sum of such a distance, a stored distance between portals, and another such
//! distance is exact, and the path never leaves the region. (The paper stores true distances, whose
//! paths may leave the region and return.)

use crate::build::{BuildError, Progress};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::partition::RegionCounts;
use crate::portal::bound::layout::PortalLayout;
use crate::portal::bound::region_with_portals::RegionWithPortals;
use crate::search::{Scratch, dijkstra};
use crate::store::{OpenError, Words, unusable};
use crate::true_distance::searches::search_all;

/// The stored tables of [`PerfectPortal`](super::PerfectPortal), beside the portals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeDistances {
    /// By region, its first entry. A region has a row for every node, with an entry for every
    /// portal.
    first: Vec<u64>,
    /// By index of a node in the layout, its row in its region.
    rows: Vec<u16>,
    /// From nodes to portals.
    out: Words,
    /// From portals to nodes, on directed maps.
    into: Option<Words>,
}

/// The most nodes of a region: row numbers have 16 bits.
pub(in crate::portal) const MAX_REGION_NODES: usize = 1 << 16;

impl NodeDistances {
    /// The size in bytes. `u64::MAX` if a region is too large.
    pub(super) fn bytes(counts: &RegionCounts, usable: usize, undirected: bool) -> u64 {
        if counts.largest > MAX_REGION_NODES {
            return u64::MAX;
        }
        let tables = if undirected { 1 } else { 2 };
        8 * (counts.regions as u64 + 1) + 2 * usable as u64 + tables * 4 * counts.entries
    }

    /// Computes all distances, and returns whether a cost overflowed.
    pub(super) fn build(
        map: &Map,
        layout: &PortalLayout,
        progress: &dyn Progress,
    ) -> Result<(Self, bool), BuildError> {
        let (first, rows, members) = Self::frame(layout, map.node_count());
        let table = |direction| {
            let (parts, overflowed) =
                search_all(members.len(), "rows", progress, |scratch: &mut Scratch, region| {
                    let nodes = (region as u32, &*members[region]);
                    on_graph!(map, graph => entries(graph, layout, nodes, direction, scratch))
                })?;
            Ok::<(Words, bool), BuildError>((parts.into_iter().flatten().collect(), overflowed))
        };
        let (out, mut overflowed) = table(Direction::Forward)?;
        let into = match map.is_undirected() {
            true => None,
            false => {
                let (into, too_large) = table(Direction::Backward)?;
                overflowed |= too_large;
                Some(into)
            }
        };
        Ok((Self { first, rows, out, into }, overflowed))
    }

    /// From stored tables. The error says why they do not match the layout.
    pub(super) fn from_tables(
        nodes: usize,
        layout: &PortalLayout,
        out: Words,
        into: Option<Words>,
    ) -> Result<Self, OpenError> {
        let (first, rows, members) = Self::frame(layout, nodes);
        let expected = first.last().copied().unwrap_or(0);
        let fits = |table: &Words| table.len() as u64 == expected;
        let is_small = members.iter().all(|nodes| nodes.len() <= MAX_REGION_NODES);
        if !is_small || !fits(&out) || !into.as_ref().is_none_or(fits) {
            let reason = format!("{} entries, expected {expected}", out.len());
            return Err(unusable(super::OUT, reason));
        }
        Ok(Self { first, rows, out, into })
    }

    /// The first entry of each region, the row of each node, and the nodes of each region.
    fn frame(layout: &PortalLayout, nodes: usize) -> (Vec<u64>, Vec<u16>, Vec<Vec<NodeId>>) {
        let mut members = vec![Vec::new(); layout.regions() as usize];
        let mut rows = vec![0; layout.numbers().len()];
        for node in 0..nodes as NodeId {
            let Some(index) = layout.index(node) else { continue };
            if let Some(members) = members.get_mut(layout.number(node) as usize) {
                rows[index] = members.len() as u16;
                members.push(node);
            }
        }
        let mut first = vec![0];
        let mut sum = 0;
        for (nodes, list) in members.iter().zip(layout.portal_lists()) {
            sum += nodes.len() as u64 * list.len() as u64;
            first.push(sum);
        }
        (first, rows, members)
    }

    /// Forward: the distances from a node to the portals of its region. Backward: from the portals
    /// to the node.
    #[inline(always)]
    pub(super) fn row(
        &self,
        layout: &PortalLayout,
        region: u32,
        node: NodeId,
        direction: Direction,
    ) -> &[Cost] {
        let table = match direction {
            Direction::Forward => &self.out,
            Direction::Backward => self.into.as_ref().unwrap_or(&self.out),
        };
        let first = self.first[region as usize];
        let next = self.first[region as usize + 1];
        let portals = layout.portals_of(region).len();
        let Some(index) = layout.index(node) else { return &[] };
        let start = first + u64::from(self.rows[index]) * portals as u64;
        debug_assert!(start + portals as u64 <= next);
        &table[start as usize..start as usize + portals]
    }

    pub(super) fn tables(&self) -> (&[Cost], Option<&[Cost]>) {
        (&self.out, self.into.as_deref())
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let into = self.into.as_ref().map_or(0, Words::memory_bytes);
        size_of_val(&*self.first) + size_of_val(&*self.rows) + self.out.memory_bytes() + into
    }

    /// Bytes of the distances of one region.
    pub(super) fn region_bytes(&self, region: u32) -> usize {
        let entries = self.first[region as usize + 1] - self.first[region as usize];
        let tables = if self.into.is_some() { 2 } else { 1 };
        entries as usize * size_of::<Cost>() * tables
    }
}

/// The entries of one region, and whether a cost overflowed.
fn entries(
    graph: &impl Graph,
    layout: &PortalLayout,
    (region, nodes): (u32, &[NodeId]),
    direction: Direction,
    scratch: &mut Scratch,
) -> (Vec<Cost>, bool) {
    let list = layout.portals_of(region);
    let mut entries = vec![UNREACHABLE; nodes.len() * list.len()];
    let mut overflowed = false;
    for (column, &portal) in list.iter().enumerate() {
        let root = layout.node(portal);
        let inside = RegionWithPortals { graph, layout, region, root, only: Some(root) };
        // Distances to a portal come from a search against the edges.
        let found = match direction {
            Direction::Forward => dijkstra::one_to_all(&inside.reversed(), scratch, root),
            Direction::Backward => dijkstra::one_to_all(&inside, scratch, root),
        };
        overflowed |= found.is_err();
        for (row, &node) in nodes.iter().enumerate() {
            entries[row * list.len() + column] = scratch.cost(node).unwrap_or(UNREACHABLE);
        }
    }
    (entries, overflowed)
}
