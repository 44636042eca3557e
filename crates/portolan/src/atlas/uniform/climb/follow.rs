//! Following a path: the arcs of both climbs, then the hops to the hub, each unpacked into edges.

use super::arcs::{Arc, Via};
use super::hops::{self, SEARCH};
use super::join::Meeting;
use super::{Climb, ClimbScratch};
use crate::atlas::uniform::labels::compact::VisitLegs;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::View;
use crate::kernel::prefetch_element;

impl Climb {
    /// Follows the path that was joined last, from the accesses of both endpoints to where they
    /// meet. `None` if the index is damaged.
    pub(crate) fn follow(
        &self,
        labels: &HubLabels,
        view: &View,
        visit: [&mut VisitLegs<'_>; 2],
        ClimbScratch { sides, meeting, steps }: &mut ClimbScratch,
    ) -> Option<()> {
        let ends = match (*meeting)? {
            Meeting::Subgoal(number) => [number; 2],
            Meeting::Hub(numbers, _) => numbers,
        };
        for ((side, end), steps) in sides.iter().zip(ends).zip(&mut *steps) {
            steps.clear();
            for step in side.path_to(end).windows(2) {
                steps.push((step[0], self.arcs.between(step[0], step[1])?));
            }
        }
        if let Some(Meeting::Hub(numbers, entry)) = *meeting {
            self.follow_hops(labels, numbers, entry, steps)?;
        }
        for (steps, visit) in steps.iter().zip(visit) {
            // What unpacking reads first, for all steps at once.
            for (_, arc) in steps {
                self.arcs.prefetch(arc.via);
                prefetch_element(&labels.heads, arc.head as usize);
            }
            // A shortest path passes each subgoal once, and an arc has as many parts as edges.
            let left = 2 * labels.heads.len();
            let mut unpacking = Unpacking { climb: self, labels, view, visit, left };
            let mut stack = Vec::new();
            for (at, &(from, arc)) in steps.iter().enumerate() {
                if let Some((_, later)) = steps.get(at + 2) {
                    self.arcs.prefetch_list(later.via);
                }
                unpacking.unpack(from, arc, &mut stack)?;
            }
        }
        Some(())
    }

    /// Appends the arcs from two upper subgoals to the hub of an entry in both rows. Both sides take
    /// turns, so that one waits for memory while the other computes.
    fn follow_hops(
        &self,
        labels: &HubLabels,
        numbers: [SubgoalId; 2],
        entry: usize,
        steps: &mut [Vec<Step>; 2],
    ) -> Option<()> {
        let rest = |number| labels.row(number)?.get(entry).copied();
        let mut walkers = [(numbers[0], rest(numbers[0])?, 0), (numbers[1], rest(numbers[1])?, 0)];
        while walkers.iter().any(|&(_, rest, _)| rest > 0) {
            for (here, _, at) in walkers.iter_mut().filter(|&&mut (_, rest, _)| rest > 0) {
                let head = labels.heads.get(*here as usize).filter(|head| head.has_row())?;
                *at = head.range().start + entry;
                prefetch_element(&self.hops, *at);
            }
            for ((here, rest, at), steps) in
                walkers.iter_mut().zip(&mut *steps).filter(|((_, rest, _), _)| *rest > 0)
            {
                let arc = match *self.hops.get(*at)? {
                    SEARCH => hops::search(labels, &self.arcs, *here, entry)?,
                    hop => self.arcs.nth(*here, usize::from(hop))?,
                };
                // Costs are positive, so the walk ends.
                *rest = rest.checked_sub(arc.cost.max(1))?;
                steps.push((*here, arc));
                *here = arc.head;
                prefetch_element(&labels.heads, arc.head as usize);
                self.arcs.prefetch(Via(arc.head));
            }
        }
        Some(())
    }
}

/// An arc and the subgoal it starts from.
pub(super) type Step = (SubgoalId, Arc);

struct Unpacking<'a, 'b, 'c> {
    climb: &'a Climb,
    labels: &'a HubLabels,
    view: &'a View,
    visit: &'b mut VisitLegs<'c>,
    /// How many more parts there may be.
    left: usize,
}

/// A part of a path between two subgoals, as an arc seen from its start.
#[derive(Clone, Copy)]
struct Part {
    from: SubgoalId,
    to: SubgoalId,
    via: Via,
}

impl Unpacking<'_, '_, '_> {
    /// Visits the legs of an arc.
    fn unpack(&mut self, from: SubgoalId, arc: Arc, stack: &mut Vec<Part>) -> Option<()> {
        let arcs = &self.climb.arcs;
        stack.clear();
        stack.push(Part { from, to: arc.head, via: arc.via });
        while let Some(Part { from, to, via }) = stack.pop() {
            self.left = self.left.checked_sub(1)?;
            match via.subgoal() {
                Ok(middle) => {
                    let (back, ahead) = (arcs.between(middle, from)?, arcs.between(middle, to)?);
                    arcs.prefetch(ahead.via);
                    arcs.prefetch(back.via);
                    prefetch_element(&self.labels.heads, middle as usize);
                    stack.push(Part { from: middle, to, via: ahead.via });
                    stack.push(Part { from, to: middle, via: back.via.turned() });
                }
                Err(second_first) => {
                    let cell = |number: SubgoalId| {
                        let head = self.labels.heads.get(number as usize)?;
                        Some(self.view.cell(head.node))
                    };
                    let [first, second] = self.view.legs(cell(from)?, cell(to)?);
                    (self.visit)(if second_first { [second, first] } else { [first, second] });
                }
            }
        }
        Some(())
    }
}
