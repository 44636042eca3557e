//! Taut runs found from the cells alone, for maps that have just been edited.
//!
//! [`CornerBitmaps`](super::bitmaps::CornerBitmaps) stores everything along lines, which is slow to
//! update after an edit. This module needs only the cells, by rows and by columns. Where a straight
//! run has to turn follows from three adjacent lines, 64 cells at a time (jump point search with
//! bit scans: Harabor, Grastien). The results are the same.

use super::canonical_run::{CanonicalRun, PaddedCell, VisibleSubgoal};
use super::directions::{Departures, Diagonal, Straight};
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::grid::Grid;

const WORD: usize = 64;

/// The cells of a grid by columns, one bit per free cell, with a margin of one blocked cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColumnBits {
    words: Vec<u64>,
    stride: usize,
}

impl ColumnBits {
    pub(crate) fn new(grid: &Grid) -> Self {
        let (rows, wide) = grid.bits();
        let (width, height) = (grid.width() as usize + 2, grid.height() as usize + 2);
        let stride = height.div_ceil(WORD);
        let mut words = vec![0; width * stride];
        for column in 0..wide {
            for part in 0..stride {
                let lines = part * WORD..height.min((part + 1) * WORD);
                let mut square = [0; WORD];
                for (line, word) in lines.zip(&mut square) {
                    *word = rows[line * wide + column];
                }
                transpose(&mut square);
                let positions = column * WORD..width.min((column + 1) * WORD);
                for (position, word) in positions.zip(square) {
                    words[position * stride + part] = word;
                }
            }
        }
        Self { words, stride }
    }

    /// Frees or blocks a cell.
    fn set(&mut self, cell: PaddedCell, free: bool) {
        let word = &mut self.words[cell.x as usize * self.stride + cell.y as usize / WORD];
        let mask = 1 << (cell.y as usize % WORD);
        if free { *word |= mask } else { *word &= !mask }
    }
}

/// Columns that follow a grid from version to version. Comparing rows to find the changes is faster
/// than copying all columns.
#[derive(Debug, Default)]
pub(crate) struct ColumnCache {
    /// Width and height of the grid; `None` before the first use.
    size: Option<(u32, u32)>,
    /// The rows of the grid.
    rows: Vec<u64>,
    columns: ColumnBits,
}

impl ColumnCache {
    /// The columns of a grid.
    pub(crate) fn of(&mut self, grid: &Grid) -> &ColumnBits {
        let (rows, wide) = grid.bits();
        let size = Some((grid.width(), grid.height()));
        if self.size != size {
            self.size = size;
            self.rows = rows.to_vec();
            self.columns = ColumnBits::new(grid);
            return &self.columns;
        }
        let lines = self.rows.chunks_exact_mut(wide).zip(rows.chunks_exact(wide));
        for (y, (old, new)) in lines.enumerate().filter(|(_, (old, new))| old != new) {
            for (word, (old, &new)) in old.iter_mut().zip(new).enumerate() {
                let mut differ = std::mem::replace(old, new) ^ new;
                while differ != 0 {
                    let bit = differ.trailing_zeros() as usize;
                    differ &= differ - 1;
                    let cell = PaddedCell { x: (word * WORD + bit) as u32, y: y as u32 };
                    self.columns.set(cell, new >> bit & 1 != 0);
                }
            }
        }
        &self.columns
    }
}

/// Transposes a square of bits.
fn transpose(square: &mut [u64; WORD]) {
    let (mut size, mut mask) = (WORD / 2, u64::MAX >> (WORD / 2));
    while size > 0 {
        for at in (0..WORD).filter(|at| at & size == 0) {
            let differ = (square[at] >> size ^ square[at + size]) & mask;
            square[at] ^= differ << size;
            square[at + size] ^= differ;
        }
        size /= 2;
        mask ^= mask << size;
    }
}

/// Taut runs on the current grid.
#[derive(Clone, Copy)]
pub(crate) struct JumpPoints<'a> {
    rows: CellLines<'a>,
    columns: CellLines<'a>,
}

impl<'a> JumpPoints<'a> {
    pub(crate) fn new(grid: &'a Grid, columns: &'a ColumnBits) -> Self {
        let (words, stride) = grid.bits();
        let columns = CellLines { words: &columns.words, stride: columns.stride };
        Self { rows: CellLines { words, stride }, columns }
    }

    /// The corners of a free cell.
    pub(crate) fn corners(&self, cell: PaddedCell) -> u8 {
        let around = |y: u32| self.rows.around(y as usize, cell.x as usize);
        let [above, own, below] = [cell.y - 1, cell.y, cell.y + 1].map(around);
        CORNERS[above | own << 3 | below << 6]
    }

    /// Visits the subgoals that force canonical runs with these departures to turn. `within(cell,
    /// cost)` decides whether to look beyond a cell that costs so much to reach.
    pub(crate) fn ahead(
        &self,
        from: PaddedCell,
        departures: Departures,
        mut within: impl FnMut(PaddedCell, Cost) -> bool,
        mut visit: impl FnMut(VisibleSubgoal),
    ) {
        for direction in Straight::ALL {
            if departures.straight(direction)
                && within(from.step(direction.delta(), 1), STRAIGHT)
                && let Some(steps) = self.steps_to_forcing(from, direction)
            {
                visit(visible_subgoal(from, (0, 0), 0, direction, steps));
            }
        }
        for direction in Diagonal::ALL {
            if departures.diagonal(direction) {
                self.ahead_diagonally(from, direction, &mut within, &mut visit);
            }
        }
    }

    /// The canonical run from one cell to another, if there is a line of sight.
    pub(crate) fn line_of_sight(&self, from: PaddedCell, to: PaddedCell) -> Option<CanonicalRun> {
        let run = CanonicalRun::between(from, to);
        let mut cell = from;
        for _ in 0..run.diagonals {
            cell = self.diagonal_step(cell, run.diagonal)?;
        }
        (self.straight_steps(cell, run.straight) >= run.straights as usize).then_some(run)
    }

    fn ahead_diagonally(
        &self,
        from: PaddedCell,
        direction: Diagonal,
        mut within: impl FnMut(PaddedCell, Cost) -> bool,
        mut visit: impl FnMut(VisibleSubgoal),
    ) {
        let mut cell = from;
        for count in 1.. {
            let Some(next) = self.diagonal_step(cell, direction) else { return };
            cell = next;
            let cost = count as Cost * DIAGONAL;
            if !within(cell, cost) {
                return;
            }
            for turn in direction.beside() {
                if within(cell.step(turn.delta(), 1), cost + STRAIGHT)
                    && let Some(steps) = self.steps_to_forcing(cell, turn)
                {
                    visit(visible_subgoal(from, direction.delta(), count, turn, steps));
                }
            }
        }
    }

    #[inline(always)]
    fn free(&self, cell: PaddedCell) -> bool {
        self.rows.free(cell.y as usize, cell.x as usize)
    }

    #[inline(always)]
    fn diagonal_step(&self, from: PaddedCell, direction: Diagonal) -> Option<PaddedCell> {
        let (dx, dy) = direction.delta();
        let next = from.step((dx, dy), 1);
        let legal = self.free(next)
            && self.free(PaddedCell { x: next.x, y: from.y })
            && self.free(PaddedCell { x: from.x, y: next.y });
        legal.then_some(next)
    }

    /// Steps to the next subgoal that forces a turn in this direction.
    #[inline(always)]
    fn steps_to_forcing(&self, from: PaddedCell, direction: Straight) -> Option<usize> {
        let (lines, line, at) = self.line_of(from, direction);
        lines.steps_to_turn(line, at, direction.is_upward())
    }

    fn straight_steps(&self, from: PaddedCell, direction: Straight) -> usize {
        let (lines, line, at) = self.line_of(from, direction);
        lines.free_steps(line, at, direction.is_upward())
    }

    #[inline(always)]
    fn line_of(&self, cell: PaddedCell, direction: Straight) -> (CellLines<'a>, usize, usize) {
        match direction.delta().1 {
            0 => (self.rows, cell.y as usize, cell.x as usize),
            _ => (self.columns, cell.x as usize, cell.y as usize),
        }
    }
}

/// The subgoal after `count` diagonal and `steps` straight steps.
#[inline(always)]
fn visible_subgoal(
    from: PaddedCell,
    diagonal: (i32, i32),
    count: usize,
    straight: Straight,
    steps: usize,
) -> VisibleSubgoal {
    VisibleSubgoal {
        cell: from.step(diagonal, count).step(straight.delta(), steps),
        cost: count as Cost * DIAGONAL + steps as Cost * STRAIGHT,
        arrival: 1 << straight.number(),
    }
}

/// The corners of the middle cell of a 3 by 3 square, by which of its cells are free, row by row.
const CORNERS: [u8; 512] = {
    let mut corners = [0; 512];
    let mut at = 0;
    while at < 4 * 512 {
        let (cells, q) = (at / 4, at % 4);
        let [a, b] = Diagonal::ALL[q].beside();
        let [a, b, across] = [a.delta(), b.delta(), Diagonal::ALL[q].delta()];
        if in_square(cells, a) && in_square(cells, b) && !in_square(cells, across) {
            corners[cells] |= 1 << q;
        }
        at += 1;
    }
    corners
};

/// Whether the neighbour of the middle cell in this direction is free.
const fn in_square(cells: usize, (dx, dy): (i32, i32)) -> bool {
    cells >> (4 + dx + 3 * dy) & 1 != 0
}

/// The lines of one orientation. Cells of the margin and beyond are blocked.
#[derive(Clone, Copy)]
struct CellLines<'a> {
    words: &'a [u64],
    /// Words per line.
    stride: usize,
}

impl<'a> CellLines<'a> {
    #[inline(always)]
    fn free(self, line: usize, at: usize) -> bool {
        self.words[line * self.stride + at / WORD] >> (at % WORD) & 1 != 0
    }

    /// Which of three adjacent cells are free, centred on this position.
    #[inline(always)]
    fn around(self, line: usize, at: usize) -> usize {
        let (own, first) = (self.line(line), at - 1);
        let (word, bit) = (first / WORD, first % WORD);
        let beyond = own.get(word + 1).copied().unwrap_or(0);
        (own[word] >> bit | beyond << 1 << (WORD - 1 - bit)) as usize & 7
    }

    #[inline(always)]
    fn line(self, line: usize) -> &'a [u64] {
        &self.words[line * self.stride..][..self.stride]
    }

    /// Steps to the next cell where an adjacent line opens, unless a blocked cell comes first.
    #[inline(always)]
    fn steps_to_turn(self, line: usize, at: usize, up: bool) -> Option<usize> {
        let (before, own, behind) = (self.line(line - 1), self.line(line), self.line(line + 1));
        let mut word = at / WORD;
        // Positions after the first one. The carry into the first one does not matter.
        let mut part = match up {
            true => u64::MAX << (at % WORD) << 1,
            false => !(u64::MAX << (at % WORD)),
        };
        let mut carries = [0; 2];
        loop {
            // Lines end with a blocked cell on both sides, so `word` stays in range.
            let [a, b] = [before[word], behind[word]];
            let opens = |lane: u64, carry: u64| match up {
                true => lane & !(lane << 1 | carry),
                false => lane & !(lane >> 1 | carry),
            };
            let turns = opens(a, carries[0]) | opens(b, carries[1]);
            let found = (!own[word] | turns) & part;
            if found != 0 {
                let bit = match up {
                    true => found.trailing_zeros(),
                    false => WORD as u32 - 1 - found.leading_zeros(),
                };
                let is_free = own[word] >> bit & 1 != 0;
                return is_free.then(|| (word * WORD + bit as usize).abs_diff(at));
            }
            carries = match up {
                true => [a >> (WORD - 1), b >> (WORD - 1)],
                false => [a << (WORD - 1), b << (WORD - 1)],
            };
            part = u64::MAX;
            word = if up { word + 1 } else { word.checked_sub(1)? };
            if word >= own.len() {
                return None;
            }
        }
    }

    fn free_steps(self, line: usize, at: usize, up: bool) -> usize {
        let own = self.line(line);
        first(at, up, self.stride, |word| !own[word]).map_or(0, |end| end.abs_diff(at) - 1)
    }
}

/// The first position after `at`, upward or downward, that has a one.
#[inline(always)]
fn first(at: usize, up: bool, words: usize, bits: impl Fn(usize) -> u64) -> Option<usize> {
    let next = if up { at + 1 } else { at.checked_sub(1)? };
    let part = match up {
        true => u64::MAX << (next % WORD),
        false => u64::MAX >> (WORD - 1 - next % WORD),
    };
    let mut word = next / WORD;
    if word >= words {
        return None;
    }
    let mut found = bits(word) & part;
    while found == 0 {
        word = if up { word + 1 } else { word.checked_sub(1)? };
        if word >= words {
            return None;
        }
        found = bits(word);
    }
    let bit = if up { found.trailing_zeros() } else { WORD as u32 - 1 - found.leading_zeros() };
    Some(word * WORD + bit as usize)
}

#[cfg(test)]
mod tests {
    use super::super::bitmaps::{CornerBitmaps, Reduction};
    use super::*;
    use crate::random::Random;

    #[test]
    fn jump_points_agree_with_bitmaps() {
        let mut following = ColumnCache::default();
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let (width, height) = (1 + random.below(150) as u32, 1 + random.below(150) as u32);
            let blocked = [0.002, 0.02, 0.1, 0.4][seed as usize % 4];
            let mut grid = Grid::from_fn(width, height, |_, _| !random.chance(blocked)).unwrap();
            for _ in 0..3 {
                let (x, y) =
                    (random.below(width.into()) as u32, random.below(height.into()) as u32);
                let free = !grid.is_passable(x, y);
                grid.set_passable(x, y, free).unwrap();
                assert_eq!(following.of(&grid), &ColumnBits::new(&grid));
            }
            let columns = ColumnBits::new(&grid);
            let (bitmaps, subgoals) = CornerBitmaps::new(&grid, Reduction::Taut);
            let jumps = JumpPoints::new(&grid, &columns);
            for _ in 0..200 {
                let mut draw = || PaddedCell {
                    x: 1 + random.below(width.into()) as u32,
                    y: 1 + random.below(height.into()) as u32,
                };
                let (from, to) = (draw(), draw());
                if !jumps.free(from) || !jumps.free(to) {
                    continue;
                }
                assert_eq!(jumps.line_of_sight(from, to), bitmaps.line_of_sight(from, to));
                let corners = subgoals.binary_search_by_key(&bitmaps.node(from), |&(node, _)| node);
                let corners = corners.map_or(0, |at| subgoals[at].1);
                assert_eq!(jumps.corners(from), corners);
                let key = |seen: &VisibleSubgoal| (seen.cell.x, seen.cell.y, seen.cost);
                let (mut found, mut expected) = (Vec::new(), Vec::new());
                jumps.ahead(from, Departures::ANY, |_, _| true, |seen| found.push(seen));
                bitmaps.ahead(from, |seen| expected.push(seen));
                found.sort_by_key(key);
                expected.sort_by_key(key);
                assert_eq!(found, expected, "seed {seed}, from {from:?}");
            }
        }
    }
}
