//! `pathfinding::astar` with the same integer costs and the same bounds as Portolan's A*.

use pathfinding::prelude::astar;
use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::heuristic::{Geometric, LowerBound};
use portolan::{Cost, CsrGraph, Grid, NodeId};
use std::cell::RefCell;

/// On an eight-connected grid of one terrain, with the octile bound.
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

/// On a graph, with the straight line where it has coordinates.
pub fn pathfinding_astar_on_graph(
    graph: &CsrGraph,
    bound: &Geometric,
    from: NodeId,
    to: NodeId,
) -> Option<(Vec<NodeId>, Cost)> {
    let bound = RefCell::new(bound.with_end(to));
    let heuristic = |&node: &NodeId| bound.borrow_mut().at(node).unwrap_or(0);
    astar(&from, |&node| graph.edges(node), heuristic, |&node| node == to)
}
