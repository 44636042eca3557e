//! Caves: random noise smoothed by a cellular automaton.

use super::canvas::Canvas;
use super::{GenerateError, Random, check_number, check_share, check_size, keep_largest};
use crate::grid::Grid;

/// Natural-looking halls and passages.
///
/// Square grains of rock are blocked at random. Then, in each round, a grain becomes blocked if at
/// least five of the nine in its neighbourhood are; those beyond the edge count as blocked. Finally
/// the grains become cells, and the same rule rounds off their corners.
///
/// ```
/// use portolan::generate::Caves;
/// let grid = Caves { width: 100, height: 80, seed: 5, ..Caves::default() }.generate()?;
/// assert!(grid.passable_count() > 1000);
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Caves {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// The side of a grain in cells, at least 1. Larger grains make larger halls and wider
    /// passages.
    pub grain: u32,
    /// The probability that a grain starts blocked. Larger values make narrower caves; beyond about
    /// 0.5 they are disconnected.
    pub fill: f64,
    /// The number of smoothing rounds, at most 1000. More rounds make rounder, wider halls and take
    /// longer.
    pub rounds: u32,
    /// Whether to fill all caves except the largest.
    pub largest_only: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Caves {
    fn default() -> Self {
        Self {
            width: 512,
            height: 512,
            grain: 4,
            fill: 0.47,
            rounds: 4,
            largest_only: true,
            seed: 0,
        }
    }
}

impl Caves {
    /// Generates the noise and smooths it.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 1)?;
        check_share("fill", self.fill, 1.0)?;
        check_number("rounds", self.rounds, 0u32, 1000u32)?;
        check_number("grain", self.grain, 1u32, self.width.max(self.height))?;
        let mut random = Random::new(self.seed);
        let (columns, rows) = (self.width.div_ceil(self.grain), self.height.div_ceil(self.grain));
        let mut grains = Canvas::from_fn(columns, rows, |_, _| !random.chance(self.fill));
        for _ in 0..self.rounds {
            smooth(&mut grains);
        }
        let mut canvas = Canvas::from_fn(self.width, self.height, |x, y| {
            grains.row(y / self.grain)[(x / self.grain) as usize]
        });
        // Each round cuts the tip off protruding corners, until they are fully rounded.
        for _ in 1..self.grain.min(MOST_ROUNDINGS) {
            smooth(&mut canvas);
        }
        let grid = canvas.into_grid()?;
        Ok(if self.largest_only { keep_largest(&grid)? } else { grid })
    }
}

const MOST_ROUNDINGS: u32 = 8;

/// One round, in place; keeps copies of the old rows above and here.
fn smooth(canvas: &mut Canvas) {
    /// Of nine cells: five blocked cells block.
    const FREE_NEEDED: u8 = 5;
    let width = canvas.width() as usize;
    let mut above = vec![false; width];
    let mut here = canvas.row(0).to_vec();
    // The number of free cells of the three in each column, with a blocked column at either end.
    let mut columns = vec![0u8; width + 2];
    for y in 0..canvas.height() {
        let mut below = canvas.row(y + 1).to_vec();
        below.resize(width, false);
        for (x, free) in columns[1..=width].iter_mut().enumerate() {
            *free = u8::from(above[x]) + u8::from(here[x]) + u8::from(below[x]);
        }
        for (cell, near) in canvas.row_mut(y).iter_mut().zip(columns.windows(3)) {
            *cell = near.iter().sum::<u8>() >= FREE_NEEDED;
        }
        above = here;
        here = below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_agrees_with_counting_nine_cells() {
        let mut random = Random::new(9);
        for (width, height) in [(1, 1), (1, 7), (6, 1), (13, 9)] {
            let mut canvas = Canvas::from_fn(width, height, |_, _| random.chance(0.6));
            let before: Vec<Vec<bool>> = (0..height).map(|y| canvas.row(y).to_vec()).collect();
            smooth(&mut canvas);
            for y in 0..height as usize {
                for x in 0..width as usize {
                    let rows = &before[y.saturating_sub(1)..(y + 2).min(height as usize)];
                    let columns = x.saturating_sub(1)..(x + 2).min(width as usize);
                    let near = rows.iter().flat_map(|row| &row[columns.clone()]);
                    let free = near.filter(|&&free| free).count();
                    assert_eq!(canvas.row(y as u32)[x], free >= 5, "{x},{y}");
                }
            }
        }
    }
}
