//! The clusters of SHPA*: connected regions of any shape.
//!
//! Every cell has a region. Where two regions touch along a straight line of cells, there are
//! abstract nodes as between square clusters (`clusters/entrances.rs`). The cost between two nodes
//! of a region is estimated by the straight line, which takes no memory.
//!
//! `merge.rs` makes the regions, `engine.rs` is the engine with its query.

pub(super) mod engine;
mod merge;

use super::abstract_graph::{AbstractCluster, AbstractGraph, InterEdge};
use super::clusters::entrances::{has_squeezes, squeezes, step, transitions};
use super::clusters::tiling::{Slot, Tiling};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::grid::{Grid, Heading};
use crate::heuristic::{Geometric, Position};

/// The region of a blocked cell.
const BLOCKED: u32 = u32::MAX;

/// All regions of a grid.
pub(in crate::hpa) struct MergedRegions {
    of_cell: CellRegions,
    regions: Vec<MergedRegion>,
    /// By slot.
    nodes: Vec<NodeId>,
    of_slot: Vec<u32>,
    line: Geometric,
}

/// The region of every cell, in 16 bits if there are few enough; blocked cells have an invalid one.
enum CellRegions {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl CellRegions {
    fn new(of_cell: Vec<u32>, regions: u32) -> Self {
        match regions {
            // Blocked cells have the largest number, which truncates to the largest one here.
            0..=0xffff => Self::Short(of_cell.into_iter().map(|id| id as u16).collect()),
            _ => Self::Long(of_cell),
        }
    }

    #[inline(always)]
    fn of(&self, node: NodeId) -> u32 {
        match self {
            Self::Short(labels) => u32::from(labels[node as usize]),
            Self::Long(labels) => labels[node as usize],
        }
    }

    fn memory_bytes(&self) -> usize {
        match self {
            Self::Short(labels) => labels.capacity() * size_of::<u16>(),
            Self::Long(labels) => labels.capacity() * size_of::<u32>(),
        }
    }
}

/// The abstract nodes of a region.
pub(in crate::hpa) struct MergedRegion {
    first: Slot,
    positions: Vec<Position>,
    /// The start of each node's inter-edges, and the end of the last.
    first_inter_edge: Vec<u32>,
    inter_edges: Vec<InterEdge>,
}

impl MergedRegions {
    /// Cuts a grid into squares, these into connected pieces, and merges pieces into regions of at
    /// most `max_cells` cells.
    pub(super) fn new(grid: &Grid, tiling: &Tiling, line: Geometric, max_cells: u32) -> Self {
        let of_cell = merge::merged(grid, tiling, max_cells);
        let mut crossings = crossings(grid, &of_cell);
        crossings.sort_unstable_by_key(|&(tail, head, _)| (of_cell[tail as usize], tail, head));
        crossings.dedup();
        let count = of_cell.iter().filter(|&&id| id != BLOCKED).max().map_or(0, |&last| last + 1);
        // Nodes are ordered by region, then by cell. Inter-edges need their numbers.
        let mut nodes: Vec<NodeId> = crossings.iter().map(|&(tail, ..)| tail).collect();
        nodes.dedup();
        nodes.shrink_to_fit();
        let order = |node: NodeId| (of_cell[node as usize], node);
        let slot_of = |node: NodeId| nodes.binary_search_by_key(&order(node), |&node| order(node));
        let of_slot: Vec<u32> = nodes.iter().map(|&node| of_cell[node as usize]).collect();
        let mut regions = Vec::with_capacity(count as usize);
        let (mut at, mut slot) = (0, 0);
        for id in 0..count {
            let mut region = MergedRegion {
                first: slot as Slot,
                positions: Vec::new(),
                first_inter_edge: Vec::new(),
                inter_edges: Vec::new(),
            };
            while of_slot.get(slot) == Some(&id) {
                region.positions.push(line.position(nodes[slot]));
                region.first_inter_edge.push(region.inter_edges.len() as u32);
                while let Some(&(_, head, weight)) =
                    crossings.get(at).filter(|&&(tail, ..)| tail == nodes[slot])
                {
                    at += 1;
                    let Ok(to) = slot_of(head) else { continue };
                    region.inter_edges.push(InterEdge {
                        head: to as Slot,
                        weight,
                        position: line.position(head),
                    });
                }
                slot += 1;
            }
            region.first_inter_edge.push(region.inter_edges.len() as u32);
            region.positions.shrink_to_fit();
            region.first_inter_edge.shrink_to_fit();
            region.inter_edges.shrink_to_fit();
            regions.push(region);
        }
        let of_cell = CellRegions::new(of_cell, count);
        Self { of_cell, regions, nodes, of_slot, line }
    }

    /// The region of a passable cell.
    #[inline(always)]
    pub(in crate::hpa) fn of(&self, node: NodeId) -> u32 {
        self.of_cell.of(node)
    }

    /// Fills `costs` with the straight lines between a cell and the nodes of its region.
    pub(super) fn lines_into(&self, node: NodeId, costs: &mut Vec<Cost>) {
        costs.clear();
        let position = self.line.position(node);
        let positions = self.regions[self.of(node) as usize].positions.iter();
        costs.extend(positions.map(|&other| self.line.between(position, other)));
    }

    /// The straight line between two places.
    #[inline(always)]
    pub(super) fn line(&self, a: Position, b: Position) -> Cost {
        self.line.between(a, b)
    }

    pub(super) fn position(&self, node: NodeId) -> Position {
        self.line.position(node)
    }

    /// The number of regions.
    pub(in crate::hpa) fn len(&self) -> usize {
        self.regions.len()
    }

    /// The number of abstract nodes.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let regions = self.regions.iter().map(MergedRegion::memory_bytes);
        regions.sum::<usize>()
            + (self.regions.capacity() - self.regions.len()) * size_of::<MergedRegion>()
            + self.of_cell.memory_bytes()
            + (self.nodes.capacity() + self.of_slot.capacity()) * size_of::<u32>()
    }
}

impl MergedRegion {
    /// Bytes on the heap and of the region itself.
    pub(in crate::hpa) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.positions.capacity() * size_of::<Position>()
            + self.first_inter_edge.capacity() * size_of::<u32>()
            + self.inter_edges.capacity() * size_of::<InterEdge>()
    }
}

impl AbstractGraph for MergedRegions {
    type Cluster = MergedRegion;

    fn slots(&self) -> usize {
        self.nodes.len()
    }

    #[inline(always)]
    fn cluster_of(&self, slot: Slot) -> u32 {
        self.of_slot[slot as usize]
    }

    #[inline(always)]
    fn cluster(&self, id: u32) -> &MergedRegion {
        &self.regions[id as usize]
    }

    #[inline(always)]
    fn index(&self, cluster: &MergedRegion, slot: Slot) -> Option<usize> {
        Some((slot - cluster.first) as usize)
    }

    fn node(&self, slot: Slot) -> NodeId {
        self.nodes[slot as usize]
    }

    #[inline(always)]
    fn intra_edges(
        &self,
        cluster: &MergedRegion,
        index: usize,
        mut visit: impl FnMut(usize, Cost),
    ) {
        let from = cluster.positions[index];
        for (other, &position) in cluster.positions.iter().enumerate() {
            visit(other, self.line.between(from, position));
        }
    }
}

impl AbstractCluster for MergedRegion {
    fn len(&self) -> usize {
        self.positions.len()
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Slot {
        self.first + index as Slot
    }

    #[inline(always)]
    fn inter_edges(&self, index: usize) -> &[InterEdge] {
        &self.inter_edges
            [self.first_inter_edge[index] as usize..self.first_inter_edge[index + 1] as usize]
    }
}

/// The steps between abstract nodes of different regions, in both directions.
fn crossings(grid: &Grid, of_cell: &[u32]) -> Vec<(NodeId, NodeId, Cost)> {
    let mut found = Vec::new();
    let mut cross = |from: (u32, u32), direction| {
        let Some((head, weight)) = step(grid, from, direction) else { return };
        let Some(tail) = grid.node(from.0, from.1) else { return };
        found.extend([(tail, head, weight), (head, tail, weight)]);
    };
    let region = |(x, y): (u32, u32)| {
        grid.node(x, y)
            .map_or(BLOCKED, |node| of_cell.get(node as usize).copied().unwrap_or(BLOCKED))
    };
    let (width, height) = (grid.width(), grid.height());
    for (direction, lines, length) in [
        (Heading::South, height.saturating_sub(1), width),
        (Heading::East, width.saturating_sub(1), height),
    ] {
        let is_south = direction == Heading::South;
        for line in 0..lines {
            let cell = |at: u32| if is_south { (at, line) } else { (line, at) };
            let beyond = |at: u32| if is_south { (at, line + 1) } else { (line + 1, at) };
            let border = |at: u32| {
                let (near, far) = (region(cell(at)), region(beyond(at)));
                (near != far && near != BLOCKED && far != BLOCKED).then_some((near, far))
            };
            let mut at = 0;
            while at < length {
                let Some(pair) = border(at) else {
                    at += 1;
                    continue;
                };
                let first = at;
                while at < length && border(at) == Some(pair) {
                    at += 1;
                }
                for place in transitions(at - first, |_| true) {
                    cross(cell(first + place), direction);
                }
            }
        }
    }
    if has_squeezes(grid) {
        for node in (0..grid.node_count() as NodeId).filter(|&node| grid.contains(node)) {
            let cell = grid.split(node);
            for (direction, head) in squeezes(grid, cell) {
                if region(cell) != region(head) {
                    cross(cell, direction);
                }
            }
        }
    }
    found
}
