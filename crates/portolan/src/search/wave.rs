//! Distances from the nearest of many sources to all nodes.

use super::queue::{Entry, Queue};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};

/// A multi-source Dijkstra search that can be extended and repaired.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wave {
    costs: Vec<Cost>,
    queue: Queue,
}

impl Wave {
    /// A search that has found these distances, one per node.
    pub(crate) fn from_costs(costs: Vec<Cost>) -> Self {
        Self { costs, queue: Queue::default() }
    }

    /// The least distance from any source to each node, and whether a cost overflowed.
    pub(crate) fn spread(&mut self, graph: &impl Graph, sources: &[NodeId]) -> (&[Cost], bool) {
        self.costs.clear();
        self.costs.resize(graph.node_count(), UNREACHABLE);
        let overflowed = self.add(graph, sources, |_, _| {});
        (&self.costs, overflowed)
    }

    /// Adds sources. Calls `nearer` at least once for every node whose distance decreases. Returns
    /// whether a cost overflowed.
    pub(crate) fn add(
        &mut self,
        graph: &impl Graph,
        sources: &[NodeId],
        mut nearer: impl FnMut(NodeId, Cost),
    ) -> bool {
        self.resize(graph.node_count());
        self.queue.clear();
        for &node in sources {
            if self.offer(node, 0) {
                nearer(node, 0);
            }
        }
        self.flow(graph, nearer)
    }

    /// Changes the number of nodes. New ones have no distance.
    pub(crate) fn resize(&mut self, nodes: usize) {
        self.costs.resize(nodes, UNREACHABLE);
    }

    /// Removes the distance of a node.
    pub(crate) fn raise(&mut self, node: NodeId) {
        self.costs[node as usize] = UNREACHABLE;
    }

    /// Offers a distance of a node, which [`flow`](Self::flow) propagates. Returns whether it is
    /// less than the present one.
    pub(crate) fn offer(&mut self, node: NodeId, cost: Cost) -> bool {
        let less = cost < self.costs[node as usize];
        if less {
            self.costs[node as usize] = cost;
            self.queue.push(Entry { bound: cost, cost, node });
        }
        less
    }

    /// Propagates offered distances until no edge gives a shorter one. Calls `nearer` at least once
    /// for every node whose distance decreases. Returns whether a cost overflowed.
    pub(crate) fn flow(
        &mut self,
        graph: &impl Graph,
        mut nearer: impl FnMut(NodeId, Cost),
    ) -> bool {
        let mut overflowed = false;
        while let Some(Entry { cost, node, .. }) = self.queue.pop() {
            if cost != self.costs[node as usize] {
                continue;
            }
            graph.out_edges(node, |head, weight| match plus(cost, weight) {
                None => overflowed = true,
                Some(cost) => {
                    if self.offer(head, cost) {
                        nearer(head, cost);
                    }
                }
            });
        }
        // Resets its last bound, because the next flow starts at zero.
        self.queue.clear();
        overflowed
    }

    pub(crate) fn costs(&self) -> &[Cost] {
        &self.costs
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.costs.capacity() * size_of::<Cost>() + self.queue.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::cost::STRAIGHT;

    #[test]
    fn the_nearest_source_counts() {
        let grid = Grid::from_fn(9, 1, |x, _| x != 7).unwrap();
        let mut wave = Wave::default();
        let (costs, overflowed) = wave.spread(&grid, &[0, 5]);
        let steps: Vec<Cost> = costs[..7].iter().map(|cost| cost / STRAIGHT).collect();
        assert_eq!((steps, costs[8], overflowed), (vec![0, 1, 2, 2, 1, 0, 1], UNREACHABLE, false));
        let mut changed = Vec::new();
        wave.add(&grid, &[3], |node, _| changed.push(node));
        changed.sort_unstable();
        assert_eq!(changed, [2, 3]);
    }
}
