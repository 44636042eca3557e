//! A world that is edited every frame while units walk: which paths an edit breaks, and what that
//! costs.

use std::time::{Duration, Instant};

use portolan::generate::{Random, Rooms};
use portolan::world::{Recipe, Registry, World};
use portolan::{NodeId, Settings};

const SIDE: u32 = 512;
const UNITS: usize = 1000;
const FRAMES: u32 = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rooms = Rooms { width: SIDE, height: SIDE, room: 8, ..Rooms::default() };
    let world = World::new(rooms.generate()?)?;
    world.add(Recipe::named("atlas", Settings::default())?)?;
    let mut draw = Random::new(1);
    let mut node = move || draw.below(u64::from(SIDE * SIDE)) as NodeId;

    let snapshot = world.snapshot();
    let mut paths = Registry::new(&snapshot);
    while paths.len() < UNITS {
        if let Ok(Some(path)) = snapshot.find(node(), node()) {
            paths.insert(path, ());
        }
    }

    let mut spent = [Duration::ZERO; 5];
    let (mut broken, mut rebuilt) = (0, 0);
    for _ in 0..FRAMES {
        let cell = node();
        let passable = !world.snapshot().map().contains(cell);
        let edit = timed(&mut spent[0], || world.edit(|e| e.set_passable(cell, passable)))?;
        let now = edit.snapshot();
        let hit = timed(&mut spent[1], || paths.broken_by(&edit));
        broken += hit.len();
        for unit in hit {
            match timed(&mut spent[2], || now.find(unit.position, unit.goal)) {
                Ok(Some(path)) => _ = paths.replace(unit.id, path),
                _ => _ = paths.remove(unit.id), // walled in, or the goal is gone
            }
        }
        let valid = timed(&mut spent[3], || paths.iter().all(|(_, path, _)| now.is_valid(path)));
        assert!(valid, "no unit walks into a wall");
        rebuilt += timed(&mut spent[4], || world.advance()).engines.len();
        paths.walk_all(1);
    }

    let each = |time: Duration, count: usize| time.as_secs_f64() * 1e6 / count.max(1) as f64;
    let frames = FRAMES as usize;
    println!("an edit:                {:8.2} us", each(spent[0], frames));
    println!("the paths it broke:     {:8.2} us, {broken} in all", each(spent[1], frames));
    println!("another path:           {:8.2} us", each(spent[2], broken));
    println!("whether one is valid:   {:8.2} us", each(spent[3], frames * UNITS));
    println!(
        "`advance`:              {:8.2} us, {rebuilt} rebuilt indexes",
        each(spent[4], frames)
    );
    let start = Instant::now();
    (0..100_000).for_each(|_| drop(world.snapshot()));
    println!("a snapshot:             {:8.3} us", each(start.elapsed(), 100_000));
    Ok(())
}

fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *spent += start.elapsed();
    done
}
