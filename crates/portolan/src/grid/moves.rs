//! The neighbour rule: which steps are legal from a cell.
//!
//! No other module knows it. The eight cells around a cell, one bit each, index a table built at
//! compile time for every connectivity and corner rule. The entry is the mask of legal moves.
//!
//! Headings are numbered row by row in the 3 x 3 block, so the opposite of d is 7 - d:
//!
//! ```text
//! 0 1 2
//! 3 . 4
//! 5 6 7
//! ```
//!
//! Hex cells are stored in rows; odd rows are shifted right by half a cell. Their six neighbours
//! are among the same eight: cells of even rows lack the two on the right above and below, cells of
//! odd rows the two on the left. All rules are symmetric: the reverse of a legal step is legal.

/// Which cells are neighbours.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Connectivity {
    /// Steps to the four orthogonal neighbours.
    Four,
    /// Diagonal steps too, as the [`Corners`] rule allows.
    #[default]
    Eight,
    /// Six neighbours; odd rows are shifted right by half a cell.
    Hex,
}

/// When a diagonal step of an eight-connected grid may pass blocked orthogonal neighbours.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Corners {
    /// Both orthogonal neighbours must be passable.
    #[default]
    Never,
    /// At least one orthogonal neighbour must be passable.
    PastOne,
    /// Diagonal steps are always legal.
    Always,
}

impl Corners {
    /// Whether a diagonal step is legal, given whether its two orthogonal neighbours are free.
    pub(crate) const fn may_pass(self, one: bool, other: bool) -> bool {
        match self {
            Self::Never => one && other,
            Self::PastOne => one || other,
            Self::Always => true,
        }
    }
}

/// One of the eight neighbours of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Heading {
    NorthWest,
    North,
    NorthEast,
    West,
    East,
    SouthWest,
    South,
    SouthEast,
}

impl Heading {
    /// All headings, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::NorthWest,
        Self::North,
        Self::NorthEast,
        Self::West,
        Self::East,
        Self::SouthWest,
        Self::South,
        Self::SouthEast,
    ];

    /// The reverse heading.
    pub const fn opposite(self) -> Self {
        Self::ALL[7 - self as usize]
    }

    /// The change of x and y: x grows to the east, y to the south.
    pub const fn delta(self) -> (i32, i32) {
        // The index in the 3 x 3 block, including the middle.
        let index = self as i32 + (self as i32 > 3) as i32;
        (index % 3 - 1, index / 3 - 1)
    }

    /// Whether both x and y change.
    pub const fn is_diagonal(self) -> bool {
        let (dx, dy) = self.delta();
        dx != 0 && dy != 0
    }
}

/// The legal moves of a cell: bit d is set if a step with heading d is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Moves(pub u8);

impl Moves {
    /// Whether this step is legal.
    pub const fn allows(self, heading: Heading) -> bool {
        self.0 >> heading as u8 & 1 != 0
    }
}

impl Iterator for Moves {
    type Item = Heading;

    /// Removes and returns the legal heading with the smallest number.
    #[inline(always)]
    fn next(&mut self) -> Option<Heading> {
        let first = *Heading::ALL.get(self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Moves {}

/// Legal moves by the parity of the row and the passability of the eight neighbours.
pub(super) type MoveTable = [[u8; 256]; 2];

pub(super) fn table(connectivity: Connectivity, corners: Corners) -> &'static MoveTable {
    static FOUR: MoveTable = make_table(Connectivity::Four, Corners::Never);
    static EIGHT_NEVER: MoveTable = make_table(Connectivity::Eight, Corners::Never);
    static EIGHT_PAST_ONE: MoveTable = make_table(Connectivity::Eight, Corners::PastOne);
    static EIGHT_ALWAYS: MoveTable = make_table(Connectivity::Eight, Corners::Always);
    static HEX: MoveTable = make_table(Connectivity::Hex, Corners::Never);
    match (connectivity, corners) {
        (Connectivity::Four, _) => &FOUR,
        (Connectivity::Eight, Corners::Never) => &EIGHT_NEVER,
        (Connectivity::Eight, Corners::PastOne) => &EIGHT_PAST_ONE,
        (Connectivity::Eight, Corners::Always) => &EIGHT_ALWAYS,
        (Connectivity::Hex, _) => &HEX,
    }
}

const fn make_table(connectivity: Connectivity, corners: Corners) -> MoveTable {
    let mut table = [[0; 256]; 2];
    let mut row = 0;
    while row < 2 {
        let mut neighbours = 0;
        while neighbours < 256 {
            let mut d = 0;
            while d < 8 {
                let heading = Heading::ALL[d];
                let free = Moves(neighbours as u8);
                if free.allows(heading) && is_move(connectivity, corners, row == 1, free, heading) {
                    table[row][neighbours] |= 1 << d;
                }
                d += 1;
            }
            neighbours += 1;
        }
        row += 1;
    }
    table
}

/// The rule itself, for a passable neighbour.
const fn is_move(
    connectivity: Connectivity,
    corners: Corners,
    odd_row: bool,
    free: Moves,
    heading: Heading,
) -> bool {
    if !heading.is_diagonal() {
        return true;
    }
    let (dx, dy) = heading.delta();
    match connectivity {
        Connectivity::Four => false,
        Connectivity::Hex => (dx > 0) == odd_row,
        Connectivity::Eight => {
            let beside = free.allows(if dx < 0 { Heading::West } else { Heading::East });
            let ahead = free.allows(if dy < 0 { Heading::North } else { Heading::South });
            corners.may_pass(beside, ahead)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_numbered_like_the_block() {
        let deltas: Vec<_> = Heading::ALL.iter().map(|d| d.delta()).collect();
        let block = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
        assert_eq!(deltas, block);
        for d in Heading::ALL {
            let ((x, y), (back_x, back_y)) = (d.delta(), d.opposite().delta());
            assert_eq!((x + back_x, y + back_y), (0, 0));
        }
    }

    #[test]
    fn an_open_cell_has_all_its_neighbours() {
        let count =
            |connectivity, row: usize| Moves(table(connectivity, Corners::Never)[row][255]).count();
        assert_eq!(count(Connectivity::Four, 0), 4);
        assert_eq!(count(Connectivity::Eight, 0), 8);
        assert_eq!(count(Connectivity::Hex, 0), 6);
        assert_eq!(count(Connectivity::Hex, 1), 6);
    }

    #[test]
    fn corners_are_cut_as_the_rule_says() {
        let all_but =
            |blocked: &[Heading]| 255u8 - blocked.iter().map(|&d| 1 << d as u8).sum::<u8>();
        let one = all_but(&[Heading::North]);
        let both = all_but(&[Heading::North, Heading::East]);
        let cuts = |corners, neighbours: u8| {
            Moves(table(Connectivity::Eight, corners)[0][neighbours as usize])
                .allows(Heading::NorthEast)
        };
        assert_eq!([one, both].map(|n| cuts(Corners::Never, n)), [false, false]);
        assert_eq!([one, both].map(|n| cuts(Corners::PastOne, n)), [true, false]);
        assert_eq!([one, both].map(|n| cuts(Corners::Always, n)), [true, true]);
    }

    #[test]
    fn hex_rows_shift_right_on_odd_rows() {
        let moves = |row: usize| Moves(table(Connectivity::Hex, Corners::Never)[row][255]);
        assert!(moves(0).allows(Heading::NorthWest) && !moves(0).allows(Heading::NorthEast));
        assert!(moves(1).allows(Heading::NorthEast) && !moves(1).allows(Heading::NorthWest));
    }
}
