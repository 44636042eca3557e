//! `pathfinding`: its A* with the same integer costs and the same bounds as ours.

use std::cell::RefCell;

use pathfinding::prelude::astar;
use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::heuristic::{Geometric, HeuristicChoice, LowerBound};
use portolan::{Cost, CsrGraph, Grid, Map, NodeId};

use super::Problem;
use super::entrant::BASELINE;
use crate::judge::Answered;
use crate::timing::Contestant;

/// `pathfinding::astar`.
pub(crate) struct Pathfinding<'a> {
    map: Searched<'a>,
    found: Option<(Vec<NodeId>, Cost)>,
}

enum Searched<'a> {
    Grid(&'a Grid),
    Graph(&'a CsrGraph, Geometric),
}

impl<'a> Pathfinding<'a> {
    /// On this map; a grid has to be an eight-connected one of one terrain.
    pub(crate) fn new(map: &'a Map) -> Result<Self, Problem> {
        let map = match map {
            Map::Grid(grid) => Searched::Grid(grid),
            Map::Graph(graph) => {
                Searched::Graph(graph, Geometric::new(map, HeuristicChoice::Auto)?)
            }
        };
        Ok(Self { map, found: None })
    }
}

impl Contestant for Pathfinding<'_> {
    fn name(&self) -> &str {
        BASELINE
    }

    fn exact(&self) -> bool {
        true
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        self.found = match &self.map {
            Searched::Grid(grid) => on_grid(grid, from, to),
            Searched::Graph(graph, bound) => on_graph(graph, bound, from, to),
        };
        Ok(self.found.as_ref().map(|&(_, cost)| cost))
    }

    fn path(&self) -> Vec<NodeId> {
        self.found.as_ref().map_or(Vec::new(), |(path, _)| path.clone())
    }
}

/// On an eight-connected grid of one terrain, with the octile bound.
fn on_grid(grid: &Grid, from: NodeId, to: NodeId) -> Option<(Vec<NodeId>, Cost)> {
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

/// On a graph, with the straight line if it has coordinates.
fn on_graph(
    graph: &CsrGraph,
    bound: &Geometric,
    from: NodeId,
    to: NodeId,
) -> Option<(Vec<NodeId>, Cost)> {
    let bound = RefCell::new(bound.with_end(to));
    let heuristic = |&node: &NodeId| bound.borrow_mut().at(node).unwrap_or(0);
    astar(&from, |&node| graph.edges(node), heuristic, |&node| node == to)
}
