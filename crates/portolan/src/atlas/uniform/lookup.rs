//! Looking a path up: a direct run, else over subgoals.
//!
//! In steps, so that several queries can be under way at once (`flock.rs`).

use super::Labelled;
use super::batch::shared_paths::Trails;
use super::labels::compact::CompactScratch;
use super::labels::join::{BestHub, cost_over, join, prefetch_first, prune};
use super::subgoals::PaddedCell;
use super::unpack::Unpacking;
use super::visibility::lists::End;
use super::visibility::{Side, Sighted};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::route::{Leg, Path};

/// Both ends of a path.
const ENDS: [End; 2] = [End::Start, End::Goal];

/// A query under way, and the room it needs.
#[derive(Debug, Default)]
pub(super) struct Room {
    ends: [NodeId; 2],
    spots: [PaddedCell; 2],
    near: Side,
    far: Side,
    space: CompactScratch,
    found: Option<(Cost, Found)>,
    unpacking: Unpacking,
}

/// How the best way goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found {
    /// One run.
    Direct,
    /// Two runs that meet at a subgoal.
    Bend(PaddedCell),
    /// Over an entry of the rows of both sides.
    Hub(BestHub),
}

impl Room {
    /// The legs of the path that was unpacked.
    pub(super) fn legs(&self) -> &[Leg] {
        self.unpacking.legs()
    }

    /// What the way costs that was found.
    pub(super) fn cost(&self) -> Option<Cost> {
        self.found.map(|(cost, _)| cost)
    }

    /// Begins with a query.
    #[inline(always)]
    pub(super) fn begin(&mut self, labelled: &Labelled, from: NodeId, to: NodeId) {
        let view = &labelled.subgoals.view;
        self.ends = [from, to];
        self.spots = self.ends.map(|node| view.cell(node));
        self.found = None;
        match &labelled.lists {
            Some(lists) => {
                for (end, spot) in ENDS.into_iter().zip(self.spots) {
                    lists.ask_for_directory(end, spot);
                }
                view.prefetch_line_of_sight(self.spots[0], self.spots[1]);
            }
            None => self.spots.into_iter().for_each(|spot| view.prefetch(spot)),
        }
    }

    /// Looks straight at the goal, and else for where to look for subgoals.
    #[inline(always)]
    pub(super) fn look_round(&mut self, labelled: &Labelled) {
        let view = &labelled.subgoals.view;
        let [start, goal] = self.spots;
        if view.sees(start, goal) {
            self.found = Some((view.distance(start, goal), Found::Direct));
            return;
        }
        match &labelled.lists {
            Some(lists) => {
                for (end, spot) in ENDS.into_iter().zip(self.spots) {
                    lists.ask_for_record(end, spot);
                }
            }
            None => {
                self.near.look_round(view, End::Start, start);
                self.far.look_round(view, End::Goal, goal);
            }
        }
    }

    #[inline(always)]
    pub(super) fn look(&mut self, labelled: &Labelled) {
        if self.found.is_some() {
            return;
        }
        match &labelled.lists {
            Some(lists) => {
                let [start, goal] = self.spots;
                self.near.weigh(labelled, lists, End::Start, [start, goal]);
                self.far.weigh(labelled, lists, End::Goal, [goal, start]);
            }
            None => {
                self.near.look(labelled);
                self.far.look(labelled);
            }
        }
    }

    #[inline(always)]
    pub(super) fn number(&mut self, labelled: &Labelled) {
        if self.found.is_some() {
            return;
        }
        if labelled.lists.is_none() {
            self.near.number(labelled);
            self.far.number(labelled);
        } else if let Some(ties) = Side::foremost(&labelled.rows, [&self.near, &self.far]) {
            labelled.rows.prefetch_all(&ties);
        }
    }

    /// Reads off lists what the way over the most promising subgoals does not rule out.
    #[inline(always)]
    pub(super) fn read(&mut self, labelled: &Labelled) {
        if let (None, Some(lists)) = (&self.found, &labelled.lists) {
            let [start, goal] = self.spots;
            let foremost = Side::foremost(&labelled.rows, [&self.near, &self.far]);
            let most = foremost.map_or(UNREACHABLE, |ties| cost_over(&labelled.rows, ties));
            self.near.read(labelled, lists, End::Start, start, most);
            self.far.read(labelled, lists, End::Goal, goal, most);
        }
    }

    #[inline(always)]
    pub(super) fn tie(&mut self, labelled: &Labelled) {
        if self.found.is_none() {
            let [start, goal] = self.spots;
            self.near.tie(labelled, End::Start, goal);
            self.far.tie(labelled, End::Goal, start);
            if labelled.lists.is_none() && labelled.compact.is_none() {
                prefetch_first(&labelled.rows, [&self.near.ties, &self.far.ties]);
            }
        }
    }

    /// Joins both sides.
    #[inline(always)]
    pub(super) fn join(&mut self, labelled: &Labelled) {
        if self.found.is_some() {
            return;
        }
        let view = &labelled.subgoals.view;
        let [start, goal] = self.spots;
        let (rows, near, far) = (&labelled.rows, &mut self.near.ties, &mut self.far.ties);
        let meeting = match &labelled.compact {
            None => {
                if labelled.lists.is_none() {
                    prune(rows, [near, far]);
                }
                join(rows, [near, far])
            }
            Some(compact) => {
                match compact.join(rows, [start, goal], [near, far], &mut self.space) {
                    Ok(meeting) => meeting,
                    // An entry is unknown that may matter.
                    Err(_) => return,
                }
            }
        };
        let mut best = meeting.map(|meeting| (meeting.cost, Found::Hub(meeting)));
        let mut least = best.map_or(UNREACHABLE, |(cost, _)| cost);
        for &Sighted { spot, bound, beside, .. } in &self.near.sighted {
            // Lists that are damaged may lead anywhere.
            let sees = || view.contains(spot) && view.sees(spot, goal);
            if (bound < least) & !beside.is_empty() && view.leaves(beside, spot, goal) && sees() {
                least = bound;
                best = Some((bound, Found::Bend(spot)));
            }
        }
        self.found = best;
    }

    /// Begins to unpack the way that was found, if there is any.
    #[inline(always)]
    pub(super) fn begin_to_unpack(&mut self, labelled: &Labelled) {
        if let Some((_, found)) = self.found {
            self.unpacking.begin(labelled, self.ends, found, &mut self.space);
        }
    }

    /// Unpacks some more; whether there is more to do.
    #[inline(always)]
    pub(super) fn unpack_more(&mut self, labelled: &Labelled) -> bool {
        self.unpacking.go_on(labelled)
    }

    /// The same for a path of a batch, and all at once: what other paths have in common with it is
    /// copied from them.
    pub(super) fn follow<'a>(
        &'a mut self,
        labelled: &Labelled,
        trails: &'a mut Trails,
    ) -> Option<(Cost, Path<'a>)> {
        let (cost, _) = self.found?;
        if self.unpacking.left == 0 {
            self.unpacking.finish(cost)?;
            return Some((cost, Path::Legs(self.ends[0], self.unpacking.legs())));
        }
        let cells = trails.follow(labelled, self.ends[0], &mut self.unpacking, cost)?;
        Some((cost, Path::Nodes(cells)))
    }

    /// The cost of the path that has been unpacked; `None` where the labels know none or lead
    /// nowhere.
    pub(super) fn finish(&mut self) -> Option<Cost> {
        let (cost, _) = self.found?;
        self.unpacking.finish(cost)
    }
}

impl Labelled {
    /// The cost from one cell to another; `None` where there is no way.
    pub(super) fn find(&self, room: &mut Room, from: NodeId, to: NodeId) -> Option<Cost> {
        room.begin(self, from, to);
        room.look_round(self);
        room.look(self);
        room.number(self);
        room.read(self);
        room.tie(self);
        room.join(self);
        room.cost()
    }

    /// The same, and the path as legs.
    pub(super) fn look_up(&self, room: &mut Room, from: NodeId, to: NodeId) -> Option<Cost> {
        self.find(room, from, to)?;
        self.unpack(room)
    }

    /// The path of the way that was found last.
    pub(super) fn unpack(&self, room: &mut Room) -> Option<Cost> {
        room.begin_to_unpack(self);
        while room.unpack_more(self) {}
        room.finish()
    }
}
