//! Stale costs from many cells to the nearest of several goals, each with a cost of its own.
//!
//! The labels of the subgoals behind all goals are merged into one: by hub, the least cost from
//! there to a goal. These subgoals are close together, so nearly all of their label entries have
//! the same hubs as those of the first one. The merged costs of these hubs form the *trunk*, an
//! array in the order of label entries. The cost of a subgoal takes one pass over its own label and
//! the trunk. The costs of all other hubs are kept by region.
//!
//! The costs of subgoals are cached, since cells near each other have the same subgoals ahead. If
//! there are visibility lists, they replace scans, and with a single goal the distances in them
//! rule out most subgoals before their labels are read.

use crate::atlas::separator_tree::RegionId;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::index::LabelledGrid;
use crate::atlas::uniform::labels::SubgoalId;
use crate::atlas::uniform::subgoals::PaddedCell;
use crate::atlas::uniform::visibility::Endpoint;
use crate::atlas::uniform::visibility::lists::{ListBounds, ListedSubgoal, VisibilityLists};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::{least_sum, relax_row};

/// Which segment of a label belongs to which region.
#[derive(Debug)]
pub(crate) struct LabelSegments {
    /// By number the region of a subgoal.
    homes: Vec<RegionId>,
    /// By region the number of its first member.
    first: Vec<SubgoalId>,
    /// By region how many label entries belong to its ancestors.
    above: Vec<u32>,
}

impl LabelSegments {
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

/// A set of goals with the costs to them. Reusable scratch space.
#[derive(Debug, Default)]
pub(crate) struct GoalDistances {
    goals: Vec<(PaddedCell, Cost)>,
    /// The first subgoal behind a goal.
    first: Option<SubgoalId>,
    /// By entry of its label the least cost from the hub to a goal.
    trunk: Vec<Cost>,
    /// By number the least cost from the hub to a goal, for hubs off the trunk.
    hubs: Vec<Cost>,
    /// By region whether it has such hubs, and the regions that have some.
    touched: Vec<bool>,
    regions: Vec<RegionId>,
    /// By number the cost of a subgoal, or 0 if it is not cached; and the cached subgoals.
    known: Vec<Cost>,
    cached: Vec<SubgoalId>,
    bounds: ListBounds,
}

impl GoalDistances {
    /// Removes all goals. The next query may use other labels, so each query clears what it used.
    pub(crate) fn clear(&mut self, labelled: &LabelledGrid) {
        let segments = labelled.segments();
        let numbers = segments.homes.len();
        if self.hubs.len() != numbers || self.touched.len() != segments.first.len() {
            *self = Self::default();
            self.hubs = vec![UNREACHABLE; numbers];
            self.known = vec![0; numbers];
            self.touched = vec![false; segments.first.len()];
        }
        for id in self.regions.drain(..) {
            self.touched[id as usize] = false;
            let start = segments.first[id as usize] as usize;
            let end = segments.first.get(id as usize + 1).map_or(numbers, |&end| end as usize);
            self.hubs[start..end].fill(UNREACHABLE);
        }
        self.cached.drain(..).for_each(|number| self.known[number as usize] = 0);
        self.goals.clear();
        self.first = None;
    }

    /// Adds a goal: a cell that was free, with a cost that is added to paths that end there. Call
    /// it before the first [`cost`](Self::cost).
    pub(crate) fn add(&mut self, labelled: &LabelledGrid, goal: NodeId, cost: Cost) {
        let view = &labelled.subgoals.view;
        let cell = view.cell(goal);
        self.goals.push((cell, cost));
        let labels = &labelled.labels;
        if let Some(lists) = &labelled.lists {
            let mut bounds = std::mem::take(&mut self.bounds);
            lists.bound(view, Endpoint::Goal, [cell, cell], &mut bounds);
            lists.each(Endpoint::Goal, cell, UNREACHABLE - 1, &bounds, |listed| {
                // Damaged lists may contain any number.
                if (listed.number as usize) < labels.heads.len() {
                    self.merge(labelled, listed.number, cost.saturating_add(listed.cost));
                }
            });
            self.bounds = bounds;
            return;
        }
        view.behind(cell, |visible| {
            let number = labels.numbers.of(view.node(visible.cell));
            if (number as usize) < labels.heads.len() {
                let cost = cost.saturating_add(visible.cost);
                self.merge(labelled, number, cost);
            }
        });
    }

    /// The least cost from a cell that was free to a goal, given the lower bound `known`.
    pub(crate) fn cost(&mut self, labelled: &LabelledGrid, from: NodeId, known: Cost) -> Cost {
        let view = &labelled.subgoals.view;
        let labels = &labelled.labels;
        let start = view.cell(from);
        // If a search reaches a subgoal, its cost is usually cached.
        let number = labels.numbers.of(from);
        let mut best = match (number as usize) < labels.heads.len() {
            true => self.subgoal_cost(labelled, number),
            false => self.direct_cost(labelled, start),
        };
        if best <= known {
            return best;
        }
        if let Some(lists) = &labelled.lists {
            let mut bounds = std::mem::take(&mut self.bounds);
            best = self.listed_cost(labelled, (lists, &mut bounds), start, [best, known]);
            self.bounds = bounds;
            return best;
        }
        view.ahead(start, |visible| {
            let number = labels.numbers.of(view.node(visible.cell));
            if (number as usize) < labels.heads.len() {
                let beyond = self.subgoal_cost(labelled, number);
                best = best.min(beyond.saturating_add(visible.cost));
            }
        });
        best
    }

    /// The least cost over the subgoals on the list of a cell, or `best` if that is less.
    fn listed_cost(
        &mut self,
        labelled: &LabelledGrid,
        (lists, bounds): (&VisibilityLists, &mut ListBounds),
        start: PaddedCell,
        [mut best, known]: [Cost; 2],
    ) -> Cost {
        let Some(&(goal, rest)) = self.goals.first() else { return best };
        let is_only = self.goals.len() == 1;
        let view = &labelled.subgoals.view;
        let mut over = |best: Cost, ListedSubgoal { number, cost, bound, .. }: ListedSubgoal| {
            // Damaged lists may contain any number.
            let fits = (number as usize) < labelled.labels.heads.len();
            if best <= known || is_only && bound.saturating_add(rest) >= best || !fits {
                return best;
            }
            best.min(self.subgoal_cost(labelled, number).saturating_add(cost))
        };
        let Some(promising) = lists.bound(view, Endpoint::Start, [start, goal], bounds) else {
            return best;
        };
        best = over(best, promising);
        let most = if is_only { best.saturating_sub(rest) } else { UNREACHABLE - 1 };
        lists.each(Endpoint::Start, start, most, bounds, |listed| best = over(best, listed));
        best
    }

    /// The least cost of a single run from a cell to a goal.
    fn direct_cost(&self, labelled: &LabelledGrid, from: PaddedCell) -> Cost {
        let view = &labelled.subgoals.view;
        let mut best = UNREACHABLE;
        for &(goal, rest) in &self.goals {
            let cost = view.distance(from, goal).saturating_add(rest);
            if cost < best && view.sees(from, goal) {
                best = cost;
            }
        }
        best
    }

    /// The least cost from a subgoal to a goal. The path is legal whichever direction it arrives
    /// from, so turns need no check.
    #[inline(always)]
    fn subgoal_cost(&mut self, labelled: &LabelledGrid, number: SubgoalId) -> Cost {
        match self.known[number as usize] {
            0 => self.compute_cost(labelled, number),
            known => known,
        }
    }

    /// Computes and caches the cost of a subgoal.
    fn compute_cost(&mut self, labelled: &LabelledGrid, number: SubgoalId) -> Cost {
        let labels = &labelled.labels;
        let label = labels.label(number);
        let cell = labelled.subgoals.view.cell(labels.head(number).node);
        let shared = self.first.map_or(0, |first| labels.shared_entries(number, first));
        // Labels do not cover single runs.
        let mut best = self.direct_cost(labelled, cell);
        best = best.min(least_sum(&label[..shared], &self.trunk));
        if !self.regions.is_empty() {
            each_segment(labelled, number, shared, |id, hubs, costs| {
                if self.touched[id as usize] {
                    best = best.min(least_sum(costs, &self.hubs[hubs]));
                }
            });
        }
        self.known[number as usize] = best;
        self.cached.push(number);
        best
    }

    /// Merges the label of a subgoal with this cost to a goal.
    fn merge(&mut self, labelled: &LabelledGrid, number: SubgoalId, cost: Cost) {
        let labels = &labelled.labels;
        let first = *self.first.get_or_insert_with(|| {
            let ends = labels.ends(labels.head(number));
            self.trunk.clear();
            self.trunk.resize(ends.last().map_or(0, |&end| usize::from(end)), UNREACHABLE);
            number
        });
        let shared = labels.shared_entries(number, first);
        relax_row(&mut self.trunk[..shared], &labels.label(number)[..shared], cost);
        each_segment(labelled, number, shared, |id, hubs, costs| {
            relax_row(&mut self.hubs[hubs], costs, cost);
            if !std::mem::replace(&mut self.touched[id as usize], true) {
                self.regions.push(id);
            }
        });
    }
}

/// Visits the segments of a subgoal's label after the first `entries`, which must end with a
/// region. Starts with the subgoal's own region. Visits the region, the numbers of its hubs, and the costs.
fn each_segment(
    labelled: &LabelledGrid,
    number: SubgoalId,
    entries: usize,
    mut visit: impl FnMut(RegionId, std::ops::Range<usize>, &[Cost]),
) {
    let segments = labelled.segments();
    let label = labelled.labels.label(number);
    let mut end = label.len();
    for id in labelled.dissection.tree.ancestors(segments.homes[number as usize]) {
        if end <= entries {
            return;
        }
        let start = segments.above[id as usize] as usize;
        let first = segments.first[id as usize] as usize;
        if start < end {
            visit(id, first..first + end - start, &label[start..end]);
        }
        end = start;
    }
}
