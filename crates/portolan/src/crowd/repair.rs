//! Repairs fields after edits.
//!
//! An edit changes edges at a few nodes, the *touched* ones. Three phases repair the field (after
//! Ramalingam and Reps, "An incremental algorithm for a generalization of the shortest-path
//! problem", 1996):
//!
//! 1. **Raise.** Suspect nodes are checked in the order of old costs. If no edge to a node that is
//!    not raised gives a cost of at most the old one, the node is raised, and the nodes that step
//!    to it become suspect. An edge of positive weight leads to a node that was checked before, so
//!    the result is final. An edge of weight zero counts only if it is the stored step: stored
//!    steps have no cycles, and a node whose step is raised later is checked again.
//! 2. **Lower.** Raised nodes lose their cost. The other costs are costs of real paths. Raised and
//!    touched nodes are offered the costs over their edges, and Dijkstra's algorithm propagates
//!    them against the edges.
//! 3. **Steps** depend only on costs. They are updated where the edges of a node, its cost, or the
//!    costs at the heads of its edges may have changed.
//!
//! The result equals a field built from scratch, because the costs are the least ones and determine
//! the steps. If more than a quarter of all nodes is raised, the field is built from scratch, which
//! is faster.

use super::field::FlowField;
use super::steps::{NO_STEP, Steps};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::map::{Map, on_graph};
use crate::search::queue::{Entry, Queue};
use crate::search::wave::Wave;

/// If more than this fraction of all nodes is raised, the field is built from scratch.
const MAX_RAISED_FRACTION: usize = 4;

const RAISED: u8 = 1;
const STALE_STEP: u8 = 2;

/// Scratch space of repairs. All marks are zero between repairs.
#[derive(Debug, Clone, Default)]
pub(super) struct RepairScratch {
    marks: Vec<u8>,
    suspects: Queue,
    raised: Vec<NodeId>,
    /// Nodes whose cost may have changed.
    changed: Vec<NodeId>,
    /// Nodes whose step may have changed.
    stale_steps: Vec<NodeId>,
}

impl FlowField {
    /// Follows an edit. `map` is the map after it, and `changes` is what [`Map::apply`] was given
    /// or [`Edit::changes`](crate::world::Edit::changes) returns. Returns the number of updated
    /// steps.
    ///
    /// The result equals a field built from scratch for this map. A blocked or removed goal does
    /// not count until it is freed again. Without a goal that counts, there are no paths.
    ///
    /// Repair the field once for each edit, in order; several edits may be merged. For a map of
    /// another size or with other rules, the field is built from scratch.
    pub fn repair(&mut self, map: &Map, changes: &Changes) -> usize {
        let before = std::mem::replace(&mut self.map, map.clone());
        if !is_edited(&before, map, changes) {
            self.rebuild();
            return map.node_count();
        }
        self.wave.resize(map.node_count());
        self.steps.resize(map.node_count(), NO_STEP);
        self.scratch.marks.resize(map.node_count(), 0);
        self.has_zero_edges |= changes.edges.iter().any(has_zero_weight);
        on_graph!(map, graph => {
            let touched = self.touched(changes);
            let updated = self.follow(graph, &touched);
            self.scratch.clear();
            updated.unwrap_or_else(|| {
                self.rebuild();
                map.node_count()
            })
        })
    }

    /// The nodes whose edges may have changed, each once.
    fn touched(&self, changes: &Changes) -> Vec<NodeId> {
        let mut touched: Vec<NodeId> = match &self.map {
            Map::Grid(grid) => changes.touched_cells(grid).collect(),
            Map::Graph(_) => changes.edges.iter().map(|change| change.ends().0).collect(),
        };
        // A removed node loses all its edges. Only those of stored steps matter.
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

    /// Returns the number of updated steps, or `None`, with nothing changed, if it is faster to
    /// build from scratch.
    fn follow<G: Graph>(&mut self, graph: &G, touched: &[NodeId]) -> Option<usize> {
        let Self { goals, wave, steps, scratch, has_zero_edges, overflowed, .. } = self;
        let goals = &goals[..];
        scratch.raise(Before { graph, goals, costs: wave.costs(), steps }, touched)?;
        let mut new_overflow = scratch.lower(graph, goals, wave, touched);
        scratch.changed.extend_from_slice(&scratch.raised);
        new_overflow |= wave.flow(&graph.reversed(), |node, _| scratch.changed.push(node));
        scratch.find_stale_steps(graph, touched);
        let steps_of = Steps { graph, goals, costs: wave.costs() };
        steps_of.update(&scratch.stale_steps, *has_zero_edges, steps);
        *overflowed = (new_overflow || *overflowed) && steps_of.mark_overflowed(steps);
        Some(scratch.stale_steps.len())
    }
}

/// The field before the edit, on the map after it.
struct Before<'a, G> {
    graph: &'a G,
    goals: &'a [NodeId],
    costs: &'a [Cost],
    steps: &'a [NodeId],
}

impl<G: Graph> Before<'_, G> {
    /// Whether an edge to a node that is not raised gives a cost of at most the old one.
    fn is_supported(&self, node: NodeId, marks: &[u8]) -> bool {
        let (cost, step) = (self.costs[node as usize], self.steps[node as usize]);
        let mut supported = is_open_goal(self.graph, self.goals, node);
        self.graph.out_edges(node, |head, weight| {
            supported |= marks[head as usize] & RAISED == 0
                && (weight > 0 || head == step)
                && plus(weight, self.costs[head as usize]).is_some_and(|offer| offer <= cost);
        });
        supported
    }
}

impl RepairScratch {
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = self.raised.capacity() + self.changed.capacity() + self.stale_steps.capacity();
        self.marks.capacity() + lists * size_of::<NodeId>() + self.suspects.memory_bytes()
    }

    /// Finds the nodes that have lost their path. `None` if there are too many.
    fn raise<G: Graph>(&mut self, before: Before<'_, G>, touched: &[NodeId]) -> Option<()> {
        let Self { marks, suspects, raised, .. } = self;
        let suspect = |suspects: &mut Queue, node: NodeId| {
            let cost = before.costs[node as usize];
            if cost != UNREACHABLE {
                suspects.push(Entry { bound: cost, cost, node });
            }
        };
        touched.iter().for_each(|&node| suspect(suspects, node));
        while let Some(Entry { node, .. }) = suspects.pop() {
            if marks[node as usize] & RAISED != 0 || before.is_supported(node, marks) {
                continue;
            }
            marks[node as usize] |= RAISED;
            raised.push(node);
            if raised.len() > marks.len() / MAX_RAISED_FRACTION {
                return None;
            }
            before.graph.in_edges(node, |tail, _| {
                if before.steps[tail as usize] == node && marks[tail as usize] & RAISED == 0 {
                    suspect(suspects, tail);
                }
            });
        }
        Some(())
    }

    /// Offers raised and touched nodes the costs over their edges. Returns whether a cost
    /// overflowed.
    fn lower(
        &mut self,
        graph: &impl Graph,
        goals: &[NodeId],
        wave: &mut Wave,
        touched: &[NodeId],
    ) -> bool {
        self.raised.iter().for_each(|&node| wave.raise(node));
        let mut overflowed = false;
        for &node in self.raised.iter().chain(touched) {
            let mut least = if is_open_goal(graph, goals, node) { 0 } else { UNREACHABLE };
            graph.out_edges(node, |head, weight| {
                let rest = wave.costs()[head as usize];
                let offer = plus(weight, rest);
                overflowed |= offer.is_none() && rest != UNREACHABLE;
                least = least.min(offer.unwrap_or(UNREACHABLE));
            });
            if wave.offer(node, least) {
                self.changed.push(node);
            }
        }
        overflowed
    }

    /// Finds the nodes whose step may have changed: touched and changed nodes, and those with an
    /// edge to a changed one.
    fn find_stale_steps(&mut self, graph: &impl Graph, touched: &[NodeId]) {
        let Self { marks, changed, stale_steps, .. } = self;
        let mut add = |node: NodeId| {
            let mark = &mut marks[node as usize];
            if *mark & STALE_STEP == 0 {
                *mark |= STALE_STEP;
                stale_steps.push(node);
            }
        };
        touched.iter().for_each(|&node| add(node));
        for &node in &*changed {
            add(node);
            graph.in_edges(node, |tail, _| add(tail));
        }
    }

    /// Clears everything. Only nodes in these lists have marks.
    fn clear(&mut self) {
        for &node in self.raised.iter().chain(&self.stale_steps) {
            self.marks[node as usize] = 0;
        }
        self.suspects.clear();
        self.raised.clear();
        self.changed.clear();
        self.stale_steps.clear();
    }
}

fn has_zero_weight(change: &EdgeChange) -> bool {
    use EdgeChange::{Insert, SetWeight};
    matches!(change, Insert { weight: 0, .. } | SetWeight { weight: 0, .. })
}

fn is_open_goal(graph: &impl Graph, goals: &[NodeId], node: NodeId) -> bool {
    goals.binary_search(&node).is_ok() && graph.contains(node)
}

/// Whether these changes can lead from one map to the other: the extent and the rules are the same,
/// or the graph has grown by the inserted nodes.
fn is_edited(before: &Map, after: &Map, changes: &Changes) -> bool {
    match (before, after) {
        (Map::Grid(before), Map::Grid(after)) => {
            let key = |grid: &Grid| {
                (
                    grid.width(),
                    grid.height(),
                    grid.has_terrain(),
                    grid.connectivity(),
                    grid.corners(),
                )
            };
            key(before) == key(after)
        }
        (Map::Graph(before), Map::Graph(after)) => {
            let is_insert = |change: &&NodeChange| matches!(change, NodeChange::Insert { .. });
            let added = changes.nodes.iter().filter(is_insert).count();
            before.node_count() + added == after.node_count()
        }
        _ => false,
    }
}
