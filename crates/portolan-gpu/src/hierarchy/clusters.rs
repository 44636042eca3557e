//! Clusters, their exits, and the cheapest paths within them.
//!
//! The border between two clusters has *openings*: longest runs of legal straight steps across it.
//! Each gets one to three exits by its length, so open sides have three, and clusters of open
//! ground twelve, as in the paper. A diagonal step across a border that passes between two blocked
//! cells gets exits of its own; beside any other, straight steps lead to the same cell. The cells
//! of an opening are connected on either side, so the exits connect whatever the map connects.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use portolan::cost::{DIAGONAL, STRAIGHT, TERRAIN_DIAGONAL, TERRAIN_STRAIGHT};
use portolan::grid::Heading;
use portolan::{Connectivity, Cost, Grid, NodeId, UNREACHABLE};
use rayon::prelude::*;

/// Openings of at least this many steps have two exits.
const WIDE: u32 = 4;

/// Openings of at least this many steps have three exits.
const WIDEST: u32 = 9;

/// Where no path within the cluster leads to the exit, and at the exit itself.
const NOWHERE: u8 = 8;

/// A grid cut into squares. Those at the right and lower edge may be smaller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    width: u32,
    height: u32,
    pub(super) size: u32,
    pub(super) columns: u32,
    rows: u32,
}

/// Cells from `left` and `top` to before `right` and `bottom`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rect {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

/// A step from an exit of one cluster to an exit of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) cluster: u32,
    pub(super) exit: NodeId,
    pub(super) head: NodeId,
}

/// What is stored of one cluster.
#[derive(Debug, Default)]
pub(super) struct ClusterPaths {
    /// The costs between its exits, row by row.
    pub(super) costs: Vec<Cost>,
    /// For each exit and each cell, row by row: the heading of the step toward the exit.
    pub(super) headings: Vec<u8>,
}

impl Tiling {
    pub(super) fn new(grid: &Grid, size: u32) -> Self {
        let (width, height) = (grid.width(), grid.height());
        let (columns, rows) = (width.div_ceil(size), height.div_ceil(size));
        Self { width, height, size, columns, rows }
    }

    /// The number of clusters.
    pub(super) fn len(&self) -> u32 {
        self.columns * self.rows
    }

    pub(super) fn rect(&self, cluster: u32) -> Rect {
        let (left, top) = (cluster % self.columns * self.size, cluster / self.columns * self.size);
        let (right, bottom) = (left + self.size, top + self.size);
        Rect { left, top, right: right.min(self.width), bottom: bottom.min(self.height) }
    }

    fn cluster_at(&self, (x, y): (u32, u32)) -> u32 {
        y / self.size * self.columns + x / self.size
    }

    pub(super) fn cluster_of(&self, cell: NodeId) -> u32 {
        self.cluster_at((cell % self.width, cell / self.width))
    }

    fn link(&self, from: (u32, u32), heading: Heading) -> Link {
        let node = |(x, y): (u32, u32)| y * self.width + x;
        let head = step(from, heading);
        Link { cluster: self.cluster_at(from), exit: node(from), head: node(head) }
    }

    /// All steps between exits of different clusters, in both directions, sorted.
    pub(super) fn links(&self, grid: &Grid) -> Vec<Link> {
        let of_cluster = |cluster| {
            let rect = self.rect(cluster);
            let mut links = Vec::new();
            let mut cross = |from, heading: Heading| {
                links.push(self.link(from, heading));
                links.push(self.link(step(from, heading), heading.opposite()));
            };
            let is_open = |from: (u32, u32), heading| grid.moves(from.0, from.1).allows(heading);
            let below = |at| (rect.left + at, rect.bottom - 1);
            for at in exits(rect.right - rect.left, |at| is_open(below(at), Heading::South)) {
                cross(below(at), Heading::South);
            }
            let beside = |at| (rect.right - 1, rect.top + at);
            for at in exits(rect.bottom - rect.top, |at| is_open(beside(at), Heading::East)) {
                cross(beside(at), Heading::East);
            }
            for (x, y) in rect.cells().filter(|&cell| rect.is_rim(cell)) {
                for heading in grid.moves(x, y).filter(|heading| heading.is_diagonal()) {
                    let (to_x, to_y) = step((x, y), heading);
                    let is_squeeze = !grid.is_passable(to_x, y) && !grid.is_passable(x, to_y);
                    if is_squeeze && !rect.contains((to_x, to_y)) {
                        links.push(self.link((x, y), heading));
                    }
                }
            }
            links
        };
        let mut links: Vec<Link> = (0..self.len()).into_par_iter().flat_map(of_cluster).collect();
        links.par_sort_unstable();
        links
    }
}

impl Rect {
    fn contains(&self, (x, y): (u32, u32)) -> bool {
        (self.left..self.right).contains(&x) && (self.top..self.bottom).contains(&y)
    }

    fn is_rim(&self, (x, y): (u32, u32)) -> bool {
        x == self.left || x + 1 == self.right || y == self.top || y + 1 == self.bottom
    }

    fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (self.top..self.bottom).flat_map(move |y| (self.left..self.right).map(move |x| (x, y)))
    }

    fn len(&self) -> usize {
        ((self.right - self.left) * (self.bottom - self.top)) as usize
    }

    fn local(&self, (x, y): (u32, u32)) -> usize {
        ((y - self.top) * (self.right - self.left) + x - self.left) as usize
    }

    fn cell(&self, local: usize) -> (u32, u32) {
        let (local, width) = (local as u32, self.right - self.left);
        (self.left + local % width, self.top + local / width)
    }
}

/// The positions of exits along a border of this length.
fn exits(length: u32, is_open: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut positions = Vec::new();
    let mut at = 0;
    while at < length {
        let first = at;
        while at < length && is_open(at) {
            at += 1;
        }
        let steps = at - first;
        let parts: &[u32] = match steps {
            0 => &[],
            WIDEST.. => &[1, 3, 5],
            WIDE.. => &[1, 5],
            _ => &[3],
        };
        positions.extend(parts.iter().map(|part| first + (steps * part - 1) / 6));
        at += 1;
    }
    positions
}

/// Finds the cheapest paths from all cells of a cluster to these exits, within the cluster.
pub(super) fn paths(grid: &Grid, rect: Rect, exits: &[NodeId]) -> ClusterPaths {
    let mut all = ClusterPaths::default();
    let roots: Vec<usize> =
        exits.iter().filter_map(|&exit| grid.position(exit)).map(|cell| rect.local(cell)).collect();
    for &root in &roots {
        let mut costs = vec![UNREACHABLE; rect.len()];
        let mut headings = vec![NOWHERE; rect.len()];
        costs[root] = 0;
        let mut open = BinaryHeap::from([Reverse((0, root))]);
        while let Some(Reverse((cost, tail))) = open.pop() {
            if cost > costs[tail] {
                continue;
            }
            let from = rect.cell(tail);
            for heading in grid.moves(from.0, from.1) {
                let to = step(from, heading);
                if !rect.contains(to) {
                    continue;
                }
                // Fits: a path has fewer than 64 x 64 steps.
                let (cost, head) = (cost + step_cost(grid, from, heading), rect.local(to));
                if cost < costs[head] {
                    costs[head] = cost;
                    headings[head] = heading.opposite() as u8;
                    open.push(Reverse((cost, head)));
                }
            }
        }
        all.costs.extend(roots.iter().map(|&other| costs[other]));
        all.headings.extend(headings);
    }
    all
}

fn step((x, y): (u32, u32), heading: Heading) -> (u32, u32) {
    let (dx, dy) = heading.delta();
    (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy))
}

fn step_cost(grid: &Grid, from: (u32, u32), heading: Heading) -> Cost {
    let slanted = heading.is_diagonal() && grid.connectivity() != Connectivity::Hex;
    let to = step(from, heading);
    let factor = |(x, y)| grid.factor(x, y).map_or(0, Cost::from);
    match (grid.has_terrain(), slanted) {
        (false, false) => STRAIGHT,
        (false, true) => DIAGONAL,
        (true, false) => (factor(from) + factor(to)) * TERRAIN_STRAIGHT,
        (true, true) => (factor(from) + factor(to)) * TERRAIN_DIAGONAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(border: &str, expected: &[u32]) {
        let open = border.as_bytes();
        let found = exits(open.len() as u32, |at| open[at as usize] == b'.');
        assert_eq!(found, expected, "{border}");
    }

    #[test]
    fn openings_have_exits_by_their_length() {
        check("####", &[]);
        check("#.##", &[1]);
        check("...#", &[1]);
        check("....", &[0, 3]);
        check("..#....#.", &[0, 3, 6, 8]);
        check("....................", &[3, 9, 16]);
    }

    #[test]
    fn clusters_of_open_ground_have_twelve_exits() {
        let grid = Grid::new(60, 60).expect("a size");
        let mut exits: Vec<_> = Tiling::new(&grid, 20)
            .links(&grid)
            .iter()
            .filter(|link| link.cluster == 4)
            .map(|link| link.exit)
            .collect();
        exits.dedup();
        assert_eq!(exits.len(), 12);
    }
}
