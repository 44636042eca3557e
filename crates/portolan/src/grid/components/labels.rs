//! The label of every cell, and a union-find forest of labels.
//!
//! Labels are joined by rank, so a lookup climbs at most the logarithm of their number, and usually
//! not at all. A root stores the smallest cell of its component, which is the component's name.

use super::paged::Paged;
use crate::graph::{NodeId, root_of};
use crate::grid::{Graph, Grid, Moves};

/// The neighbours that precede a cell in row order, with every connectivity.
const EARLIER: u8 = 0b1111;

/// The label of a component; a root unless stated otherwise.
pub(super) type Label = u32;

#[derive(Clone)]
pub(super) struct CellLabels {
    /// By cell, any label of its component; undefined for blocked cells.
    cells: Paged<Label>,
    /// By label.
    forest: Paged<LabelNode>,
}

/// A label in the forest.
#[derive(Clone, Copy)]
struct LabelNode {
    /// The label that this one was joined to; a root is its own parent.
    parent: Label,
    /// For roots, an upper bound on the height of the tree.
    rank: u32,
    /// For roots, the smallest cell of the component.
    least: NodeId,
}

impl CellLabels {
    /// Labels all cells in one pass over the cells and their steps to earlier cells.
    pub(super) fn find(grid: &Grid) -> Self {
        let mut cells = vec![Label::MAX; grid.node_count()];
        // Labels are created in the order of their first cells and join older ones, so a root has
        // the smallest first cell.
        let mut parents: Vec<Label> = Vec::new();
        let mut first: Vec<NodeId> = Vec::new();
        let positions = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y)));
        for (node, (x, y)) in (0 as NodeId..).zip(positions) {
            if !grid.is_passable(x, y) {
                continue;
            }
            let mut label = None;
            for heading in Moves(grid.moves_inside(x, y).0 & EARLIER) {
                let head = node.wrapping_add(grid.offsets[heading as usize]);
                let other = cells[head as usize];
                if label == Some(other) {
                    continue;
                }
                let other = root_of(&mut parents, other);
                let own = label.unwrap_or(other);
                parents[own.max(other) as usize] = own.min(other);
                label = Some(own.min(other));
            }
            cells[node as usize] = label.unwrap_or_else(|| {
                parents.push(parents.len() as Label);
                first.push(node);
                parents.len() as Label - 1
            });
        }
        // Renumbers the roots without gaps.
        let mut forest: Vec<LabelNode> = Vec::new();
        for label in 0..parents.len() {
            if parents[label] as usize == label {
                let root = forest.len() as Label;
                forest.push(LabelNode { parent: root, rank: 0, least: first[label] });
                parents[label] = root;
            } else {
                parents[label] = parents[parents[label] as usize];
            }
        }
        for cell in &mut cells {
            *cell = parents.get(*cell as usize).copied().unwrap_or(*cell);
        }
        Self { cells: cells.into(), forest: forest.into() }
    }

    /// The number of labels, in use or not.
    pub(super) fn count(&self) -> usize {
        self.forest.len()
    }

    /// The label of a passable cell's component.
    #[inline]
    pub(super) fn of(&self, cell: NodeId) -> Label {
        let mut label = self.cells.get(cell as usize);
        loop {
            let parent = self.forest.get(label as usize).parent;
            if parent == label {
                return label;
            }
            label = parent;
        }
    }

    pub(super) fn least(&self, label: Label) -> NodeId {
        self.forest.get(label as usize).least
    }

    pub(super) fn set_least(&mut self, label: Label, least: NodeId) {
        self.forest.get_mut(label as usize).least = least;
    }

    /// Makes a component of one cell.
    pub(super) fn begin(&mut self, cell: NodeId) -> Label {
        let label = self.count() as Label;
        self.forest.push(LabelNode { parent: label, rank: 0, least: cell });
        *self.cells.get_mut(cell as usize) = label;
        label
    }

    /// Moves a cell into a component. Its old component may keep it as its smallest cell.
    pub(super) fn add(&mut self, cell: NodeId, label: Label) {
        *self.cells.get_mut(cell as usize) = label;
        if cell < self.least(label) {
            self.set_least(label, cell);
        }
    }

    /// Joins two components and returns the label of the result.
    pub(super) fn join(&mut self, a: Label, b: Label) -> Label {
        if a == b {
            return a;
        }
        let (left, right) = (self.forest.get(a as usize), self.forest.get(b as usize));
        let (root, child) = if left.rank >= right.rank { (a, b) } else { (b, a) };
        self.forest.get_mut(child as usize).parent = root;
        let joined = self.forest.get_mut(root as usize);
        joined.rank += u32::from(left.rank == right.rank);
        joined.least = left.least.min(right.least);
        root
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes() + self.forest.memory_bytes()
    }
}
