//! Paths from pieces that lie ready: each end notes which, and all are copied at once.
//!
//! Most of the time of a path is waiting for memory. Both ends therefore follow their hops in
//! turns, so that the one's waiting is the other's, and while pieces are noted, they are fetched.
//!
//! What is read may come from a damaged file: every number is held against the list it leads into,
//! and the number of pieces and of nodes is limited.

use super::Ready;
use super::jumps::Jumps;
use super::legs::{Leg, Legs, Piece};
use crate::atlas::general::labels::{Labels, Rank};
use crate::atlas::general::tables::region::Way;
use crate::atlas::separator_tree::RegionId;
use crate::graph::NodeId;
use crate::kernel::prefetch;

/// The pieces of one end's half of a path, from the end toward the middle; nodes lie in each as
/// they are walked from start to goal.
pub(crate) struct Trail {
    way: Way,
    legs: Vec<Piece>,
    jumps: Vec<Piece>,
}

/// Where an end begins: the leg out of its leaf, if it lies in one, and the separator node at the
/// leg's end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begin {
    pub(crate) home: RegionId,
    pub(crate) leg: Leg,
    pub(crate) rank: Rank,
}

impl Trail {
    pub(crate) fn new(way: Way) -> Self {
        Self { way, legs: Vec::new(), jumps: Vec::new() }
    }

    /// Notes the pieces of the way out of a leaf.
    fn leave(&mut self, legs: &Legs, begin: &Begin) -> Option<()> {
        self.legs.clear();
        let mut leg = begin.leg;
        while let Some(piece) = legs.piece(begin.home, leg) {
            if self.legs.len() > RUNS {
                return None;
            }
            self.legs.push(piece);
            leg = legs.next(self.way, piece)?;
        }
        Some(())
    }
}

/// Notes all pieces of the way over an entry of both ends' rows, of `most` nodes at most on either
/// side.
pub(crate) fn note(
    labels: &Labels,
    ready: &Ready,
    [out, into]: &mut [Trail; 2],
    begin: [Begin; 2],
    (entry, most): (usize, usize),
) -> Option<()> {
    let steps = labels.layout.separators();
    for begin in &begin {
        if let Some(piece) = ready.legs.piece(begin.home, begin.leg) {
            prefetch(piece.of(&ready.legs.nodes)?);
        }
    }
    let [mut a, mut b] = [
        Follower::new(labels, &ready.jumps, out, begin[0].rank, entry, most),
        Follower::new(labels, &ready.jumps, into, begin[1].rank, entry, most),
    ];
    for _ in 0..=steps {
        let (goes, goes_too) = (a.step()?, b.step()?);
        if !goes && !goes_too {
            let met = a.rank == b.rank;
            out.leave(&ready.legs, &begin[0])?;
            into.leave(&ready.legs, &begin[1])?;
            return met.then_some(());
        }
    }
    None
}

/// More runs than the way out of any leaf meets.
const RUNS: usize = 32;

/// One end on its way to the node of an entry.
struct Follower<'a> {
    labels: &'a Labels,
    jumps: &'a Jumps,
    way: Way,
    entry: usize,
    rank: Rank,
    next: &'a [Rank],
    numbers: &'a [u16],
    nodes: &'a [NodeId],
    pieces: &'a mut Vec<Piece>,
    /// How many more nodes a path may have.
    left: usize,
}

impl<'a> Follower<'a> {
    fn new(
        labels: &'a Labels,
        jumps: &'a Jumps,
        trail: &'a mut Trail,
        rank: Rank,
        entry: usize,
        left: usize,
    ) -> Self {
        let (way, pieces) = (trail.way, &mut trail.jumps);
        let (next, numbers) = (jumps.next.way(way), jumps.numbers.way(way));
        pieces.clear();
        Self { labels, jumps, way, entry, rank, next, numbers, nodes: &jumps.nodes, pieces, left }
    }

    /// Jumps ahead; false at the node of the entry.
    #[inline(always)]
    fn step(&mut self) -> Option<bool> {
        let (is_there, at) = self.labels.layout.entry(self.rank, self.entry)?;
        if is_there {
            return Some(false);
        }
        let next = *self.next.get(at)?;
        let piece = self.jumps.piece(self.way, self.rank, *self.numbers.get(at)?)?;
        let nodes = piece.of(self.nodes)?;
        self.left = self.left.checked_sub(nodes.len())?;
        prefetch(nodes);
        self.pieces.push(piece);
        self.rank = next;
        Some(true)
    }
}

/// Copies what was noted, from the end of the one leg to the end of the other, `most` nodes at
/// most.
pub(crate) fn copy(
    ready: &Ready,
    [out, into]: &[Trail; 2],
    most: usize,
    path: &mut Vec<NodeId>,
) -> Option<()> {
    let legs = &*ready.legs.nodes;
    let jumps = &*ready.jumps.nodes;
    let mut add = |nodes: &[NodeId], piece: &Piece| {
        path.extend_from_slice(piece.of(nodes)?);
        (path.len() <= most).then_some(())
    };
    out.legs.iter().try_for_each(|leg| add(legs, leg))?;
    out.jumps.iter().try_for_each(|jump| add(jumps, jump))?;
    into.jumps.iter().rev().try_for_each(|jump| add(jumps, jump))?;
    into.legs.iter().rev().try_for_each(|leg| add(legs, leg))
}
