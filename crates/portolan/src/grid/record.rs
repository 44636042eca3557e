//! A grid as `serde` sees it: rows of `.` and `#`, so that text formats stay readable, and terrain
//! beside them.

use serde::{Deserialize, Serialize};

use super::{Connectivity, Corners, Grid, GridError};

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    connectivity: Connectivity,
    corners: Corners,
    cells: Vec<String>,
    /// Terrain factors row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factors: Option<Vec<u8>>,
}

/// Why a record is not a grid.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error(transparent)]
    Grid(#[from] GridError),
    #[error("row {row} has {found} cells, the first has {expected}")]
    Row { row: usize, expected: usize, found: usize },
    #[error("row {row} holds {found:?}; `.` is a free cell and `#` a blocked one")]
    Cell { row: usize, found: char },
}

impl From<Grid> for Record {
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

impl TryFrom<Record> for Grid {
    type Error = RecordError;

    fn try_from(record: Record) -> Result<Self, RecordError> {
        let expected = record.cells.first().map_or(0, String::len);
        for (row, cells) in record.cells.iter().enumerate() {
            if let Some(other) = cells.chars().find(|&cell| cell != '.' && cell != '#') {
                return Err(RecordError::Cell { row, found: other });
            }
            if cells.len() != expected {
                return Err(RecordError::Row { row, expected, found: cells.len() });
            }
        }
        let size = |cells: usize| u32::try_from(cells).unwrap_or(u32::MAX);
        let is_free = |x: u32, y: u32| record.cells[y as usize].as_bytes()[x as usize] == b'.';
        let grid = Self::from_fn(size(expected), size(record.cells.len()), is_free)?
            .with_connectivity(record.connectivity)
            .with_corners(record.corners);
        Ok(match record.factors {
            Some(factors) => grid.with_terrain(factors)?,
            None => grid,
        })
    }
}
