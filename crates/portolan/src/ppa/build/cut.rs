//! Cuts the map into regions, and regions into smaller regions.
//!
//! Regions are cut in parallel. The result is the leaves, ordered so that every region is a range
//! of consecutive leaves, and where the ranges start. A cut into many regions is made by repeated
//! bisection, and regions are numbered along these bisections. So between a region and its parts
//! lie larger parts that can serve as regions too: hierarchies of more or fewer levels come from
//! the same cuts.

use std::sync::Arc;

use rayon::prelude::*;

use crate::build::{BuildError, Watch};
use crate::graph::NodeId;
use crate::partition::{Partition, Partitioner, SubsetScratch, Topology};
use crate::ppa::index::Subgraph;

/// The leaves of a map and the ranges that form its regions.
pub(super) struct CutHierarchy {
    pub(super) leaves: Vec<Arc<Subgraph>>,
    /// By depth, the first leaf of each range: one range at depth 0, one per leaf at the last
    /// depth. Every range of one depth consists of ranges of the next.
    starts: Vec<Vec<u32>>,
}

/// Cuts regions recursively and makes leaves of the smallest.
pub(super) struct RegionCutter<'a, L> {
    pub(super) partitioner: &'a Partitioner,
    pub(super) branching: usize,
    /// How many depths a cut adds; 1 if the parts between are not needed.
    pub(super) halvings: usize,
    pub(super) watch: &'a Watch<'a>,
    /// Makes a leaf of these nodes.
    pub(super) leaf: L,
}

impl<L: Fn(Vec<NodeId>) -> Subgraph + Sync> RegionCutter<'_, L> {
    /// Cuts a region `splits` times; the first cut may be known already.
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

    /// Bisects every leaf once more.
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
        let mut topology_ids = vec![0; nodes];
        for (topology_id, &node) in (0..).zip(whole.originals()) {
            topology_ids[node as usize] = topology_id;
        }
        let leaves = cut.leaves.par_iter().map_init(SubsetScratch::default, |scratch, leaf| {
            let mut members: Vec<u32> =
                leaf.members.iter().map(|&node| topology_ids[node as usize]).collect();
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
    /// The numbers of children in the hierarchy whose regions are those of these depths, from 0 to
    /// the last, in the format of [`RegionTree::new`](crate::ppa::region_tree::RegionTree::new).
    pub(super) fn children(&self, depths: &[usize]) -> Vec<Vec<u32>> {
        let levels = depths.windows(2).rev();
        levels.map(|pair| counts(&self.starts[pair[0]], &self.starts[pair[1]])).collect()
    }

    /// Hierarchies over these leaves, those of fewer levels first: depths in about equal steps of
    /// at most `widest`, down to cuts into four.
    pub(super) fn depth_choices(&self, widest: usize) -> impl Iterator<Item = Vec<usize>> + use<> {
        let last = self.starts.len() - 1;
        let levels = last.div_ceil(widest).max(1)..=last.div_ceil(2);
        levels.map(move |levels| (0..=levels).map(|level| level * last / levels).collect())
    }

    /// The mean number of nodes of a leaf.
    pub(super) fn mean_leaf(&self) -> usize {
        let nodes: usize = self.leaves.iter().map(|leaf| leaf.members.len()).sum();
        nodes / self.leaves.len().max(1)
    }
}

/// Concatenates regions of equally many depths; they are the ranges at depth 0.
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

/// How many of the finer ranges each coarser one contains.
fn counts(coarse: &[u32], fine: &[u32]) -> Vec<u32> {
    let index = |start: u32| fine.partition_point(|&other| other < start) as u32;
    let firsts: Vec<u32> = coarse.iter().map(|&start| index(start)).collect();
    let ends = firsts[1..].iter().copied().chain([fine.len() as u32]);
    firsts.iter().zip(ends).map(|(&first, end)| end - first).collect()
}

/// Where parts start after `times` bisections of a number of parts, in the order of
/// [`Partitioner::split`]: the smaller half first.
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

/// How many bisections separate this many parts.
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
