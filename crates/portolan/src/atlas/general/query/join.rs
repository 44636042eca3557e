//! Joins two endpoints by their labels: the least sum over the hubs that both have.
//!
//! An endpoint has one label row, or several with an offset, the cost from the endpoint to the node
//! of the row: two for a node on a chain, one for each border node of a leaf whose members have no
//! rows.

use super::access::{AccessGroup, AccessNode};
use super::path_copier::HalfPathStart;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::Rank;
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::path_cache::PathCache;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::kernel::{least_sum, least_sum_of_pairs, prefetch, relax_row};

/// A label row and the cost from the endpoint to its node.
#[derive(Debug, Clone, Copy)]
struct OffsetRow {
    rank: Rank,
    cost: Cost,
    /// Position of the access node in its group.
    access: usize,
    /// Position in the border of the leaf; `None` if the row belongs to the access node itself.
    border: Option<u32>,
}

/// The rows of one endpoint, and scratch to combine them.
pub(crate) struct EndpointLabels {
    pub(crate) direction: Direction,
    rows: Vec<OffsetRow>,
    least: Vec<Cost>,
}

impl EndpointLabels {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, rows: Vec::new(), least: Vec::new() }
    }

    /// Collects the rows of an access group.
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

    /// The nodes of the rows.
    pub(crate) fn nodes<'a>(
        &'a self,
        labels: &'a Labels,
        group: &'a AccessGroup,
    ) -> impl Iterator<Item = NodeId> {
        self.rows.iter().filter_map(move |row| match row.border {
            None => group.nodes().nth(row.access).map(|access| access.node),
            Some(_) => labels.hops.exits.nodes.get(row.rank as usize).copied(),
        })
    }

    /// The entries of a row that both endpoints share.
    #[inline(always)]
    fn row<'a>(&self, labels: &'a Labels, offset_row: &OffsetRow, shared: usize) -> &'a [Cost] {
        let row = labels.row(self.direction, offset_row.rank);
        &row[..row.len().min(shared)]
    }

    /// Prefetches the shared entries.
    #[inline(always)]
    pub(crate) fn prefetch(&self, labels: &Labels, group: &AccessGroup, shared: usize) {
        let costs = &**labels.costs.of(self.direction);
        for (offset_row, access) in self.rows.iter().zip(group.nodes()) {
            let range = labels.layout.first_of(access.home, offset_row.rank, shared);
            prefetch(costs.get(range).unwrap_or_default());
        }
    }

    /// Prefetches what [`start`](Self::start) reads.
    #[inline(always)]
    pub(crate) fn prefetch_path_starts(&self, labels: &Labels, group: &AccessGroup, shared: usize) {
        let Some(cache) = &labels.cache else { return };
        for (offset_row, access) in self.rows.iter().zip(group.nodes()) {
            if offset_row.rank as usize >= labels.layout.separators() {
                let range = labels.layout.first_of(access.home, offset_row.rank, shared);
                prefetch(cache.first_borders.range(self.direction, range));
                let border = labels.hops.exits.border(access.home.region).len();
                prefetch(cache.leaf_paths.of(self.direction, access.home, border));
            }
        }
    }

    /// Combines all rows: the least cost to each hub.
    fn add_up(&mut self, labels: &Labels, shared: usize) {
        let mut least = std::mem::take(&mut self.least);
        least.clear();
        least.resize(shared, UNREACHABLE);
        for offset_row in &self.rows {
            relax_row(&mut least, self.row(labels, offset_row, shared), offset_row.cost);
        }
        self.least = least;
    }

    /// The least sum with the costs of the other endpoint.
    pub(crate) fn least_with(&self, labels: &Labels, costs: &[Cost]) -> Cost {
        let sums = self.rows.iter().map(|offset_row| {
            least_sum(self.row(labels, offset_row, costs.len()), costs)
                .saturating_add(offset_row.cost)
        });
        sums.min().unwrap_or(UNREACHABLE)
    }

    /// Builds the half path from the endpoint to the hub of an entry.
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

    /// Finds the access node, and the separator node after it, on the path to the hub of an entry.
    pub(crate) fn start<'g>(
        &self,
        index: &GeneralIndex,
        labels: &Labels,
        group: &'g AccessGroup,
        entry: usize,
    ) -> Option<PathStart<'g>> {
        let cost = *self.least.get(entry)?;
        let fits = |offset_row: &&OffsetRow| {
            let row = labels.row(self.direction, offset_row.rank);
            row.get(entry).is_some_and(|rest| rest.saturating_add(offset_row.cost) == cost)
        };
        let offset_row = self.rows.iter().find(fits)?;
        let access = group.nodes().nth(offset_row.access)?;
        let start = PathStart { access, border: None, rank: offset_row.rank };
        if let Some(border) = offset_row.border {
            return Some(PathStart { border: Some(border as usize), ..start });
        }
        if (offset_row.rank as usize) < labels.layout.separators() {
            return Some(start);
        }
        // The row of a leaf member: find the border node through which the entry was computed.
        let rest = labels.row(self.direction, offset_row.rank)[entry];
        let ranks = labels.hops.exits.border(access.home.region);
        let leads = |rank: Rank, cost: Cost| {
            let row = labels.row(self.direction, rank);
            row.get(entry).is_some_and(|beyond| beyond.saturating_add(cost) == rest)
        };
        let first_border = labels.cache.as_ref().and_then(|cache| {
            let first_border = cache.first_borders.first_border(
                self.direction,
                labels.layout.range(offset_row.rank),
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

    /// Converts to the start of a cached half path.
    pub(crate) fn half_path_start(
        &self,
        labels: &Labels,
        cache: &PathCache,
        start: &PathStart,
    ) -> Option<HalfPathStart> {
        let home = start.access.home;
        let part = match start.border {
            None => 0,
            Some(border) => {
                let count = labels.hops.exits.border(home.region).len();
                *cache.leaf_paths.of(self.direction, home, count).get(border)?
            }
        };
        Some(HalfPathStart { home: home.region, part, rank: start.rank })
    }
}

/// The start of a half path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathStart<'g> {
    pub(crate) access: &'g AccessNode,
    /// Position in the border of the leaf; `None` if the access node is a separator node.
    border: Option<usize>,
    /// The rank of that border node, or of the access node.
    pub(crate) rank: Rank,
}

/// The number of entries that the rows of two groups share.
pub(crate) fn shared(
    index: &GeneralIndex,
    labels: &Labels,
    from: &AccessGroup,
    to: &AccessGroup,
) -> usize {
    let (from, to) = (from.deepest().home.region, to.deepest().home.region);
    labels.layout.shared(from, index.tree.common_depth(from, to))
}

/// The least cost over all shared hubs.
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
            let a =
                [a0, a1].map(|offset_row| (from.row(labels, offset_row, shared), offset_row.cost));
            let b =
                [b0, b1].map(|offset_row| (to.row(labels, offset_row, shared), offset_row.cost));
            distance_of_pairs(a, b)
        }
        _ => {
            from.add_up(labels, shared);
            to.add_up(labels, shared);
            least_sum(&from.least, &to.least)
        }
    }
}

/// The rows may have different lengths: all four at once up to the shortest, then pair by pair.
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

/// The least cost, and the first entry that attains it.
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

/// The costs from one endpoint to all its hubs, to be joined with many other endpoints.
pub(crate) fn costs_from<'a>(
    index: &GeneralIndex,
    labels: &Labels,
    side: &'a mut EndpointLabels,
    group: &AccessGroup,
) -> &'a [Cost] {
    side.gather(index, labels, group);
    let home = group.deepest().home.region;
    let all = labels.layout.shared(home, index.tree.node(home).depth);
    side.add_up(labels, all);
    &side.least
}
