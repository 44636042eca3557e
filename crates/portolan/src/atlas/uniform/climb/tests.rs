use super::ClimbOutline;
use crate::atlas::AtlasConfig;
use crate::atlas::general::build;
use crate::atlas::uniform::all_pairs::{check, noise};
use crate::atlas::uniform::{LEAF, LabelPlan, UniformIndex, UniformOutline};
use crate::generate::{Caves, Rooms};
use crate::grid::{Connectivity, Corners, Grid};
use crate::map::Map;
use crate::random::Random;

/// An index where regions with at most so many subgoals are lower.
fn index(map: &Map, most: u32) -> UniformIndex {
    let partitioner = build::partitioner(map, &AtlasConfig::default());
    let mut outline = UniformOutline::new(map, (&partitioner, LEAF), u64::MAX, &()).unwrap();
    outline.plan = outline.climb_from(most).unwrap();
    let planned = outline.bytes();
    let index = outline.fill(&()).unwrap();
    assert_eq!(planned, index.memory_bytes() as u64, "what is planned is what is held");
    index
}

/// Nothing is lower, little, much, everything.
const MOST: [u32; 5] = [0, 2, 9, 40, u32::MAX];

#[test]
fn random_noise() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let size = (1 + random.below(24) as u32, 1 + random.below(24) as u32);
        let blocked = 0.05 + 0.4 * random.below(100) as f64 / 100.0;
        let map = noise(&mut random, size, blocked);
        check(&map, &index(&map, MOST[seed as usize % MOST.len()]), 1);
    }
}

#[test]
fn rooms_and_caves() {
    let rooms = Rooms { width: 45, height: 38, room: 6, ..Rooms::default() }.generate().unwrap();
    let caves = Caves { width: 50, height: 40, seed: 4, ..Caves::default() }.generate().unwrap();
    for map in [Map::from(rooms), Map::from(caves)] {
        for most in MOST {
            let index = index(&map, most);
            check(&map, &index, 13);
            index.validate().unwrap();
        }
    }
}

#[test]
fn other_moves() {
    let mut random = Random::new(8);
    let rules = [
        (Connectivity::Four, Corners::Never),
        (Connectivity::Eight, Corners::PastOne),
        (Connectivity::Eight, Corners::Always),
    ];
    for (connectivity, corners) in rules {
        for most in MOST {
            let blocked = 0.1 + 0.3 * random.below(100) as f64 / 100.0;
            let grid = Grid::from_fn(17, 14, |_, _| !random.chance(blocked)).unwrap();
            let map = Map::from(grid.with_connectivity(connectivity).with_corners(corners));
            check(&map, &index(&map, most), 1);
        }
    }
}

/// The size of every layout is between those of the next ones, and the limit decides.
#[test]
fn the_largest_layout_within_the_limit_is_taken() {
    let rooms = Rooms { width: 300, height: 300, room: 6, ..Rooms::default() };
    let map = Map::from(rooms.generate().unwrap());
    let partitioner = build::partitioner(&map, &AtlasConfig::default());
    let mut limit = u64::MAX - 1;
    let mut uppers = Vec::new();
    loop {
        let outline = UniformOutline::new(&map, (&partitioner, LEAF), limit, &());
        let Ok(outline) = outline else { break };
        assert!(outline.bytes() <= limit);
        if let LabelPlan::Climb { outline, .. } = &outline.plan {
            uppers.push(outline.labels.row_count());
        }
        limit = outline.bytes() - 1;
    }
    assert!(uppers.len() > 3 && uppers.last() == Some(&0), "{uppers:?}");
    assert!(uppers.is_sorted_by(|a, b| a > b), "{uppers:?}");
}

/// The layout does not depend on the order in which limits are tried.
#[test]
fn layouts_are_those_of_their_number() {
    let map = noise(&mut Random::new(3), (40, 40), 0.3);
    let built = index(&map, 9);
    let labelled = built.contents();
    let again = ClimbOutline::with_lower(&labelled.subgoals, &labelled.dissection, 9).unwrap();
    assert_eq!(again.labels.heads, labelled.labels.heads);
}
