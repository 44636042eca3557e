//! A game that has time for two hundred expansions per frame, on a map that is edited meanwhile.
//!
//! The search goes on over the map as it was when it began: a clone never sees an edit.
//!
//! `cargo run --release --example little_by_little`

use portolan::generate::Caves;
use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice};
use portolan::search::{Resumable, SearchState};
use portolan::{Graph, Map};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = Caves { width: 300, height: 200, ..Caves::default() }.generate()?;
    let corner = |x, y| world.nearest_passable(x, y).ok_or("a cave without any floor");
    let (start, goal) = (corner(0, 0)?, corner(299, 199)?);
    let node = |(x, y)| world.node(x, y).ok_or("outside");
    let (from, to) = (node(start)?, node(goal)?);

    let snapshot = world.clone();
    let bound = Geometric::new(&Map::from(&snapshot), HeuristicChoice::Auto)?;
    let mut search = Resumable::new(&snapshot, (from, to), bound.toward(to))?;
    for frame in 1.. {
        // Meanwhile something falls from the ceiling.
        world.set_passable(frame % 300, frame % 200, false)?;
        match search.advance(200)? {
            SearchState::Working => continue,
            SearchState::Found { cost } => {
                let mut path = Vec::new();
                search.path_into(&mut path);
                let length = Map::from(&snapshot).length(cost);
                println!("frame {frame}: {length:.1} cells, {} steps", path.len() - 1);
                let broken = path.iter().filter(|&&node| !world.contains(node)).count();
                println!("{broken} cells of the path have been blocked since it was asked for");
            }
            SearchState::NoPath => println!("frame {frame}: there is no way"),
        }
        break;
    }
    Ok(())
}
