//! Hops: for each entry in a separator node's row, the next step on the path to the hub.
//!
//! A hop leads to another separator node, along an edge or across a leaf. It is the number of an
//! exit (`exits.rs`), so paths are unpacked by lookups, without searching. Of several hops on
//! shortest paths the longest is stored, so that paths consist of few hops.
//!
//! All weights are positive, so the cost to the hub decreases with each hop.

use std::sync::Arc;

use rayon::prelude::*;

use super::exits::{Exits, separator_rank};
use super::layout::{Layout, Rank};
use crate::atlas::general::direction::{PerDirection, along_path, visit_edges};
use crate::atlas::general::tables::dissected::Dissected;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Graph, NodeId};
use crate::kernel::mark_sums;
use crate::store::{Array, Words};

/// No hop is stored: no shortest path needs the entry.
pub(crate) const NO_HOP: u16 = u16::MAX;

#[derive(Debug)]
pub(crate) struct Hops {
    /// The hop beside each entry of a separator node's row. Empty where paths are cached.
    pub(crate) hops: PerDirection<Array<u16>>,
    pub(crate) exits: Exits,
}

impl Hops {
    pub(crate) fn build<G: Graph>(
        dissected: &Dissected<'_, G>,
        regions: &[Arc<Region>],
        layout: &Layout,
        costs: &PerDirection<Words>,
    ) -> Self {
        let exits = Exits::build(dissected, regions, layout);
        let hops = PerDirection::make(dissected.undirected(), |direction| {
            let costs = costs.of(direction);
            let finding = HopFinder { dissected, regions, layout, exits: &exits, costs, direction };
            let mut hops = vec![NO_HOP; layout.separator_entries()];
            let branches = || {
                (0..).zip(regions).filter(|&(id, region)| {
                    !dissected.tree.is_leaf(id) && !region.members.is_empty()
                })
            };
            let sizes = branches().map(|(id, region)| (id, region.members.len()));
            let work: Vec<_> = branches().zip(layout.split(&mut hops, sizes)).collect();
            work.into_par_iter().for_each(|((id, region), part)| finding.fill(id, region, part));
            hops.into()
        });
        Self { hops, exits }
    }

    /// The same exits without the hops beside entries.
    pub(crate) fn without_steps(self) -> Self {
        let undirected = self.hops.backward.is_none();
        Self { hops: PerDirection::make(undirected, |_| Array::default()), ..self }
    }

    /// The hop beside the entry at this position.
    #[inline(always)]
    pub(crate) fn hop(&self, direction: Direction, at: usize) -> u16 {
        self.hops.of(direction).get(at).copied().unwrap_or(NO_HOP)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.hops.memory_bytes() + self.exits.memory_bytes()
    }
}

/// The input for the hops of one direction.
struct HopFinder<'a, G> {
    dissected: &'a Dissected<'a, G>,
    regions: &'a [Arc<Region>],
    layout: &'a Layout,
    exits: &'a Exits,
    costs: &'a [Cost],
    direction: Direction,
}

impl<G: Graph> HopFinder<'_, G> {
    /// Finds the hops of all separator nodes of a branch.
    fn fill(&self, id: RegionId, region: &Region, part: &mut [u16]) {
        let mut candidates = Vec::new();
        let first = self.layout.rank(id, 0).map_or(0, |rank| self.layout.range(rank).start);
        for (slot, &node) in (0..).zip(region.members.iter()) {
            let Some(rank) = self.layout.rank(id, slot) else { continue };
            let range = self.layout.range(rank);
            let hops = &mut part[range.start - first..range.end - first - 1];
            let sums = &self.costs[range];
            candidates.clear();
            self.candidates(rank, node, &mut candidates);
            candidates.sort_unstable();
            for &(cost, number, to) in &candidates {
                mark_sums(hops, sums, &self.costs[self.layout.range(to)], cost, number);
            }
        }
    }

    /// Appends the cost, the number and the target of every exit.
    fn candidates(&self, rank: Rank, node: NodeId, candidates: &mut Vec<(Cost, u16, Rank)>) {
        let (edges, leaves) = self.exits.of(rank);
        let add_edge = |other: NodeId, cost: Cost| {
            let Some(to) = separator_rank(self.dissected.homes, self.layout, other) else { return };
            let number = edges.binary_search(&to).ok().and_then(number);
            candidates.extend(number.map(|number| (cost, number, to)));
        };
        visit_edges(self.dissected.graph, self.direction, node, add_edge);
        for &[base, leaf, at] in leaves.as_chunks::<3>().0 {
            let (region, at) = (&self.regions[leaf as usize], at as usize);
            for (to, &rank) in self.exits.border(leaf).iter().enumerate() {
                let (tail, head) = along_path(self.direction, at, to);
                let cost = region.crossing_cost(tail, head);
                let number = number(base as usize + to);
                if let Some(number) = number.filter(|_| to != at && cost != UNREACHABLE) {
                    candidates.push((cost, number, rank));
                }
            }
        }
    }
}

/// The number of an exit; `None` if it does not fit into 16 bits.
fn number(exit: usize) -> Option<u16> {
    u16::try_from(exit).ok().filter(|&number| number != NO_HOP)
}
