//! Mazes, as in the MovingAI "mazes" maps.

use super::lattice::ChamberLattice;
use super::{GenerateError, Random, check_number, check_share, check_size};
use crate::grid::Grid;

/// A maze of corridors between walls one cell thick; perfect (one path between any two cells)
/// unless `loops` opens more walls.
///
/// Grown from a random chamber of the lattice by the growing-tree method: usually from the newest
/// chamber, which makes long winding corridors, sometimes from any chamber with unvisited
/// neighbours, which makes side branches.
///
/// ```
/// use portolan::generate::Mazes;
/// let maze = Mazes { width: 64, height: 64, corridor: 1, seed: 3, ..Mazes::default() }.generate()?;
/// // A tree over 32 x 32 chambers: every chamber, and one opening for each but the first.
/// assert_eq!(maze.passable_count(), 2 * 32 * 32 - 1);
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mazes {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// The width of corridors in cells; below the shorter side of the map. Larger values make
    /// fewer, wider corridors.
    pub corridor: u32,
    /// The probability that the maze grows from a random chamber rather than the newest. Larger
    /// values make more and shorter dead ends; 0 is a depth-first search.
    pub branching: f64,
    /// The probability that each remaining wall is opened too. Larger values make more loops.
    pub loops: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Mazes {
    fn default() -> Self {
        Self { width: 512, height: 512, corridor: 4, branching: 0.12, loops: 0.0, seed: 0 }
    }
}

impl Mazes {
    /// Generates the maze.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 2)?;
        check_number("corridor", self.corridor, 1u32, self.width.min(self.height) - 1)?;
        check_share("branching", self.branching, 1.0)?;
        check_share("loops", self.loops, 1.0)?;
        let lattice = ChamberLattice::new(self.width, self.height, self.corridor + 1);
        let mut random = Random::new(self.seed);
        let is_open = self.grow(&lattice, &mut random);
        let mut canvas = lattice.draw();
        for wall in 0..lattice.wall_numbers() {
            if lattice.beside(wall).is_none() {
                continue;
            }
            if is_open[wall as usize] || random.chance(self.loops) {
                let (xs, ys) = lattice.cells(wall);
                canvas.fill(xs, ys, true);
            }
        }
        Ok(canvas.into_grid()?)
    }

    /// Whether the tree opens each wall.
    fn grow(&self, lattice: &ChamberLattice, random: &mut Random) -> Vec<bool> {
        let mut is_open = vec![false; lattice.wall_numbers() as usize];
        let mut visited = vec![false; lattice.chambers() as usize];
        let root = random.below(lattice.chambers().into()) as u32;
        visited[root as usize] = true;
        // Chambers that may still have unvisited neighbours, the newest last.
        let mut active = vec![root];
        while let Some(newest) = active.len().checked_sub(1) {
            let index = if random.chance(self.branching) {
                random.below(active.len() as u64) as usize
            } else {
                newest
            };
            let chamber = active[index];
            let unvisited =
                || lattice.neighbours(chamber).filter(|&(next, _)| !visited[next as usize]);
            let choices = unvisited().count();
            match unvisited().nth(random.below(choices as u64) as usize) {
                Some((next, wall)) => {
                    is_open[wall as usize] = true;
                    visited[next as usize] = true;
                    active.push(next);
                }
                None => {
                    active.swap_remove(index);
                }
            }
        }
        is_open
    }
}
