//! Hexagons: the same finder on six-connected cells, with axial coordinates in and out.

use portolan::grid::hex::Axial;
use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    let lake = Axial::new(5, 6);
    let grid = Grid::from_fn(16, 12, |x, y| Axial::from(Cell::new(x, y)).distance(lake) > 3)?
        .with_connectivity(Connectivity::Hex);
    let mut finder = PathFinder::new(&grid)?;

    let (from, to) = (Axial::new(1, 6), Axial::new(9, 6));
    let path = finder.find(from, to)?.expect("there is a way around the lake");
    println!("{} steps, {} as the crow flies", path.length(), from.distance(to));
    for hexagon in path.cells().map(Axial::from) {
        println!("q {:2}, r {:2}", hexagon.q, hexagon.r);
    }
    Ok(())
}
