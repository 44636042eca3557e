//! Grids of one terrain under long sequences of edits: exact after each, and as good as new when
//! built again.

use portolan::atlas::{Atlas, AtlasConfig, Form, FormReason};
use portolan::changes::CellChange;
use portolan::generate::{Random, Rooms};
use portolan::{Build, Changes, Engine, Grid, Map, NodeId, Query};
use portolan_testkit::forms;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::reference::distances;
use portolan_testkit::walker::walk;

fn config() -> AtlasConfig {
    AtlasConfig { form: Form::Uniform, threads: 1, ..AtlasConfig::default() }
}

/// Asks for paths from a few cells to many, and holds them against Dijkstra.
fn check(atlas: &Atlas, map: &Map, random: &mut Random, context: &str) {
    let nodes = map.node_count() as u64;
    let mut query = atlas.query();
    for _ in 0..3 {
        let from = random.below(nodes) as u32;
        if !map.contains(from) {
            continue;
        }
        let truth = distances(map, from);
        for _ in 0..40 {
            let to = random.below(nodes) as u32;
            if !map.contains(to) {
                continue;
            }
            let distance = query.distance(from, to).unwrap().map(u64::from);
            assert_eq!(distance, truth[to as usize], "{from} to {to}, {context}");
            let Some(route) = query.find(from, to).unwrap() else { continue };
            let path: Vec<u32> = route.nodes().collect();
            let cost = walk(map, &path, from, to);
            assert_eq!(cost.map(Some), Ok(truth[to as usize]), "{from} to {to}, {context}");
        }
    }
}

/// Cells that are blocked or freed, some of them more than once, some as they are already.
fn draw(map: &Map, random: &mut Random, free: f64) -> Changes {
    let nodes = map.node_count() as u64;
    let near = random.below(nodes);
    let mut cells = Vec::new();
    for _ in 0..[1, 1, 1, 2, 5, 30][random.below(6) as usize] {
        // Half of them close together.
        let node = if random.chance(0.5) { near + random.below(4) } else { random.below(nodes) };
        let passable = random.chance(free);
        cells.push(CellChange { node: node.min(nodes - 1) as u32, passable });
    }
    Changes::from(cells)
}

fn check_sequence(grid: Grid, seed: u64, steps: usize, free: f64) {
    let mut random = Random::new(seed);
    let mut map = Map::from(grid);
    let mut atlas = Atlas::build(&map, &config()).unwrap();
    for step in 0..steps {
        for _ in 0..1 + random.below(3) {
            let changes = draw(&map, &mut random, free);
            map.apply(&changes).unwrap();
            atlas = atlas.refreshed(&map, &changes).unwrap();
        }
        check(&atlas, &map, &mut random, &format!("seed {seed}, step {step}"));
    }
}

fn noise(random: &mut Random, size: u64, blocked: f64) -> Grid {
    let (width, height) = (2 + random.below(size) as u32, 2 + random.below(size) as u32);
    Grid::from_fn(width, height, |_, _| !random.chance(blocked)).unwrap()
}

#[test]
fn noise_under_edits() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let blocked = 0.02 + 0.4 * random.below(100) as f64 / 100.0;
        let grid = noise(&mut random, 40, blocked);
        check_sequence(grid, seed, 12, [0.2, 0.5, 0.8][seed as usize % 3]);
    }
}

#[test]
fn rectangles_under_edits() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let (width, height) = (10 + random.below(80) as u32, 10 + random.below(80) as u32);
        let mut free = vec![true; (width * height) as usize];
        for _ in 0..2 + random.below(12) {
            let (x, y) = (random.below(width.into()) as u32, random.below(height.into()) as u32);
            let (wide, high) = (1 + random.below(20) as u32, 1 + random.below(20) as u32);
            for y in y..(y + high).min(height) {
                (x..(x + wide).min(width)).for_each(|x| free[(y * width + x) as usize] = false);
            }
        }
        let grid = Grid::from_fn(width, height, |x, y| free[(y * width + x) as usize]).unwrap();
        check_sequence(grid, seed, 12, [0.2, 0.5, 0.8][seed as usize % 3]);
    }
}

/// Batches of up to 16 edits on small maps that freed cells open and blocked ones close, every pair
/// checked.
#[test]
fn small_maps_after_a_batch_of_edits() {
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let (width, height) = (3 + random.below(9) as u32, 3 + random.below(9) as u32);
        let blocked = 0.1 + 0.5 * random.below(100) as f64 / 100.0;
        let grid = Grid::from_fn(width, height, |_, _| !random.chance(blocked)).unwrap();
        let mut map = Map::from(grid);
        let config = AtlasConfig { threads: 0, ..config() };
        let atlas = Atlas::build(&map, &config).unwrap();
        let nodes = u64::from(width * height);
        let change = |random: &mut Random| CellChange {
            node: random.below(nodes) as u32,
            passable: random.chance(0.7),
        };
        let changes = Changes::from_iter((0..1 + random.below(16)).map(|_| change(&mut random)));
        map.apply(&changes).unwrap();
        let atlas = atlas.refresh(&map, &changes).unwrap();
        let mut query = atlas.query();
        for from in (0..width * height).filter(|&node| map.contains(node)) {
            let truth = distances(&map, from);
            for to in (0..width * height).filter(|&node| map.contains(node)) {
                let found = query.distance(from, to).unwrap().map(u64::from);
                assert_eq!(found, truth[to as usize], "{from} to {to}, seed {seed}");
            }
        }
    }
}

/// Walls that are opened and doors that are closed join and part whole rooms.
#[test]
fn rooms_under_edits() {
    for seed in 0..60 {
        let rooms = Rooms { width: 60, height: 50, room: 5, seed, ..Rooms::default() };
        check_sequence(rooms.generate().unwrap(), seed, 20, [0.1, 0.4, 0.9][seed as usize % 3]);
    }
}

#[test]
fn compact_gives_the_bytes_of_a_fresh_build() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut map = Map::from(noise(&mut random, 60, 0.2));
        let config =
            if seed % 4 == 0 { AtlasConfig { form: Form::General, ..config() } } else { config() };
        let mut atlas = Atlas::build(&map, &config).unwrap();
        for _ in 0..8 {
            let changes = draw(&map, &mut random, 0.5);
            map.apply(&changes).unwrap();
            atlas = atlas.refreshed(&map, &changes).unwrap();
        }
        let fresh = Atlas::build(&map, &config).unwrap();
        assert_eq!(bytes_of(&atlas.compact().unwrap()), bytes_of(&fresh), "seed {seed}");
        assert_eq!(bytes_of(&fresh.compact().unwrap()), bytes_of(&fresh), "seed {seed}");
    }
}

#[test]
fn edits_that_are_taken_back_leave_the_index_as_it_was() {
    let mut map = Map::from(noise(&mut Random::new(1), 60, 0.2));
    let atlas = Atlas::build(&map, &config()).unwrap();
    let before = bytes_of(&atlas);
    let edit = |map: &mut Map, atlas: &Atlas, passable: &dyn Fn(u32) -> bool| {
        let changes =
            Changes::from_iter((20..90).map(|node| CellChange { node, passable: passable(node) }));
        map.apply(&changes).unwrap();
        atlas.refreshed(map, &changes).unwrap()
    };
    let was: Vec<bool> = (0..90).map(|node| map.contains(node)).collect();
    let edited = edit(&mut map, &atlas, &|node| node % 3 == 0);
    assert!(edited.wants_rebuild() && Engine::store(&edited).is_err());
    let back = edit(&mut map, &edited, &|node| was[node as usize]);
    assert!(!back.wants_rebuild());
    assert_eq!(bytes_of(&back), before);
}

/// Three maps of which no two are alike, and the changes from any map to one of them.
fn versions() -> [Grid; 3] {
    let (width, height) = (160, 150);
    let rooms = |seed| Rooms { width, height, room: 10, seed, ..Rooms::default() }.generate();
    let mut random = Random::new(4);
    let noise = Grid::from_fn(width, height, |x, _| x % 3 > 0 && !random.chance(0.1));
    let walls = Grid::from_fn(width, height, |x, y| x % 2 == 0 || y == x % 7);
    [rooms(1).unwrap(), noise.unwrap(), walls.unwrap()]
}

fn switch(map: &mut Map, to: &Grid) -> Changes {
    let cells = (0..).zip((0..to.height()).flat_map(|y| (0..to.width()).map(move |x| (x, y))));
    let change = |(node, (x, y))| CellChange { node, passable: to.is_passable(x, y) };
    let changes: Changes = cells.map(change).collect();
    map.apply(&changes).unwrap();
    changes
}

#[test]
fn maps_that_return_have_their_labels_at_once() {
    let versions = versions();
    let (mut map, mut random) = (Map::from(&versions[0]), Random::new(8));
    let config = AtlasConfig { memory_limit: (1 << 28).into(), ..config() };
    let mut atlas = Atlas::build(&map, &config).unwrap();
    let fresh = versions.each_ref().map(|grid| Atlas::build(&grid.into(), &config).unwrap());
    let mut sizes = Vec::new();
    for (step, version) in [1, 2, 0, 1, 1, 2, 0].into_iter().enumerate() {
        let changes = switch(&mut map, &versions[version]);
        atlas = atlas.refreshed(&map, &changes).unwrap();
        assert_eq!(bytes_of(&atlas), bytes_of(&fresh[version]), "step {step}");
        check(&atlas, &map, &mut random, &format!("step {step}"));
        sizes.push(atlas.memory_bytes());
        // A few more edits, which the next switch takes back.
        let changes = draw(&map, &mut random, 0.5);
        map.apply(&changes).unwrap();
        atlas = atlas.refreshed(&map, &changes).unwrap();
        check(&atlas, &map, &mut random, &format!("step {step}, edited"));
    }
    let all: usize = fresh.iter().map(Engine::memory_bytes).sum();
    assert!(sizes[1..].iter().all(|&size| size == all), "{sizes:?} instead of {all}");
    assert_eq!(atlas.compact().unwrap().memory_bytes(), {
        Atlas::build(&map, &config).unwrap().memory_bytes()
    });
}

#[test]
fn a_map_like_an_earlier_one_uses_its_labels() {
    let versions = versions();
    let (mut map, mut random) = (Map::from(&versions[0]), Random::new(3));
    let config = AtlasConfig { memory_limit: (1 << 28).into(), ..config() };
    let mut atlas = Atlas::build(&map, &config).unwrap();
    for version in [1, 0, 1, 0] {
        let mut next = versions[version].clone();
        for node in 0..40 * 160 {
            if random.chance(0.1) {
                next.set_passable(node % 160, node / 160, random.chance(0.5)).unwrap();
            }
        }
        let changes = switch(&mut map, &next);
        atlas = atlas.refreshed(&map, &changes).unwrap();
        check(&atlas, &map, &mut random, &format!("version {version}"));
    }
    assert_eq!(atlas.form().reason, FormReason::Edited);
    assert!(atlas.wants_rebuild() && !atlas.relabelled().unwrap().wants_rebuild());
}

#[test]
fn earlier_indexes_keep_the_memory_limit() {
    let versions = versions();
    let sizes = versions
        .each_ref()
        .map(|grid| Atlas::build(&grid.into(), &config()).unwrap().memory_bytes() as u64);
    let largest = *sizes.iter().max().unwrap();
    for limit in [largest, largest + sizes.iter().min().unwrap(), sizes.iter().sum()] {
        let config = AtlasConfig { memory_limit: (limit + 20_000).into(), ..config() };
        let (mut map, mut random) = (Map::from(&versions[0]), Random::new(limit));
        let mut atlas = Atlas::build(&map, &config).unwrap();
        for step in 0..12 {
            let changes = switch(&mut map, &versions[random.below(3) as usize]);
            atlas = atlas.refreshed(&map, &changes).unwrap();
            let size = atlas.memory_bytes() as u64;
            assert!(size <= limit + 20_000, "{size} bytes, step {step}, limit {limit}");
            check(&atlas, &map, &mut random, &format!("step {step}, limit {limit}"));
        }
    }
}

/// The general forms, whose edits drop the labels.
#[test]
fn general_forms_have_the_labels_of_maps_that_return() {
    let versions = versions();
    let config = AtlasConfig { form: Form::General, memory_limit: (1 << 30).into(), ..config() };
    let (mut map, mut random) = (Map::from(&versions[0]), Random::new(5));
    let mut atlas = Atlas::build(&map, &config).unwrap();
    let before = bytes_of(&atlas);
    for version in [1, 0] {
        let changes = switch(&mut map, &versions[version]);
        atlas = atlas.refreshed(&map, &changes).unwrap();
        check(&atlas, &map, &mut random, &format!("version {version}"));
    }
    assert_eq!(bytes_of(&atlas), before);
}

/// Rows in codes, which queries after edits cannot use as bounds.
#[test]
fn rows_in_codes_under_edits() {
    let (mut tried, mut random) = (0, Random::new(9));
    for seed in 0..12 {
        let mut map = Map::from(
            Grid::from_fn(70, 60, |_, _| !random.chance(0.04 + 0.02 * f64::from(seed % 4)))
                .unwrap(),
        );
        let Some(mut atlas) = forms::uniform(&map, 10).find(forms::in_codes) else { continue };
        tried += 1;
        for step in 0..8 {
            let changes = draw(&map, &mut random, 0.5);
            map.apply(&changes).unwrap();
            let Ok(refreshed) = atlas.refreshed(&map, &changes) else { break };
            atlas = refreshed;
            check(&atlas, &map, &mut random, &format!("seed {seed}, step {step}"));
        }
    }
    assert!(tried > 6, "{tried}");
}

/// Panics at the expansion of this number.
struct Bomb(u32);

impl portolan::search::Observer for Bomb {
    fn expanded(&mut self, _: NodeId, _: portolan::Cost) {
        self.0 -= 1;
        assert!(self.0 > 0, "the bomb goes off");
    }
}

#[test]
fn a_search_that_panicked_leaves_nothing_behind_for_others() {
    let grid = Grid::from_fn(40, 40, |x, y| x % 8 != 5 || y % 9 == 4).unwrap();
    let mut map = Map::from(grid);
    let atlas = Atlas::build(&map, &config()).unwrap();
    let door = 40 * 22 + 21;
    assert!(map.contains(door));
    let changes = Changes::new().block(door);
    map.apply(&changes).unwrap();
    let atlas = atlas.refresh(&map, &changes).unwrap();
    let mut kept = atlas.query();
    let mut went_off = 0;
    for seconds in 1..12 {
        let (from, to) = (40 * 20 + 17, 40 * 20 + 26);
        let ask = std::panic::AssertUnwindSafe(|| {
            _ = kept.find_observed(from, to, &mut Bomb(seconds));
            _ = atlas.query().find_observed(to, from, &mut Bomb(seconds));
        });
        went_off += u32::from(std::panic::catch_unwind(ask).is_err());
        let mut random = Random::new(seconds.into());
        for _ in 0..20 {
            let mut cell = || random.below(1600) as NodeId;
            let (from, to) = (cell(), cell());
            if !(map.contains(from) && map.contains(to)) {
                continue;
            }
            let expected = distances(&map, from)[to as usize];
            for query in [&mut kept, &mut atlas.query()] {
                let cost = query.find(from, to).unwrap().map(|route| route.cost().into());
                assert_eq!(cost, expected, "{from} to {to} after {seconds}");
            }
        }
    }
    assert!(went_off > 3, "{went_off} searches were cut short");
}
