//! Following a path: the arcs of both climbs, then the hops to the hub, each unpacked into edges.

use super::arcs::{Arc, Via};
use super::hops::{self, SEARCH};
use super::join::Meeting;
use super::{Climb, ClimbScratch};
use crate::atlas::uniform::labels::compact::VisitLegs;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::View;

impl Climb {
    /// Follows the path that was joined last, from the accesses of both endpoints to where they
    /// meet. `None` if the index is damaged.
    pub(crate) fn follow(
        &self,
        labels: &HubLabels,
        view: &View,
        visit: [&mut VisitLegs<'_>; 2],
        ClimbScratch { sides, meeting }: &ClimbScratch,
    ) -> Option<()> {
        let ends = match (*meeting)? {
            Meeting::Subgoal(number) => [number; 2],
            Meeting::Hub(numbers, _) => numbers,
        };
        for ((side, end), visit) in sides.iter().zip(ends).zip(visit) {
            let mut unpacking =
                Unpacking { climb: self, labels, view, visit, stack: Vec::new(), left: 0 };
            // A shortest path passes each subgoal once. Each arc is split into at most as many.
            unpacking.left = 2 * labels.heads.len();
            let path = side.path_to(end);
            for step in path.windows(2) {
                unpacking.unpack(step[0], self.arcs.between(step[0], step[1])?)?;
            }
            if let Some(Meeting::Hub(_, entry)) = *meeting {
                unpacking.follow_hops(end, entry)?;
            }
        }
        Some(())
    }
}

struct Unpacking<'a, 'b, 'c> {
    climb: &'a Climb,
    labels: &'a HubLabels,
    view: &'a View,
    visit: &'b mut VisitLegs<'c>,
    stack: Vec<Part>,
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
    /// Follows hops to the hub of an entry.
    fn follow_hops(&mut self, start: SubgoalId, entry: usize) -> Option<()> {
        let Climb { arcs, hops, .. } = self.climb;
        let mut here = start;
        loop {
            let head = self.labels.heads.get(here as usize).filter(|head| head.has_row())?;
            if head.len as usize == entry + 1 {
                return Some(());
            }
            let at = head.range().start + entry;
            let hop = if entry < head.len as usize { *hops.get(at)? } else { SEARCH };
            let arc = match hop {
                SEARCH => hops::search(self.labels, arcs, here, entry)?,
                hop => arcs.nth(here, usize::from(hop))?,
            };
            self.unpack(here, arc)?;
            here = arc.head;
        }
    }

    /// Visits the legs of an arc.
    fn unpack(&mut self, from: SubgoalId, arc: Arc) -> Option<()> {
        let arcs = &self.climb.arcs;
        self.stack.clear();
        self.stack.push(Part { from, to: arc.head, via: arc.via });
        while let Some(Part { from, to, via }) = self.stack.pop() {
            self.left = self.left.checked_sub(1)?;
            match via.subgoal() {
                Ok(middle) => {
                    let (back, ahead) = (arcs.between(middle, from)?, arcs.between(middle, to)?);
                    self.stack.push(Part { from: middle, to, via: ahead.via });
                    self.stack.push(Part { from, to: middle, via: back.via.turned() });
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
