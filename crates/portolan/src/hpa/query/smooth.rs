//! Straightens paths.
//!
//! A path through abstract nodes has unnecessary turns. From each turn, the search looks for the
//! farthest later turn that a direct path reaches: diagonal steps and then straight ones, or the
//! other way round. If it is cheaper, it replaces the steps between. The distance is doubled until
//! an attempt fails and then bisected, so a path is walked only a few times. The remaining turns
//! are where abstract nodes were, often in the middle of a passage. A second pass rounds them, from
//! some cells before a turn to as many after it.

use crate::cost::{Cost, plus};
use crate::graph::{Endpoints, NodeId};
use crate::grid::{Connectivity, Grid, Heading};
use crate::heuristic::Geometric;

/// Scratch space of straightening.
#[derive(Default)]
pub(super) struct Smoother {
    /// The turns of the path and its cost up to each; both ends count as turns.
    turns: Vec<(u32, Cost)>,
    /// A direct path, without its first cell.
    direct: Vec<NodeId>,
    tried: Vec<NodeId>,
    smoothed: Vec<NodeId>,
}

/// On narrower maps two directions may have the same difference of node ids.
const MIN_WIDTH: u32 = 3;

impl Smoother {
    /// Straightens a path of this cost; returns the new cost.
    pub(super) fn smooth(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        path: &mut Vec<NodeId>,
        cost: Cost,
    ) -> Cost {
        if path.len() < 3 || grid.width() < MIN_WIDTH {
            return cost;
        }
        let ground = (grid, base);
        let cost = cost - self.pass(ground, path, Self::pull);
        cost - self.pass(ground, path, Self::round)
    }

    /// Goes over the path once and replaces pieces of it; returns the cost saved.
    fn pass(
        &mut self,
        ground: (&Grid, &Geometric),
        path: &mut Vec<NodeId>,
        pieces: fn(&mut Self, (&Grid, &Geometric), &[NodeId]) -> Cost,
    ) -> Cost {
        if !self.find_turns(ground.0, path) {
            return 0;
        }
        self.smoothed.clear();
        let saved = pieces(self, ground, path);
        if saved > 0 {
            std::mem::swap(path, &mut self.smoothed);
        }
        saved
    }

    /// Goes from turn to turn, each time as far as a direct path leads.
    fn pull(&mut self, (grid, base): (&Grid, &Geometric), path: &[NodeId]) -> Cost {
        self.smoothed.push(path[0]);
        let (mut at, mut saved) = (0, 0);
        while at + 1 < self.turns.len() {
            let (next, gain) = self.farthest(grid, base, path, at);
            if gain > 0 {
                self.smoothed.extend_from_slice(&self.direct);
            } else {
                let piece = self.turns[at].0 as usize + 1..=self.turns[next].0 as usize;
                self.smoothed.extend_from_slice(&path[piece]);
            }
            saved += gain;
            at = next;
        }
        saved
    }

    /// Rounds every remaining turn, from some cells before it to as many after it.
    fn round(&mut self, (grid, base): (&Grid, &Geometric), path: &[NodeId]) -> Cost {
        let (mut done, mut saved) = (0, 0);
        for at in 1..self.turns.len() - 1 {
            let (turn, next) = (self.turns[at].0 as usize, self.turns[at + 1].0 as usize);
            let before = self.turns[at - 1].0 as usize;
            let mut reach = turn.saturating_sub(before.max(done)).min(next - turn);
            while reach > 0 {
                let (from, to) = (turn - reach, turn + reach);
                let cost = cost_of_steps(grid, &path[from..=to]);
                match self.try_between(grid, base, (path[from], path[to]), cost) {
                    Some(0) => break,
                    Some(gain) => {
                        self.smoothed.extend_from_slice(&path[done..=from]);
                        self.smoothed.extend_from_slice(&self.tried);
                        (done, saved) = (to + 1, saved + gain);
                        break;
                    }
                    None => reach /= 2,
                }
            }
        }
        self.smoothed.extend_from_slice(&path[done..]);
        saved
    }

    /// Finds the turns; returns false if the cost of the path overflows.
    fn find_turns(&mut self, grid: &Grid, path: &[NodeId]) -> bool {
        self.turns.clear();
        let (mut cost, mut last) = (0, None);
        for (index, pair) in path.windows(2).enumerate() {
            let delta = pair[1].wrapping_sub(pair[0]);
            if last != Some(delta) {
                self.turns.push((index as u32, cost));
                last = Some(delta);
            }
            let Some(sum) = plus(cost, cost_of_steps(grid, pair)) else { return false };
            cost = sum;
        }
        self.turns.push((path.len() as u32 - 1, cost));
        true
    }

    /// The farthest turn that a direct path from this one reaches, and the cost saved. The direct
    /// path is in `direct` if it saves anything.
    fn farthest(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        path: &[NodeId],
        at: usize,
    ) -> (usize, Cost) {
        let last = self.turns.len() - 1;
        let (mut best, mut gain) = (at + 1, 0);
        let (mut reach, mut failed) = (2, None);
        while best < last && failed.is_none_or(|failed| best + 1 < failed) {
            let next = match failed {
                None => (at + reach).min(last),
                Some(failed) => best + (failed - best) / 2,
            };
            match self.try_direct(grid, base, path, (at, next)) {
                Some(saved) => {
                    (best, gain) = (next, saved);
                    std::mem::swap(&mut self.direct, &mut self.tried);
                    reach *= 2;
                }
                None => failed = Some(next),
            }
        }
        (best, gain)
    }

    /// The cost that a direct path between two turns saves: zero if the path itself is direct,
    /// `None` if no direct path is cheaper.
    fn try_direct(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        path: &[NodeId],
        (a, b): (usize, usize),
    ) -> Option<Cost> {
        let ends = (path[self.turns[a].0 as usize], path[self.turns[b].0 as usize]);
        self.try_between(grid, base, ends, self.turns[b].1 - self.turns[a].1)
    }

    /// Like [`try_direct`](Self::try_direct), between two cells with this path cost between them;
    /// the direct path is in `tried`.
    fn try_between(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        (from, to): Endpoints,
        cost: Cost,
    ) -> Option<Cost> {
        if cost <= base.between(base.position(from), base.position(to)) {
            return Some(0);
        }
        if let Some(direct) = walk(grid, from, to, cost, &mut self.tried) {
            return Some(cost - direct);
        }
        let direct = walk(grid, to, from, cost, &mut self.tried)?;
        self.tried.pop();
        self.tried.reverse();
        self.tried.push(to);
        Some(cost - direct)
    }
}

/// The cost of some steps of a path.
fn cost_of_steps(grid: &Grid, cells: &[NodeId]) -> Cost {
    let steps = cells.windows(2).map(|pair| {
        let across = (pair[1].wrapping_sub(pair[0]) as i32).unsigned_abs();
        grid.step_cost(pair[0], pair[1], across != 1 && across != grid.width())
    });
    steps.sum()
}

/// Walks from one cell to another as on open ground while that is legal and cheaper than the limit;
/// stores the cells after the first.
fn walk(
    grid: &Grid,
    from: NodeId,
    to: NodeId,
    limit: Cost,
    cells: &mut Vec<NodeId>,
) -> Option<Cost> {
    cells.clear();
    let ((mut x, mut y), goal) = (grid.split(from), grid.split(to));
    let (mut node, mut cost) = (from, 0);
    while node != to {
        let direction = toward(grid.connectivity(), (x, y), goal);
        if !grid.moves(x, y).allows(direction) {
            return None;
        }
        let (dx, dy) = direction.delta();
        (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
        let head = grid.node(x, y)?;
        let step = grid.step_cost(node, head, direction.is_diagonal());
        cost = plus(cost, step).filter(|&cost| cost < limit)?;
        node = head;
        cells.push(node);
    }
    Some(cost)
}

/// The first step on open ground: towards the goal's row if it is another one, as diagonal as the
/// moves allow.
#[inline(always)]
fn toward(connectivity: Connectivity, (x, y): (u32, u32), (goal_x, goal_y): (u32, u32)) -> Heading {
    let (right, down) = (goal_x.cmp(&x) as i32, goal_y.cmp(&y) as i32);
    let (dx, dy) = match connectivity {
        Connectivity::Four if right != 0 => (right, 0),
        Connectivity::Four | Connectivity::Eight => (right, down),
        Connectivity::Hex if down == 0 => (right, 0),
        Connectivity::Hex => {
            // Compares cell centres: odd rows are shifted by half a cell to the right.
            let centre = |x: u32, y: u32| 2 * u64::from(x) + u64::from(y & 1);
            let is_right = centre(goal_x, goal_y) >= centre(x, y);
            (i32::from(y & 1 == 1 && is_right) - i32::from(y & 1 == 0 && !is_right), down)
        }
    };
    let ground = (dy + 1) * 3 + dx + 1;
    Heading::ALL[(ground - i32::from(ground > 4)) as usize & 7]
}
