//! Blocked cells strewn at random, as in the MovingAI "random" maps.

use super::{GenerateError, Random, check_share, check_size, keep_largest};
use crate::grid::Grid;

/// Each cell blocked or not, independently of all others.
///
/// Near 41 % the free cells fall apart into islands (the percolation threshold of the square
/// lattice); that is where maps are hardest.
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
    /// How probably a cell is blocked. More makes more detours, then islands.
    pub blocked: f64,
    /// Whether all but the largest connected part is filled, as in the MovingAI maps.
    pub largest_only: bool,
    /// Another seed, other obstacles.
    pub seed: u64,
}

impl Default for Obstacles {
    fn default() -> Self {
        Self { width: 512, height: 512, blocked: 0.35, largest_only: true, seed: 0 }
    }
}

impl Obstacles {
    /// Strews the obstacles.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 1)?;
        check_share("blocked", self.blocked, 1.0)?;
        let mut random = Random::new(self.seed);
        let grid = Grid::from_fn(self.width, self.height, |_, _| !random.chance(self.blocked))?;
        Ok(if self.largest_only { keep_largest(&grid)? } else { grid })
    }
}
