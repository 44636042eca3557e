//! Cutting in two by counting shortest paths, after the portal paper of Goldenberg, Felner,
//! Sturtevant and Schaeffer (2010).
//!
//! Edges that hold two halves together lie on many shortest paths: their betweenness is high. Two
//! nodes are drawn again and again, a path of fewest edges between them is found, and every edge on
//! it is counted; an edge whose count reaches a limit is taken out and not used again. Once two
//! nodes that are drawn find no path any more, the graph has fallen apart, and their two pieces are
//! the halves. Crumbs that broke off on the way are laid on the side that more of their edges lead
//! to.
//!
//! Two things differ from the paper. Paths are of fewest edges, whatever those weigh, so that no
//! open list is needed. And two pieces are taken for halves only if the smaller one is no crumb;
//! where that does not happen for long, the most even two that were met are taken.

use std::collections::VecDeque;

use crate::partition::Topology;
use crate::random::Random;

/// How a topology is cut by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathCounters {
    /// How many paths lead over an edge before it is taken out.
    pub(super) limit: u32,
    /// What pairs are drawn from.
    pub(super) seed: u64,
}

/// A half may be this many times smaller than the whole.
const LEAST_SHARE: usize = 6;

/// Pieces that were too uneven, one after the other, before the most even of them have to do.
const PATIENCE: u32 = 48;

impl PathCounters {
    /// Which nodes lie on the second of two sides. Neither side is empty where there are two nodes.
    pub(super) fn halve(&self, topology: &Topology) -> Vec<bool> {
        let nodes = topology.node_count();
        if nodes < 2 {
            return vec![false; nodes];
        }
        let mut state = PathCounts::new(self, topology);
        let mut best: Option<(usize, Vec<bool>)> = None;
        let mut failures = 0;
        loop {
            let (from, to) = state.draw(nodes as u64);
            if state.count_path(from, to) {
                continue;
            }
            let smaller = state.pieces(from, to);
            if best.as_ref().is_none_or(|&(size, _)| smaller > size) {
                best = Some((smaller, state.sides(from, to)));
            }
            failures += 1;
            if smaller * LEAST_SHARE >= nodes || failures == PATIENCE {
                return best.map_or_else(|| vec![false; nodes], |(_, sides)| sides);
            }
        }
    }
}

/// Counts and what a search needs.
struct PathCounts<'a> {
    topology: &'a Topology,
    mates: Vec<u32>,
    /// By entry of a row, the same at both ends of an edge: how many paths led over it.
    counts: Vec<u32>,
    limit: u32,
    random: Random,
    /// By node, the entry that leads back to where the search came from, for each side; `NONE`
    /// elsewhere.
    back: [Vec<u32>; 2],
    queues: [VecDeque<u32>; 2],
    /// Nodes whose entries are set.
    touched: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Stands at the node that a search began at.
const ROOT: u32 = u32::MAX - 1;

impl<'a> PathCounts<'a> {
    fn new(config: &PathCounters, topology: &'a Topology) -> Self {
        let nodes = topology.node_count();
        Self {
            topology,
            mates: topology.mates(),
            counts: vec![0; topology.heads().len()],
            limit: config.limit.max(1),
            random: Random::new(config.seed),
            back: [vec![NONE; nodes], vec![NONE; nodes]],
            queues: Default::default(),
            touched: Vec::new(),
        }
    }

    /// Two different nodes.
    fn draw(&mut self, nodes: u64) -> (u32, u32) {
        let from = self.random.below(nodes) as u32;
        let to = self.random.below(nodes - 1) as u32;
        (from, if to >= from { to + 1 } else { to })
    }

    /// Finds a path from both ends and counts its edges; false where there is none any more.
    fn count_path(&mut self, from: u32, to: u32) -> bool {
        self.clear();
        for (side, root) in [from, to].into_iter().enumerate() {
            self.back[side][root as usize] = ROOT;
            self.touched.push(root);
            self.queues[side].push_back(root);
        }
        // Another neighbour goes first in every search, so that paths of the same length share the
        // counts.
        let turn = self.random.bits() as usize;
        for side in [0, 1].into_iter().cycle() {
            if self.queues[side].is_empty() {
                return false;
            }
            if let Some(meeting) = self.expand_layer(side, turn) {
                (0..2).for_each(|side| self.count_back(side, meeting));
                return true;
            }
        }
        false
    }

    /// Expands all nodes of one side that are as far from its root as the first; the node where
    /// both sides meet.
    fn expand_layer(&mut self, side: usize, turn: usize) -> Option<u32> {
        for _ in 0..self.queues[side].len() {
            let node = self.queues[side].pop_front()?;
            let first = self.topology.first()[node as usize] as usize;
            let row = self.topology.neighbours(node);
            for at in 0..row.len() {
                let at = (at + turn) % row.len();
                let (entry, head) = (first + at, row[at]);
                if self.counts[entry] >= self.limit || self.back[side][head as usize] != NONE {
                    continue;
                }
                self.back[side][head as usize] = self.mates[entry];
                self.touched.push(head);
                if self.back[1 - side][head as usize] != NONE {
                    return Some(head);
                }
                self.queues[side].push_back(head);
            }
        }
        None
    }

    /// Counts the edges from a node back to the root of a side.
    fn count_back(&mut self, side: usize, mut node: u32) {
        loop {
            let entry = self.back[side][node as usize];
            if entry == ROOT {
                return;
            }
            let entry = entry as usize;
            self.counts[entry] += 1;
            self.counts[self.mates[entry] as usize] += 1;
            node = self.topology.heads()[entry];
        }
    }

    fn clear(&mut self) {
        for &node in &self.touched {
            self.back[0][node as usize] = NONE;
            self.back[1][node as usize] = NONE;
        }
        self.touched.clear();
        self.queues.iter_mut().for_each(VecDeque::clear);
    }

    /// Marks the two pieces that these nodes lie in, each in the entries of its side, and says how
    /// many nodes the smaller one has.
    fn pieces(&mut self, from: u32, to: u32) -> usize {
        self.clear();
        let mut sizes = [0, 0];
        for (side, root) in [from, to].into_iter().enumerate() {
            let start = self.touched.len();
            self.back[side][root as usize] = ROOT;
            self.touched.push(root);
            let mut next = start;
            while let Some(&node) = self.touched.get(next) {
                next += 1;
                let first = self.topology.first()[node as usize] as usize;
                for (entry, &head) in (first..).zip(self.topology.neighbours(node)) {
                    if self.counts[entry] < self.limit && self.back[side][head as usize] == NONE {
                        self.back[side][head as usize] = ROOT;
                        self.touched.push(head);
                    }
                }
            }
            sizes[side] = self.touched.len() - start;
        }
        sizes[0].min(sizes[1])
    }

    /// The two sides that grow from the pieces that were marked last.
    fn sides(&self, from: u32, to: u32) -> Vec<bool> {
        let nodes = self.topology.node_count();
        let mut side_of: Vec<Option<bool>> = (0..nodes)
            .map(|node| match (self.back[0][node], self.back[1][node]) {
                (NONE, NONE) => None,
                (NONE, _) => Some(true),
                _ => Some(false),
            })
            .collect();
        debug_assert_ne!(side_of[from as usize], side_of[to as usize]);
        let mut crumbs = self.crumbs(&side_of);
        // Crumbs may hang on other crumbs; those that touch neither side at last are components of
        // their own.
        loop {
            let before = crumbs.len();
            crumbs.retain(|crumb| {
                let votes = self.votes(crumb, &side_of);
                let side = match votes {
                    [0, 0] => return true,
                    [first, second] => second > first,
                };
                crumb.iter().for_each(|&node| side_of[node as usize] = Some(side));
                false
            });
            if crumbs.len() == before {
                break;
            }
        }
        // What touches neither side goes to the smaller one.
        let second = side_of.iter().filter(|&&side| side == Some(true)).count();
        let first = side_of.iter().filter(|&&side| side == Some(false)).count();
        side_of.into_iter().map(|side| side.unwrap_or(second < first)).collect()
    }

    /// The pieces that lie on no side yet.
    fn crumbs(&self, side_of: &[Option<bool>]) -> Vec<Vec<u32>> {
        let mut seen: Vec<bool> = side_of.iter().map(Option::is_some).collect();
        let mut crumbs = Vec::new();
        for root in 0..seen.len() as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let (mut crumb, mut next) = (vec![root], 0);
            while let Some(&node) = crumb.get(next) {
                next += 1;
                let first = self.topology.first()[node as usize] as usize;
                for (entry, &head) in (first..).zip(self.topology.neighbours(node)) {
                    let kept = self.counts[entry] < self.limit;
                    if kept && !std::mem::replace(&mut seen[head as usize], true) {
                        crumb.push(head);
                    }
                }
            }
            crumbs.push(crumb);
        }
        crumbs
    }

    /// How many edges lead from a crumb to each side.
    fn votes(&self, crumb: &[u32], side_of: &[Option<bool>]) -> [usize; 2] {
        let mut votes = [0, 0];
        for &node in crumb {
            for &head in self.topology.neighbours(node) {
                if let Some(side) = side_of[head as usize] {
                    votes[usize::from(side)] += 1;
                }
            }
        }
        votes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::map::Map;
    use crate::{Connectivity, Grid};

    fn crossing(topology: &Topology, sides: &[bool]) -> usize {
        let nodes = 0..topology.node_count() as u32;
        let cut = |node: u32| {
            let row = topology.neighbours(node).iter();
            row.filter(move |&&head| sides[node as usize] && !sides[head as usize]).count()
        };
        nodes.map(cut).sum()
    }

    fn halves(grid: Grid, seed: u64) -> (Topology, Vec<bool>) {
        let topology = Topology::of_map(&Map::from(grid)).unwrap();
        let sides = PathCounters { limit: 12, seed }.halve(&topology);
        (topology, sides)
    }

    #[test]
    fn a_door_is_where_a_map_is_cut() {
        for seed in 0..10 {
            let grid = Grid::from_fn(21, 9, |x, y| x != 10 || y == 4).unwrap();
            let (topology, sides) = halves(grid.with_connectivity(Connectivity::Four), seed);
            assert_eq!(crossing(&topology, &sides), 1, "seed {seed}");
        }
    }

    #[test]
    fn rooms_fall_into_two_of_some_size() {
        let rooms = Rooms { width: 64, height: 64, room: 8, seed: 3, ..Rooms::default() };
        let grid = rooms.generate().unwrap().with_connectivity(Connectivity::Four);
        let (topology, sides) = halves(grid, 1);
        let second = sides.iter().filter(|&&side| side).count();
        let share = second.min(sides.len() - second) * LEAST_SHARE;
        assert!(share >= sides.len(), "{second} of {}", sides.len());
        assert!(crossing(&topology, &sides) <= 14, "{}", crossing(&topology, &sides));
    }

    #[test]
    fn no_side_is_empty_whatever_the_graph() {
        let shapes: [(&str, Grid); 4] = [
            ("two cells", Grid::new(2, 1).unwrap()),
            ("two islands", Grid::from_fn(3, 1, |x, _| x != 1).unwrap()),
            ("a clique", Grid::new(2, 2).unwrap()),
            ("many islands", Grid::from_fn(9, 9, |x, y| x % 2 == 0 && y % 2 == 0).unwrap()),
        ];
        for (name, grid) in shapes {
            for seed in 0..20 {
                let (_, sides) = halves(grid.clone(), seed);
                assert!(sides.contains(&true) && sides.contains(&false), "{name}, seed {seed}");
            }
        }
    }

    #[test]
    fn the_seed_alone_decides() {
        let grid = Grid::from_fn(30, 30, |x, y| (x * 7 + y * 3) % 11 != 0).unwrap();
        assert_eq!(halves(grid.clone(), 5).1, halves(grid, 5).1);
    }
}
