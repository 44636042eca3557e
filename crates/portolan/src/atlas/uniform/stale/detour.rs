//! A* on an edited grid, with stale labels as lower bounds.
//!
//! The search runs over taut runs that are found when needed ([`JumpPoints`]). The lower bound of a
//! cell is the least cost of an old path to the goal, or of an old path to a gate and the best
//! chain from there (`labels`). So the search follows what was the shortest path, and leaves it
//! only at obstacles. As soon as the old path from the current cell is legal, it completes the
//! answer: its cost equals the bound, and no legal path can cost less.
//!
//! On grids with other rules than jump points support, the search goes step by step. With these
//! bounds it rarely expands cells off the path before an old path completes it; if it expands too
//! many, it gives up.
//!
//! Bounds are lazy. A cell is queued with its open distance or a bound derived from its parent; the
//! bound from labels is computed when it is popped. So most cells that lead away from the goal cost
//! almost nothing. Likewise, runs are searched only as far as open distances make them promising,
//! and the cell is queued again with the bound of the others.
//!
//! A cell may be left only in directions that form a taut path with its arrival. If several paths
//! of the same cost reach it, their directions are merged, and new ones are tried when the cell is
//! popped again. Bounds need not be consistent: a cell that is reached at a lower cost is queued
//! again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::freed_cells::RelevantGate;
use super::goal_distances::GoalDistances;
use super::labels::{CellAccess, StaleLabels};
use crate::atlas::uniform::lookup::QueryScratch;
use crate::atlas::uniform::subgoals::{Departures, JumpPoints};
use crate::cost::{Cost, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::route::{Leg, append};
use crate::search::Observer;

/// After this many nodes, new ones get cheaper and weaker bounds, and a search by steps gives up.
const MANY_NODES: usize = 2000;

/// How far beyond the lower bound runs are searched at first.
const SLACK: Cost = 4 * STRAIGHT;

/// Scratch space of detour searches.
#[derive(Debug, Default)]
pub(crate) struct DetourScratch {
    /// By cell the number of its search node, counted from one.
    numbers: Vec<u32>,
    nodes: Vec<SearchNode>,
    /// Sum of cost and bound, the bound, and the number of the search node.
    queue: BinaryHeap<Reverse<(Cost, Cost, u32)>>,
    legs: Vec<Leg>,
    /// Whether the last search met so many cells that a plain one is faster.
    pub(crate) gave_up: bool,
    pub(crate) goals: GoalDistances,
}

/// A cell that was reached.
#[derive(Debug)]
struct SearchNode {
    node: NodeId,
    parent: u32,
    cost: Cost,
    /// A lower bound for the rest of the path, and whether it comes from labels.
    rest: Cost,
    from_labels: bool,
    /// The key under which it is queued; [`UNREACHABLE`] if it is not queued.
    sum: Cost,
    /// A lower bound for paths over runs that were not searched yet.
    unseen: Cost,
    /// The old path is known to be illegal where this much of it is left.
    cut: Cost,
    /// The directions to leave in, and those that are done.
    departures: Departures,
    done: Departures,
}

/// A search between two cells that are known to be connected.
pub(crate) struct DetourSearch<'a> {
    pub(crate) stale: &'a StaleLabels<'a>,
    /// Runs on the current grid; `None`: search by steps.
    pub(crate) jumps: Option<JumpPoints<'a>>,
    pub(crate) endpoints: [NodeId; 2],
    /// The gates that matter; `None` if there are too many.
    pub(crate) gates: Option<&'a [RelevantGate]>,
    /// How much of the old path from the start is left where it becomes illegal.
    pub(crate) cut: Cost,
}

impl DetourSearch<'_> {
    /// Fills the path and returns its cost. `None` if costs overflow, or if the search gives up.
    pub(crate) fn run(
        &self,
        lookup: &mut QueryScratch,
        scratch: &mut DetourScratch,
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        scratch.start(self.stale.now.node_count());
        let [from, to] = self.endpoints;
        if let Some(gates) = self.gates {
            let gates = gates.iter().map(|gate| (&gate.gate.accesses[..], gate.rest));
            let accesses: Vec<CellAccess> = self.stale.accesses(to).collect();
            self.stale.set_goals(&mut scratch.goals, gates.chain([(&accesses[..], 0)]));
        }
        self.relax(scratch, (from, 0), (0, self.cut), 0, Departures::ANY);
        let found = self.settle(lookup, scratch, path, observer);
        scratch.clear();
        found
    }

    fn settle(
        &self,
        lookup: &mut QueryScratch,
        scratch: &mut DetourScratch,
        path: &mut Vec<NodeId>,
        observer: &mut dyn Observer,
    ) -> Option<Cost> {
        let mut reported = 0;
        while let Some(Reverse((sum, _, number))) = scratch.queue.pop() {
            let at = &mut scratch.nodes[number as usize];
            if at.sum != sum {
                continue;
            }
            at.sum = UNREACHABLE;
            let node = at.node;
            if node == self.endpoints[1] {
                scratch.write(self, number, path);
                return Some(sum);
            }
            if !at.from_labels {
                let known = at.rest;
                let rest = self.bound(scratch, node, known).max(known);
                let at = &mut scratch.nodes[number as usize];
                (at.rest, at.from_labels) = (rest, true);
            }
            let at = &scratch.nodes[number as usize];
            let least = at.cost.saturating_add(at.rest);
            if least > sum {
                scratch.queue(number, least);
                continue;
            }
            let at = &scratch.nodes[number as usize];
            let (rest, is_first) = (at.rest, sum < at.unseen);
            if is_first && rest <= at.cut && self.gates.is_some() {
                match self.complete(lookup, scratch, number, path) {
                    Some(0) => return Some(sum),
                    Some(cut) => scratch.nodes[number as usize].cut = cut,
                    None => scratch.nodes[number as usize].cut = rest.saturating_sub(1),
                }
            }
            let at = &scratch.nodes[number as usize];
            scratch.nodes[reported..].iter().for_each(|new| observer.generated(new.node, new.cost));
            reported = scratch.nodes.len();
            observer.expanded(node, at.cost);
            match &self.jumps {
                Some(jumps) => self.expand_runs(scratch, jumps, number, sum),
                None if scratch.nodes.len() >= MANY_NODES => {
                    scratch.gave_up = true;
                    return None;
                }
                None => self.expand_steps(scratch, number),
            }
        }
        None
    }

    fn expand_steps(&self, scratch: &mut DetourScratch, number: u32) {
        let at = &mut scratch.nodes[number as usize];
        at.done.insert_all(at.departures);
        let &mut SearchNode { node, cost, rest, cut, .. } = at;
        self.stale.now.out_edges(node, |head, step| {
            let least = rest.saturating_sub(step);
            let cost = cost.saturating_add(step);
            self.relax(scratch, (head, cost), (number, cut), least, Departures::ANY);
        });
    }

    /// Expands by runs a node that was popped with this sum.
    fn expand_runs(
        &self,
        scratch: &mut DetourScratch,
        jumps: &JumpPoints<'_>,
        number: u32,
        sum: Cost,
    ) {
        let view = &self.stale.labelled.subgoals.view;
        let [goal, cell] =
            [self.endpoints[1], scratch.nodes[number as usize].node].map(|at| view.cell(at));
        let at = &mut scratch.nodes[number as usize];
        let is_first = sum < at.unseen;
        let departures = match is_first {
            true => at.departures.without(at.done),
            false => at.departures,
        };
        at.done.insert_all(departures);
        let &mut SearchNode { cost, rest, cut, .. } = at;
        let mut unseen = if is_first { at.unseen } else { UNREACHABLE };
        // Twice as far beyond the bound as the last time.
        let farther = sum.saturating_sub(cost.saturating_add(rest));
        let most = sum.saturating_add(farther.max(SLACK));
        // No run costs less than the bound.
        let direct = is_first && view.distance(cell, goal) >= rest;
        if let Some(run) = direct.then(|| jumps.line_of_sight(cell, goal)).flatten() {
            let cost = cost.saturating_add(run.cost());
            self.relax(scratch, (self.endpoints[1], cost), (number, cut), 0, Departures::ANY);
        }
        let within = |cell, step: Cost| {
            let sum = cost.saturating_add(step).saturating_add(view.distance(cell, goal));
            if sum > most {
                unseen = unseen.min(sum);
            }
            sum <= most
        };
        jumps.ahead(cell, departures, within, |seen| {
            let corners = jumps.corners(seen.cell);
            let onward = Departures::after_any(seen.arrival, corners);
            let (least, cost) = (rest.saturating_sub(seen.cost), cost.saturating_add(seen.cost));
            self.relax(scratch, (view.node(seen.cell), cost), (number, cut), least, onward);
        });
        scratch.nodes[number as usize].unseen = unseen;
        scratch.queue(number, unseen);
    }

    /// Tries to complete the path by the old path from a node to the goal, if its cost equals the
    /// bound. Returns 0 if it is legal, else how much of it is left at its first illegal step;
    /// `None` if there is no such old path.
    fn complete(
        &self,
        lookup: &mut QueryScratch,
        scratch: &mut DetourScratch,
        number: u32,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let SearchNode { node, rest, .. } = scratch.nodes[number as usize];
        let endpoints = [node, self.endpoints[1]];
        let (labelled, before) = (self.stale.labelled, self.stale.before);
        if endpoints.iter().all(|&cell| before.contains(cell)) {
            labelled.find(lookup, node, endpoints[1]).filter(|&cost| cost == rest)?;
            labelled.unpack(lookup)?;
            let left = self.stale.rest_after_cut(node, lookup.legs(), rest);
            if left == 0 {
                scratch.write(self, number, path);
                path.pop();
                append(node, lookup.legs(), path);
            }
            return Some(left);
        }
        let old = self.stale.old_path(lookup, endpoints[0], endpoints[1]);
        if old.cost != rest {
            return None;
        }
        scratch.write(self, number, path);
        let start = path.len() - 1;
        self.stale.append(lookup, (endpoints, old), path)?;
        let cut = self.stale.first_illegal_step(&path[start..]);
        Some(cut.map_or(0, |at| self.stale.path_cost(&path[start + at..])))
    }

    /// Records that a node was reached at a cost from `parent`. `least` is a lower bound for the
    /// rest.
    fn relax(
        &self,
        scratch: &mut DetourScratch,
        (node, cost): (NodeId, Cost),
        (parent, cut): (u32, Cost),
        least: Cost,
        departures: Departures,
    ) {
        let known = scratch.numbers[node as usize];
        let number = match known {
            0 => {
                scratch.nodes.push(SearchNode {
                    node,
                    parent,
                    cost: UNREACHABLE,
                    rest: self.stale.open_distance(node, self.endpoints[1]),
                    from_labels: node == self.endpoints[1],
                    sum: UNREACHABLE,
                    unseen: UNREACHABLE,
                    cut,
                    departures,
                    done: Departures::default(),
                });
                scratch.numbers[node as usize] = scratch.nodes.len() as u32;
                scratch.nodes.len() - 1
            }
            known => known as usize - 1,
        };
        let at = &mut scratch.nodes[number];
        if !at.from_labels {
            at.rest = at.rest.max(least);
        }
        if cost < at.cost {
            (at.cost, at.parent, at.cut) = (cost, parent, cut);
            (at.departures, at.done) = (departures, Departures::default());
            at.unseen = UNREACHABLE;
        } else if cost == at.cost && !departures.without(at.departures).is_empty() {
            at.departures.insert_all(departures);
        } else {
            return;
        }
        let sum = cost.saturating_add(at.rest);
        scratch.queue(number as u32, sum);
    }

    /// A lower bound for paths from a cell to the goal, given the lower bound `known`.
    fn bound(&self, scratch: &mut DetourScratch, node: NodeId, known: Cost) -> Cost {
        let [_, to] = self.endpoints;
        let gates = self.gates.filter(|_| scratch.nodes.len() < MANY_NODES);
        let Some(gates) = gates else { return self.stale.open_distance(node, to) };
        if self.stale.before.contains(node) {
            return scratch.goals.cost(self.stale.labelled, node, known);
        }
        if node == to || self.stale.is_new_step(node, to) {
            return self.stale.open_distance(node, to);
        }
        let accesses: Vec<CellAccess> = self.stale.accesses(node).collect();
        let rest = self.stale.cost_to_goals(&mut scratch.goals, &accesses);
        // Between two freed cells there may be a shorter path than over their neighbours.
        let over = |gate: &RelevantGate| {
            gate.rest.saturating_add(gate.gate.open_distance(self.stale, node))
        };
        gates.iter().map(over).fold(rest, Cost::min)
    }
}

impl DetourScratch {
    fn start(&mut self, nodes: usize) {
        // The last search did not clear up if its observer panicked.
        self.clear();
        self.gave_up = false;
        if self.numbers.len() < nodes {
            self.numbers = vec![0; nodes];
        }
    }

    /// Queues a node. An earlier entry becomes invalid.
    fn queue(&mut self, number: u32, sum: Cost) {
        let at = &mut self.nodes[number as usize];
        if sum < UNREACHABLE {
            at.sum = sum;
            self.queue.push(Reverse((sum, at.rest, number)));
        }
    }

    fn clear(&mut self) {
        for at in self.nodes.drain(..) {
            self.numbers[at.node as usize] = 0;
        }
        self.queue.clear();
    }

    /// Writes the cells from the start to a node.
    fn write(&mut self, search: &DetourSearch<'_>, number: u32, path: &mut Vec<NodeId>) {
        let view = &search.stale.labelled.subgoals.view;
        let deltas = &search.stale.labelled.deltas;
        path.clear();
        let mut at = number as usize;
        loop {
            let reached = &self.nodes[at];
            path.push(reached.node);
            if reached.node == search.endpoints[0] {
                break;
            }
            at = reached.parent as usize;
        }
        self.legs.clear();
        for pair in path.windows(2).rev() {
            let legs = view.legs(view.cell(pair[1]), view.cell(pair[0]));
            let leg = |(at, steps)| Leg { delta: deltas[at % 8], steps: steps as u32 };
            self.legs.extend(legs.map(leg));
        }
        path.clear();
        append(search.endpoints[0], &self.legs, path);
    }
}
