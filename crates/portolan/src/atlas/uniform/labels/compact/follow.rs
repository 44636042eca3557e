//! Following a path without hops, by searching for the next edge at each subgoal.
//!
//! An edge is on a shortest path if its cost plus the remaining cost after it equals the remaining
//! cost before it. Octile distances alone rule out most edges. The labels of the few others are
//! prefetched together, alternating between both halves of the path.

use super::positions::PackedCell;
use super::{CompactLabels, CompactScratch, STRAIGHT_FIRST};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::{CanonicalRun, HeadingIndex};
use crate::cost::Cost;
use crate::kernel::prefetch;

/// Receives the legs of an edge, as headings with step counts.
pub(crate) type VisitLegs<'a> = dyn FnMut([(HeadingIndex, usize); 2]) + 'a;

/// One half of a path, which grows toward the hub.
struct Walker<'a> {
    number: SubgoalId,
    /// The remaining cost.
    rest: Cost,
    /// The edges that may be next, with their costs.
    edges: &'a mut Vec<(Cost, u32)>,
}

impl CompactLabels {
    /// Follows the edges from two subgoals to the hub of an entry of both labels.
    pub(crate) fn follow(
        &self,
        labels: &HubLabels,
        [forward, backward]: [&mut VisitLegs<'_>; 2],
        accesses: [SubgoalId; 2],
        entry: usize,
        CompactScratch { edges: [near, far], .. }: &mut CompactScratch,
    ) -> Option<()> {
        let head = labels.heads.get(accesses[0] as usize)?;
        let hub = self.positions.hub(labels, head, entry)?;
        let walk = HubWalk { compact: self, hub, at: self.positions.of(hub), entry };
        let [mut near, mut far] = [walk.from(accesses[0], near)?, walk.from(accesses[1], far)?];
        // A shortest path passes each subgoal once; a longer one comes from a damaged file.
        for _ in 0..=labels.heads.len() {
            if near.number == hub && far.number == hub {
                return Some(());
            }
            walk.find_candidates(&mut near)?;
            walk.find_candidates(&mut far)?;
            walk.advance(&mut near, forward)?;
            walk.advance(&mut far, backward)?;
        }
        None
    }
}

struct HubWalk<'a> {
    compact: &'a CompactLabels,
    hub: SubgoalId,
    /// The cell of the hub.
    at: PackedCell,
    entry: usize,
}

impl HubWalk<'_> {
    fn from<'b>(&self, number: SubgoalId, edges: &'b mut Vec<(Cost, u32)>) -> Option<Walker<'b>> {
        Some(Walker { number, rest: self.rest(number)?, edges })
    }

    /// The remaining cost at a subgoal; `None` if its label has no such entry.
    fn rest(&self, number: SubgoalId) -> Option<Cost> {
        // A subgoal with a lower number than the hub is not below it.
        (number >= self.hub).then(|| self.compact.cost(number, self.hub, self.entry))?
    }

    /// Finds the edges that may be next.
    #[inline(always)]
    fn find_candidates(&self, walker: &mut Walker<'_>) -> Option<()> {
        walker.edges.clear();
        if walker.number == self.hub {
            return Some(());
        }
        let here = self.compact.positions.of(walker.number);
        let edges = self.compact.edges(walker.number)?;
        // No branch per edge, so that the processor can load all positions at once.
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

    /// Follows the longest edge that is on a shortest path.
    fn advance(&self, walker: &mut Walker<'_>, visit: &mut VisitLegs<'_>) -> Option<()> {
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
            CanonicalRun::between(positions.of(walker.number).cell(), positions.of(number).cell());
        let [diagonal, straight] = run.legs();
        match edge & STRAIGHT_FIRST {
            0 => visit([diagonal, straight]),
            _ => visit([straight, diagonal]),
        }
        prefetch(self.compact.edges(number)?);
        walker.number = number;
        walker.rest -= cost;
        Some(())
    }
}
