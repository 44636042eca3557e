//! Joining two sets of accesses by their hub labels: the least sum over the hubs common to both
//! sets.
//!
//! Labels of subgoals in different branches of the tree share the entries above the fork. First all
//! accesses of both sets are joined over the entries that all share. Then, for each side of the
//! fork with accesses from both sets, these are joined over what they share beyond it. Among
//! entries with the least sum the first wins. No shortest path goes above that hub, so its hops
//! exist.

use super::{HubLabels, LINE, LabelHead, SubgoalId};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::{HasRow, RaisedRow, meet};

/// With so few accesses, pruning costs more than it saves.
pub(crate) const FEW_ACCESSES: usize = 8;

/// A subgoal that an endpoint of the path is connected to, with the cost to get there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    /// From the label's head: the path to the region in the tree, the first line of the label, and
    /// its length.
    code: u64,
    line: u32,
    len: u32,
    pub(crate) number: SubgoalId,
    pub(crate) cost: Cost,
    /// A lower bound on every path through this access.
    pub(crate) bound: Cost,
    /// The depth of the region.
    depth: u8,
}

impl Access {
    #[inline(always)]
    pub(crate) fn new(head: &LabelHead, number: SubgoalId, cost: Cost, bound: Cost) -> Self {
        let &LabelHead { code, line, len, depth, .. } = head;
        Self { code, line, len, number, cost, bound, depth }
    }

    /// The turns on the path to the region, one bit each: those to the first child, and those to
    /// the second.
    #[inline(always)]
    fn turns(&self) -> [u64; 2] {
        let below = u64::MAX.checked_shr(u32::from(self.depth)).unwrap_or(0);
        [!(self.code | below), self.code]
    }
}

impl HasRow for Access {
    #[inline(always)]
    fn row(&self) -> RaisedRow {
        RaisedRow { start: self.line as usize * LINE, len: self.len as usize, add: self.cost }
    }
}

/// The hub where two sets meet at the least cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestHub {
    pub(crate) cost: Cost,
    pub(crate) entry: usize,
    /// The subgoals on both sides through which the path goes.
    pub(crate) accesses: [SubgoalId; 2],
}

/// Prefetches the labels that [`prune`] and [`join`] read first.
#[inline(always)]
pub(crate) fn prefetch_first(labels: &HubLabels, sides: [&[Access]; 2]) {
    let few = sides[0].len() + sides[1].len() <= FEW_ACCESSES;
    for accesses in sides {
        match few {
            true => labels.prefetch_all(accesses),
            false => labels.prefetch_all(least(accesses).as_slice()),
        }
    }
}

/// Removes the accesses that the path over the two most promising ones rules out.
#[inline(always)]
pub(crate) fn prune(labels: &HubLabels, [near, far]: [&mut Vec<Access>; 2]) {
    if near.len() + far.len() <= FEW_ACCESSES {
        return;
    }
    if let (Some(from), Some(to)) = (least(near), least(far)) {
        let known = cost_over(labels, [from, to]);
        for accesses in [near, far] {
            let kept = partition(accesses, |access| access.bound <= known);
            accesses.truncate(kept);
            labels.prefetch_all(accesses);
        }
    }
}

/// The least cost over one access per side.
#[inline(always)]
pub(crate) fn cost_over(labels: &HubLabels, [from, to]: [Access; 2]) -> Cost {
    match SharedEntries::of(labels, &[from], &[to]) {
        Some(shared) => meet([labels.costs(); 2], [&[from], &[to]], 0..shared.entries).0,
        None => UNREACHABLE,
    }
}

/// The most promising access.
fn least(accesses: &[Access]) -> Option<Access> {
    accesses.iter().min_by_key(|access| access.bound).copied()
}

/// The hub where the sets meet at the least cost.
pub(crate) fn join(labels: &HubLabels, [near, far]: [&mut [Access]; 2]) -> Option<BestHub> {
    let mut best = None;
    join_from(labels, near, far, 0, &mut best);
    best
}

/// Joins two sets over the entries from `low` on that all share, then the parts on each side of the
/// fork.
fn join_from(
    labels: &HubLabels,
    near: &mut [Access],
    far: &mut [Access],
    low: usize,
    best: &mut Option<BestHub>,
) {
    let Some(shared) = SharedEntries::of(labels, near, far) else { return };
    let (cost, entry) = meet([labels.costs(); 2], [near, far], low..shared.entries);
    if cost < best.map_or(UNREACHABLE, |best| best.cost)
        && let (Some(from), Some(to)) =
            (first_through(labels, near, entry), first_through(labels, far, entry))
    {
        *best = Some(BestHub { cost, entry, accesses: [from, to] });
    }
    for turn in shared.turns() {
        let [near, far] = shared.split(near, far, turn);
        join_from(labels, near, far, shared.entries, best);
    }
}

/// The first access over which an entry costs least.
fn first_through(labels: &HubLabels, accesses: &[Access], entry: usize) -> Option<SubgoalId> {
    let mut best = u64::MAX;
    for (at, access) in (0..).zip(accesses) {
        let RaisedRow { start, len, add } = access.row();
        let rest = labels.costs().get(start + entry).filter(|_| entry < len);
        let cost = rest.map_or(UNREACHABLE, |rest| rest.saturating_add(add));
        best = best.min(u64::from(cost) << 32 | at);
    }
    accesses.get(best as u32 as usize).map(|access| access.number)
}

/// A set of accesses as a whole.
struct AccessSummary {
    /// The turns to either child on the path to the region of any access.
    turns: [u64; 2],
    /// The length of the longest label.
    longest: u32,
    /// The depth of the deepest region, and a subgoal in it.
    deepest: (u8, SubgoalId),
}

impl AccessSummary {
    #[inline(always)]
    fn of(accesses: &[Access]) -> Self {
        let (mut turns, mut longest, mut deepest) = ([0; 2], 0, 0);
        for access in accesses {
            let [first, second] = access.turns();
            turns = [turns[0] | first, turns[1] | second];
            longest = access.len.max(longest);
            deepest = (u64::from(access.depth) << 32 | u64::from(access.number)).max(deepest);
        }
        Self { turns, longest, deepest: ((deepest >> 32) as u8, deepest as SubgoalId) }
    }
}

/// What all accesses of two sets have in common.
pub(crate) struct SharedEntries<'a> {
    /// A subgoal in the deepest region.
    pub(crate) deepest: &'a LabelHead,
    /// The depth of the first fork between their regions, or [`NO_FORK`].
    fork: u32,
    /// The turns at the fork that both sets take.
    both: [bool; 2],
    /// The number of leading entries that matter in all labels.
    pub(crate) entries: usize,
}

/// Deeper than any region.
const NO_FORK: u32 = u64::BITS;

impl<'a> SharedEntries<'a> {
    /// `None` if one of the sets is empty.
    #[inline(always)]
    pub(crate) fn of(labels: &'a HubLabels, near: &[Access], far: &[Access]) -> Option<Self> {
        if near.is_empty() || far.is_empty() {
            return None;
        }
        let (near, far) = (AccessSummary::of(near), AccessSummary::of(far));
        // At the first depth where both turns occur, all regions that are as deep have the same
        // path.
        let some = [0, 1].map(|turn| near.turns[turn] | far.turns[turn]);
        let fork = (some[0] & some[1]).leading_zeros();
        let deepest = labels.head(near.deepest.max(far.deepest).1);
        let mut entries = near.longest.min(far.longest) as usize;
        let mut both = [false; 2];
        if fork != NO_FORK {
            entries = entries.min(labels.shared(deepest, fork));
            both = [0, 1].map(|turn| (near.turns[turn] & far.turns[turn]) << fork >> 63 != 0);
        }
        Some(Self { deepest, fork, both, entries })
    }

    /// The sides of the fork on which both sets have accesses.
    pub(crate) fn turns(&self) -> impl Iterator<Item = usize> + use<> {
        let both = self.both;
        (0..2).filter(move |&turn| both[turn])
    }

    /// Moves the accesses on one side of the fork to the front and returns them.
    pub(crate) fn split<'t>(
        &self,
        near: &'t mut [Access],
        far: &'t mut [Access],
        turn: usize,
    ) -> [&'t mut [Access]; 2] {
        [near, far].map(|accesses| {
            let count = partition(accesses, |access| {
                access.turns()[turn] << (self.fork % NO_FORK) >> 63 != 0
            });
            &mut accesses[..count]
        })
    }
}

/// Moves the elements that match to the front and returns their number. Branchless, because the
/// predicate is unpredictable.
#[inline(always)]
fn partition(accesses: &mut [Access], fits: impl Fn(&Access) -> bool) -> usize {
    let mut count = 0;
    for at in 0..accesses.len() {
        let fits = fits(&accesses[at]);
        accesses.swap(count, at);
        count += usize::from(fits);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::separator_tree::SeparatorTree;
    use crate::atlas::uniform::subgoals::{Reduction, Subgoals};
    use crate::graph::NodeId;
    use crate::grid::Grid;
    use crate::random::Random;

    /// Labels without costs over a random tree, one subgoal per region.
    fn labels(random: &mut Random) -> (SeparatorTree, HubLabels) {
        let grid = Grid::from_fn(60, 40, |x, y| x % 4 != 1 || y % 4 != 1).unwrap();
        let subgoals = Subgoals::new(&grid, Reduction::Taut);
        let mut nodes = subgoals.all();
        let mut children = vec![2];
        let (mut open, at_once) = (2, 1 + random.below(40));
        while open > 0 {
            let count = if children.len() < 300 && random.below(at_once) < 20 { 2 } else { 0 };
            children.push(count);
            open = open + count - 1;
        }
        let tree = SeparatorTree::new(children).unwrap();
        let members: Vec<Vec<NodeId>> =
            (0..tree.len()).map(|_| nodes.next().into_iter().collect()).collect();
        let labels = HubLabels::with_layout(&tree, &members, &subgoals).unwrap();
        (tree, labels)
    }

    #[test]
    fn sets_fork_where_the_first_pair_does() {
        let mut random = Random::new(9);
        for _ in 0..300 {
            let (tree, labels) = labels(&mut random);
            let mut set = || -> Vec<Access> {
                let mut access = || {
                    let number = random.below(labels.heads.len() as u64) as SubgoalId;
                    Access::new(labels.head(number), number, 0, 0)
                };
                (0..1 + access().number % 5).map(|_| access()).collect()
            };
            let (mut near, mut far) = (set(), set());
            let all: Vec<SubgoalId> = near.iter().chain(&far).map(|access| access.number).collect();
            let depth = |number: SubgoalId| tree.node(number).depth;
            let part = |&a: &SubgoalId, &b: &SubgoalId| {
                let common = tree.common_depth(a, b);
                (common < depth(a) && common < depth(b)).then_some(common)
            };
            let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
            let fork = pairs.filter_map(|(a, b)| part(a, b)).min();
            let shared = SharedEntries::of(&labels, &near, &far).unwrap();
            assert_eq!((shared.fork != NO_FORK).then_some(shared.fork), fork);
            let longest = |accesses: &[Access]| {
                accesses.iter().map(|access| access.len).max().unwrap() as usize
            };
            // One subgoal per region, so there is one entry per depth.
            let above = fork.map_or(usize::MAX, |fork| fork as usize + 1);
            assert_eq!(shared.entries, longest(&near).min(longest(&far)).min(above));
            for turn in 0..2 {
                let lies_there = |access: &Access| {
                    let side = tree.code(access.number) << fork.unwrap_or(0) >> 63;
                    fork.is_some_and(|fork| depth(access.number) > fork) && side as usize == turn
                };
                let count = |accesses: &[Access]| {
                    accesses.iter().filter(|access| lies_there(access)).count()
                };
                let expected = [count(&near), count(&far)];
                let both = fork.is_some() && expected.iter().all(|&count| count > 0);
                assert_eq!(shared.turns().any(|other| other == turn), both);
                if fork.is_some() {
                    let parts = shared.split(&mut near, &mut far, turn);
                    assert!(parts.iter().all(|accesses| accesses.iter().all(lies_there)));
                    assert_eq!(parts.map(|accesses| accesses.len()), expected);
                }
            }
        }
    }
}
