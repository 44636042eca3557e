//! What labels of the grid before the edits prove about the grid after them.
//!
//! *Freed* cells were blocked when the labels were computed and are free now. A legal path that
//! passes no freed cell and makes no diagonal step beside one was legal before: it is an *old path*
//! and costs at least what the labels say. Any other path is a chain: an old path to the first
//! *gate*, which is a freed cell or the middle of a diagonal step beside one; from there an old
//! path or a single step to the next gate; and so on. A chain enters and leaves gates at their
//! *accesses*, neighbouring cells that were free before.
//!
//! So the least cost of all chains, with stale costs between accesses, is a lower bound for legal
//! paths; blocked cells only make paths longer. If the old paths of the best chain are still legal,
//! they are the answer.

use super::goal_distances::GoalDistances;
use crate::atlas::uniform::index::LabelledGrid;
use crate::atlas::uniform::lookup::QueryScratch;
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::{Grid, Heading};
use crate::route::{Leg, append};

/// The stale labels, with the grids before and after the edits.
pub(crate) struct StaleLabels<'a> {
    pub(crate) labelled: &'a LabelledGrid,
    pub(crate) before: &'a Grid,
    pub(crate) now: &'a Grid,
}

/// The best old path between accesses of two cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OldPath {
    /// Includes the steps between the cells and their accesses.
    pub(crate) cost: Cost,
    pub(crate) accesses: [NodeId; 2],
}

/// By heading, how a step changes the coordinates; in the order of
/// [`deltas`](crate::atlas::uniform::unpack::deltas).
const STEPS: [[i32; 2]; 8] = [[0, -1], [1, 0], [0, 1], [-1, 0], [1, -1], [1, 1], [-1, 1], [-1, -1]];

const NO_PATH: OldPath = OldPath { cost: UNREACHABLE, accesses: [0, 0] };

/// A cell that was free before, and the cost between it and the cell or gate that it gives access
/// to.
pub(crate) type CellAccess = (NodeId, Cost);

/// An old path with the cells that it connects.
pub(crate) type OldSegment = ([NodeId; 2], OldPath);

impl StaleLabels<'_> {
    /// The best old path between two cells, or the step between them if both are freed.
    pub(crate) fn old_path(&self, lookup: &mut QueryScratch, from: NodeId, to: NodeId) -> OldPath {
        if from == to || self.is_new_step(from, to) {
            return OldPath { cost: self.open_distance(from, to), accesses: [from, to] };
        }
        let [near, far] = [from, to].map(|cell| self.accesses(cell).collect::<Vec<_>>());
        self.old_path_between(lookup, &near, &far)
    }

    /// The best old path between any two accesses.
    pub(crate) fn old_path_between(
        &self,
        lookup: &mut QueryScratch,
        near: &[CellAccess],
        far: &[CellAccess],
    ) -> OldPath {
        let mut best = NO_PATH;
        for &(a, first) in near {
            for &(b, last) in far {
                let cost = self.labelled.find(lookup, a, b).unwrap_or(UNREACHABLE);
                let cost = cost.saturating_add(first + last);
                if cost < best.cost {
                    best = OldPath { cost, accesses: [a, b] };
                }
            }
        }
        best
    }

    /// Sets the goals: the accesses of some targets, each with the cost that remains from it.
    pub(crate) fn set_goals<'t>(
        &self,
        goals: &mut GoalDistances,
        targets: impl IntoIterator<Item = (&'t [CellAccess], Cost)>,
    ) {
        goals.clear(self.labelled);
        for (accesses, rest) in targets {
            for &(access, step) in accesses {
                goals.add(self.labelled, access, rest.saturating_add(step));
            }
        }
    }

    /// The least stale cost from any of these accesses to a goal.
    pub(crate) fn cost_to_goals(&self, goals: &mut GoalDistances, accesses: &[CellAccess]) -> Cost {
        let cost = |&(access, step): &CellAccess| {
            goals.cost(self.labelled, access, 0).saturating_add(step)
        };
        accesses.iter().map(cost).min().unwrap_or(UNREACHABLE)
    }

    /// Appends the cells of an old path, with the cells that it connects.
    pub(crate) fn append(
        &self,
        lookup: &mut QueryScratch,
        (cells, old): OldSegment,
        path: &mut Vec<NodeId>,
    ) -> Option<()> {
        let [from, to] = old.accesses;
        if old.cost == UNREACHABLE {
            return None;
        }
        if !self.before.contains(from) {
            cells.into_iter().for_each(|cell| push(path, cell));
            return Some(());
        }
        self.labelled.look_up(lookup, from, to)?;
        push(path, cells[0]);
        if path.last() == Some(&from) {
            path.pop();
        }
        append(from, lookup.legs(), path);
        push(path, cells[1]);
        Some(())
    }

    /// Writes the old path between two cells. Also returns the cost of its rest from the first
    /// illegal step on: 0 if it is legal, [`UNREACHABLE`] if there is none.
    pub(crate) fn retrace(
        &self,
        lookup: &mut QueryScratch,
        endpoints: [NodeId; 2],
        path: &mut Vec<NodeId>,
    ) -> (OldPath, Cost) {
        let [from, to] = endpoints;
        if endpoints.iter().all(|&cell| self.before.contains(cell)) {
            let Some(cost) = self.labelled.look_up(lookup, from, to) else {
                return (NO_PATH, UNREACHABLE);
            };
            let rest = self.rest_after_cut(from, lookup.legs(), cost);
            if rest == 0 {
                append(from, lookup.legs(), path);
            }
            return (OldPath { cost, accesses: endpoints }, rest);
        }
        let old = self.old_path(lookup, from, to);
        let known = self.append(lookup, (endpoints, old), path).is_some();
        let rest = match self.first_illegal_step(path) {
            None if known => 0,
            None => UNREACHABLE,
            Some(at) => self.path_cost(&path[at..]),
        };
        (old, rest)
    }

    /// The cost of the rest of a path of this cost from its first illegal step on.
    pub(crate) fn rest_after_cut(&self, from: NodeId, legs: &[Leg], cost: Cost) -> Cost {
        let corners = self.now.corners();
        let free = |x: u32, y: u32| self.now.is_passable(x, y);
        let deltas = &self.labelled.deltas;
        let (mut x, mut y) = self.now.split(from);
        let mut rest = cost;
        for leg in legs.iter().filter(|leg| leg.steps > 0) {
            let Some(at) = deltas.iter().position(|&delta| delta == leg.delta) else { return rest };
            let [dx, dy] = STEPS[at];
            let is_diagonal = dx != 0 && dy != 0;
            let step = if is_diagonal { DIAGONAL } else { STRAIGHT };
            for _ in 0..leg.steps {
                let (u, v) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
                let legal =
                    free(u, v) && (!is_diagonal || corners.may_pass(free(x, v), free(u, y)));
                if !legal {
                    return rest;
                }
                (x, y) = (u, v);
                rest = rest.saturating_sub(step);
            }
        }
        rest
    }

    /// The index of the first cell from which the next step is illegal.
    #[inline]
    pub(crate) fn first_illegal_step(&self, path: &[NodeId]) -> Option<usize> {
        let corners = self.now.corners();
        let legal = |tail: NodeId, head: NodeId| {
            let ((x, y), (u, v)) = (self.now.split(tail), self.now.split(head));
            let free = |x, y| self.now.is_passable(x, y);
            free(u, v) && (x == u || y == v || corners.may_pass(free(x, v), free(u, y)))
        };
        path.windows(2).position(|pair| !legal(pair[0], pair[1]))
    }

    pub(crate) fn path_cost(&self, path: &[NodeId]) -> Cost {
        path.windows(2)
            .fold(0, |cost, pair| cost.saturating_add(self.open_distance(pair[0], pair[1])))
    }

    /// The cost between two cells on open ground, a lower bound for all paths.
    pub(crate) fn open_distance(&self, from: NodeId, to: NodeId) -> Cost {
        let view = &self.labelled.subgoals.view;
        view.distance(view.cell(from), view.cell(to))
    }

    /// Whether both cells are freed and a step leads from one to the other.
    pub(crate) fn is_new_step(&self, from: NodeId, to: NodeId) -> bool {
        let freed = |cell| !self.before.contains(cell);
        let (x, y) = self.now.split(from);
        let leads = |heading: Heading| {
            let (dx, dy) = heading.delta();
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            Some(self.now.node(x, y)? == to)
        };
        let steps = |heading: &Heading| {
            self.now.moves(x, y).allows(*heading) && leads(*heading) == Some(true)
        };
        freed(from) && freed(to) && Heading::ALL.iter().any(steps)
    }

    /// The accesses of a cell: itself if it was free before, else the neighbours that were free
    /// before and to which a step leads now.
    pub(crate) fn accesses(&self, cell: NodeId) -> impl Iterator<Item = CellAccess> + '_ {
        let known = self.before.contains(cell);
        let (x, y) = self.now.split(cell);
        let moves = self.now.moves(x, y);
        let neighbours = Heading::ALL.into_iter().filter_map(move |heading| {
            let (dx, dy) = heading.delta();
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            let fits = !known && moves.allows(heading) && self.before.is_passable(x, y);
            let cost = if heading.is_diagonal() { DIAGONAL } else { STRAIGHT };
            Some((self.now.node(x, y)?, cost)).filter(|_| fits)
        });
        known.then_some((cell, 0)).into_iter().chain(neighbours)
    }
}

/// Appends a node, unless the path ends there already.
fn push(path: &mut Vec<NodeId>, node: NodeId) {
    if path.last() != Some(&node) {
        path.push(node);
    }
}
