//! Directions, corners, and the turns that a corner allows.
//!
//! Straight directions are numbered clockwise from north, diagonals clockwise from north-east.
//! Diagonal q lies between the straight directions q and q + 1. A corner has the number of the
//! diagonal on which its blocked cell lies. A set of corners is a mask of four bits.
//!
//! ```text
//! 3 0 0
//! 3 . 1
//! 2 2 1
//! ```

/// A heading as a number: four straight ones clockwise from north, then four diagonals clockwise
/// from north-east.
pub(crate) type HeadingIndex = usize;

/// A number modulo four.
const fn turn(direction: usize) -> usize {
    direction % 4
}

/// One of four directions: straight ones, or diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quarter<const DIAGONAL: bool>(u8);

/// A straight direction.
pub(crate) type Straight = Quarter<false>;

/// A diagonal direction.
pub(crate) type Diagonal = Quarter<true>;

impl<const DIAGONAL: bool> Quarter<DIAGONAL> {
    pub(crate) const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    pub(crate) const fn number(self) -> usize {
        turn(self.0 as usize)
    }

    pub(crate) const fn opposite(self) -> Self {
        Self::ALL[turn(self.number() + 2)]
    }

    /// The change of x and y per step.
    #[inline(always)]
    pub(crate) const fn delta(self) -> (i32, i32) {
        match DIAGONAL {
            false => [(0, -1), (1, 0), (0, 1), (-1, 0)][self.number()],
            true => [(1, -1), (1, 1), (-1, 1), (-1, -1)][self.number()],
        }
    }

    /// Whether positions on a line grow in this direction.
    #[inline(always)]
    pub(crate) const fn is_upward(self) -> bool {
        let (dx, dy) = self.delta();
        if DIAGONAL { dy > 0 } else { dx + dy > 0 }
    }
}

impl Straight {
    /// The two adjacent diagonals.
    pub(crate) const fn beside(self) -> [Diagonal; 2] {
        [Diagonal::ALL[self.number()], Diagonal::ALL[turn(self.number() + 3)]]
    }

    /// The corners that force a path arriving in this direction to turn: the two behind the cell.
    pub(crate) const fn forcing(self) -> u8 {
        1 << turn(self.number() + 1) | 1 << turn(self.number() + 2)
    }
}

impl Diagonal {
    /// The two adjacent straight directions.
    pub(crate) const fn beside(self) -> [Straight; 2] {
        [Straight::ALL[self.number()], Straight::ALL[turn(self.number() + 1)]]
    }

    /// The corners around which a path can turn into or out of this direction: those at its sides.
    pub(crate) const fn turning(self) -> u8 {
        1 << turn(self.number() + 1) | 1 << turn(self.number() + 3)
    }
}

/// A set of headings in which a path may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Departures(u8);

/// Replaces a set of corners where paths may continue in any direction.
pub(crate) const UNKNOWN_CORNERS: u8 = 16;

/// [`Departures::after`] by arrival and corners.
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

    /// From a bit mask by [`HeadingIndex`].
    pub(crate) fn of(bits: u8) -> Self {
        Self(bits)
    }

    /// The departures that keep a path taut after a straight arrival: straight on, and around each
    /// corner behind the cell, sideways or diagonally forward to that side.
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

    #[inline(always)]
    pub(crate) fn contains(self, heading: usize) -> bool {
        self.0 >> heading & 1 != 0
    }

    pub(crate) fn insert(&mut self, heading: usize) {
        self.0 |= 1 << heading;
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// [`after`](Self::after) for an arrival given as one bit of eight. Any departure if the
    /// arrival is not a single straight heading or the corners are [unknown](UNKNOWN_CORNERS).
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
    fn after_any_agrees_with_after() {
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
