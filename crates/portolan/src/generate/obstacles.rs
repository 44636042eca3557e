//! Randomly scattered blocked cells, as in the MovingAI "random" maps.

use super::{GenerateError, Random, check_share, check_size, keep_largest};
use crate::grid::Grid;

/// Each cell is blocked independently of all others.
///
/// At about 41 % the free cells split into islands (the percolation threshold of the square
/// lattice); maps are hardest there.
///
/// ```
/// use portolan::generate::Obstacles;
/// let grid = Obstacles { blocked: 0.1, ..Obstacles::default() }.generate()?;
/// assert!((0.88..0.91).contains(&(grid.passable_count() as f64 / (512.0 * 512.0))));
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacles {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// The probability that a cell is blocked. Larger values make more detours, then islands.
    pub blocked: f64,
    /// Whether to fill all components except the largest, as in the MovingAI maps.
    pub largest_only: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Obstacles {
    fn default() -> Self {
        Self { width: 512, height: 512, blocked: 0.35, largest_only: true, seed: 0 }
    }
}

impl Obstacles {
    /// Generates the obstacles.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 1)?;
        check_share("blocked", self.blocked, 1.0)?;
        let mut random = Random::new(self.seed);
        let grid = Grid::from_fn(self.width, self.height, |_, _| !random.chance(self.blocked))?;
        Ok(if self.largest_only { keep_largest(&grid)? } else { grid })
    }
}
