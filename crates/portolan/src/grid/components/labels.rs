//! Which label every cell carries, and which labels mean the same component.
//!
//! Labels are joined in a forest by rank, so a look-up climbs at most the logarithm of their
//! number, and mostly not at all. A root knows the smallest cell of its component, which is the
//! component's name.

use super::paged::Paged;
use crate::graph::{NodeId, root_of};
use crate::grid::{Graph, Grid, Moves};

/// The four neighbours that come before a cell in row order, under every connectivity.
const EARLIER: u8 = 0b1111;

/// The label of a component; a root unless said otherwise.
pub(super) type Label = u32;

#[derive(Clone)]
pub(super) struct Labels {
    /// By cell, any label of its component; without meaning where the cell is blocked.
    cells: Paged<Label>,
    /// By label.
    places: Paged<Place>,
}

/// Where a label stands in the forest.
#[derive(Clone, Copy)]
struct Place {
    /// The label that it was joined to; its own where it is a root.
    above: Label,
    /// For roots, a bound on how many labels hang below each other here.
    rank: u32,
    /// For roots, the smallest cell of the component.
    least: NodeId,
}

impl Labels {
    /// One look at every cell and the steps to those before it.
    pub(super) fn find(grid: &Grid) -> Self {
        let mut cells = vec![Label::MAX; grid.node_count()];
        // Labels come in the order of their first cells and join the older, so a root has the
        // smallest.
        let mut above: Vec<Label> = Vec::new();
        let mut first: Vec<NodeId> = Vec::new();
        let positions = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y)));
        for (node, (x, y)) in (0 as NodeId..).zip(positions) {
            if !grid.is_passable(x, y) {
                continue;
            }
            let mut label = None;
            for direction in Moves(grid.moves_inside(x, y).0 & EARLIER) {
                let head = node.wrapping_add(grid.offsets[direction as usize]);
                let other = cells[head as usize];
                if label == Some(other) {
                    continue;
                }
                let other = root_of(&mut above, other);
                let own = label.unwrap_or(other);
                above[own.max(other) as usize] = own.min(other);
                label = Some(own.min(other));
            }
            cells[node as usize] = label.unwrap_or_else(|| {
                above.push(above.len() as Label);
                first.push(node);
                above.len() as Label - 1
            });
        }
        let mut places: Vec<Place> = Vec::new();
        for label in 0..above.len() {
            if above[label] as usize == label {
                let root = places.len() as Label;
                places.push(Place { above: root, rank: 0, least: first[label] });
                above[label] = root;
            } else {
                above[label] = above[above[label] as usize];
            }
        }
        for cell in &mut cells {
            *cell = above.get(*cell as usize).copied().unwrap_or(*cell);
        }
        Self { cells: cells.into(), places: places.into() }
    }

    /// How many labels there are, in use or not.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    /// The label of a passable cell's component.
    #[inline]
    pub(super) fn of(&self, cell: NodeId) -> Label {
        let mut label = self.cells.get(cell as usize);
        loop {
            let above = self.places.get(label as usize).above;
            if above == label {
                return label;
            }
            label = above;
        }
    }

    pub(super) fn least(&self, label: Label) -> NodeId {
        self.places.get(label as usize).least
    }

    pub(super) fn set_least(&mut self, label: Label, least: NodeId) {
        self.places.get_mut(label as usize).least = least;
    }

    /// Makes a component of one cell.
    pub(super) fn begin(&mut self, cell: NodeId) -> Label {
        let label = self.count() as Label;
        self.places.push(Place { above: label, rank: 0, least: cell });
        *self.cells.get_mut(cell as usize) = label;
        label
    }

    /// Moves a cell into a component. The one that it leaves may keep it as its smallest cell.
    pub(super) fn add(&mut self, cell: NodeId, label: Label) {
        *self.cells.get_mut(cell as usize) = label;
        if cell < self.least(label) {
            self.set_least(label, cell);
        }
    }

    /// Makes one component of two and says its label.
    pub(super) fn join(&mut self, a: Label, b: Label) -> Label {
        if a == b {
            return a;
        }
        let (left, right) = (self.places.get(a as usize), self.places.get(b as usize));
        let (top, below) = if left.rank >= right.rank { (a, b) } else { (b, a) };
        self.places.get_mut(below as usize).above = top;
        let place = self.places.get_mut(top as usize);
        place.rank += u32::from(left.rank == right.rank);
        place.least = left.least.min(right.least);
        top
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes() + self.places.memory_bytes()
    }
}
