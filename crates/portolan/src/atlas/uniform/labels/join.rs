//! Joining two sets of subgoals by their rows: the least sum over the entries that members of both
//! sets have.
//!
//! Members whose regions part share the entries above the place where they do. All of both sets are
//! joined over what all share; then those on either side of that place, where both sets have some,
//! over what these share beyond it. Of several entries with the least sum the first is taken, which
//! no way to it comes above, so that its hops are known.

use super::{Head, LINE, Number, Rows};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::{HasRow, Raised, meet};

/// Among so few ties it is not worth while to find out which are of no use.
pub(crate) const FEW: usize = 8;

/// A subgoal, by a number that the rows have, which an end of the path is tied to, and what it
/// costs to get there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tie {
    /// From the head of its row: the way to its region, where the row starts, in lines, and how
    /// long it is.
    code: u64,
    line: u32,
    len: u32,
    pub(crate) number: Number,
    pub(crate) cost: Cost,
    /// No path through it costs less.
    pub(crate) bound: Cost,
    /// How deep its region lies.
    depth: u8,
}

impl Tie {
    #[inline(always)]
    pub(crate) fn new(head: &Head, number: Number, cost: Cost, bound: Cost) -> Self {
        let &Head { code, line, len, depth, .. } = head;
        Self { code, line, len, number, cost, bound, depth }
    }

    /// The turns on the way to its region, one bit each: those to the first side, and those to the
    /// second.
    #[inline(always)]
    fn turns(&self) -> [u64; 2] {
        let below = u64::MAX.checked_shr(u32::from(self.depth)).unwrap_or(0);
        [!(self.code | below), self.code]
    }
}

impl HasRow for Tie {
    #[inline(always)]
    fn row(&self) -> Raised {
        Raised { start: self.line as usize * LINE, len: self.len as usize, add: self.cost }
    }
}

/// Where two sets met.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting {
    pub(crate) cost: Cost,
    pub(crate) entry: usize,
    /// The ties on either side through which the way goes.
    pub(crate) ties: [Number; 2],
}

/// Asks for the rows that are read first, of ties that are to be pruned.
#[inline(always)]
pub(crate) fn ask_for_first(rows: &Rows, sides: [&[Tie]; 2]) {
    let few = sides[0].len() + sides[1].len() <= FEW;
    for ties in sides {
        match few {
            true => rows.ask_for_all(ties),
            false => rows.ask_for_all(least(ties).as_slice()),
        }
    }
}

/// Of many members takes out those that the way over the most promising two rules out.
#[inline(always)]
pub(crate) fn prune(rows: &Rows, [near, far]: [&mut Vec<Tie>; 2]) {
    if near.len() + far.len() <= FEW {
        return;
    }
    if let (Some(from), Some(to)) = (least(near), least(far)) {
        let known = over(rows, [from, to]);
        for ties in [near, far] {
            let kept = gather(ties, |tie| tie.bound <= known);
            ties.truncate(kept);
            rows.ask_for_all(ties);
        }
    }
}

/// The least cost over one tie of each side.
#[inline(always)]
pub(crate) fn over(rows: &Rows, [from, to]: [Tie; 2]) -> Cost {
    match Shared::of(rows, &[from], &[to]) {
        Some(shared) => meet(rows.costs(), [&[from], &[to]], 0..shared.entries).0,
        None => UNREACHABLE,
    }
}

/// The most promising tie.
fn least(ties: &[Tie]) -> Option<Tie> {
    ties.iter().min_by_key(|tie| tie.bound).copied()
}

/// Where the sets meet at the least cost.
pub(crate) fn join(rows: &Rows, [near, far]: [&mut [Tie]; 2]) -> Option<Meeting> {
    let mut best = None;
    join_from(rows, near, far, 0, &mut best);
    best
}

/// Joins two sets over the entries from `low` on that all members share, and then parts of them.
fn join_from(
    rows: &Rows,
    near: &mut [Tie],
    far: &mut [Tie],
    low: usize,
    best: &mut Option<Meeting>,
) {
    let Some(shared) = Shared::of(rows, near, far) else { return };
    let (cost, entry) = meet(rows.costs(), [near, far], low..shared.entries);
    if cost < best.map_or(UNREACHABLE, |best| best.cost)
        && let (Some(from), Some(to)) = (through(rows, near, entry), through(rows, far, entry))
    {
        *best = Some(Meeting { cost, entry, ties: [from, to] });
    }
    for turn in shared.turns() {
        let [near, far] = shared.part(near, far, turn);
        join_from(rows, near, far, shared.entries, best);
    }
}

/// The first of the ties over which an entry costs least.
fn through(rows: &Rows, ties: &[Tie], entry: usize) -> Option<Number> {
    let mut best = u64::MAX;
    for (at, tie) in (0..).zip(ties) {
        let Raised { start, len, add } = tie.row();
        let rest = rows.costs().get(start + entry).filter(|_| entry < len);
        let cost = rest.map_or(UNREACHABLE, |rest| rest.saturating_add(add));
        best = best.min(u64::from(cost) << 32 | at);
    }
    ties.get(best as u32 as usize).map(|tie| tie.number)
}

/// What matters of a set of ties as a whole.
struct Summary {
    /// The turns to either side on the way to the region of any of them.
    turns: [u64; 2],
    /// The length of the longest row.
    longest: u32,
    /// The depth of the region that lies deepest, and the number of a tie in it.
    deepest: (u8, Number),
}

impl Summary {
    #[inline(always)]
    fn of(ties: &[Tie]) -> Self {
        let (mut turns, mut longest, mut deepest) = ([0; 2], 0, 0);
        for tie in ties {
            let [first, second] = tie.turns();
            turns = [turns[0] | first, turns[1] | second];
            longest = tie.len.max(longest);
            deepest = (u64::from(tie.depth) << 32 | u64::from(tie.number)).max(deepest);
        }
        Self { turns, longest, deepest: ((deepest >> 32) as u8, deepest as Number) }
    }
}

/// What all members of two sets have in common.
pub(crate) struct Shared<'a> {
    /// One whose region lies deepest.
    pub(crate) deepest: &'a Head,
    /// The depth at which the regions of some part; [`NO_FORK`] where none do.
    fork: u32,
    /// The turns there that members of both sets take.
    both: [bool; 2],
    /// How many entries all rows have that matter, from the first on.
    pub(crate) entries: usize,
}

/// Deeper than any region.
const NO_FORK: u32 = u64::BITS;

impl<'a> Shared<'a> {
    /// `None` where one of the sets has no members.
    #[inline(always)]
    pub(crate) fn of(rows: &'a Rows, near: &[Tie], far: &[Tie]) -> Option<Self> {
        if near.is_empty() || far.is_empty() {
            return None;
        }
        let (near, far) = (Summary::of(near), Summary::of(far));
        // Where some turn one way and some the other for the first time, all others that go so deep
        // have come along.
        let some = [0, 1].map(|turn| near.turns[turn] | far.turns[turn]);
        let fork = (some[0] & some[1]).leading_zeros();
        let deepest = rows.head(near.deepest.max(far.deepest).1);
        let mut entries = near.longest.min(far.longest) as usize;
        let mut both = [false; 2];
        if fork != NO_FORK {
            entries = entries.min(rows.shared(deepest, fork));
            both = [0, 1].map(|turn| (near.turns[turn] & far.turns[turn]) << fork >> 63 != 0);
        }
        Some(Self { deepest, fork, both, entries })
    }

    /// The sides of the fork on which both sets have members.
    pub(crate) fn turns(&self) -> impl Iterator<Item = usize> + use<> {
        let both = self.both;
        (0..2).filter(move |&turn| both[turn])
    }

    /// The members on one side of the fork, which come to the front.
    pub(crate) fn part<'t>(
        &self,
        near: &'t mut [Tie],
        far: &'t mut [Tie],
        turn: usize,
    ) -> [&'t mut [Tie]; 2] {
        [near, far].map(|ties| {
            let count = gather(ties, |tie| tie.turns()[turn] << (self.fork % NO_FORK) >> 63 != 0);
            &mut ties[..count]
        })
    }
}

/// Brings those that fit to the front; returns how many. Branchless, because the predicate is
/// unpredictable.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::separator_tree::SeparatorTree;
    use crate::atlas::uniform::subgoals::{Reduction, Subgoals};
    use crate::graph::NodeId;
    use crate::grid::Grid;
    use crate::random::Random;

    /// Rows without costs over a drawn tree, one subgoal in each region.
    fn rows(random: &mut Random) -> (SeparatorTree, Rows) {
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
        let rows = Rows::laid_out(&tree, &members, &subgoals).unwrap();
        (tree, rows)
    }

    #[test]
    fn sets_part_where_the_first_two_do() {
        let mut random = Random::new(9);
        for _ in 0..300 {
            let (tree, rows) = rows(&mut random);
            let mut set = || -> Vec<Tie> {
                let mut tie = || {
                    let number = random.below(rows.heads.len() as u64) as Number;
                    Tie::new(rows.head(number), number, 0, 0)
                };
                (0..1 + tie().number % 5).map(|_| tie()).collect()
            };
            let (mut near, mut far) = (set(), set());
            let all: Vec<Number> = near.iter().chain(&far).map(|tie| tie.number).collect();
            let depth = |number: Number| tree.node(number).depth;
            let part = |&a: &Number, &b: &Number| {
                let common = tree.common_depth(a, b);
                (common < depth(a) && common < depth(b)).then_some(common)
            };
            let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
            let fork = pairs.filter_map(|(a, b)| part(a, b)).min();
            let shared = Shared::of(&rows, &near, &far).unwrap();
            assert_eq!((shared.fork != NO_FORK).then_some(shared.fork), fork);
            let longest = |ties: &[Tie]| ties.iter().map(|tie| tie.len).max().unwrap() as usize;
            // One subgoal in each region: above and in the one at the fork lie so many.
            let above = fork.map_or(usize::MAX, |fork| fork as usize + 1);
            assert_eq!(shared.entries, longest(&near).min(longest(&far)).min(above));
            for turn in 0..2 {
                let lies_there = |tie: &Tie| {
                    let side = tree.code(tie.number) << fork.unwrap_or(0) >> 63;
                    fork.is_some_and(|fork| depth(tie.number) > fork) && side as usize == turn
                };
                let count = |ties: &[Tie]| ties.iter().filter(|tie| lies_there(tie)).count();
                let expected = [count(&near), count(&far)];
                let both = fork.is_some() && expected.iter().all(|&count| count > 0);
                assert_eq!(shared.turns().any(|other| other == turn), both);
                if fork.is_some() {
                    let parts = shared.part(&mut near, &mut far, turn);
                    assert!(parts.iter().all(|ties| ties.iter().all(lies_there)));
                    assert_eq!(parts.map(|ties| ties.len()), expected);
                }
            }
        }
    }
}
