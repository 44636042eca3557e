//! What paths of a batch have in common.
//!
//! From a subgoal on the hops toward an entry are the same, wherever a path comes from. Neighbours
//! in a batch start and end close to each other, so most of their hops are the same: each half of a
//! path is followed only until it comes to where one of the last paths has been on its way to the
//! same entry. The rest of its cells is copied.

use crate::atlas::uniform::Labelled;
use crate::atlas::uniform::unpack::{Chain, Reach, Unpacking};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::route::{Leg, append, append_turned};

/// How many paths are kept.
const KEPT: usize = 64;

/// Places for marks, as a power of two: more than the subgoals at which kept paths had to be
/// followed.
const PLACES: u32 = 11;

/// The number of no path, which marks that were never made bear.
const NO_PATH: u64 = 0;

/// Where a path is kept.
fn place(path: u64) -> usize {
    (path % KEPT as u64) as usize
}

/// The last paths, and where they have been.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    /// The number of the last path.
    last: u64,
    paths: Vec<Trail>,
    marks: Vec<Mark>,
}

/// A path that is kept.
#[derive(Debug, Clone, Default)]
struct Trail {
    number: u64,
    cells: Vec<NodeId>,
    /// Which of them is where the halves meet.
    turn: usize,
    /// How far either half leads.
    reaches: [Reach; 2],
}

/// A subgoal at which half of a path has been.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    path: u64,
    /// The subgoal's block, and the entry to which the path goes, twice; one more in the half that
    /// goes back.
    block: u32,
    way: u32,
    /// How many steps of either kind lead here from the end of the path at which its half begins.
    steps: [u32; 2],
}

impl Mark {
    /// How many cells lie between here and that end, which is one of them.
    fn before(&self) -> usize {
        self.steps[0] as usize + self.steps[1] as usize
    }
}

impl Trails {
    /// Forgets all paths: those of the next batch may be about other labels.
    pub(crate) fn forget(&mut self) {
        self.paths.iter_mut().for_each(|trail| trail.number = NO_PATH);
    }

    /// The cells of a path whose unpacking has begun. `None` where they do not make one of this
    /// cost, in a damaged file.
    pub(crate) fn follow(
        &mut self,
        labelled: &Labelled,
        from: NodeId,
        Unpacking { near, far, entry, left }: &mut Unpacking,
        cost: Cost,
    ) -> Option<&[NodeId]> {
        if self.paths.is_empty() {
            self.paths.resize_with(KEPT, Trail::default);
            self.marks.resize(1 << PLACES, Mark { way: u32::MAX, ..Mark::default() });
        }
        self.last += 1;
        let number = self.last;
        // The oldest path makes room for this one.
        self.paths[place(number)].number = NO_PATH;
        let chains = [near, far];
        let mut known = [None; 2];
        let mut open = [true; 2];
        // One hop from either end in turn, so that the processor can wait for both at once.
        while open[0] || open[1] {
            *left = left.checked_sub(1)?;
            for half in 0..2 {
                let chain = &mut *chains[half];
                open[half] = open[half] && chain.len as usize != *entry + 1;
                if open[half] {
                    known[half] = self.mark(number, half, chain, *entry);
                    open[half] = known[half].is_none();
                }
                if open[half] && !chain.hop(labelled, *entry) {
                    return None;
                }
            }
        }
        let reaches = [0, 1].map(|half| self.reach(&chains[half].reach, known[half], half));
        let [Some(near), Some(far)] = reaches else { return None };
        let reaches = [near, far];
        if Reach::joined(reaches) != Some(u64::from(cost)) {
            return None;
        }
        self.keep(number, from, chains.map(|chain| &chain.legs[..]), known, reaches)
    }

    /// Marks where half of a path is, unless one that is kept has been here; then where that was.
    #[inline(always)]
    fn mark(&mut self, path: u64, half: usize, chain: &Chain, entry: usize) -> Option<Mark> {
        let (block, way) = (chain.block, (2 * entry + half) as u32);
        let key = (block ^ way << 20).wrapping_mul(0x9e37_79b9);
        let mark = self.marks.get_mut((key >> (32 - PLACES)) as usize)?;
        let is_kept = self.paths[place(mark.path)].number == mark.path;
        if (mark.block, mark.way) == (block, way) && is_kept {
            return Some(*mark);
        }
        let steps = chain.reach.steps.map(|steps| steps as u32);
        *mark = Mark { path, block, way, steps };
        None
    }

    fn trail(&self, mark: &Mark) -> &Trail {
        &self.paths[place(mark.path)]
    }

    /// How far half of a path leads when the rest of a kept one is added. `None` where it has not
    /// come to where that was, in a damaged file.
    fn reach(&self, here: &Reach, known: Option<Mark>, half: usize) -> Option<Reach> {
        let Some(mark) = known else { return Some(*here) };
        let Trail { cells, reaches, .. } = self.trail(&mark);
        let at = match half {
            0 => mark.before(),
            _ => cells.len().checked_sub(mark.before() + 1)?,
        };
        if cells.get(at) != Some(&here.cell) {
            return None;
        }
        let whole = reaches[half];
        let rest = |kind: usize| whole.steps[kind].saturating_sub(u64::from(mark.steps[kind]));
        let steps = [0, 1].map(|kind| here.steps[kind].saturating_add(rest(kind)));
        Some(Reach { steps, cell: whole.cell })
    }

    /// Puts a path together, and keeps it in place of the oldest one.
    fn keep(
        &mut self,
        number: u64,
        from: NodeId,
        [near, far]: [&[Leg]; 2],
        known: [Option<Mark>; 2],
        reaches: [Reach; 2],
    ) -> Option<&[NodeId]> {
        let place = place(number);
        let mut cells = std::mem::take(&mut self.paths[place].cells);
        cells.clear();
        append(from, near, &mut cells);
        if let Some(mark) = known[0] {
            let trail = self.trail(&mark);
            cells.extend_from_slice(trail.cells.get(mark.before() + 1..trail.turn + 1)?);
        }
        let turn = cells.len() - 1;
        if let Some(mark) = known[1] {
            let trail = self.trail(&mark);
            let end = trail.cells.len().checked_sub(mark.before())?;
            cells.extend_from_slice(trail.cells.get(trail.turn + 1..end)?);
        }
        append_turned(far, &mut cells);
        self.paths[place] = Trail { number, cells, turn, reaches };
        Some(&self.paths[place].cells)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::atlas::uniform::{LEAF, Outline, UniformRun, UniformScratch};
    use crate::generate::Rooms;
    use crate::map::Map;
    use crate::partition::Partitioner;
    use crate::random::Random;

    /// Hops whose directions have been turned lead as far as before, but elsewhere.
    #[test]
    fn damaged_hops_make_no_broken_paths() {
        let rooms = Rooms { width: 90, height: 80, room: 6, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let mut random = Random::new(12);
        for round in 0..20 {
            let cuts = (&Partitioner::default(), LEAF);
            let outline = Outline::new(&map, cuts, u64::MAX, &()).unwrap();
            let mut index = outline.fill(&()).unwrap();
            let labelled = Arc::get_mut(&mut index.labelled).unwrap();
            let mut words = labelled.blocks.words.to_vec();
            for _ in 0..40 {
                let at = random.below(words.len() as u64) as usize;
                words[at] ^= 0x40 << (8 * random.below(4));
            }
            labelled.blocks.words = words.into();
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
                    UniformRun::new(&index, &mut scratch).find((from, to), &mut ()).unwrap();
                expected.push(route.map(|route| route.nodes().collect::<Vec<_>>()));
            }
            UniformRun::new(&index, &mut scratch).find_each(&pairs, &mut |at, answer| {
                let path = answer.unwrap().map(|route| route.nodes().collect::<Vec<_>>());
                assert!(path == expected[at], "round {round}: {:?}", pairs[at]);
            });
        }
    }
}
