//! Fields after edits.
//!
//! An edit changes edges at a few nodes, the *touched* ones. Three rounds (after Ramalingam and
//! Reps, "An incremental algorithm for a generalization of the shortest-path problem", 1996) make
//! the field right again:
//!
//! 1. **Raise.** In the order of old costs, every node in doubt is asked whether an edge still
//!    leads to its cost or below, to a node that itself is not raised. If none does, the node is
//!    raised, and whoever steps to it is in doubt next. An edge that costs something leads to a
//!    node asked before, so its answer stands. One that costs nothing counts only where it is the
//!    stored step: stored steps go in no circles, and a node whose step is raised later is asked
//!    again.
//! 2. **Lower.** Raised nodes have no cost; those that remain have one that some way has. Raised
//!    and touched nodes are offered what their edges promise, and Dijkstra's algorithm carries that
//!    on against the edges.
//! 3. **Steps** follow from costs, so they are found anew where edges or costs, their own or those
//!    at the heads of their edges, may have changed.
//!
//! Costs are those of a field made anew since they are the least ones, and steps since they follow
//! from them. Where more than a quarter of all nodes is raised, making the field anew is cheaper,
//! and is what happens.

use super::field::FlowField;
use super::steps::{NO_STEP, Steps};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::map::{Map, on_graph};
use crate::search::queue::{Entry, Queue};
use crate::search::wave::Wave;

/// Above one node in so many that are raised, a field is made anew.
const MOST_RAISED: usize = 4;

const RAISED: u8 = 1;
const RENEWED: u8 = 2;

/// What a repair writes down; kept for the next one, with all marks wiped out.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    marks: Vec<u8>,
    doubts: Queue,
    raised: Vec<NodeId>,
    /// Nodes whose cost may differ.
    changed: Vec<NodeId>,
    /// Nodes whose step may differ.
    renewed: Vec<NodeId>,
}

impl FlowField {
    /// Follows an edit: `map` is the map after it, `changes` what was changed, as [`Map::apply`]
    /// and [`Edit::changes`](crate::world::Edit::changes) have it. Says how many steps were looked
    /// at anew.
    ///
    /// The field is then that of a field made anew for this map. A goal that is blocked or removed
    /// does not count until it is freed again; without any that counts, no way is left.
    ///
    /// All edits have to be told, each once, in their order; several may be told together. A map of
    /// another size or with other rules needs no changes told: the field is made anew.
    pub fn repair(&mut self, map: &Map, changes: &Changes) -> usize {
        let before = std::mem::replace(&mut self.map, map.clone());
        if !is_edited(&before, map, changes) {
            self.fill();
            return map.node_count();
        }
        self.wave.resize(map.node_count());
        self.steps.resize(map.node_count(), NO_STEP);
        self.notes.marks.resize(map.node_count(), 0);
        self.level |= changes.edges.iter().any(costs_nothing);
        on_graph!(map, graph => {
            let touched = self.touched(changes);
            let renewed = self.follow(graph, &touched);
            self.notes.wipe();
            renewed.unwrap_or_else(|| {
                self.fill();
                map.node_count()
            })
        })
    }

    /// The nodes whose edges may be others than before the map became what it is, each once.
    fn touched(&self, changes: &Changes) -> Vec<NodeId> {
        let mut touched: Vec<NodeId> = match &self.map {
            Map::Grid(grid) => changes.touched_cells(grid).collect(),
            Map::Graph(_) => changes.edges.iter().map(|change| change.ends().0).collect(),
        };
        // A removed node takes all its edges along. Only those that somebody steps along can
        // matter.
        let removed = |change: &NodeChange| match *change {
            NodeChange::Delete { node } => Some(node),
            NodeChange::Insert { .. } => None,
        };
        touched.extend(changes.nodes.iter().filter_map(removed));
        if changes.nodes.iter().any(|change| removed(change).is_some()) {
            let steps = (0..).zip(&self.steps).filter(|&(_, &step)| step != NO_STEP);
            let lost = steps.filter(|&(_, &step)| !self.map.contains(step));
            touched.extend(lost.map(|(node, _)| node));
        }
        touched.retain(|&node| (node as usize) < self.steps.len());
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// How many steps were found anew; `None` where it is better to make the field anew, and
    /// nothing is changed.
    fn follow<G: Graph>(&mut self, graph: &G, touched: &[NodeId]) -> Option<usize> {
        let Self { goals, wave, steps, notes, level, beyond, .. } = self;
        let goals = &goals[..];
        notes.raise(Before { graph, goals, costs: wave.costs(), steps }, touched)?;
        let mut heavy = notes.lower(graph, goals, wave, touched);
        notes.changed.extend_from_slice(&notes.raised);
        heavy |= wave.flow(&graph.reversed(), |node, _| notes.changed.push(node));
        notes.find_renewed(graph, touched);
        let ways = Steps { graph, goals, costs: wave.costs() };
        ways.renew(&notes.renewed, *level, steps);
        *beyond = (heavy || *beyond) && ways.mark_beyond(steps);
        Some(notes.renewed.len())
    }
}

/// A field before the edit, on the map after it.
struct Before<'a, G> {
    graph: &'a G,
    goals: &'a [NodeId],
    costs: &'a [Cost],
    steps: &'a [NodeId],
}

impl<G: Graph> Before<'_, G> {
    /// Whether an edge, to a node that is not raised, still leads to the cost of a node or below.
    fn stands(&self, node: NodeId, marks: &[u8]) -> bool {
        let (cost, step) = (self.costs[node as usize], self.steps[node as usize]);
        let mut stands = is_open_goal(self.graph, self.goals, node);
        self.graph.out_edges(node, |head, weight| {
            stands |= marks[head as usize] & RAISED == 0
                && (weight > 0 || head == step)
                && plus(weight, self.costs[head as usize]).is_some_and(|promise| promise <= cost);
        });
        stands
    }
}

impl Notes {
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = self.raised.capacity() + self.changed.capacity() + self.renewed.capacity();
        self.marks.capacity() + lists * size_of::<NodeId>() + self.doubts.memory_bytes()
    }

    /// Finds the nodes that have lost their way; `None` where these are very many.
    fn raise<G: Graph>(&mut self, before: Before<'_, G>, touched: &[NodeId]) -> Option<()> {
        let Self { marks, doubts, raised, .. } = self;
        let doubt = |doubts: &mut Queue, node: NodeId| {
            let cost = before.costs[node as usize];
            if cost != UNREACHABLE {
                doubts.push(Entry { bound: cost, cost, node });
            }
        };
        touched.iter().for_each(|&node| doubt(doubts, node));
        while let Some(Entry { node, .. }) = doubts.pop() {
            if marks[node as usize] & RAISED != 0 || before.stands(node, marks) {
                continue;
            }
            marks[node as usize] |= RAISED;
            raised.push(node);
            if raised.len() > marks.len() / MOST_RAISED {
                return None;
            }
            before.graph.in_edges(node, |tail, _| {
                if before.steps[tail as usize] == node && marks[tail as usize] & RAISED == 0 {
                    doubt(doubts, tail);
                }
            });
        }
        Some(())
    }

    /// Offers raised and touched nodes what their edges promise; says whether some cost was beyond
    /// counting.
    fn lower(
        &mut self,
        graph: &impl Graph,
        goals: &[NodeId],
        wave: &mut Wave,
        touched: &[NodeId],
    ) -> bool {
        self.raised.iter().for_each(|&node| wave.raise(node));
        let mut heavy = false;
        for &node in self.raised.iter().chain(touched) {
            let mut least = if is_open_goal(graph, goals, node) { 0 } else { UNREACHABLE };
            graph.out_edges(node, |head, weight| {
                let rest = wave.costs()[head as usize];
                let promise = plus(weight, rest);
                heavy |= promise.is_none() && rest != UNREACHABLE;
                least = least.min(promise.unwrap_or(UNREACHABLE));
            });
            if wave.offer(node, least) {
                self.changed.push(node);
            }
        }
        heavy
    }

    /// The nodes whose step may be another: touched and changed ones and those with an edge to a
    /// changed one.
    fn find_renewed(&mut self, graph: &impl Graph, touched: &[NodeId]) {
        let Self { marks, changed, renewed, .. } = self;
        let mut renew = |node: NodeId| {
            let mark = &mut marks[node as usize];
            if *mark & RENEWED == 0 {
                *mark |= RENEWED;
                renewed.push(node);
            }
        };
        touched.iter().for_each(|&node| renew(node));
        for &node in &*changed {
            renew(node);
            graph.in_edges(node, |tail, _| renew(tail));
        }
    }

    /// Every mark is on a node of these lists.
    fn wipe(&mut self) {
        for &node in self.raised.iter().chain(&self.renewed) {
            self.marks[node as usize] = 0;
        }
        self.doubts.clear();
        self.raised.clear();
        self.changed.clear();
        self.renewed.clear();
    }
}

fn costs_nothing(change: &EdgeChange) -> bool {
    use EdgeChange::{Insert, SetWeight};
    matches!(change, Insert { weight: 0, .. } | SetWeight { weight: 0, .. })
}

fn is_open_goal(graph: &impl Graph, goals: &[NodeId], node: NodeId) -> bool {
    goals.binary_search(&node).is_ok() && graph.contains(node)
}

/// Whether these changes can lead from one map to the other: the same cells and rules, or as many
/// more nodes as were added.
fn is_edited(before: &Map, after: &Map, changes: &Changes) -> bool {
    match (before, after) {
        (Map::Grid(before), Map::Grid(after)) => {
            let shape = |grid: &Grid| {
                (
                    grid.width(),
                    grid.height(),
                    grid.has_terrain(),
                    grid.connectivity(),
                    grid.corners(),
                )
            };
            shape(before) == shape(after)
        }
        (Map::Graph(before), Map::Graph(after)) => {
            let is_insert = |change: &&NodeChange| matches!(change, NodeChange::Insert { .. });
            let added = changes.nodes.iter().filter(is_insert).count();
            before.node_count() + added == after.node_count()
        }
        _ => false,
    }
}
