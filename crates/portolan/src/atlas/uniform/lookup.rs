//! Looking a path up: a direct run, else over subgoals.

use super::Labelled;
use super::blocks::{self, Hop};
use super::firsts;
use super::join::{Joiner, Meeting, Tie};
use super::legs::diagonal_first;
use super::rows::Number;
use super::trail::Trail;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::prefetch;
use crate::subgoals::{Departures, Glance, Run, Seen, Spot};

/// What a query needs beside the index.
#[derive(Debug, Default)]
pub(super) struct Room {
    near: Side,
    far: Side,
    joiner: Joiner,
    pub(super) trails: [Trail; 2],
}

/// What is known around one end of the path.
#[derive(Debug, Default)]
struct Side {
    glances: Vec<Glance>,
    sighted: Vec<Sighted>,
    ties: Vec<Tie>,
}

/// A subgoal in sight of an end of the path.
#[derive(Debug, Clone, Copy)]
struct Sighted {
    seen: Seen,
    node: NodeId,
    /// What the rows know of ways on from here.
    known: Departures,
}

/// How the best way goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found {
    /// One run.
    Direct(Run),
    /// Two runs that meet at a subgoal.
    Bend(Spot),
    /// Over an entry of the rows of both sides.
    Meeting(Meeting),
}

impl Labelled {
    /// The cost from one cell to another and how the way goes; `None` where there is no way.
    pub(super) fn find(&self, room: &mut Room, from: NodeId, to: NodeId) -> Option<(Cost, Found)> {
        let sight = &self.subgoals.sight;
        let (start, goal) = (sight.spot(from), sight.spot(to));
        sight.ask_for(start);
        sight.ask_for(goal);
        if let Some(run) = sight.direct(start, goal) {
            return Some((run.cost(), Found::Direct(run)));
        }
        let Room { near, far, joiner, .. } = room;
        near.glances.clear();
        far.glances.clear();
        sight.glance_ahead(start, |glance| near.glances.push(glance));
        sight.glance_behind(goal, |glance| far.glances.push(glance));
        self.tie([near, far], [goal, start]);
        let meeting = joiner.meet(&self.rows, [&mut near.ties, &mut far.ties]);
        let mut best = meeting.map(|meeting| (meeting.cost, Found::Meeting(meeting)));
        for &Sighted { seen: Seen { spot, cost, .. }, known: departures, .. } in &near.sighted {
            let run = Run::between(spot, goal);
            let known = best.map_or(UNREACHABLE, |(cost, _)| cost);
            let total = cost.saturating_add(run.cost());
            if total < known && !departures.allow(&run) && sight.direct(spot, goal).is_some() {
                best = Some((total, Found::Bend(spot)));
            }
        }
        best
    }

    /// Finds the subgoals that both ends are tied to. In rounds, each of which asks for what the next one
    /// reads: the processor waits for all of it at once.
    #[inline(always)]
    fn tie(&self, sides: [&mut Side; 2], others: [Spot; 2]) {
        let sight = &self.subgoals.sight;
        let (numbers, heads) = (&*self.rows.numbers, &self.rows.heads[..]);
        let [near, far] = sides;
        for side in [&mut *near, &mut *far] {
            side.sighted.clear();
            for &glance in &side.glances {
                if let Some(seen) = sight.look(glance) {
                    let node = sight.node(seen.spot);
                    prefetch(&numbers[node as usize..][..1]);
                    side.sighted.push(Sighted { seen, node, known: Departures::default() });
                }
            }
        }
        for side in [&mut *near, &mut *far] {
            for sighted in &mut side.sighted {
                sighted.node = numbers[sighted.node as usize];
                prefetch(heads.get(sighted.node as usize..).map_or(&[], |heads| &heads[..1]));
            }
        }
        for (side, forward) in [(near, true), (far, false)] {
            side.ties.clear();
            for sighted in &mut side.sighted {
                let other = others[usize::from(!forward)];
                if let Some(tie) = self.tied(sighted, forward, other) {
                    side.ties.push(tie);
                }
            }
        }
    }

    /// The tie by a subgoal; `None` for one that no path goes on from.
    #[inline(always)]
    fn tied(&self, sighted: &mut Sighted, forward: bool, other: Spot) -> Option<Tie> {
        let number = sighted.node;
        let head = self.rows.heads.get(number as usize)?;
        if forward {
            let arrival = sighted.seen.arrival.map_or(0, |direction| direction.number());
            if head.onward.arrivals >> arrival & 1 == 0 {
                return None;
            }
            sighted.known = head.onward.departures;
        }
        let Seen { spot, cost, .. } = sighted.seen;
        let bound = cost.saturating_add(Run::between(spot, other).cost());
        Some(Tie { number, cost, bound, head: *head })
    }

    /// Writes the path into the first trail.
    pub(super) fn unpack(
        &self,
        room: &mut Room,
        from: NodeId,
        to: NodeId,
        found: Found,
    ) -> Option<()> {
        let sight = &self.subgoals.sight;
        let steps = &self.steps;
        let [out, back] = &mut room.trails;
        out.start(from);
        match found {
            Found::Direct(run) => out.go_all(steps, diagonal_first(&run)),
            Found::Bend(spot) => {
                out.go_all(steps, diagonal_first(&Run::between(sight.spot(from), spot)));
                out.go_all(steps, diagonal_first(&Run::between(spot, sight.spot(to))));
            }
            Found::Meeting(Meeting { entry, ties: [near, far], .. }) => {
                back.start(to);
                let [near, far] = [near, far].map(|number| self.rows.heads.get(number as usize));
                let (near, far) = (near?, far?);
                let first = Run::between(sight.spot(from), sight.spot(near.node));
                out.go_all(steps, diagonal_first(&first));
                // Runs to the goal make their straight steps last.
                let [diagonal, straight] =
                    diagonal_first(&Run::between(sight.spot(to), sight.spot(far.node)));
                back.go_all(steps, [straight, diagonal]);
                self.follow([out, back], [(near.block, near.len), (far.block, far.len)], entry)?;
                out.append_reversed(back);
            }
        }
        Some(())
    }

    /// Follows hops from both ends to the subgoal of an entry, turn by turn, so that the processor can wait for
    /// both at once. What comes next is asked for before cells are written.
    #[inline(always)]
    fn follow(
        &self,
        [out, back]: [&mut Trail; 2],
        ends: [(u32, u32); 2],
        entry: usize,
    ) -> Option<()> {
        let words = &*self.blocks.words;
        let end = entry as u32 + 1;
        let [(mut near, mut near_len), (mut far, mut far_len)] = ends;
        // A shortest path passes each subgoal once; what is longer comes from a damaged file.
        for _ in 0..=self.rows.heads.len() {
            if near_len == end && far_len == end {
                return Some(());
            }
            if out.cells().len().max(back.cells().len()) > self.rows.numbers.len() {
                return None;
            }
            if near_len != end {
                let hop = self.hop(words, near, entry)?;
                (near, near_len) = (hop.block, hop.len);
                blocks::ask_for(words, near, entry);
                hop.legs.each(|leg| out.go(&self.steps, leg));
            }
            if far_len != end {
                let hop = self.hop(words, far, entry)?;
                (far, far_len) = (hop.block, hop.len);
                blocks::ask_for(words, far, entry);
                hop.legs.each(|leg| back.go(&self.steps, leg));
            }
        }
        None
    }

    #[inline(always)]
    fn hop(&self, words: &[u32], block: u32, entry: usize) -> Option<Hop> {
        blocks::hop(words, block, entry).or_else(|| self.look(block, entry))
    }

    /// The hop where none is named.
    #[cold]
    fn look(&self, block: u32, entry: usize) -> Option<Hop> {
        let heads = &self.rows.heads;
        let number = heads.partition_point(|head| head.block < block) as Number;
        let first = firsts::look(&self.subgoals, &self.rows, number, entry)?;
        let head = heads.get(first.head as usize)?;
        Some(Hop { block: head.block, len: head.len, legs: first.legs })
    }
}
