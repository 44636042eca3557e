//! Terrain: a swamp is crossed where it is narrow, and a road through it changes the path.

use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    // Digits are costs per cell; `.` costs 1, `#` is blocked. `Grid::from_costs` takes the same as
    // numbers.
    let grid: Grid = "
        ...9999...
        ...9999...
        ....9#9...
        ...9999...
    "
    .parse()?;
    let mut finder = PathFinder::new(&grid)?;
    let path = finder.find((0, 0), (9, 0))?.expect("nothing is in the way");
    println!(
        "costs as much as {:.1} plain cells: {:?}",
        path.length(),
        path.turns().collect::<Vec<_>>()
    );

    finder.edit(|edit| (3..7).for_each(|x| edit.set_factor((x, 3), 1)))?; // a road in the south
    let path = finder.find((0, 0), (9, 0))?.expect("nothing is in the way");
    println!("by the road {:.1}: {:?}", path.length(), path.turns().collect::<Vec<_>>());
    Ok(())
}
