//! Strips: the nodes along the ways across leaves, ready to be copied into a path.
//!
//! Hops across a leaf are followed step by step, or copied at once where memory allows strips.
//! There is one for every pair of border nodes between which some hop leads; and where the core
//! leaves nodes out, one for every edge between separator nodes.

use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::labels::exits::{Exit, Exits};
use crate::atlas::general::labels::hops::Hops;
use crate::atlas::general::labels::layout::{Layout, Rank};
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::path_cache::NodeSpan;
use crate::atlas::general::tables::region::Region;
use std::sync::Arc;

use rayon::prelude::*;

use crate::atlas::separator_tree::RegionId;
use crate::graph::{Direction, Graph, NodeId};
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HopPaths {
    /// By region where its pairs begin.
    pub(crate) first: Words,
    /// By rank the number of its first edge, counted on from the pairs; empty where edges have no
    /// strips.
    pub(crate) first_edge: Vec<u32>,
    /// By pair of border nodes of a leaf, row by row, and then by edge, where its strip begins; the
    /// next begins where it ends.
    pub(crate) starts: Words,
    /// The nodes behind the first node up to the second.
    pub(crate) nodes: Words,
}

impl HopPaths {
    /// The strips that the hops need; `None` where they would take more than so many bytes.
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
        let mut laid: Vec<(Vec<usize>, Vec<NodeId>)> = index
            .regions
            .par_iter()
            .zip(&first)
            .map(|(region, &first)| {
                strips_of(index, region, &needed[first as usize..][..border_of(region).pow(2)])
            })
            .collect();
        laid.push(strips_of_edges(index, &hops.exits, &first_edge));
        let total: usize = laid.iter().map(|(_, nodes)| nodes.len()).sum();
        if !fits(total) || u32::try_from(total).is_err() {
            return None;
        }
        let (mut starts, mut nodes) = (vec![0], Vec::with_capacity(total));
        for (lens, hop_paths) in laid {
            for len in lens {
                let start = starts.last().map_or(0, |&start| start as usize);
                starts.push((start + len) as u32);
            }
            nodes.extend(hop_paths);
        }
        Some(Self { first: first.into(), first_edge, starts: starts.into(), nodes: nodes.into() })
    }

    /// The number of the strip from one border node of a leaf to another.
    pub(crate) fn across(&self, exits: &Exits, leaf: RegionId, (from, to): (u32, u32)) -> usize {
        let border = exits.border(leaf).len();
        self.first[leaf as usize] as usize + from as usize * border + to as usize
    }

    /// The number of the strip along an edge between separator nodes; of none where there is no
    /// such edge.
    pub(crate) fn along_edge(&self, exits: &Exits, (from, to): (Rank, Rank)) -> usize {
        let number = exits.of(from).0.binary_search(&to).ok();
        let number = number.zip(self.first_edge.get(from as usize));
        number.map_or(usize::MAX, |(number, &first)| first as usize + number)
    }

    /// Where the nodes of a strip lie; nowhere where there is none.
    pub(crate) fn span(&self, strip: usize) -> NodeSpan {
        let ends = self.starts.get(strip).zip(self.starts.get(strip.wrapping_add(1)));
        let span =
            |(&start, &end): (&u32, &u32)| NodeSpan { start, len: end.saturating_sub(start) };
        ends.map_or(NodeSpan::default(), span)
    }

    /// The nodes behind one border node of a leaf up to another; empty where there is no strip.
    #[inline(always)]
    pub(crate) fn strip(&self, leaf: RegionId, pair: usize) -> &[NodeId] {
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

/// By region where its pairs begin, and how many there are; `None` for more than can be numbered.
pub(crate) fn first_pairs(regions: &[Arc<Region>]) -> Option<(Vec<u32>, usize)> {
    let mut first = Vec::with_capacity(regions.len());
    let mut pairs = 0_usize;
    for region in regions {
        first.push(u32::try_from(pairs).ok()?);
        pairs = pairs.checked_add(border_of(region).checked_pow(2)?)?;
    }
    Some((first, pairs))
}

/// By rank the number of its first edge, counted on from the pairs, and how many pairs and edges
/// there are; no edges where the core leaves nothing out. `None` for more than can be numbered.
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

/// The lengths of the strips along all edges between separator nodes, and their nodes.
fn strips_of_edges(
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

/// How many border nodes a leaf has; none for branches.
fn border_of(region: &Region) -> usize {
    region.leaf().map_or(0, |_| region.border.len())
}

/// By pair, whether a hop leads along it.
fn needed(
    index: &GeneralIndex,
    layout: &Layout,
    hops: &Hops,
    first: &[u32],
    pairs: usize,
) -> Vec<bool> {
    let mut needed = vec![false; pairs];
    // The hops of a damaged file may lead to border nodes that there are not.
    let mut need = |leaf: RegionId, from: u32, to: u32| {
        let (border, from, to) = (border_of(index.region(leaf)), from as usize, to as usize);
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

/// The lengths of all strips of a leaf, and their nodes.
fn strips_of(index: &GeneralIndex, region: &Region, needed: &[bool]) -> (Vec<usize>, Vec<NodeId>) {
    let border = border_of(region);
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
