//! `hierarchical_pathfinding`: HPA* on chunks of the grid.
//!
//! What it calls a neighbourhood can be of one's own making, so it learns our rule for diagonals
//! and cuts no corner. What a step costs depends on the cell it leaves and not on its direction: a
//! diagonal costs as much as a straight step, and the fewest steps are not the shortest way.

use std::fmt;

use hierarchical_pathfinding::neighbors::{MooreNeighborhood, Neighborhood};
use hierarchical_pathfinding::{PathCache, PathCacheConfig};
use portolan::{Grid, NodeId};

use crate::judge::Answered;
use crate::timing::Contestant;

/// Column and row, as the crate has them.
type Point = (usize, usize);

/// Chunks with the paths between their entrances.
pub(crate) struct Clusters {
    grid: Grid,
    cache: PathCache<Steps>,
}

impl Clusters {
    /// With these options.
    pub(crate) fn new(grid: &Grid, config: PathCacheConfig) -> Self {
        let size = (grid.width() as usize, grid.height() as usize);
        let cache = PathCache::new(size, cost(grid), Steps(grid.clone()), config);
        Self { grid: grid.clone(), cache }
    }
}

/// The same with the crate's own neighbourhood, which knows nothing of blocked cells and cuts
/// corners. That is for edits: a neighbourhood that knows the map would have to be told of them
/// behind the cache's back.
pub struct EditedClusters(PathCache<MooreNeighborhood>);

impl EditedClusters {
    /// With these options.
    pub fn new(grid: &Grid, config: PathCacheConfig) -> Self {
        let size = (grid.width() as usize, grid.height() as usize);
        let neighbours = MooreNeighborhood::new(size.0, size.1);
        Self(PathCache::new(size, cost(grid), neighbours, config))
    }

    /// Follows the edit of a cell, which has been made in the grid.
    pub fn cell_changed(&mut self, grid: &Grid, (x, y): (u32, u32)) {
        self.0.tiles_changed(&[(x as usize, y as usize)], cost(grid));
    }

    /// Whether a path leads from one cell to another.
    pub fn finds(&self, grid: &Grid, from: NodeId, to: NodeId) -> bool {
        let point = |node| grid.position(node).map(|(x, y)| (x as usize, y as usize));
        match (point(from), point(to)) {
            (Some(from), Some(to)) => self.0.find_path(from, to, cost(grid)).is_some(),
            _ => false,
        }
    }
}

/// One for a cell that can be stood on, -1 for others, as the crate wants it.
fn cost(grid: &Grid) -> impl Fn(Point) -> isize + Sync {
    |(x, y)| if grid.is_passable(x as u32, y as u32) { 1 } else { -1 }
}

/// The legal steps of a grid, diagonals first: with chunks of 16 its paths came out two to three
/// hundredths shorter on four maps than with straight steps first, and with chunks of 8 alike.
#[derive(Clone)]
struct Steps(Grid);

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the steps of a {} x {} grid", self.0.width(), self.0.height())
    }
}

impl Neighborhood for Steps {
    fn get_all_neighbors(&self, (x, y): Point, target: &mut Vec<Point>) {
        for diagonal in [true, false] {
            let steps = self.0.moves(x as u32, y as u32);
            target.extend(steps.filter(|step| step.is_diagonal() == diagonal).map(|step| {
                let (dx, dy) = step.delta();
                (x.wrapping_add_signed(dx as isize), y.wrapping_add_signed(dy as isize))
            }));
        }
    }

    fn heuristic(&self, (x, y): Point, (goal_x, goal_y): Point) -> usize {
        x.abs_diff(goal_x).max(y.abs_diff(goal_y))
    }
}

/// HPA* that answers.
pub(crate) struct Hierarchical<'a> {
    name: &'static str,
    clusters: &'a Clusters,
    path: Vec<Point>,
}

impl<'a> Hierarchical<'a> {
    /// On these chunks, under this name.
    pub(crate) fn new(name: &'static str, clusters: &'a Clusters) -> Self {
        Self { name, clusters, path: Vec::new() }
    }
}

impl Contestant for Hierarchical<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        let grid = &self.clusters.grid;
        let point = |node| grid.position(node).map(|(x, y)| (x as usize, y as usize));
        self.path.clear();
        let (Some(start), Some(goal)) = (point(from), point(to)) else { return Ok(None) };
        let found = self.clusters.cache.find_path(start, goal, cost(grid));
        Ok(found.map(|path| {
            // The iterator leaves out the start, unless it is the goal too.
            self.path.extend((start != goal).then_some(start));
            self.path.extend(path);
            0
        }))
    }

    fn path(&self) -> Vec<NodeId> {
        let width = self.clusters.grid.width();
        self.path.iter().map(|&(x, y)| y as u32 * width + x as u32).collect()
    }

    fn has_costs(&self) -> bool {
        false
    }
}
