//! The cells of a path as they are written, run by run.

use super::legs::Leg;
use crate::graph::NodeId;

/// Cells that are written at once, whether all are wanted or not.
const BATCH: usize = 8;

/// How node ids change with each step, by direction: four straight ones, then four diagonals, clockwise.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps([[NodeId; BATCH]; 8]);

impl Steps {
    /// On a grid so many cells wide.
    pub(super) fn new(width: u32) -> Self {
        let (up, down) = (width.wrapping_neg(), width);
        let (right, left) = (1, 1_u32.wrapping_neg());
        let sum = NodeId::wrapping_add;
        let deltas = [
            up,
            right,
            down,
            left,
            sum(up, right),
            sum(down, right),
            sum(down, left),
            sum(up, left),
        ];
        Self(deltas.map(|delta| std::array::from_fn(|at| delta.wrapping_mul(at as NodeId + 1))))
    }
}

/// A path that grows at its end.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// Longer than the path: what lies behind its end means nothing.
    cells: Vec<NodeId>,
    len: usize,
}

impl Trail {
    /// Starts anew at a cell.
    pub(super) fn start(&mut self, node: NodeId) {
        self.len = 0;
        self.make_room(1);
        self.cells[0] = node;
        self.len = 1;
    }

    /// Goes on with some legs.
    pub(super) fn go_all(&mut self, steps: &Steps, legs: [Leg; 2]) {
        legs.into_iter().for_each(|leg| self.go(steps, leg));
    }

    /// Goes on with some steps in one direction.
    #[inline(always)]
    pub(super) fn go(&mut self, Steps(steps): &Steps, (direction, count): Leg) {
        self.run(&steps[direction & 7], count);
    }

    #[inline(always)]
    fn run(&mut self, steps: &[NodeId; BATCH], count: usize) {
        let end = self.len + count;
        if end + BATCH > self.cells.len() {
            self.make_room(count);
        }
        let mut from = self.cells[self.len - 1];
        let mut at = self.len;
        while at < end {
            let batch = &mut self.cells[at..at + BATCH];
            for (cell, step) in batch.iter_mut().zip(steps) {
                *cell = from.wrapping_add(*step);
            }
            from = batch[BATCH - 1];
            at += BATCH;
        }
        self.len = end;
    }

    /// Goes on with another path, from its end to its start; both end at the same cell.
    pub(super) fn append_reversed(&mut self, other: &Self) {
        let back = &other.cells()[..other.len.saturating_sub(1)];
        self.make_room(back.len());
        let rest = &mut self.cells[self.len..][..back.len()];
        for (cell, &node) in rest.iter_mut().zip(back.iter().rev()) {
            *cell = node;
        }
        self.len += back.len();
    }

    pub(super) fn cells(&self) -> &[NodeId] {
        &self.cells[..self.len]
    }

    /// Room for so many more cells, and for what is written behind them.
    #[cold]
    fn make_room(&mut self, count: usize) {
        let needed = self.len + count + 2 * BATCH;
        if needed > self.cells.len() {
            self.cells.resize(needed.next_power_of_two(), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_all_lengths_and_directions() {
        let steps = Steps::new(100);
        let deltas: [i64; 8] = [-100, 1, 100, -1, -99, 101, 99, -101];
        let (mut trail, mut other) = (Trail::default(), Trail::default());
        for first in 0..20 {
            for (direction, delta) in deltas.into_iter().enumerate() {
                let second = (direction + 3) % 8;
                trail.start(50_000);
                trail.go_all(&steps, [(direction, first), (second, 9)]);
                let mut expected = vec![50_000_i64];
                for (count, delta) in [(first, delta), (9, deltas[second])] {
                    for _ in 0..count {
                        expected.push(expected[expected.len() - 1] + delta);
                    }
                }
                let cells = || trail.cells().iter().map(|&cell| i64::from(cell));
                assert!(cells().eq(expected.iter().copied()));
                other.start(50_000);
                other.append_reversed(&trail);
                let back = trail.cells().iter().rev().skip(1);
                assert!(other.cells()[1..].iter().eq(back));
            }
        }
    }
}
