//! Configuration of HPA* and DHPA*, and which maps they support.

use super::clusters::tiling::Tiling;
use crate::build::{DEFAULT_MEMORY_LIMIT, Unsupported};
use crate::grid::Grid;
use crate::heuristic::{Geometric, HeuristicChoice};
use crate::map::Map;

/// Configuration of an [`Hpa`](super::Hpa).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HpaConfig {
    /// Cells along the side of a cluster, 2 to 64. Small clusters make longer abstract searches,
    /// shorter paths between nodes and fast refreshes; the papers use 5, 10 and 20.
    pub cluster_size: u32,
    /// Levels of clusters, 1 to 6, each with twice the cells along a side. More make abstract
    /// searches on large maps shorter, paths slightly longer and edits more expensive. With a cache
    /// there is one.
    pub levels: usize,
    /// Whether to store the cost and the direction from every cell to the nodes of its cluster:
    /// DHPA*.
    pub cached: bool,
    /// Whether to straighten paths. It takes little time and makes them several per cent shorter.
    pub smooth: bool,
    /// The geometric lower bound of the searches.
    pub heuristic: HeuristicChoice,
    /// The memory limit of the index in bytes, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for
    /// no limit.
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

    /// The grid, its tiling and the lower bound, or why the map is not supported.
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
            let reason = format!("{} levels are not supported; choose 1 to {most}", self.levels);
            return Err(refused(reason));
        }
        Ok((grid, tiling, Geometric::for_method(method, map, self.heuristic)?))
    }
}

/// The grid, which is required to cut it into squares.
pub(super) fn grid_of<'a>(method: &'static str, map: &'a Map) -> Result<&'a Grid, Unsupported> {
    match map {
        Map::Grid(grid) => Ok(grid),
        Map::Graph(_) => Err(Unsupported {
            method,
            reason: "it cuts grids into squares, and this is a graph; use ppa or atlas".into(),
        }),
    }
}

/// The tiling of the grid, or why it has none.
pub(super) fn tiling(method: &'static str, grid: &Grid, size: u32) -> Result<Tiling, Unsupported> {
    let refused = |reason| Unsupported { method, reason };
    if !SIZES.contains(&size) {
        let (least, most) = (SIZES.start(), SIZES.end());
        return Err(refused(format!(
            "clusters of {size} cells a side are not supported; choose {least} to {most}"
        )));
    }
    Tiling::new(grid, size).ok_or_else(|| {
        refused(format!("the map is too large for clusters of {size} x {size}; choose larger ones"))
    })
}
