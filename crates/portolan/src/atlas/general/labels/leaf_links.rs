//! Links: for each member of a leaf without a row, the costs to the border nodes over which shortest
//! paths leave the leaf.
//!
//! The least sum of a link and the row to which it leads is the row that the member would have. A
//! border node needs no link if it can be reached as cheaply over another one, because then some
//! shortest path leaves the leaf there. Costs between border nodes are positive, so the other one is
//! nearer, and some border node always remains. About half of them do.

use std::sync::Arc;

use rayon::prelude::*;

use super::exits::Exits;
use super::layout::{Layout, Rank};
use crate::atlas::general::direction::{PerDirection, along_path};
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::tables::homes::Home;
use crate::atlas::general::tables::region::Region;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Direction;
use crate::kernel::least_sum;
use crate::store::Words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeafLinks {
    /// First position in `costs` by region.
    first: Vec<u32>,
    /// For all members and all border nodes of their leaf the cost, or [`UNREACHABLE`] without a
    /// link.
    pub(crate) costs: PerDirection<Words>,
}

impl LeafLinks {
    /// Builds the links of all leaves; `None` if they take more than `limit` bytes.
    pub(crate) fn build(
        index: &GeneralIndex,
        layout: &Layout,
        exits: &Exits,
        costs: &PerDirection<Words>,
        limit: u64,
    ) -> Option<Self> {
        let regions = &index.regions;
        let (first, count) = first_costs(regions)?;
        let directions = if index.undirected() { 1 } else { 2 };
        if 4 * (first.len() + directions * count) as u64 > limit {
            return None;
        }
        let leaves = || (0..).zip(regions).filter(|(_, region)| region.leaf().is_some());
        let between: Vec<Vec<Cost>> = leaves()
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|(id, _)| between(exits.border(id), layout, costs))
            .collect();
        let costs = PerDirection::make(index.undirected(), |direction| {
            Words::filled(count, UNREACHABLE, |links: &mut [Cost]| {
                let (mut rest, mut parts) = (links, Vec::new());
                for ((_, region), between) in leaves().zip(&between) {
                    let (part, after) =
                        rest.split_at_mut(region.members.len() * region.border.len());
                    parts.push((region, between, part));
                    rest = after;
                }
                parts.into_par_iter().for_each(|(region, between, part)| {
                    fill(region, between, direction, part);
                });
            })
        });
        Some(Self { first, costs })
    }

    /// Wraps stored words; `None` if their number is wrong.
    pub(crate) fn from_words(regions: &[Arc<Region>], costs: PerDirection<Words>) -> Option<Self> {
        let (first, count) = first_costs(regions)?;
        let fit = costs.each().all(|costs| costs.len() == count);
        fit.then_some(Self { first, costs })
    }

    /// The costs from a member to all `border` border nodes, or from them.
    #[inline(always)]
    pub(crate) fn of(&self, direction: Direction, home: Home, border: usize) -> &[Cost] {
        let first = self.first.get(home.region as usize).map_or(usize::MAX, |&at| at as usize);
        let start = first.saturating_add(home.slot as usize * border);
        self.costs.of(direction).get(start..start.saturating_add(border)).unwrap_or_default()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        4 * self.first.len() + self.costs.memory_bytes()
    }
}

/// The position of the first cost of each region, and the number of costs; `None` if 32 bits do not
/// suffice.
fn first_costs(regions: &[Arc<Region>]) -> Option<(Vec<u32>, usize)> {
    let mut first = Vec::with_capacity(regions.len());
    let mut count = 0;
    for region in regions {
        first.push(u32::try_from(count).ok()?);
        count += region.leaf().map_or(0, |_| region.members.len() * region.border.len());
    }
    Some((first, count))
}

/// The costs between all border nodes of a leaf, row by row.
fn between(ranks: &[Rank], layout: &Layout, costs: &PerDirection<Words>) -> Vec<Cost> {
    let row = |direction: Direction, &rank: &Rank| &costs.of(direction)[layout.range(rank)];
    let pairs = ranks.iter().flat_map(|from| ranks.iter().map(move |to| (from, to)));
    pairs
        .map(|(from, to)| least_sum(row(Direction::Forward, from), row(Direction::Backward, to)))
        .collect()
}

/// Fills the links of a leaf from the costs between its border nodes.
fn fill(region: &Region, between: &[Cost], direction: Direction, links: &mut [Cost]) {
    let (Some(leaf), border) = (region.leaf(), region.border.len()) else { return };
    if border == 0 {
        return;
    }
    let reach = leaf.reach.of(direction).chunks_exact(border);
    for (reach, links) in reach.zip(links.chunks_exact_mut(border)) {
        for (at, &cost) in reach.iter().enumerate() {
            let is_over = |(other, &first): (usize, &Cost)| {
                let (tail, head) = along_path(direction, other, at);
                other != at && first.saturating_add(between[tail * border + head]) <= cost
            };
            if !reach.iter().enumerate().any(is_over) {
                links[at] = cost;
            }
        }
    }
}
