//! Queries on an edited grid with stale labels, which are those of the grid before the edits.
//!
//! An edit changes no label, bitmap or edge: it is only recorded. A query first reads the path from
//! the stale labels. If it is still legal and no path over freed cells can be shorter, it is the
//! answer. So is a chain of old paths over freed cells. Otherwise A* searches a detour, with the
//! stale labels as lower bounds.
//!
//! - `labels`: what stale labels prove, and why the answers are exact.
//! - `freed_cells`: the best chain of old paths over freed cells.
//! - `goal_distances`: stale costs from many cells to a few goals.
//! - `detour`: the search.

pub(crate) mod detour;
pub(crate) mod freed_cells;
pub(crate) mod goal_distances;
pub(crate) mod labels;

use std::sync::Arc;

use self::detour::{DetourScratch, DetourSearch};
use self::freed_cells::BestChain;
use self::labels::{OldPath, StaleLabels};
use super::index::{EditCounts, LabelledGrid, MOST_FREED};
use super::lookup::QueryScratch;
use super::subgoals::{ColumnCache, JumpPoints, Subgoals};
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::map::Map;
use crate::search::Observer;

/// How much longer a path may become before the freed cells are examined a second time.
const MARGIN: Cost = 4 * STRAIGHT;

/// The edits since the labels were computed.
#[derive(Clone)]
pub(crate) struct Edits {
    /// The grid of the labels.
    before: Arc<Grid>,
    /// How many cells were free then.
    free_before: usize,
    /// The cells that were blocked then and are free now, ascending.
    freed: Vec<NodeId>,
    /// How many cells were free then and are blocked now.
    blocked: usize,
}

/// What an edited index borrows from the scratch space of a query.
type EditScratch<'a> = (&'a mut QueryScratch, &'a mut DetourScratch, &'a mut ColumnCache);

impl Edits {
    /// The most bytes that edits add before the index is rebuilt.
    pub(crate) const MOST_BYTES: u64 = 4 * MOST_FREED as u64;

    /// No edits yet.
    pub(crate) fn new(grid: &Grid) -> Self {
        let (before, free_before) = (Arc::new(grid.clone()), grid.passable_count());
        Self { before, free_before, freed: Vec::new(), blocked: 0 }
    }

    /// Records one more edit of these cells, which led from one grid to another.
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

    /// The map of the labels.
    pub(crate) fn map_before(&self) -> Map {
        Map::Grid((*self.before).clone())
    }

    /// How the grid differs from that of the labels.
    pub(crate) fn counts(&self) -> EditCounts {
        let free_before = self.free_before;
        EditCounts { freed: self.freed.len(), blocked: self.blocked, free_before }
    }

    /// The counts after edits that lead to this grid of the same size.
    pub(crate) fn leading_to(&self, after: &Grid) -> EditCounts {
        let (free_before, free_after) = (self.free_before, after.passable_count());
        // The difference and the sum of both counts are known.
        let differing = self.before.differing_count(after);
        let freed = (differing + free_after).saturating_sub(free_before) / 2;
        EditCounts { freed, blocked: differing - freed, free_before }
    }

    /// The number of cells that differ from the grid of the labels.
    pub(crate) fn differing(&self) -> usize {
        self.freed.len() + self.blocked
    }

    /// Whether both cells were passable when the labels were computed.
    pub(crate) fn were_passable(&self, from: NodeId, to: NodeId) -> bool {
        self.before.contains(from) && self.before.contains(to)
    }

    /// A lower bound for all paths that the freed cells have opened. A new path passes such a cell,
    /// or makes a diagonal step between two neighbours of it: one straight step less on either
    /// side, and the diagonal step between.
    pub(crate) fn bound_over_freed(&self, subgoals: &Subgoals, from: NodeId, to: NodeId) -> Cost {
        let view = &subgoals.view;
        let (from, to) = (view.cell(from), view.cell(to));
        let bound = |&cell: &NodeId| {
            let cell = view.cell(cell);
            let through = view.distance(from, cell).saturating_add(view.distance(cell, to));
            through.saturating_sub(2 * STRAIGHT - DIAGONAL)
        };
        self.freed.iter().map(bound).min().unwrap_or(UNREACHABLE)
    }

    /// The bytes that edits have added, without the scratch space of queries.
    pub(crate) fn memory_bytes(&self) -> usize {
        4 * self.freed.len()
    }

    /// Finds a path between two connected cells. `None` if its cost overflows, or if a plain search
    /// is faster.
    pub(crate) fn answer(
        &self,
        (labelled, now): (&LabelledGrid, &Grid),
        endpoints: [NodeId; 2],
        (lookup, detour, columns): EditScratch<'_>,
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        let stale = StaleLabels { labelled, before: &self.before, now };
        path.clear();
        let (direct, cut) = stale.retrace(lookup, endpoints, path);
        if cut == 0 && self.freed.is_empty() {
            return Some(direct.cost);
        }
        let limit = if cut > 0 { direct.cost.saturating_add(MARGIN) } else { direct.cost };
        let scratch = (lookup, &mut *detour, columns);
        let cost = self.detour(&stale, (endpoints, direct, cut), limit, scratch, path, observer);
        detour.goals.clear(labelled);
        cost
    }

    /// Continues `answer` if the old path may not be the best. `cut` is the cost of its rest from
    /// the first illegal step on.
    fn detour(
        &self,
        stale: &StaleLabels<'_>,
        (endpoints, direct, cut): ([NodeId; 2], OldPath, Cost),
        limit: Cost,
        (lookup, detour, columns): EditScratch<'_>,
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        let segment = (endpoints, direct);
        let mut chain =
            BestChain::new(stale, (lookup, &mut detour.goals), segment, (&self.freed, limit));
        let is_direct = chain.as_ref().is_some_and(|chain| chain.segments.len() == 1);
        match is_direct {
            true if cut == 0 => return Some(direct.cost),
            true => {}
            false => {
                if let Some(cost) = self.write_chain(stale, lookup, chain.as_ref(), path) {
                    return Some(cost);
                }
            }
        }
        let has_jump_points = stale.labelled.subgoals.has_jump_points();
        let jumps = has_jump_points.then(|| JumpPoints::new(stale.now, columns.of(stale.now)));
        let mut search =
            |lookup: &mut QueryScratch, detour: &mut DetourScratch, chain: &Option<BestChain>| {
                let gates = chain.as_ref().map(|chain| &chain.gates[..]);
                let search = DetourSearch { stale, jumps, endpoints, gates, cut };
                search.run(lookup, detour, path, observer)
            };
        let cost = search(lookup, detour, &chain);
        let found = cost.unwrap_or(UNREACHABLE);
        let more = chain.is_some() && !self.freed.is_empty() && !detour.gave_up;
        if found <= limit || !more {
            return cost;
        }
        // Paths over other freed cells may cost less. The limit must not exclude the path found.
        let limit = found.saturating_add(1);
        chain = BestChain::new(stale, (lookup, &mut detour.goals), segment, (&self.freed, limit));
        search(lookup, detour, &chain)
    }

    /// Writes the best chain of old paths if it is still legal.
    fn write_chain(
        &self,
        stale: &StaleLabels<'_>,
        lookup: &mut QueryScratch,
        chain: Option<&BestChain>,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let chain = chain?;
        path.clear();
        chain.segments.iter().try_for_each(|&segment| stale.append(lookup, segment, path))?;
        stale.first_illegal_step(path).is_none().then_some(chain.bound)
    }
}
