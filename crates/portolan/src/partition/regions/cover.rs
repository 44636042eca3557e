//! The fewest nodes that cover all edges between two sides.
//!
//! The edges between two sides form a bipartite graph, where a least vertex cover is as large as a
//! maximum matching (König 1931). It is derived from one: from the unmatched nodes of the first
//! side, follow any edge to the second side and matched edges back. The cover consists of the nodes
//! of the first side that are not reached and those of the second side that are. The matching is
//! found in passes over shortest augmenting paths (Hopcroft and Karp 1973).

use crate::partition::Topology;

/// A least set of nodes that covers every edge between the two sides, ascending.
pub(super) fn least_cover(topology: &Topology, sides: &[bool]) -> Vec<u32> {
    let crossing = Crossing::new(topology, sides);
    let matching = Matching::greatest(&crossing);
    matching.cover(&crossing)
}

/// The edges between two sides, from the first to the second.
struct Crossing {
    firsts: Vec<u32>,
    seconds: Vec<u32>,
    /// For each of `firsts`, the indices of its neighbours in `seconds`.
    rows: Vec<Vec<u32>>,
}

impl Crossing {
    fn new(topology: &Topology, sides: &[bool]) -> Self {
        let nodes = || 0..topology.node_count() as u32;
        let crosses = |node: u32, head: u32| sides[node as usize] != sides[head as usize];
        let on_border =
            |&node: &u32| topology.neighbours(node).iter().any(|&head| crosses(node, head));
        let firsts: Vec<u32> = nodes().filter(|&n| !sides[n as usize]).filter(on_border).collect();
        let seconds: Vec<u32> = nodes().filter(|&n| sides[n as usize]).filter(on_border).collect();
        let row = |&node: &u32| {
            let heads = topology.neighbours(node).iter().filter(|&&head| crosses(node, head));
            heads.filter_map(|head| Some(seconds.binary_search(head).ok()? as u32)).collect()
        };
        let rows = firsts.iter().map(row).collect();
        Self { firsts, seconds, rows }
    }
}

const FREE: u32 = u32::MAX;

struct Matching {
    /// By index on each side, the index of the partner on the other.
    of_first: Vec<u32>,
    of_second: Vec<u32>,
    /// By index on the first side, the distance from a free node.
    layer: Vec<u32>,
    /// How much of each row this pass has visited.
    visited: Vec<usize>,
}

impl Matching {
    fn greatest(crossing: &Crossing) -> Self {
        let firsts = crossing.firsts.len();
        let mut matching = Self {
            of_first: vec![FREE; firsts],
            of_second: vec![FREE; crossing.seconds.len()],
            layer: vec![FREE; firsts],
            visited: vec![0; firsts],
        };
        while matching.compute_layers(crossing) {
            matching.visited.fill(0);
            for first in 0..firsts as u32 {
                if matching.of_first[first as usize] == FREE {
                    matching.augment(crossing, first);
                }
            }
        }
        matching
    }

    /// Computes the layers from the free nodes of the first side; returns whether a free node of
    /// the second is reached.
    fn compute_layers(&mut self, crossing: &Crossing) -> bool {
        let mut queue: Vec<u32> = Vec::new();
        for (first, &partner) in (0..).zip(&self.of_first) {
            let is_free = partner == FREE;
            self.layer[first as usize] = if is_free { 0 } else { FREE };
            if is_free {
                queue.push(first);
            }
        }
        let (mut next, mut reached) = (0, false);
        while let Some(&first) = queue.get(next) {
            next += 1;
            for &second in &crossing.rows[first as usize] {
                let partner = self.of_second[second as usize];
                if partner == FREE {
                    reached = true;
                } else if self.layer[partner as usize] == FREE {
                    self.layer[partner as usize] = self.layer[first as usize] + 1;
                    queue.push(partner);
                }
            }
        }
        reached
    }

    /// Follows layers from a free node of the first side to a free node of the second and flips the
    /// matching along the path.
    fn augment(&mut self, crossing: &Crossing, root: u32) {
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut first = root;
        loop {
            let row = &crossing.rows[first as usize];
            let Some(&second) = row.get(self.visited[first as usize]) else {
                self.layer[first as usize] = FREE;
                match path.pop() {
                    Some((before, _)) => first = before,
                    None => return,
                }
                continue;
            };
            self.visited[first as usize] += 1;
            let partner = self.of_second[second as usize];
            if partner == FREE {
                path.push((first, second));
                break;
            }
            let onward = self.layer[first as usize].wrapping_add(1);
            if self.layer[partner as usize] == onward {
                path.push((first, second));
                first = partner;
            }
        }
        for (first, second) in path {
            self.of_first[first as usize] = second;
            self.of_second[second as usize] = first;
        }
    }

    fn cover(&self, crossing: &Crossing) -> Vec<u32> {
        let mut met_first: Vec<bool> = self.of_first.iter().map(|&of| of == FREE).collect();
        let mut met_second = vec![false; self.of_second.len()];
        let mut stack: Vec<u32> =
            (0..).zip(&met_first).filter(|&(_, &met)| met).map(|(first, _)| first).collect();
        while let Some(first) = stack.pop() {
            for &second in &crossing.rows[first as usize] {
                met_second[second as usize] = true;
                let partner = self.of_second[second as usize];
                let is_new = |met: &mut bool| !std::mem::replace(met, true);
                if partner != FREE && is_new(&mut met_first[partner as usize]) {
                    stack.push(partner);
                }
            }
        }
        let firsts = crossing.firsts.iter().zip(met_first).filter(|&(_, met)| !met);
        let seconds = crossing.seconds.iter().zip(met_second).filter(|&(_, met)| met);
        let mut cover: Vec<u32> = firsts.chain(seconds).map(|(&node, _)| node).collect();
        cover.sort_unstable();
        cover
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;
    use crate::map::Map;
    use crate::random::Random;

    /// The least cover, by trying all sets.
    fn least_by_trying_all(edges: &[(u32, u32)], nodes: u32) -> usize {
        let covers = |set: &u32| edges.iter().all(|&(a, b)| set >> a & 1 == 1 || set >> b & 1 == 1);
        (0..1u32 << nodes).filter(covers).map(|set| set.count_ones() as usize).min().unwrap_or(0)
    }

    #[test]
    fn covers_are_covers_and_none_is_smaller() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let nodes = 2 + random.below(9) as u32;
            let sides: Vec<bool> = (0..nodes).map(|_| random.chance(0.5)).collect();
            let mut builder = GraphBuilder::new(nodes as usize).unwrap();
            let mut edges = Vec::new();
            for a in 0..nodes {
                for b in 0..a {
                    if random.chance(0.4) {
                        builder.add_two_way(a, b, 1).unwrap();
                        if sides[a as usize] != sides[b as usize] {
                            edges.push((a, b));
                        }
                    }
                }
            }
            let topology = Topology::of_map(&Map::from(builder.build())).unwrap();
            let cover = least_cover(&topology, &sides);
            let in_cover = |node: u32| cover.binary_search(&node).is_ok();
            assert!(edges.iter().all(|&(a, b)| in_cover(a) || in_cover(b)), "seed {seed}");
            assert_eq!(cover.len(), least_by_trying_all(&edges, nodes), "seed {seed}");
        }
    }
}
