//! Paths as straight legs, and their nodes one by one.
//!
//! On a grid a step in a direction adds the same number to the id of any cell, so a path is its
//! first cell and some legs of so many steps each. Sums wrap round: a step back is a large number.
//! Legs without steps mean nothing and do no harm.

use std::slice;

use crate::graph::NodeId;
use crate::kernel::{RunNumber, append_runs};

/// Some steps in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leg {
    /// What a step adds to an id, wrapping round.
    pub(crate) delta: NodeId,
    /// How many there are.
    pub(crate) steps: u32,
}

impl Leg {
    /// The same steps the other way.
    pub(crate) fn turned(&self) -> Self {
        Self { delta: self.delta.wrapping_neg(), ..*self }
    }

    /// Where it leads from a node.
    pub(super) fn end(&self, from: NodeId) -> NodeId {
        from.wrapping_add(self.delta.wrapping_mul(self.steps))
    }
}

/// Appends all nodes of a path.
pub(crate) fn append(from: NodeId, legs: &[Leg], nodes: &mut Vec<NodeId>) {
    nodes.push(from);
    append_legs(legs, nodes);
}

/// Appends the nodes of legs that continue from the last node.
pub(crate) fn append_legs(legs: &[Leg], nodes: &mut Vec<NodeId>) {
    append_runs(nodes, step_count(legs), legs.iter().map(|leg| (leg.delta, leg.steps as usize)));
}

pub(super) fn step_count(legs: &[Leg]) -> usize {
    legs.iter().map(|leg| leg.steps as usize).sum()
}

pub(super) fn node_count(legs: &[Leg]) -> usize {
    1 + step_count(legs)
}

/// What the nodes of a path are counted in: their numbers, or cells.
pub(super) trait Track: Copy {
    type At: RunNumber;

    /// Where a node is.
    fn at(&self, node: NodeId) -> Self::At;

    /// What a step adds that adds this to the number of a node.
    fn step(&self, delta: NodeId) -> Self::At;
}

/// Nodes by their numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByNumber;

impl Track for ByNumber {
    type At = NodeId;

    fn at(&self, node: NodeId) -> NodeId {
        node
    }

    fn step(&self, delta: NodeId) -> NodeId {
        delta
    }
}

/// The nodes of a path, found as they are asked for.
///
/// Between the two ends lie as many steps as both have left on their legs and all legs together
/// that neither has begun; that is one less than the nodes that are left.
#[derive(Debug, Clone)]
pub(super) struct LegWalk<'q, T: Track> {
    track: T,
    front: End<T::At>,
    back: End<T::At>,
    /// Nodes that are still to come.
    left: usize,
    /// Legs that neither end has begun.
    legs: slice::Iter<'q, Leg>,
}

/// One end of what is still to come.
#[derive(Debug, Clone)]
struct End<P> {
    /// The next node.
    at: P,
    /// What a step adds on the leg on which it goes on, and how many steps are left of that.
    step: P,
    steps: u32,
}

impl<'q, T: Track> LegWalk<'q, T> {
    pub(super) fn new(track: T, from: NodeId, legs: &'q [Leg]) -> Self {
        let end = |node| End { at: track.at(node), step: T::At::default(), steps: 0 };
        let to = legs.iter().fold(from, |node, leg| leg.end(node));
        Self { front: end(from), back: end(to), left: node_count(legs), legs: legs.iter(), track }
    }

    /// Lets the front go so many steps, but not beyond its leg; tells how many it went. Some are
    /// left to go.
    fn go(&mut self, most: usize) -> usize {
        let Self { track, front, back, left, legs } = self;
        begin(track, front, back, || legs.next());
        let steps = most.min(front.steps as usize);
        front.at = front.at.plus(front.step.times(steps as u32));
        front.steps -= steps as u32;
        *left -= steps;
        steps
    }
}

/// Begins the next leg where nothing is left of the last.
fn begin<'q, T: Track>(
    track: &T,
    end: &mut End<T::At>,
    other: &mut End<T::At>,
    mut next: impl FnMut() -> Option<&'q Leg>,
) {
    while end.steps == 0 {
        match next() {
            Some(leg) => (end.step, end.steps) = (track.step(leg.delta), leg.steps),
            // The other end has begun the last, and what is left of it can be gone from either end.
            None => {
                std::mem::swap(&mut end.step, &mut other.step);
                return std::mem::swap(&mut end.steps, &mut other.steps);
            }
        }
    }
}

impl<T: Track> Iterator for LegWalk<'_, T> {
    type Item = T::At;

    fn next(&mut self) -> Option<T::At> {
        let at = self.front.at;
        match self.left {
            0 => return None,
            1 => self.left = 0,
            _ => {
                self.go(1);
            }
        }
        Some(at)
    }

    fn nth(&mut self, mut count: usize) -> Option<T::At> {
        if count >= self.left {
            self.left = 0;
        }
        while count > 0 && self.left > 0 {
            count -= self.go(count);
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Track> DoubleEndedIterator for LegWalk<'_, T> {
    fn next_back(&mut self) -> Option<T::At> {
        let Self { track, front, back, left, legs } = self;
        let at = back.at;
        *left = left.checked_sub(1)?;
        if *left > 0 {
            begin(track, back, front, || legs.next_back());
            back.at = at.plus(back.step.times(u32::MAX));
            back.steps -= 1;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const WIDTH: NodeId = 1000;

    /// Legs of all directions and lengths, some without a step.
    fn random_legs(random: &mut Random) -> Vec<Leg> {
        let back = NodeId::wrapping_neg;
        let deltas = [1, back(1), WIDTH, back(WIDTH), WIDTH + 1, back(WIDTH - 1)];
        let mut leg = || Leg { delta: deltas[random.below(6) as usize], steps: 0 };
        let mut legs: Vec<Leg> = (0..6).map(|_| leg()).collect();
        legs.truncate(random.below(7) as usize);
        legs.iter_mut().for_each(|leg| leg.steps = random.below(20).saturating_sub(3) as u32);
        legs
    }

    fn step_by_step(from: NodeId, legs: &[Leg]) -> Vec<NodeId> {
        let mut nodes = vec![from];
        for leg in legs {
            for _ in 0..leg.steps {
                nodes.push(nodes[nodes.len() - 1].wrapping_add(leg.delta));
            }
        }
        nodes
    }

    fn check(test: impl Fn(NodeId, &[Leg], &[NodeId], &mut Random)) {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let legs = random_legs(&mut random);
            let from = 500_500;
            test(from, &legs, &step_by_step(from, &legs), &mut random);
        }
    }

    #[test]
    fn a_buffer_gets_all_nodes() {
        check(|from, legs, expected, _| {
            let mut nodes = Vec::new();
            append(from, legs, &mut nodes);
            assert_eq!(nodes, expected);
        });
    }

    #[test]
    fn nodes_come_from_both_ends_in_any_order() {
        check(|from, legs, expected, random| {
            let (mut nodes, mut list) =
                (LegWalk::new(ByNumber, from, legs), expected.iter().copied());
            for _ in 0..expected.len() + 2 {
                assert_eq!(nodes.size_hint(), list.size_hint());
                match random.chance(0.5) {
                    true => assert_eq!(nodes.next(), list.next()),
                    false => assert_eq!(nodes.next_back(), list.next_back()),
                }
            }
        });
    }

    #[test]
    fn nodes_can_be_skipped() {
        check(|from, legs, expected, random| {
            let (mut nodes, mut list) =
                (LegWalk::new(ByNumber, from, legs), expected.iter().copied());
            while list.len() > 0 {
                if random.chance(0.3) {
                    assert_eq!(nodes.next_back(), list.next_back());
                }
                let count = random.below(30) as usize;
                assert_eq!(nodes.nth(count), list.nth(count));
                assert_eq!(nodes.size_hint(), list.size_hint());
            }
            assert_eq!((nodes.next(), nodes.next_back()), (None, None));
        });
    }
}
