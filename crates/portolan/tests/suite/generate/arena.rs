//! Generated scenarios whose map changes: readable, repeatable, and with true lengths.

use portolan::formats::movingai::{
    Command, read_dynamic, read_patches, write_dynamic, write_patches,
};
use portolan::generate::{Arena, GenerateError};
use portolan::{Changes, Grid, Map};
use portolan_testkit::reference;

const SMALL: Arena = Arena {
    width: 40,
    height: 30,
    obstacles: 12,
    side: 12,
    edits: 6,
    moved: 3,
    queries: 5,
    seed: 7,
};

#[test]
fn every_length_is_that_of_a_shortest_path() {
    let (scenario, patches) = SMALL.generate("small.patch").unwrap();
    let mut grid = Grid::new(scenario.width, scenario.height).unwrap();
    let (mut stamps, mut queries) = (0, 0);
    for command in &scenario.commands {
        match command {
            Command::Stamp(stamp) => {
                let cells = patches[stamp.patch as usize].stamp(&grid, stamp.at).collect();
                grid.apply(&Changes { cells, ..Changes::default() }).unwrap();
                stamps += 1;
            }
            Command::Query(line) => {
                let node = |(x, y)| grid.node(x, y).unwrap();
                let map = Map::from(&grid);
                let costs = reference::distances(&map, node(line.start));
                let cost = costs[node(line.goal) as usize].expect("the ends reach each other");
                let length = cost as f64 / f64::from(grid.unit());
                assert!(line.agrees(length), "{line:?}: {length}");
                queries += 1;
            }
        }
    }
    assert_eq!((stamps, queries), (12 + 6 * (3 + 3), 7 * 5));
    assert!(grid.passable_count() < 40 * 30, "the last obstacles stay");
}

#[test]
fn files_read_the_same_and_depend_on_the_seed_alone() {
    let (scenario, patches) = SMALL.generate("small.patch").unwrap();
    let (mut scen, mut patch) = (Vec::new(), Vec::new());
    write_dynamic(&scenario, &mut scen).unwrap();
    write_patches(&patches, &mut patch).unwrap();
    assert_eq!(read_patches(&patch).unwrap(), patches);
    let read = read_dynamic(&scen).unwrap();
    assert_eq!(read.commands.len(), scenario.commands.len());
    assert_eq!((read.patches.as_str(), read.width, read.height), ("small.patch", 40, 30));
    assert_eq!(SMALL.generate("small.patch").unwrap(), (scenario.clone(), patches));
    let other = Arena { seed: 8, ..SMALL }.generate("small.patch").unwrap();
    assert_ne!(other.0, scenario);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let cases = [
        (Arena { width: 1, ..SMALL }, "width"),
        (Arena { width: u32::MAX, ..SMALL }, "width"),
        (Arena { width: 1 << 12, height: 1 << 13, ..SMALL }, "height"),
        (Arena { side: 31, ..SMALL }, "side"),
        (Arena { obstacles: 0, ..SMALL }, "obstacles"),
        (Arena { moved: 13, ..SMALL }, "moved"),
        (Arena { queries: 0, ..SMALL }, "queries"),
    ];
    for (arena, expected) in cases {
        let error = arena.generate("x").unwrap_err();
        let GenerateError::Number { field, .. } = error else { panic!("{error}") };
        assert_eq!(field, expected);
    }
    let solid = Arena { width: 2, height: 2, side: 2, obstacles: 1, moved: 1, ..SMALL };
    assert_eq!(solid.generate("x").unwrap_err(), GenerateError::NoUsableNode);
}
