//! The clusters of SHPA*: regions of any shape, each of which hangs together.
//!
//! Every cell knows its region. Where two regions touch along a straight line of cells, abstract
//! nodes lie as they do between square clusters (`entrances.rs`). What it costs between two nodes
//! of a region is taken to be the straight line; that is a guess, and the only one that takes no
//! memory.

pub(super) mod engine;
mod merge;

use super::abstract_graph::{AbstractCluster, AbstractGraph, InterEdge};
use super::clusters::entrances::{has_squeezes, step, transitions};
use super::clusters::tiling::{Slot, Tiling};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::grid::{Grid, Heading};
use crate::heuristic::{Geometric, Position};
use crate::location::Extent;

/// The region of a blocked cell.
const BLOCKED: u32 = u32::MAX;

/// All regions of a grid.
pub(super) struct MergedRegions {
    of_cell: CellRegions,
    regions: Vec<MergedRegion>,
    /// By slot.
    nodes: Vec<NodeId>,
    of_slot: Vec<u32>,
    line: Geometric,
}

/// The region of every cell, in as few bytes as their number needs; blocked cells have one that is
/// none.
enum CellRegions {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl CellRegions {
    fn new(of_cell: Vec<u32>, regions: u32) -> Self {
        match regions {
            // A blocked cell has the largest number, which is cut off as any other.
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
pub(super) struct MergedRegion {
    first: Slot,
    spots: Vec<Position>,
    /// Where the inter_edges of each node start, and one number more.
    first_inter_edge: Vec<u32>,
    inter_edges: Vec<InterEdge>,
}

impl MergedRegions {
    /// Cuts a grid into squares and these into pieces that hang together, and merges pieces of up
    /// to so many cells together.
    pub(super) fn new(grid: &Grid, tiling: &Tiling, line: Geometric, most_cells: u32) -> Self {
        let of_cell = merge::merged(grid, tiling, most_cells);
        let mut crossings = crossings(grid, &of_cell);
        crossings.sort_unstable_by_key(|&(tail, head, _)| (of_cell[tail as usize], tail, head));
        crossings.dedup();
        let count = of_cell.iter().filter(|&&id| id != BLOCKED).max().map_or(0, |&last| last + 1);
        // Nodes in the order of regions, then of cells; what they are numbered by has to be known
        // before inter_edges are made.
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
                spots: Vec::new(),
                first_inter_edge: Vec::new(),
                inter_edges: Vec::new(),
            };
            while of_slot.get(slot) == Some(&id) {
                region.spots.push(line.position(nodes[slot]));
                region.first_inter_edge.push(region.inter_edges.len() as u32);
                while let Some(&(_, head, weight)) =
                    crossings.get(at).filter(|&&(tail, ..)| tail == nodes[slot])
                {
                    at += 1;
                    let Ok(to) = slot_of(head) else { continue };
                    region.inter_edges.push(InterEdge {
                        head: to as Slot,
                        weight,
                        spot: line.position(head),
                    });
                }
                slot += 1;
            }
            region.first_inter_edge.push(region.inter_edges.len() as u32);
            region.spots.shrink_to_fit();
            region.first_inter_edge.shrink_to_fit();
            region.inter_edges.shrink_to_fit();
            regions.push(region);
        }
        let of_cell = CellRegions::new(of_cell, count);
        Self { of_cell, regions, nodes, of_slot, line }
    }

    /// The region of a passable cell.
    #[inline(always)]
    pub(super) fn of(&self, node: NodeId) -> u32 {
        self.of_cell.of(node)
    }

    /// Fills `costs` with the straight lines between a cell and the nodes of its region.
    pub(super) fn lines_into(&self, node: NodeId, costs: &mut Vec<Cost>) {
        costs.clear();
        let spot = self.line.position(node);
        let spots = self.regions[self.of(node) as usize].spots.iter();
        costs.extend(spots.map(|&other| self.line.between(spot, other)));
    }

    /// The straight line between two places.
    #[inline(always)]
    pub(super) fn line(&self, a: Position, b: Position) -> Cost {
        self.line.between(a, b)
    }

    pub(super) fn spot(&self, node: NodeId) -> Position {
        self.line.position(node)
    }

    /// How many regions there are.
    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    /// How many abstract nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let regions = self.regions.iter().map(|region| {
            region.spots.capacity() * size_of::<Position>()
                + region.first_inter_edge.capacity() * size_of::<u32>()
                + region.inter_edges.capacity() * size_of::<InterEdge>()
        });
        regions.sum::<usize>()
            + self.regions.capacity() * size_of::<MergedRegion>()
            + self.of_cell.memory_bytes()
            + (self.nodes.capacity() + self.of_slot.capacity()) * size_of::<u32>()
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
        let from = cluster.spots[index];
        for (other, &spot) in cluster.spots.iter().enumerate() {
            visit(other, self.line.between(from, spot));
        }
    }
}

impl AbstractCluster for MergedRegion {
    fn len(&self) -> usize {
        self.spots.len()
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

/// The steps between abstract nodes of different regions, both ways.
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
            let (x, y) = grid.split(node);
            for direction in grid.moves(x, y).filter(|direction| direction.is_diagonal()) {
                let (dx, dy) = direction.delta();
                let (to_x, to_y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
                let alone = !grid.is_passable(to_x, y) && !grid.is_passable(x, to_y);
                if alone && region((x, y)) != region((to_x, to_y)) {
                    cross((x, y), direction);
                }
            }
        }
    }
    found
}

/// The cells of one region as a graph of its own: steps that leave it do not count.
pub(super) struct RegionGraph<'a> {
    pub(super) grid: &'a Grid,
    pub(super) regions: &'a MergedRegions,
    pub(super) region: u32,
}

impl Graph for RegionGraph<'_> {
    fn node_count(&self) -> usize {
        self.grid.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.grid.contains(node)
    }

    fn extent(&self) -> Extent {
        self.grid.extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.grid.out_edges(tail, |head, weight| {
            if self.regions.of(head) == self.region {
                visit(head, weight);
            }
        });
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.out_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        true
    }

    fn may_reach(&self, _: NodeId, _: NodeId) -> bool {
        true
    }
}
