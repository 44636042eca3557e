//! Removes lower subgoals from the leaves upward.
//!
//! A removed subgoal leaves shortcuts between its higher neighbours. The lower regions form trees
//! that do not touch each other, so each is contracted by itself. What a tree leaves behind are
//! shortcuts between upper subgoals.

use std::collections::BTreeMap;

use super::arcs::{Arc, Via};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::Subgoals;
use crate::cost::{Cost, UNREACHABLE};

/// The subgoals of a lower region without a lower parent, and of all regions below it.
pub(super) struct LowerTree {
    /// Ascending.
    pub(super) numbers: Vec<SubgoalId>,
}

/// What contracting a tree leaves.
pub(super) struct Contracted {
    /// The arcs of its subgoals, in their order.
    pub(super) lists: Vec<Vec<Arc>>,
    /// Shortcuts between upper subgoals, each from its lower end.
    pub(super) shortcuts: Vec<(SubgoalId, Arc)>,
}

impl LowerTree {
    /// All trees of lower regions.
    pub(super) fn all(Dissection { tree, members }: &Dissection, labels: &HubLabels) -> Vec<Self> {
        let is_upper = |id: RegionId| id != NO_REGION && labels.is_upper(id);
        // A parent comes before its children.
        let mut tree_of = vec![u32::MAX; tree.len()];
        let mut trees: Vec<Self> = Vec::new();
        for id in (0..tree.len() as RegionId).filter(|&id| !is_upper(id)) {
            let parent = tree.node(id).parent;
            let at = match parent == NO_REGION || is_upper(parent) {
                true => {
                    trees.push(Self { numbers: Vec::new() });
                    trees.len() as u32 - 1
                }
                false => tree_of[parent as usize],
            };
            tree_of[id as usize] = at;
            let numbers = members[id as usize].iter().map(|&node| labels.numbers.of(node));
            trees[at as usize].numbers.extend(numbers);
        }
        trees
    }

    /// The position of a subgoal of this tree.
    fn position(&self, number: SubgoalId) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }
}

/// Visits the edges of a subgoal to higher ones.
fn edges_up(
    subgoals: &Subgoals,
    labels: &HubLabels,
    number: SubgoalId,
    mut visit: impl FnMut(Arc),
) {
    let tail = labels.head(number).node;
    for edge in subgoals.edges(tail) {
        let head = labels.numbers.of(edge.head());
        if head < number {
            let cost = subgoals.cost(tail, edge.head());
            visit(Arc { head, cost, via: Via::edge(edge.straight_first()) });
        }
    }
}

/// The number of arcs of the subgoals of a tree, and the sets of upper subgoals that it joins.
pub(super) fn count(
    subgoals: &Subgoals,
    labels: &HubLabels,
    tree: &LowerTree,
) -> (usize, Vec<Vec<SubgoalId>>) {
    let mut heads: Vec<Vec<SubgoalId>> = vec![Vec::new(); tree.numbers.len()];
    let (mut arcs, mut joined) = (0, Vec::new());
    for (at, &number) in tree.numbers.iter().enumerate().rev() {
        let mut all = std::mem::take(&mut heads[at]);
        edges_up(subgoals, labels, number, |arc| all.push(arc.head));
        all.sort_unstable();
        all.dedup();
        arcs += all.len();
        // The lowest of the higher neighbours inherits the others.
        let Some(parent) = all.last().copied() else { continue };
        match tree.position(parent) {
            Some(parent) => {
                all.pop();
                let inherited = &mut heads[parent];
                if inherited.is_empty() {
                    *inherited = all;
                } else {
                    inherited.append(&mut all);
                    inherited.sort_unstable();
                    inherited.dedup();
                }
            }
            None => joined.push(all),
        }
    }
    (arcs, joined)
}

/// The number of arcs of all upper subgoals; `joined`: the sets of those that lower ones join.
pub(super) fn count_upper(
    subgoals: &Subgoals,
    labels: &HubLabels,
    joined: &[Vec<SubgoalId>],
) -> usize {
    let mut sets_of: Vec<Vec<u32>> = vec![Vec::new(); labels.heads.len()];
    for (set, members) in (0..).zip(joined) {
        members.iter().for_each(|&number| sets_of[number as usize].push(set));
    }
    let mut heads = Vec::new();
    let mut count = 0;
    for (number, sets) in (0..).zip(&sets_of) {
        if !labels.head(number).has_row() {
            continue;
        }
        heads.clear();
        edges_up(subgoals, labels, number, |arc| heads.push(arc.head));
        let higher = sets.iter().flat_map(|&set| &joined[set as usize]);
        heads.extend(higher.filter(|&&other| other < number));
        heads.sort_unstable();
        heads.dedup();
        count += 2 * heads.len();
    }
    count
}

/// Computes the arcs of a tree.
pub(super) fn contract(subgoals: &Subgoals, labels: &HubLabels, tree: &LowerTree) -> Contracted {
    let mut gathering = Gathering::new(labels);
    let mut lists: Vec<Vec<Arc>> = vec![Vec::new(); tree.numbers.len()];
    // The lower neighbours by position, each with the cost of its arc.
    let mut lower: Vec<Vec<(u32, Cost)>> = vec![Vec::new(); tree.numbers.len()];
    let mut border: BTreeMap<SubgoalId, Vec<(u32, Cost)>> = BTreeMap::new();
    for (at, &number) in tree.numbers.iter().enumerate().rev() {
        edges_up(subgoals, labels, number, |arc| gathering.add(arc));
        let mut list = Vec::new();
        gathering.add_shortcuts(number, &std::mem::take(&mut lower[at]), (tree, &lists));
        gathering.finish(&mut list);
        for arc in &list {
            let neighbours = match tree.position(arc.head) {
                Some(head) => &mut lower[head],
                None => border.entry(arc.head).or_default(),
            };
            neighbours.push((at as u32, arc.cost));
        }
        lists[at] = list;
    }
    let mut shortcuts = Vec::new();
    let mut found = Vec::new();
    for (number, lower) in border {
        gathering.add_shortcuts(number, &lower, (tree, &lists));
        gathering.finish(&mut found);
        shortcuts.extend(found.drain(..).map(|arc| (number, arc)));
    }
    Contracted { lists, shortcuts }
}

/// The arcs between upper subgoals, each from its lower end: edges, and the shortcuts that trees
/// have left.
pub(super) fn upper_arcs(
    subgoals: &Subgoals,
    labels: &HubLabels,
    shortcuts: Vec<(SubgoalId, Arc)>,
) -> Vec<(SubgoalId, Arc)> {
    let mut arcs = shortcuts;
    for number in (0..labels.heads.len() as SubgoalId).filter(|&n| labels.head(n).has_row()) {
        edges_up(subgoals, labels, number, |arc| arcs.push((number, arc)));
    }
    // Edges come before shortcuts of the same cost.
    arcs.sort_unstable_by_key(|&(tail, Arc { head, cost, via })| {
        (tail, head, cost, std::cmp::Reverse(via))
    });
    arcs.dedup_by_key(|&mut (tail, arc)| (tail, arc.head));
    arcs
}

/// The best arcs of one subgoal.
struct Gathering<'a> {
    labels: &'a HubLabels,
    /// By position in the chain of higher subgoals: the best arc so far.
    best: Vec<(Cost, Via)>,
    heads: Vec<SubgoalId>,
}

impl<'a> Gathering<'a> {
    fn new(labels: &'a HubLabels) -> Self {
        let longest = labels.heads.iter().map(|head| head.len).max().unwrap_or(0);
        Self { labels, best: vec![(UNREACHABLE, Via(0)); longest as usize], heads: Vec::new() }
    }

    #[inline(always)]
    fn add(&mut self, Arc { head, cost, via }: Arc) {
        let best = &mut self.best[self.labels.head(head).len as usize - 1];
        if best.1 == Via(0) && best.0 == UNREACHABLE {
            self.heads.push(head);
            *best = (cost, via);
        } else if cost < best.0 {
            *best = (cost, via);
        }
    }

    /// Adds the shortcuts over lower neighbours.
    fn add_shortcuts(
        &mut self,
        number: SubgoalId,
        lower: &[(u32, Cost)],
        (tree, lists): (&LowerTree, &[Vec<Arc>]),
    ) {
        for &(at, cost) in lower {
            let via = Via(tree.numbers[at as usize]);
            let higher = lists[at as usize].iter().take_while(|arc| arc.head < number);
            for arc in higher {
                self.add(Arc { head: arc.head, cost: cost.saturating_add(arc.cost), via });
            }
        }
    }

    /// Moves the arcs to a list, in the order of their heads.
    fn finish(&mut self, list: &mut Vec<Arc>) {
        self.heads.sort_unstable();
        list.clear();
        list.extend(self.heads.drain(..).map(|head| {
            let best = &mut self.best[self.labels.head(head).len as usize - 1];
            let (cost, via) = std::mem::replace(best, (UNREACHABLE, Via(0)));
            Arc { head, cost, via }
        }));
    }
}
