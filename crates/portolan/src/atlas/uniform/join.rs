//! Joining two sets of subgoals by their rows: the least sum over the entries that members of both sets have.
//!
//! Members whose regions part share the entries above the place where they do. All of both sets are joined over
//! what all share; then those on either side of that place, where both sets have some, over what these share
//! beyond it. Of several entries with the least sum the first is taken, which no way to it comes above, so that its
//! hops are known.

use super::rows::{Head, Number, Rows};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::{least_sum, place_of_sum, relax_row};

/// Among so few ties it is not worth while to find out which are of no use.
pub(super) const FEW: usize = 8;

/// Entries of rows are taken so many at once.
const BATCH: usize = 8;

/// A subgoal, by a number that the rows have, which an end of the path is tied to, and what it costs to get there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tie {
    pub(super) number: Number,
    pub(super) cost: Cost,
    /// No path through it costs less.
    pub(super) bound: Cost,
}

/// Where two sets met.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    pub(super) cost: Cost,
    pub(super) entry: usize,
    /// The ties on either side through which the way goes.
    pub(super) ties: [Number; 2],
}

/// Room to add rows up, one of each side.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    sums: [Vec<Cost>; 2],
}

impl Joiner {
    /// Asks for the rows that are read first, of ties that are to be pruned.
    #[inline(always)]
    pub(super) fn ask_for(rows: &Rows, sides: [&[Tie]; 2]) {
        let few = sides[0].len() + sides[1].len() <= FEW;
        for ties in sides {
            match few {
                true => rows.ask_for(ties),
                false => rows.ask_for(least(ties).as_slice()),
            }
        }
    }

    /// Of many members takes out those that the way over the most promising two rules out.
    #[inline(always)]
    pub(super) fn prune(rows: &Rows, [near, far]: [&mut Vec<Tie>; 2]) {
        if near.len() + far.len() <= FEW {
            return;
        }
        if let (Some(from), Some(to)) = (least(near), least(far)) {
            let known = over(rows, [from, to]);
            for ties in [near, far] {
                let kept = gather(ties, |tie| tie.bound <= known);
                ties.truncate(kept);
                rows.ask_for(ties);
            }
        }
    }

    /// Where the sets meet at the least cost.
    pub(super) fn meet(&mut self, rows: &Rows, [near, far]: [&mut Vec<Tie>; 2]) -> Option<Meeting> {
        let mut best = None;
        if !near.is_empty() && !far.is_empty() {
            let joining = Joining { rows, costs: rows.costs() };
            joining.join(self, near, far, 0, &mut best);
        }
        best
    }
}

/// The least cost over one tie of each side.
#[inline(always)]
pub(super) fn over(rows: &Rows, [from, to]: [Tie; 2]) -> Cost {
    let Some(shared) = Shared::of(rows, &[from], &[to]) else { return UNREACHABLE };
    let row = |tie: Tie| &rows.costs()[rows.head(tie.number).range()][..shared.entries];
    let ends = from.cost.saturating_add(to.cost);
    least_sum(row(from), row(to)).saturating_add(ends)
}

/// The most promising tie.
fn least(ties: &[Tie]) -> Option<Tie> {
    ties.iter().min_by_key(|tie| tie.bound).copied()
}

struct Joining<'a> {
    rows: &'a Rows,
    costs: &'a [Cost],
}

impl Joining<'_> {
    /// Joins two sets over the entries from `low` on that all members share, and then parts of them.
    fn join(
        &self,
        room: &mut Joiner,
        near: &mut [Tie],
        far: &mut [Tie],
        low: usize,
        best: &mut Option<Meeting>,
    ) {
        let Some(shared) = Shared::of(self.rows, near, far) else { return };
        if shared.entries > low {
            self.join_entries(room, near, far, low..shared.entries, best);
        }
        for turn in 0..2 {
            let [a, b] = shared.part(near, far, turn);
            if a > 0 && b > 0 {
                self.join(room, &mut near[..a], &mut far[..b], shared.entries, best);
            }
        }
    }

    fn join_entries(
        &self,
        room: &mut Joiner,
        near: &[Tie],
        far: &[Tie],
        entries: std::ops::Range<usize>,
        best: &mut Option<Meeting>,
    ) {
        let [a, b] = &mut room.sums;
        self.add_up(near, &entries, a);
        self.add_up(far, &entries, b);
        a[entries.len()..].fill(UNREACHABLE);
        let cost = least_sum(a, b);
        let known = best.map_or(UNREACHABLE, |best| best.cost);
        if cost >= known {
            return;
        }
        let Some(place) = place_of_sum(a, b, cost) else { return };
        let entry = entries.start + place;
        let through = |ties: &[Tie], sum: Cost| {
            let fits = |tie: &&Tie| {
                let row = &self.costs[self.rows.head(tie.number).range()];
                row.get(entry).is_some_and(|&rest| rest.saturating_add(tie.cost) == sum)
            };
            ties.iter().find(fits).map(|tie| tie.number)
        };
        if let (Some(from), Some(to)) = (through(near, a[place]), through(far, b[place])) {
            *best = Some(Meeting { cost, entry, ties: [from, to] });
        }
    }

    /// The least cost to each entry over all ties, and some more without meaning: rows are read in whole batches.
    #[inline(always)]
    fn add_up(&self, ties: &[Tie], entries: &std::ops::Range<usize>, sums: &mut Vec<Cost>) {
        let whole = entries.len().next_multiple_of(BATCH);
        sums.clear();
        sums.resize(whole, UNREACHABLE);
        for tie in ties {
            let row = self.rows.head(tie.number).range();
            let start = entries.start.min(row.len());
            // What lies behind a row that is long enough does no harm.
            let end = if row.len() < entries.end { row.end } else { row.start + start + whole };
            let end = end.min(self.costs.len());
            relax_row(sums, &self.costs[row.start + start..end], tie.cost);
        }
    }
}

/// What all members of two sets have in common.
pub(super) struct Shared<'a> {
    rows: &'a Rows,
    /// One whose region lies deepest.
    pub(super) deepest: &'a Head,
    /// The depth at which the regions of some part, if any do.
    fork: Option<u32>,
    /// How many entries all rows have that matter, from the first on.
    pub(super) entries: usize,
}

impl<'a> Shared<'a> {
    /// `None` where there are no members.
    #[inline(always)]
    pub(super) fn of(rows: &'a Rows, near: &[Tie], far: &[Tie]) -> Option<Self> {
        let mut deepest = rows.head(near.first().or(far.first())?.number);
        let mut longest = [0, 0];
        for (ties, longest) in [near, far].into_iter().zip(&mut longest) {
            for tie in ties {
                let head = rows.head(tie.number);
                *longest = head.len.max(*longest);
                deepest = if head.depth > deepest.depth { head } else { deepest };
            }
        }
        let mut fork = NO_FORK;
        for tie in near.iter().chain(far) {
            fork = fork.min(parting(rows.head(tie.number), deepest));
        }
        let fork = (fork != NO_FORK).then_some(fork);
        let entries = longest[0].min(longest[1]) as usize;
        let entries = fork.map_or(entries, |fork| entries.min(rows.shared(deepest, fork)));
        Some(Self { rows, deepest, fork, entries })
    }

    /// Brings the members on one side of the fork to the front; returns how many of each set. None without a fork.
    #[inline(always)]
    pub(super) fn part(&self, near: &mut [Tie], far: &mut [Tie], turn: u64) -> [usize; 2] {
        let Some(fork) = self.fork else { return [0, 0] };
        let below = |tie: &Tie| {
            let head = self.rows.head(tie.number);
            (u32::from(head.depth) > fork) & (head.code >> (63 - fork) & 1 == turn)
        };
        [gather(near, below), gather(far, below)]
    }
}

const NO_FORK: u32 = u64::BITS;

/// The depth at which the way to a region leaves the way to another one, which does not lie above it; [`NO_FORK`] where it
/// does not.
#[inline(always)]
fn parting(head: &Head, deepest: &Head) -> u32 {
    let differing = head.code ^ deepest.code;
    // One bit more makes sure that there is one, and that no branch asks.
    let parts = (differing | 1).leading_zeros();
    let apart = (differing != 0) & (parts < u32::from(head.depth));
    if apart { parts } else { NO_FORK }
}

/// Brings those that fit to the front; returns how many. Without a branch: who fits is hard to foretell.
#[inline(always)]
fn gather(ties: &mut [Tie], fits: impl Fn(&Tie) -> bool) -> usize {
    let mut count = 0;
    for at in 0..ties.len() {
        let fits = fits(&ties[at]);
        ties.swap(count, at);
        count += usize::from(fits);
    }
    count
}
