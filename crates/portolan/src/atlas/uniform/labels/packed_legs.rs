//! The legs of a path section in ten bytes.
//!
//! A byte has a heading in its upper three bits and a number of steps in the rest. Zero ends the
//! list. Longer legs take several bytes. An edge that does not fit is stored in full: a marker
//! byte, an empty byte, and two words.

use crate::atlas::uniform::subgoals::HeadingIndex;

/// The most steps in a byte.
const MAX_STEPS: usize = 31;

/// Marker: an edge in full follows. It equals a heading without steps.
const FULL: u8 = 1 << 5;

/// Bytes of a list.
const LEN: usize = 10;

/// A heading and a number of steps.
type Leg = (HeadingIndex, usize);

/// A list of legs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct PackedLegs(pub(crate) [u8; LEN]);

impl PackedLegs {
    /// The two legs of an edge.
    pub(crate) fn of_edge(legs: [(HeadingIndex, usize); 2]) -> Self {
        let mut list = Self::default();
        if list.push(legs).is_some() {
            return list;
        }
        let [first, second] = legs.map(|(direction, steps)| (steps << 3 | direction) as u32);
        let mut bytes = [FULL, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes[2..6].copy_from_slice(&first.to_le_bytes());
        bytes[6..].copy_from_slice(&second.to_le_bytes());
        Self(bytes)
    }

    /// Appends a list; `None` if it does not fit.
    pub(crate) fn and(self, then: Self) -> Option<Self> {
        let (here, more) = (self.len()?, then.len()?);
        let mut both = self;
        both.0.get_mut(here..here + more)?.copy_from_slice(&then.0[..more]);
        Some(both)
    }

    /// The number of bytes used; `None` for an edge in full.
    fn len(self) -> Option<usize> {
        (self.0[0] != FULL).then(|| self.0.iter().position(|&byte| byte == 0).unwrap_or(LEN))
    }

    fn push(&mut self, legs: [Leg; 2]) -> Option<()> {
        let mut at = 0;
        for (direction, mut steps) in legs {
            while steps > 0 {
                let here = steps.min(MAX_STEPS);
                *self.0.get_mut(at)? = (direction << 5 | here) as u8;
                (at, steps) = (at + 1, steps - here);
            }
        }
        Some(())
    }

    /// All legs, including those without steps behind the last, and the number of the others; the
    /// two legs of an edge in full if it is one.
    #[inline(always)]
    pub(crate) fn legs(&self) -> Result<(impl ExactSizeIterator<Item = Leg>, usize), [Leg; 2]> {
        if self.0[0] == FULL {
            return Err(self.legs_in_full());
        }
        let mut bytes = [0; 16];
        bytes[..LEN].copy_from_slice(&self.0);
        let bits = u128::BITS - u128::from_le_bytes(bytes).leading_zeros();
        let leg = |&byte: &u8| (usize::from(byte >> 5), usize::from(byte) & MAX_STEPS);
        Ok((self.0.iter().map(leg), bits.div_ceil(u8::BITS) as usize))
    }

    #[cold]
    fn legs_in_full(&self) -> [Leg; 2] {
        let (words, _) = self.0[2..].as_chunks::<4>();
        [0, 1].map(|at| {
            let word = u32::from_le_bytes(words[at]) as usize;
            (word & 7, word >> 3)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(legs: PackedLegs) -> Vec<usize> {
        let legs = match legs.legs() {
            Ok((all, count)) => all.take(count).collect(),
            Err(legs) => legs.to_vec(),
        };
        assert!(legs.len() <= 2 || legs.iter().all(|&(_, count)| count > 0));
        legs.into_iter().flat_map(|(heading, count)| std::iter::repeat_n(heading, count)).collect()
    }

    #[test]
    fn edges_of_all_lengths() {
        for first in (0..100).chain([300, 311, 65_535]) {
            for second in [0, 1, 31, 32, 200, 65_535] {
                let legs = PackedLegs::of_edge([(6, first), (0, second)]);
                assert_eq!(steps(legs), [vec![6; first], vec![0; second]].concat());
            }
        }
    }

    #[test]
    fn lists_are_joined_if_they_fit() {
        let short = PackedLegs::of_edge([(4, 2), (0, 31)]);
        let twice = short.and(short).and_then(|legs| legs.and(short));
        let all = twice.and_then(|legs| legs.and(short)).and_then(|legs| legs.and(short));
        assert_eq!(all.map(steps), Some(steps(short).repeat(5)));
        assert_eq!(all.and_then(|legs| legs.and(short)), None);
        let long = PackedLegs::of_edge([(4, 400), (0, 1)]);
        assert_eq!((long.and(short), short.and(long)), (None, None));
    }
}
