//! The search that fills one column of the labels: from a hub to all nodes below it.
//!
//! It is Dijkstra's algorithm on the nodes after the hub in the order of the separators. Among
//! shortest paths it prefers straight ones, so that paths have few legs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use portolan::{Cost, Graph, Map, NodeId, UNREACHABLE};

/// The most steps of a hop on a grid, and the bits that they take.
pub(super) const MOST_HOP_STEPS: u8 = 31;
pub(super) const HOP_BITS: u32 = 5;

/// Toward a hub or away from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Paths from nodes to the hub.
    ToHub,
    /// Paths from the hub to nodes.
    FromHub,
}

/// A node that a search has settled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settled {
    pub(super) node: NodeId,
    pub(super) cost: Cost,
    /// The next node toward the hub; the hub itself at the hub.
    pub(super) next: NodeId,
    /// On grids the heading of the next steps and how many there are, see [`HOP_BITS`]; 0 at the
    /// hub.
    pub(super) hop: u8,
    /// The number of hops to the hub.
    pub(super) hops: u32,
}

/// The input of all searches.
pub(super) struct HubGraph<'a> {
    map: &'a Map,
    /// The position of each node in the order of the separators.
    pub(super) order: &'a [u32],
    /// The costs of straight and diagonal steps, if there are no others.
    steps: Option<[Cost; 2]>,
}

impl<'a> HubGraph<'a> {
    pub(super) fn new(map: &'a Map, order: &'a [u32]) -> Self {
        let grid = map.as_grid().filter(|grid| !grid.has_terrain());
        let steps = grid.map(|grid| <[Cost; 2]>::from(grid.cheapest_steps()));
        Self { map, order, steps }
    }
}

/// The memory of a search, for one thread.
pub(super) struct HubSearch {
    costs: Vec<Cost>,
    next: Vec<NodeId>,
    hop: Vec<u8>,
    hops: Vec<u32>,
    touched: Vec<NodeId>,
    frontier: Frontier,
}

impl HubSearch {
    pub(super) fn new(graph: &HubGraph<'_>) -> Self {
        let nodes = graph.map.node_count();
        Self {
            costs: vec![UNREACHABLE; nodes],
            next: vec![0; nodes],
            hop: vec![0; nodes],
            hops: vec![0; nodes],
            touched: Vec::new(),
            frontier: Frontier::new(graph.steps),
        }
    }

    /// Visits the hub and every node after it in the order that has a path from or to it through
    /// such nodes, by ascending cost. Returns whether the costs of all paths are finite.
    pub(super) fn run(
        &mut self,
        graph: &HubGraph<'_>,
        hub: NodeId,
        side: Side,
        visit: impl FnMut(Settled),
    ) -> bool {
        let finite = match graph.map {
            Map::Grid(grid) => {
                let width = grid.width();
                let heading = |node: NodeId, next: NodeId| {
                    let (x, y) = (node % width, node / width);
                    let (next_x, next_y) = (next % width, next / width);
                    // The position in the block of neighbours, without the middle.
                    let position = 3 * (next_y + 1 - y) + (next_x + 1 - x);
                    Some((position - u32::from(position > 4)) as u8)
                };
                self.settle(graph, (grid, side), hub, heading, visit)
            }
            Map::Graph(csr) => self.settle(graph, (csr, side), hub, |_, _| None, visit),
        };
        for node in self.touched.drain(..) {
            self.costs[node as usize] = UNREACHABLE;
        }
        finite
    }

    fn settle<G: Graph>(
        &mut self,
        HubGraph { order, .. }: &HubGraph<'_>,
        (graph, side): (&G, Side),
        hub: NodeId,
        heading: impl Fn(NodeId, NodeId) -> Option<u8>,
        mut visit: impl FnMut(Settled),
    ) -> bool {
        let Self { costs, next, hop, hops, touched, frontier } = self;
        let first = order[hub as usize];
        let mut finite = true;
        (costs[hub as usize], next[hub as usize]) = (0, hub);
        touched.push(hub);
        frontier.push(0, 0, hub);
        while let Some((cost, node)) = frontier.pop() {
            let at = node as usize;
            if cost > costs[at] {
                continue;
            }
            let through = next[at] as usize;
            let own = heading(node, next[at]).filter(|_| node != hub);
            (hop[at], hops[at]) = match own {
                None => (0, if node == hub { 0 } else { hops[through] + 1 }),
                Some(own) => {
                    let steps = hop[through] & MOST_HOP_STEPS;
                    let goes_on = steps > 0 && hop[through] >> HOP_BITS == own;
                    match goes_on && steps < MOST_HOP_STEPS {
                        true => ((own << HOP_BITS) + steps + 1, hops[through]),
                        // A hop of the most steps is still on the path.
                        false if goes_on => (hop[through], hops[through] + 1),
                        false => ((own << HOP_BITS) + 1, hops[through] + 1),
                    }
                }
            };
            visit(Settled { node, cost, next: next[at], hop: hop[at], hops: hops[at] });
            let relax = |to: NodeId, weight: Cost| {
                let index = to as usize;
                if order[index] <= first {
                    return;
                }
                let sum = cost.checked_add(weight).filter(|&sum| sum != UNREACHABLE);
                let Some(sum) = sum else {
                    finite = false;
                    return;
                };
                if sum < costs[index] {
                    if costs[index] == UNREACHABLE {
                        touched.push(to);
                    }
                    (costs[index], next[index]) = (sum, node);
                    frontier.push(sum, weight, to);
                } else if sum == costs[index] && own.is_some() && heading(to, node) == own {
                    next[index] = node;
                }
            };
            match side {
                Side::ToHub => graph.in_edges(node, relax),
                Side::FromHub => graph.out_edges(node, relax),
            }
        }
        finite
    }
}

/// The open list. With two kinds of steps, those of a kind are reached in the order of their costs,
/// so two queues do.
enum Frontier {
    Queues { straight: Cost, queues: [VecDeque<(Cost, NodeId)>; 2] },
    Heap(BinaryHeap<Reverse<(Cost, NodeId)>>),
}

impl Frontier {
    fn new(steps: Option<[Cost; 2]>) -> Self {
        match steps {
            Some([straight, _]) => Self::Queues { straight, queues: Default::default() },
            None => Self::Heap(BinaryHeap::new()),
        }
    }

    fn push(&mut self, cost: Cost, weight: Cost, node: NodeId) {
        match self {
            Self::Queues { straight, queues } => {
                queues[usize::from(weight > *straight)].push_back((cost, node));
            }
            Self::Heap(heap) => heap.push(Reverse((cost, node))),
        }
    }

    fn pop(&mut self) -> Option<(Cost, NodeId)> {
        match self {
            Self::Queues { queues: [a, b], .. } => match (a.front(), b.front()) {
                (Some(first), Some(second)) if second.0 < first.0 => b.pop_front(),
                (Some(_), _) => a.pop_front(),
                (None, _) => b.pop_front(),
            },
            Self::Heap(heap) => heap.pop().map(|Reverse(entry)| entry),
        }
    }
}
