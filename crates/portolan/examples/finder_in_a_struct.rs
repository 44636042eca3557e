//! A game that keeps its finder in a struct, opens a door, and reuses one buffer for all paths.

use portolan::prelude::*;

struct Game {
    finder: PathFinder,
    path: Vec<Cell>,
}

impl Game {
    fn new() -> Result<Self, portolan::Error> {
        let grid = Grid::from_fn(64, 48, |x, y| x != 32 || y == 40)?; // a wall with one door
        Ok(Self { finder: PathFinder::new(grid)?, path: Vec::new() })
    }

    /// Fills `self.path` with the way from one cell to another, or clears it where there is none.
    fn plan(&mut self, from: (u32, u32), to: (u32, u32)) -> Result<(), portolan::Error> {
        self.path.clear();
        if let Some(path) = self.finder.find(from, to)? {
            path.cells_into(&mut self.path);
        }
        Ok(())
    }
}

fn main() -> Result<(), portolan::Error> {
    let mut game = Game::new()?;
    game.plan((3, 4), (60, 5))?;
    println!("through the only door: {} cells", game.path.len());

    game.finder.edit(|edit| edit.free((32, 5)))?; // a second door
    game.plan((3, 4), (60, 5))?;
    println!("through the new door: {} cells", game.path.len());
    Ok(())
}
