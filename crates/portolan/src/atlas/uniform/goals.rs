//! Old costs from any cell to the nearest of several goals, each with a cost of its own, asked many times.
//!
//! The rows of the subgoals behind all goals are merged into one: by hub the least cost from there to a goal. A subgoal
//! then takes a single pass over its own row, and its answer is kept, since cells near each other look ahead to the same
//! subgoals.

use super::Labelled;
use super::rows::{Number, Rows};
use crate::atlas::dissect::Dissection;
use crate::atlas::tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::{least_sum, relax_row};
use crate::subgoals::Spot;

/// Which parts of a row stand for which region.
#[derive(Debug)]
pub(super) struct Chains {
    /// By number the region of a subgoal.
    homes: Vec<RegionId>,
    /// By region the number of its first member, and how many entries rows have above it.
    first: Vec<Number>,
    above: Vec<u32>,
}

impl Chains {
    pub(super) fn new(Dissection { tree, members }: &Dissection) -> Self {
        let (mut homes, mut first, mut above) = (Vec::new(), Vec::new(), Vec::new());
        for (id, own) in (0..).zip(members) {
            first.push(homes.len() as Number);
            homes.resize(homes.len() + own.len(), id);
            let higher = tree.up_from(id).skip(1).map(|id| members[id as usize].len() as u32);
            above.push(higher.sum());
        }
        Self { homes, first, above }
    }
}

/// Room for goals, to be used again and again.
#[derive(Debug, Default)]
pub(super) struct Goals {
    goals: Vec<(Spot, Cost)>,
    /// By number the least cost from this hub to a goal.
    hubs: Vec<Cost>,
    /// By region whether any of its hubs has a cost, and which have.
    touched: Vec<bool>,
    regions: Vec<RegionId>,
    /// By number what is known of subgoals that were asked for, or zero; and those.
    known: Vec<Cost>,
    asked: Vec<Number>,
    seen: Vec<(Spot, Cost)>,
}

impl Goals {
    /// Forgets all goals.
    pub(super) fn clear(&mut self, labelled: &Labelled) {
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
    }

    /// One more goal, a cell that was free, to which the way ends at some more cost. All goals come before the first
    /// question.
    pub(super) fn add(&mut self, labelled: &Labelled, goal: NodeId, cost: Cost) {
        let view = &labelled.subgoals.view;
        let spot = view.spot(goal);
        self.goals.push((spot, cost));
        let rows = &labelled.rows;
        view.behind(spot, |seen| {
            let number = rows.numbers[view.node(seen.spot) as usize];
            if (number as usize) < rows.heads.len() {
                let cost = cost.saturating_add(seen.cost);
                self.merge(labelled, number, cost);
            }
        });
    }

    /// The least cost from a cell that was free to a goal.
    pub(super) fn cost(&mut self, labelled: &Labelled, from: NodeId) -> Cost {
        let view = &labelled.subgoals.view;
        let rows = &labelled.rows;
        let start = view.spot(from);
        let mut best = self.in_sight(labelled, (start, 0), UNREACHABLE);
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        view.ahead(start, |ahead| {
            let number = rows.numbers[view.node(ahead.spot) as usize];
            if (number as usize) < rows.heads.len() {
                best = best.min(self.beyond(labelled, number).saturating_add(ahead.cost));
                seen.push((ahead.spot, ahead.cost));
            }
        });
        for &ahead in &seen {
            best = self.in_sight(labelled, ahead, best);
        }
        self.seen = seen;
        best
    }

    /// The least cost over a spot that sees a goal, if less than what is known.
    fn in_sight(&self, labelled: &Labelled, (spot, before): (Spot, Cost), mut best: Cost) -> Cost {
        let view = &labelled.subgoals.view;
        for &(goal, rest) in &self.goals {
            let run = view.distance(spot, goal);
            let cost = before.saturating_add(run).saturating_add(rest);
            if cost < best && view.sees(spot, goal) {
                best = cost;
            }
        }
        best
    }

    fn beyond(&mut self, labelled: &Labelled, number: Number) -> Cost {
        let known = self.known[number as usize];
        if known != 0 {
            return known;
        }
        let mut best = UNREACHABLE;
        segments(labelled, number, |id, hubs, row| {
            if self.touched[id as usize] {
                best = best.min(least_sum(row, &self.hubs[hubs]));
            }
        });
        self.known[number as usize] = best;
        self.asked.push(number);
        best
    }

    fn merge(&mut self, labelled: &Labelled, number: Number, cost: Cost) {
        segments(labelled, number, |id, hubs, row| {
            relax_row(&mut self.hubs[hubs], row, cost);
            if !std::mem::replace(&mut self.touched[id as usize], true) {
                self.regions.push(id);
            }
        });
    }
}

/// The parts of a subgoal's row, from its own region up: the numbers of the hubs, and the costs to them.
fn segments(
    labelled: &Labelled,
    number: Number,
    mut visit: impl FnMut(RegionId, std::ops::Range<usize>, &[Cost]),
) {
    let (rows, chains): (&Rows, &Chains) = (&labelled.rows, labelled.chains());
    let row = rows.row(number);
    let mut end = row.len();
    for id in labelled.dissection.tree.up_from(chains.homes[number as usize]) {
        let start = chains.above[id as usize] as usize;
        let first = chains.first[id as usize] as usize;
        if start < end {
            visit(id, first..first + end - start, &row[start..end]);
        }
        end = start;
    }
}
