//! Unpacks a path: reads its legs from hops, from both endpoints to the hub.

use super::build::first_edges;
use super::index::LabelledGrid;
use super::labels::SubgoalId;
use super::labels::compact::VisitLegs;
use super::labels::hops::{self, Hop};
use super::labels::join::BestHub;
use super::labels::packed_legs::PackedLegs;
use super::lookup::{FormScratch, PathKind};
use super::subgoals::HeadingIndex;
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::graph::NodeId;
use crate::route::Leg;

/// By heading, how a step changes the node id.
pub(super) type Deltas = [NodeId; 8];

/// The deltas on a grid of this width.
pub(super) fn deltas(width: u32) -> Deltas {
    let (up, down) = (width.wrapping_neg(), width);
    let (right, left) = (1, 1_u32.wrapping_neg());
    let sum = NodeId::wrapping_add;
    [up, right, down, left, sum(up, right), sum(down, right), sum(down, left), sum(up, left)]
}

/// A path that is being unpacked.
#[derive(Debug, Default)]
pub(super) struct PathUnpacker {
    pub(super) near: PathHalf,
    pub(super) far: PathHalf,
    /// The label entry at which both halves end.
    pub(super) entry: usize,
    /// A shortest path has no more hops than this; 0 if there are none to follow.
    pub(super) hops_left: usize,
}

/// The legs from one endpoint, and the subgoal that its hops have reached.
#[derive(Debug, Default)]
pub(super) struct PathHalf {
    pub(super) legs: Vec<Leg>,
    pub(super) displacement: Displacement,
    pub(super) block: u32,
    pub(super) len: u32,
}

/// The steps of some legs, and the cell to which they lead.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Displacement {
    /// The numbers of straight and diagonal steps.
    pub(super) steps: [u64; 2],
    pub(super) cell: NodeId,
}

impl Displacement {
    /// The cost of a path with these halves; `None` if they do not meet.
    pub(super) fn joined_cost([near, far]: [Self; 2]) -> Option<u64> {
        let steps = |kind: usize| near.steps[kind].saturating_add(far.steps[kind]);
        let [straight, diagonal] = [(0, STRAIGHT), (1, DIAGONAL)]
            .map(|(kind, step)| steps(kind).saturating_mul(u64::from(step)));
        (near.cell == far.cell).then(|| straight.saturating_add(diagonal))
    }
}

impl PathHalf {
    fn begin(&mut self, cell: NodeId) {
        self.legs.clear();
        self.displacement = Displacement { steps: [0; 2], cell };
        (self.block, self.len) = (0, 0);
    }

    #[inline(always)]
    fn push_leg(&mut self, deltas: &Deltas, (heading, count): (HeadingIndex, usize)) {
        let (delta, steps) = (deltas[heading % 8], count as u32);
        self.displacement.steps[heading / 4 % 2] += count as u64;
        self.displacement.cell = self.displacement.cell.wrapping_add(delta.wrapping_mul(steps));
        self.legs.push(Leg { delta, steps });
    }

    fn push_run(&mut self, deltas: &Deltas, legs: [(HeadingIndex, usize); 2]) {
        legs.into_iter().for_each(|leg| self.push_leg(deltas, leg));
    }

    /// Follows one hop toward an entry; `false` if there is none.
    #[inline(always)]
    pub(super) fn follow_hop(&mut self, labelled: &LabelledGrid, entry: usize) -> bool {
        let words = &*labelled.hops.words;
        let hop =
            hops::hop(words, self.block, entry).or_else(|| search_hop(labelled, self.block, entry));
        let Some(Hop { block, len, legs }) = hop else { return false };
        (self.block, self.len) = (block, len);
        hops::prefetch_hop(words, block, entry);
        self.push_packed(&labelled.deltas, legs);
        true
    }

    /// Branchless, because the number of legs is unpredictable: appends as many as a hop can have,
    /// and removes those without steps.
    #[inline(always)]
    fn push_packed(&mut self, deltas: &Deltas, packed: PackedLegs) {
        let (legs, count) = match packed.legs() {
            Ok(legs) => legs,
            Err(legs) => return self.push_run(deltas, legs),
        };
        let Displacement { steps: [straight, diagonal], cell } = &mut self.displacement;
        let (mut all, mut diagonals, mut offset) = (0, 0, 0_u32);
        let end = self.legs.len() + count;
        self.legs.extend(legs.map(|(heading, count)| {
            let (delta, steps) = (deltas[heading % 8], count as u32);
            all += count;
            diagonals += count * (heading / 4 % 2);
            offset = offset.wrapping_add(delta.wrapping_mul(steps));
            Leg { delta, steps }
        }));
        self.legs.truncate(end);
        *straight += (all - diagonals) as u64;
        *diagonal += diagonals as u64;
        *cell = cell.wrapping_add(offset);
    }
}

/// Computes a hop that is not stored.
#[cold]
fn search_hop(labelled: &LabelledGrid, block: u32, entry: usize) -> Option<Hop> {
    let heads = &labelled.labels.heads;
    let number = heads.partition_point(|head| head.block < block) as SubgoalId;
    let first = first_edges::find_edge(&labelled.subgoals, &labelled.labels, number, entry)?;
    let head = heads.get(first.head as usize)?;
    Some(Hop { block: head.block, len: head.len, legs: first.legs })
}

impl PathUnpacker {
    pub(super) fn legs(&self) -> &[Leg] {
        &self.near.legs
    }

    /// Starts with the best path of a query.
    pub(super) fn begin(
        &mut self,
        labelled: &LabelledGrid,
        [from, to]: [NodeId; 2],
        kind: PathKind,
        scratch: &mut FormScratch,
    ) {
        let (view, deltas) = (&labelled.subgoals.view, &labelled.deltas);
        let run = |from, to| view.legs(from, to);
        let (start, goal) = (view.cell(from), view.cell(to));
        self.near.begin(from);
        self.far.begin(to);
        self.entry = usize::MAX;
        self.hops_left = 0;
        match kind {
            PathKind::Direct => self.near.push_run(deltas, run(start, goal)),
            PathKind::Bend(cell) => {
                self.near.push_run(deltas, run(start, cell));
                self.near.push_run(deltas, run(cell, goal));
            }
            PathKind::Hub(BestHub { entry, accesses, .. }) => {
                let heads = &labelled.labels.heads;
                let [Some(near), Some(far)] = accesses.map(|number| heads.get(number as usize))
                else {
                    return;
                };
                self.near.push_run(deltas, run(start, view.cell(near.node)));
                // Runs to the goal make their straight steps last; reversed, they make them first.
                let [first, second] = run(goal, view.cell(far.node));
                self.far.push_run(deltas, [second, first]);
                if !labelled.has_all_rows() {
                    let (near, far) = (&mut self.near, &mut self.far);
                    let mut forward = |legs| near.push_run(deltas, legs);
                    let mut backward = |legs| far.push_run(deltas, legs);
                    let visit: [&mut VisitLegs<'_>; 2] = [&mut forward, &mut backward];
                    let FormScratch { compact, climb } = scratch;
                    let followed = match (&labelled.compact, &labelled.climb) {
                        (Some(labels), _) => {
                            labels.follow(&labelled.labels, visit, accesses, entry, compact)
                        }
                        (_, Some(form)) => form.follow(&labelled.labels, view, visit, climb),
                        (None, None) => None,
                    };
                    // `finish` detects a path that ends early by its cost.
                    return followed.unwrap_or(());
                }
                (self.near.block, self.near.len) = (near.block, near.len);
                (self.far.block, self.far.len) = (far.block, far.len);
                self.entry = entry;
                // A shortest path passes each subgoal once. Longer paths come from damaged files.
                self.hops_left = heads.len();
                let words = &*labelled.hops.words;
                hops::prefetch_hop(words, near.block, entry);
                hops::prefetch_hop(words, far.block, entry);
            }
        }
    }

    /// Follows one hop from each endpoint, so that both memory accesses overlap. Returns whether
    /// hops may be left.
    #[inline(always)]
    pub(super) fn advance(&mut self, labelled: &LabelledGrid) -> bool {
        if self.hops_left == 0 {
            return false;
        }
        let end = self.entry as u32 + 1;
        let (near, far) = (self.near.len != end, self.far.len != end);
        if !near && !far {
            return false;
        }
        self.hops_left -= 1;
        let advanced = (!near || self.near.follow_hop(labelled, self.entry))
            && (!far || self.far.follow_hop(labelled, self.entry));
        if !advanced {
            self.hops_left = 0;
        }
        advanced
    }

    /// Joins both halves. `None` if they do not form a path of this cost: in a damaged file, and
    /// with labels in codes if an entry on the path is unknown.
    pub(super) fn finish(&mut self, cost: Cost) -> Option<Cost> {
        let Self { near, far, .. } = self;
        near.legs.extend(far.legs.iter().rev().map(Leg::turned));
        let joined = Displacement::joined_cost([near.displacement, far.displacement]);
        (joined == Some(u64::from(cost))).then_some(cost)
    }
}
