//! Generated grids: the same seed gives the same cells, and the cells have the promised structure.

use portolan::generate::{Caves, GenerateError, Mazes, Obstacles, Random, Rooms, Streets};
use portolan::graph::weak_components;
use portolan::{Graph, Grid};

/// FNV-1a over the size and the cells.
fn hash(grid: &Grid) -> u64 {
    let sides = [grid.width(), grid.height()];
    let cells = (0..grid.node_count() as u32).map(|node| u32::from(grid.contains(node)));
    sides.into_iter().chain(cells).fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn parts(grid: &Grid) -> usize {
    weak_components(grid).count()
}

#[test]
fn the_same_seed_gives_the_same_cells_forever() {
    let pinned = [
        (
            "rooms",
            Rooms { width: 90, height: 70, seed: 1, ..Rooms::default() }.generate(),
            0x7269_6649_e8a1_b00a,
        ),
        (
            "mazes",
            Mazes { width: 90, height: 70, loops: 0.1, seed: 1, ..Mazes::default() }.generate(),
            0x2230_028e_aa83_42f9,
        ),
        (
            "caves",
            Caves { width: 90, height: 70, seed: 1, ..Caves::default() }.generate(),
            0x1486_6bc3_6654_7687,
        ),
        (
            "obstacles",
            Obstacles { width: 90, height: 70, seed: 1, ..Obstacles::default() }.generate(),
            0x47f7_c71a_8b54_746c,
        ),
        (
            "streets",
            Streets { width: 190, height: 170, seed: 1, ..Streets::default() }.generate(),
            0x6ba9_e8a8_4237_9f82,
        ),
    ];
    for (name, grid, expected) in pinned {
        let found = hash(&grid.unwrap());
        assert_eq!(found, expected, "{name}: {found:#018x}");
    }
}

#[test]
fn another_seed_gives_another_map() {
    let make = |seed| hash(&Rooms { seed, ..Rooms::default() }.generate().unwrap());
    assert_ne!(make(1), make(2));
}

/// In `8room_000` 80 % of the inner walls have a door, and 206,642 cells are free.
#[test]
fn rooms_have_the_doors_of_the_benchmark_maps() {
    for seed in 0..5 {
        let grid = Rooms { room: 8, seed, ..Rooms::default() }.generate().unwrap();
        assert_eq!(parts(&grid), 1);
        let doors = grid.passable_count() - 64 * 64 * 49;
        assert!((6250..6650).contains(&doors), "{doors} doors");
        let crossings = (0..512).step_by(8).flat_map(|y| (0..512).step_by(8).map(move |x| (x, y)));
        assert!(crossings.clone().all(|(x, y)| !grid.is_passable(x, y)));
        for (x, y) in crossings {
            let along = |cells: [(u32, u32); 7]| {
                cells.into_iter().filter(|&(x, y)| grid.is_passable(x, y)).count()
            };
            assert!(along(std::array::from_fn(|i| (x + 1 + i as u32, y))) <= 1);
            assert!(along(std::array::from_fn(|i| (x, y + 1 + i as u32))) <= 1);
        }
    }
}

#[test]
fn rooms_without_doors_are_a_tree_or_apart() {
    let closed = Rooms { room: 8, width: 65, height: 64, doors: 0.0, ..Rooms::default() };
    let tree = closed.generate().unwrap();
    assert_eq!(parts(&tree), 1);
    assert_eq!(tree.passable_count(), 64 * 49 + 63);
    let apart = Rooms { connected: false, ..closed }.generate().unwrap();
    assert_eq!(parts(&apart), 64);
}

#[test]
fn mazes_are_trees_of_corridors() {
    for corridor in [1, 2, 3, 7, 20] {
        let config = Mazes { width: 200, height: 150, corridor, seed: 5, ..Mazes::default() };
        let grid = config.generate().unwrap();
        assert_eq!(parts(&grid), 1, "corridor {corridor}");
        let pitch = corridor as usize + 1;
        let chambers = 199usize.div_ceil(pitch) * 149usize.div_ceil(pitch);
        // Chambers and openings are counted by one cell each: their upper left one.
        let corner = |x: u32, y: u32| x % (corridor + 1) == 1 || y % (corridor + 1) == 1;
        let openings = |dx: u32, dy: u32| {
            (1..150)
                .flat_map(|y| (1..200).map(move |x| (x, y)))
                .filter(|&(x, y)| corner(x, y) && grid.is_passable(x, y))
                .filter(|&(x, y)| x % (corridor + 1) == 1 - dx && y % (corridor + 1) == 1 - dy)
                .count()
        };
        assert_eq!(openings(1, 0) + openings(0, 1), chambers - 1, "corridor {corridor}");
    }
}

#[test]
fn mazes_have_the_dead_ends_of_the_benchmark_maps() {
    let dead_ends = |branching| {
        let config = Mazes { corridor: 1, branching, seed: 2, ..Mazes::default() };
        let grid = config.generate().unwrap();
        let free = (0..grid.node_count() as u32).filter(|&node| grid.contains(node));
        let ends = free.filter(|&node| {
            let mut ways = 0;
            grid.out_edges(node, |_, _| ways += 1);
            ways == 1
        });
        ends.count() as f64 / (256.0 * 256.0)
    };
    let real = 0.186;
    assert!((dead_ends(Mazes::default().branching) - real).abs() < 0.01);
    assert!(dead_ends(0.0) < 0.11);
    assert!(dead_ends(1.0) > 0.25);
}

#[test]
fn loops_open_what_the_tree_leaves_closed() {
    let config = Mazes { corridor: 1, width: 101, height: 101, loops: 1.0, ..Mazes::default() };
    let grid = config.generate().unwrap();
    assert_eq!(grid.passable_count(), 50 * 50 + 2 * 50 * 49);
}

#[test]
fn only_the_largest_part_is_kept_when_asked() {
    let all = Caves { largest_only: false, fill: 0.52, seed: 4, ..Caves::default() };
    let largest = Caves { largest_only: true, ..all.clone() };
    let (all, largest) = (all.generate().unwrap(), largest.generate().unwrap());
    assert!(parts(&all) > 1);
    assert_eq!(parts(&largest), 1);
    assert_eq!(largest.passable_count(), weak_components(&all).sizes()[0].1);
    let blocked = Obstacles { blocked: 1.0, ..Obstacles::default() }.generate().unwrap();
    assert_eq!(blocked.passable_count(), 0);
}

/// The real city maps are 73 to 76 % free; the largest part of the one looked at has 95 % of that.
#[test]
fn towns_are_as_open_as_the_benchmark_maps() {
    let mut shares = Vec::new();
    for seed in 0..6 {
        let grid = Streets { seed, ..Streets::default() }.generate().unwrap();
        let free = grid.passable_count();
        shares.push(free as f64 / (512.0 * 512.0));
        // Both banks of the river, and nearly all yards.
        let largest = weak_components(&grid).sizes()[0].1;
        assert!(largest * 100 > free * 95, "{largest} of {free} hang together, seed {seed}");
    }
    let mean = shares.iter().sum::<f64>() / 6.0;
    assert!((0.71..0.78).contains(&mean), "{mean} free: {shares:?}");
    let spread = shares.iter().all(|share| (0.65..0.85).contains(share));
    assert!(spread, "{shares:?}");
}

#[test]
fn a_river_takes_its_width_and_bridges_cross_it() {
    let bare = Streets { built: 0.0, river: 0, seed: 3, ..Streets::default() };
    let dry = bare.generate().unwrap();
    let wet = Streets { river: 30, ..bare }.generate().unwrap();
    let water = dry.passable_count() - wet.passable_count();
    assert!((512 * 20..512 * 50).contains(&water), "{water} cells of water");
    assert_eq!(parts(&wet), 1);
}

#[test]
fn obstacles_are_as_many_as_asked() {
    for blocked in [0.0, 0.1, 0.35, 1.0] {
        let config = Obstacles { blocked, largest_only: false, seed: 8, ..Obstacles::default() };
        let share = config.generate().unwrap().passable_count() as f64 / (512.0 * 512.0);
        assert!((share - (1.0 - blocked)).abs() < 0.005, "{share} for {blocked}");
    }
}

#[test]
fn the_smallest_maps_can_be_made() {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (2, 50)] {
        Caves { width, height, grain: 1, ..Caves::default() }.generate().unwrap();
        Obstacles { width, height, ..Obstacles::default() }.generate().unwrap();
        Streets { width, height, ..Streets::default() }.generate().unwrap();
        Streets { width, height, block: 8, avenue: 1, lane: 1, river: 8, ..Streets::default() }
            .generate()
            .unwrap();
        if width.min(height) > 1 {
            Rooms { width, height, room: 2, ..Rooms::default() }.generate().unwrap();
            Mazes { width, height, corridor: 1, ..Mazes::default() }.generate().unwrap();
        }
    }
    let line = Mazes { width: 2, height: 50, corridor: 1, ..Mazes::default() }.generate().unwrap();
    assert_eq!((line.passable_count(), parts(&line)), (49, 1));
}

#[test]
fn refusals_name_the_field() {
    let check = |grid: Result<Grid, GenerateError>, expected: &str| {
        assert_eq!(grid.unwrap_err().to_string(), expected);
    };
    let rooms = Rooms { width: 20, height: 30, room: 5, ..Rooms::default() };
    check(Rooms { room: 21, ..rooms.clone() }.generate(), "room is 21; 2 to 20 is allowed here");
    check(Rooms { doors: 1.5, ..rooms.clone() }.generate(), "doors is 1.5; 0 to 1 is allowed");
    check(Rooms { doors: f64::NAN, ..rooms }.generate(), "doors is NaN; 0 to 1 is allowed");
    check(
        Mazes { corridor: 0, ..Mazes::default() }.generate(),
        "corridor is 0; 1 to 511 is allowed here",
    );
    check(
        Mazes { width: 1, ..Mazes::default() }.generate(),
        "width is 1; 2 to 4294967295 is allowed here",
    );
    check(
        Caves { height: 0, ..Caves::default() }.generate(),
        "height is 0; 1 to 4294967295 is allowed here",
    );
    check(
        Caves { rounds: 1001, ..Caves::default() }.generate(),
        "rounds is 1001; 0 to 1000 is allowed here",
    );
    check(
        Obstacles { width: 1 << 16, height: 1 << 16, ..Obstacles::default() }.generate(),
        "width x height is 65536 x 65536 cells; at most 2147483648 are allowed",
    );
    check(
        Streets { avenue: 3, ..Streets::default() }.generate(),
        "avenue is 3; 6 to 72 is allowed here",
    );
    let huge = Caves { width: u32::MAX, height: u32::MAX, ..Caves::default() };
    assert!(matches!(huge.generate(), Err(GenerateError::TooLarge { .. })));
}

#[test]
fn any_settings_give_a_map_or_a_reason() {
    let mut random = Random::new(77);
    let mut made = 0;
    for seed in 0..2000 {
        let mut number = || match random.below(12) {
            0 => 0,
            1 => u32::MAX,
            2 => 1 << random.below(32),
            _ => random.below(40) as u32,
        };
        let (width, height) = (number(), number());
        let [a, b, c, d] = std::array::from_fn(|_| number());
        let mut share = || {
            [0.0, 1.0, 0.5, -1.0, 2.0, f64::NAN, f64::INFINITY, 1e-300]
                [random.below(8) as usize % if seed % 2 == 0 { 3 } else { 8 }]
        };
        let (p, q) = (share(), share());
        // Maps that are allowed but take long would only test patience.
        if (1_000_000..1 << 32).contains(&(u64::from(width) * u64::from(height))) {
            continue;
        }
        let largest_only = seed % 3 == 0;
        let maps = [
            Rooms { width, height, room: a, doors: p, connected: largest_only, seed }.generate(),
            Mazes { width, height, corridor: a, branching: p, loops: q, seed }.generate(),
            Caves { width, height, grain: a, fill: p, rounds: b % 9, largest_only, seed }
                .generate(),
            Obstacles { width, height, blocked: p, largest_only, seed }.generate(),
            Streets {
                width,
                height,
                block: a,
                avenue: b,
                lane: c,
                built: p,
                river: d,
                largest_only,
                seed,
            }
            .generate(),
        ];
        for grid in maps.into_iter().flatten() {
            assert_eq!((grid.width(), grid.height()), (width, height));
            made += 1;
        }
    }
    assert!(made > 500, "only {made} maps were made");
}
