//! Joins two endpoints by their labels: the least sum over the hubs that both have.
//!
//! An endpoint has one label row, or several with an offset, the cost from the endpoint to the node
//! of the row: two for a node on a chain, one for each border node to which a link leads from a
//! member of a leaf without a row (`labels/leaf_links.rs`).

use std::ops::Range;

use super::access::{AccessGroup, AccessNode};
use super::path_copier::HalfPathStart;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::Rank;
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::path_cache::PathCache;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::kernel::{
    HasRow, RaisedRow, least_sum, least_sum_of_pairs, meet as join_rows, prefetch, relax_row,
};

/// A label row and the cost from the endpoint to its node.
#[derive(Debug, Clone, Copy, Default)]
struct OffsetRow {
    rank: Rank,
    cost: Cost,
    /// Position of the access node in its group.
    access: usize,
    /// Whether the row belongs to a border node of the leaf, instead of the access node itself.
    of_border: bool,
    /// The position of the row among all rows.
    start: usize,
    len: usize,
}

impl HasRow for OffsetRow {
    #[inline(always)]
    fn row(&self) -> RaisedRow {
        RaisedRow { start: self.start, len: self.len, add: self.cost }
    }
}

/// The rows of one endpoint, and scratch to combine them.
pub(crate) struct EndpointLabels {
    pub(crate) direction: Direction,
    /// The first `count` are the rows.
    rows: Vec<OffsetRow>,
    count: usize,
    least: Vec<Cost>,
}

impl EndpointLabels {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, rows: Vec::new(), count: 0, least: Vec::new() }
    }

    /// Collects the rows of an access group.
    pub(crate) fn gather(&mut self, index: &GeneralIndex, labels: &Labels, group: &AccessGroup) {
        self.count = 0;
        if let (AccessGroup::Two(a, b), Some(links)) = (group, &labels.links)
            && a.home.region == b.home.region
            && index.tree.is_leaf(a.home.region)
        {
            // Branchless, because which of the two is nearer to a border node is unpredictable.
            let ranks = labels.hops.exits.border(a.home.region);
            let of = |access: &AccessNode| links.of(self.direction, access.home, ranks.len());
            let (costs, others) = (of(a), of(b));
            for ((&rank, &cost), &other) in ranks.iter().zip(costs).zip(others) {
                let (cost, other) = (cost.saturating_add(a.cost), other.saturating_add(b.cost));
                let access = usize::from(other < cost);
                let row = (rank, labels.layout.range(rank));
                self.add(row, cost.min(other), (access, true));
            }
            return;
        }
        for (number, access) in group.nodes().enumerate() {
            let (home, slot) = (access.home.region, access.home.slot);
            if let Some(rank) = labels.layout.rank(home, slot) {
                let row = (rank, labels.layout.range_of(access.home, rank));
                self.add(row, access.cost, (number, false));
                continue;
            }
            let ranks = labels.hops.exits.border(home);
            let costs = match &labels.links {
                Some(links) => links.of(self.direction, access.home, ranks.len()),
                None => {
                    let Some(leaf) = index.region(home).leaf() else { continue };
                    &leaf.reach.of(self.direction)[slot as usize * ranks.len()..]
                }
            };
            for (&rank, &cost) in ranks.iter().zip(costs) {
                let row = (rank, labels.layout.range(rank));
                self.add(row, cost.saturating_add(access.cost), (number, true));
            }
        }
    }

    /// Adds a row, unless its offset is [`UNREACHABLE`]. Branchless.
    #[inline(always)]
    fn add(
        &mut self,
        (rank, range): (Rank, Range<usize>),
        cost: Cost,
        (access, of_border): (usize, bool),
    ) {
        let (start, len) = (range.start, range.len());
        if self.count == self.rows.len() {
            self.rows.resize(2 * self.count + 8, OffsetRow::default());
        }
        self.rows[self.count] = OffsetRow { rank, cost, access, of_border, start, len };
        self.count += usize::from(cost != UNREACHABLE);
    }

    #[inline(always)]
    fn rows(&self) -> &[OffsetRow] {
        &self.rows[..self.count]
    }

    /// The nodes of the rows.
    pub(crate) fn nodes<'a>(
        &'a self,
        labels: &'a Labels,
        group: &'a AccessGroup,
    ) -> impl Iterator<Item = NodeId> {
        self.rows().iter().filter_map(move |row| match row.of_border {
            false => group.nodes().nth(row.access).map(|access| access.node),
            true => labels.hops.exits.nodes.get(row.rank as usize).copied(),
        })
    }

    /// The entries of a row that both endpoints share.
    #[inline(always)]
    fn row<'a>(&self, labels: &'a Labels, offset_row: &OffsetRow, shared: usize) -> &'a [Cost] {
        let row = labels.costs.of(self.direction).get(offset_row.start..).unwrap_or_default();
        &row[..offset_row.len.min(shared).min(row.len())]
    }

    /// Prefetches the shared entries.
    #[inline(always)]
    pub(crate) fn prefetch(&self, labels: &Labels, shared: usize) {
        for offset_row in self.rows() {
            prefetch(self.row(labels, offset_row, shared));
        }
    }

    /// Prefetches what [`start`](Self::start) reads.
    #[inline(always)]
    pub(crate) fn prefetch_path_starts(&self, labels: &Labels, group: &AccessGroup, shared: usize) {
        let Some(cache) = &labels.cache else { return };
        for access in group.nodes() {
            let border = labels.hops.exits.border(access.home.region).len();
            prefetch(cache.leaf_paths.of(self.direction, access.home, border));
        }
        if labels.layout.covers_leaves() {
            for offset_row in self.rows() {
                let entries = offset_row.start..offset_row.start + offset_row.len.min(shared);
                prefetch(cache.first_borders.range(self.direction, entries));
            }
        }
    }

    /// Combines all rows: the least cost to each hub.
    fn add_up(&mut self, labels: &Labels, shared: usize) {
        let mut least = std::mem::take(&mut self.least);
        least.clear();
        least.resize(shared, UNREACHABLE);
        for offset_row in self.rows() {
            relax_row(&mut least, self.row(labels, offset_row, shared), offset_row.cost);
        }
        self.least = least;
    }

    /// The least sum with the costs of the other endpoint.
    pub(crate) fn least_with(&self, labels: &Labels, costs: &[Cost]) -> Cost {
        let sums = self.rows().iter().map(|offset_row| {
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
        let cost = |offset_row: &&OffsetRow| {
            let rest = self.row(labels, offset_row, usize::MAX).get(entry);
            rest.map_or(UNREACHABLE, |rest| rest.saturating_add(offset_row.cost))
        };
        let offset_row = self.rows().iter().min_by_key(cost)?;
        let access = group.nodes().nth(offset_row.access)?;
        let start = PathStart { access, border: None, rank: offset_row.rank };
        if offset_row.of_border {
            let mut ranks = labels.hops.exits.border(access.home.region).iter();
            let border = ranks.position(|&rank| rank == offset_row.rank)?;
            return Some(PathStart { border: Some(border), ..start });
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
    from: &EndpointLabels,
    to: &EndpointLabels,
    shared: usize,
) -> Cost {
    let costs = [from, to].map(|side| &**labels.costs.of(side.direction));
    match (from.rows(), to.rows()) {
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
        (a, b) => join_rows(costs, [a, b], 0..shared).0,
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
    from: &EndpointLabels,
    to: &EndpointLabels,
    shared: usize,
) -> Option<(Cost, usize)> {
    let costs = [from, to].map(|side| &**labels.costs.of(side.direction));
    let (cost, entry) = join_rows(costs, [from.rows(), to.rows()], 0..shared);
    (cost != UNREACHABLE).then_some((cost, entry))
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
