//! Which freed cells matter between two others, and the best way over them.
//!
//! Ways over freed cells are chains of *gates*: from the start to the first, from each to the next,
//! from the last to the goal, all by old ways (`past.rs`). What chains cost is found by Dijkstra's
//! algorithm among the gates that are near enough to matter, from the goal and from the start, and
//! labels are asked only where octile distances do not rule a pair out.

use super::goal_distances::Goals;
use super::labels::{Access, Old, Past, Way};
use crate::atlas::uniform::lookup::Room;
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::{Connectivity, Grid, Heading};

/// Between more gates than this chains are not looked for.
const MOST: usize = 128;

/// A gate that ways may lead through.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    pub(crate) gate: Gate,
    /// What the rest of a way costs at least that has come there by old ways alone.
    pub(crate) rest: Cost,
}

/// What is known of the best way.
#[derive(Debug)]
pub(crate) struct Prospect {
    /// No legal way costs less, unless it costs as much as the limit.
    pub(crate) least: Cost,
    /// Old ways that come to this, one behind the other.
    pub(crate) ways: Vec<Way>,
    /// The gates that ways below the limit may pass.
    pub(crate) openings: Vec<Opening>,
}

impl Prospect {
    /// What old ways and freed cells offer, as far as it costs less than the limit. `None` where
    /// too many gates would have to be compared.
    pub(crate) fn new(
        past: &Past<'_>,
        (room, goals): (&mut Room, &mut Goals),
        direct: Way,
        (freed, limit): (&[NodeId], Cost),
    ) -> Option<Self> {
        let [from, to] = direct.0;
        let mut prospect = Self { least: direct.1.cost, ways: vec![direct], openings: Vec::new() };
        let mut gates = Vec::new();
        for &cell in freed {
            let [first, last] = [from, to].map(|end| past.open_distance(cell, end));
            // Shortest ways come to their own ends only once, and not beside them.
            let apart = cell != from && cell != to;
            if apart && first.saturating_add(last).saturating_sub(2 * PAD) < limit {
                Gate::each(past, cell, |gate| gates.push(gate));
            }
        }
        if gates.is_empty() {
            return Some(prospect);
        }
        if gates.len() > MOST {
            return None;
        }
        let mut chains = Chains::new(past, limit, gates);
        chains.spread(goals, [from, to], GOAL);
        chains.spread(goals, [from, to], START);
        let total = |at: usize| {
            let stop = &chains.stops[at];
            stop.alone[START].saturating_add(stop.cost[GOAL])
        };
        let best = (0..chains.stops.len()).min_by_key(|&at| total(at));
        if let Some(best) = best.filter(|&at| total(at) < prospect.least.min(limit)) {
            prospect.least = total(best);
            prospect.ways = chains.ways(room, best, [from, to]);
        }
        let useful = |stop: &&Stop| stop.cost[START].saturating_add(stop.cost[GOAL]) < limit;
        let opening = |stop: &Stop| Opening { gate: stop.gate.clone(), rest: stop.cost[GOAL] };
        prospect.openings = chains.stops.iter().filter(useful).map(opening).collect();
        Some(prospect)
    }
}

/// Half of a diagonal step, and the other half.
const HALVES: [Cost; 2] = [DIAGONAL / 2, DIAGONAL - DIAGONAL / 2];

/// How much nearer the middle of a diagonal step may be than the freed cell beside it.
const PAD: Cost = STRAIGHT - HALVES[0];

/// A place to pass that was not there before: a freed cell, or the middle of a diagonal step beside
/// one.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    /// The freed cell.
    cell: NodeId,
    /// Whether the way leads through it.
    through: bool,
    /// The old cells next to the place, and what it costs to get there.
    pub(crate) ties: Vec<Access>,
}

impl Gate {
    /// The gates that a freed cell makes.
    fn each(past: &Past<'_>, cell: NodeId, mut visit: impl FnMut(Self)) {
        let ties: Vec<Access> = past.ties(cell).collect();
        let (x, y) = past.now.split(cell);
        let is_old = |node: &NodeId| past.before.contains(*node) && past.now.contains(*node);
        let old = |x, y| past.now.node(x, y).filter(is_old);
        for direction in Heading::ALL {
            let (dx, dy) = direction.delta();
            if direction.is_diagonal() && opens_step(past, (x, y), (dx, dy)) {
                // The step leads from one neighbour of the cell to another.
                let sides = [(dx, 0), (0, dy)]
                    .map(|(dx, dy)| old(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?));
                if let [Some(a), Some(b)] = sides {
                    let ties = vec![(a, HALVES[0]), (b, HALVES[1])];
                    visit(Self { cell, through: false, ties });
                }
            }
        }
        visit(Self { cell, through: true, ties });
    }

    /// No way from a cell to the gate costs less.
    pub(crate) fn open_distance(&self, past: &Past<'_>, from: NodeId) -> Cost {
        let pad = if self.through { 0 } else { PAD };
        past.open_distance(from, self.cell).saturating_sub(pad)
    }

    /// The same from another gate.
    fn apart(&self, past: &Past<'_>, other: &Self) -> Cost {
        let pad = if other.through { 0 } else { PAD };
        self.open_distance(past, other.cell).saturating_sub(pad)
    }

    /// What a single step costs to another freed cell, where there is one.
    fn step(&self, past: &Past<'_>, other: NodeId) -> Option<Cost> {
        let steps = self.through && past.steps(self.cell, other);
        steps.then(|| past.open_distance(self.cell, other))
    }

    /// Where a path goes that has come by a tie.
    fn middle(&self, tie: NodeId) -> NodeId {
        if self.through { self.cell } else { tie }
    }
}

/// Whether a freed cell allows a step between its neighbours on two sides that was not allowed
/// before.
fn opens_step(past: &Past<'_>, (x, y): (u32, u32), (dx, dy): (i32, i32)) -> bool {
    let across = |grid: &Grid| {
        let (x, y) = (x.checked_add_signed(dx), y.checked_add_signed(dy));
        x.zip(y).is_some_and(|(x, y)| grid.is_passable(x, y))
    };
    let corners = past.now.corners();
    past.now.connectivity() == Connectivity::Eight
        && corners.may_pass(true, across(past.now))
        && !corners.may_pass(false, across(past.before))
}

/// The two ends of a chain.
const START: usize = 0;
const GOAL: usize = 1;

/// A gate with what it costs to either end.
#[derive(Debug)]
struct Stop {
    gate: Gate,
    /// By old ways alone.
    alone: [Cost; 2],
    /// By any chain.
    cost: [Cost; 2],
    /// The next gate of that chain.
    next: [Option<usize>; 2],
}

struct Chains<'a> {
    past: &'a Past<'a>,
    limit: Cost,
    stops: Vec<Stop>,
}

impl<'a> Chains<'a> {
    fn new(past: &'a Past<'a>, limit: Cost, gates: Vec<Gate>) -> Self {
        let (alone, next) = ([UNREACHABLE; 2], [None; 2]);
        let stop = |gate| Stop { gate, alone, cost: alone, next };
        Self { past, limit, stops: gates.into_iter().map(stop).collect() }
    }

    /// The costs of all gates to one end.
    fn spread(&mut self, goals: &mut Goals, ends: [NodeId; 2], side: usize) {
        let past = self.past;
        let ties: Vec<Access> = past.ties(ends[side]).collect();
        past.aim(goals, [(&ties[..], 0)]);
        for stop in &mut self.stops {
            let step = stop.gate.step(past, ends[side]);
            let cost = step.unwrap_or_else(|| past.cost_from(goals, &stop.gate.ties));
            (stop.alone[side], stop.cost[side]) = (cost, cost);
        }
        let mut open: Vec<usize> = (0..self.stops.len()).collect();
        while let Some(at) = take_least(&mut open, |at| self.stops[at].cost[side]) {
            let (gate, cost) = (self.stops[at].gate.clone(), self.stops[at].cost[side]);
            let mut aimed = false;
            for &other in &open {
                let stop = &mut self.stops[other];
                let least = cost.saturating_add(gate.apart(past, &stop.gate));
                let known = stop.cost[1 - side];
                let open_distance = || stop.gate.open_distance(past, ends[1 - side]);
                let rest = if side == GOAL { open_distance() } else { known };
                if least >= stop.cost[side] || least.saturating_add(rest) >= self.limit {
                    continue;
                }
                if !std::mem::replace(&mut aimed, true) {
                    past.aim(goals, [(&gate.ties[..], 0)]);
                }
                let step = stop.gate.step(past, gate.cell).filter(|_| gate.through);
                let between = step.unwrap_or_else(|| past.cost_from(goals, &stop.gate.ties));
                let cost = cost.saturating_add(between);
                if cost < stop.cost[side] {
                    (stop.cost[side], stop.next[side]) = (cost, Some(at));
                }
            }
        }
    }

    /// The old ways of the best chain whose first gate is this.
    fn ways(&self, room: &mut Room, first: usize, [from, to]: [NodeId; 2]) -> Vec<Way> {
        let past = self.past;
        let cell = |cell: NodeId| Gate { cell, through: true, ties: past.ties(cell).collect() };
        let (start, goal) = (cell(from), cell(to));
        let mut gates = vec![&start];
        let mut at = Some(first);
        while let Some(stop) = at.map(|at| &self.stops[at]) {
            gates.push(&stop.gate);
            at = stop.next[GOAL];
        }
        gates.push(&goal);
        let way = |pair: &[&Gate]| {
            let [a, b] = [pair[0], pair[1]];
            let step = a.step(past, b.cell).filter(|_| b.through);
            let old = match step {
                Some(cost) => Old { cost, ties: [a.cell, b.cell] },
                None => past.between_ties(room, &a.ties, &b.ties),
            };
            ([a.middle(old.ties[0]), b.middle(old.ties[1])], old)
        };
        gates.windows(2).map(way).collect()
    }
}

/// Takes out the one that has the least cost, if any can be reached.
fn take_least(open: &mut Vec<usize>, cost: impl Fn(usize) -> Cost) -> Option<usize> {
    let (place, _) = open.iter().enumerate().min_by_key(|&(_, &at)| cost(at))?;
    let at = open.swap_remove(place);
    (cost(at) < UNREACHABLE).then_some(at)
}
