//! Directions, and what a corner allows.
//!
//! Straight directions are numbered clockwise from north, diagonals clockwise from north-east, so
//! that diagonal q lies between the straight directions q and q + 1. Corners are numbered by the
//! diagonal on which the blocked cell lies; a set of corners is a mask of four bits.
//!
//! ```text
//! 3 0 0
//! 3 . 1
//! 2 2 1
//! ```

/// A heading as a number: four straight ones, clockwise from north, then four diagonal ones,
/// clockwise from north-east.
pub(crate) type HeadingIndex = usize;

/// Any number modulo four.
const fn turn(direction: usize) -> usize {
    direction % 4
}

/// A straight direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Straight(u8);

/// A diagonal direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Diagonal(u8);

impl Straight {
    pub(crate) const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    pub(crate) const fn number(self) -> usize {
        turn(self.0 as usize)
    }

    pub(crate) const fn opposite(self) -> Self {
        Self::ALL[turn(self.number() + 2)]
    }

    /// The change of x and y.
    #[inline(always)]
    pub(crate) const fn delta(self) -> (i32, i32) {
        [(0, -1), (1, 0), (0, 1), (-1, 0)][self.number()]
    }

    /// The diagonals on either side.
    pub(crate) const fn beside(self) -> [Diagonal; 2] {
        [Diagonal::ALL[self.number()], Diagonal::ALL[turn(self.number() + 3)]]
    }

    /// The corners that make who arrives in this direction turn: those behind.
    pub(crate) const fn forcing(self) -> u8 {
        1 << turn(self.number() + 1) | 1 << turn(self.number() + 2)
    }
}

impl Diagonal {
    pub(crate) const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    pub(crate) const fn number(self) -> usize {
        turn(self.0 as usize)
    }

    pub(crate) const fn opposite(self) -> Self {
        Self::ALL[turn(self.number() + 2)]
    }

    /// The change of x and y.
    #[inline(always)]
    pub(crate) const fn delta(self) -> (i32, i32) {
        [(1, -1), (1, 1), (-1, 1), (-1, -1)][self.number()]
    }

    /// The straight directions on either side.
    pub(crate) const fn beside(self) -> [Straight; 2] {
        [Straight::ALL[self.number()], Straight::ALL[turn(self.number() + 1)]]
    }

    /// The corners round which a path can turn into this direction or out of it: those at its
    /// sides.
    pub(crate) const fn turning(self) -> u8 {
        1 << turn(self.number() + 1) | 1 << turn(self.number() + 3)
    }
}

/// What a path that arrives straight may go on with, as a taut path round these corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Departures(u8);

/// What stands in place of a set of corners where paths may go on in any direction.
pub(crate) const UNKNOWN_CORNERS: u8 = 16;

/// By direction and corners what a path may go on with.
const AFTER: [[Departures; 16]; 4] = {
    let mut after = [[Departures::ANY; 16]; 4];
    let mut at = 0;
    while at < 64 {
        after[at / 16][at % 16] = Departures::after(Straight::ALL[at / 16], at as u8 % 16);
        at += 1;
    }
    after
};

impl Departures {
    pub(crate) const ANY: Self = Self(u8::MAX);

    /// Those of these bits: four straight directions, then four diagonals.
    pub(crate) fn of(bits: u8) -> Self {
        Self(bits)
    }

    /// Straight on, and round each corner behind: sideways, or diagonally forward to that side.
    pub(crate) const fn after(arrival: Straight, corners: u8) -> Self {
        let d = arrival.number();
        let mut allowed = 1 << d;
        if corners >> turn(d + 1) & 1 != 0 {
            allowed |= 1 << turn(d + 1) | 16 << d;
        }
        if corners >> turn(d + 2) & 1 != 0 {
            allowed |= 1 << turn(d + 3) | 16 << turn(d + 3);
        }
        Self(allowed)
    }

    /// Whether a direction is one of them: four straight ones, then four diagonals.
    #[inline(always)]
    pub(crate) fn contains(self, way: usize) -> bool {
        self.0 >> way & 1 != 0
    }

    pub(crate) fn insert(&mut self, way: usize) {
        self.0 |= 1 << way;
    }

    /// Those of both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The same where the direction is one bit of eight; anything where it is not a single straight
    /// one, or the corners are [not known](UNKNOWN_CORNERS).
    #[inline(always)]
    pub(crate) fn after_any(arrival: u8, corners: u8) -> Self {
        let directions = AFTER.get(arrival.trailing_zeros() as usize);
        let after = directions.and_then(|after| after.get(usize::from(corners)));
        let after = after.filter(|_| arrival.is_power_of_two());
        after.copied().unwrap_or(Self::ANY)
    }

    pub(crate) fn straight(self, direction: Straight) -> bool {
        self.0 >> direction.number() & 1 != 0
    }

    pub(crate) fn diagonal(self, direction: Diagonal) -> bool {
        self.0 >> (4 + direction.number()) & 1 != 0
    }

    pub(crate) fn insert_diagonal(&mut self, direction: Diagonal) {
        self.0 |= 16 << direction.number();
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are not among others.
    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn insert_all(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_any_direction() {
        for arrival in 0..=u8::MAX {
            for corners in 0..=UNKNOWN_CORNERS {
                let straight = Straight::ALL.into_iter().find(|d| arrival == 1 << d.number());
                let expected = match straight {
                    Some(straight) if corners != UNKNOWN_CORNERS => {
                        Departures::after(straight, corners)
                    }
                    _ => Departures::ANY,
                };
                assert_eq!(Departures::after_any(arrival, corners), expected);
            }
        }
    }
}
