//! Labels of subgoals under every rule of moves that has them: which form is taken, and edits.
//!
//! All pairs of small grids are asked in `all_engines/pairs.rs`, files and batches beside it.

use portolan::atlas::{Atlas, AtlasConfig, AtlasLabels, Form};
use portolan::generate::{Mazes, Random, Rooms};
use portolan::store::{IndexFile, OpenError};
use portolan::{Build, BuildError, Changes, Connectivity, Corners, Engine, Grid, Map, NodeId};
use portolan_testkit::forms;
use portolan_testkit::index_file::{bytes_of, fix_checksums, sections};
use portolan_testkit::matrix::check_engine;
use portolan_testkit::small_grids::{RULES, Rule};
use portolan_testkit::worlds::World;

fn rooms(rule: &Rule) -> Map {
    let rooms = Rooms { width: 46, height: 37, room: 10, ..Rooms::default() };
    rule.apply(rooms.generate().unwrap()).into()
}

fn uniform(map: &Map) -> Atlas {
    Atlas::build(map, &AtlasConfig { form: Form::Uniform, ..AtlasConfig::default() }).unwrap()
}

fn open(bytes: Vec<u8>, map: &Map) -> Result<Atlas, OpenError> {
    Atlas::open(&IndexFile::from_bytes(bytes)?, map, &AtlasConfig::default())
}

#[test]
fn rooms_have_labels_of_subgoals() {
    for rule in &RULES {
        let atlas = Atlas::build(&rooms(rule), &AtlasConfig::default()).unwrap();
        let labels = forms::labels(&atlas);
        let expected = matches!(labels, AtlasLabels::Subgoals { lists: true, codes: false, .. });
        assert!(expected, "{}: {labels:?}", rule.name);
    }
}

/// Where nearly every second cell is a subgoal their labels save nothing.
#[test]
fn narrow_mazes_are_general_graphs_where_corners_are_cut() {
    let maze = Mazes { width: 101, height: 101, corridor: 1, ..Mazes::default() };
    let maze = maze.generate().unwrap();
    for corners in [Corners::PastOne, Corners::Always] {
        let map = Map::from(maze.clone().with_corners(corners));
        let atlas = Atlas::build(&map, &AtlasConfig::default()).unwrap();
        let labels = forms::labels(&atlas);
        assert!(matches!(labels, AtlasLabels::Nodes { .. }), "{corners:?}: {labels:?}");
    }
}

/// Other general forms are slower than labels of subgoals, whatever their share.
#[test]
fn noise_has_labels_of_subgoals_where_those_of_every_cell_do_not_fit() {
    let mut random = Random::new(1);
    let noise = Grid::from_fn(150, 150, |_, _| !random.chance(0.35)).unwrap();
    let map = Map::from(noise.with_corners(Corners::PastOne));
    let bytes = Engine::memory_bytes(&uniform(&map)) as u64;
    let labels = |limit: u64| {
        let memory_limit = limit.into();
        let config = AtlasConfig { memory_limit, ..AtlasConfig::default() };
        forms::labels(&Atlas::build(&map, &config).unwrap())
    };
    assert!(matches!(labels(u64::MAX), AtlasLabels::Nodes { .. }), "{}", labels(u64::MAX));
    assert!(matches!(labels(bytes), AtlasLabels::Subgoals { .. }), "{}", labels(bytes));
}

#[test]
fn hexagons_are_refused_with_a_reason() {
    let grid = Grid::new(9, 9).unwrap().with_connectivity(Connectivity::Hex);
    let config = AtlasConfig { form: Form::Uniform, ..AtlasConfig::default() };
    let error = Atlas::build(&grid.into(), &config).err().unwrap().to_string();
    assert!(error.contains("hexagons") && error.contains("atlas-general"), "{error}");
}

/// A map has only the reductions that belong to its moves.
#[test]
fn a_file_with_another_reduction_is_refused() {
    for rule in &RULES[1..] {
        let map = rooms(rule);
        let mut bytes = bytes_of(&uniform(&map));
        let sections = sections(&bytes);
        let form = sections.iter().find(|section| section.name == "form").unwrap();
        bytes[form.bytes.start + 8] = 1;
        fix_checksums(&mut bytes, &sections);
        let error = open(bytes, &map).err().unwrap().to_string();
        assert!(error.contains("reduction"), "{}: {error}", rule.name);
    }
}

/// Cells are blocked and freed, in the open and in walls, and all of it is taken back at last.
#[test]
fn edits_are_followed_and_taken_back() {
    for (rule, seed) in RULES.iter().zip(0..) {
        let mut map = rooms(rule);
        let mut atlas = uniform(&map);
        let fresh = bytes_of(&atlas);
        let mut random = Random::new(seed);
        let mut turned = Vec::new();
        for step in 0..5 {
            let node = random.below(map.node_count() as u64) as NodeId;
            turned.push(node);
            atlas = turn_over(&mut map, &atlas, node);
            let name = format!("{} after step {step}", rule.name);
            check_engine(&atlas, &World { name, map: map.clone() });
            let built = uniform(&map);
            assert!(bytes_of(&atlas.compact().unwrap()) == bytes_of(&built));
        }
        for node in turned.into_iter().rev() {
            atlas = turn_over(&mut map, &atlas, node);
        }
        assert!(bytes_of(&atlas) == fresh, "{}", rule.name);
    }
}

fn turn_over(map: &mut Map, atlas: &Atlas, node: NodeId) -> Atlas {
    let Map::Grid(grid) = &*map else { panic!("it is a grid") };
    let (x, y) = (node % grid.width(), node / grid.width());
    let changes = Changes::new().set_passable(node, !grid.is_passable(x, y));
    map.apply(&changes).unwrap();
    atlas.refreshed(map, &changes).unwrap()
}

#[test]
fn limits_are_kept() {
    for rule in &RULES[1..] {
        let map = rooms(rule);
        let smallest = forms::uniform(&map, 8).last().unwrap();
        let bytes = Engine::memory_bytes(&smallest) as u64;
        let limited = |limit: u64| {
            let config =
                AtlasConfig { memory_limit: limit.into(), ..forms::config(Form::Uniform, 8) };
            Atlas::build(&map, &config)
        };
        assert_eq!(Engine::memory_bytes(&limited(bytes).unwrap()) as u64, bytes);
        let error = limited(bytes - 1).err().unwrap();
        let names_it = matches!(error, BuildError::MemoryLimit { needed, .. } if needed == bytes);
        assert!(names_it, "{}: {error}", rule.name);
    }
}
