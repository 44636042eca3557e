//! The order of the pairs of a batch.
//!
//! Consecutive pairs start and end close to each other, so that the data that one query reads is
//! still cached for the next, and their paths share parts. The order is only approximate: a radix
//! sort by the highest bits of the coordinates.

use crate::atlas::uniform::subgoals::View;
use crate::graph::{Endpoints, NodeId};

/// A pair of a batch, to be looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderedPair {
    key: u32,
    /// Its position in the batch.
    pub(crate) number: u32,
    pub(crate) endpoints: Endpoints,
}

/// Bits of a coordinate that the key contains.
const BITS: u32 = 6;

/// Bits of a digit of the radix sort.
const DIGIT: u32 = 12;

/// With fewer pairs, counting all digits does not pay off.
const FEW: usize = 512;

/// Sorts the valid pairs. Returns them, and the positions of the others.
pub(crate) fn sort_pairs(
    view: &View,
    pairs: &[Endpoints],
    is_valid: impl Fn(NodeId, NodeId) -> bool,
) -> (Vec<OrderedPair>, Vec<u32>) {
    let shift = shift(view);
    let (mut sorted, mut invalid) = (Vec::with_capacity(pairs.len()), Vec::new());
    for (number, &(from, to)) in (0..).zip(pairs) {
        if !is_valid(from, to) {
            invalid.push(number);
            continue;
        }
        let endpoints = (from, to);
        sorted.push(OrderedPair { key: key(view, shift, endpoints), number, endpoints });
    }
    sort(&mut sorted);
    // Make equal pairs adjacent.
    for group in sorted.chunk_by_mut(|a, b| a.key == b.key).filter(|group| group.len() > 2) {
        group.sort_unstable_by_key(|pair| (pair.endpoints, pair.number));
    }
    (sorted, invalid)
}

/// Where a pair is on the map, in all bits of the number; of any nodes.
pub(crate) fn locality(view: &View, pair: Endpoints) -> u32 {
    key(view, shift(view), pair) << (u32::BITS - 4 * BITS)
}

/// How far coordinates are shifted, so that the key contains the highest bits of the longer side.
fn shift(view: &View) -> u32 {
    // With the margin.
    let [width, height] = view.size();
    let last = width.max(height).saturating_sub(3);
    last.checked_ilog2().unwrap_or(0).saturating_sub(BITS - 1)
}

fn key(view: &View, shift: u32, (from, to): Endpoints) -> u32 {
    let [start, goal] = [from, to].map(|node| view.cell(node));
    let coordinates = [start.x, start.y, goal.x, goal.y];
    // Cells count from one. A node beyond the map may be in any row.
    interleave(coordinates.map(|at| ((at - 1) >> shift).min((1 << BITS) - 1)))
}

/// A stable sort by keys.
fn sort(pairs: &mut Vec<OrderedPair>) {
    if pairs.len() < FEW {
        return pairs.sort_by_key(|pair| pair.key);
    }
    let mut sorted = pairs.clone();
    for shift in (0..4 * BITS).step_by(DIGIT as usize) {
        let digit = |pair: &OrderedPair| (pair.key >> shift) as usize % (1 << DIGIT);
        let mut starts = [0_u32; 1 << DIGIT];
        pairs.iter().for_each(|pair| starts[digit(pair)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for pair in &*pairs {
            let start = &mut starts[digit(pair)];
            sorted[*start as usize] = *pair;
            *start += 1;
        }
        std::mem::swap(pairs, &mut sorted);
    }
}

/// Interleaves the bits of four numbers of up to eight bits (Morton order).
fn interleave(numbers: [u32; 4]) -> u32 {
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
    fn every_pair_occurs_once_and_equal_pairs_are_adjacent() {
        let mut random = Random::new(2);
        let grid = Grid::new(700, 30).unwrap();
        let view = Subgoals::new(&grid, Reduction::Taut).view;
        for count in [0, 1, 2, 3, 50, 5000] {
            let mut node = || random.below(if count < 100 { 5 } else { 21_000 }) as NodeId;
            let pairs: Vec<(NodeId, NodeId)> = (0..count).map(|_| (node(), node())).collect();
            let is_valid = |from, to| (from + to) % 7 != 0;
            let (sorted, invalid) = sort_pairs(&view, &pairs, is_valid);
            assert!(sorted.iter().all(|pair| is_valid(pair.endpoints.0, pair.endpoints.1)));
            assert!(sorted.is_sorted_by_key(|pair| pair.key));
            assert!(sorted.iter().all(|pair| pairs[pair.number as usize] == pair.endpoints));
            let mut numbers = invalid;
            numbers.extend(sorted.iter().map(|pair| pair.number));
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count));
            let groups = sorted.chunk_by(|a, b| a.endpoints == b.endpoints).count();
            let mut different: Vec<_> = sorted.iter().map(|pair| pair.endpoints).collect();
            different.sort_unstable();
            different.dedup();
            assert_eq!(groups, different.len());
        }
    }

    #[test]
    fn bits_are_interleaved() {
        assert_eq!(interleave([1, 0, 0, 0]), 1);
        assert_eq!(interleave([0, 0, 0, 3]), 0x88);
        assert_eq!(interleave([0xff; 4]), u32::MAX);
        assert_eq!(interleave([0x80, 0, 0, 0]), 1 << 28);
    }
}
