//! A map drawn in text, a path across it, and the path drawn into the map.
//!
//! `cargo run --release --example first_path`

use portolan::formats::ascii;
use portolan::search::{SearchConfig, SearchEngine};
use portolan::{Engine, Map, Query};

const CASTLE: &str = "
..........................
.S..####.########.#####...
....#...........#.....#...
....#...........#.....#...
....#....##...........#...
....#....##.....#.....#...
....#...........#.....#...
....######.############...
.......................T..
..........................
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let drawing = ascii::read(CASTLE.trim().as_bytes())?;
    let cell = |at: Option<(u32, u32)>| at.and_then(|(x, y)| drawing.grid.node(x, y));
    let (from, to) = cell(drawing.start).zip(cell(drawing.goal)).ok_or("no start or goal")?;

    let map = Map::from(&drawing.grid);
    let astar = SearchEngine::build(&map, &SearchConfig::default())?;
    let mut query = astar.query();
    match query.find(from, to)? {
        Some(route) => {
            let nodes: Vec<_> = route.nodes().collect();
            println!("{:.2} cells long:", map.length(route.cost()));
            ascii::write(&drawing.grid, &nodes, &mut std::io::stdout())?;
        }
        None => println!("there is no way"),
    }
    Ok(())
}
