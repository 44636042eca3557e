//! Distances from many nodes at once: to each node the least from any of them.

use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::search::queue::{Entry, Queue};

/// Space for one wave after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wave {
    costs: Vec<Cost>,
    queue: Queue,
}

impl Wave {
    /// The least distance from any of these nodes to each node; also says whether some cost was beyond counting.
    pub(crate) fn spread(&mut self, graph: &impl Graph, sources: &[NodeId]) -> (&[Cost], bool) {
        self.costs.clear();
        self.costs.resize(graph.node_count(), UNREACHABLE);
        let heavy = self.add(graph, sources, |_, _| {});
        (&self.costs, heavy)
    }

    /// Lets more nodes be where distances count from; calls `nearer` for every node that one of them is nearer to than all
    /// before, once or more often. Begins anew where the graph has another size.
    pub(crate) fn add(
        &mut self,
        graph: &impl Graph,
        sources: &[NodeId],
        mut nearer: impl FnMut(NodeId, Cost),
    ) -> bool {
        self.costs.resize(graph.node_count(), UNREACHABLE);
        self.queue.clear();
        let mut heavy = false;
        for &node in sources {
            if std::mem::replace(&mut self.costs[node as usize], 0) != 0 {
                nearer(node, 0);
                self.queue.push(Entry { bound: 0, cost: 0, node });
            }
        }
        while let Some(Entry { cost, node, .. }) = self.queue.pop() {
            if cost != self.costs[node as usize] {
                continue;
            }
            graph.out_edges(node, |head, weight| {
                let Some(cost) = plus(cost, weight) else {
                    heavy = true;
                    return;
                };
                if cost < self.costs[head as usize] {
                    self.costs[head as usize] = cost;
                    nearer(head, cost);
                    self.queue.push(Entry { bound: cost, cost, node: head });
                }
            });
        }
        heavy
    }

    pub(crate) fn costs(&self) -> &[Cost] {
        &self.costs
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
