//! The labels and the open list of a search, reset in constant time between runs.
//!
//! The label of a node is its least known cost and its parent. Labels are in blocks of eight, 64
//! bytes each. Each block has the number of the run that last wrote to it. A new run takes the next
//! number. Labels of blocks with an older number are invalid, and are reset when the block is first
//! written. So nothing needs clearing, and untouched pages of a huge map take no memory.
//!
//! Parents form a tree rooted at the start, even with edges of zero weight: only a strictly smaller
//! cost replaces a label, so a node never becomes its own ancestor.

use super::observer::Observer;
use super::queue::{Entry, Queue};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::heuristic::LowerBound;

/// Reusable scratch space for one search at a time.
///
/// ```
/// use portolan::search::{Scratch, dijkstra};
/// use portolan::Grid;
/// let grid = Grid::new(3, 3)?;
/// let mut scratch = Scratch::default();
/// dijkstra::one_to_all(&grid, &mut scratch, 0)?;
/// assert_eq!(scratch.cost(8), Some(2 * portolan::cost::DIAGONAL));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    run: u32,
    /// The run that last wrote to each block.
    stamps: Vec<u32>,
    /// Cost and parent. Plain numbers, so that the system provides zeroed memory lazily.
    labels: Vec<[u32; 2]>,
    queue: Queue,
    overflowed: bool,
}

const BLOCK: usize = 8;

impl Scratch {
    /// The cost of a node in the last run, if the run reached it. Only settled nodes certainly have
    /// their least cost.
    #[inline]
    pub fn cost(&self, node: NodeId) -> Option<Cost> {
        if node as usize >= self.labels.len() {
            return None;
        }
        let cost = self.label_cost(node);
        (cost != UNREACHABLE).then_some(cost)
    }

    /// Replaces the contents of `path` by the nodes from the start of the last run to `node`; empty
    /// if the run did not reach the node.
    pub fn path_into(&self, node: NodeId, path: &mut Vec<NodeId>) {
        path.clear();
        if self.cost(node).is_none() {
            return;
        }
        let mut last = node;
        path.push(last);
        loop {
            let [_, parent] = self.labels[last as usize];
            if parent == last {
                break;
            }
            path.push(parent);
            last = parent;
        }
        path.reverse();
    }

    /// Bytes held on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.stamps.capacity() * size_of::<u32>()
            + self.labels.capacity() * size_of::<[u32; 2]>()
            + self.queue.memory_bytes()
    }

    /// The number of labels: at least the number of nodes of the last map.
    pub(crate) fn node_count(&self) -> usize {
        self.labels.len()
    }

    /// Invalidates all labels.
    pub(super) fn forget(&mut self) {
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.stamps.fill(0);
            self.run = 1;
        }
        self.queue.clear();
        self.overflowed = false;
    }

    /// Begins a run on a map of this size. No node is reached.
    pub(crate) fn begin(&mut self, nodes: usize) {
        let padded = nodes.next_multiple_of(BLOCK);
        if self.labels.len() != padded {
            *self = Self {
                stamps: vec![0; padded / BLOCK],
                labels: vec![[0; 2]; padded],
                ..Self::default()
            };
        }
        self.forget();
    }

    /// Begins a run at this node.
    pub(super) fn start(
        &mut self,
        nodes: usize,
        from: NodeId,
        bound: &mut impl LowerBound,
        observer: &mut impl Observer,
    ) {
        self.begin(nodes);
        if let Some(bound) = bound.at(from) {
            self.set_label(from, 0, from);
            // With an infinite bound, every path overflows.
            self.overflowed = bound == UNREACHABLE;
            observer.generated(from, 0);
            self.queue.push(Entry { bound, cost: 0, node: from });
        }
    }

    /// Removes the next node to expand from the open list.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        loop {
            let entry = self.queue.pop()?;
            if entry.cost == self.label_cost(entry.node) {
                return Some(entry);
            }
        }
    }

    /// Puts a labelled node on the open list, for the first time or with a tighter bound.
    #[inline(always)]
    pub(crate) fn put_back(&mut self, entry: Entry) {
        self.queue.push(entry);
    }

    /// Labels a node without putting it on the open list.
    #[inline(always)]
    pub(super) fn reach(&mut self, node: NodeId, cost: Cost, parent: NodeId) {
        self.set_label(node, cost, parent);
    }

    /// Labels a node if the cost is less than before. Returns whether it is.
    #[inline(always)]
    pub(crate) fn improve(&mut self, node: NodeId, cost: Cost, parent: NodeId) -> bool {
        let better = cost < self.label_cost(node);
        if better {
            self.set_label(node, cost, parent);
        }
        better
    }

    /// Records that a cost overflowed.
    #[cold]
    pub(crate) fn note_overflow(&mut self) {
        self.overflowed = true;
    }

    /// Relaxes all edges from `tail`, whose cost is `cost`. Calls `improved(head, cost)` for every
    /// label that decreases.
    #[inline(always)]
    pub(super) fn relax<G: Graph>(
        &mut self,
        graph: &G,
        (tail, cost): (NodeId, Cost),
        bound: &mut impl LowerBound,
        observer: &mut impl Observer,
        mut improved: impl FnMut(NodeId, Cost),
    ) {
        graph.out_edges(tail, |head, weight| {
            let Some(cost) = plus(cost, weight) else {
                self.overflowed = true;
                return;
            };
            let before = self.label_cost(head);
            if cost >= before {
                return;
            }
            let Some(rest) = bound.at(head) else { return };
            let Some(whole) = plus(cost, rest) else {
                self.overflowed = true;
                return;
            };
            if !bound.allows(whole) {
                return;
            }
            self.set_label(head, cost, tail);
            if before == UNREACHABLE {
                observer.generated(head, cost);
            }
            self.queue.push(Entry { bound: whole, cost, node: head });
            improved(head, cost);
        });
    }

    /// The least lower bound on the open list.
    pub(super) fn least_bound(&mut self) -> Option<Cost> {
        self.queue.least_bound()
    }

    pub(super) fn open_len(&self) -> usize {
        self.queue.len()
    }

    /// Whether a cost overflowed.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    #[inline(always)]
    pub(super) fn label_cost(&self, node: NodeId) -> Cost {
        let node = node as usize;
        if self.stamps[node / BLOCK] == self.run { self.labels[node][0] } else { UNREACHABLE }
    }

    /// The node before this one on the best known path to it.
    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.labels[node as usize][1]
    }

    #[inline(always)]
    fn set_label(&mut self, node: NodeId, cost: Cost, parent: NodeId) {
        let node = node as usize;
        let block = node / BLOCK;
        if self.stamps[block] != self.run {
            self.stamps[block] = self.run;
            self.labels[block * BLOCK..][..BLOCK].fill([UNREACHABLE, 0]);
        }
        self.labels[node] = [cost, parent];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::search::dijkstra;

    #[test]
    fn a_new_run_knows_nothing_of_the_last() {
        let grid = Grid::from_fn(6, 1, |x, _| x != 3).unwrap();
        let mut scratch = Scratch::default();
        dijkstra::one_to_all(&grid, &mut scratch, 0).unwrap();
        assert!(scratch.cost(2).is_some() && scratch.cost(4).is_none());
        dijkstra::one_to_all(&grid, &mut scratch, 5).unwrap();
        assert!(scratch.cost(2).is_none() && scratch.cost(4).is_some());
        assert_eq!(scratch.cost(NodeId::MAX), None);
    }

    #[test]
    fn the_run_counter_may_wrap() {
        let grid = Grid::from_fn(6, 1, |x, _| x != 3).unwrap();
        let mut scratch = Scratch::default();
        dijkstra::one_to_all(&grid, &mut scratch, 0).unwrap();
        scratch.run = u32::MAX;
        dijkstra::one_to_all(&grid, &mut scratch, 5).unwrap();
        assert!(scratch.cost(0).is_none() && scratch.cost(4).is_some());
    }
}
