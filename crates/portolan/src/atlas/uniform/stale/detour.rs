//! Searching a map just edited, with the labels of the map before as lower bounds.
//!
//! A* over taut runs that are found as they are needed (`crate::atlas::uniform::subgoals::JumpPoints`). From a cell to
//! the goal it costs at least as much as by old ways, or by an old way to a gate and the best chain
//! from there (`past.rs`). So the search goes straight along what was shortest before, and leaves
//! it only where something is in the way. As soon as the old way on from the cell at hand is legal,
//! that is the rest of the path: no legal way can cost less than the bound, and this one costs as
//! much.
//!
//! Where moves are others than those that jumps know, the search goes step by step instead: with
//! these bounds it hardly looks at a cell beside the way until the old one goes on, and where it
//! does, it gives up.
//!
//! A bound from labels is found only once a cell comes up. Until then the octile distance stands
//! for it, or what the cell it was reached from promises, so that most cells that lead away from
//! the goal cost next to nothing. Likewise runs are looked for only as far as octile distances make
//! them worth it; a cell comes up again when those beyond may be.
//!
//! A cell may be left in those directions only that make a taut path of how it was reached. It can
//! be reached at the same cost in several ways; then all of their directions count, and those that
//! are new are tried when it comes up again. Bounds need not be consistent: a cell that is reached
//! at less comes up again as well.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::freed_cells::Opening;
use super::goal_distances::Goals;
use super::labels::{Access, Past};
use crate::atlas::uniform::lookup::Room;
use crate::atlas::uniform::subgoals::{Departures, JumpPoints};
use crate::cost::{Cost, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::route::{Leg, append};
use crate::search::Observer;

/// Cells beyond this many get bounds that take less time, and are worth less.
const PATIENCE: usize = 2000;

/// How much longer than the shortest way that is possible one may get by the runs that are looked
/// for at first.
const SLACK: Cost = 4 * STRAIGHT;

/// Space that searches leave for later ones.
#[derive(Debug, Default)]
pub(crate) struct Space {
    /// By cell the number of its place, counted from one.
    numbers: Vec<u32>,
    places: Vec<Place>,
    /// Sums of cost and bound, the bound, and the place.
    queue: BinaryHeap<Reverse<(Cost, Cost, u32)>>,
    legs: Vec<Leg>,
    /// Whether the last search has met so many cells that one without labels is quicker.
    pub(crate) gave_up: bool,
    pub(crate) goals: Goals,
}

/// A cell that was reached.
#[derive(Debug)]
struct Place {
    node: NodeId,
    parent: u32,
    cost: Cost,
    /// What the rest costs at least, and whether the labels have been asked for it.
    rest: Cost,
    asked: bool,
    /// The sum under which it is queued, if it is.
    sum: Cost,
    /// No way over the runs that have not been looked for costs less.
    unseen: Cost,
    /// The old way is known to be cut where so much of it is left.
    cut: Cost,
    /// Directions to leave in, and those in which it was left already.
    departures: Departures,
    done: Departures,
}

/// Between two cells that are known to be joined.
pub(crate) struct Detour<'a> {
    pub(crate) past: &'a Past<'a>,
    /// Runs on the map as it is; without them the search goes step by step.
    pub(crate) jumps: Option<JumpPoints<'a>>,
    pub(crate) ends: [NodeId; 2],
    /// The freed cells that matter; `None` where there are too many to look at.
    pub(crate) openings: Option<&'a [Opening]>,
    /// How much of the old way from the start is left where it is cut.
    pub(crate) cut: Cost,
}

impl Detour<'_> {
    /// Fills the path and returns its cost; `None` where costs outgrow what can be counted, and
    /// where it has given up.
    pub(crate) fn search(
        &self,
        room: &mut Room,
        space: &mut Space,
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        space.start(self.past.now.node_count());
        let [from, to] = self.ends;
        if let Some(openings) = self.openings {
            let gates = openings.iter().map(|opening| (&opening.gate.ties[..], opening.rest));
            let ties: Vec<Access> = self.past.ties(to).collect();
            self.past.aim(&mut space.goals, gates.chain([(&ties[..], 0)]));
        }
        self.reach(space, (from, 0), (0, self.cut), 0, Departures::ANY);
        let found = self.settle(room, space, path, observer);
        space.clear();
        found
    }

    fn settle(
        &self,
        room: &mut Room,
        space: &mut Space,
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        let mut told = 0;
        while let Some(Reverse((sum, _, number))) = space.queue.pop() {
            let place = &mut space.places[number as usize];
            if place.sum != sum {
                continue;
            }
            place.sum = UNREACHABLE;
            let node = place.node;
            if node == self.ends[1] {
                space.write(self, number, path);
                return Some(sum);
            }
            if !place.asked {
                let known = place.rest;
                let rest = self.rest(space, node, known).max(known);
                let place = &mut space.places[number as usize];
                (place.rest, place.asked) = (rest, true);
            }
            let place = &space.places[number as usize];
            let least = place.cost.saturating_add(place.rest);
            if least > sum {
                space.queue(number, least);
                continue;
            }
            let place = &space.places[number as usize];
            let (rest, is_first) = (place.rest, sum < place.unseen);
            if is_first && rest <= place.cut && self.openings.is_some() {
                match self.old_way(room, space, number, path) {
                    Some(0) => return Some(sum),
                    Some(cut) => space.places[number as usize].cut = cut,
                    None => space.places[number as usize].cut = rest.saturating_sub(1),
                }
            }
            let place = &space.places[number as usize];
            space.places[told..].iter().for_each(|new| observer.generated(new.node, new.cost));
            told = space.places.len();
            observer.expanded(node, place.cost);
            match &self.jumps {
                Some(jumps) => self.expand(space, jumps, number, sum),
                None if space.places.len() >= PATIENCE => {
                    space.gave_up = true;
                    return None;
                }
                None => self.step(space, number),
            }
        }
        None
    }

    /// Goes on from a place by steps.
    fn step(&self, space: &mut Space, number: u32) {
        let place = &mut space.places[number as usize];
        place.done.insert_all(place.departures);
        let &mut Place { node, cost, rest, cut, .. } = place;
        self.past.now.out_edges(node, |head, step| {
            let least = rest.saturating_sub(step);
            let cost = cost.saturating_add(step);
            self.reach(space, (head, cost), (number, cut), least, Departures::ANY);
        });
    }

    /// Goes on from a place that came up at this sum by runs.
    fn expand(&self, space: &mut Space, jumps: &JumpPoints<'_>, number: u32, sum: Cost) {
        let view = &self.past.labelled.subgoals.view;
        let [goal, spot] =
            [self.ends[1], space.places[number as usize].node].map(|at| view.cell(at));
        let place = &mut space.places[number as usize];
        let is_first = sum < place.unseen;
        let departures = match is_first {
            true => place.departures.without(place.done),
            false => place.departures,
        };
        place.done.insert_all(departures);
        let &mut Place { cost, rest, cut, .. } = place;
        let mut unseen = if is_first { place.unseen } else { UNREACHABLE };
        // Twice as far beyond the bound as the last time.
        let farther = sum.saturating_sub(cost.saturating_add(rest));
        let most = sum.saturating_add(farther.max(SLACK));
        // No run costs less than the bound.
        let direct = is_first && view.distance(spot, goal) >= rest;
        if let Some(run) = direct.then(|| jumps.line_of_sight(spot, goal)).flatten() {
            let cost = cost.saturating_add(run.cost());
            self.reach(space, (self.ends[1], cost), (number, cut), 0, Departures::ANY);
        }
        let within = |spot, step: Cost| {
            let sum = cost.saturating_add(step).saturating_add(view.distance(spot, goal));
            if sum > most {
                unseen = unseen.min(sum);
            }
            sum <= most
        };
        jumps.ahead(spot, departures, within, |seen| {
            let corners = jumps.corners(seen.cell);
            let continuations = Departures::after_any(seen.arrival, corners);
            let (least, cost) = (rest.saturating_sub(seen.cost), cost.saturating_add(seen.cost));
            self.reach(space, (view.node(seen.cell), cost), (number, cut), least, continuations);
        });
        space.places[number as usize].unseen = unseen;
        space.queue(number, unseen);
    }

    /// Tries the old way from a place to the goal: how much of it is left where it is cut, and
    /// nothing where it is legal and costs as little as the bound says, so that it completes the
    /// path. `None` for other ways.
    fn old_way(
        &self,
        room: &mut Room,
        space: &mut Space,
        number: u32,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let Place { node, rest, .. } = space.places[number as usize];
        let ends = [node, self.ends[1]];
        let (labelled, before) = (self.past.labelled, self.past.before);
        if ends.iter().all(|&end| before.contains(end)) {
            labelled.find(room, node, ends[1]).filter(|&cost| cost == rest)?;
            labelled.unpack(room)?;
            let left = self.past.left(node, room.legs(), rest);
            if left == 0 {
                space.write(self, number, path);
                path.pop();
                append(node, room.legs(), path);
            }
            return Some(left);
        }
        let old = self.past.between(room, ends[0], ends[1]);
        if old.cost != rest {
            return None;
        }
        space.write(self, number, path);
        let start = path.len() - 1;
        self.past.write(room, (ends, old), path)?;
        let cut = self.past.cut(&path[start..]);
        Some(cut.map_or(0, |at| self.past.cost_of(&path[start + at..])))
    }

    /// A cell was reached at some cost from a place; from there on it takes no less than `least`.
    fn reach(
        &self,
        space: &mut Space,
        (node, cost): (NodeId, Cost),
        (parent, cut): (u32, Cost),
        least: Cost,
        departures: Departures,
    ) {
        let known = space.numbers[node as usize];
        let number = match known {
            0 => {
                let rest = self.past.open_distance(node, self.ends[1]);
                let (done, asked) = (Departures::default(), node == self.ends[1]);
                let (cost, sum, unseen) = (UNREACHABLE, UNREACHABLE, UNREACHABLE);
                let place =
                    Place { node, parent, cost, rest, asked, sum, unseen, cut, departures, done };
                space.places.push(place);
                space.numbers[node as usize] = space.places.len() as u32;
                space.places.len() - 1
            }
            known => known as usize - 1,
        };
        let place = &mut space.places[number];
        if !place.asked {
            place.rest = place.rest.max(least);
        }
        if cost < place.cost {
            (place.cost, place.parent, place.cut) = (cost, parent, cut);
            (place.departures, place.done) = (departures, Departures::default());
            place.unseen = UNREACHABLE;
        } else if cost == place.cost && !departures.without(place.departures).is_empty() {
            place.departures.insert_all(departures);
        } else {
            return;
        }
        let sum = cost.saturating_add(place.rest);
        space.queue(number as u32, sum);
    }

    /// What is left from a cell to the goal, at least, and no less than what is known.
    fn rest(&self, space: &mut Space, node: NodeId, known: Cost) -> Cost {
        let [_, to] = self.ends;
        let openings = self.openings.filter(|_| space.places.len() < PATIENCE);
        let Some(openings) = openings else { return self.past.open_distance(node, to) };
        if self.past.before.contains(node) {
            return space.goals.cost(self.past.labelled, node, known);
        }
        if node == to || self.past.steps(node, to) {
            return self.past.open_distance(node, to);
        }
        let ties: Vec<Access> = self.past.ties(node).collect();
        let rest = self.past.cost_from(&mut space.goals, &ties);
        // From one freed cell to another there may be a shorter way than by those round them.
        let over = |opening: &Opening| {
            opening.rest.saturating_add(opening.gate.open_distance(self.past, node))
        };
        openings.iter().map(over).fold(rest, Cost::min)
    }
}

impl Space {
    fn start(&mut self, nodes: usize) {
        // An observer that panicked has left it as it was.
        self.clear();
        self.gave_up = false;
        if self.numbers.len() < nodes {
            self.numbers = vec![0; nodes];
        }
    }

    /// Queues a place, in place of where it is queued now.
    fn queue(&mut self, number: u32, sum: Cost) {
        let place = &mut self.places[number as usize];
        if sum < UNREACHABLE {
            place.sum = sum;
            self.queue.push(Reverse((sum, place.rest, number)));
        }
    }

    fn clear(&mut self) {
        for place in self.places.drain(..) {
            self.numbers[place.node as usize] = 0;
        }
        self.queue.clear();
    }

    /// The cells from the start to a place.
    fn write(&mut self, detour: &Detour<'_>, number: u32, path: &mut Vec<NodeId>) {
        let view = &detour.past.labelled.subgoals.view;
        let deltas = &detour.past.labelled.deltas;
        path.clear();
        let mut at = number as usize;
        loop {
            let place = &self.places[at];
            path.push(place.node);
            if place.node == detour.ends[0] {
                break;
            }
            at = place.parent as usize;
        }
        self.legs.clear();
        for pair in path.windows(2).rev() {
            let legs = view.legs(view.cell(pair[1]), view.cell(pair[0]));
            let leg = |(at, steps)| Leg { delta: deltas[at % 8], steps: steps as u32 };
            self.legs.extend(legs.map(leg));
        }
        path.clear();
        append(detour.ends[0], &self.legs, path);
    }
}
