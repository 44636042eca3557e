//! Following a path without hops: at each subgoal the edge is looked for that leads on.
//!
//! An edge is on a shortest way where its cost and what is left behind it make what was left
//! before. Most are ruled out by octile distances alone; the rows of the few others are asked for
//! together, and for both halves of the path in turn.

use super::positions::PackedCell;
use super::{CompactLabels, CompactScratch, STRAIGHT_FIRST};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::CanonicalRun;
use crate::atlas::uniform::subgoals::HeadingIndex;
use crate::cost::Cost;
use crate::kernel::prefetch;

/// Takes the legs of an edge: their directions and how many steps each has.
pub(crate) type VisitLegs<'a> = dyn FnMut([(HeadingIndex, usize); 2]) + 'a;

/// One end of a path that grows toward a subgoal.
struct Walker<'a> {
    number: SubgoalId,
    /// What is left to go.
    rest: Cost,
    /// The edges that may lead on, with their costs.
    edges: &'a mut Vec<(Cost, u32)>,
}

impl CompactLabels {
    /// Follows the edges from two subgoals to that of an entry of both labels.
    pub(crate) fn follow(
        &self,
        labels: &HubLabels,
        [out, back]: [&mut VisitLegs<'_>; 2],
        accesses: [SubgoalId; 2],
        entry: usize,
        CompactScratch { edges: [near, far], .. }: &mut CompactScratch,
    ) -> Option<()> {
        let head = labels.heads.get(accesses[0] as usize)?;
        let hub = self.positions.hub(labels, head, entry)?;
        let toward = HubWalk { compact: self, hub, at: self.positions.of(hub), entry };
        let [mut near, mut far] = [toward.from(accesses[0], near)?, toward.from(accesses[1], far)?];
        // A shortest path passes each subgoal once; what is longer comes from a damaged file.
        for _ in 0..=labels.heads.len() {
            if near.number == hub && far.number == hub {
                return Some(());
            }
            toward.look_around(&mut near)?;
            toward.look_around(&mut far)?;
            toward.go_on(&mut near, out)?;
            toward.go_on(&mut far, back)?;
        }
        None
    }
}

struct HubWalk<'a> {
    compact: &'a CompactLabels,
    hub: SubgoalId,
    /// Where it lies.
    at: PackedCell,
    entry: usize,
}

impl HubWalk<'_> {
    fn from<'b>(&self, number: SubgoalId, edges: &'b mut Vec<(Cost, u32)>) -> Option<Walker<'b>> {
        Some(Walker { number, rest: self.rest(number)?, edges })
    }

    /// What is left to go from a subgoal; `None` where its row has no such entry.
    fn rest(&self, number: SubgoalId) -> Option<Cost> {
        // What has a lower number lies above.
        (number >= self.hub).then(|| self.compact.cost(number, self.hub, self.entry))?
    }

    /// Finds the edges that may lead on.
    #[inline(always)]
    fn look_around(&self, walker: &mut Walker<'_>) -> Option<()> {
        walker.edges.clear();
        if walker.number == self.hub {
            return Some(());
        }
        let here = self.compact.positions.of(walker.number);
        let edges = self.compact.edges(walker.number)?;
        // Without a branch per edge, so that the processor can wait for all positions at once.
        walker.edges.resize(edges.len(), (0, 0));
        let mut count = 0;
        for &edge in edges {
            let number = edge & !STRAIGHT_FIRST;
            let there = self.compact.positions.of(number);
            let cost = here.octile(there);
            let least = cost.saturating_add(there.octile(self.at));
            walker.edges[count] = (cost, edge);
            count += usize::from((least <= walker.rest) & (number >= self.hub));
        }
        walker.edges.truncate(count);
        for &(_, edge) in walker.edges.iter() {
            let entry = self.compact.start(edge & !STRAIGHT_FIRST)? + self.entry;
            prefetch(self.compact.filled.bytes.get(entry..=entry)?);
        }
        Some(())
    }

    /// Goes along the longest edge that leads on.
    fn go_on(&self, walker: &mut Walker<'_>, go: &mut VisitLegs<'_>) -> Option<()> {
        if walker.number == self.hub {
            return Some(());
        }
        let leads_on = |&&(cost, edge): &&(Cost, u32)| {
            let beyond = self.rest(edge & !STRAIGHT_FIRST);
            beyond.is_some_and(|beyond| beyond.checked_add(cost) == Some(walker.rest))
        };
        let &(cost, edge) = walker.edges.iter().filter(leads_on).max_by_key(|&&(cost, _)| cost)?;
        let number = edge & !STRAIGHT_FIRST;
        let positions = &self.compact.positions;
        let run =
            CanonicalRun::between(positions.of(walker.number).spot(), positions.of(number).spot());
        let [diagonal, straight] = run.legs();
        match edge & STRAIGHT_FIRST {
            0 => go([diagonal, straight]),
            _ => go([straight, diagonal]),
        }
        prefetch(self.compact.edges(number)?);
        walker.number = number;
        walker.rest -= cost;
        Some(())
    }
}
