//! Distances from many nodes at once: to each node the least from any of them.

use super::queue::{Entry, Queue};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};

/// Space for one wave after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wave {
    costs: Vec<Cost>,
    queue: Queue,
}

impl Wave {
    /// The least distance from any of these nodes to each node; also says whether some cost was
    /// beyond counting.
    pub(crate) fn spread(&mut self, graph: &impl Graph, sources: &[NodeId]) -> (&[Cost], bool) {
        self.costs.clear();
        self.costs.resize(graph.node_count(), UNREACHABLE);
        let heavy = self.add(graph, sources, |_, _| {});
        (&self.costs, heavy)
    }

    /// Lets more nodes be where distances count from; calls `nearer` for every node that one of
    /// them is nearer to than all before, once or more often. Begins anew where the graph has
    /// another size.
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

    /// So many nodes; no distance of a new one is known.
    pub(crate) fn resize(&mut self, nodes: usize) {
        self.costs.resize(nodes, UNREACHABLE);
    }

    /// Forgets the distance of a node.
    pub(crate) fn raise(&mut self, node: NodeId) {
        self.costs[node as usize] = UNREACHABLE;
    }

    /// A distance that may be less than the one known; [`flow`](Self::flow) carries it on. Says
    /// whether it is less.
    pub(crate) fn offer(&mut self, node: NodeId, cost: Cost) -> bool {
        let less = cost < self.costs[node as usize];
        if less {
            self.costs[node as usize] = cost;
            self.queue.push(Entry { bound: cost, cost, node });
        }
        less
    }

    /// Carries on what was offered, until no edge is steeper than it is long; calls `nearer` for
    /// every node that this brings nearer, once or more often. Says whether some cost was beyond
    /// counting.
    pub(crate) fn flow(
        &mut self,
        graph: &impl Graph,
        mut nearer: impl FnMut(NodeId, Cost),
    ) -> bool {
        let mut heavy = false;
        while let Some(Entry { cost, node, .. }) = self.queue.pop() {
            if cost != self.costs[node as usize] {
                continue;
            }
            graph.out_edges(node, |head, weight| match plus(cost, weight) {
                None => heavy = true,
                Some(cost) => {
                    if self.offer(head, cost) {
                        nearer(head, cost);
                    }
                }
            });
        }
        // Its last bound is that of this flow; the next one begins at the bottom.
        self.queue.clear();
        heavy
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
        let (costs, heavy) = wave.spread(&grid, &[0, 5]);
        let steps: Vec<Cost> = costs[..7].iter().map(|cost| cost / STRAIGHT).collect();
        assert_eq!((steps, costs[8], heavy), (vec![0, 1, 2, 2, 1, 0, 1], UNREACHABLE, false));
        let mut changed = Vec::new();
        wave.add(&grid, &[3], |node, _| changed.push(node));
        changed.sort_unstable();
        assert_eq!(changed, [2, 3]);
    }
}
