//! A path as cells, straight from its legs: one look at each leg, and no division for any cell.

use std::slice;

use super::Path;
use super::legs::{ByNumber, Leg, LegWalk, Track, step_count};
use crate::graph::NodeId;
use crate::grid::{Connectivity, Grid};
use crate::kernel::{self, Line, RunNumber, append_runs};
use crate::location::{Cell, Extent};

/// Turns the numbers of nodes into cells. Dividing by the width is a multiplication by its
/// reciprocal (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019), which is
/// exact for numbers of 32 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns {
    width: u32,
    /// 2^64 divided by the width, rounded up; zero for a width of one, where it does not fit.
    reciprocal: u64,
}

/// Widths at which the sign of a difference of numbers tells up from down, and its size a row from
/// a column.
const DECODABLE: std::ops::Range<u32> = 3..1 << 30;

impl Columns {
    pub(crate) fn of(grid: &Grid) -> Self {
        Self::of_width(grid.width())
    }

    /// `None` on graphs.
    fn of_extent(extent: Extent) -> Option<Self> {
        match extent {
            Extent::Cells { width, .. } => Some(Self::of_width(width)),
            Extent::Nodes(_) => None,
        }
    }

    fn of_width(width: u32) -> Self {
        Self { width, reciprocal: (u64::MAX / u64::from(width)).wrapping_add(1) }
    }

    #[inline(always)]
    pub(crate) fn cell(self, node: NodeId) -> Cell {
        let y = match self.width {
            1 => node,
            _ => ((u128::from(self.reciprocal) * u128::from(node)) >> 64) as u32,
        };
        Cell { x: node.wrapping_sub(y.wrapping_mul(self.width)), y }
    }

    /// Whether the number that a step adds tells where it leads.
    fn decodes(self) -> bool {
        DECODABLE.contains(&self.width)
    }

    /// How a cell differs from its neighbour whose number differs by this, on a map whose width
    /// [decodes](Self::decodes).
    #[inline(always)]
    fn decode(self, delta: NodeId) -> Cell {
        let delta = delta as i32;
        let y = i32::from(delta > 1) - i32::from(delta < -1);
        Cell { x: delta.wrapping_sub(y.wrapping_mul(self.width as i32)) as u32, y: y as u32 }
    }

    /// A leg, on such a map.
    #[inline(always)]
    fn line(self, leg: &Leg) -> Line {
        Line { heading: leg.delta, step: self.decode(leg.delta), steps: leg.steps }
    }

    /// How a cell differs from its neighbour, whatever the width.
    fn between(self, tail: Cell, head: NodeId) -> Cell {
        let head = self.cell(head);
        Cell { x: head.x.wrapping_sub(tail.x), y: head.y.wrapping_sub(tail.y) }
    }
}

impl Track for Columns {
    type At = Cell;

    #[inline(always)]
    fn at(&self, node: NodeId) -> Cell {
        self.cell(node)
    }

    #[inline(always)]
    fn step(&self, delta: NodeId) -> Cell {
        self.decode(delta)
    }
}

/// Appends the cells of a path; none on graphs.
pub(crate) fn append_cells(extent: Extent, path: Path<'_>, cells: &mut Vec<Cell>) {
    let Some(columns) = Columns::of_extent(extent) else { return };
    match path {
        Path::Nodes(nodes) => cells.extend(nodes.iter().map(|&node| columns.cell(node))),
        Path::Legs(from, legs) if columns.decodes() => {
            cells.push(columns.cell(from));
            let runs = legs.iter().map(|leg| (columns.decode(leg.delta), leg.steps as usize));
            append_runs(cells, step_count(legs), runs);
        }
        Path::Legs(from, legs) => {
            let nodes = LegWalk::new(ByNumber, from, legs);
            cells.extend(nodes.map(|node| columns.cell(node)));
        }
    }
}

/// The cells of a path, both ends included; made by [`Route::cells`](super::Route::cells). None on
/// graphs.
#[derive(Debug, Clone)]
pub struct RouteCells<'q>(Kind<'q>);

#[derive(Debug, Clone)]
enum Kind<'q> {
    None,
    Listed(Columns, slice::Iter<'q, NodeId>),
    Stepped(LegWalk<'q, Columns>),
    /// On maps where numbers do not tell directions apart.
    Numbered(Columns, LegWalk<'q, ByNumber>),
}

impl<'q> RouteCells<'q> {
    pub(crate) fn new(extent: Extent, path: Path<'q>) -> Self {
        let Some(columns) = Columns::of_extent(extent) else { return Self(Kind::None) };
        Self(match path {
            Path::Nodes(nodes) => Kind::Listed(columns, nodes.iter()),
            Path::Legs(from, legs) if columns.decodes() => {
                Kind::Stepped(LegWalk::new(columns, from, legs))
            }
            Path::Legs(from, legs) => Kind::Numbered(columns, LegWalk::new(ByNumber, from, legs)),
        })
    }
}

/// Asks whichever it is.
macro_rules! on_kind {
    ($cells:expr, $ask:ident($($argument:expr)?)) => {
        match &mut $cells.0 {
            Kind::None => None,
            Kind::Listed(columns, nodes) => nodes.$ask($($argument)?).map(|&node| columns.cell(node)),
            Kind::Stepped(cells) => cells.$ask($($argument)?),
            Kind::Numbered(columns, nodes) => {
                nodes.$ask($($argument)?).map(|node| columns.cell(node))
            }
        }
    };
}

impl Iterator for RouteCells<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        on_kind!(self, next())
    }

    fn nth(&mut self, count: usize) -> Option<Cell> {
        on_kind!(self, nth(count))
    }

    fn last(mut self) -> Option<Cell> {
        self.next_back()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Kind::None => (0, Some(0)),
            Kind::Listed(_, nodes) => nodes.size_hint(),
            Kind::Stepped(cells) => cells.size_hint(),
            Kind::Numbered(_, nodes) => nodes.size_hint(),
        }
    }
}

impl DoubleEndedIterator for RouteCells<'_> {
    fn next_back(&mut self) -> Option<Cell> {
        on_kind!(self, next_back())
    }
}

impl ExactSizeIterator for RouteCells<'_> {}

/// Appends the cells where a path turns, both ends included.
pub(super) fn append_turns(grid: &Grid, path: Path<'_>, turns: &mut Vec<Cell>) {
    match path {
        Path::Legs(from, legs) if Columns::of(grid).decodes() => {
            let columns = Columns::of(grid);
            kernel::append_turns(turns, columns.cell(from), legs, |leg| columns.line(leg));
        }
        _ => turns.extend(Turns::new(grid, path)),
    }
}

/// The cells where a path turns, both ends included.
pub(super) struct Turns<'q> {
    columns: Columns,
    /// Odd rows of hexagons lie half a cell to the right.
    hex: bool,
    lines: Lines<'q>,
    /// The end of the line so far; it is a turn if the next line leads elsewhere.
    end: Option<Cell>,
    /// Where that line leads.
    heading: Option<(i32, i32)>,
}

/// What a path is made of, as its form has it.
enum Lines<'q> {
    Steps(slice::Iter<'q, NodeId>),
    Legs(NodeId, slice::Iter<'q, Leg>),
}

impl<'q> Turns<'q> {
    pub(super) fn new(grid: &Grid, path: Path<'q>) -> Self {
        let columns = Columns::of(grid);
        let hex = grid.connectivity() == Connectivity::Hex;
        let (first, lines) = match path {
            Path::Nodes(nodes) => {
                let mut nodes = nodes.iter();
                (nodes.next().copied(), Lines::Steps(nodes))
            }
            Path::Legs(from, legs) => (Some(from), Lines::Legs(from, legs.iter())),
        };
        let end = first.map(|node| columns.cell(node));
        Self { columns, hex, lines, end, heading: None }
    }

    /// The next straight part of the path that begins at a cell: how its first step changes that,
    /// and its end.
    #[inline(always)]
    fn line(&mut self, from: Cell) -> Option<(Cell, Cell)> {
        let columns = self.columns;
        match &mut self.lines {
            Lines::Steps(nodes) => {
                let step = columns.between(from, *nodes.next()?);
                Some((step, from.plus(step)))
            }
            Lines::Legs(node, legs) => {
                let leg = legs.find(|leg| leg.steps > 0)?;
                let step = match columns.decodes() {
                    true => columns.decode(leg.delta),
                    false => columns.between(from, node.wrapping_add(leg.delta)),
                };
                *node = leg.end(*node);
                Some((step, from.plus(step.times(leg.steps))))
            }
        }
    }

    /// Where a step leads: to the right, in half cells, and down.
    #[inline(always)]
    fn heading(&self, from: Cell, step: Cell) -> (i32, i32) {
        let shift = |y: u32| i32::from(self.hex) & y as i32;
        let lean = shift(from.y.wrapping_add(step.y) & 1) - shift(from.y & 1);
        (2 * step.x as i32 + lean, step.y as i32)
    }
}

impl Iterator for Turns<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        while let Some(from) = self.end {
            let Some((step, end)) = self.line(from) else { break };
            let heading = Some(self.heading(from, step));
            let turns = heading != self.heading;
            (self.heading, self.end) = (heading, Some(end));
            if turns {
                return Some(from);
            }
        }
        self.end.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn reciprocals_divide_exactly() {
        let mut random = Random::new(4);
        for width in
            (1..40).chain((0..200).map(|_| 1 + random.below(u64::from(u32::MAX) - 1) as u32))
        {
            let reciprocal = (u64::MAX / u64::from(width)).wrapping_add(1);
            let columns = Columns { width, reciprocal };
            let mut random = Random::new(width.into());
            let edges = [0, 1, width - 1, width, width.wrapping_add(1), u32::MAX, u32::MAX - 1];
            let drawn = (0..300).map(|_| random.below(1 << 32) as u32);
            let multiples = (0..300).map(|n: u32| n.wrapping_mul(width).wrapping_sub(1));
            for node in edges.into_iter().chain(drawn).chain(multiples) {
                let expected = Cell { x: node % width, y: node / width };
                assert_eq!(columns.cell(node), expected, "{node} / {width}");
            }
        }
    }

    #[test]
    fn differences_of_numbers_tell_directions() {
        for width in [3, 4, 5, 1000, (1 << 30) - 1] {
            let columns = Columns { width, reciprocal: 0 };
            for y in [-1, 0, 1] {
                for x in [-1, 0, 1] {
                    let delta = (y * width as i32 + x) as u32;
                    let expected = Cell { x: x as u32, y: y as u32 };
                    assert_eq!(columns.decode(delta), expected, "{x},{y} at width {width}");
                }
            }
        }
    }
}
