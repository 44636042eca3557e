//! The `serde` form of a grid: rows of `.` and `#`, so that text formats stay readable, and terrain
//! factors.

use serde::{Deserialize, Serialize};

use super::{Connectivity, Corners, Grid, GridError};

#[derive(Serialize, Deserialize)]
pub(super) struct SerializedGrid {
    connectivity: Connectivity,
    corners: Corners,
    cells: Vec<String>,
    /// Terrain factors row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factors: Option<Vec<u8>>,
}

/// Why the serialized form is not a grid.
#[derive(Debug, thiserror::Error)]
pub(super) enum SerializedGridError {
    #[error(transparent)]
    Grid(#[from] GridError),
    #[error("row {row} has {found} cells, the first has {expected}")]
    Row { row: usize, expected: usize, found: usize },
    #[error("row {row} contains {found:?}; `.` is a free cell and `#` a blocked one")]
    Cell { row: usize, found: char },
}

impl From<Grid> for SerializedGrid {
    fn from(grid: Grid) -> Self {
        let cell = |x, y| if grid.is_passable(x, y) { '.' } else { '#' };
        let row = |y| (0..grid.width()).map(|x| cell(x, y)).collect();
        Self {
            connectivity: grid.connectivity(),
            corners: grid.corners(),
            cells: (0..grid.height()).map(row).collect(),
            factors: grid.factors().map(<[u8]>::to_vec),
        }
    }
}

impl TryFrom<SerializedGrid> for Grid {
    type Error = SerializedGridError;

    fn try_from(serialized: SerializedGrid) -> Result<Self, SerializedGridError> {
        let expected = serialized.cells.first().map_or(0, String::len);
        for (row, cells) in serialized.cells.iter().enumerate() {
            if let Some(other) = cells.chars().find(|&cell| cell != '.' && cell != '#') {
                return Err(SerializedGridError::Cell { row, found: other });
            }
            if cells.len() != expected {
                return Err(SerializedGridError::Row { row, expected, found: cells.len() });
            }
        }
        let size = |cells: usize| u32::try_from(cells).unwrap_or(u32::MAX);
        let is_free = |x: u32, y: u32| serialized.cells[y as usize].as_bytes()[x as usize] == b'.';
        let grid = Self::from_fn(size(expected), size(serialized.cells.len()), is_free)?
            .with_connectivity(serialized.connectivity)
            .with_corners(serialized.corners);
        Ok(match serialized.factors {
            Some(factors) => grid.with_terrain(factors)?,
            None => grid,
        })
    }
}
