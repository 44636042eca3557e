//! The connected components of a grid, kept up to date under edits.
//!
//! Components are computed on first use, once for all clones of a version of the grid. An edit
//! makes a new version and repairs its components:
//!
//! - Freeing a cell joins the components of its neighbours.
//! - Blocking a cell splits nothing if its neighbours are connected within the 3 x 3 block around
//!   it, which is almost always so. Otherwise one flood fill starts from each group of neighbours,
//!   all in lockstep. Fills that meet are merged; a fill that runs out of cells has found a
//!   separate component. The last remaining fill takes the rest unseen, so the cost is that of the
//!   smaller pieces.
//!
//! Repairs spend a credit of visited cells, worth about one computation from scratch. When the
//! credit is used up, the components are dropped and computed on next use. So a sequence of edits
//! never costs more than a few times the cheaper alternative. Every new label costs credit too, so
//! there are never more labels than cells, except on the smallest maps.
//!
//! The smallest cell names a component, so names do not depend on the history of repairs.
//!
//! `labels.rs` stores a label per cell in a union-find forest, `paged.rs` its copy-on-write arrays.

mod labels;
mod paged;

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::{Graph, Grid, Heading, Moves};
use crate::changes::{CellChange, Changes};
use crate::graph::NodeId;
use labels::{CellLabels, Label};

/// Computing the components from scratch takes as long as filling one cell in this many.
const CREDIT_SHARE: usize = 4;

/// The least credit. On small maps the fixed cost of a computation dominates.
const MIN_CREDIT: usize = 256;

/// The components of one version of a grid, shared by its clones.
#[derive(Clone, Default)]
pub(super) struct GridComponents {
    known: Arc<OnceLock<KnownComponents>>,
}

#[derive(Clone)]
pub(super) struct KnownComponents {
    labels: CellLabels,
    /// The number of cells that repairs may still visit.
    credit: usize,
}

impl GridComponents {
    /// The smallest cell of the component of a passable cell.
    pub(super) fn of(&self, grid: &Grid, node: NodeId) -> NodeId {
        let labels = &self.find(grid).labels;
        labels.least(labels.of(node))
    }

    /// Computes the components unless they are known.
    pub(super) fn find(&self, grid: &Grid) -> &KnownComponents {
        self.known.get_or_init(|| KnownComponents::find(grid))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.known.get().map_or(0, |known| known.labels.memory_bytes())
    }

    /// Detaches this version from its clones, without known components. Returns the old ones.
    fn detach(&mut self) -> Option<KnownComponents> {
        match Arc::get_mut(&mut self.known) {
            Some(own) => own.take(),
            None => std::mem::take(&mut self.known).get().cloned(),
        }
    }
}

impl Grid {
    /// Drops the components before edits that would use up all credit.
    pub(super) fn drop_components_before(&mut self, changes: &Changes) {
        let most = KnownComponents::full_credit(self);
        if changes.cells.len() > most {
            let differs = |change: &&CellChange| self.contains(change.node) != change.passable;
            if changes.cells.iter().filter(differs).nth(most).is_some() {
                self.components = GridComponents::default();
            }
        }
    }

    /// Repairs the components after the edit of a cell.
    pub(super) fn repair_components(&mut self, node: NodeId) {
        let Some(mut known) = self.components.detach() else { return };
        let repaired =
            if self.contains(node) { known.free(self, node) } else { known.block(self, node) };
        if repaired.is_some() {
            self.components = GridComponents { known: Arc::new(known.into()) };
        }
    }
}

/// Repairs return `None` when the credit is used up; the components are then invalid.
impl KnownComponents {
    fn find(grid: &Grid) -> Self {
        Self { labels: CellLabels::find(grid), credit: Self::full_credit(grid) }
    }

    fn full_credit(grid: &Grid) -> usize {
        (grid.node_count() / CREDIT_SHARE).max(MIN_CREDIT)
    }

    fn spend(&mut self, cells: usize) -> Option<()> {
        self.credit = self.credit.checked_sub(cells)?;
        Some(())
    }

    /// Repairs after a cell was freed. The diagonals that it opens connect its neighbours, so they
    /// join nothing else.
    fn free(&mut self, grid: &Grid, node: NodeId) -> Option<()> {
        self.spend(1)?;
        let mut joined = None;
        for head in heads(grid, node) {
            let other = self.labels.of(head);
            joined = Some(joined.map_or(other, |label| self.labels.join(label, other)));
        }
        match joined {
            Some(label) => self.labels.add(node, label),
            None => _ = self.labels.begin(node),
        }
        Some(())
    }

    /// Repairs after a cell was blocked. The diagonals that it closes connected its neighbours, so
    /// only these can be separated.
    fn block(&mut self, grid: &Grid, node: NodeId) -> Option<()> {
        self.spend(1)?;
        let mut label = self.labels.of(node);
        let groups = neighbour_groups(grid, node);
        if groups.is_empty() {
            return Some(());
        }
        if groups.len() > 1 {
            label = self.split(grid, label, &groups)?;
        }
        // The smallest cell may be the blocked one or be in a piece that was split off. The rest is
        // connected and touched the blocked cell, so its smallest cell is at most as many rows
        // further as the piece has.
        let least = self.labels.least(label);
        let is_in = |&cell: &NodeId| grid.contains(cell) && self.labels.of(cell) == label;
        let next = (least..grid.node_count() as NodeId).find(is_in)?;
        if next != least {
            self.spend((next - least) as usize)?;
            self.labels.set_least(label, next);
        }
        Some(())
    }

    /// Fills a component from these cells until all but one fill have met another or completed
    /// their piece. Returns the label of the rest.
    fn split(&mut self, grid: &Grid, old: Label, starts: &[NodeId]) -> Option<Label> {
        struct FloodFill {
            label: Label,
            open: VecDeque<NodeId>,
        }
        self.spend(starts.len())?;
        let begin = |&start| FloodFill { label: self.labels.begin(start), open: [start].into() };
        let mut fills: VecDeque<FloodFill> = starts.iter().map(begin).collect();
        while let Some(mut fill) = fills.pop_front() {
            if fills.is_empty() {
                return Some(self.labels.join(old, fill.label));
            }
            let Some(cell) = fill.open.pop_front() else { continue };
            self.spend(1)?;
            for head in heads(grid, cell) {
                let label = self.labels.of(head);
                if label == old {
                    self.labels.add(head, fill.label);
                    fill.open.push_back(head);
                } else if label != fill.label {
                    let met = fills.iter().position(|other| other.label == label)?;
                    fill.open.append(&mut fills.remove(met)?.open);
                    fill.label = self.labels.join(fill.label, label);
                }
            }
            fills.push_back(fill);
        }
        None
    }
}

/// The heads of all steps from a passable cell.
fn heads(grid: &Grid, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let (x, y) = grid.split(node);
    grid.moves(x, y).map(move |heading| node.wrapping_add(grid.offsets[heading as usize]))
}

/// One cell of each group of a blocked cell's former neighbours. Neighbours of a group are
/// connected within the 3 x 3 block.
fn neighbour_groups(grid: &Grid, node: NodeId) -> Vec<NodeId> {
    let (x, y) = grid.split(node);
    let mut neighbours = grid.moves_inside(x, y);
    let mut groups = Vec::new();
    while let Some(first) = neighbours.next() {
        groups.push(node.wrapping_add(grid.offsets[first as usize]));
        let mut seen = 1u8 << first as u8;
        let mut open = Moves(seen);
        while let Some(at) = open.next() {
            let (dx, dy) = at.delta();
            let moves = grid.moves(x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            for step in moves {
                let new = RING_STEPS[at as usize][step as usize] & !seen;
                seen |= new;
                open.0 |= new;
            }
        }
        neighbours.0 &= !seen;
    }
    groups
}

/// By the position of a cell in the ring around another cell and by a step from it: the bit of the
/// position where the step ends, or zero if it leaves the ring.
static RING_STEPS: [[u8; 8]; 8] = {
    let mut steps = [[0; 8]; 8];
    let mut index = 0;
    while index < 8 * 8 * 8 {
        let (from, step, to) = (index / 64, index / 8 % 8, index % 8);
        let (from_x, from_y) = Heading::ALL[from].delta();
        let (dx, dy) = Heading::ALL[step].delta();
        let (to_x, to_y) = Heading::ALL[to].delta();
        if from_x + dx == to_x && from_y + dy == to_y {
            steps[from][step] = 1 << to;
        }
        index += 1;
    }
    steps
};

#[cfg(test)]
mod tests;
