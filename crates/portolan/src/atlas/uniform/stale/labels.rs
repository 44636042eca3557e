//! What labels of the map as it was say about the map as it is.
//!
//! *Freed* cells were blocked when the labels were made and are free now. A legal way that passes
//! none of them, and makes no diagonal step beside one, was legal before: it is an *old way* and
//! costs at least what the labels say. Any other way is a chain: an old way to the first *gate*,
//! which is a freed cell or the middle of a diagonal step beside one, from there an old way, or a
//! single step, to the next, and so on (`prospect.rs`). Where gates are left and entered are
//! *ties*, cells that were free before. So the least cost of all chains, with costs between ties as
//! labels tell them, is a lower bound for legal ways, and blocked cells only make ways longer. If
//! the ways that make up the best chain are still legal, they are the answer.

use super::goal_distances::Goals;
use crate::atlas::uniform::Labelled;
use crate::atlas::uniform::lookup::Room;
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::{Grid, Heading};
use crate::route::{Leg, append};

/// The old labels, the old grid and the new.
pub(crate) struct Past<'a> {
    pub(crate) labelled: &'a Labelled,
    pub(crate) before: &'a Grid,
    pub(crate) now: &'a Grid,
}

/// A way by old cells between two that are tied to its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Old {
    pub(crate) cost: Cost,
    pub(crate) ties: [NodeId; 2],
}

/// How a cell changes with each step, by direction, as in [`deltas`](crate::atlas::uniform::unpack::deltas).
const STEPS: [[i32; 2]; 8] = [[0, -1], [1, 0], [0, 1], [-1, 0], [1, -1], [1, 1], [-1, 1], [-1, -1]];

const NOWHERE: Old = Old { cost: UNREACHABLE, ties: [0, 0] };

/// A cell that was free before, and what it costs to get there.
pub(crate) type Access = (NodeId, Cost);

/// An old way with the ends that it is tied to.
pub(crate) type Way = ([NodeId; 2], Old);

impl Past<'_> {
    /// The least cost between two cells by old ways, of cells that were free before; freed ones are
    /// tied to those round them.
    pub(crate) fn between(&self, room: &mut Room, from: NodeId, to: NodeId) -> Old {
        if from == to || self.steps(from, to) {
            return Old { cost: self.open_distance(from, to), ties: [from, to] };
        }
        let [near, far] = [from, to].map(|cell| self.ties(cell).collect::<Vec<_>>());
        self.between_ties(room, &near, &far)
    }

    /// The same between any of some cells and any of others, each with a cost of its own.
    pub(crate) fn between_ties(&self, room: &mut Room, near: &[Access], far: &[Access]) -> Old {
        let mut best = NOWHERE;
        for &(a, first) in near {
            for &(b, last) in far {
                let cost = self.labelled.find(room, a, b).unwrap_or(UNREACHABLE);
                let cost = cost.saturating_add(first + last);
                if cost < best.cost {
                    best = Old { cost, ties: [a, b] };
                }
            }
        }
        best
    }

    /// Makes the ties of some places the goals, each place with what it costs from there.
    pub(crate) fn aim<'t>(
        &self,
        goals: &mut Goals,
        places: impl IntoIterator<Item = (&'t [Access], Cost)>,
    ) {
        goals.clear(self.labelled);
        for (ties, rest) in places {
            for &(tie, step) in ties {
                goals.add(self.labelled, tie, rest.saturating_add(step));
            }
        }
    }

    /// The least cost by old ways from any of some cells to a goal.
    pub(crate) fn cost_from(&self, goals: &mut Goals, ties: &[Access]) -> Cost {
        let cost = |&(tie, step): &Access| goals.cost(self.labelled, tie, 0).saturating_add(step);
        ties.iter().map(cost).min().unwrap_or(UNREACHABLE)
    }

    /// Writes the cells of an old way behind others, the ends that it is tied to included.
    pub(crate) fn write(
        &self,
        room: &mut Room,
        (ends, old): Way,
        path: &mut Vec<NodeId>,
    ) -> Option<()> {
        let [from, to] = old.ties;
        if old.cost == UNREACHABLE {
            return None;
        }
        if !self.before.contains(from) {
            ends.into_iter().for_each(|end| push(path, end));
            return Some(());
        }
        self.labelled.look_up(room, from, to)?;
        push(path, ends[0]);
        if path.last() == Some(&from) {
            path.pop();
        }
        append(from, room.legs(), path);
        push(path, ends[1]);
        Some(())
    }

    /// The old way between two cells, and how much of it is left where it is cut: nothing where it
    /// is still legal, and then it is the path; everything where there is none.
    pub(crate) fn retrace(
        &self,
        room: &mut Room,
        ends: [NodeId; 2],
        path: &mut Vec<NodeId>,
    ) -> (Old, Cost) {
        let [from, to] = ends;
        if ends.iter().all(|&end| self.before.contains(end)) {
            let Some(cost) = self.labelled.look_up(room, from, to) else {
                return (NOWHERE, UNREACHABLE);
            };
            let left = self.left(from, room.legs(), cost);
            if left == 0 {
                append(from, room.legs(), path);
            }
            return (Old { cost, ties: ends }, left);
        }
        let old = self.between(room, from, to);
        let known = self.write(room, (ends, old), path).is_some();
        let left = match self.cut(path) {
            None if known => 0,
            None => UNREACHABLE,
            Some(at) => self.cost_of(&path[at..]),
        };
        (old, left)
    }

    /// How much of a way of this cost is left where it is cut: where the next step is not legal any
    /// more.
    pub(crate) fn left(&self, from: NodeId, legs: &[Leg], mut left: Cost) -> Cost {
        let corners = self.now.corners();
        let free = |x: u32, y: u32| self.now.is_passable(x, y);
        let deltas = &self.labelled.deltas;
        let (mut x, mut y) = self.now.split(from);
        for leg in legs.iter().filter(|leg| leg.steps > 0) {
            let Some(at) = deltas.iter().position(|&delta| delta == leg.delta) else { return left };
            let [dx, dy] = STEPS[at];
            let is_diagonal = dx != 0 && dy != 0;
            let step = if is_diagonal { DIAGONAL } else { STRAIGHT };
            for _ in 0..leg.steps {
                let (u, v) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
                let legal =
                    free(u, v) && (!is_diagonal || corners.may_pass(free(x, v), free(u, y)));
                if !legal {
                    return left;
                }
                (x, y) = (u, v);
                left = left.saturating_sub(step);
            }
        }
        left
    }

    /// The first cell of a path from which the next step is not legal any more.
    #[inline]
    pub(crate) fn cut(&self, path: &[NodeId]) -> Option<usize> {
        let corners = self.now.corners();
        let legal = |tail: NodeId, head: NodeId| {
            let ((x, y), (u, v)) = (self.now.split(tail), self.now.split(head));
            let free = |x, y| self.now.is_passable(x, y);
            free(u, v) && (x == u || y == v || corners.may_pass(free(x, v), free(u, y)))
        };
        path.windows(2).position(|pair| !legal(pair[0], pair[1]))
    }

    /// What a path costs.
    pub(crate) fn cost_of(&self, path: &[NodeId]) -> Cost {
        path.windows(2)
            .fold(0, |cost, pair| cost.saturating_add(self.open_distance(pair[0], pair[1])))
    }

    /// No way between two cells costs less on open ground.
    pub(crate) fn open_distance(&self, from: NodeId, to: NodeId) -> Cost {
        let view = &self.labelled.subgoals.view;
        view.distance(view.cell(from), view.cell(to))
    }

    /// Whether both cells were freed and a step leads from one to the other.
    pub(crate) fn steps(&self, from: NodeId, to: NodeId) -> bool {
        let freed = |cell| !self.before.contains(cell);
        let (x, y) = self.now.split(from);
        let leads = |direction: Heading| {
            let (dx, dy) = direction.delta();
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            Some(self.now.node(x, y)? == to)
        };
        let steps = |direction: &Heading| {
            self.now.moves(x, y).allows(*direction) && leads(*direction) == Some(true)
        };
        freed(from) && freed(to) && Heading::ALL.iter().any(steps)
    }

    /// The cells that were free before to which one is tied, and at what cost: itself, or those
    /// round a freed one from which a step leads there now.
    pub(crate) fn ties(&self, cell: NodeId) -> impl Iterator<Item = Access> + '_ {
        let known = self.before.contains(cell);
        let (x, y) = self.now.split(cell);
        let moves = self.now.moves(x, y);
        let round = Heading::ALL.into_iter().filter_map(move |direction| {
            let (dx, dy) = direction.delta();
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            let fits = !known && moves.allows(direction) && self.before.is_passable(x, y);
            let cost = if direction.is_diagonal() { DIAGONAL } else { STRAIGHT };
            Some((self.now.node(x, y)?, cost)).filter(|_| fits)
        });
        known.then_some((cell, 0)).into_iter().chain(round)
    }
}

/// Goes on with a node, unless the path ends there already.
fn push(path: &mut Vec<NodeId>, node: NodeId) {
    if path.last() != Some(&node) {
        path.push(node);
    }
}
