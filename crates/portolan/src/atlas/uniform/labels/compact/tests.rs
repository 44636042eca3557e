use super::codebook::{RARE, UNKNOWN};
use crate::atlas::AtlasConfig;
use crate::atlas::general::build;
use crate::atlas::uniform::all_pairs::{check, noise};
use crate::atlas::uniform::{LEAF, LabelPlan, UniformIndex, UniformOutline, grid_of};
use crate::grid::Grid;
use crate::map::Map;
use crate::random::Random;

/// An index in this form, even if it is not the smaller one; `rare_capacity` replaces the estimate.
fn index(map: &Map, rare_capacity: Option<usize>) -> UniformIndex {
    let partitioner = build::partitioner(map, &AtlasConfig::default());
    let mut outline = UniformOutline::new(map, (&partitioner, LEAF), u64::MAX, &()).unwrap();
    outline.plan = outline.compact(grid_of(map).unwrap(), 0).unwrap();
    if let (LabelPlan::Compact { outline, .. }, Some(capacity)) = (&mut outline.plan, rare_capacity)
    {
        outline.rare_capacity = capacity;
    }
    let planned = outline.bytes();
    let index = outline.fill(&()).unwrap();
    assert_eq!(planned, index.memory_bytes() as u64, "what is planned is what is held");
    index
}

#[test]
fn random_noise() {
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let size = (1 + random.below(24) as u32, 1 + random.below(24) as u32);
        let blocked = 0.05 + 0.4 * random.below(100) as f64 / 100.0;
        let map = noise(&mut random, size, blocked);
        check(&map, &index(&map, None), 1);
    }
}

#[test]
fn rectangles_and_discs() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (width, height) = (8 + random.below(22) as u32, 8 + random.below(22) as u32);
        let mut free = vec![true; (width * height) as usize];
        for _ in 0..1 + random.below(9) {
            let (x, y) = (random.below(width.into()) as i32, random.below(height.into()) as i32);
            let (wide, high) = (1 + random.below(5) as i32, 1 + random.below(5) as i32);
            for (node, free) in (0..).zip(&mut free) {
                let (dx, dy) = (node % width as i32 - x, node / width as i32 - y);
                *free &= match seed % 2 {
                    0 => !(0..wide).contains(&dx) || !(0..high).contains(&dy),
                    _ => dx * dx + dy * dy > wide * wide,
                };
            }
        }
        let grid = Grid::from_fn(width, height, |x, y| free[(y * width + x) as usize]).unwrap();
        let map = Map::from(grid);
        check(&map, &index(&map, None), 1);
    }
}

/// Walls with a few gaps: the paths around them have more surpluses than there are codes.
fn walls(seed: u64) -> Map {
    let mut random = Random::new(seed);
    let gaps: Vec<u32> = (0..20).map(|_| random.below(40) as u32).collect();
    let open = |x: u32, y: u32| y.is_multiple_of(2) || x == gaps[(y / 2) as usize];
    Map::from(Grid::from_fn(40, 40, open).unwrap())
}

#[test]
fn rare_costs() {
    for seed in 0..4 {
        let map = walls(seed);
        let index = index(&map, None);
        let bytes = &index.labelled.compact.as_ref().unwrap().filled.bytes;
        assert!(bytes.contains(&RARE) && !bytes.contains(&UNKNOWN));
        check(&map, &index, 3);
        index.validate().unwrap();
    }
}

/// A search answers where entries are unknown.
#[test]
fn rare_costs_beyond_capacity() {
    let mut random = Random::new(1);
    let maps = [walls(0), walls(1), noise(&mut random, (30, 30), 0.4)];
    for (map, capacity) in maps.iter().flat_map(|map| [0, 100].map(|capacity| (map, capacity))) {
        let index = index(map, Some(capacity));
        let bytes = &index.labelled.compact.as_ref().unwrap().filled.bytes;
        assert!(capacity > 0 || !bytes.contains(&RARE));
        check(map, &index, 17);
    }
    let index = index(&walls(0), Some(0));
    assert!(index.labelled.compact.as_ref().unwrap().filled.bytes.contains(&UNKNOWN));
}
