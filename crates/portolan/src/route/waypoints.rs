//! The points where a path turns.

use std::slice;

use super::{Leg, Path};
use crate::graph::NodeId;
use crate::grid::{Connectivity, Grid};
use crate::map::Map;

/// The turning points of a path, both ends included; on graphs all nodes.
pub(super) struct Waypoints<'q> {
    grid: Option<&'q Grid>,
    lines: Lines<'q>,
    /// The end of the line so far, and where that leads; it is a turning point if the next line leads elsewhere.
    end: Option<NodeId>,
    heading: Option<Heading>,
}

/// How far a step leads to the right, in half cells, and down.
type Heading = (i64, i64);

impl<'q> Waypoints<'q> {
    pub(super) fn new(map: &'q Map, path: Path<'q>) -> Self {
        let grid = match map {
            Map::Grid(grid) => Some(grid),
            Map::Graph(_) => None,
        };
        let (end, lines) = match path {
            Path::Nodes(nodes) => (nodes.first().copied(), Lines::Steps(nodes.windows(2))),
            Path::Legs(from, legs) => (Some(from), Lines::Legs(from, legs.iter())),
        };
        Self { grid, lines, end, heading: None }
    }

    /// Where a step leads; `None` on graphs, where no two steps are said to lead the same way.
    fn heading(&self, tail: NodeId, head: NodeId) -> Option<Heading> {
        let grid = self.grid?;
        let place = |node| {
            let (x, y) = grid.position(node)?;
            // Odd rows of hexagons lie half a cell to the right.
            let half = u32::from(grid.connectivity() == Connectivity::Hex) & y;
            Some((2 * i64::from(x) + i64::from(half), i64::from(y)))
        };
        let (from, to) = (place(tail)?, place(head)?);
        Some((to.0 - from.0, to.1 - from.1))
    }
}

impl Iterator for Waypoints<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        while let Some(Line { tail, head, end }) = self.lines.next() {
            let heading = self.heading(tail, head);
            let turns = heading.is_none() || heading != self.heading;
            self.heading = heading;
            let before = self.end.replace(end);
            if turns {
                return before;
            }
        }
        self.end.take()
    }
}

/// A straight part of a path: where it starts, its first step, and where it ends.
struct Line {
    tail: NodeId,
    head: NodeId,
    end: NodeId,
}

/// What a path is made of, as its form has it.
enum Lines<'q> {
    Steps(slice::Windows<'q, NodeId>),
    Legs(NodeId, slice::Iter<'q, Leg>),
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        match self {
            Self::Steps(steps) => {
                steps.next().map(|step| Line { tail: step[0], head: step[1], end: step[1] })
            }
            Self::Legs(at, legs) => {
                let leg = legs.find(|leg| leg.steps > 0)?;
                let tail = std::mem::replace(at, leg.end(*at));
                Some(Line { tail, head: tail.wrapping_add(leg.delta), end: *at })
            }
        }
    }
}
