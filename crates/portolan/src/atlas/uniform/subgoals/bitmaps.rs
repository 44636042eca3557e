//! Bitmaps that answer what is visible from a cell along canonical runs.

use rayon::prelude::*;

use super::canonical_run::{CanonicalRun, PaddedCell};
use super::cell_bits::CellBits;
use super::directions::{Departures, Diagonal, Straight};
use super::lines::{BitLine, BitLines, Plane};
use crate::graph::NodeId;
use crate::grid::{Connectivity, Corners, Grid};

/// Kinds of bits on rows and columns. A kind that exists for both directions along a line uses two
/// numbers; the second is for the upward direction, toward larger positions.
pub(crate) mod straight {
    pub(crate) const BLOCKED: usize = 0;
    /// A subgoal that forces paths arriving in this direction to turn.
    pub(crate) const FORCING: usize = 1;
    /// A subgoal that can be left against this direction.
    pub(crate) const EXIT: usize = 3;
    /// A turning subgoal is visible along the diagonal on one side of this direction. Two sides
    /// times two directions.
    pub(crate) const BESIDE: usize = 5;
    pub(crate) const KINDS: usize = 9;
}

/// Kinds of bits on diagonals.
pub(crate) mod diagonal {
    /// No step in this direction.
    pub(crate) const STOP: usize = 0;
    /// A forcing subgoal is visible in the straight direction on one side of this one. Two sides
    /// times two directions.
    pub(crate) const BESIDE: usize = 2;
    /// A subgoal that can be left against this direction.
    pub(crate) const TURNING: usize = 6;
    pub(crate) const KINDS: usize = 8;
}

/// The runs between subgoals that become edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Taut runs.
    Taut,
    /// All runs between subgoals in line of sight with no subgoal between them.
    Plain,
}

impl Reduction {
    /// The reductions that a grid supports; none if it cannot have subgoals.
    pub(crate) fn of(grid: &Grid) -> &'static [Self] {
        match (grid.connectivity(), grid.corners()) {
            (Connectivity::Eight, Corners::Never) => &[Self::Taut, Self::Plain],
            (Connectivity::Four | Connectivity::Eight, _) => &[Self::Taut],
            (Connectivity::Hex, _) => &[],
        }
    }
}

/// The bitmaps of a grid.
#[derive(Debug, Clone)]
pub(crate) struct CornerBitmaps {
    /// The size including the margin.
    width: u32,
    height: u32,
    pub(super) reduction: Reduction,
    rows: BitLines<{ straight::KINDS }>,
    columns: BitLines<{ straight::KINDS }>,
    /// Diagonals from north-east to south-west.
    falling: BitLines<{ diagonal::KINDS }>,
    /// Diagonals from north-west to south-east.
    rising: BitLines<{ diagonal::KINDS }>,
}

impl CornerBitmaps {
    /// The bits that follow from the cells alone, and the subgoals with their corners, in ascending
    /// order. [`set_departures`](Self::set_departures) adds how subgoals can be left.
    pub(super) fn new(grid: &Grid, reduction: Reduction) -> (Self, Vec<(NodeId, u8)>) {
        let (width, height) = (grid.width() + 2, grid.height() + 2);
        let (wide, high) = (width as usize, height as usize);
        let mut bitmaps = Self {
            width,
            height,
            reduction,
            rows: BitLines::new(high, wide, &[]),
            columns: BitLines::new(wide, high, &[]),
            falling: BitLines::new(wide, high, &[]),
            rising: BitLines::new(wide, high, &[]),
        };
        let passable = CellBits::passable(grid);
        let legal = legal_diagonals(&passable);
        let corners = Diagonal::ALL.map(|direction| {
            let [a, b] = direction.beside().map(|side| passable.and_step(&passable, side.delta()));
            a.and(&b, &a).without(&legal[direction.number()])
        });
        let [a, b, c, d] = &corners;
        let any = a.or(b).or(&c.or(d));
        let forcing = Straight::ALL.map(|direction| match reduction {
            Reduction::Taut => {
                let forcing = (0..4).filter(|q| direction.forcing() >> q & 1 != 0);
                forcing.fold(passable.none(), |all, q| all.or(&corners[q]))
            }
            Reduction::Plain => any.clone(),
        });
        let seeing = Straight::ALL
            .map(|direction| passable.reaching(&forcing[direction.number()], direction.delta()));
        let beside = |at: Diagonal, side: usize| {
            let kind = diagonal::BESIDE + 2 * usize::from(at.is_upward()) + side;
            Plane::of(kind, &seeing[at.beside()[side].number()])
        };
        bitmaps.fill_straight(|direction| {
            let kind = straight::FORCING + usize::from(direction.is_upward());
            let blocked = Plane::all_but(straight::BLOCKED, &passable);
            vec![blocked, Plane::of(kind, &forcing[direction.number()])]
        });
        bitmaps.fill_diagonal(|direction| {
            let kind = diagonal::STOP + usize::from(direction.is_upward());
            let stop = Plane::all_but(kind, &legal[direction.number()]);
            vec![stop, beside(direction, 0), beside(direction, 1)]
        });
        let row = |y: usize| {
            let words = any.row(y).iter().enumerate();
            let cells = words.flat_map(|(at, &word)| ones(word).map(move |bit| at * 64 + bit));
            let (bitmaps, corners) = (&bitmaps, &corners);
            cells.map(move |x| {
                let has = |q: usize| u8::from(corners[q].contains(x, y)) << q;
                let cell = PaddedCell { x: x as u32, y: y as u32 };
                (bitmaps.node(cell), (0..4).map(has).sum())
            })
        };
        let subgoals = (0..high).into_par_iter().flat_map_iter(row).collect();
        (bitmaps, subgoals)
    }

    /// Stores how the subgoals, with these corners, can be left, and marks the cells that see them.
    pub(super) fn set_departures(
        &mut self,
        subgoals: impl Iterator<Item = (NodeId, u8, Departures)>,
    ) {
        let passable = self.passable();
        let mut exits = [(); 4].map(|()| passable.none());
        let mut turning = exits.clone();
        for (node, corners, departures) in subgoals {
            let PaddedCell { x, y } = self.cell(node);
            for direction in Straight::ALL {
                if departures.straight(direction.opposite()) {
                    exits[direction.number()].insert(x as usize, y as usize);
                }
            }
            for direction in Diagonal::ALL {
                let leaves = departures.diagonal(direction.opposite());
                let turns = match self.reduction {
                    Reduction::Taut => corners & direction.turning() != 0 && leaves,
                    Reduction::Plain => true,
                };
                if turns {
                    turning[direction.number()].insert(x as usize, y as usize);
                }
            }
        }
        let legal = legal_diagonals(&passable);
        let seeing: Vec<CellBits> = (Diagonal::ALL.par_iter())
            .map(|direction| {
                let at = direction.number();
                legal[at].reaching(&turning[at], direction.delta())
            })
            .collect();
        self.fill_straight(|direction| {
            let up = usize::from(direction.is_upward());
            let exit = Plane::of(straight::EXIT + up, &exits[direction.number()]);
            let beside = direction.beside().into_iter().enumerate().map(|(side, diagonal)| {
                let kind = straight::BESIDE + 2 * up + side;
                Plane::of(kind, &seeing[diagonal.number()])
            });
            [exit].into_iter().chain(beside).collect()
        });
        self.fill_diagonal(|direction| {
            let kind = diagonal::TURNING + usize::from(direction.is_upward());
            vec![Plane::of(kind, &turning[direction.number()])]
        });
    }

    /// Writes the planes of each straight direction on the lines along it.
    fn fill_straight<'a>(&mut self, planes: impl Fn(Straight) -> Vec<Plane<'a>>) {
        let [north, east, south, west] = Straight::ALL.map(planes);
        self.rows.fill_rows(&[east, west].concat());
        self.columns.fill_turned(&[north, south].concat(), |line, _| line);
    }

    /// Writes the planes of each diagonal direction on the lines along it.
    fn fill_diagonal<'a>(&mut self, planes: impl Fn(Diagonal) -> Vec<Plane<'a>>) {
        let (falling, rising): (Vec<Diagonal>, Vec<Diagonal>) =
            Diagonal::ALL.into_iter().partition(|&direction| falls(direction));
        let all = |directions: Vec<Diagonal>| -> Vec<Plane<'a>> {
            directions.into_iter().flat_map(&planes).collect()
        };
        let (width, height) = (self.width as usize, self.height as usize);
        // The reverse of `diagonal_line`.
        let rounds = width * height.div_ceil(width);
        self.falling.fill_turned(&all(falling), |line, y| (line + rounds - y) % width);
        self.rising.fill_turned(&all(rising), |line, y| (line + rounds - height + y) % width);
    }

    /// The passable cells.
    fn passable(&self) -> CellBits {
        let row = |y: usize| self.rows.words(y).iter().map(|word| !word[straight::BLOCKED]);
        CellBits::from_rows((0..self.height as usize).map(row))
    }

    pub(super) fn cell(&self, node: NodeId) -> PaddedCell {
        let width = self.width - 2;
        PaddedCell { x: node % width + 1, y: node / width + 1 }
    }

    #[inline(always)]
    pub(super) fn node(&self, cell: PaddedCell) -> NodeId {
        (cell.y - 1) * (self.width - 2) + cell.x - 1
    }

    /// The canonical run from one cell to another, if there is a line of sight.
    #[inline]
    pub(super) fn line_of_sight(&self, from: PaddedCell, to: PaddedCell) -> Option<CanonicalRun> {
        let run = CanonicalRun::between(from, to);
        if run.diagonals > 0 && self.diagonal_steps(from, run.diagonal) < run.diagonals as usize {
            return None;
        }
        let middle = from.step(run.diagonal.delta(), run.diagonals as usize);
        let free = run.straights == 0
            || self.straight_steps(middle, run.straight) >= run.straights as usize;
        free.then_some(run)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes()
            + self.columns.memory_bytes()
            + self.falling.memory_bytes()
            + self.rising.memory_bytes()
    }

    /// Steps to the next blocked cell or subgoal that forces a turn in this direction, and whether
    /// it is a subgoal.
    #[inline(always)]
    pub(super) fn steps_to_end(
        &self,
        from: PaddedCell,
        direction: Straight,
    ) -> Option<(usize, bool)> {
        let (line, at) = self.straight(direction, from);
        let up = direction.is_upward();
        let forcing = straight::FORCING + usize::from(up);
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[forcing] | word[straight::BLOCKED])?;
        Some((end.abs_diff(at), line.bit(end, forcing)))
    }

    /// Steps to the next subgoal that can be left against this direction.
    #[inline(always)]
    pub(super) fn steps_to_turning(&self, from: PaddedCell, direction: Diagonal) -> Option<usize> {
        let (line, at) = self.diagonal(direction, from);
        let up = direction.is_upward();
        let (stop, turning) =
            (diagonal::STOP + usize::from(up), diagonal::TURNING + usize::from(up));
        if line.bit(at, stop) {
            return None;
        }
        let next = if up { at + 1 } else { at.wrapping_sub(1) };
        let end = line.first(next, up, |word| word[stop] | word[turning])?;
        line.bit(end, turning).then(|| end.abs_diff(at))
    }

    pub(super) fn blocked(&self, cell: PaddedCell) -> bool {
        let (line, at) = self.straight(Straight::ALL[1], cell);
        line.bit(at, straight::BLOCKED)
    }

    #[inline(always)]
    pub(super) fn diagonal_steps(&self, from: PaddedCell, direction: Diagonal) -> usize {
        let (line, at) = self.diagonal(direction, from);
        let up = direction.is_upward();
        let stop = diagonal::STOP + usize::from(up);
        line.first(at, up, |word| word[stop]).map_or(0, |end| end.abs_diff(at))
    }

    #[inline(always)]
    fn straight_steps(&self, from: PaddedCell, direction: Straight) -> usize {
        let (line, at) = self.straight(direction, from);
        let end = line.first(at, direction.is_upward(), |word| word[straight::BLOCKED]);
        end.map_or(0, |end| end.abs_diff(at).saturating_sub(1))
    }

    /// The line through a cell in a straight direction, and the cell's position on it.
    #[inline(always)]
    pub(super) fn straight(
        &self,
        direction: Straight,
        cell: PaddedCell,
    ) -> (BitLine<'_, { straight::KINDS }>, usize) {
        match direction.delta().1 {
            0 => (self.rows.line(cell.y as usize), cell.x as usize),
            _ => (self.columns.line(cell.x as usize), cell.y as usize),
        }
    }

    #[inline(always)]
    pub(super) fn diagonal(
        &self,
        direction: Diagonal,
        cell: PaddedCell,
    ) -> (BitLine<'_, { diagonal::KINDS }>, usize) {
        let line = self.diagonal_line(direction, cell);
        match falls(direction) {
            true => (self.falling.line(line), cell.y as usize),
            false => (self.rising.line(line), cell.y as usize),
        }
    }

    #[inline(always)]
    fn diagonal_line(&self, direction: Diagonal, cell: PaddedCell) -> usize {
        let mut line = match falls(direction) {
            true => cell.x + cell.y,
            false => cell.x + self.height - cell.y,
        };
        // Rarely more than once; then it is faster than a division.
        if line >= self.width {
            line -= self.width;
            if line >= self.width {
                line %= self.width;
            }
        }
        line as usize
    }
}

/// By direction, the cells from which a diagonal step is legal: all four cells around are passable.
fn legal_diagonals(passable: &CellBits) -> [CellBits; 4] {
    Diagonal::ALL.map(|direction| {
        let [a, b] = direction.beside().map(|side| passable.and_step(passable, side.delta()));
        a.and(&b, &passable.and_step(passable, direction.delta()))
    })
}

/// The positions of the ones of a word.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// Whether x decreases while y increases.
#[inline(always)]
const fn falls(direction: Diagonal) -> bool {
    let (dx, dy) = direction.delta();
    dx != dy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Reads every bit off the definitions of its kind.
    #[test]
    fn bits_are_what_their_kinds_say() {
        let mut random = Random::new(8);
        for round in 0..60 {
            let [wide, high] = [(); 2].map(|()| 1 + random.below([8, 70, 150][round % 3]) as u32);
            let blocked = [2, 15, 40][round / 3 % 3];
            let grid = Grid::from_fn(wide, high, |_, _| random.below(100) >= blocked).unwrap();
            for reduction in [Reduction::Taut, Reduction::Plain] {
                let (mut bitmaps, subgoals) = CornerBitmaps::new(&grid, reduction);
                let mut left = Vec::new();
                for &(node, corners) in &subgoals {
                    left.push((node, corners, Departures::of(random.below(256) as u8)));
                }
                bitmaps.set_departures(left.iter().copied());
                let cells =
                    (0..wide * high).filter(|&node| grid.is_passable(node % wide, node / wide));
                let at = |node| left.binary_search_by_key(&node, |&(node, ..)| node).ok();
                cells.clone().for_each(|node| check(&bitmaps, node, at(node).map(|at| left[at])));
                let legal = |node: &NodeId| grid.moves(node % wide, node / wide);
                for node in cells {
                    let (moves, cell) = (legal(&node), bitmaps.cell(node));
                    assert!(!bitmaps.blocked(cell));
                    for direction in Diagonal::ALL {
                        let (dx, dy) = direction.delta();
                        let heading = crate::grid::Heading::ALL.into_iter();
                        let heading =
                            heading.into_iter().find(|at| at.delta() == (dx, dy)).unwrap();
                        let (line, at) = bitmaps.diagonal(direction, cell);
                        let stop = diagonal::STOP + usize::from(direction.is_upward());
                        assert_eq!(line.bit(at, stop), !moves.allows(heading));
                    }
                }
            }
        }
    }

    fn check(bitmaps: &CornerBitmaps, node: NodeId, subgoal: Option<(NodeId, u8, Departures)>) {
        let cell = bitmaps.cell(node);
        let (corners, departures) = subgoal
            .map_or((0, Departures::default()), |(_, corners, departures)| (corners, departures));
        let plain = bitmaps.reduction == Reduction::Plain && subgoal.is_some();
        for direction in Straight::ALL {
            let up = usize::from(direction.is_upward());
            let (line, at) = bitmaps.straight(direction, cell);
            let forces = plain || corners & direction.forcing() != 0;
            assert_eq!(line.bit(at, straight::FORCING + up), forces);
            let exit = departures.straight(direction.opposite());
            assert_eq!(line.bit(at, straight::EXIT + up), exit);
            for (side, diagonal) in direction.beside().into_iter().enumerate() {
                let seen = bitmaps.steps_to_turning(cell, diagonal).is_some();
                assert_eq!(line.bit(at, straight::BESIDE + 2 * up + side), seen, "{cell:?}");
            }
        }
        for direction in Diagonal::ALL {
            let up = usize::from(direction.is_upward());
            let (line, at) = bitmaps.diagonal(direction, cell);
            let turns = corners & direction.turning() != 0;
            let turns = plain || turns && departures.diagonal(direction.opposite());
            assert_eq!(line.bit(at, diagonal::TURNING + up), turns);
            for (side, straight) in direction.beside().into_iter().enumerate() {
                let seen = bitmaps.steps_to_end(cell, straight).is_some_and(|(_, forcing)| forcing);
                assert_eq!(line.bit(at, diagonal::BESIDE + 2 * up + side), seen, "{cell:?}");
            }
        }
    }
}
