//! A world that changes while units ask for paths: edits, tagged requests, and a millisecond per frame.

use std::time::Duration;

use portolan::prelude::*;
use portolan::world::{Budget, Recipe, Registry, Request, Requests, RequestsConfig};

#[derive(Debug, Clone, Copy)]
struct Unit(u32);

fn main() -> Result<(), portolan::Error> {
    let world = World::new(Grid::from_fn(60, 40, |x, y| x != 30 || y == 5 || y == 35)?)?;
    world.add(Recipe::named("atlas", Settings::default())?)?;
    let engine = Some("atlas".to_owned());
    let mut requests = Requests::new(RequestsConfig { engine, ..Default::default() })?;
    let mut paths = Registry::new(&world.snapshot());
    for unit in (0..5).map(Unit) {
        requests.submit(Request::new((2, 4 * unit.0), (57, 20)).with_tag(unit));
    }
    for frame in 0..80 {
        world.advance(); // takes over what was rebuilt in the background
        if frame == 10 {
            let edit = world.edit(|e| e.block((30, 5)))?; // a door shuts
            for broken in paths.broken_by(&edit) {
                println!("frame {frame}: {:?} cannot go on", broken.tag);
                paths.remove(broken.id);
                requests.submit(Request::new(broken.position, broken.goal).with_tag(broken.tag));
            }
        }
        let budget = Budget::Time(Duration::from_millis(1));
        for answer in requests.advance(&world.snapshot(), budget)? {
            if let Some(path) = answer.path? {
                println!("frame {frame}: {:?} walks {:.1} cells", answer.tag, path.length());
                paths.insert(path, answer.tag);
            }
        }
        paths.walk_all(1);
    }
    Ok(())
}
