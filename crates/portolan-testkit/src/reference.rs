//! The reference answers: a plain Dijkstra with its own neighbour rule.
//!
//! Nothing here calls the library's searches or its neighbour rule. A grid is queried only for
//! passable cells and their factors, a graph only for its edges. Costs have 64 bits, so they do
//! not overflow where the library's 32 bits do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use portolan::{Connectivity, Corners, Graph, Grid, Map, NodeId};

use crate::walker::walk_by;

/// All legal steps of a map, by the rules as the documentation states them.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Where the steps of each node begin in `steps`; one entry more than there are nodes.
    first: Vec<usize>,
    steps: Vec<(NodeId, u64)>,
    usable: Vec<bool>,
}

impl Reference {
    /// Lists the steps of a map.
    pub fn new(map: &Map) -> Self {
        let nodes = 0..map.node_count() as NodeId;
        let usable = nodes.clone().map(|node| is_usable(map, node)).collect();
        let (mut first, mut all) = (vec![0], Vec::new());
        for node in nodes {
            all.extend(steps(map, node));
            first.push(all.len());
        }
        Self { first, steps: all, usable }
    }

    /// The same map with every step reversed.
    pub fn reversed(&self) -> Self {
        let mut edges: Vec<(NodeId, NodeId, u64)> = (0..self.node_count() as NodeId)
            .flat_map(|tail| self.steps(tail).iter().map(move |&(head, cost)| (head, tail, cost)))
            .collect();
        edges.sort_unstable();
        let first = (0..=self.node_count())
            .map(|node| edges.partition_point(|&(tail, ..)| (tail as usize) < node))
            .collect();
        let steps = edges.into_iter().map(|(_, head, cost)| (head, cost)).collect();
        Self { first, steps, usable: self.usable.clone() }
    }

    /// How many nodes there are, usable or not.
    pub fn node_count(&self) -> usize {
        self.usable.len()
    }

    /// Whether a path may use this node.
    pub fn is_usable(&self, node: NodeId) -> bool {
        self.usable.get(node as usize).copied().unwrap_or(false)
    }

    /// The legal steps from a node with their costs.
    pub fn steps(&self, node: NodeId) -> &[(NodeId, u64)] {
        &self.steps[self.first[node as usize]..self.first[node as usize + 1]]
    }

    /// The least cost from one node to all others.
    pub fn distances(&self, from: NodeId) -> Vec<Option<u64>> {
        let mut costs = Vec::new();
        self.distances_into(from, &mut costs);
        costs
    }

    /// Like [`distances`](Self::distances), into a buffer.
    pub fn distances_into(&self, from: NodeId, costs: &mut Vec<Option<u64>>) {
        costs.clear();
        costs.resize(self.node_count(), None);
        costs[from as usize] = Some(0);
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((cost, tail))) = open.pop() {
            if costs[tail as usize] != Some(cost) {
                continue;
            }
            for &(head, weight) in self.steps(tail) {
                let least = &mut costs[head as usize];
                if least.is_none_or(|least| cost + weight < least) {
                    *least = Some(cost + weight);
                    open.push(Reverse((cost + weight, head)));
                }
            }
        }
    }

    /// The cost of a path from one node to another, or what is wrong with it.
    pub fn walk(&self, path: &[NodeId], from: NodeId, to: NodeId) -> Result<u64, String> {
        let step = |tail: NodeId, head: NodeId| {
            let legal = self.steps(tail).iter().filter(|&&(other, _)| other == head);
            legal.map(|&(_, cost)| cost).min()
        };
        walk_by(path, (from, to), |node| self.is_usable(node), step)
    }
}

/// The least cost from one node to all others. For many sources on one map, use [`Reference`].
pub fn distances(map: &Map, from: NodeId) -> Vec<Option<u64>> {
    Reference::new(map).distances(from)
}

/// The legal steps from a node with their costs.
pub fn steps(map: &Map, node: NodeId) -> Vec<(NodeId, u64)> {
    match map {
        Map::Grid(grid) => grid_steps(grid, node),
        Map::Graph(graph) => {
            graph.edges(node).map(|(head, weight)| (head, u64::from(weight))).collect()
        }
    }
}

/// Whether a path may use this node.
pub fn is_usable(map: &Map, node: NodeId) -> bool {
    match map {
        Map::Grid(grid) => grid.is_passable(node % grid.width(), node / grid.width()),
        Map::Graph(graph) => graph.contains(node),
    }
}

fn grid_steps(grid: &Grid, node: NodeId) -> Vec<(NodeId, u64)> {
    let (width, height) = (i64::from(grid.width()), i64::from(grid.height()));
    let (x, y) = (i64::from(node) % width, i64::from(node) / width);
    let free = |x: i64, y: i64| {
        (0..width).contains(&x) && (0..height).contains(&y) && grid.is_passable(x as u32, y as u32)
    };
    let factor = |x: i64, y: i64| u64::from(grid.factor(x as u32, y as u32).unwrap_or(0));
    if !free(x, y) {
        return Vec::new();
    }
    let mut steps = Vec::new();
    for &(dx, dy) in offsets(grid.connectivity(), y % 2 == 1) {
        let (to_x, to_y) = (x + dx, y + dy);
        let slanted = dx != 0 && dy != 0 && grid.connectivity() == Connectivity::Eight;
        let corners_free = usize::from(free(to_x, y)) + usize::from(free(x, to_y));
        let corners_needed = match grid.corners() {
            _ if !slanted => 0,
            Corners::Never => 2,
            Corners::PastOne => 1,
            Corners::Always => 0,
        };
        if free(to_x, to_y) && corners_free >= corners_needed {
            let cost = match (grid.has_terrain(), slanted) {
                (false, false) => 33461,
                (false, true) => 47321,
                (true, false) => (factor(x, y) + factor(to_x, to_y)) * 408,
                (true, true) => (factor(x, y) + factor(to_x, to_y)) * 577,
            };
            steps.push(((to_y * width + to_x) as NodeId, cost));
        }
    }
    steps
}

fn offsets(connectivity: Connectivity, odd_row: bool) -> &'static [(i64, i64)] {
    const FOUR: [(i64, i64); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    const EIGHT: [(i64, i64); 8] =
        [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    // Odd rows are half a cell to the right.
    const HEX_ODD: [(i64, i64); 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1)];
    const HEX_EVEN: [(i64, i64); 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (-1, -1)];
    match connectivity {
        Connectivity::Four => &FOUR,
        Connectivity::Eight => &EIGHT,
        Connectivity::Hex if odd_row => &HEX_ODD,
        Connectivity::Hex => &HEX_EVEN,
    }
}
