//! Joining two sets of accesses by their compact labels.
//!
//! The entries are selected as in `labels/join.rs`, and read stretch by stretch. A stretch is
//! skipped if the octile distances to both endpoints exceed the best cost so far. An access is
//! skipped if it is too far from the stretch. The stretch with the least bound comes first, so that
//! the best cost is small early.

use super::codebook::{NONE, RARE, UNKNOWN};
use super::positions::{EntryRange, PackedCell, STRETCH};
use super::{CompactLabels, CompactScratch};
use crate::atlas::uniform::labels::join::{Access, BestHub, SharedEntries};
use crate::atlas::uniform::labels::{HubLabels, LabelHead, SubgoalId};
use crate::atlas::uniform::subgoals::PaddedCell;
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::{HasRow, octiles, relax_codes};

/// An unknown entry might give a shorter path than the known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnknownEntry;

impl CompactLabels {
    /// The hub where the sets meet at the least cost; `ends` are the cells of start and goal.
    pub(crate) fn join(
        &self,
        labels: &HubLabels,
        ends: [PaddedCell; 2],
        [near, far]: [&mut [Access]; 2],
        CompactScratch { ranges, .. }: &mut CompactScratch,
    ) -> Result<Option<BestHub>, UnknownEntry> {
        let ends = ends.map(PackedCell::of);
        near.sort_unstable_by_key(|access| self.bound(access, ends[1]));
        far.sort_unstable_by_key(|access| self.bound(access, ends[0]));
        let mut joined =
            CompactJoin { compact: self, labels, ends, best: None, unknown_bound: UNREACHABLE };
        joined.join(near, far, 0, ranges);
        match joined.best {
            Some(best) if joined.unknown_bound < best.cost => Err(UnknownEntry),
            None if joined.unknown_bound != UNREACHABLE => Err(UnknownEntry),
            best => Ok(best),
        }
    }

    /// Sort key: a lower bound on paths over an access to the other endpoint. The best come first
    /// and rule out others.
    fn bound(&self, access: &Access, other: PackedCell) -> (Cost, SubgoalId) {
        (access.cost.saturating_add(self.positions.of(access.number).octile(other)), access.number)
    }

    /// The cost between a subgoal and the hub of an entry of its label.
    #[inline(always)]
    pub(crate) fn cost(&self, number: SubgoalId, hub: SubgoalId, entry: usize) -> Option<Cost> {
        match *self.filled.bytes.get(self.start(number)? + entry)? {
            RARE => self.rare(number, entry),
            code => {
                let surplus = self.codebook.surplus[usize::from(code)];
                Some(self.positions.octile(number, hub).saturating_add(surplus))
            }
        }
    }

    /// A rare cost. The list has those of a label in the order of its entries.
    #[cold]
    fn rare(&self, number: SubgoalId, entry: usize) -> Option<Cost> {
        let start = self.start(number)?;
        let before = self.filled.bytes.get(start..start + entry)?;
        let rank = before.iter().filter(|&&code| code == RARE).count();
        let first = *self.filled.first_rare.get(number as usize)? as usize;
        self.filled.rare.get(first + rank).copied()
    }
}

struct CompactJoin<'a> {
    compact: &'a CompactLabels,
    labels: &'a HubLabels,
    ends: [PackedCell; 2],
    best: Option<BestHub>,
    /// A lower bound on paths over unknown entries.
    unknown_bound: Cost,
}

impl CompactJoin<'_> {
    /// Joins two sets over the entries from `low` on that all share, then the parts on each side of
    /// the fork.
    fn join(
        &mut self,
        near: &mut [Access],
        far: &mut [Access],
        low: usize,
        ranges: &mut Vec<(Cost, EntryRange)>,
    ) {
        let Some(shared) = SharedEntries::of(self.labels, near, far) else { return };
        if shared.entries > low {
            self.join_entries(near, far, shared.deepest, low..shared.entries, ranges);
        }
        for turn in shared.turns() {
            let [near, far] = shared.split(near, far, turn);
            self.join(near, far, shared.entries, ranges);
        }
    }

    fn join_entries(
        &mut self,
        near: &[Access],
        far: &[Access],
        deepest: &LabelHead,
        entries: std::ops::Range<usize>,
        ranges: &mut Vec<(Cost, EntryRange)>,
    ) {
        ranges.clear();
        let [start, goal] = self.ends;
        let known = self.best_cost();
        self.compact.positions.ranges(self.labels, deepest, entries, |range| {
            let bound = range.bounds.octile(start).saturating_add(range.bounds.octile(goal));
            if bound <= known {
                ranges.push((bound, range));
            }
        });
        let Some(first) = (0..ranges.len()).min_by_key(|&at| ranges[at].0) else { return };
        self.search_range(near, far, &ranges[first].1);
        for (at, (bound, range)) in ranges.iter().enumerate() {
            if at != first && *bound <= self.best_cost() {
                self.search_range(near, far, range);
            }
        }
    }

    fn best_cost(&self) -> Cost {
        self.best.map_or(UNREACHABLE, |best| best.cost)
    }

    /// Searches a range of entries for a better path, or an equally good one over an earlier entry.
    fn search_range(&mut self, near: &[Access], far: &[Access], range: &EntryRange) {
        let Some(hubs) = self.compact.positions.stretch(range.number) else { return };
        let known = self.best_cost();
        // The cost from which on a hub is useless.
        let useless_from = |beyond: Cost| known.saturating_sub(beyond).saturating_add(1);
        let limits = octiles(hubs, self.ends[0].0, 0).map(useless_from);
        let Some(b) = self.least_costs(far, range, hubs, limits) else { return };
        let Some(a) = self.least_costs(near, range, hubs, b.map(useless_from)) else { return };
        let sums: [Cost; STRETCH] = std::array::from_fn(|at| a[at].saturating_add(b[at]));
        let least = sums[..range.len].iter().copied().min().unwrap_or(UNREACHABLE);
        let Some(place) = sums.iter().position(|&sum| sum == least) else { return };
        let entry = range.entry + place;
        let better = match self.best {
            None => least != UNREACHABLE,
            Some(best) => (least, entry) < (best.cost, best.entry),
        };
        if !better {
            return;
        }
        let hub = range.number + place as SubgoalId;
        let through = |accesses: &[Access], sum: Cost| {
            let fits = |access: &&Access| {
                let rest = self.cost(access, hub, entry);
                rest.is_some_and(|rest| rest.saturating_add(access.cost) == sum)
            };
            accesses.iter().find(fits).map(|access| access.number)
        };
        if let (Some(from), Some(to)) = (through(near, a[place]), through(far, b[place])) {
            self.best = Some(BestHub { cost: least, entry, accesses: [from, to] });
        }
    }

    fn cost(&self, access: &Access, hub: SubgoalId, entry: usize) -> Option<Cost> {
        let within = entry < access.row().len;
        within.then(|| self.compact.cost(access.number, hub, entry))?
    }

    /// The least cost to each hub of a range over all accesses, where it is below `limits`;
    /// otherwise [`UNREACHABLE`]. `None` if no hub has a useful cost.
    #[inline(always)]
    fn least_costs(
        &mut self,
        accesses: &[Access],
        range: &EntryRange,
        hubs: &[u32; STRETCH],
        mut limits: [Cost; STRETCH],
    ) -> Option<[Cost; STRETCH]> {
        let CompactLabels { positions, codebook, filled, .. } = self.compact;
        limits[range.len..].fill(0);
        let mut sums = limits;
        for access in accesses {
            let costs = octiles(hubs, positions.of(access.number).0, access.cost);
            let of_use = (0..STRETCH).fold(false, |found, at| found | (costs[at] < sums[at]));
            if !of_use {
                continue;
            }
            let row = access.row();
            let len = row.len.saturating_sub(range.entry).min(STRETCH);
            let from = row.start + range.entry;
            let Some(bytes) = filled.bytes.get(from..from + len) else { continue };
            let mut row = [NONE; STRETCH];
            match bytes.first_chunk() {
                Some(bytes) => row = *bytes,
                // Bytes behind the end of a label belong to the next.
                None => row[..len].copy_from_slice(bytes),
            }
            relax_codes(&mut sums, &costs, &row, &codebook.surplus);
            if row.iter().fold(false, |found, &code| found | (code == RARE || code == UNKNOWN)) {
                self.add_rare_and_unknown(access, range, &row, &costs, &mut sums);
            }
        }
        let mut any = false;
        for (sum, limit) in sums.iter_mut().zip(limits) {
            let of_use = *sum < limit;
            any |= of_use;
            *sum = if of_use { *sum } else { UNREACHABLE };
        }
        any.then_some(sums)
    }

    /// Adds the entries without a surplus.
    #[cold]
    fn add_rare_and_unknown(
        &mut self,
        access: &Access,
        range: &EntryRange,
        row: &[u8; STRETCH],
        costs: &[Cost; STRETCH],
        sums: &mut [Cost; STRETCH],
    ) {
        for at in 0..range.len {
            let hub = range.number + at as SubgoalId;
            if costs[at] >= sums[at] {
                continue;
            }
            if row[at] == UNKNOWN {
                let ends = self.ends.map(|end| self.compact.positions.of(hub).octile(end));
                self.unknown_bound = self.unknown_bound.min(ends[0].saturating_add(ends[1]));
            } else if row[at] == RARE
                && let Some(rest) = self.cost(access, hub, range.entry + at)
            {
                sums[at] = sums[at].min(rest.saturating_add(access.cost));
            }
        }
    }
}
