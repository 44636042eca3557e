//! Joining two sets of accesses: both climb to the upper subgoals, whose rows are joined.

use super::Climb;
use super::follow::Step;
use crate::atlas::uniform::labels::join::{self, Access, BestHub};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::{PaddedCell, View};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::prefetch_element;

/// Scratch space of a query.
#[derive(Debug, Default)]
pub(crate) struct ClimbScratch {
    pub(super) sides: [ClimbSide; 2],
    pub(super) meeting: Option<Meeting>,
    /// For both halves of a path, its arcs.
    pub(super) steps: [Vec<Step>; 2],
}

/// Where both halves of the best path meet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting {
    /// At a subgoal that both climbs reach.
    Subgoal(SubgoalId),
    /// At the hub of an entry in the rows of two subgoals that the climbs reach.
    Hub([SubgoalId; 2], usize),
}

/// The climb from the accesses of one endpoint.
#[derive(Debug, Default)]
pub(super) struct ClimbSide {
    /// By subgoal the cost from the endpoint, and the subgoal before it on the path; itself for an
    /// access.
    reached: Vec<(Cost, SubgoalId)>,
    /// The subgoals with a cost.
    touched: Vec<SubgoalId>,
    /// The lower subgoals to climb from next.
    fronts: Vec<SubgoalId>,
    /// The upper subgoals that are reached, as accesses.
    upper: Vec<Access>,
}

impl ClimbSide {
    /// The cost from the endpoint to a subgoal.
    fn cost(&self, number: SubgoalId) -> Cost {
        self.reached[number as usize].0
    }

    /// The path from an access to a subgoal.
    pub(super) fn path_to(&self, number: SubgoalId) -> Vec<SubgoalId> {
        let before = |&number: &SubgoalId| {
            let &(_, before) = self.reached.get(number as usize)?;
            (before != number).then_some(before)
        };
        // Each step leads down.
        let mut path: Vec<SubgoalId> = std::iter::successors(Some(number), before).collect();
        path.reverse();
        path
    }

    #[inline(always)]
    fn relax(&mut self, number: SubgoalId, cost: Cost, before: SubgoalId) -> bool {
        let Some(reached) = self.reached.get_mut(number as usize) else { return false };
        let is_new = reached.0 == UNREACHABLE;
        if cost < reached.0 {
            *reached = (cost, before);
        }
        if is_new && cost != UNREACHABLE {
            self.touched.push(number);
        }
        is_new && cost != UNREACHABLE
    }

    /// Climbs from these accesses.
    fn climb(&mut self, climb: &Climb, labels: &HubLabels, accesses: &[Access]) {
        self.touched.drain(..).for_each(|number| {
            self.reached[number as usize].0 = UNREACHABLE;
        });
        self.reached.resize(labels.heads.len(), (UNREACHABLE, 0));
        self.fronts.clear();
        for access in accesses {
            if self.relax(access.number, access.cost, access.number)
                && !labels.head(access.number).has_row()
            {
                self.fronts.push(access.number);
            }
        }
        // Higher subgoals have lower numbers, so the front with the highest number comes next.
        while let Some(&number) = self.fronts.iter().max() {
            let cost = self.cost(number);
            let mut parent = None;
            for arc in climb.arcs.of(number) {
                self.relax(arc.head, cost.saturating_add(arc.cost), number);
                parent = Some(arc.head);
            }
            self.fronts.retain(|&front| front != number);
            // A damaged file may lead down.
            let parent = parent.filter(|&parent| {
                parent < number && labels.heads.get(parent as usize).is_some_and(|h| !h.has_row())
            });
            if let Some(parent) = parent
                && !self.fronts.contains(&parent)
            {
                self.fronts.push(parent);
            }
        }
    }

    /// Collects the upper subgoals over which a path may cost less than `known`.
    fn collect_upper(&mut self, labels: &HubLabels, view: &View, other: PaddedCell, known: Cost) {
        let Self { touched, reached, upper, .. } = self;
        upper.clear();
        for &number in &*touched {
            let head = labels.head(number);
            if head.has_row() {
                let (cost, _) = reached[number as usize];
                let bound = cost.saturating_add(view.distance(view.cell(head.node), other));
                if bound < known {
                    upper.push(Access::new(head, number, cost, bound));
                }
            }
        }
    }
}

impl Climb {
    /// The best path between two sets of accesses; `ends` are the cells of start and goal. The
    /// scratch space knows where it goes.
    pub(crate) fn join(
        &self,
        (labels, view): (&HubLabels, &View),
        ends: [PaddedCell; 2],
        accesses: [&[Access]; 2],
        scratch: &mut ClimbScratch,
    ) -> Option<BestHub> {
        let ClimbScratch { sides: [near, far], meeting, .. } = scratch;
        *meeting = None;
        near.climb(self, labels, accesses[0]);
        far.climb(self, labels, accesses[1]);
        let mut known = UNREACHABLE;
        for &number in &far.touched {
            let cost = far.cost(number).saturating_add(near.cost(number));
            if cost < known {
                known = cost;
                *meeting = Some(Meeting::Subgoal(number));
            }
        }
        near.collect_upper(labels, view, ends[1], known);
        far.collect_upper(labels, view, ends[0], known);
        join::prefetch_first(labels, [&near.upper, &far.upper]);
        join::prune(labels, [&mut near.upper, &mut far.upper]);
        let hub = join::join(labels, [&mut near.upper, &mut far.upper]);
        let mut entry = usize::MAX;
        if let Some(hub) = hub.filter(|hub| hub.cost < known) {
            (known, entry) = (hub.cost, hub.entry);
            *meeting = Some(Meeting::Hub(hub.accesses, hub.entry));
            let rows = hub.accesses.map(|number| labels.head(number).range().start + entry);
            rows.into_iter().for_each(|at| prefetch_element(&self.hops, at));
        }
        let ends = match (*meeting)? {
            Meeting::Subgoal(number) => [number; 2],
            Meeting::Hub(numbers, _) => numbers,
        };
        let first = |side: &ClimbSide, end| side.path_to(end).first().copied();
        let accesses = [first(near, ends[0])?, first(far, ends[1])?];
        Some(BestHub { cost: known, entry, accesses })
    }
}
