//! Dijkstra's algorithm within one cluster, repeated from different cells.
//!
//! The steps of the cluster are listed once. A search from a cell then finds the cost to every
//! other cell and the direction of each cell's first step towards the root. On a grid every step
//! has a reverse, so one search serves both directions.

use super::tiling::Rect;
use crate::cost::{Cost, UNREACHABLE};
use crate::grid::Grid;
use crate::search::Observer;
use crate::search::queue::{Entry, Queue};

/// Scratch space of searches within clusters.
#[derive(Default)]
pub(crate) struct ClusterSearch {
    rect: Rect,
    /// The start of each cell's steps, and the end of the last.
    first: Vec<u32>,
    steps: Vec<ClusterStep>,
    costs: Vec<Cost>,
    toward: Vec<u8>,
    queue: Queue,
}

/// A step that stays within the cluster.
#[derive(Clone, Copy)]
struct ClusterStep {
    head: u16,
    /// The direction of the reverse step.
    back: u8,
    weight: Cost,
}

/// The direction of unreachable cells, and of the root itself.
pub(crate) const NOWHERE: u8 = 8;

impl ClusterSearch {
    /// Lists the steps within a cluster.
    pub(crate) fn enter(&mut self, grid: &Grid, rect: Rect) {
        self.rect = rect;
        self.first.clear();
        self.steps.clear();
        let across = rect.width() as i32;
        for (local, (x, y)) in rect.cells().enumerate() {
            self.first.push(self.steps.len() as u32);
            let Some(node) = grid.node(x, y) else { continue };
            // Steps from an interior cell never leave.
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

    /// Searches from a cell of the cluster entered last.
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
                // No path through at most 64 x 64 cells overflows.
                let (cost, head) = (cost + weight, usize::from(head));
                if cost < self.costs[head] {
                    self.costs[head] = cost;
                    self.toward[head] = back;
                    self.queue.push(Entry { bound: cost, cost, node: head as u32 });
                }
            }
        }
    }

    /// Reports what the last search expanded: every cell it reached.
    pub(crate) fn report(&self, grid: &Grid, observer: &mut impl Observer) {
        for (&cost, (x, y)) in self.costs.iter().zip(self.rect.cells()) {
            if let Some(node) = grid.node(x, y).filter(|_| cost != UNREACHABLE) {
                observer.generated(node, cost);
                observer.expanded(node, cost);
            }
        }
    }

    /// The cost between a cell and the root of the last search; [`UNREACHABLE`] if there is no path
    /// within the cluster.
    #[inline]
    pub(crate) fn cost(&self, cell: (u32, u32)) -> Cost {
        self.costs[self.rect.local(cell)]
    }

    /// The costs of all cells, row by row.
    pub(crate) fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// The direction of each cell's first step towards the root; [`NOWHERE`] at the root and if
    /// there is no path.
    pub(crate) fn toward(&self) -> &[u8] {
        &self.toward
    }
}
