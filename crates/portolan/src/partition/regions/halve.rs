//! Bisects by counting shortest paths, after the portal paper of Goldenberg, Felner, Sturtevant and
//! Schaeffer (2010).
//!
//! Edges between two halves are on many shortest paths: their betweenness is high. Random pairs of
//! nodes are drawn, a path with the fewest edges between them is found, and each of its edges is
//! counted; an edge whose count reaches a limit is removed. When a pair has no path left, the graph
//! is disconnected and the components of the two nodes become the halves. Other fragments join the
//! side that more of their edges lead to.
//!
//! Two differences from the paper: paths have the fewest edges, whatever their weights, so no open
//! list is needed. And two components become the halves only if the smaller one is large enough; if
//! that fails too often, the most even pair found so far is taken.

use std::collections::VecDeque;

use crate::partition::Topology;
use crate::random::Random;

/// Configuration of a bisection by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathCounters {
    /// How many paths may use an edge before it is removed.
    pub(super) limit: u32,
    /// The seed of the pairs.
    pub(super) seed: u64,
}

/// A half may be this many times smaller than the whole.
const MIN_SHARE: usize = 6;

/// The number of uneven results after which the most even one is taken.
const MAX_UNEVEN: u32 = 48;

impl PathCounters {
    /// Returns which nodes are on the second of two sides. Neither side is empty if there are at
    /// least two nodes.
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
            if smaller * MIN_SHARE >= nodes || failures == MAX_UNEVEN {
                return best.map_or_else(|| vec![false; nodes], |(_, sides)| sides);
            }
        }
    }
}

/// The counts, and scratch space of the searches.
struct PathCounts<'a> {
    topology: &'a Topology,
    mates: Vec<u32>,
    /// By entry of a row, equal at both ends of an edge: how many paths used it.
    counts: Vec<u32>,
    limit: u32,
    random: Random,
    /// By node and side, the entry of the edge back to where the search came from; `NONE`
    /// elsewhere.
    back: [Vec<u32>; 2],
    queues: [VecDeque<u32>; 2],
    /// Nodes whose entries are set.
    touched: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Marks the root of a search.
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

    /// Draws two different nodes.
    fn draw(&mut self, nodes: u64) -> (u32, u32) {
        let from = self.random.below(nodes) as u32;
        let to = self.random.below(nodes - 1) as u32;
        (from, if to >= from { to + 1 } else { to })
    }

    /// Finds a path, searching from both ends, and counts its edges; returns false if there is
    /// none.
    fn count_path(&mut self, from: u32, to: u32) -> bool {
        self.clear();
        for (side, root) in [from, to].into_iter().enumerate() {
            self.back[side][root as usize] = ROOT;
            self.touched.push(root);
            self.queues[side].push_back(root);
        }
        // Starts at another neighbour in every search, so that paths of equal length share the
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

    /// Expands one layer of a side; returns the node where both sides meet.
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

    /// Marks the components of these two nodes, each in the entries of its side; returns the number
    /// of nodes of the smaller one.
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

    /// The two sides grown from the components marked last.
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
        let mut fragments = self.fragments(&side_of);
        // Fragments may be attached to other fragments. Those that touch neither side at the end
        // are components of their own.
        loop {
            let before = fragments.len();
            fragments.retain(|fragment| {
                let votes = self.votes(fragment, &side_of);
                let side = match votes {
                    [0, 0] => return true,
                    [first, second] => second > first,
                };
                fragment.iter().for_each(|&node| side_of[node as usize] = Some(side));
                false
            });
            if fragments.len() == before {
                break;
            }
        }
        // Nodes that touch neither side join the smaller one.
        let second = side_of.iter().filter(|&&side| side == Some(true)).count();
        let first = side_of.iter().filter(|&&side| side == Some(false)).count();
        side_of.into_iter().map(|side| side.unwrap_or(second < first)).collect()
    }

    /// The fragments that are on no side yet.
    fn fragments(&self, side_of: &[Option<bool>]) -> Vec<Vec<u32>> {
        let mut seen: Vec<bool> = side_of.iter().map(Option::is_some).collect();
        let mut fragments = Vec::new();
        for root in 0..seen.len() as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let (mut fragment, mut next) = (vec![root], 0);
            while let Some(&node) = fragment.get(next) {
                next += 1;
                let first = self.topology.first()[node as usize] as usize;
                for (entry, &head) in (first..).zip(self.topology.neighbours(node)) {
                    let kept = self.counts[entry] < self.limit;
                    if kept && !std::mem::replace(&mut seen[head as usize], true) {
                        fragment.push(head);
                    }
                }
            }
            fragments.push(fragment);
        }
        fragments
    }

    /// The number of edges from a fragment to each side.
    fn votes(&self, fragment: &[u32], side_of: &[Option<bool>]) -> [usize; 2] {
        let mut votes = [0, 0];
        for &node in fragment {
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
        let share = second.min(sides.len() - second) * MIN_SHARE;
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
