//! A smaller picture of a topology: neighbours merged in pairs, and the pairs in pairs again.
//!
//! METIS spends most of its time on merging nodes of the graph that it is given, which is quicker here: rows are
//! sorted, and a large graph is merged by all threads. The graph that METIS sees is a quarter of the size; what
//! the picture blurs, the least cut near METIS's in the full graph puts right.
//!
//! Nodes are merged as in METIS, along the heaviest edge that is free (Karypis and Kumar 1998), but in the
//! order of their numbers: neighbours on a map mostly are neighbours by number, so the pairs lie regularly
//! and no random numbers are drawn.
//!
//! Invariants: rows are sorted, name no node twice and are symmetric, as in a [`Topology`]; the sizes add up
//! to the nodes of the full graph; the coarse graph of a connected topology is connected.

use super::Topology;
use super::topology::Rows;

/// How often nodes are merged in pairs: each time halves the graph.
const ROUNDS: usize = 2;

/// Where a round leaves more than three nodes of four, as in a star, another would not help.
const WORTHWHILE: (usize, usize) = (3, 4);

/// Smaller graphs than this are left as they are: METIS is quick with them, and each node counts.
const SMALLEST: usize = 300;

/// A graph whose nodes are groups of a topology's nodes.
pub(super) struct Coarse {
    /// The groups next to each group, with what the edges between the two weigh together.
    pub(super) rows: Rows,
    /// How many nodes each group has.
    pub(super) sizes: Vec<u32>,
    /// By node of the topology, its group.
    group_of: Vec<u32>,
}

impl Coarse {
    pub(super) fn of(topology: &Topology) -> Self {
        let nodes = topology.node_count();
        let rows = Rows {
            first: topology.first().to_vec(),
            heads: topology.heads().to_vec(),
            weights: match topology.weights() {
                Some(weights) => weights.to_vec(),
                None => vec![1; topology.heads().len()],
            },
        };
        let mut coarse =
            Self { rows, sizes: vec![1; nodes], group_of: (0..nodes as u32).collect() };
        for _ in 0..ROUNDS {
            let before = coarse.sizes.len();
            if before < SMALLEST {
                break;
            }
            let merged = coarse.merged();
            if merged.sizes.len() * WORTHWHILE.1 > before * WORTHWHILE.0 {
                break;
            }
            coarse = merged;
        }
        coarse
    }

    /// What was found for the groups, for each node of the topology.
    pub(super) fn spread<T: Copy>(&self, by_group: &[T]) -> Vec<T> {
        self.group_of.iter().map(|&group| by_group[group as usize]).collect()
    }

    fn edges(&self, group: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let Rows { first, heads, weights } = &self.rows;
        let row = first[group as usize] as usize..first[group as usize + 1] as usize;
        row.map(|entry| (heads[entry], weights[entry]))
    }

    /// One round: each group with the free neighbour to which its edge is heaviest.
    fn merged(&self) -> Self {
        const FREE: u32 = u32::MAX;
        let groups = self.sizes.len() as u32;
        let mut new_of = vec![FREE; groups as usize];
        let mut members: Vec<[u32; 2]> = Vec::new();
        for group in 0..groups {
            if new_of[group as usize] != FREE {
                continue;
            }
            let free = |&(head, _): &(u32, u32)| new_of[head as usize] == FREE;
            let mate = self.edges(group).filter(free).max_by_key(|&(head, weight)| (weight, !head));
            let mate = mate.map_or(group, |(head, _)| head);
            new_of[group as usize] = members.len() as u32;
            new_of[mate as usize] = members.len() as u32;
            members.push([group, mate]);
        }
        let rows = Rows::build(&members, |members, rows| {
            let mut row: Vec<(u32, u32)> = Vec::new();
            for pair in members {
                let new = new_of[pair[0] as usize];
                row.clear();
                let edges = distinct(pair).iter().flat_map(|&group| self.edges(group));
                row.extend(edges.map(|(head, weight)| (new_of[head as usize], weight)));
                row.retain(|&(head, _)| head != new);
                row.sort_unstable();
                for same in row.chunk_by(|a, b| a.0 == b.0) {
                    rows.push(same[0].0, same.iter().map(|&(_, weight)| weight).sum());
                }
                rows.end_row()?;
            }
            Ok(())
        });
        let size = |pair| distinct(pair).iter().map(|&group| self.sizes[group as usize]).sum();
        Self {
            rows: rows.expect("merging makes no edges"),
            sizes: members.iter().map(size).collect(),
            group_of: self.group_of.iter().map(|&group| new_of[group as usize]).collect(),
        }
    }
}

/// A group that found no mate is its own.
fn distinct(pair: &[u32; 2]) -> &[u32] {
    if pair[0] == pair[1] { &pair[..1] } else { pair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, Map};

    fn coarse(width: u32, height: u32) -> (Topology, Coarse) {
        let grid = Grid::new(width, height).unwrap();
        let topology = Topology::of_map(&Map::from(grid)).unwrap();
        let coarse = Coarse::of(&topology);
        (topology, coarse)
    }

    #[test]
    fn groups_of_four_hold_all_nodes_and_all_edges_between_them() {
        let (topology, coarse) = coarse(50, 40);
        assert_eq!(coarse.sizes.iter().sum::<u32>(), 2000);
        assert_eq!(coarse.sizes.len(), 500);
        let groups = coarse.spread(&(0..500_u32).collect::<Vec<_>>());
        let mut expected = std::collections::BTreeMap::new();
        for node in 0..2000 {
            for (head, weight) in topology.edges(node) {
                let ends = (groups[node as usize], groups[head as usize]);
                if ends.0 != ends.1 {
                    *expected.entry(ends).or_insert(0) += weight;
                }
            }
        }
        let edges = (0..500).flat_map(|group| {
            coarse.edges(group).map(move |(head, weight)| ((group, head), weight))
        });
        assert!(edges.eq(expected));
    }

    #[test]
    fn small_graphs_and_stars_stay_as_they_are() {
        assert_eq!(coarse(15, 15).1.sizes, [1; 225]);
        let mut builder = crate::GraphBuilder::new(3000).unwrap();
        (1..3000).for_each(|leaf| builder.add_edge(0, leaf, 1).unwrap());
        let star = Topology::of_graph(&builder.build()).unwrap();
        assert_eq!(Coarse::of(&star).sizes.len(), 3000);
    }
}
