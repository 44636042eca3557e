//! Following a path without hops: at each subgoal the edge is looked for that leads on.
//!
//! An edge is on a shortest way where its cost and what is left behind it make what was left
//! before. Most are ruled out by octile distances alone; the rows of the few others are asked for
//! together, and for both halves of the path in turn.

use super::places::Place;
use super::{Compact, STRAIGHT_FIRST, Space};
use crate::atlas::uniform::labels::packed_legs::Direction;
use crate::atlas::uniform::labels::{Number, Rows};
use crate::atlas::uniform::subgoals::Run;
use crate::cost::Cost;
use crate::kernel::prefetch;

/// Takes the legs of an edge: their directions and how many steps each has.
pub(crate) type Go<'a> = dyn FnMut([(Direction, usize); 2]) + 'a;

/// One end of a path that grows toward a subgoal.
struct Walker<'a> {
    number: Number,
    /// What is left to go.
    rest: Cost,
    /// The edges that may lead on, with their costs.
    edges: &'a mut Vec<(Cost, u32)>,
}

impl Compact {
    /// Follows the edges from two subgoals to that of an entry of both rows.
    pub(crate) fn follow(
        &self,
        rows: &Rows,
        [out, back]: [&mut Go<'_>; 2],
        ties: [Number; 2],
        entry: usize,
        Space { edges: [near, far], .. }: &mut Space,
    ) -> Option<()> {
        let head = rows.heads.get(ties[0] as usize)?;
        let hub = self.places.hub(rows, head, entry)?;
        let toward = Toward { compact: self, hub, at: self.places.of(hub), entry };
        let [mut near, mut far] = [toward.from(ties[0], near)?, toward.from(ties[1], far)?];
        // A shortest path passes each subgoal once; what is longer comes from a damaged file.
        for _ in 0..=rows.heads.len() {
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

struct Toward<'a> {
    compact: &'a Compact,
    hub: Number,
    /// Where it lies.
    at: Place,
    entry: usize,
}

impl Toward<'_> {
    fn from<'b>(&self, number: Number, edges: &'b mut Vec<(Cost, u32)>) -> Option<Walker<'b>> {
        Some(Walker { number, rest: self.rest(number)?, edges })
    }

    /// What is left to go from a subgoal; `None` where its row has no such entry.
    fn rest(&self, number: Number) -> Option<Cost> {
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
        let here = self.compact.places.of(walker.number);
        let edges = self.compact.edges(walker.number)?;
        // Without a branch per edge, so that the processor can wait for all places at once.
        walker.edges.resize(edges.len(), (0, 0));
        let mut count = 0;
        for &edge in edges {
            let number = edge & !STRAIGHT_FIRST;
            let there = self.compact.places.of(number);
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
    fn go_on(&self, walker: &mut Walker<'_>, go: &mut Go<'_>) -> Option<()> {
        if walker.number == self.hub {
            return Some(());
        }
        let leads_on = |&&(cost, edge): &&(Cost, u32)| {
            let beyond = self.rest(edge & !STRAIGHT_FIRST);
            beyond.is_some_and(|beyond| beyond.checked_add(cost) == Some(walker.rest))
        };
        let &(cost, edge) = walker.edges.iter().filter(leads_on).max_by_key(|&&(cost, _)| cost)?;
        let number = edge & !STRAIGHT_FIRST;
        let places = &self.compact.places;
        let run = Run::between(places.of(walker.number).spot(), places.of(number).spot());
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
