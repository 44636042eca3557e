//! `grid_pathfinding`: jump point search on the grid.
//!
//! It has diagonals past blocked cells or no diagonals at all, and no rule between.

use grid_pathfinding::PathingGrid;
use grid_util::grid::ValueGrid;
use grid_util::point::Point;
use portolan::{Grid, NodeId};

use crate::judge::Answered;
use crate::timing::Contestant;

/// A grid with its jump points and components.
pub(crate) struct JumpPoints {
    grid: PathingGrid,
    width: u32,
}

impl JumpPoints {
    /// As the crate's own example makes it; with diagonals, which cut corners, or without.
    pub(crate) fn new(grid: &Grid, diagonals: bool) -> Self {
        let mut jumps = PathingGrid::new(grid.width() as usize, grid.height() as usize, false);
        if !diagonals {
            jumps.allow_diagonal_move = false;
            // What its own tests set for four directions.
            jumps.improved_pruning = false;
        }
        for y in 0..grid.height() {
            for x in (0..grid.width()).filter(|&x| !grid.is_passable(x, y)) {
                jumps.set(x as i32, y as i32, true);
            }
        }
        jumps.generate_components();
        Self { grid: jumps, width: grid.width() }
    }
}

/// Jump point search that answers.
pub(crate) struct JumpSearch<'a> {
    name: &'static str,
    map: &'a JumpPoints,
    path: Vec<Point>,
}

impl<'a> JumpSearch<'a> {
    /// On this grid, under this name.
    pub(crate) fn new(name: &'static str, map: &'a JumpPoints) -> Self {
        Self { name, map, path: Vec::new() }
    }
}

impl Contestant for JumpSearch<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        let width = self.map.width;
        let point = |node: NodeId| Point::new((node % width) as i32, (node / width) as i32);
        let found = self.map.grid.get_path_single_goal(point(from), point(to), false);
        let answered = found.is_some();
        self.path = found.unwrap_or_default();
        Ok(answered.then_some(0))
    }

    fn path(&self) -> Vec<NodeId> {
        self.path.iter().map(|point| point.y as u32 * self.map.width + point.x as u32).collect()
    }

    fn has_costs(&self) -> bool {
        false
    }
}
