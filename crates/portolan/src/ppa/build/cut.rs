//! Cutting the map into regions, and regions into regions.
//!
//! Regions are cut side by side. What comes out is the leaves, in such an order that every region
//! is a stretch of them, and where the stretches begin. A cut into many regions is made by cutting
//! in two again and again, and regions are numbered along these cuts; so between a region and its
//! parts there are larger parts that can serve as regions too. Hierarchies of more levels, or of
//! fewer, are thus had without cutting anything again.

use std::sync::Arc;

use rayon::prelude::*;

use crate::build::{BuildError, Watch};
use crate::graph::NodeId;
use crate::partition::{Partition, Partitioner, SubsetScratch, Topology};
use crate::ppa::index::Subgraph;

/// A map that has been cut.
pub(super) struct CutHierarchy {
    pub(super) leaves: Vec<Arc<Subgraph>>,
    /// By depth, the leaves at which stretches begin: at depth 0 the first, at the last depth every
    /// leaf. Every stretch of one depth consists of stretches of the next.
    starts: Vec<Vec<u32>>,
}

/// The recursion that cuts regions into regions and makes leaves of what comes out of it.
pub(super) struct RegionCutter<'a, L> {
    pub(super) partitioner: &'a Partitioner,
    pub(super) branching: usize,
    /// How many depths a cut makes; 1 where larger parts than those asked for are of no interest.
    pub(super) halvings: usize,
    pub(super) watch: &'a Watch<'a>,
    /// Makes a leaf of its nodes.
    pub(super) leaf: L,
}

impl<L: Fn(Vec<NodeId>) -> Subgraph + Sync> RegionCutter<'_, L> {
    /// Cuts a region this many times; the first cut may be known already.
    pub(super) fn cut(
        &self,
        region: &Topology,
        splits: usize,
        first: Option<Partition>,
    ) -> Result<CutHierarchy, BuildError> {
        self.watch.check()?;
        if splits == 0 {
            let leaf = (self.leaf)(region.originals().to_vec());
            return Ok(CutHierarchy { leaves: vec![Arc::new(leaf)], starts: vec![vec![0]] });
        }
        let partition = match first {
            Some(first) => first,
            None => {
                let parts = self.branching.min(region.node_count()).max(1);
                self.partitioner.split(region, parts)?
            }
        };
        self.watch.advance(1);
        let mut parts = partition.members();
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() {
            // A region without nodes still has one child, so that every leaf has an ancestor on
            // each level.
            parts.push(Vec::new());
        }
        let cuts = parts.into_par_iter().map_init(SubsetScratch::default, |scratch, part| {
            self.cut(&region.subset(&part, scratch), splits - 1, None)
        });
        let below = join(cuts.collect::<Result<Vec<_>, BuildError>>()?);
        let firsts = &below.starts[0];
        let above = (0..self.halvings).map(|depth| {
            halved(firsts.len(), depth).into_iter().map(|part| firsts[part]).collect()
        });
        let starts = above.chain(below.starts.iter().cloned()).collect();
        Ok(CutHierarchy { leaves: below.leaves, starts })
    }

    /// Cuts every leaf once more, in two.
    pub(super) fn cut_leaves(
        &self,
        whole: &Topology,
        cut: &CutHierarchy,
    ) -> Result<CutHierarchy, BuildError> {
        let finer = RegionCutter {
            partitioner: self.partitioner,
            branching: 2,
            halvings: 1,
            watch: self.watch,
            leaf: &self.leaf,
        };
        let nodes = whole.originals().iter().max().map_or(0, |&last| last as usize + 1);
        let mut names = vec![0; nodes];
        for (name, &node) in (0..).zip(whole.originals()) {
            names[node as usize] = name;
        }
        let leaves = cut.leaves.par_iter().map_init(SubsetScratch::default, |scratch, leaf| {
            let mut members: Vec<u32> =
                leaf.members.iter().map(|&node| names[node as usize]).collect();
            members.sort_unstable();
            finer.cut(&whole.subset(&members, scratch), 1, None)
        });
        let below = join(leaves.collect::<Result<Vec<_>, BuildError>>()?);
        let first = |leaf: &u32| below.starts[0][*leaf as usize];
        let above = cut.starts[..cut.starts.len() - 1].iter();
        let above = above.map(|starts| starts.iter().map(first).collect());
        let starts = above.chain(below.starts.iter().cloned()).collect();
        Ok(CutHierarchy { leaves: below.leaves, starts })
    }
}

impl CutHierarchy {
    /// The numbers of children in a hierarchy whose regions are those of some of the depths, from 0
    /// to the last; as [`RegionTree::new`](crate::ppa::region_tree::RegionTree::new) takes them.
    pub(super) fn children(&self, depths: &[usize]) -> Vec<Vec<u32>> {
        let levels = depths.windows(2).rev();
        levels.map(|pair| counts(&self.starts[pair[0]], &self.starts[pair[1]])).collect()
    }

    /// Hierarchies of these leaves, those of fewer levels first: depths in about equal steps, of
    /// `widest` at most, down to cuts into four.
    pub(super) fn shapes(&self, widest: usize) -> impl Iterator<Item = Vec<usize>> + use<> {
        let last = self.starts.len() - 1;
        let levels = last.div_ceil(widest).max(1)..=last.div_ceil(2);
        levels.map(move |levels| (0..=levels).map(|level| level * last / levels).collect())
    }

    /// How many nodes a leaf has on average.
    pub(super) fn mean_leaf(&self) -> usize {
        let nodes: usize = self.leaves.iter().map(|leaf| leaf.members.len()).sum();
        nodes / self.leaves.len().max(1)
    }
}

/// Regions of as many depths each, side by side: at depth 0 stretches are these regions.
fn join(cuts: Vec<CutHierarchy>) -> CutHierarchy {
    let mut all = CutHierarchy { leaves: Vec::new(), starts: Vec::new() };
    for cut in cuts {
        let offset = all.leaves.len() as u32;
        all.leaves.extend(cut.leaves);
        all.starts.resize(cut.starts.len(), Vec::new());
        for (all, starts) in all.starts.iter_mut().zip(cut.starts) {
            all.extend(starts.into_iter().map(|start| offset + start));
        }
    }
    all
}

/// How many of the finer stretches lie in each of the coarser ones.
fn counts(coarse: &[u32], fine: &[u32]) -> Vec<u32> {
    let index = |start: u32| fine.partition_point(|&other| other < start) as u32;
    let firsts: Vec<u32> = coarse.iter().map(|&start| index(start)).collect();
    let ends = firsts[1..].iter().copied().chain([fine.len() as u32]);
    firsts.iter().zip(ends).map(|(&first, end)| end - first).collect()
}

/// Where parts begin after so many parts have been shared out to two sides so often, as
/// [`Partitioner::split`] does it: the smaller half first.
fn halved(parts: usize, times: usize) -> Vec<usize> {
    let mut starts = vec![0];
    for _ in 0..times {
        let ends = starts[1..].iter().copied().chain([parts]);
        let pairs = starts.iter().copied().zip(ends);
        starts = pairs
            .flat_map(|(start, end)| {
                let middle = start + (end - start) / 2;
                [Some(start), (middle > start).then_some(middle)].into_iter().flatten()
            })
            .collect();
    }
    starts
}

/// How often so many parts must be shared out to two sides until each is on its own.
pub(super) fn halvings(parts: usize) -> usize {
    parts.max(2).next_power_of_two().trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_shared_out_to_two_sides() {
        assert_eq!(halved(5, 0), [0]);
        assert_eq!(halved(5, 1), [0, 2]);
        assert_eq!(halved(5, 2), [0, 1, 2, 3]);
        assert_eq!(halved(5, 3), [0, 1, 2, 3, 4]);
        assert_eq!(halved(1, 3), [0]);
        for parts in 1..100 {
            assert_eq!(halved(parts, halvings(parts)).len(), parts);
        }
    }

    #[test]
    fn stretches_are_counted() {
        assert_eq!(counts(&[0], &[0]), [1]);
        assert_eq!(counts(&[0, 4], &[0, 2, 4, 5, 9]), [2, 3]);
    }
}
