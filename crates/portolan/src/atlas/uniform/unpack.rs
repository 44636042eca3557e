//! The legs of a path, read off the hops from both ends.

use super::Labelled;
use super::build::first_edges;
use super::labels::SubgoalId;
use super::labels::compact::{CompactScratch, VisitLegs};
use super::labels::hops::{self, Hop};
use super::labels::join::BestHub;
use super::labels::packed_legs::PackedLegs;
use super::lookup::Found;
use super::subgoals::HeadingIndex;
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::graph::NodeId;
use crate::route::Leg;

/// How node ids change with each step, by direction.
pub(super) type Deltas = [NodeId; 8];

/// On a grid so many cells wide.
pub(super) fn deltas(width: u32) -> Deltas {
    let (up, down) = (width.wrapping_neg(), width);
    let (right, left) = (1, 1_u32.wrapping_neg());
    let sum = NodeId::wrapping_add;
    [up, right, down, left, sum(up, right), sum(down, right), sum(down, left), sum(up, left)]
}

/// A path that is being unpacked.
#[derive(Debug, Default)]
pub(super) struct Unpacking {
    pub(super) near: Chain,
    pub(super) far: Chain,
    /// The entry at which both chains end.
    pub(super) entry: usize,
    /// Hops after which a path cannot be a shortest one any more; none where there are no hops to
    /// go.
    pub(super) left: usize,
}

/// Legs from one end of the path, and where its hops have come to.
#[derive(Debug, Default)]
pub(super) struct Chain {
    pub(super) legs: Vec<Leg>,
    pub(super) reach: Reach,
    pub(super) block: u32,
    pub(super) len: u32,
}

/// How far some legs lead.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    /// How many straight and diagonal steps they have.
    pub(super) steps: [u64; 2],
    /// The cell at their end.
    pub(super) cell: NodeId,
}

impl Reach {
    /// What a path costs whose halves have these legs; `None` where they do not meet.
    pub(super) fn joined([near, far]: [Self; 2]) -> Option<u64> {
        let steps = |kind: usize| near.steps[kind].saturating_add(far.steps[kind]);
        let [straight, diagonal] = [(0, STRAIGHT), (1, DIAGONAL)]
            .map(|(kind, step)| steps(kind).saturating_mul(u64::from(step)));
        (near.cell == far.cell).then(|| straight.saturating_add(diagonal))
    }
}

impl Chain {
    fn begin(&mut self, cell: NodeId) {
        self.legs.clear();
        self.reach = Reach { steps: [0; 2], cell };
        (self.block, self.len) = (0, 0);
    }

    #[inline(always)]
    fn go(&mut self, deltas: &Deltas, (direction, count): (HeadingIndex, usize)) {
        let (delta, steps) = (deltas[direction % 8], count as u32);
        self.reach.steps[direction / 4 % 2] += count as u64;
        self.reach.cell = self.reach.cell.wrapping_add(delta.wrapping_mul(steps));
        self.legs.push(Leg { delta, steps });
    }

    fn go_run(&mut self, deltas: &Deltas, legs: [(HeadingIndex, usize); 2]) {
        legs.into_iter().for_each(|leg| self.go(deltas, leg));
    }

    /// Goes along one hop; `false` where there is none.
    #[inline(always)]
    pub(super) fn hop(&mut self, labelled: &Labelled, entry: usize) -> bool {
        let words = &*labelled.blocks.words;
        let hop = hops::hop(words, self.block, entry).or_else(|| look(labelled, self.block, entry));
        let Some(Hop { block, len, legs }) = hop else { return false };
        (self.block, self.len) = (block, len);
        hops::prefetch_hop(words, block, entry);
        PackedLegs::each(legs, |leg| self.go(&labelled.deltas, leg));
        true
    }
}

/// The hop where none is named.
#[cold]
fn look(labelled: &Labelled, block: u32, entry: usize) -> Option<Hop> {
    let heads = &labelled.rows.heads;
    let number = heads.partition_point(|head| head.block < block) as SubgoalId;
    let first = first_edges::find_edge(&labelled.subgoals, &labelled.rows, number, entry)?;
    let head = heads.get(first.head as usize)?;
    Some(Hop { block: head.block, len: head.len, legs: first.legs })
}

impl Unpacking {
    pub(super) fn legs(&self) -> &[Leg] {
        &self.near.legs
    }

    /// Begins with a way that was found.
    pub(super) fn begin(
        &mut self,
        labelled: &Labelled,
        [from, to]: [NodeId; 2],
        found: Found,
        space: &mut CompactScratch,
    ) {
        let (view, deltas) = (&labelled.subgoals.view, &labelled.deltas);
        let run = |from, to| view.legs(from, to);
        let (start, goal) = (view.cell(from), view.cell(to));
        self.near.begin(from);
        self.far.begin(to);
        self.entry = usize::MAX;
        self.left = 0;
        match found {
            Found::Direct => self.near.go_run(deltas, run(start, goal)),
            Found::Bend(spot) => {
                self.near.go_run(deltas, run(start, spot));
                self.near.go_run(deltas, run(spot, goal));
            }
            Found::Hub(BestHub { entry, accesses: ties, .. }) => {
                let heads = &labelled.rows.heads;
                let [Some(near), Some(far)] = ties.map(|number| heads.get(number as usize)) else {
                    return;
                };
                self.near.go_run(deltas, run(start, view.cell(near.node)));
                // Runs to the goal make their straight steps last, and so do those back from it,
                // turned round.
                let [first, second] = run(goal, view.cell(far.node));
                self.far.go_run(deltas, [second, first]);
                if let Some(compact) = &labelled.compact {
                    let (near, far) = (&mut self.near, &mut self.far);
                    let mut out = |legs| near.go_run(deltas, legs);
                    let mut back = |legs| far.go_run(deltas, legs);
                    let go: [&mut VisitLegs<'_>; 2] = [&mut out, &mut back];
                    // What leads nowhere has not the cost that it should have.
                    return compact.follow(&labelled.rows, go, ties, entry, space).unwrap_or(());
                }
                (self.near.block, self.near.len) = (near.block, near.len);
                (self.far.block, self.far.len) = (far.block, far.len);
                self.entry = entry;
                // A shortest path passes each subgoal once; what is longer comes from a damaged
                // file.
                self.left = heads.len();
                let words = &*labelled.blocks.words;
                hops::prefetch_hop(words, near.block, entry);
                hops::prefetch_hop(words, far.block, entry);
            }
        }
    }

    /// One more hop from either end, so that the processor can wait for both at once; whether there
    /// are more to come.
    #[inline(always)]
    pub(super) fn go_on(&mut self, labelled: &Labelled) -> bool {
        if self.left == 0 {
            return false;
        }
        let end = self.entry as u32 + 1;
        let (near, far) = (self.near.len != end, self.far.len != end);
        if !near && !far {
            return false;
        }
        self.left -= 1;
        let gone = (!near || self.near.hop(labelled, self.entry))
            && (!far || self.far.hop(labelled, self.entry));
        if !gone {
            self.left = 0;
        }
        gone
    }

    /// Puts both halves together. `None` where they do not make a path of this cost: in a damaged
    /// file, and in codes where an entry on the way is unknown.
    pub(super) fn finish(&mut self, cost: Cost) -> Option<Cost> {
        let Self { near, far, .. } = self;
        near.legs.extend(far.legs.iter().rev().map(Leg::turned));
        let right = Reach::joined([near.reach, far.reach]) == Some(u64::from(cost));
        right.then_some(cost)
    }
}
