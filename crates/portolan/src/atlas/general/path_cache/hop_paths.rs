//! Hop paths: the nodes along hops.
//!
//! There is one for every pair of border nodes of a leaf between which a hop leads, and on reduced
//! graphs one for every core edge between separator nodes. Paths that are not cached are unpacked
//! step by step.

use std::sync::Arc;

use rayon::prelude::*;

use super::NodeSpan;
use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::labels::exits::{Exit, Exits};
use crate::atlas::general::labels::hops::Hops;
use crate::atlas::general::labels::layout::{Layout, Rank};
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::RegionId;
use crate::graph::{Direction, Graph, NodeId};
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HopPaths {
    /// Number of the first pair by region.
    pub(crate) first: Words,
    /// Number of the first edge by rank; edges are numbered after the pairs. Empty if edges have no
    /// paths.
    pub(crate) first_edge: Vec<u32>,
    /// First position in `nodes` by number: pairs of border nodes of each leaf, row by row, then
    /// edges. With one more at the end.
    pub(crate) starts: Words,
    /// The nodes after the first node of the pair, up to and including the second.
    pub(crate) nodes: Words,
}

impl HopPaths {
    /// Builds the paths of all hops; `None` if they take more than `limit` bytes.
    pub(crate) fn build(
        index: &GeneralIndex,
        layout: &Layout,
        hops: &Hops,
        limit: u64,
    ) -> Option<Self> {
        let (first, pairs) = first_pairs(&index.regions)?;
        let (first_edge, count) = first_edges(index, &hops.exits, pairs)?;
        let fits =
            |nodes: usize| 4 * (first.len() + first_edge.len() + count + 1 + nodes) as u64 <= limit;
        if !fits(0) {
            return None;
        }
        let needed = needed(index, layout, hops, &first, pairs);
        let mut built: Vec<(Vec<usize>, Vec<NodeId>)> = index
            .regions
            .par_iter()
            .zip(&first)
            .map(|(region, &first)| {
                paths_across(index, region, &needed[first as usize..][..border_len(region).pow(2)])
            })
            .collect();
        built.push(paths_along_edges(index, &hops.exits, &first_edge));
        let total: usize = built.iter().map(|(_, nodes)| nodes.len()).sum();
        if !fits(total) || u32::try_from(total).is_err() {
            return None;
        }
        let (mut starts, mut nodes) = (vec![0], Vec::with_capacity(total));
        for (lens, hop_paths) in built {
            for len in lens {
                let start = starts.last().map_or(0, |&start| start as usize);
                starts.push((start + len) as u32);
            }
            nodes.extend(hop_paths);
        }
        Some(Self { first: first.into(), first_edge, starts: starts.into(), nodes: nodes.into() })
    }

    /// The number of the path between two border nodes of a leaf.
    pub(crate) fn across(&self, exits: &Exits, leaf: RegionId, (from, to): (u32, u32)) -> usize {
        let border = exits.border(leaf).len();
        self.first[leaf as usize] as usize + from as usize * border + to as usize
    }

    /// The number of the path along an edge between separator nodes, or an unused number if there
    /// is no such edge.
    pub(crate) fn along_edge(&self, exits: &Exits, (from, to): (Rank, Rank)) -> usize {
        let number = exits.of(from).0.binary_search(&to).ok();
        let number = number.zip(self.first_edge.get(from as usize));
        number.map_or(usize::MAX, |(number, &first)| first as usize + number)
    }

    /// The nodes of a path; empty if the path is not cached.
    pub(crate) fn span(&self, path: usize) -> NodeSpan {
        let ends = self.starts.get(path).zip(self.starts.get(path.wrapping_add(1)));
        let span =
            |(&start, &end): (&u32, &u32)| NodeSpan { start, len: end.saturating_sub(start) };
        ends.map_or(NodeSpan::default(), span)
    }

    /// The nodes after one border node of a leaf up to another; empty if the path is not cached.
    #[inline(always)]
    pub(crate) fn path(&self, leaf: RegionId, pair: usize) -> &[NodeId] {
        let at = self.first.get(leaf as usize).map_or(usize::MAX, |&first| first as usize + pair);
        let range = self.starts.get(at).zip(self.starts.get(at.wrapping_add(1)));
        let range = range.map_or(0..0, |(&start, &end)| start as usize..end as usize);
        self.nodes.get(range).unwrap_or_default()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let first = self.first.memory_bytes() + 4 * self.first_edge.len();
        first + self.starts.memory_bytes() + self.nodes.memory_bytes()
    }
}

/// The number of the first pair of each region and the number of pairs; `None` if 32 bits do not
/// suffice.
pub(crate) fn first_pairs(regions: &[Arc<Region>]) -> Option<(Vec<u32>, usize)> {
    let mut first = Vec::with_capacity(regions.len());
    let mut pairs = 0_usize;
    for region in regions {
        first.push(u32::try_from(pairs).ok()?);
        pairs = pairs.checked_add(border_len(region).checked_pow(2)?)?;
    }
    Some((first, pairs))
}

/// The number of the first edge of each rank, and the number of pairs and edges. Edges are counted
/// on reduced graphs only. `None` if 32 bits do not suffice.
pub(crate) fn first_edges(
    index: &GeneralIndex,
    exits: &Exits,
    pairs: usize,
) -> Option<(Vec<u32>, usize)> {
    let mut count = pairs;
    if let Core::Grid(_) = index.core {
        return Some((Vec::new(), count));
    }
    let mut first = Vec::with_capacity(exits.nodes.len());
    for rank in 0..exits.nodes.len() as Rank {
        first.push(u32::try_from(count).ok()?);
        count += exits.of(rank).0.len();
    }
    Some((first, count))
}

/// The lengths and nodes of the paths along all edges between separator nodes.
fn paths_along_edges(
    index: &GeneralIndex,
    exits: &Exits,
    first_edge: &[u32],
) -> (Vec<usize>, Vec<NodeId>) {
    let (mut lens, mut nodes) = (Vec::new(), Vec::new());
    let Core::Reduced(reduced) = &index.core else { return (lens, nodes) };
    for rank in 0..first_edge.len() as Rank {
        let from = exits.nodes[rank as usize];
        for &to in exits.of(rank).0 {
            let (start, to) = (nodes.len(), exits.nodes[to as usize]);
            let mut is_edge = false;
            reduced.out_edges(from, |head, _| is_edge |= head == to);
            if is_edge {
                reduced.nodes_between(from, to, &mut nodes);
                nodes.push(to);
            }
            lens.push(nodes.len() - start);
        }
    }
    (lens, nodes)
}

/// The number of border nodes of a leaf, 0 for branches.
fn border_len(region: &Region) -> usize {
    region.leaf().map_or(0, |_| region.border.len())
}

/// For each pair, whether a hop leads from one to the other.
fn needed(
    index: &GeneralIndex,
    layout: &Layout,
    hops: &Hops,
    first: &[u32],
    pairs: usize,
) -> Vec<bool> {
    let mut needed = vec![false; pairs];
    // Hops from a damaged file may name border nodes that do not exist.
    let mut need = |leaf: RegionId, from: u32, to: u32| {
        let (border, from, to) = (border_len(index.region(leaf)), from as usize, to as usize);
        if from < border && to < border {
            needed[first[leaf as usize] as usize + from * border + to] = true;
        }
    };
    for direction in [Direction::Forward, Direction::Backward] {
        let mut seen = Vec::new();
        for rank in 0..layout.separators() as u32 {
            seen.clear();
            seen.extend_from_slice(&hops.hops.of(direction)[layout.range(rank)]);
            seen.sort_unstable();
            seen.dedup();
            for exit in seen.iter().filter_map(|&hop| hops.exits.exit(rank, hop)) {
                match (exit, direction) {
                    (Exit::Leaf { leaf, from, to }, Direction::Forward) => need(leaf, from, to),
                    (Exit::Leaf { leaf, from, to }, Direction::Backward) => need(leaf, to, from),
                    (Exit::Edge(_), _) => {}
                }
            }
        }
    }
    needed
}

/// The lengths and nodes of all paths across a leaf.
fn paths_across(
    index: &GeneralIndex,
    region: &Region,
    needed: &[bool],
) -> (Vec<usize>, Vec<NodeId>) {
    let border = border_len(region);
    let mut builder = PathBuilder::new(Direction::Forward);
    let mut nodes = Vec::new();
    let lens = needed.iter().enumerate().map(|(pair, &needed)| {
        let (from, to) = (pair / border, pair % border);
        builder.start(region.border[from]);
        if !needed || builder.cross(index, region, from, to).is_none() {
            return 0;
        }
        nodes.extend_from_slice(&builder.nodes[1..]);
        builder.nodes.len() - 1
    });
    let lens = lens.collect();
    (lens, nodes)
}
