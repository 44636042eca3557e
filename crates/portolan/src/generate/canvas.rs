//! A canvas of cells for drawing grids.

use std::ops::Range;

use crate::grid::{Grid, GridError};

/// Cells row by row; `true` is passable. The caller of `from_fn` checks the size.
pub(super) struct Canvas {
    width: u32,
    height: u32,
    cells: Vec<bool>,
}

impl Canvas {
    pub(super) fn from_fn(
        width: u32,
        height: u32,
        mut is_passable: impl FnMut(u32, u32) -> bool,
    ) -> Self {
        let mut cells = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            cells.extend((0..width).map(|x| is_passable(x, y)));
        }
        Self { width, height, cells }
    }

    pub(super) fn width(&self) -> u32 {
        self.width
    }

    pub(super) fn height(&self) -> u32 {
        self.height
    }

    /// A row, counted from the top; empty outside the canvas.
    pub(super) fn row(&self, y: u32) -> &[bool] {
        let width = self.width as usize;
        self.cells.chunks_exact(width).nth(y as usize).unwrap_or(&[])
    }

    pub(super) fn row_mut(&mut self, y: u32) -> &mut [bool] {
        let width = self.width as usize;
        self.cells.chunks_exact_mut(width).nth(y as usize).unwrap_or(&mut [])
    }

    /// Sets a rectangle, clipped to the canvas.
    pub(super) fn fill(&mut self, xs: Range<u32>, ys: Range<u32>, passable: bool) {
        let end = xs.end.min(self.width);
        let start = xs.start.min(end);
        for y in ys.start..ys.end.min(self.height) {
            self.row_mut(y)[start as usize..end as usize].fill(passable);
        }
    }

    pub(super) fn into_grid(self) -> Result<Grid, GridError> {
        let mut cells = self.cells.into_iter();
        Grid::from_fn(self.width, self.height, |_, _| cells.next().unwrap_or(false))
    }
}
