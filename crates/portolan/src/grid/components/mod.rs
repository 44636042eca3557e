//! Which cells of a grid hang together, kept up to date through edits.
//!
//! The components are found when first asked for, once for all clones of a version of the grid. An
//! edit makes a new version, which repairs what the old one knew:
//!
//! - Freeing a cell joins what it touches.
//! - Blocking one splits nothing as long as its neighbours hang together in the 3 x 3 block round
//!   it, and almost always they do. Otherwise a search starts from each group of them, all in
//!   lockstep. Searches that meet become one; one that has nowhere left to go has found a component
//!   of its own. When a single search is left the rest is its, unseen, so the cost is that of the
//!   smaller pieces.
//!
//! Repairs live on a credit of cells they may look at, worth about as much as finding the
//! components anew. When it is spent the components are forgotten, to be found when next asked for.
//! A sequence of edits thus never costs more than a few times the better of the two ways. Every new
//! label costs credit too, so there are never more labels than cells, save on the smallest maps.
//!
//! A component is named by its smallest cell, so the names do not depend on what was repaired,
//! found anew or asked for when.

mod labels;
mod paged;

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::{Graph, Grid, Heading, Moves};
use crate::graph::NodeId;
use labels::{Label, Labels};

/// Finding the components anew takes about as long as searching this part of the cells.
const CREDIT_SHARE: usize = 4;

/// The least credit: on small maps finding is so cheap that its start counts.
const MIN_CREDIT: usize = 256;

/// The components of one version of a grid, shared by its clones.
#[derive(Clone, Default)]
pub(super) struct GridComponents {
    known: Arc<OnceLock<Known>>,
}

#[derive(Clone)]
pub(super) struct Known {
    labels: Labels,
    /// How many cells repairs may still look at.
    credit: usize,
}

impl GridComponents {
    /// The smallest cell of the component of a passable cell.
    pub(super) fn of(&self, grid: &Grid, node: NodeId) -> NodeId {
        let labels = &self.find(grid).labels;
        labels.least(labels.of(node))
    }

    /// Finds them unless they are known.
    pub(super) fn find(&self, grid: &Grid) -> &Known {
        self.known.get_or_init(|| Known::find(grid))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.known.get().map_or(0, |known| known.labels.memory_bytes())
    }

    /// Leaves the version that other clones share, for one of which nothing is known; hands out
    /// what was.
    fn leave(&mut self) -> Option<Known> {
        match Arc::get_mut(&mut self.known) {
            Some(own) => own.take(),
            None => std::mem::take(&mut self.known).get().cloned(),
        }
    }
}

impl Grid {
    /// Follows the edit of a cell, which has already been made in the grid.
    pub(super) fn repair_components(&mut self, node: NodeId) {
        let Some(mut known) = self.components.leave() else { return };
        let repaired =
            if self.contains(node) { known.free(self, node) } else { known.block(self, node) };
        if repaired.is_some() {
            self.components = GridComponents { known: Arc::new(known.into()) };
        }
    }
}

/// Repairs answer `None` when the credit is spent; what is known is then of no more use.
impl Known {
    fn find(grid: &Grid) -> Self {
        let credit = (grid.node_count() / CREDIT_SHARE).max(MIN_CREDIT);
        Self { labels: Labels::find(grid), credit }
    }

    fn spend(&mut self, cells: usize) -> Option<()> {
        self.credit = self.credit.checked_sub(cells)?;
        Some(())
    }

    /// A cell was freed. The diagonals that it opens lead between its neighbours, so they join
    /// nothing else.
    fn free(&mut self, grid: &Grid, node: NodeId) -> Option<()> {
        self.spend(1)?;
        let mut home = None;
        for head in heads(grid, node) {
            let other = self.labels.of(head);
            home = Some(home.map_or(other, |label| self.labels.join(label, other)));
        }
        match home {
            Some(label) => self.labels.add(node, label),
            None => _ = self.labels.begin(node),
        }
        Some(())
    }

    /// A cell was blocked. The diagonals that it shuts led between its neighbours, so only they can
    /// have been parted.
    fn block(&mut self, grid: &Grid, node: NodeId) -> Option<()> {
        self.spend(1)?;
        let mut label = self.labels.of(node);
        let groups = groups_round(grid, node);
        if groups.is_empty() {
            return Some(());
        }
        if groups.len() > 1 {
            label = self.part(grid, label, &groups)?;
        }
        // The smallest cell may be the blocked one, or have gone with a piece. The next lies at
        // most as many rows further as the piece has, for all the rest hangs together and touched
        // the blocked cell.
        let least = self.labels.least(label);
        let is_in = |&cell: &NodeId| grid.contains(cell) && self.labels.of(cell) == label;
        let next = (least..grid.node_count() as NodeId).find(is_in)?;
        if next != least {
            self.spend((next - least) as usize)?;
            self.labels.set_least(label, next);
        }
        Some(())
    }

    /// Searches from these cells of a component until all but one search have met another or found
    /// all of their piece. Says the label of the rest.
    fn part(&mut self, grid: &Grid, old: Label, starts: &[NodeId]) -> Option<Label> {
        struct Search {
            label: Label,
            open: VecDeque<NodeId>,
        }
        self.spend(starts.len())?;
        let begin = |&start| Search { label: self.labels.begin(start), open: [start].into() };
        let mut searches: VecDeque<Search> = starts.iter().map(begin).collect();
        while let Some(mut search) = searches.pop_front() {
            if searches.is_empty() {
                return Some(self.labels.join(old, search.label));
            }
            let Some(cell) = search.open.pop_front() else { continue };
            self.spend(1)?;
            for head in heads(grid, cell) {
                let label = self.labels.of(head);
                if label == old {
                    self.labels.add(head, search.label);
                    search.open.push_back(head);
                } else if label != search.label {
                    let met = searches.iter().position(|other| other.label == label)?;
                    search.open.append(&mut searches.remove(met)?.open);
                    search.label = self.labels.join(search.label, label);
                }
            }
            searches.push_back(search);
        }
        None
    }
}

/// The cells that a step leads to from a passable cell.
fn heads(grid: &Grid, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let (x, y) = grid.split(node);
    grid.moves(x, y).map(move |direction| node.wrapping_add(grid.offsets[direction as usize]))
}

/// Of the neighbours that a blocked cell would have, one of each group that hangs together in the 3
/// x 3 block round it.
fn groups_round(grid: &Grid, node: NodeId) -> Vec<NodeId> {
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
                let new = ROUND[at as usize][step as usize] & !seen;
                seen |= new;
                open.0 |= new;
            }
        }
        neighbours.0 &= !seen;
    }
    groups
}

/// By the place of a cell in the ring round another and by a step from it: the bit of the place in
/// the ring where the step ends, none where it leaves the ring.
static ROUND: [[u8; 8]; 8] = {
    let mut round = [[0; 8]; 8];
    let mut index = 0;
    while index < 8 * 8 * 8 {
        let (from, step, to) = (index / 64, index / 8 % 8, index % 8);
        let (from_x, from_y) = Heading::ALL[from].delta();
        let (dx, dy) = Heading::ALL[step].delta();
        let (to_x, to_y) = Heading::ALL[to].delta();
        if from_x + dx == to_x && from_y + dy == to_y {
            round[from][step] = 1 << to;
        }
        index += 1;
    }
    round
};

#[cfg(test)]
mod tests;
