//! The order in which the pairs of a batch are asked.
//!
//! In it starts and goals both stay close to those before, so that much of what one query has read
//! is still at hand for the next, and much of its path is found in the last ones. It is no more
//! than a help: pairs are sorted by the highest bits of their coordinates, by counting.

use crate::atlas::uniform::subgoals::View;
use crate::graph::NodeId;

/// A pair to look up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    key: u32,
    /// Its number among those that were given.
    pub(crate) number: u32,
    pub(crate) pair: (NodeId, NodeId),
}

/// Bits of a coordinate that count.
const BITS: u32 = 6;

/// Bits that are sorted by at once.
const DIGIT: u32 = 12;

/// So few pairs are not worth a count of all digits.
const FEW_ACCESSES: usize = 512;

/// Puts those pairs that are right in order, and tells the numbers of the others.
pub(crate) fn in_order(
    view: &View,
    pairs: &[(NodeId, NodeId)],
    is_right: impl Fn(NodeId, NodeId) -> bool,
) -> (Vec<Asked>, Vec<u32>) {
    let [width, height] = view.size();
    let shift = width.max(height).ilog2().saturating_sub(BITS - 1);
    let (mut asked, mut wrong) = (Vec::with_capacity(pairs.len()), Vec::new());
    for (number, &(from, to)) in (0..).zip(pairs) {
        if !is_right(from, to) {
            wrong.push(number);
            continue;
        }
        let [start, goal] = [from, to].map(|node| view.cell(node));
        let places = [start.x, start.y, goal.x, goal.y].map(|place| place >> shift);
        asked.push(Asked { key: interleaved(places), number, pair: (from, to) });
    }
    sort(&mut asked);
    // The same pairs stand side by side.
    for alike in asked.chunk_by_mut(|a, b| a.key == b.key).filter(|alike| alike.len() > 2) {
        alike.sort_unstable_by_key(|asked| (asked.pair, asked.number));
    }
    (asked, wrong)
}

/// Sorts by keys; pairs with the same one stay as they come.
fn sort(asked: &mut Vec<Asked>) {
    if asked.len() < FEW_ACCESSES {
        return asked.sort_by_key(|asked| asked.key);
    }
    let mut sorted = asked.clone();
    for shift in (0..4 * BITS).step_by(DIGIT as usize) {
        let digit = |asked: &Asked| (asked.key >> shift) as usize % (1 << DIGIT);
        let mut starts = [0_u32; 1 << DIGIT];
        asked.iter().for_each(|asked| starts[digit(asked)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for asked in &*asked {
            let start = &mut starts[digit(asked)];
            sorted[*start as usize] = *asked;
            *start += 1;
        }
        std::mem::swap(asked, &mut sorted);
    }
}

/// Four numbers of up to eight bits, bit by bit in turn: what is close in all of them is mostly
/// close in this.
fn interleaved(numbers: [u32; 4]) -> u32 {
    let spread = |number: u32| {
        let mut bits = number & 0xff;
        bits = (bits | bits << 12) & 0x000f_000f;
        bits = (bits | bits << 6) & 0x0303_0303;
        (bits | bits << 3) & 0x1111_1111
    };
    numbers.into_iter().rev().fold(0, |all, number| all << 1 | spread(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::uniform::subgoals::{Reduction, Subgoals};
    use crate::grid::Grid;
    use crate::random::Random;

    #[test]
    fn every_pair_comes_once_and_the_same_ones_together() {
        let mut random = Random::new(2);
        let grid = Grid::new(700, 30).unwrap();
        let view = Subgoals::new(&grid, Reduction::Taut).view;
        for count in [0, 1, 2, 3, 50, 5000] {
            let mut node = || random.below(if count < 100 { 5 } else { 21_000 }) as NodeId;
            let pairs: Vec<(NodeId, NodeId)> = (0..count).map(|_| (node(), node())).collect();
            let is_right = |from, to| (from + to) % 7 != 0;
            let (asked, wrong) = in_order(&view, &pairs, is_right);
            assert!(asked.iter().all(|asked| is_right(asked.pair.0, asked.pair.1)));
            assert!(asked.is_sorted_by_key(|asked| asked.key));
            assert!(asked.iter().all(|asked| pairs[asked.number as usize] == asked.pair));
            let mut numbers = wrong;
            numbers.extend(asked.iter().map(|asked| asked.number));
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count));
            let groups = asked.chunk_by(|a, b| a.pair == b.pair).count();
            let mut different: Vec<_> = asked.iter().map(|asked| asked.pair).collect();
            different.sort_unstable();
            different.dedup();
            assert_eq!(groups, different.len());
        }
    }

    #[test]
    fn bits_come_in_turn() {
        assert_eq!(interleaved([1, 0, 0, 0]), 1);
        assert_eq!(interleaved([0, 0, 0, 3]), 0x88);
        assert_eq!(interleaved([0xff; 4]), u32::MAX);
        assert_eq!(interleaved([0x80, 0, 0, 0]), 1 << 28);
    }
}
