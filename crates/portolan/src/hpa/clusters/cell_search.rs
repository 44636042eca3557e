//! Dijkstra's algorithm inside one cluster, again and again from different cells.
//!
//! The steps of the cluster are laid out once; a search from a cell then finds what it costs to
//! every other and in which direction each cell is left for it. On a grid every step has a way
//! back, so one search serves both ways.

use super::tiling::Rect;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Graph;
use crate::grid::{Grid, Heading};
use crate::search::Observer;
use crate::search::queue::{Entry, Queue};

/// Space for searches inside clusters, kept from one to the next.
#[derive(Default)]
pub(crate) struct ClusterSearch {
    rect: Rect,
    /// Where the steps of each cell start, and one number more.
    first: Vec<u32>,
    steps: Vec<ClusterStep>,
    costs: Vec<Cost>,
    toward: Vec<u8>,
    queue: Queue,
}

/// A step that stays inside the cluster.
#[derive(Clone, Copy)]
struct ClusterStep {
    head: u16,
    /// In which direction its head is left to take it back.
    back: u8,
    weight: Cost,
}

/// The direction of a cell from which no way leads to the root, and of the root itself.
pub(crate) const NOWHERE: u8 = 8;

impl ClusterSearch {
    /// Lays out the steps inside a cluster.
    pub(crate) fn enter(&mut self, grid: &Grid, rect: Rect) {
        self.rect = rect;
        self.first.clear();
        self.steps.clear();
        let across = rect.width() as i32;
        for (local, (x, y)) in rect.cells().enumerate() {
            self.first.push(self.steps.len() as u32);
            let Some(node) = grid.node(x, y) else { continue };
            // Steps of a cell inside stay inside.
            let inside = x > rect.left && x + 1 < rect.right && y > rect.top && y + 1 < rect.bottom;
            grid.steps(node, |direction, _, weight| {
                let (dx, dy) = direction.delta();
                let head = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
                if inside || rect.contains(head) {
                    let head = (local as i32 + dy * across + dx) as u16;
                    self.steps.push(ClusterStep { head, back: direction.opposite() as u8, weight });
                }
            });
        }
        self.first.push(self.steps.len() as u32);
    }

    /// Searches from a cell of the cluster that was entered last.
    pub(crate) fn run(&mut self, root: (u32, u32)) {
        let cells = self.rect.len();
        self.costs.clear();
        self.costs.resize(cells, UNREACHABLE);
        self.toward.clear();
        self.toward.resize(cells, NOWHERE);
        self.queue.clear();
        let root = self.rect.local(root);
        self.costs[root] = 0;
        self.queue.push(Entry { bound: 0, cost: 0, node: root as u32 });
        while let Some(Entry { cost, node, .. }) = self.queue.pop() {
            let tail = node as usize;
            if cost > self.costs[tail] {
                continue;
            }
            let steps = self.first[tail] as usize..self.first[tail + 1] as usize;
            for &ClusterStep { head, back, weight } in &self.steps[steps] {
                // No way through at most 64 x 64 cells costs more than a number can hold.
                let (cost, head) = (cost + weight, usize::from(head));
                if cost < self.costs[head] {
                    self.costs[head] = cost;
                    self.toward[head] = back;
                    self.queue.push(Entry { bound: cost, cost, node: head as u32 });
                }
            }
        }
    }

    /// Tells what the last search has expanded: all that it reached.
    pub(crate) fn report(&self, grid: &Grid, observer: &mut impl Observer) {
        for (&cost, (x, y)) in self.costs.iter().zip(self.rect.cells()) {
            if let Some(node) = grid.node(x, y).filter(|_| cost != UNREACHABLE) {
                observer.generated(node, cost);
                observer.expanded(node, cost);
            }
        }
    }

    /// What it costs between a cell and the root of the last search; [`UNREACHABLE`] where there is
    /// no way inside.
    #[inline]
    pub(crate) fn cost(&self, cell: (u32, u32)) -> Cost {
        self.costs[self.rect.local(cell)]
    }

    /// What all cells cost, row by row.
    pub(crate) fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// In which direction each cell is left for the root; [`NOWHERE`] at the root and where there
    /// is no way.
    pub(crate) fn toward(&self) -> &[u8] {
        &self.toward
    }
}

/// The cells of a cluster as a graph of its own: steps that leave it do not count.
pub(crate) struct ClusterGraph<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) rect: Rect,
}

impl Graph for ClusterGraph<'_> {
    fn node_count(&self) -> usize {
        self.grid.node_count()
    }

    fn contains(&self, node: u32) -> bool {
        self.grid.contains(node)
    }

    #[inline(always)]
    fn out_edges(&self, tail: u32, mut visit: impl FnMut(u32, Cost)) {
        let (x, y) = self.grid.split(tail);
        self.grid.steps(tail, |direction: Heading, head, weight| {
            let (dx, dy) = direction.delta();
            if self.rect.contains((x.wrapping_add_signed(dx), y.wrapping_add_signed(dy))) {
                visit(head, weight);
            }
        });
    }

    #[inline(always)]
    fn in_edges(&self, head: u32, visit: impl FnMut(u32, Cost)) {
        self.out_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        true
    }

    fn may_reach(&self, _: u32, _: u32) -> bool {
        true
    }
}
