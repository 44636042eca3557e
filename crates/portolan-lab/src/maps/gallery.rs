//! The maps that the page offers: drawings that teach, and typical maps of each kind.

use portolan::generate::Caves;
use portolan::{Grid, Map};
use serde::Serialize;

use super::generated::{Generated, Kind};
use crate::error::LabError;
use crate::shelf::Limits;

/// A map of the gallery.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct GalleryMap {
    pub(crate) name: &'static str,
    title: &'static str,
    #[serde(skip)]
    made: Made,
}

#[derive(Debug, Clone, Copy)]
enum Made {
    Drawn(fn(u32, u32) -> bool, [u32; 2]),
    Generated(Kind, u32, u32, u64),
    Hills,
}

/// All of them, in the order of the page.
pub(crate) const GALLERY: &[GalleryMap] = &[
    GalleryMap::new("rooms", "Rooms, 512 x 512", Made::Generated(Kind::Rooms, 512, 16, 1)),
    GalleryMap::new("caves", "Caves, 256 x 256", Made::Generated(Kind::Caves, 256, 4, 3)),
    GalleryMap::new("maze", "Maze, 256 x 256", Made::Generated(Kind::Maze, 256, 3, 2)),
    GalleryMap::new("town", "Town, 384 x 384", Made::Generated(Kind::Town, 384, 32, 5)),
    GalleryMap::new("hills", "Hills: terrain that costs more, 256 x 256", Made::Hills),
    GalleryMap::new("noise", "Noise, 256 x 256", Made::Generated(Kind::Noise, 256, 30, 4)),
    GalleryMap::new("wall", "A wall in the way, 48 x 32", Made::Drawn(wall, [48, 32])),
    GalleryMap::new(
        "pocket",
        "A pocket that opens away from the goal, 48 x 32",
        Made::Drawn(pocket, [48, 32]),
    ),
    GalleryMap::new("open", "Open ground, 128 x 128", Made::Drawn(|_, _| true, [128, 128])),
    GalleryMap::new("roads", "Roads, 20,000 junctions", Made::Generated(Kind::Roads, 20, 10, 1)),
];

/// One long wall with a gap at its end.
fn wall(x: u32, y: u32) -> bool {
    x != 24 || y > 27
}

/// A cup that is open to the west.
fn pocket(x: u32, y: u32) -> bool {
    let is_back = x == 32 && (6..26).contains(&y);
    let is_side = (12..=32).contains(&x) && (y == 6 || y == 25);
    !(is_back || is_side)
}

impl GalleryMap {
    const fn new(name: &'static str, title: &'static str, made: Made) -> Self {
        Self { name, title, made }
    }

    /// Makes the map.
    pub(crate) fn make(&self, limits: &Limits) -> Result<Map, LabError> {
        match self.made {
            Made::Generated(kind, size, grain, seed) => {
                Generated { kind, size, grain, seed }.generate(limits)
            }
            Made::Drawn(is_free, [width, height]) => {
                Ok(Grid::from_fn(width, height, is_free).map_err(unexpected)?.into())
            }
            Made::Hills => hills(),
        }
    }
}

/// Caves whose floor costs 1 in the valleys and up to 9 on the hills.
fn hills() -> Result<Map, LabError> {
    const SIDE: u32 = 256;
    let caves = Caves { width: SIDE, height: SIDE, fill: 0.4, seed: 8, ..Caves::default() };
    // Slow waves in two directions.
    let height = |x: u32, y: u32| {
        let (x, y) = (f64::from(x) / 23.0, f64::from(y) / 31.0);
        5.0 + 4.0 * ((x + y * 0.4).sin() * (y - x * 0.3).cos())
    };
    let factors = (0..SIDE * SIDE).map(|cell| height(cell % SIDE, cell / SIDE).round() as u8);
    let grid = caves.generate()?.with_terrain(factors.collect()).map_err(unexpected)?;
    Ok(grid.into())
}

fn unexpected(error: impl std::fmt::Display) -> LabError {
    LabError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_of_the_gallery_can_be_made() {
        for entry in GALLERY {
            let map = entry.make(&Limits::default()).unwrap();
            assert!(map.usable_count() > 500, "{}", entry.name);
        }
    }
}
