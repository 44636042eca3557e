//! Builds an index once, saves it, and opens it in a moment whenever the program starts again.

use std::time::Instant;

use portolan::generate::Rooms;
use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    let grid = Rooms { width: 512, height: 512, ..Rooms::default() }.generate()?;
    let file = std::env::temp_dir().join("portolan-example.index");

    let begun = Instant::now();
    let built = PathFinder::builder(&grid).memory_limit(64 << 20).build()?;
    println!("built in {:?}", begun.elapsed());
    built.save(&file)?;

    // The map has to be the one that the index was built for; any other is refused.
    let begun = Instant::now();
    let mut opened = PathFinder::open(&grid, &file)?;
    println!("opened in {:?}: {:?}", begun.elapsed(), opened.engine());
    let free = grid.nearest_passable(500, 490).expect("rooms have floors");
    println!("{:?}", opened.find_toward((3, 3), free)?.turns().count());
    Ok(())
}
