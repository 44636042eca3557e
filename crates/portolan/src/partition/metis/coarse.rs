//! A coarser version of a topology: neighbours merged in pairs, and the pairs in pairs again.
//!
//! METIS spends most of its time on merging nodes of its input. Merging is faster here: rows are
//! sorted, and all threads merge a large graph. METIS gets a graph of a quarter of the size; the
//! least cut near that of METIS in the full graph restores the detail.
//!
//! Nodes are merged as in METIS, along the heaviest free edge (Karypis and Kumar 1998), but in the
//! order of their numbers: neighbours on a map mostly have neighbouring numbers, so the pairs are
//! regular and no random numbers are needed.
//!
//! Invariants: rows are sorted, name no node twice and are symmetric, as in a [`Topology`]; the
//! sizes sum to the nodes of the full graph; the coarse graph of a connected topology is connected.

use crate::partition::Topology;
use crate::partition::rows::RowsBuilder;

/// The number of merging rounds; each halves the graph.
const ROUNDS: usize = 2;

/// If a round leaves more than three of four nodes, as in a star, another would not help.
const WORTHWHILE: (usize, usize) = (3, 4);

/// Smaller graphs stay as they are: METIS is fast on them, and each node counts.
const SMALLEST: usize = 300;

/// A graph whose nodes are groups of a topology's nodes.
pub(super) struct CoarseGraph<'a> {
    topology: &'a Topology,
    /// The merged groups; `None` if every node is its own group.
    merged: Option<MergedGroups>,
}

struct MergedGroups {
    /// The neighbours of each group, with the total weight of the edges to each.
    rows: RowsBuilder,
    /// The number of nodes of each group.
    sizes: Vec<u32>,
    /// By node of the topology, its group.
    group_of: Vec<u32>,
}

impl<'a> CoarseGraph<'a> {
    pub(super) fn of(topology: &'a Topology) -> Self {
        let mut coarse = Self { topology, merged: None };
        for _ in 0..ROUNDS {
            let before = coarse.len();
            if before < SMALLEST {
                break;
            }
            let merged = coarse.merge();
            if merged.sizes.len() * WORTHWHILE.1 > before * WORTHWHILE.0 {
                break;
            }
            coarse.merged = Some(merged);
        }
        coarse
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.merged.as_ref().map_or(self.topology.node_count(), |merged| merged.sizes.len())
    }

    /// The start of each group's row, and the end of the last.
    pub(super) fn first(&self) -> &[u32] {
        self.merged.as_ref().map_or(self.topology.first(), |merged| &merged.rows.first)
    }

    /// All rows, one after the other.
    pub(super) fn heads(&self) -> &[u32] {
        self.merged.as_ref().map_or(self.topology.heads(), |merged| &merged.rows.heads)
    }

    /// By entry of a row, the total weight of the edges between the two groups; `None` if all are
    /// one.
    pub(super) fn weights(&self) -> Option<&[u32]> {
        self.merged.as_ref().map_or(self.topology.weights(), |merged| merged.rows.weights())
    }

    /// The number of nodes of a group.
    pub(super) fn size(&self, group: u32) -> u32 {
        self.merged.as_ref().map_or(1, |merged| merged.sizes[group as usize])
    }

    /// Maps a result by group to a result by node of the topology.
    pub(super) fn spread<T: Copy>(&self, by_group: Vec<T>) -> Vec<T> {
        match &self.merged {
            Some(merged) => merged.group_of.iter().map(|&group| by_group[group as usize]).collect(),
            None => by_group,
        }
    }

    fn edges(&self, group: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (first, heads, weights) = (self.first(), self.heads(), self.weights());
        let row = first[group as usize] as usize..first[group as usize + 1] as usize;
        row.map(move |entry| (heads[entry], weights.map_or(1, |all| all[entry])))
    }

    /// One round: merges each group with the free neighbour of its heaviest edge.
    fn merge(&self) -> MergedGroups {
        const FREE: u32 = u32::MAX;
        let groups = self.len() as u32;
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
        let rows = RowsBuilder::build(&members, |members, rows| {
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
        let size = |pair| distinct(pair).iter().map(|&group| self.size(group)).sum();
        MergedGroups {
            rows: rows.expect("merging makes no edges"),
            sizes: members.iter().map(size).collect(),
            group_of: match &self.merged {
                Some(merged) => merged.group_of.iter().map(|&at| new_of[at as usize]).collect(),
                None => new_of,
            },
        }
    }
}

/// The members of a group, which may be one.
fn distinct(pair: &[u32; 2]) -> &[u32] {
    if pair[0] == pair[1] { &pair[..1] } else { pair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, Map};

    fn grid(width: u32, height: u32) -> Topology {
        Topology::of_map(&Map::from(Grid::new(width, height).unwrap())).unwrap()
    }

    #[test]
    fn groups_of_four_hold_all_nodes_and_all_edges_between_them() {
        let topology = grid(50, 40);
        let coarse = CoarseGraph::of(&topology);
        assert_eq!((0..500).map(|group| coarse.size(group)).sum::<u32>(), 2000);
        assert_eq!(coarse.len(), 500);
        let groups = coarse.spread((0..500_u32).collect());
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
        assert_eq!(CoarseGraph::of(&grid(15, 15)).len(), 225);
        let mut builder = crate::GraphBuilder::new(3000).unwrap();
        (1..3000).for_each(|leaf| builder.add_edge(0, leaf, 1).unwrap());
        let star = Topology::of_graph(&builder.build()).unwrap();
        assert_eq!(CoarseGraph::of(&star).len(), 3000);
    }
}
