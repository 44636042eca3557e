//! Expands hops between borders into nodes of the map: `ResolvePath`, pseudo-code 2 of the paper.
//!
//! The table of a subgraph expands a hop between two of its members: the step before the far end is
//! the one whose distance from the near end plus its length equals the distance of the far end.
//! Steps within a child are virtual and are expanded by the child's table in turn; all others are
//! edges of the map. The paper walks the same steps from the near end, which reads one entry of
//! many rows. From the far end all entries are in one row, and no further rows on demand have to be
//! computed.
//!
//! Steps of length zero may form cycles; a breadth-first search over them finds the way out. Tables
//! with stored steps need none of this: they hold the tree of Dijkstra's algorithm, which has no
//! cycles.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};

use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::ppa::index::PpaIndex;
use crate::ppa::region_tree::SubgraphId;

/// No path visits nodes this often on average, unless wrong distances or steps in a damaged file
/// form a cycle.
const REPEATS: usize = 16;

/// Expands the hops of one path.
pub(super) struct HopExpander<'a, G> {
    index: &'a PpaIndex,
    graph: &'a G,
    /// How many more steps may be taken on all levels together. A step adds a node or goes down a
    /// level, so only cycles in a damaged file use them up.
    steps_left: Cell<usize>,
}

impl<'a, G: Graph> HopExpander<'a, G> {
    pub(super) fn new(index: &'a PpaIndex, graph: &'a G) -> Self {
        let steps = (REPEATS + index.tree.levels()) * index.positions.0.len();
        Self { index, graph, steps_left: Cell::new(steps) }
    }

    /// Expands the hop between `from` and `to`: appends the nodes after `from` to a path that ends
    /// there.
    pub(super) fn expand(&self, from: NodeId, to: NodeId, path: &mut Vec<NodeId>) {
        let mut best: Option<(Cost, usize, SubgraphId, usize, usize)> = None;
        for level in 0..self.index.tree.levels() {
            let positions = (self.index.locate(from, level), self.index.locate(to, level));
            let (Some((id, Some(a))), Some((other, Some(b)))) = positions else { continue };
            if id == other {
                let found = (self.index.distance(id, a, b), level, id, a, b);
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        }
        let Some((_, level, id, a, b)) = best.filter(|best| best.0 != UNREACHABLE) else { return };
        let start = path.len();
        let borders = self.index.subgraph(id).borders;
        if self.index.undirected && a >= borders && b < borders {
            // The whole row of the border is available, so the hop is expanded from there.
            self.backwards(level, id, (b, a), path);
            path.push(to);
            path.remove(start);
        } else {
            self.backwards(level, id, (a, b), path);
            path[start..].reverse();
        }
    }

    /// Appends the nodes from `to` back to the one after `from`, last first.
    fn backwards(
        &self,
        level: usize,
        id: SubgraphId,
        (from, to): (usize, usize),
        path: &mut Vec<NodeId>,
    ) {
        let members = &self.index.subgraph(id).members;
        let mut here = to;
        while here != from
            && let Some(steps_left) = self.steps_left.get().checked_sub(1)
        {
            self.steps_left.set(steps_left);
            let before = self.before(level, id, from, here);
            match self.shared_child(level, members[before], members[here]) {
                None => path.push(members[here]),
                Some((child, ends)) => self.backwards(level - 1, child, ends, path),
            }
            if before == here {
                // Reached only in a damaged table; a truncated path is better than an endless one.
                break;
            }
            here = before;
        }
    }

    /// The child that contains both ends of a step, and their numbers there; `None` for an edge of
    /// the map.
    fn shared_child(
        &self,
        level: usize,
        tail: NodeId,
        head: NodeId,
    ) -> Option<(SubgraphId, (usize, usize))> {
        let below = level.checked_sub(1)?;
        let (child, Some(a)) = self.index.locate(tail, below)? else { return None };
        let (other, Some(b)) = self.index.locate(head, below)? else { return None };
        (child == other).then_some((child, (a, b)))
    }

    /// The member before `here` on a shortest path from `from`.
    fn before(&self, level: usize, id: SubgraphId, from: usize, here: usize) -> usize {
        if let Some(before) = self.index.subgraph(id).table.stored_step(from, here) {
            return before;
        }
        let mut found = here;
        self.visit_tight_steps(level, id, from, here, |before, length| {
            if length > 0 {
                found = before;
            }
            length > 0
        });
        if found != here { found } else { self.leave_cycle(level, id, from, here) }
    }

    /// The first step back from `here` on the shortest path over steps of length zero to the near
    /// end or to a member that a longer step enters.
    fn leave_cycle(&self, level: usize, id: SubgraphId, from: usize, here: usize) -> usize {
        let mut first_step = HashMap::from([(here, here)]);
        let mut open = VecDeque::from([here]);
        while let Some(member) = open.pop_front() {
            let mut leads_out = member == from;
            let mut zero = Vec::new();
            self.visit_tight_steps(level, id, from, member, |before, length| {
                leads_out |= length > 0;
                if length == 0 {
                    zero.push(before);
                }
                false
            });
            if leads_out && member != here {
                return first_step[&member];
            }
            for before in zero {
                let step = if member == here { before } else { first_step[&member] };
                first_step.entry(before).or_insert_with(|| {
                    open.push_back(before);
                    step
                });
            }
        }
        here
    }

    /// Calls `visit(tail, length)` for the edges that enter a node.
    fn edges_into(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        if self.index.undirected {
            self.graph.out_edges(head, visit);
        } else {
            self.graph.in_edges(head, visit);
        }
    }

    /// Calls `visit(before, length)` for the steps to `here` that are on a shortest path from
    /// `from`, until it returns true.
    fn visit_tight_steps(
        &self,
        level: usize,
        id: SubgraphId,
        from: usize,
        here: usize,
        mut visit: impl FnMut(usize, Cost) -> bool,
    ) {
        let index = self.index;
        let whole = index.distance(id, from, here);
        let head = index.subgraph(id).members[here];
        let mut consider = |before: usize, length: Cost| {
            plus(index.distance(id, from, before), length) == Some(whole) && visit(before, length)
        };
        let Some(below) = level.checked_sub(1) else {
            let mut enough = false;
            self.edges_into(head, |tail, length| {
                if let Some(position) =
                    index.positions.of(tail).filter(|position| !enough && position.leaf == id)
                {
                    enough = consider(position.index as usize, length);
                }
            });
            return;
        };
        let Some((child, Some(number))) = index.locate(head, below) else { return };
        let mut enough = false;
        self.edges_into(head, |tail, length| {
            let Some(position) = index.positions.of(tail).filter(|_| !enough) else { return };
            let above = index.tree.ancestors(position.leaf);
            if above[level] == id
                && above[below] != child
                && let Some((_, Some(before))) = index.locate(tail, level)
            {
                enough = consider(before, length);
            }
        });
        for (border, &before) in index.slots(id, child).iter().enumerate() {
            if enough {
                return;
            }
            // A border's distance to itself is no step.
            let length = index.distance(child, border, number);
            if border != number && length != UNREACHABLE {
                enough = consider(before as usize, length);
            }
        }
    }
}
