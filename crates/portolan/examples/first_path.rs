//! The first path: a drawn map, a finder, and the cells of a path.

use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    let grid: Grid = "..#..\n..#..\n.....".parse()?;
    let mut finder = PathFinder::new(&grid)?;
    if let Some(path) = finder.find((0, 0), (4, 0))? {
        println!("{:.2} long: {:?}", path.length(), path.cells().collect::<Vec<_>>());
    }
    Ok(())
}
