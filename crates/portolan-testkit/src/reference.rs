//! The answers that engines are held against.
//!
//! Nothing here calls the library's searches or its neighbour rule: a grid is asked only whether a
//! cell is passable and what its factor is, a graph only for its edges. Costs are 64 bits wide, so
//! that what overflows in the library does not overflow here.

use std::collections::BTreeSet;

use portolan::{Connectivity, Corners, Graph, Grid, Map, NodeId};

/// The legal steps from a node with their costs, by the rules as the documentation words them.
pub fn steps(map: &Map, node: NodeId) -> Vec<(NodeId, u64)> {
    match map {
        Map::Grid(grid) => grid_steps(grid, node),
        Map::Graph(graph) => {
            graph.edges(node).map(|(head, weight)| (head, u64::from(weight))).collect()
        }
    }
}

/// The least cost from one node to all others, by Dijkstra's algorithm over an ordered set.
pub fn distances(map: &Map, from: NodeId) -> Vec<Option<u64>> {
    let mut least = vec![None; map.node_count()];
    let mut open = BTreeSet::from([(0u64, from)]);
    least[from as usize] = Some(0);
    while let Some((cost, tail)) = open.pop_first() {
        for (head, weight) in steps(map, tail) {
            let new = cost + weight;
            let old = least[head as usize];
            if old.is_none_or(|old| new < old) {
                if let Some(old) = old {
                    open.remove(&(old, head));
                }
                least[head as usize] = Some(new);
                open.insert((new, head));
            }
        }
    }
    least
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
    for (dx, dy) in offsets(grid.connectivity(), y % 2 == 1) {
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

fn offsets(connectivity: Connectivity, odd_row: bool) -> Vec<(i64, i64)> {
    let mut offsets = vec![(1, 0), (-1, 0), (0, 1), (0, -1)];
    match connectivity {
        Connectivity::Four => {}
        Connectivity::Eight => offsets.extend([(1, 1), (1, -1), (-1, 1), (-1, -1)]),
        // Odd rows lie half a cell to the right.
        Connectivity::Hex if odd_row => offsets.extend([(1, 1), (1, -1)]),
        Connectivity::Hex => offsets.extend([(-1, 1), (-1, -1)]),
    }
    offsets
}
