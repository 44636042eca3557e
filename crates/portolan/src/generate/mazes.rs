//! Mazes, as in the MovingAI "mazes" maps.

use super::lattice::Lattice;
use super::{GenerateError, Random, check_number, check_share, check_size};
use crate::grid::Grid;

/// A maze of corridors between walls one cell thick; perfect (one way between any two places)
/// unless `loops` opens more.
///
/// Grown from a random corner of the lattice by the growing-tree method: usually on from the newest
/// corner, which makes long winding corridors, and sometimes from any corner that has unvisited
/// neighbours, which makes side branches.
///
/// ```
/// use portolan::generate::Mazes;
/// let maze = Mazes { width: 64, height: 64, corridor: 1, seed: 3, ..Mazes::default() }.generate()?;
/// // A tree over 32 x 32 corners: every corner, and one opening for each but the first.
/// assert_eq!(maze.passable_count(), 2 * 32 * 32 - 1);
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mazes {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// How many cells wide corridors are; below the shorter side of the map. More makes fewer,
    /// wider corridors.
    pub corridor: u32,
    /// How probably the maze grows on from a random place rather than the newest. More makes more
    /// and shorter dead ends; 0 is a depth-first search.
    pub branching: f64,
    /// How probably each wall left standing is opened too. More makes more ways round.
    pub loops: f64,
    /// Another seed, another maze.
    pub seed: u64,
}

impl Default for Mazes {
    fn default() -> Self {
        Self { width: 512, height: 512, corridor: 4, branching: 0.12, loops: 0.0, seed: 0 }
    }
}

impl Mazes {
    /// Grows the maze.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 2)?;
        check_number("corridor", self.corridor, 1u32, self.width.min(self.height) - 1)?;
        check_share("branching", self.branching, 1.0)?;
        check_share("loops", self.loops, 1.0)?;
        let lattice = Lattice::new(self.width, self.height, self.corridor + 1);
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

    /// Which walls the tree opens.
    fn grow(&self, lattice: &Lattice, random: &mut Random) -> Vec<bool> {
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
