//! Looking a path up: a direct run, else over subgoals.

use super::Labelled;
use super::blocks::{self, Hop};
use super::join::{Joiner, Meeting, Tie};
use super::rows::Number;
use super::trail::Trail;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::subgoals::{Run, Spot};

/// What a query needs beside the index.
#[derive(Debug, Default)]
pub(super) struct Room {
    near: Vec<Tie>,
    far: Vec<Tie>,
    /// All subgoals ahead of the start: their spots, their costs, and whether the rows know of all ways on from there.
    ahead: Vec<(Spot, Cost, Number)>,
    joiner: Joiner,
    pub(super) trails: [Trail; 2],
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
        if let Some(run) = sight.direct(start, goal) {
            return Some((run.cost(), Found::Direct(run)));
        }
        self.tie(room, start, goal);
        let meeting = room.joiner.meet(&self.rows, &mut room.near, &mut room.far);
        let mut best = meeting.map(|meeting| (meeting.cost, Found::Meeting(meeting)));
        for &(spot, cost, number) in &room.ahead {
            let run = Run::between(spot, goal);
            let known = best.map_or(UNREACHABLE, |(cost, _)| cost);
            let total = cost.saturating_add(run.cost());
            if total >= known || self.knows(number, &run) {
                continue;
            }
            if sight.direct(spot, goal).is_some() {
                best = Some((total, Found::Bend(spot)));
            }
        }
        best
    }

    /// Finds the subgoals that both ends are tied to.
    #[inline(always)]
    fn tie(&self, room: &mut Room, start: Spot, goal: Spot) {
        let sight = &self.subgoals.sight;
        let Room { near, far, ahead, .. } = room;
        let (numbers, heads) = (&*self.rows.numbers, &self.rows.heads[..]);
        near.clear();
        far.clear();
        ahead.clear();
        sight.ahead(start, |seen| {
            let number = numbers[sight.node(seen.spot) as usize];
            let Some(head) = heads.get(number as usize) else { return };
            let arrival = seen.arrival.map_or(0, |direction| direction.number());
            let onward = self.onward[number as usize].arrivals >> arrival & 1 != 0;
            ahead.push((seen.spot, seen.cost, if onward { number } else { Number::MAX }));
            if onward {
                near.push(Tie { number, cost: seen.cost, head: *head });
            }
        });
        sight.behind(goal, |seen| {
            let number = numbers[sight.node(seen.spot) as usize];
            if let Some(head) = heads.get(number as usize) {
                far.push(Tie { number, cost: seen.cost, head: *head });
            }
        });
    }

    /// Whether the goal's ties show the way from a subgoal along this run.
    fn knows(&self, number: Number, run: &Run) -> bool {
        let Some(onward) = self.onward.get(number as usize) else { return false };
        match run.diagonals {
            0 => onward.departures.straight(run.straight),
            _ => onward.departures.diagonal(run.diagonal),
        }
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
            Found::Direct(run) => out.go(steps, diagonal_first(&run)),
            Found::Bend(spot) => {
                out.go(steps, diagonal_first(&Run::between(sight.spot(from), spot)));
                out.go(steps, diagonal_first(&Run::between(spot, sight.spot(to))));
            }
            Found::Meeting(Meeting { entry, ties: [near, far], .. }) => {
                back.start(to);
                let [near, far] = [near, far].map(|number| self.rows.heads.get(number as usize));
                let (near, far) = (near?, far?);
                let first = Run::between(sight.spot(from), sight.spot(near.node));
                out.go(steps, diagonal_first(&first));
                // Runs to the goal make their straight steps last.
                let [diagonal, straight] =
                    diagonal_first(&Run::between(sight.spot(to), sight.spot(far.node)));
                back.go(steps, [straight, diagonal]);
                self.follow([out, back], [(near.block, near.len), (far.block, far.len)], entry)?;
                out.append_reversed(back);
            }
        }
        Some(())
    }

    /// Follows hops from both ends to the subgoal of an entry, turn by turn, so that the processor can wait for
    /// both at once.
    #[inline(always)]
    fn follow(
        &self,
        [out, back]: [&mut Trail; 2],
        [(mut near, mut near_len), (mut far, mut far_len)]: [(u32, u32); 2],
        entry: usize,
    ) -> Option<()> {
        let words = &*self.blocks.words;
        let end = entry as u32 + 1;
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
                out.go(&self.steps, hop.legs);
                (near, near_len) = (hop.block, hop.len);
            }
            if far_len != end {
                let hop = self.hop(words, far, entry)?;
                back.go(&self.steps, hop.legs);
                (far, far_len) = (hop.block, hop.len);
            }
        }
        None
    }

    #[inline(always)]
    fn hop(&self, words: &[u32], block: u32, entry: usize) -> Option<Hop> {
        match blocks::hop(words, block, entry) {
            Some(hop) => Some(hop),
            None => {
                let number = self.rows.heads.partition_point(|head| head.block < block);
                let edges = self.subgoals.edges(self.rows.heads.get(number)?.node).len();
                blocks::look(words, &self.rows, (number as Number, edges), entry)
            }
        }
    }
}

pub(super) fn diagonal_first(run: &Run) -> [(usize, usize); 2] {
    [
        (4 + run.diagonal.number(), run.diagonals as usize),
        (run.straight.number(), run.straights as usize),
    ]
}
