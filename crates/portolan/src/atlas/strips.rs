//! Strips: the nodes along the ways across leaves, ready to be copied into a path.
//!
//! Hops across a leaf are followed step by step, or copied at once where memory allows strips. There is one for
//! every pair of border nodes between which some hop leads.

use std::sync::Arc;

use rayon::prelude::*;

use super::hops::{Exit, Hops};
use super::index::Index;
use super::labels::Layout;
use super::region::{Region, Way};
use super::tree::RegionId;
use super::walk::Walker;
use crate::graph::NodeId;
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Strips {
    /// By region where its pairs begin.
    pub(super) first: Words,
    /// By pair of border nodes of a leaf, row by row, where its strip begins; the next pair's begins where it
    /// ends.
    pub(super) starts: Words,
    /// The nodes behind the first border node up to the second.
    pub(super) nodes: Words,
}

impl Strips {
    /// The strips that the hops need; `None` where they would take more than so many bytes.
    pub(super) fn build(index: &Index, layout: &Layout, hops: &Hops, limit: u64) -> Option<Self> {
        let (first, pairs) = first_pairs(&index.regions)?;
        let fits = |nodes: usize| 4 * (first.len() + pairs + 1 + nodes) as u64 <= limit;
        if !fits(0) {
            return None;
        }
        let needed = needed(index, layout, hops, &first, pairs);
        let leaves: Vec<(Vec<usize>, Vec<NodeId>)> = index
            .regions
            .par_iter()
            .zip(&first)
            .map(|(region, &first)| {
                strips_of(index, region, &needed[first as usize..][..border_of(region).pow(2)])
            })
            .collect();
        let total: usize = leaves.iter().map(|(_, nodes)| nodes.len()).sum();
        if !fits(total) || u32::try_from(total).is_err() {
            return None;
        }
        let (mut starts, mut nodes) = (vec![0], Vec::with_capacity(total));
        for (lens, strips) in leaves {
            for len in lens {
                let start = starts.last().map_or(0, |&start| start as usize);
                starts.push((start + len) as u32);
            }
            nodes.extend(strips);
        }
        Some(Self { first: first.into(), starts: starts.into(), nodes: nodes.into() })
    }

    /// The nodes behind one border node of a leaf up to another; empty where there is no strip.
    #[inline(always)]
    pub(super) fn strip(&self, leaf: RegionId, pair: usize) -> &[NodeId] {
        let at = self.first.get(leaf as usize).map_or(usize::MAX, |&first| first as usize + pair);
        let range = self.starts.get(at).zip(self.starts.get(at.wrapping_add(1)));
        let range = range.map_or(0..0, |(&start, &end)| start as usize..end as usize);
        self.nodes.get(range).unwrap_or_default()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.first.memory_bytes() + self.starts.memory_bytes() + self.nodes.memory_bytes()
    }
}

/// By region where its pairs begin, and how many there are; `None` for more than can be numbered.
pub(super) fn first_pairs(regions: &[Arc<Region>]) -> Option<(Vec<u32>, usize)> {
    let mut first = Vec::with_capacity(regions.len());
    let mut pairs = 0_usize;
    for region in regions {
        first.push(u32::try_from(pairs).ok()?);
        pairs = pairs.checked_add(border_of(region).checked_pow(2)?)?;
    }
    Some((first, pairs))
}

/// How many border nodes a leaf has; none for branches.
fn border_of(region: &Region) -> usize {
    region.leaf().map_or(0, |_| region.border.len())
}

/// By pair, whether a hop leads along it.
fn needed(index: &Index, layout: &Layout, hops: &Hops, first: &[u32], pairs: usize) -> Vec<bool> {
    let mut needed = vec![false; pairs];
    let mut need = |leaf: RegionId, from: u32, to: u32| {
        let border = border_of(index.region(leaf));
        needed[first[leaf as usize] as usize + from as usize * border + to as usize] = true;
    };
    for way in [Way::Out, Way::Into] {
        let mut seen = Vec::new();
        for rank in 0..layout.separators() as u32 {
            seen.clear();
            seen.extend_from_slice(&hops.hops.way(way)[layout.range(rank)]);
            seen.sort_unstable();
            seen.dedup();
            for exit in seen.iter().filter_map(|&hop| hops.exits.exit(rank, hop)) {
                match (exit, way) {
                    (Exit::Leaf { leaf, from, to }, Way::Out) => need(leaf, from, to),
                    (Exit::Leaf { leaf, from, to }, Way::Into) => need(leaf, to, from),
                    (Exit::Edge(_), _) => {}
                }
            }
        }
    }
    needed
}

/// The lengths of all strips of a leaf, and their nodes.
fn strips_of(index: &Index, region: &Region, needed: &[bool]) -> (Vec<usize>, Vec<NodeId>) {
    let border = border_of(region);
    let mut walker = Walker::new(Way::Out);
    let mut nodes = Vec::new();
    let lens = needed.iter().enumerate().map(|(pair, &needed)| {
        let (from, to) = (pair / border, pair % border);
        walker.start(region.border[from]);
        if !needed || walker.cross(index, region, from, to).is_none() {
            return 0;
        }
        nodes.extend_from_slice(&walker.path[1..]);
        walker.path.len() - 1
    });
    let lens = lens.collect();
    (lens, nodes)
}
