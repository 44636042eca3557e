//! Shared parts of the paths of a batch.
//!
//! From a subgoal, the hops toward an entry are the same for all paths. Neighbours in a batch start
//! and end close to each other, so most of their hops are the same. Each half of a path is followed
//! only to the first subgoal that a recent path has passed on its way to the same entry. The other
//! legs are copied. Where legs are short, as in mazes, cells are copied as well: writing them from
//! legs takes longer there.

use crate::atlas::uniform::index::LabelledGrid;
use crate::atlas::uniform::unpack::{Displacement, PathHalf, PathUnpacker};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::route::{Leg, append, append_legs};

/// How many paths are kept.
const KEPT: usize = 64;

/// The number of slots for visits, as a power of two: more than the subgoals at which the kept
/// paths were followed.
const VISIT_BITS: u32 = 11;

/// Paths with fewer steps per leg than this have short legs.
const SHORT: u64 = 4;

/// The path number of an empty slot.
const NO_PATH: u64 = 0;

/// The slot of a kept path.
fn slot(path: u64) -> usize {
    (path % KEPT as u64) as usize
}

/// The last paths, and the subgoals that they passed.
#[derive(Debug, Default)]
pub(crate) struct SharedPaths {
    /// The number of the last path.
    last: u64,
    paths: Vec<KeptPath>,
    /// A hash table without chains: new entries overwrite old ones.
    visits: Vec<SubgoalVisit>,
}

#[derive(Debug, Clone, Default)]
struct KeptPath {
    number: u64,
    legs: Vec<Leg>,
    /// How many of the legs lead to where the halves meet.
    meeting: usize,
    /// All cells if legs are short; otherwise none.
    cells: Vec<NodeId>,
    /// The index of the cell where the halves meet, if there are cells.
    meeting_cell: usize,
    /// The displacements of both halves.
    displacements: [Displacement; 2],
}

/// A subgoal that half of a path passed.
#[derive(Debug, Clone, Copy, Default)]
struct SubgoalVisit {
    path: u64,
    /// The block of the subgoal.
    block: u32,
    /// Twice the entry toward which the path leads, plus 1 in the backward half.
    target: u32,
    /// The cell of the subgoal.
    cell: NodeId,
    /// The number of legs from the endpoint of the half to the subgoal.
    legs: u32,
    /// Their straight and diagonal steps.
    steps: [u32; 2],
}

impl SubgoalVisit {
    /// How many cells of the half come before the subgoal.
    fn cells_before(&self) -> usize {
        self.steps[0] as usize + self.steps[1] as usize
    }
}

impl SharedPaths {
    /// Forgets all paths: the next batch may use other labels.
    pub(crate) fn forget(&mut self) {
        self.paths.iter_mut().for_each(|path| path.number = NO_PATH);
    }

    /// The legs of a path whose unpacking has begun, and its cells if they are known. `None` if they
    /// do not form a path of this cost, in a damaged file.
    pub(crate) fn follow(
        &mut self,
        labelled: &LabelledGrid,
        from: NodeId,
        PathUnpacker { near, far, entry, hops_left }: &mut PathUnpacker,
        cost: Cost,
    ) -> Option<(&[Leg], Option<&[NodeId]>)> {
        if self.paths.is_empty() {
            self.paths.resize_with(KEPT, KeptPath::default);
            let empty = SubgoalVisit { target: u32::MAX, ..SubgoalVisit::default() };
            self.visits.resize(1 << VISIT_BITS, empty);
        }
        self.last += 1;
        let number = self.last;
        // This path replaces the oldest one.
        self.paths[slot(number)].number = NO_PATH;
        let halves = [near, far];
        let mut known = [None; 2];
        let mut open = [true; 2];
        // One hop per half in turn, so that both memory accesses overlap.
        while open[0] || open[1] {
            *hops_left = hops_left.checked_sub(1)?;
            for side in 0..2 {
                let half = &mut *halves[side];
                open[side] = open[side] && half.len as usize != *entry + 1;
                if open[side] {
                    known[side] = self.visit(number, side, half, *entry);
                    open[side] = known[side].is_none();
                }
                if open[side] && !half.follow_hop(labelled, *entry) {
                    return None;
                }
            }
        }
        let displacements =
            [0, 1].map(|side| self.whole(&halves[side].displacement, known[side], side));
        let [Some(near), Some(far)] = displacements else { return None };
        let displacements = [near, far];
        if Displacement::joined_cost(displacements) != Some(u64::from(cost)) {
            return None;
        }
        let own = [0, 1].map(|side| halves[side].legs.len());
        let slot = self.keep(number, halves.map(|half| &half.legs[..]), known, displacements)?;
        self.list_cells(slot, from, own, known);
        let KeptPath { legs, cells, .. } = &self.paths[slot];
        Some((legs, Some(&cells[..]).filter(|cells| !cells.is_empty())))
    }

    /// Records a visit, unless a kept path has passed the subgoal; then returns that visit.
    #[inline(always)]
    fn visit(
        &mut self,
        path: u64,
        side: usize,
        half: &PathHalf,
        entry: usize,
    ) -> Option<SubgoalVisit> {
        let (block, target) = (half.block, (2 * entry + side) as u32);
        let key = (block ^ target << 20).wrapping_mul(0x9e37_79b9);
        let visit = self.visits.get_mut((key >> (32 - VISIT_BITS)) as usize)?;
        let is_kept = self.paths[slot(visit.path)].number == visit.path;
        if (visit.block, visit.target) == (block, target) && is_kept {
            return Some(*visit);
        }
        let Displacement { steps, cell } = half.displacement;
        let (steps, legs) = (steps.map(|steps| steps as u32), half.legs.len() as u32);
        *visit = SubgoalVisit { path, block, target, cell, legs, steps };
        None
    }

    fn path(&self, visit: &SubgoalVisit) -> &KeptPath {
        &self.paths[slot(visit.path)]
    }

    /// The displacement of half of a path once the rest of a kept path is appended. `None` if the
    /// half is not where the kept path was, in a damaged file.
    fn whole(
        &self,
        here: &Displacement,
        known: Option<SubgoalVisit>,
        side: usize,
    ) -> Option<Displacement> {
        let Some(visit) = known else { return Some(*here) };
        if visit.cell != here.cell {
            return None;
        }
        let kept = self.path(&visit).displacements[side];
        let rest = |kind: usize| kept.steps[kind].saturating_sub(u64::from(visit.steps[kind]));
        let steps = [0, 1].map(|kind| here.steps[kind].saturating_add(rest(kind)));
        Some(Displacement { steps, cell: kept.cell })
    }

    /// Assembles the legs of a path and keeps it in place of the oldest one, in the returned slot.
    fn keep(
        &mut self,
        number: u64,
        [near, far]: [&[Leg]; 2],
        known: [Option<SubgoalVisit>; 2],
        displacements: [Displacement; 2],
    ) -> Option<usize> {
        let slot = slot(number);
        let mut legs = std::mem::take(&mut self.paths[slot].legs);
        legs.clear();
        legs.extend_from_slice(near);
        if let Some(visit) = known[0] {
            let path = self.path(&visit);
            legs.extend_from_slice(path.legs.get(visit.legs as usize..path.meeting)?);
        }
        let meeting = legs.len();
        if let Some(visit) = known[1] {
            let path = self.path(&visit);
            let end = path.legs.len().checked_sub(visit.legs as usize)?;
            legs.extend_from_slice(path.legs.get(path.meeting..end)?);
        }
        legs.extend(far.iter().rev().map(Leg::turned));
        let kept = &mut self.paths[slot];
        (kept.number, kept.legs, kept.meeting) = (number, legs, meeting);
        kept.displacements = displacements;
        Some(slot)
    }

    /// Lists the cells of a kept path if its legs are short; `own` is how many legs of each half are
    /// not copied.
    fn list_cells(
        &mut self,
        slot: usize,
        from: NodeId,
        own: [usize; 2],
        known: [Option<SubgoalVisit>; 2],
    ) {
        let mut cells = std::mem::take(&mut self.paths[slot].cells);
        cells.clear();
        let KeptPath { legs, meeting, displacements, .. } = &self.paths[slot];
        let steps: u64 = displacements.iter().flat_map(|half| half.steps).sum();
        let mut meeting_cell = 0;
        if steps < SHORT * legs.len() as u64 {
            append(from, &legs[..own[0]], &mut cells);
            let copied = known[0].and_then(|visit| {
                let path = self.path(&visit);
                path.cells.get(visit.cells_before() + 1..path.meeting_cell + 1)
            });
            continue_by(copied, &legs[own[0]..*meeting], &mut cells);
            meeting_cell = cells.len() - 1;
            let copied = known[1].and_then(|visit| {
                let path = self.path(&visit);
                let end = path.cells.len().checked_sub(visit.cells_before())?;
                path.cells.get(path.meeting_cell + 1..end)
            });
            let (shared, own) = legs[*meeting..].split_at(legs.len() - meeting - own[1]);
            continue_by(copied, shared, &mut cells);
            append_legs(own, &mut cells);
        }
        let kept = &mut self.paths[slot];
        (kept.cells, kept.meeting_cell) = (cells, meeting_cell);
    }
}

/// Appends copied cells, or those of the same legs where none are known.
fn continue_by(copied: Option<&[NodeId]>, legs: &[Leg], cells: &mut Vec<NodeId>) {
    match copied {
        Some(copied) => cells.extend_from_slice(copied),
        None => append_legs(legs, cells),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::atlas::uniform::{LEAF, UniformOutline, UniformQuery, UniformScratch};
    use crate::generate::Rooms;
    use crate::map::Map;
    use crate::partition::Partitioner;
    use crate::random::Random;

    /// Hops with damaged directions lead as far as before, but to other cells.
    #[test]
    fn damaged_hops_make_no_broken_paths() {
        let rooms = Rooms { width: 90, height: 80, room: 6, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let mut random = Random::new(12);
        for round in 0..20 {
            let cuts = (&Partitioner::default(), LEAF);
            let outline = UniformOutline::new(&map, cuts, u64::MAX, &()).unwrap();
            let mut index = outline.fill(&()).unwrap();
            let labelled = Arc::get_mut(&mut index.labelled).unwrap();
            let mut words = labelled.hops.words.to_vec();
            for _ in 0..40 {
                let at = random.below(words.len() as u64) as usize;
                words[at] ^= 0x40 << (8 * random.below(4));
            }
            labelled.hops.words = words.into();
            let mut cell = || loop {
                let node = random.below(90 * 80) as NodeId;
                if map.contains(node) {
                    return node;
                }
            };
            let pairs: Vec<_> = (0..2_000).map(|_| (cell(), cell())).collect();
            let mut scratch = UniformScratch::default();
            let mut expected = Vec::new();
            for &(from, to) in &pairs {
                let route =
                    UniformQuery::new(&index, &mut scratch).find((from, to), &mut ()).unwrap();
                expected.push(route.map(|route| route.nodes().collect::<Vec<_>>()));
            }
            UniformQuery::new(&index, &mut scratch).find_each(&pairs, &mut |at, answer| {
                let path = answer.unwrap().map(|route| route.nodes().collect::<Vec<_>>());
                assert!(path == expected[at], "round {round}: {:?}", pairs[at]);
            });
        }
    }
}
