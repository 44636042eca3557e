//! Costs from the members of a leaf to its border, by elimination.
//!
//! Members are eliminated in the order of their slots. The elimination of a member joins its
//! neighbours with higher slots by edges over it, so every path has a twin that first only rises
//! and then only falls. Border nodes come after all members, so the twin of a path to the border
//! only rises. Two passes over the members therefore find all costs, in steps that treat the whole
//! border at once. This is the customisation of a contraction hierarchy (Dibbelt, Strasser,
//! Wagner); which members are joined follows from the topology alone.
//!
//! Any order is correct. [`elimination_order`] finds one with few new edges, and a build gives
//! leaves their slots by it.

use super::leaf::LeafEdges;
use crate::atlas::general::direction::PerDirection;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Direction;
use crate::kernel::relax_rows;

/// The most members that are eliminated.
pub(super) const MOST_MEMBERS: usize = WORDS * WORD;

const WORDS: usize = 4;
const WORD: usize = u64::BITS as usize;

/// A set of members.
#[derive(Clone, Copy, Default)]
struct MemberSet([u64; WORDS]);

impl MemberSet {
    fn insert(&mut self, member: usize) {
        self.0[member / WORD] |= 1 << (member % WORD);
    }

    fn remove(&mut self, member: usize) {
        self.0[member / WORD] &= !(1 << (member % WORD));
    }

    fn extend(&mut self, others: Self) {
        self.0.iter_mut().zip(others.0).for_each(|(word, other)| *word |= other);
    }

    fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The members in ascending order.
    fn members(self) -> impl Iterator<Item = usize> {
        (0..).step_by(WORD).zip(self.0).flat_map(|(start, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(start + bit)
            })
        })
    }
}

/// The slots of a leaf in an order of elimination that creates few edges: always a member with the
/// fewest neighbours next, the first of several. Larger leaves keep their order.
pub(super) fn elimination_order(edges: &LeafEdges, members: usize) -> Vec<usize> {
    if members > MOST_MEMBERS {
        return (0..members).collect();
    }
    let mut around = vec![MemberSet::default(); members];
    for member in 0..members {
        for &(other, _) in edges.of(member) {
            around[member].insert(usize::from(other));
            around[usize::from(other)].insert(member);
        }
    }
    let mut degrees: Vec<u32> = Vec::with_capacity(members);
    for (member, around) in around.iter_mut().enumerate() {
        around.remove(member);
        degrees.push(around.len());
    }
    let mut order = Vec::with_capacity(members);
    while order.len() < members {
        let next = (0..members).min_by_key(|&member| degrees[member]).unwrap_or(0);
        degrees[next] = u32::MAX;
        order.push(next);
        let neighbours = around[next];
        for other in neighbours.members() {
            around[other].extend(neighbours);
            around[other].remove(other);
            around[other].remove(next);
            degrees[other] = around[other].len();
        }
    }
    order
}

/// The edges of a leaf with those that elimination adds.
pub(super) struct Elimination {
    /// First position in the other lists by member, with one more at the end.
    first: Vec<u32>,
    /// The neighbours with higher slots, ascending.
    higher: Vec<u16>,
    /// The cost of the edge to the neighbour.
    up: Vec<Cost>,
    /// The cost of the edge from the neighbour.
    down: Vec<Cost>,
}

impl Elimination {
    /// Eliminates all members of a leaf with at most [`MOST_MEMBERS`].
    pub(super) fn new(edges: &PerDirection<LeafEdges>, members: usize) -> Self {
        let leaving = edges.against(Direction::Forward);
        let mut elimination = Self::joined(leaving, members);
        elimination.set_weights(leaving, members);
        elimination.contract(members);
        elimination
    }

    /// Which members are joined.
    fn joined(leaving: &LeafEdges, members: usize) -> Self {
        let mut sets = vec![MemberSet::default(); members];
        for member in 0..members {
            for &(other, _) in leaving.of(member) {
                let other = usize::from(other);
                if other != member {
                    sets[member.min(other)].insert(member.max(other));
                }
            }
        }
        let (mut first, mut higher) = (Vec::with_capacity(members + 1), Vec::new());
        first.push(0);
        for member in 0..members {
            let set = sets[member];
            let start = higher.len();
            higher.extend(set.members().map(|other| other as u16));
            // The next neighbour takes over all others.
            if let Some(&next) = higher.get(start) {
                sets[usize::from(next)].extend(set);
                sets[usize::from(next)].remove(usize::from(next));
            }
            first.push(higher.len() as u32);
        }
        let weights = vec![UNREACHABLE; higher.len()];
        Self { first, higher, up: weights.clone(), down: weights }
    }

    fn set_weights(&mut self, leaving: &LeafEdges, members: usize) {
        for member in 0..members {
            for &(other, weight) in leaving.of(member) {
                let (low, high) = (other.min(member as u16), other.max(member as u16));
                let range = self.range(usize::from(low));
                let Some(at) = self.higher[range.clone()].iter().position(|&end| end == high)
                else {
                    continue;
                };
                let rises = usize::from(low) == member;
                let costs = if rises { &mut self.up } else { &mut self.down };
                costs[range.start + at] = costs[range.start + at].min(weight);
            }
        }
    }

    /// Lets every member join its higher neighbours, in both directions.
    fn contract(&mut self, members: usize) {
        for member in 0..members {
            let range = self.range(member);
            for i in range.clone() {
                let (into, out) = (self.down[i], self.up[i]);
                // The neighbours after this one are neighbours of this one too.
                let mut at = self.first[usize::from(self.higher[i])] as usize;
                for j in i + 1..range.end {
                    while self.higher[at] != self.higher[j] {
                        at += 1;
                    }
                    self.up[at] = self.up[at].min(into.saturating_add(self.up[j]));
                    self.down[at] = self.down[at].min(self.down[j].saturating_add(out));
                }
            }
        }
    }

    /// Turns the weights of edges between members and border nodes into costs. A row of `costs` has
    /// `stride` entries, a multiple of eight. Forward, costs are those to the border.
    pub(super) fn close(&self, costs: &mut [Cost], stride: usize, direction: Direction) {
        let (rising, falling) = match direction {
            Direction::Forward => (&self.up, &self.down),
            Direction::Backward => (&self.down, &self.up),
        };
        let members = self.first.len() - 1;
        for member in 0..members {
            for i in self.range(member) {
                let higher = usize::from(self.higher[i]);
                relax_rows(costs, stride, higher, &[member as u16], &falling[i..=i]);
            }
        }
        for member in (0..members).rev() {
            let range = self.range(member);
            relax_rows(costs, stride, member, &self.higher[range.clone()], &rising[range]);
        }
    }

    fn range(&self, member: usize) -> std::ops::Range<usize> {
        self.first[member] as usize..self.first[member + 1] as usize
    }
}
