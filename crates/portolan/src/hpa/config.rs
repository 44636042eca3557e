//! What can be chosen, and what is refused.

use super::clusters::tiling::Tiling;
use crate::build::{DEFAULT_MEMORY_LIMIT, Unsupported};
use crate::grid::Grid;
use crate::heuristic::{Geometric, HeuristicChoice};
use crate::map::Map;

/// What can be chosen when building an [`Hpa`](super::Hpa).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HpaConfig {
    /// Cells along the side of a cluster, 2 to 64. Small ones make longer abstract searches,
    /// shorter paths between nodes and quick refreshes; the papers use 5, 10 and 20.
    pub cluster_size: u32,
    /// Levels of clusters, 1 to 6, each of which has twice the cells along a side. More make
    /// abstract searches on large maps shorter, paths a little longer and edits dearer. With a
    /// cache there is one.
    pub levels: usize,
    /// Whether the cost and the direction from every cell to the nodes of its cluster are stored:
    /// DHPA*.
    pub cached: bool,
    /// Whether paths are straightened. It takes a little time and makes them several hundredths
    /// shorter.
    pub smooth: bool,
    /// The geometric lower bound of the searches.
    pub heuristic: HeuristicChoice,
    /// Bytes that the index may take, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for as many
    /// as it needs.
    pub memory_limit: u64,
    /// Threads for the build; 0 for one per core. The index does not depend on it.
    pub threads: usize,
}

impl Default for HpaConfig {
    fn default() -> Self {
        Self {
            cluster_size: 10,
            levels: 1,
            cached: false,
            smooth: true,
            heuristic: HeuristicChoice::Auto,
            memory_limit: DEFAULT_MEMORY_LIMIT,
            threads: 0,
        }
    }
}

const SIZES: std::ops::RangeInclusive<u32> = 2..=64;
const MAX_LEVELS: usize = 6;

impl HpaConfig {
    pub(super) fn method(&self) -> &'static str {
        if self.cached { "dhpa" } else { "hpa" }
    }

    /// The grid, how it is cut and the lower bound on it, or why it cannot be served.
    pub(super) fn check<'a>(
        &self,
        map: &'a Map,
    ) -> Result<(&'a Grid, Tiling, Geometric), Unsupported> {
        let method = self.method();
        let refused = |reason| Unsupported { method, reason };
        let grid = grid_of(method, map)?;
        let tiling = tiling(method, grid, self.cluster_size)?;
        if !(1..=MAX_LEVELS).contains(&self.levels) || (self.cached && self.levels > 1) {
            let most = if self.cached { 1 } else { MAX_LEVELS };
            let reason = format!("it cannot have {} levels; it has 1 to {most}", self.levels);
            return Err(refused(reason));
        }
        Ok((grid, tiling, Geometric::for_method(method, map, self.heuristic)?))
    }
}

/// The grid, which a method needs to cut it into squares.
pub(super) fn grid_of<'a>(method: &'static str, map: &'a Map) -> Result<&'a Grid, Unsupported> {
    match map {
        Map::Grid(grid) => Ok(grid),
        Map::Graph(_) => Err(Unsupported {
            method,
            reason: "it cuts grids into squares, and this is a graph; use ppa or atlas".into(),
        }),
    }
}

/// How the grid is cut, or why it cannot be.
pub(super) fn tiling(method: &'static str, grid: &Grid, size: u32) -> Result<Tiling, Unsupported> {
    let refused = |reason| Unsupported { method, reason };
    if !SIZES.contains(&size) {
        let (least, most) = (SIZES.start(), SIZES.end());
        return Err(refused(format!("clusters of {size} cells a side; choose {least} to {most}")));
    }
    Tiling::new(grid, size).ok_or_else(|| {
        refused(format!("it is too large for clusters of {size} x {size}; choose larger ones"))
    })
}
