//! Exits: the numbered targets of hops.
//!
//! The exits of a separator node are the adjacent separator nodes, then for each leaf at whose
//! border it is all border nodes of the leaf.

use std::sync::Arc;

use super::hops::NO_HOP;
use super::layout::{Layout, Rank};
use crate::atlas::general::tables::dissected::Dissected;
use crate::atlas::general::tables::homes::NodeHomes;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::{RegionId, SeparatorTree};
use crate::graph::{Graph, NodeId};
use crate::store::Words;

/// The exits of all separator nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exits {
    /// First position in `lists` by rank, with one more at the end.
    pub(crate) first: Words,
    /// For each node: the number of adjacent separator nodes, their ranks, then for each leaf the
    /// number of its first exit, the leaf, and the position of the node in the border of the leaf.
    pub(crate) lists: Words,
    /// The nodes by rank.
    pub(crate) nodes: Words,
    /// First position in `borders` by region, with one more at the end.
    pub(crate) first_border: Words,
    /// The ranks of the border nodes of all leaves.
    pub(crate) borders: Words,
}

/// The target of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Along a core edge.
    Edge(Rank),
    /// Across a leaf, between two positions in its border.
    Leaf { leaf: RegionId, from: u32, to: u32 },
}

impl Exits {
    /// The target of a hop; `None` if the node has no such exit.
    #[inline(always)]
    pub(crate) fn exit(&self, rank: Rank, hop: u16) -> Option<Exit> {
        let (edges, leaves) = self.of(rank);
        if hop == NO_HOP {
            return None;
        }
        let hop = u32::from(hop);
        if let Some(&rank) = edges.get(hop as usize) {
            return Some(Exit::Edge(rank));
        }
        let (leaves, _) = leaves.as_chunks::<3>();
        let &[base, leaf, from] = leaves.iter().rev().find(|&&[base, ..]| base <= hop)?;
        Some(Exit::Leaf { leaf, from, to: hop - base })
    }

    /// The adjacent separator nodes, and three words for each leaf.
    #[inline(always)]
    pub(crate) fn of(&self, rank: Rank) -> (&[u32], &[u32]) {
        let range = self.first[rank as usize] as usize..self.first[rank as usize + 1] as usize;
        let list = &self.lists[range];
        let (count, list) = list.split_first().map_or((0, list), |(&count, rest)| (count, rest));
        list.split_at(list.len().min(count as usize))
    }

    /// The ranks of the border nodes of a leaf.
    #[inline(always)]
    pub(crate) fn border(&self, leaf: RegionId) -> &[Rank] {
        let first = &self.first_border[leaf as usize..];
        &self.borders[first[0] as usize..first[1] as usize]
    }

    pub(crate) fn build<G: Graph>(
        &Dissected { graph, tree, homes }: &Dissected<'_, G>,
        regions: &[Arc<Region>],
        layout: &Layout,
    ) -> Self {
        let mut leaves_of: Vec<Vec<(RegionId, u32)>> = vec![Vec::new(); layout.separators()];
        let (first_border, borders) = ranks_of_borders(tree, homes, regions, layout);
        for (leaf, ends) in (0..).zip(first_border.windows(2)) {
            for (at, &rank) in (0..).zip(&borders[ends[0] as usize..ends[1] as usize]) {
                leaves_of[rank as usize].push((leaf, at));
            }
        }
        let (mut first, mut lists, mut nodes) = (vec![0], Vec::new(), Vec::new());
        let mut edges = Vec::new();
        for (id, region) in (0..).zip(regions).filter(|&(id, _)| !tree.is_leaf(id)) {
            for (slot, &node) in (0..).zip(region.members.iter()) {
                neighbours_into(graph, homes, layout, node, &mut edges);
                lists.push(edges.len() as u32);
                lists.extend_from_slice(&edges);
                let mut base = edges.len() as u32;
                let rank = layout.rank(id, slot).map_or(0, |rank| rank as usize);
                for &(leaf, at) in &leaves_of[rank] {
                    lists.extend([base, leaf, at]);
                    base += regions[leaf as usize].border.len() as u32;
                }
                first.push(lists.len() as u32);
                nodes.push(node);
            }
        }
        Self {
            first: first.into(),
            lists: lists.into(),
            nodes: nodes.into(),
            first_border: first_border.into(),
            borders: borders.into(),
        }
    }

    /// Predicts [`memory_bytes`](Self::memory_bytes).
    pub(crate) fn planned_bytes<G: Graph>(
        graph: &G,
        homes: &NodeHomes,
        regions: &[Arc<Region>],
        layout: &Layout,
    ) -> usize {
        let (mut edges, mut borders) = (0, 0);
        let mut ranks = Vec::new();
        for region in regions {
            if region.leaf().is_some() {
                borders += region.border.len();
                continue;
            }
            for &node in region.members.iter() {
                neighbours_into(graph, homes, layout, node, &mut ranks);
                edges += ranks.len();
            }
        }
        let separators = layout.separators();
        let lists = separators + edges + 3 * borders;
        4 * ((separators + 1) + lists + separators + (regions.len() + 1) + borders)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        [&self.first, &self.lists, &self.nodes, &self.first_border, &self.borders]
            .map(|list| list.memory_bytes())
            .iter()
            .sum()
    }
}

/// The ranks of the border nodes of all leaves; before them, their first position by region with
/// one more at the end.
pub(crate) fn ranks_of_borders(
    tree: &SeparatorTree,
    homes: &NodeHomes,
    regions: &[Arc<Region>],
    layout: &Layout,
) -> (Vec<u32>, Vec<Rank>) {
    let (mut first, mut ranks) = (vec![0], Vec::new());
    for (id, region) in (0..).zip(regions) {
        if tree.is_leaf(id) {
            let rank_of = |&node: &NodeId| separator_rank(homes, layout, node);
            ranks.extend(region.border.iter().filter_map(rank_of));
        }
        first.push(ranks.len() as u32);
    }
    (first, ranks)
}

/// The ranks of the separator nodes next to a node, ascending, without duplicates.
fn neighbours_into<G: Graph>(
    graph: &G,
    homes: &NodeHomes,
    layout: &Layout,
    node: NodeId,
    ranks: &mut Vec<Rank>,
) {
    ranks.clear();
    let mut add = |other: NodeId, _| ranks.extend(separator_rank(homes, layout, other));
    graph.out_edges(node, &mut add);
    if !graph.is_undirected() {
        graph.in_edges(node, &mut add);
    }
    ranks.sort_unstable();
    ranks.dedup();
}

/// The rank of a separator node; `None` for other nodes.
pub(super) fn separator_rank(homes: &NodeHomes, layout: &Layout, node: NodeId) -> Option<Rank> {
    let home = homes.of(node);
    let rank = layout.rank(home.region, home.slot)?;
    ((rank as usize) < layout.separators()).then_some(rank)
}
