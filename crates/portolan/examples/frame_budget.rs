//! A changing world: edits, tagged requests, and a millisecond per frame.

use std::time::Duration;

use portolan::prelude::*;
use portolan::world::{Budget, Recipe, Registry, Request, Requests, RequestsConfig};

fn main() -> Result<(), portolan::Error> {
    let world = World::new(Grid::from_fn(60, 40, |x, y| x != 30 || y == 5 || y == 35)?)?;
    world.add(Recipe::named("atlas", Settings::default())?)?;
    let config = RequestsConfig { engine: Some("atlas".into()), ..Default::default() };
    let (mut requests, mut paths) = (Requests::new(config)?, Registry::new(&world.snapshot()));
    (0..5).for_each(|unit| {
        requests.submit(Request::new((2, 4 * unit), (57, 20)).with_tag(unit)); // a tag of yours
    });
    for frame in 0..80 {
        world.advance(); // takes over what was rebuilt in the background
        if frame == 10 {
            // A door shuts.
            for broken in paths.broken_by(&world.edit(|e| e.block((30, 5)))?) {
                println!("frame {frame}: unit {} cannot go on", broken.tag);
                paths.remove(broken.id);
                requests.submit(Request::new(broken.position, broken.goal).with_tag(broken.tag));
            }
        }
        let now = world.snapshot();
        for answer in requests.advance(&now, Budget::Time(Duration::from_millis(1)))? {
            let (Some(path), unit) = (answer.path?, answer.tag) else { continue };
            if now.is_valid(&path) {
                println!("frame {frame}: unit {unit} walks {:.1} cells", path.length());
                paths.insert(path, unit);
            } else {
                // The map changed while the path was searched for.
                requests.submit(Request::new(path.position(), path.goal()).with_tag(unit));
            }
        }
        paths.walk_all(1);
    }
    Ok(())
}
