//! Errors of grids.

/// Why a grid cannot be built or a cell cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// A grid has at least one cell.
    #[error("a grid of {width} x {height} cells has no cell at all")]
    Empty {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
    },
    /// More cells than node ids.
    #[error("a grid of {width} x {height} cells is too large: at most {} cells, and at most 2 GiB at 64 bits a row", u32::MAX - 1)]
    TooLarge {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
    },
    /// A cell outside the map.
    #[error("cell {x},{y} lies outside the map of {width} x {height} cells; x runs from 0 to {}, y from 0 to {}", width - 1, height - 1)]
    Outside {
        /// The given column.
        x: u32,
        /// The given row.
        y: u32,
        /// The number of columns.
        width: u32,
        /// The number of rows.
        height: u32,
    },
    /// The number of terrain factors differs from the number of cells.
    #[error("{found} terrain factors were given for {expected} cells")]
    TerrainCount {
        /// The number of cells.
        expected: usize,
        /// The number of factors.
        found: usize,
    },
    /// The number of costs differs from the number of cells.
    #[error("{found} costs were given for {expected} cells")]
    CostCount {
        /// The number of cells.
        expected: usize,
        /// The number of costs.
        found: usize,
    },
    /// Terrain factors start at one.
    #[error(
        "cell {x},{y} has the terrain factor 0; factors are 1 to 255, and blocked is not a factor"
    )]
    ZeroFactor {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
    },
}
