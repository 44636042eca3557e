//! Old costs from any cell to the nearest of several goals, each with a cost of its own, asked many
//! times.
//!
//! The rows of the subgoals behind all goals are merged into one: by hub the least cost from there
//! to a goal. Those subgoals lie close together, so nearly all of their entries stand for the same
//! hubs as the entries of the first one. These form the *trunk*, an array in the order of rows, and
//! a subgoal takes a single pass over its own row and the trunk. Hubs that the first one does not
//! have are kept by region.
//!
//! The answer for a subgoal is kept, since cells near each other look ahead to the same subgoals.
//! Where there are lists of what cells see, they replace looking, and with a single goal the
//! distances in them rule out most subgoals before their rows are read.

use crate::atlas::separator_tree::RegionId;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::Labelled;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::PaddedCell;
use crate::atlas::uniform::visibility::lists::{End, Listed, Lists, Weighed};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::{least_sum, relax_row};

/// Which parts of a row stand for which region.
#[derive(Debug)]
pub(crate) struct Chains {
    /// By number the region of a subgoal.
    homes: Vec<RegionId>,
    /// By region the number of its first member, and how many entries rows have above it.
    first: Vec<SubgoalId>,
    above: Vec<u32>,
}

impl Chains {
    pub(crate) fn new(Dissection { tree, members }: &Dissection) -> Self {
        let (mut homes, mut first, mut above) = (Vec::new(), Vec::new(), Vec::new());
        for (id, own) in (0..).zip(members) {
            first.push(homes.len() as SubgoalId);
            homes.resize(homes.len() + own.len(), id);
            let higher = tree.ancestors(id).skip(1).map(|id| members[id as usize].len() as u32);
            above.push(higher.sum());
        }
        Self { homes, first, above }
    }
}

/// Room for goals, to be used again and again.
#[derive(Debug, Default)]
pub(crate) struct Goals {
    goals: Vec<(PaddedCell, Cost)>,
    /// The first subgoal behind a goal, and by entry of rows of its region the least cost from
    /// there to a goal.
    first: Option<SubgoalId>,
    trunk: Vec<Cost>,
    /// By number the least cost from this hub to a goal, for hubs off the trunk.
    hubs: Vec<Cost>,
    /// By region whether any of these hubs lies there, and in which some do.
    touched: Vec<bool>,
    regions: Vec<RegionId>,
    /// By number what is known of subgoals that were asked for, or zero; and those.
    known: Vec<Cost>,
    asked: Vec<SubgoalId>,
    weighed: Weighed,
}

impl Goals {
    /// Forgets all goals. The next query may be about other labels, so each clears what it has
    /// used.
    pub(crate) fn clear(&mut self, labelled: &Labelled) {
        let chains = labelled.chains();
        let numbers = chains.homes.len();
        if self.hubs.len() != numbers || self.touched.len() != chains.first.len() {
            *self = Self::default();
            self.hubs = vec![UNREACHABLE; numbers];
            self.known = vec![0; numbers];
            self.touched = vec![false; chains.first.len()];
        }
        for id in self.regions.drain(..) {
            self.touched[id as usize] = false;
            let start = chains.first[id as usize] as usize;
            let end = chains.first.get(id as usize + 1).map_or(numbers, |&end| end as usize);
            self.hubs[start..end].fill(UNREACHABLE);
        }
        self.asked.drain(..).for_each(|number| self.known[number as usize] = 0);
        self.goals.clear();
        self.first = None;
    }

    /// One more goal, a cell that was free, to which the way ends at some more cost. All goals come
    /// before the first question.
    pub(crate) fn add(&mut self, labelled: &Labelled, goal: NodeId, cost: Cost) {
        let view = &labelled.subgoals.view;
        let spot = view.cell(goal);
        self.goals.push((spot, cost));
        let rows = &labelled.rows;
        if let Some(lists) = &labelled.lists {
            let mut weighed = std::mem::take(&mut self.weighed);
            lists.weigh(view, End::Goal, [spot, spot], &mut weighed);
            lists.each(End::Goal, spot, UNREACHABLE - 1, &weighed, |seen| {
                // Lists that are damaged may name anything.
                if (seen.number as usize) < rows.heads.len() {
                    self.merge(labelled, seen.number, cost.saturating_add(seen.cost));
                }
            });
            self.weighed = weighed;
            return;
        }
        view.behind(spot, |seen| {
            let number = rows.numbers[view.node(seen.cell) as usize];
            if (number as usize) < rows.heads.len() {
                let cost = cost.saturating_add(seen.cost);
                self.merge(labelled, number, cost);
            }
        });
    }

    /// The least cost from a cell that was free to a goal; `known`: it is no less than this.
    pub(crate) fn cost(&mut self, labelled: &Labelled, from: NodeId, known: Cost) -> Cost {
        let view = &labelled.subgoals.view;
        let rows = &labelled.rows;
        let start = view.cell(from);
        // A subgoal that a search comes to has been asked for already, more often than not.
        let number = rows.numbers[from as usize];
        let mut best = match (number as usize) < rows.heads.len() {
            true => self.beyond(labelled, number),
            false => self.in_sight(labelled, start),
        };
        if best <= known {
            return best;
        }
        if let Some(lists) = &labelled.lists {
            let mut weighed = std::mem::take(&mut self.weighed);
            best = self.listed(labelled, (lists, &mut weighed), start, [best, known]);
            self.weighed = weighed;
            return best;
        }
        view.ahead(start, |ahead| {
            let number = rows.numbers[view.node(ahead.cell) as usize];
            if (number as usize) < rows.heads.len() {
                best = best.min(self.beyond(labelled, number).saturating_add(ahead.cost));
            }
        });
        best
    }

    /// The least cost over the subgoals on the list of a cell, if less than what is known.
    fn listed(
        &mut self,
        labelled: &Labelled,
        (lists, weighed): (&Lists, &mut Weighed),
        start: PaddedCell,
        [mut best, known]: [Cost; 2],
    ) -> Cost {
        let Some(&(goal, rest)) = self.goals.first() else { return best };
        let is_only = self.goals.len() == 1;
        let view = &labelled.subgoals.view;
        let mut over = |best: Cost, Listed { number, cost, bound, .. }: Listed| {
            // Lists that are damaged may name anything.
            let fits = (number as usize) < labelled.rows.heads.len();
            if best <= known || is_only && bound.saturating_add(rest) >= best || !fits {
                return best;
            }
            best.min(self.beyond(labelled, number).saturating_add(cost))
        };
        let Some(foremost) = lists.weigh(view, End::Start, [start, goal], weighed) else {
            return best;
        };
        best = over(best, foremost);
        let most = if is_only { best.saturating_sub(rest) } else { UNREACHABLE - 1 };
        lists.each(End::Start, start, most, weighed, |listed| best = over(best, listed));
        best
    }

    /// The least cost from a cell to a goal that it sees.
    fn in_sight(&self, labelled: &Labelled, spot: PaddedCell) -> Cost {
        let view = &labelled.subgoals.view;
        let mut best = UNREACHABLE;
        for &(goal, rest) in &self.goals {
            let cost = view.distance(spot, goal).saturating_add(rest);
            if cost < best && view.sees(spot, goal) {
                best = cost;
            }
        }
        best
    }

    /// The least cost from a subgoal to a goal. It is that of a legal way whichever direction the
    /// subgoal is reached in, so turns need no check.
    #[inline(always)]
    fn beyond(&mut self, labelled: &Labelled, number: SubgoalId) -> Cost {
        match self.known[number as usize] {
            0 => self.find_out(labelled, number),
            known => known,
        }
    }

    /// The same for a subgoal that nothing is known of.
    fn find_out(&mut self, labelled: &Labelled, number: SubgoalId) -> Cost {
        let rows = &labelled.rows;
        let row = rows.label(number);
        let spot = labelled.subgoals.view.cell(rows.head(number).node);
        let shared = self.first.map_or(0, |first| rows.shared_entries(number, first));
        // HubLabels do not cover single runs.
        let mut best = self.in_sight(labelled, spot);
        best = best.min(least_sum(&row[..shared], &self.trunk));
        if !self.regions.is_empty() {
            segments(labelled, number, shared, |id, hubs, row| {
                if self.touched[id as usize] {
                    best = best.min(least_sum(row, &self.hubs[hubs]));
                }
            });
        }
        self.known[number as usize] = best;
        self.asked.push(number);
        best
    }

    fn merge(&mut self, labelled: &Labelled, number: SubgoalId, cost: Cost) {
        let rows = &labelled.rows;
        let first = *self.first.get_or_insert_with(|| {
            let ends = rows.ends(rows.head(number));
            self.trunk.clear();
            self.trunk.resize(ends.last().map_or(0, |&end| usize::from(end)), UNREACHABLE);
            number
        });
        let shared = rows.shared_entries(number, first);
        relax_row(&mut self.trunk[..shared], &rows.label(number)[..shared], cost);
        segments(labelled, number, shared, |id, hubs, row| {
            relax_row(&mut self.hubs[hubs], row, cost);
            if !std::mem::replace(&mut self.touched[id as usize], true) {
                self.regions.push(id);
            }
        });
    }
}

/// The parts of a subgoal's row beyond so many entries, which is where a region ends, from its own
/// region up: the numbers of the hubs, and the costs to them.
fn segments(
    labelled: &Labelled,
    number: SubgoalId,
    entries: usize,
    mut visit: impl FnMut(RegionId, std::ops::Range<usize>, &[Cost]),
) {
    let (rows, chains): (&HubLabels, &Chains) = (&labelled.rows, labelled.chains());
    let row = rows.label(number);
    let mut end = row.len();
    for id in labelled.dissection.tree.ancestors(chains.homes[number as usize]) {
        if end <= entries {
            return;
        }
        let start = chains.above[id as usize] as usize;
        let first = chains.first[id as usize] as usize;
        if start < end {
            visit(id, first..first + end - start, &row[start..end]);
        }
        end = start;
    }
}
