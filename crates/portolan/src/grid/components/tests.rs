use super::*;
use crate::changes::Changes;
use crate::graph::weak_components;
use crate::grid::{Connectivity, Corners};
use crate::random::Random;

const RULES: [(Connectivity, Corners); 5] = [
    (Connectivity::Four, Corners::Never),
    (Connectivity::Eight, Corners::Never),
    (Connectivity::Eight, Corners::PastOne),
    (Connectivity::Eight, Corners::Always),
    (Connectivity::Hex, Corners::Never),
];

/// A random grid with one cell in `blocked` blocked.
fn noise(random: &mut Random, (width, height): (u32, u32), blocked: u64) -> Grid {
    Grid::from_fn(width, height, |_, _| random.below(blocked) > 0).unwrap()
}

fn any_cell(random: &mut Random, grid: &Grid) -> (u32, u32) {
    (random.below(grid.width().into()) as u32, random.below(grid.height().into()) as u32)
}

fn is_known(grid: &Grid) -> bool {
    grid.components.known.get().is_some()
}

fn name(grid: &Grid, node: NodeId) -> Option<NodeId> {
    let (x, y) = grid.split(node);
    grid.component(x, y)
}

/// Compares with components computed from scratch by another algorithm.
fn check(grid: &Grid, what: std::fmt::Arguments) {
    let expected = weak_components(grid);
    for node in 0..grid.node_count() as NodeId {
        assert_eq!(name(grid, node), expected.of(node), "{what}: cell {:?}", grid.split(node));
    }
}

/// Toggles cells and checks after each edit. Returns the number of repaired edits.
fn edit(grid: &mut Grid, random: &mut Random, edits: usize, what: std::fmt::Arguments) -> usize {
    check(grid, what);
    let mut repaired = 0;
    for number in 0..edits {
        let (x, y) = any_cell(random, grid);
        grid.set_passable(x, y, !grid.is_passable(x, y)).unwrap();
        repaired += usize::from(is_known(grid));
        check(grid, format_args!("{what}, edit {number}"));
    }
    repaired
}

#[test]
fn repairs_agree_with_components_from_scratch() {
    let mut repaired = 0;
    for (seed, (connectivity, corners)) in (1..).zip(RULES) {
        for (size, blocked) in [((9, 7), 3), ((1, 30), 4), ((23, 17), 2), ((23, 17), 12)] {
            let mut random = Random::new(seed);
            let grid = noise(&mut random, size, blocked);
            let mut grid = grid.with_connectivity(connectivity).with_corners(corners);
            let what = format_args!("{connectivity:?} {corners:?} {size:?} seed {seed}");
            repaired += edit(&mut grid, &mut random, 500, what);
        }
    }
    assert!(repaired > 9_000, "nearly all edits should be repaired, not {repaired} of 10000");
}

#[test]
fn repairs_agree_on_maps_of_walls_with_few_doors() {
    // Closing a door either splits off many cells or leaves a long detour.
    for (seed, (connectivity, corners)) in (1..).zip(RULES) {
        let mut random = Random::new(seed);
        let rooms = Grid::from_fn(31, 31, |x, y| x % 6 != 5 && y % 6 != 5).unwrap();
        let mut grid = rooms.with_connectivity(connectivity).with_corners(corners);
        let doors: Vec<(u32, u32)> = (0..31)
            .flat_map(|y| (0..31).map(move |x| (x, y)))
            .filter(|&(x, y)| (x % 6 == 5 && y % 6 == 2) || (x % 6 == 2 && y % 6 == 5))
            .collect();
        let mut repaired = 0;
        for number in 0..600 {
            let (x, y) = doors[random.below(doors.len() as u64) as usize];
            grid.set_passable(x, y, !grid.is_passable(x, y)).unwrap();
            repaired += usize::from(is_known(&grid));
            check(&grid, format_args!("{connectivity:?} {corners:?}, edit {number}"));
        }
        assert!(repaired > 400, "{connectivity:?}: {repaired} of 600 repaired");
    }
}

#[test]
fn the_grids_of_large_units_are_repaired_like_others() {
    let mut random = Random::new(3);
    for (connectivity, corners) in RULES.into_iter().filter(|rule| rule.0 != Connectivity::Hex) {
        for size in [1, 2, 3] {
            let base = noise(&mut random, (25, 19), 20);
            let base = base.with_connectivity(connectivity).with_corners(corners);
            let mut large = base.for_agent(size).unwrap();
            let what = format_args!("{connectivity:?} {corners:?} size {size}");
            edit(&mut large, &mut random, 100, what);
            // The base changes: the unit's new grid must not reuse the old components.
            let mut edited = base.clone();
            edit(&mut edited, &mut random, 20, what);
            check(&edited.for_agent(size).unwrap(), what);
        }
    }
}

#[test]
fn a_cell_that_closes_a_diagonal_separates_its_neighbours() {
    for (corners, joined) in
        [(Corners::Never, false), (Corners::PastOne, false), (Corners::Always, true)]
    {
        let grid = Grid::from_fn(2, 2, |x, y| (x, y) != (1, 1)).unwrap();
        let mut grid = grid.with_corners(corners);
        assert_eq!(grid.component(1, 0), grid.component(0, 1));
        grid.set_passable(0, 0, false).unwrap();
        assert!(is_known(&grid));
        assert_eq!(grid.component(1, 0) == grid.component(0, 1), joined, "{corners:?}");
        grid.set_passable(1, 1, true).unwrap();
        assert_eq!(grid.component(1, 0), grid.component(0, 1));
    }
}

#[test]
fn clones_share_components_but_not_across_an_edit() {
    let grid = Grid::from_fn(9, 3, |x, y| y == 1 && x != 4).unwrap();
    let clone = grid.clone();
    clone.component(0, 1);
    assert!(is_known(&grid), "the first query computes them for all clones");
    let mut edited = grid.clone();
    edited.set_passable(4, 1, true).unwrap();
    assert!(is_known(&edited) && is_known(&grid), "repaired in a copy");
    assert_eq!(edited.component(0, 1), edited.component(8, 1));
    assert_ne!(grid.component(0, 1), grid.component(8, 1));
    let other_rules = grid.clone().with_connectivity(Connectivity::Hex);
    assert!(!is_known(&other_rules) && is_known(&grid));
    let ground = grid.clone().with_terrain(vec![2; 27]).unwrap();
    assert!(is_known(&ground), "terrain disconnects nothing");
}

#[test]
fn a_map_with_components_queried_on_clones_only_is_repaired() {
    // As with engines: they query a clone, and the caller only edits the map.
    let mut map = Grid::new(40, 40).unwrap();
    let mut random = Random::new(5);
    for number in 0..50 {
        let (x, y) = any_cell(&mut random, &map);
        let node = map.node(x, y).unwrap();
        map.apply(&Changes::new().set_passable(node, !map.is_passable(x, y))).unwrap();
        assert_eq!(is_known(&map), number > 0, "edit {number}");
        let engine = map.clone();
        engine.component(0, 0);
    }
}

#[test]
fn names_do_not_depend_on_the_order_of_queries() {
    for (connectivity, corners) in RULES {
        let mut random = Random::new(8);
        let base = noise(&mut random, (20, 20), 3);
        let base = base.with_connectivity(connectivity).with_corners(corners);
        // Three copies take the same edits. The first is queried always, the second sometimes, the
        // third only at the end.
        let mut grids = [base.clone(), base.clone(), base];
        let mut held = Vec::new();
        for number in 0..300 {
            let (x, y) = any_cell(&mut random, &grids[0]);
            let passable = !grids[0].is_passable(x, y);
            for grid in &mut grids {
                grid.set_passable(x, y, passable).unwrap();
            }
            name(&grids[0].clone(), 0);
            grids[0].component(x, y);
            if number % 40 == 7 {
                (0..400).for_each(|node| _ = name(&grids[1], node));
            }
            held.extend((number % 50 == 0).then(|| grids.clone()));
        }
        held.push(grids);
        for grids in &held {
            let names = grids.each_ref().map(|grid| (0..400).map(|node| name(grid, node)));
            let [always, sometimes, last] = names;
            assert!(always.clone().eq(sometimes) && always.eq(last), "{connectivity:?}");
        }
    }
}

#[test]
fn a_door_toggled_many_times_stays_cheap() {
    let mut grid = Grid::from_fn(9, 3, |x, y| y == 1 && x != 4).unwrap();
    let mut found = 0;
    for _ in 0..20_000 {
        grid.set_passable(4, 1, true).unwrap();
        found += usize::from(!is_known(&grid));
        assert_eq!(grid.component(0, 1), grid.component(8, 1));
        grid.set_passable(4, 1, false).unwrap();
        found += usize::from(!is_known(&grid));
        assert_ne!(grid.component(0, 1), grid.component(8, 1));
        let labels = &grid.components.known.get().expect("queried above").labels;
        assert!(labels.count() <= MIN_CREDIT + 27, "{} labels", labels.count());
    }
    assert!(found < 4_000, "computed from scratch {found} times in 40000 edits");
}

#[test]
fn edits_without_queries_cost_no_more_than_one_computation() {
    // Two halves and a door: without a credit limit, every closing would fill half the map.
    let mut grid = Grid::from_fn(101, 101, |x, _| x != 50).unwrap();
    grid.component(0, 0);
    for _ in 0..10_000 {
        grid.set_passable(50, 50, true).unwrap();
        grid.set_passable(50, 50, false).unwrap();
    }
    assert!(!is_known(&grid));
    check(&grid, format_args!("the door is closed"));
}
