//! Hops: for each entry of a separator node's row, how the way to the entry's node goes on.
//!
//! A hop leads to another separator node, along an edge or across a leaf. The *exits* of a node
//! number all of them: the separator nodes next to it first, then for every leaf that it borders on
//! all border nodes of that leaf. A hop is such a number, so a path is unpacked by looking up
//! instead of searching. Of several hops that are as short, the longest is kept: fewer of them make
//! a path.
//!
//! All weights are positive, so the cost to the entry's node falls with every hop.

use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::labels::exits::{Exits, separator_rank};
use crate::atlas::general::labels::layout::{Layout, Rank};
use crate::atlas::general::tables::dissected::Dissected;
use crate::atlas::general::tables::region::Region;
use std::sync::Arc;

use rayon::prelude::*;

use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Graph, NodeId};
use crate::kernel::mark_sums;
use crate::store::{Array, Words};

/// No hop is known: the entry is not one that a shortest path needs.
pub(crate) const NO_HOP: u16 = u16::MAX;

#[derive(Debug)]
pub(crate) struct Hops {
    /// The hop beside each entry of a separator node's row.
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
            let work: Vec<_> = branches().zip(layout.spans(&mut hops, sizes)).collect();
            work.into_par_iter().for_each(|((id, region), span)| finding.fill(id, region, span));
            hops.into()
        });
        Self { hops, exits }
    }

    /// How the way to an entry's node goes on.
    #[inline(always)]
    pub(crate) fn hop(&self, direction: Direction, at: usize) -> u16 {
        self.hops.of(direction).get(at).copied().unwrap_or(NO_HOP)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.hops.memory_bytes() + self.exits.memory_bytes()
    }
}

/// What the hops of one way are found from.
struct HopFinder<'a, G> {
    dissected: &'a Dissected<'a, G>,
    regions: &'a [Arc<Region>],
    layout: &'a Layout,
    exits: &'a Exits,
    costs: &'a [Cost],
    direction: Direction,
}

impl<G: Graph> HopFinder<'_, G> {
    /// The hops of all separator nodes of a branch.
    fn fill(&self, id: RegionId, region: &Region, span: &mut [u16]) {
        let mut options = Vec::new();
        let first = self.layout.rank(id, 0).map_or(0, |rank| self.layout.range(rank).start);
        for (slot, &node) in (0..).zip(region.members.iter()) {
            let Some(rank) = self.layout.rank(id, slot) else { continue };
            let range = self.layout.range(rank);
            let hops = &mut span[range.start - first..range.end - first - 1];
            let sums = &self.costs[range];
            options.clear();
            self.options(rank, node, &mut options);
            options.sort_unstable();
            for &(cost, number, to) in &options {
                mark_sums(hops, sums, &self.costs[self.layout.range(to)], cost, number);
            }
        }
    }

    /// The cost, the number and the end of every exit that leads anywhere.
    fn options(&self, rank: Rank, node: NodeId, options: &mut Vec<(Cost, u16, Rank)>) {
        let (edges, leaves) = self.exits.of(rank);
        let add_edge = |other: NodeId, cost: Cost| {
            let Some(to) = separator_rank(self.dissected.homes, self.layout, other) else { return };
            let number = edges.binary_search(&to).ok().and_then(number);
            options.extend(number.map(|number| (cost, number, to)));
        };
        match self.direction {
            Direction::Forward => self.dissected.graph.out_edges(node, add_edge),
            Direction::Backward => self.dissected.graph.in_edges(node, add_edge),
        }
        for &[base, leaf, at] in leaves.as_chunks::<3>().0 {
            let (region, at) = (&self.regions[leaf as usize], at as usize);
            for (to, &rank) in self.exits.border(leaf).iter().enumerate() {
                let cost = match self.direction {
                    Direction::Forward => region.crossing_cost(at, to),
                    Direction::Backward => region.crossing_cost(to, at),
                };
                let number = number(base as usize + to);
                if let Some(number) = number.filter(|_| to != at && cost != UNREACHABLE) {
                    options.push((cost, number, rank));
                }
            }
        }
    }
}

/// The number of an exit, unless there are too many to number.
fn number(exit: usize) -> Option<u16> {
    u16::try_from(exit).ok().filter(|&number| number != NO_HOP)
}
