//! Generated scenarios that replace whole maps.

use portolan::formats::movingai::Command;
use portolan::generate::{GenerateError, Obstacles, Rooms, Switch};
use portolan::{Changes, Grid, Map};
use portolan_testkit::reference;

fn maps() -> [Grid; 2] {
    let rooms = Rooms { width: 40, height: 30, room: 8, ..Rooms::default() };
    let noise = Obstacles { width: 30, height: 45, blocked: 0.2, ..Obstacles::default() };
    [rooms.generate().unwrap(), noise.generate().unwrap()]
}

#[test]
fn maps_take_turns_and_every_length_is_that_of_a_shortest_path() {
    let switch = Switch { edits: 5, queries: 6, seed: 3 };
    let maps = maps();
    let (scenario, patches) = switch.generate(&maps, "x.patch").unwrap();
    assert_eq!((scenario.width, scenario.height, patches.len()), (40, 45, 2));
    let mut grid = Grid::new(40, 45).unwrap();
    let (mut edits, mut queries) = (0, 0);
    for command in &scenario.commands {
        match command {
            Command::Stamp(stamp) => {
                let cells = patches[stamp.patch as usize].stamp(&grid, stamp.at).collect();
                grid.apply(&Changes { cells, ..Changes::default() }).unwrap();
                let map = &maps[edits % 2];
                let expected = Grid::from_fn(40, 45, |x, y| map.is_passable(x, y)).unwrap();
                assert!(grid == expected, "edit {edits}");
                edits += 1;
            }
            Command::Query(line) => {
                let node = |(x, y)| grid.node(x, y).unwrap();
                let costs = reference::distances(&Map::from(&grid), node(line.start));
                let cost = costs[node(line.goal) as usize].expect("the ends reach each other");
                let length = cost as f64 / f64::from(grid.unit());
                assert!(line.agrees(length), "{line:?}: {length}");
                queries += 1;
            }
        }
    }
    assert_eq!((edits, queries), (5, 30));
    assert_eq!(switch.generate(&maps, "x.patch").unwrap(), (scenario.clone(), patches));
    let other = Switch { seed: 4, ..switch }.generate(&maps, "x.patch").unwrap();
    assert_ne!(other.0, scenario);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let usual = Switch { edits: 2, queries: 2, seed: 0 };
    let named = |switch: Switch, maps: &[Grid], expected: &str| {
        let error = switch.generate(maps, "x").unwrap_err();
        let GenerateError::Number { field, .. } = error else { panic!("{error}") };
        assert_eq!(field, expected);
    };
    named(usual.clone(), &[], "maps");
    named(Switch { edits: 0, ..usual.clone() }, &maps(), "edits");
    named(Switch { queries: 0, ..usual.clone() }, &maps(), "queries");
    let large = Grid::new(1 << 12, (1 << 12) + 1).unwrap();
    named(usual.clone(), &[large], "height");
    let solid = Grid::from_fn(3, 3, |_, _| false).unwrap();
    assert_eq!(usual.generate(&[solid], "x").unwrap_err(), GenerateError::NoUsableNode);
}
