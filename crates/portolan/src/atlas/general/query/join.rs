//! Joining two nodes by their labels: the least sum over the entries that both have.
//!
//! An end of the path has one row, or several that are each raised by what it costs to get to their
//! nodes: two for a node on a chain, one for each border node of a leaf whose nodes have no rows of
//! their own.

use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::Rank;
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::general::query::access::{AccessGroup, AccessNode};
use crate::atlas::general::query::path_copier::HalfPathStart;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::kernel::{least_sum, least_sum_of_pairs, prefetch, relax_row};

/// A row and what its node costs.
#[derive(Debug, Clone, Copy)]
struct OffsetRow {
    rank: Rank,
    cost: Cost,
    /// Which end of the group it comes from.
    access: usize,
    /// The place in the border of the end's leaf; none where the row is the end's own.
    border: Option<u32>,
}

/// The rows of one end of the path, and room to add them up.
pub(crate) struct EndpointLabels {
    direction: Direction,
    rows: Vec<OffsetRow>,
    least: Vec<Cost>,
}

impl EndpointLabels {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, rows: Vec::new(), least: Vec::new() }
    }

    /// Takes the rows of a group of ends.
    pub(crate) fn gather(&mut self, index: &GeneralIndex, labels: &Labels, group: &AccessGroup) {
        self.rows.clear();
        for (number, access) in group.nodes().enumerate() {
            let (home, slot) = (access.home.region, access.home.slot);
            if let Some(rank) = labels.layout.rank(home, slot) {
                self.rows.push(OffsetRow { rank, cost: access.cost, access: number, border: None });
                continue;
            }
            let region = index.region(home);
            let Some(leaf) = region.leaf() else { continue };
            let ranks = labels.hops.exits.border(home);
            let reach = &leaf.reach.of(self.direction)[slot as usize * region.border.len()..];
            for ((&rank, &cost), border) in ranks.iter().zip(reach).zip(0..) {
                let cost = cost.saturating_add(access.cost);
                if cost != UNREACHABLE {
                    self.rows.push(OffsetRow { rank, cost, access: number, border: Some(border) });
                }
            }
        }
    }

    /// A row as far as both ends have it.
    #[inline(always)]
    fn row<'a>(&self, labels: &'a Labels, raised: &OffsetRow, shared: usize) -> &'a [Cost] {
        let row = labels.row(self.direction, raised.rank);
        &row[..row.len().min(shared)]
    }

    /// Asks for the rows, as far as both ends have them.
    #[inline(always)]
    pub(crate) fn prefetch(&self, labels: &Labels, group: &AccessGroup, shared: usize) {
        let costs = &**labels.costs.of(self.direction);
        for (raised, access) in self.rows.iter().zip(group.nodes()) {
            let range = labels.layout.first_of(access.home, raised.rank, shared);
            prefetch(costs.get(range).unwrap_or_default());
        }
    }

    /// Asks for what tells how ways along these rows begin.
    #[inline(always)]
    pub(crate) fn prefetch_path_starts(&self, labels: &Labels, group: &AccessGroup, shared: usize) {
        let Some(cache) = &labels.cache else { return };
        for (raised, access) in self.rows.iter().zip(group.nodes()) {
            if raised.rank as usize >= labels.layout.separators() {
                let range = labels.layout.first_of(access.home, raised.rank, shared);
                prefetch(cache.first_borders.range(self.direction, range));
                let border = labels.hops.exits.border(access.home.region).len();
                prefetch(cache.leaf_paths.of(self.direction, access.home, border));
            }
        }
    }

    /// The least cost to each entry over all rows.
    fn add_up(&mut self, labels: &Labels, shared: usize) {
        let mut least = std::mem::take(&mut self.least);
        least.clear();
        least.resize(shared, UNREACHABLE);
        for raised in &self.rows {
            relax_row(&mut least, self.row(labels, raised, shared), raised.cost);
        }
        self.least = least;
    }

    /// The least sum with costs of the other end.
    pub(crate) fn least_with(&self, labels: &Labels, costs: &[Cost]) -> Cost {
        let sums = self.rows.iter().map(|raised| {
            least_sum(self.row(labels, raised, costs.len()), costs).saturating_add(raised.cost)
        });
        sums.min().unwrap_or(UNREACHABLE)
    }

    /// Walks from the end of the path to the node of an entry.
    pub(crate) fn walk(
        &self,
        index: &GeneralIndex,
        labels: &Labels,
        (node, group): (NodeId, &AccessGroup),
        entry: usize,
        builder: &mut PathBuilder,
    ) -> Option<()> {
        let start = self.start(index, labels, group, entry)?;
        builder.start(node);
        builder.enter_core(index, node, start.access);
        if let Some(border) = start.border {
            let home = index.regions.get(start.access.home.region as usize)?;
            builder.leave(index, home, start.access.home.slot as usize, border)?;
        }
        builder.follow(index, labels, start.rank, entry)
    }

    /// By which end, and over which separator node, the way to the node of an entry begins.
    pub(crate) fn start<'g>(
        &self,
        index: &GeneralIndex,
        labels: &Labels,
        group: &'g AccessGroup,
        entry: usize,
    ) -> Option<PathStart<'g>> {
        let cost = *self.least.get(entry)?;
        let fits = |raised: &&OffsetRow| {
            let row = labels.row(self.direction, raised.rank);
            row.get(entry).is_some_and(|rest| rest.saturating_add(raised.cost) == cost)
        };
        let raised = self.rows.iter().find(fits)?;
        let access = group.nodes().nth(raised.access)?;
        let start = PathStart { access, border: None, rank: raised.rank };
        if let Some(border) = raised.border {
            return Some(PathStart { border: Some(border as usize), ..start });
        }
        if (raised.rank as usize) < labels.layout.separators() {
            return Some(start);
        }
        // The row of a node inside a leaf: it leaves by the border node through which the entry was
        // found.
        let rest = labels.row(self.direction, raised.rank)[entry];
        let ranks = labels.hops.exits.border(access.home.region);
        let leads = |rank: Rank, cost: Cost| {
            let row = labels.row(self.direction, rank);
            row.get(entry).is_some_and(|beyond| beyond.saturating_add(cost) == rest)
        };
        let first_border = labels.cache.as_ref().and_then(|cache| {
            let first_border = cache.first_borders.first_border(
                self.direction,
                labels.layout.range(raised.rank),
                entry,
            );
            first_border.filter(|&first_border| first_border < ranks.len())
        });
        let border = match first_border {
            Some(first_border) => first_border,
            None => {
                let home = index.regions.get(access.home.region as usize)?;
                let reach = home.leaf()?.reach.of(self.direction);
                let reach = &reach[access.home.slot as usize * home.border.len()..];
                ranks.iter().zip(reach).position(|(&rank, &cost)| leads(rank, cost))?
            }
        };
        Some(PathStart { border: Some(border), rank: ranks[border], ..start })
    }

    /// The same as a place among what lies ready.
    pub(crate) fn begin(
        &self,
        labels: &Labels,
        cache: &PathCache,
        start: &PathStart,
    ) -> Option<HalfPathStart> {
        let home = start.access.home;
        let leg = match start.border {
            None => 0,
            Some(border) => {
                let count = labels.hops.exits.border(home.region).len();
                *cache.leaf_paths.of(self.direction, home, count).get(border)?
            }
        };
        Some(HalfPathStart { home: home.region, leg, rank: start.rank })
    }
}

/// Where the way from an end of a path begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathStart<'g> {
    pub(crate) access: &'g AccessNode,
    /// The place in the border of the end's leaf; none where the end is a separator node itself.
    border: Option<usize>,
    /// That border node, or the end itself.
    rank: Rank,
}

/// How many entries the rows of two groups share.
pub(crate) fn shared(
    index: &GeneralIndex,
    labels: &Labels,
    from: &AccessGroup,
    to: &AccessGroup,
) -> usize {
    let (from, to) = (from.deepest().home.region, to.deepest().home.region);
    labels.layout.shared(from, index.tree.common_depth(from, to))
}

/// The cost of the best way over an entry that both sides have.
#[inline]
pub(crate) fn distance(
    labels: &Labels,
    from: &mut EndpointLabels,
    to: &mut EndpointLabels,
    shared: usize,
) -> Cost {
    match (from.rows.as_slice(), to.rows.as_slice()) {
        ([], _) | (_, []) => UNREACHABLE,
        ([a], [b]) => {
            let sum = least_sum(from.row(labels, a, shared), to.row(labels, b, shared));
            sum.saturating_add(a.cost).saturating_add(b.cost)
        }
        ([a0, rest_a @ ..], [b0, rest_b @ ..]) if rest_a.len() < 2 && rest_b.len() < 2 => {
            let (a1, b1) = (rest_a.first().unwrap_or(a0), rest_b.first().unwrap_or(b0));
            let a = [a0, a1].map(|raised| (from.row(labels, raised, shared), raised.cost));
            let b = [b0, b1].map(|raised| (to.row(labels, raised, shared), raised.cost));
            distance_of_pairs(a, b)
        }
        _ => {
            from.add_up(labels, shared);
            to.add_up(labels, shared);
            least_sum(&from.least, &to.least)
        }
    }
}

/// Rows of different lengths: together as far as all reach, then one by one.
fn distance_of_pairs(a: [(&[Cost], Cost); 2], b: [(&[Cost], Cost); 2]) -> Cost {
    let common = a.iter().chain(&b).map(|(row, _)| row.len()).min().unwrap_or(0);
    let mut least = least_sum_of_pairs(
        a.map(|(row, cost)| (&row[..common], cost)),
        b.map(|(row, cost)| (&row[..common], cost)),
    );
    for (a, a_cost) in a {
        for (b, b_cost) in b {
            let sum = least_sum(&a[common..], &b[common..]);
            least = least.min(sum.saturating_add(a_cost).saturating_add(b_cost));
        }
    }
    least
}

/// The least cost and the first entry that it leads over.
pub(crate) fn meet(
    labels: &Labels,
    from: &mut EndpointLabels,
    to: &mut EndpointLabels,
    shared: usize,
) -> Option<(Cost, usize)> {
    from.add_up(labels, shared);
    to.add_up(labels, shared);
    let cost = least_sum(&from.least, &to.least);
    if cost == UNREACHABLE {
        return None;
    }
    const STRIDE: usize = 64;
    let mut strides = from.least.chunks(STRIDE).zip(to.least.chunks(STRIDE));
    let number = strides.position(|(a, b)| least_sum(a, b) == cost)?;
    let start = number * STRIDE;
    let sums = from.least[start..].iter().zip(&to.least[start..]);
    let at = sums.map(|(&a, &b)| a.saturating_add(b)).position(|sum| sum == cost)?;
    Some((cost, start + at))
}

/// The costs from one end over all entries it has, to be joined with many others.
pub(crate) fn costs_from<'a>(
    index: &GeneralIndex,
    labels: &Labels,
    side: &'a mut EndpointLabels,
    group: &AccessGroup,
) -> &'a [Cost] {
    side.gather(index, labels, group);
    let home = group.deepest().home.region;
    let all = labels.layout.shared(home, index.tree.link(home).depth);
    side.add_up(labels, all);
    &side.least
}
