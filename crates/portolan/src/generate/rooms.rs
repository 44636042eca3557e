//! Square rooms with doors, as in the MovingAI "rooms" maps.

use super::lattice::{ChamberLattice, DisjointSets};
use super::{GenerateError, Random, check_number, check_share, check_size};
use crate::grid::Grid;

/// A regular lattice of square rooms between walls one cell thick, joined by doors of one cell.
///
/// Walls run along the left and upper edge and then every `room` cells, as in the MovingAI maps:
/// `8room_000` corresponds to `room: 8`. Unlike there, outer walls have no doors.
///
/// ```
/// use portolan::generate::Rooms;
/// let grid = Rooms { room: 8, seed: 7, ..Rooms::default() }.generate()?;
/// assert!((200_000..210_000).contains(&grid.passable_count()));
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rooms {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// The distance from wall to wall, so a room has `room - 1` free cells per side; 2 up to the
    /// shorter side of the map. Larger rooms make open space and fewer doors.
    pub room: u32,
    /// The probability that a wall between two rooms has a door. Larger values make more loops.
    pub doors: f64,
    /// Whether to add doors until all rooms are connected.
    pub connected: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Rooms {
    fn default() -> Self {
        Self { width: 512, height: 512, room: 16, doors: 0.8, connected: true, seed: 0 }
    }
}

impl Rooms {
    /// Generates the walls and doors.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 2)?;
        check_number("room", self.room, 2u32, self.width.min(self.height))?;
        check_share("doors", self.doors, 1.0)?;
        let lattice = ChamberLattice::new(self.width, self.height, self.room);
        let mut random = Random::new(self.seed);
        let mut canvas = lattice.draw();
        for wall in self.walls_with_doors(&lattice, &mut random) {
            let (xs, ys) = lattice.cells(wall);
            let x = xs.start + random.below((xs.end - xs.start).into()) as u32;
            let y = ys.start + random.below((ys.end - ys.start).into()) as u32;
            canvas.fill(x..x + 1, y..y + 1, true);
        }
        Ok(canvas.into_grid()?)
    }

    /// First random doors; then, over the closed walls in random order, doors that connect
    /// separate groups of rooms.
    fn walls_with_doors(&self, lattice: &ChamberLattice, random: &mut Random) -> Vec<u32> {
        let mut sets = DisjointSets::new(lattice.chambers());
        let mut closed = Vec::new();
        let mut open = Vec::new();
        for wall in 0..lattice.wall_numbers() {
            let Some((a, b)) = lattice.beside(wall) else { continue };
            if random.chance(self.doors) {
                sets.merge(a, b);
                open.push(wall);
            } else {
                closed.push(wall);
            }
        }
        if self.connected {
            random.shuffle(&mut closed);
            closed.retain(|&wall| lattice.beside(wall).is_some_and(|(a, b)| sets.merge(a, b)));
            open.append(&mut closed);
        }
        open
    }
}
