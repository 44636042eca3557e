//! Finds the freed cells that matter between two endpoints, and the best chain of old paths over
//! them.
//!
//! A chain leads from the start to a gate, from gate to gate, and to the goal, always by old paths
//! or single steps (see `labels`). Dijkstra's algorithm finds the costs of chains among the gates
//! that are near enough to matter, from the goal and from the start. It reads stale labels only if
//! open distances do not rule a pair of gates out.

use super::goal_distances::GoalDistances;
use super::labels::{CellAccess, OldPath, OldSegment, StaleLabels};
use crate::atlas::uniform::lookup::QueryScratch;
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::{Connectivity, Grid, Heading};

/// With more gates, no chains are searched.
const MOST_GATES: usize = 128;

/// A gate that a shortest path may pass.
#[derive(Debug, Clone)]
pub(crate) struct RelevantGate {
    pub(crate) gate: Gate,
    /// A lower bound for the rest of a path that has reached the gate by an old path.
    pub(crate) rest: Cost,
}

/// The best chain of old paths between two endpoints.
#[derive(Debug)]
pub(crate) struct BestChain {
    /// A lower bound for all legal paths that cost less than the limit.
    pub(crate) bound: Cost,
    /// The old paths of the chain, whose cost is `bound`.
    pub(crate) segments: Vec<OldSegment>,
    /// The gates that paths below the limit may pass.
    pub(crate) gates: Vec<RelevantGate>,
}

impl BestChain {
    /// The best chain, if it costs less than the limit, else the direct old path. `None` if there
    /// are too many gates.
    pub(crate) fn new(
        stale: &StaleLabels<'_>,
        (lookup, goals): (&mut QueryScratch, &mut GoalDistances),
        direct: OldSegment,
        (freed, limit): (&[NodeId], Cost),
    ) -> Option<Self> {
        let [from, to] = direct.0;
        let mut best = Self { bound: direct.1.cost, segments: vec![direct], gates: Vec::new() };
        let mut gates = Vec::new();
        for &cell in freed {
            let [first, last] = [from, to].map(|end| stale.open_distance(cell, end));
            // A shortest path visits its endpoints once, and makes no diagonal step beside them.
            let apart = cell != from && cell != to;
            if apart && first.saturating_add(last).saturating_sub(2 * PAD) < limit {
                Gate::each(stale, cell, |gate| gates.push(gate));
            }
        }
        if gates.is_empty() {
            return Some(best);
        }
        if gates.len() > MOST_GATES {
            return None;
        }
        let mut graph = GateGraph::new(stale, limit, gates);
        graph.search(goals, [from, to], GOAL);
        graph.search(goals, [from, to], START);
        let total = |at: usize| {
            let node = &graph.nodes[at];
            node.direct[START].saturating_add(node.cost[GOAL])
        };
        let first = (0..graph.nodes.len()).min_by_key(|&at| total(at));
        if let Some(first) = first.filter(|&at| total(at) < best.bound.min(limit)) {
            best.bound = total(first);
            best.segments = graph.segments(lookup, first, [from, to]);
        }
        let useful = |node: &&GateNode| node.cost[START].saturating_add(node.cost[GOAL]) < limit;
        let relevant =
            |node: &GateNode| RelevantGate { gate: node.gate.clone(), rest: node.cost[GOAL] };
        best.gates = graph.nodes.iter().filter(useful).map(relevant).collect();
        Some(best)
    }
}

/// The cost of a diagonal step in two halves.
const HALVES: [Cost; 2] = [DIAGONAL / 2, DIAGONAL - DIAGONAL / 2];

/// How much nearer the middle of a diagonal step may be than the freed cell beside it.
const PAD: Cost = STRAIGHT - HALVES[0];

/// A passage that edits have opened: a freed cell, or the middle of a diagonal step beside one.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    /// The freed cell.
    cell: NodeId,
    /// Whether paths pass the cell itself.
    through: bool,
    pub(crate) accesses: Vec<CellAccess>,
}

impl Gate {
    /// Visits the gates of a freed cell.
    fn each(stale: &StaleLabels<'_>, cell: NodeId, mut visit: impl FnMut(Self)) {
        let accesses: Vec<CellAccess> = stale.accesses(cell).collect();
        let (x, y) = stale.now.split(cell);
        let is_old = |node: &NodeId| stale.before.contains(*node) && stale.now.contains(*node);
        let old = |x, y| stale.now.node(x, y).filter(is_old);
        for heading in Heading::ALL {
            let (dx, dy) = heading.delta();
            if heading.is_diagonal() && opens_step(stale, (x, y), (dx, dy)) {
                // The step leads from one neighbour of the cell to another.
                let sides = [(dx, 0), (0, dy)]
                    .map(|(dx, dy)| old(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?));
                if let [Some(a), Some(b)] = sides {
                    let accesses = vec![(a, HALVES[0]), (b, HALVES[1])];
                    visit(Self { cell, through: false, accesses });
                }
            }
        }
        visit(Self { cell, through: true, accesses });
    }

    /// A lower bound for paths from a cell to the gate.
    pub(crate) fn open_distance(&self, stale: &StaleLabels<'_>, from: NodeId) -> Cost {
        let pad = if self.through { 0 } else { PAD };
        stale.open_distance(from, self.cell).saturating_sub(pad)
    }

    /// A lower bound for paths from another gate.
    fn open_distance_between(&self, stale: &StaleLabels<'_>, other: &Self) -> Cost {
        let pad = if other.through { 0 } else { PAD };
        self.open_distance(stale, other.cell).saturating_sub(pad)
    }

    /// The cost of the step to another freed cell, if there is one.
    fn step(&self, stale: &StaleLabels<'_>, other: NodeId) -> Option<Cost> {
        let steps = self.through && stale.is_new_step(self.cell, other);
        steps.then(|| stale.open_distance(self.cell, other))
    }

    /// The cell that a path visits after it has entered by this access.
    fn middle(&self, access: NodeId) -> NodeId {
        if self.through { self.cell } else { access }
    }
}

/// Whether a freed cell allows a diagonal step between two of its neighbours that was illegal.
fn opens_step(stale: &StaleLabels<'_>, (x, y): (u32, u32), (dx, dy): (i32, i32)) -> bool {
    let across = |grid: &Grid| {
        let (x, y) = (x.checked_add_signed(dx), y.checked_add_signed(dy));
        x.zip(y).is_some_and(|(x, y)| grid.is_passable(x, y))
    };
    let corners = stale.now.corners();
    stale.now.connectivity() == Connectivity::Eight
        && corners.may_pass(true, across(stale.now))
        && !corners.may_pass(false, across(stale.before))
}

/// Indices of the endpoints of a chain.
const START: usize = 0;
const GOAL: usize = 1;

/// A gate with its costs to both endpoints.
#[derive(Debug)]
struct GateNode {
    gate: Gate,
    /// By one old path.
    direct: [Cost; 2],
    /// By any chain.
    cost: [Cost; 2],
    /// The next gate of that chain.
    next: [Option<usize>; 2],
}

struct GateGraph<'a> {
    stale: &'a StaleLabels<'a>,
    limit: Cost,
    nodes: Vec<GateNode>,
}

impl<'a> GateGraph<'a> {
    fn new(stale: &'a StaleLabels<'a>, limit: Cost, gates: Vec<Gate>) -> Self {
        let (direct, next) = ([UNREACHABLE; 2], [None; 2]);
        let node = |gate| GateNode { gate, direct, cost: direct, next };
        Self { stale, limit, nodes: gates.into_iter().map(node).collect() }
    }

    /// Computes the costs of all gates to one endpoint.
    fn search(&mut self, goals: &mut GoalDistances, endpoints: [NodeId; 2], side: usize) {
        let stale = self.stale;
        let accesses: Vec<CellAccess> = stale.accesses(endpoints[side]).collect();
        stale.set_goals(goals, [(&accesses[..], 0)]);
        for node in &mut self.nodes {
            let step = node.gate.step(stale, endpoints[side]);
            let cost = step.unwrap_or_else(|| stale.cost_to_goals(goals, &node.gate.accesses));
            (node.direct[side], node.cost[side]) = (cost, cost);
        }
        let mut open: Vec<usize> = (0..self.nodes.len()).collect();
        while let Some(at) = take_least(&mut open, |at| self.nodes[at].cost[side]) {
            let (gate, cost) = (self.nodes[at].gate.clone(), self.nodes[at].cost[side]);
            let mut goals_set = false;
            for &other in &open {
                let node = &mut self.nodes[other];
                let least = cost.saturating_add(gate.open_distance_between(stale, &node.gate));
                let known = node.cost[1 - side];
                let open_distance = || node.gate.open_distance(stale, endpoints[1 - side]);
                let rest = if side == GOAL { open_distance() } else { known };
                if least >= node.cost[side] || least.saturating_add(rest) >= self.limit {
                    continue;
                }
                if !std::mem::replace(&mut goals_set, true) {
                    stale.set_goals(goals, [(&gate.accesses[..], 0)]);
                }
                let step = node.gate.step(stale, gate.cell).filter(|_| gate.through);
                let between =
                    step.unwrap_or_else(|| stale.cost_to_goals(goals, &node.gate.accesses));
                let cost = cost.saturating_add(between);
                if cost < node.cost[side] {
                    (node.cost[side], node.next[side]) = (cost, Some(at));
                }
            }
        }
    }

    /// The old paths of the best chain with this first gate.
    fn segments(
        &self,
        lookup: &mut QueryScratch,
        first: usize,
        [from, to]: [NodeId; 2],
    ) -> Vec<OldSegment> {
        let stale = self.stale;
        let endpoint =
            |cell: NodeId| Gate { cell, through: true, accesses: stale.accesses(cell).collect() };
        let (start, goal) = (endpoint(from), endpoint(to));
        let mut gates = vec![&start];
        let mut at = Some(first);
        while let Some(node) = at.map(|at| &self.nodes[at]) {
            gates.push(&node.gate);
            at = node.next[GOAL];
        }
        gates.push(&goal);
        let segment = |pair: &[&Gate]| {
            let [a, b] = [pair[0], pair[1]];
            let step = a.step(stale, b.cell).filter(|_| b.through);
            let old = match step {
                Some(cost) => OldPath { cost, accesses: [a.cell, b.cell] },
                None => stale.old_path_between(lookup, &a.accesses, &b.accesses),
            };
            ([a.middle(old.accesses[0]), b.middle(old.accesses[1])], old)
        };
        gates.windows(2).map(segment).collect()
    }
}

/// Removes the gate with the least cost, if it can be reached.
fn take_least(open: &mut Vec<usize>, cost: impl Fn(usize) -> Cost) -> Option<usize> {
    let (place, _) = open.iter().enumerate().min_by_key(|&(_, &at)| cost(at))?;
    let at = open.swap_remove(place);
    (cost(at) < UNREACHABLE).then_some(at)
}
