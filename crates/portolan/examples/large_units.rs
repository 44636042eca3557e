//! Units of 1 x 1 and of 2 x 2 cells on one map that changes.

use portolan::prelude::*;
use portolan::world::{Recipe, WorldConfig};

fn main() -> Result<(), portolan::Error> {
    let grid: Grid = "\
........
........
###.####
........
........
####..##
........
........"
        .parse()?;
    let config = WorldConfig { sizes: vec![2], ..WorldConfig::default() };
    let world = World::with_config(grid, config)?;
    // One engine for each size.
    world.add(Recipe::named("atlas", Settings::default())?)?;

    // Widen the gap in the upper wall: one edit for both sizes.
    for (what, cell) in [("as it is", None), ("after the edit", Some((4, 2)))] {
        if let Some(cell) = cell {
            world.edit(|e| e.free(cell))?;
        }
        for size in [1, 2] {
            // A unit is said to stand on its top left cell.
            let path = world.snapshot().for_size(size)?.find((0, 0), (6, 6))?;
            match path {
                Some(path) => println!("{what}, size {size}: {} cells", path.cells().len()),
                None => println!("{what}, size {size}: no path"),
            }
        }
    }
    Ok(())
}
