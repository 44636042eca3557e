//! The costs that engines are compared with where no file gives them.
//!
//! Dijkstra's algorithm over a binary heap, written for this program alone: it takes a map's edges
//! and nothing else from the library, above all none of its searches, so that no engine is graded
//! by itself. Costs are 64 bits wide. A path has fewer than 2^32 edges, each of a cost below 2^32,
//! so no sum overflows here; what is beyond a [`Cost`](portolan::Cost) is seen for what it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use portolan::{Graph, Map, NodeId};

/// Finds least costs on one map. Make one per thread and keep it: its tables are as large as the
/// map.
pub(crate) struct Reference<'a> {
    map: &'a Map,
    /// The least cost known so far; [`UNSEEN`] everywhere between two runs.
    costs: Vec<u64>,
    seen: Vec<NodeId>,
    open: BinaryHeap<Reverse<(u64, NodeId)>>,
}

const UNSEEN: u64 = u64::MAX;

impl<'a> Reference<'a> {
    /// On this map.
    pub(crate) fn new(map: &'a Map) -> Self {
        let costs = vec![UNSEEN; map.node_count()];
        Self { map, costs, seen: Vec::new(), open: BinaryHeap::new() }
    }

    /// The least cost from a node of the map to each of these, in their order; `None` where there
    /// is no path. One search serves all, and ends where the last of them is settled.
    pub(crate) fn costs(&mut self, from: NodeId, targets: &[NodeId]) -> Vec<Option<u64>> {
        match self.map {
            Map::Grid(grid) => self.search(grid, from, targets),
            Map::Graph(graph) => self.search(graph, from, targets),
        }
        let cost = |&to: &NodeId| Some(self.costs[to as usize]).filter(|&cost| cost != UNSEEN);
        let found = targets.iter().map(cost).collect();
        for node in self.seen.drain(..) {
            self.costs[node as usize] = UNSEEN;
        }
        found
    }

    fn search(&mut self, graph: &impl Graph, from: NodeId, targets: &[NodeId]) {
        let mut unsettled = targets.to_vec();
        unsettled.sort_unstable();
        unsettled.dedup();
        let mut left = unsettled.len();
        let Self { costs, seen, open, .. } = self;
        open.clear();
        costs[from as usize] = 0;
        seen.push(from);
        open.push(Reverse((0, from)));
        while let Some(Reverse((cost, tail))) = open.pop() {
            // A node that became cheaper is in the heap more than once; only its least cost
            // counts.
            if cost > costs[tail as usize] {
                continue;
            }
            left -= usize::from(unsettled.binary_search(&tail).is_ok());
            if left == 0 {
                return;
            }
            graph.out_edges(tail, |head, weight| {
                let known = &mut costs[head as usize];
                let new = cost + u64::from(weight);
                if new < *known {
                    if *known == UNSEEN {
                        seen.push(head);
                    }
                    *known = new;
                    open.push(Reverse((new, head)));
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines;
    use crate::workload::Subject;
    use portolan::EndpointError;
    use portolan_testkit::worlds;

    /// Every pair of nodes on small random maps of every kind and rule.
    #[test]
    fn agrees_with_the_engine_on_random_maps() {
        for seed in 0..150 {
            let map = worlds::random(seed).map;
            let subject = Subject::new("random", map);
            let engine = engines::build_named("dijkstra", &subject).unwrap();
            let mut query = engine.query();
            let mut reference = Reference::new(&subject.map);
            let nodes: Vec<NodeId> = (0..subject.map.node_count() as NodeId)
                .filter(|&node| subject.map.contains(node))
                .collect();
            for &from in nodes.iter().step_by(3) {
                for (&to, found) in nodes.iter().zip(reference.costs(from, &nodes)) {
                    match query.distance(from, to) {
                        Ok(cost) => assert_eq!(found, cost.map(u64::from), "{seed}: {from} {to}"),
                        Err(EndpointError::CostOverflow { .. }) => {
                            assert!(found >= Some(u64::from(u32::MAX)), "{seed}: {from} {to}");
                        }
                        Err(error) => panic!("{seed}: {error}"),
                    }
                }
            }
        }
    }

    #[test]
    fn sees_costs_beyond_a_cost() {
        let edge = u32::MAX - 1;
        let text = format!("p sp 4 3\na 1 2 {edge}\na 2 3 {edge}\na 4 1 0\n");
        let map = Map::from(portolan::formats::dimacs::read_gr(text.as_bytes()).unwrap());
        let mut reference = Reference::new(&map);
        let expected = [Some(2 * u64::from(edge)), None, Some(0), Some(2 * u64::from(edge))];
        assert_eq!(reference.costs(0, &[2, 3, 0, 2]), expected);
        assert_eq!(reference.costs(3, &[0]), [Some(0)], "and forgets the search before");
    }
}
