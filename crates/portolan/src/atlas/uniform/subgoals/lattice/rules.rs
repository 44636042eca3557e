//! The order of headings on canonical runs, and the turns that blocked cells force.

use crate::atlas::uniform::subgoals::bitmaps::Reduction;
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::grid::{Connectivity, Corners, Grid, Heading};

use crate::atlas::uniform::subgoals::directions::HeadingIndex;

/// The number of headings.
pub(crate) const HEADINGS: usize = 8;

/// The grid's headings by index.
const NAMES: [Heading; HEADINGS] = [
    Heading::North,
    Heading::East,
    Heading::South,
    Heading::West,
    Heading::NorthEast,
    Heading::SouthEast,
    Heading::SouthWest,
    Heading::NorthWest,
];

#[inline(always)]
pub(crate) const fn grid_heading(heading: HeadingIndex) -> Heading {
    NAMES[heading % HEADINGS]
}

/// The change of x and y per step.
#[inline(always)]
pub(crate) const fn delta(heading: HeadingIndex) -> (i32, i32) {
    grid_heading(heading).delta()
}

#[inline(always)]
pub(crate) const fn opposite(heading: HeadingIndex) -> HeadingIndex {
    heading & 4 | (heading + 2) & 3
}

/// The cost of a step.
#[inline(always)]
pub(crate) const fn step_cost(heading: HeadingIndex) -> Cost {
    if heading < 4 { STRAIGHT } else { DIAGONAL }
}

/// Whether positions grow in this direction on the lines along it.
#[inline(always)]
pub(crate) const fn upward(heading: HeadingIndex) -> bool {
    let (dx, dy) = delta(heading);
    dy > 0 || dy == 0 && dx > 0
}

/// The order of steps on a canonical run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Four-connected, horizontal steps first.
    Level,
    /// Eight-connected where corners can be cut, diagonal steps first.
    Diagonal,
}

/// A turn of a shortest path that cannot move earlier or later while a certain cell is blocked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) arrival: HeadingIndex,
    pub(crate) departure: HeadingIndex,
    /// The position of that cell relative to the turn.
    pub(crate) past: (i32, i32),
}

impl Rules {
    /// The rules of a grid for a reduction; `None` if it is not a lattice.
    pub(crate) fn of(grid: &Grid, reduction: Reduction) -> Option<Self> {
        match (grid.connectivity(), grid.corners(), reduction) {
            (Connectivity::Four, _, Reduction::Taut) => Some(Self::Level),
            (Connectivity::Eight, Corners::PastOne | Corners::Always, Reduction::Taut) => {
                Some(Self::Diagonal)
            }
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) const fn firsts(self) -> &'static [HeadingIndex] {
        match self {
            Self::Level => &[1, 3],
            Self::Diagonal => &[4, 5, 6, 7],
        }
    }

    #[inline(always)]
    pub(crate) const fn seconds(self) -> &'static [HeadingIndex] {
        match self {
            Self::Level => &[0, 2],
            Self::Diagonal => &[0, 1, 2, 3],
        }
    }

    pub(crate) fn is_first(self, heading: HeadingIndex) -> bool {
        self.firsts().contains(&heading)
    }

    /// The headings of the other kind that can follow or precede this one in a run.
    #[inline(always)]
    pub(crate) const fn beside(self, heading: HeadingIndex) -> [HeadingIndex; 2] {
        match self {
            Self::Diagonal if heading < 4 => [4 + heading, 4 + (heading + 3) % 4],
            Self::Diagonal => [heading % 4, (heading + 1) % 4],
            Self::Level => [(heading + 1) % 4, (heading + 3) % 4],
        }
    }

    /// The side of `other` on which a heading is.
    pub(crate) fn side_of(self, heading: HeadingIndex, other: HeadingIndex) -> Option<usize> {
        self.beside(other).iter().position(|&beside| beside == heading)
    }

    /// The cost of a step in both coordinates minus that of a step in the longer one.
    pub(crate) const fn diagonal_extra(self) -> Cost {
        match self {
            Self::Level => STRAIGHT,
            Self::Diagonal => DIAGONAL - STRAIGHT,
        }
    }

    /// All turns that a blocked cell can force.
    pub(crate) fn turns(self) -> impl Iterator<Item = Turn> {
        let late = self.seconds().iter().flat_map(move |&arrival| {
            self.beside(arrival).map(|departure| {
                let ((x, y), (to_x, to_y)) = (delta(arrival), delta(departure));
                Turn { arrival, departure, past: (to_x - x, to_y - y) }
            })
        });
        let diagonals = self.firsts().iter().copied().filter(|&heading| heading >= 4);
        let round = diagonals.flat_map(|arrival| {
            [1, 3].map(|quarter| {
                let departure = 4 + (arrival + quarter) % 4;
                let ((x, y), (to_x, to_y)) = (delta(arrival), delta(departure));
                Turn { arrival, departure, past: ((to_x - x) / 2, (to_y - y) / 2) }
            })
        });
        late.chain(round)
    }
}
