//! Other pathfinding crates, asked the way Portolan is asked; for benchmarks only.
//!
//! A peer gets the map through the cheapest interface that it has, so that what is measured is its search
//! and not our plumbing.

use pathfinding::prelude::astar;
use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::{Cost, Grid, NodeId};

/// `pathfinding::astar` on an eight-connected grid of one terrain, with the octile bound and the same
/// integer costs as Portolan.
pub fn pathfinding_astar(grid: &Grid, from: NodeId, to: NodeId) -> Option<(Vec<NodeId>, Cost)> {
    let width = grid.width();
    let split = |node: NodeId| (node % width, node / width);
    let (goal_x, goal_y) = split(to);
    let successors = |&node: &NodeId| {
        let (x, y) = split(node);
        grid.moves(x, y).map(move |direction| {
            let (dx, dy) = direction.delta();
            let head = (y.wrapping_add_signed(dy)) * width + x.wrapping_add_signed(dx);
            (head, if direction.is_diagonal() { DIAGONAL } else { STRAIGHT })
        })
    };
    let octile = |&node: &NodeId| {
        let (x, y) = split(node);
        let (dx, dy) = (x.abs_diff(goal_x), y.abs_diff(goal_y));
        dx.abs_diff(dy) * STRAIGHT + dx.min(dy) * DIAGONAL
    };
    astar(&from, successors, octile, |&node| node == to)
}
