//! A grid after edits: what differs from the map that the labels are about, and answers
//! nevertheless.
//!
//! An edit changes no label, no bitmap and no edge of the graph of subgoals: it is noted down. A
//! query first asks the labels. If the way that they know is still legal, and no way over freed
//! cells can be shorter, it is the answer; and so is a chain of such ways over freed cells
//! (`prospect.rs`). Otherwise a search looks for a detour (`detour.rs`), with the labels as its
//! bounds. Why that is exact is told in `past.rs`.

pub(crate) mod detour;
pub(crate) mod freed_cells;
pub(crate) mod goal_distances;
pub(crate) mod labels;

use std::sync::Arc;

use self::detour::{Detour, Space};
use self::freed_cells::Prospect;
use self::labels::{Old, Past};
use super::lookup::Room;
use super::subgoals::{ColumnCache, JumpPoints, Subgoals};
use super::{Labelled, MOST_FREED};
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::search::Observer;

/// How much longer than before a way may become before the freed cells are looked through once
/// more.
const MARGIN: Cost = 4 * STRAIGHT;

/// What edits have changed.
#[derive(Clone)]
pub(crate) struct Edited {
    /// The grid that the labels are about.
    before: Arc<Grid>,
    /// The cells that were blocked then and are free now, ascending.
    freed: Vec<NodeId>,
    /// How many cells were free then and are blocked now.
    blocked: usize,
}

impl Edited {
    /// Nothing has changed yet.
    pub(crate) fn new(grid: &Grid) -> Self {
        Self { before: Arc::new(grid.clone()), freed: Vec::new(), blocked: 0 }
    }

    /// After one more edit of these cells, which led from one grid to another.
    pub(crate) fn follow(&mut self, from: &Grid, to: &Grid, cells: &[NodeId]) {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells.dedup();
        cells.retain(|&cell| from.contains(cell) != to.contains(cell));
        for &cell in cells.iter().filter(|&&cell| self.before.contains(cell)) {
            match to.contains(cell) {
                true => self.blocked = self.blocked.saturating_sub(1),
                false => self.blocked += 1,
            }
        }
        self.freed.extend(cells.iter().filter(|&&cell| !self.before.contains(cell)));
        self.freed.retain(|&cell| to.contains(cell));
        self.freed.sort_unstable();
    }

    /// How many cells were freed.
    pub(crate) fn freed(&self) -> usize {
        self.freed.len()
    }

    /// How many cells are not as they were.
    pub(crate) fn differing(&self) -> usize {
        self.freed.len() + self.blocked
    }

    /// Whether both ends were there when the labels were made.
    pub(crate) fn knew(&self, from: NodeId, to: NodeId) -> bool {
        self.before.contains(from) && self.before.contains(to)
    }

    /// No way that the freed cells have opened is shorter than this, on open ground. A new way
    /// passes such a cell, or makes a diagonal step between two neighbours of it: a straight step
    /// less on either side, and the diagonal one between.
    pub(crate) fn least_by_freed(&self, subgoals: &Subgoals, from: NodeId, to: NodeId) -> Cost {
        let view = &subgoals.view;
        let (from, to) = (view.cell(from), view.cell(to));
        let by = |&cell: &NodeId| {
            let cell = view.cell(cell);
            let through = view.distance(from, cell).saturating_add(view.distance(cell, to));
            through.saturating_sub(2 * STRAIGHT - DIAGONAL)
        };
        self.freed.iter().map(by).min().unwrap_or(UNREACHABLE)
    }

    /// The most bytes that edits can add before the map is built anew.
    pub(crate) const MOST_BYTES: u64 = 4 * MOST_FREED as u64;

    /// Bytes of what edits have added; scratch space of searches, which queries share, is not
    /// counted.
    pub(crate) fn memory_bytes(&self) -> usize {
        4 * self.freed.len()
    }

    /// Finds a path between cells that are known to be joined; `None` where its cost cannot be
    /// counted, or a plain search is quicker.
    pub(crate) fn answer(
        &self,
        (labelled, now): (&Labelled, &Grid),
        ends: [NodeId; 2],
        (room, space, columns): (&mut Room, &mut Space, &mut ColumnCache),
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        let past = Past { labelled, before: &self.before, now };
        path.clear();
        let (direct, cut) = past.retrace(room, ends, path);
        if cut == 0 && self.freed.is_empty() {
            return Some(direct.cost);
        }
        let limit = if cut > 0 { direct.cost.saturating_add(MARGIN) } else { direct.cost };
        let scratch = (room, &mut *space, columns);
        let cost = self.detour(&past, (ends, direct, cut), limit, scratch, path, observer);
        space.goals.clear(labelled);
        cost
    }

    /// The same where the old way, of which so much is left where it is cut, is not known to be the
    /// best.
    fn detour(
        &self,
        past: &Past<'_>,
        (ends, direct, cut): ([NodeId; 2], Old, Cost),
        limit: Cost,
        (room, space, columns): (&mut Room, &mut Space, &mut ColumnCache),
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        let way = (ends, direct);
        let mut prospect = Prospect::new(past, (room, &mut space.goals), way, (&self.freed, limit));
        let is_direct = prospect.as_ref().is_some_and(|prospect| prospect.ways.len() == 1);
        match is_direct {
            true if cut == 0 => return Some(direct.cost),
            true => {}
            false => {
                if let Some(cost) = self.known(past, room, prospect.as_ref(), path) {
                    return Some(cost);
                }
            }
        }
        let has_jump_points = past.labelled.subgoals.has_jump_points();
        let jumps = has_jump_points.then(|| JumpPoints::new(past.now, columns.of(past.now)));
        let mut search = |room: &mut Room, space: &mut Space, prospect: &Option<Prospect>| {
            let openings = prospect.as_ref().map(|prospect| &prospect.openings[..]);
            let detour = Detour { past, jumps, ends, openings, cut };
            detour.search(room, space, path, observer)
        };
        let cost = search(room, space, &prospect);
        let found = cost.unwrap_or(UNREACHABLE);
        let more = prospect.is_some() && !self.freed.is_empty() && !space.gave_up;
        if found <= limit || !more {
            return cost;
        }
        // Ways over other freed cells may cost less than what was found, which must not be lost.
        let limit = found.saturating_add(1);
        prospect = Prospect::new(past, (room, &mut space.goals), way, (&self.freed, limit));
        search(room, space, &prospect)
    }

    /// The path by old ways, if that is the best and still legal.
    fn known(
        &self,
        past: &Past<'_>,
        room: &mut Room,
        prospect: Option<&Prospect>,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let prospect = prospect?;
        path.clear();
        prospect.ways.iter().try_for_each(|&way| past.write(room, way, path))?;
        past.cut(path).is_none().then_some(prospect.least)
    }
}
