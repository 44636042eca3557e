//! Landmarks in every form: sound, exact, and true to what was chosen.

use portolan::generate::{Caves, Mazes, Pairs, Random, Rooms};
use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound, Max};
use portolan::search::{Counter, Scratch, astar};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::store::IndexFile;
use portolan::true_distance::differential::{
    Adaptive, AfterEdits, Placement, Precision, Remembered,
};
use portolan::true_distance::{Differential, DifferentialConfig};
use portolan::{
    Build, BuildError, Changes, Connectivity, Engine, Grid, Map, NodeId, Query, Settings,
    UNREACHABLE, registry,
};
use portolan_testkit::bounds::{Seen, check_bounds};
use portolan_testkit::edits::random_changes;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::matrix::{check_engine, check_same_answers};
use portolan_testkit::reference::distances;
use portolan_testkit::worlds::{World, drawn, one_way_streets, random};

/// Every placement, precision, number of entries and of active landmarks, though not each with
/// each.
fn forms() -> Vec<DifferentialConfig> {
    use Precision::{Bits8, Bits16, Bits32};
    let usual = DifferentialConfig::default();
    let placements = Placement::named()
        .chain([Placement::Near(vec![0, 7, 3, 900]), Placement::At(vec![5, 2, 5, 7_000_000, 11])]);
    let mut forms: Vec<DifferentialConfig> = placements
        .map(|placement| DifferentialConfig { landmarks: 5, placement, ..usual.clone() })
        .collect();
    for precision in [Bits32, Bits16, Bits8] {
        for (landmarks, kept, active) in [
            (0, None, None),
            (1, None, None),
            (9, None, Some(2)),
            (30, None, None),
            (6, Some(2), None),
            (7, Some(3), None),
            (20, Some(1), None),
        ] {
            forms.push(DifferentialConfig { landmarks, precision, kept, active, ..usual.clone() });
        }
    }
    forms
}

fn worlds(seeds: std::ops::Range<u64>) -> impl Iterator<Item = World> {
    let streets = World::new("one-way streets", one_way_streets());
    drawn().into_iter().chain([streets]).chain(seeds.map(random))
}

#[test]
fn every_form_bounds_soundly() {
    for config in forms() {
        let mut seen = Seen::default();
        for world in worlds(0..60) {
            let landmarks = Differential::new(&world.map, &config)
                .unwrap_or_else(|error| panic!("{config:?}: {error}\n{world}"));
            seen.add(check_bounds(&landmarks, &world));
        }
        let least = if config.landmarks > 0 { seen.bounds / 50 } else { 1 };
        assert!(seen.bounds > 10_000 && seen.tight >= least, "{config:?}: {seen:?}");
        assert!(seen.proofs > 0 || config.landmarks == 0, "{config:?} proves nothing");
    }
}

#[test]
fn every_form_is_exact() {
    for config in forms() {
        let settings = Settings { differential: config, ..Settings::default() };
        for world in worlds(200..215) {
            let method = registry::method("differential").unwrap();
            let engine = method.build(&world.map, &settings).unwrap();
            check_engine(engine.as_ref(), &world);
        }
    }
}

#[test]
fn every_form_stays_sound_and_exact_after_edits() {
    for (round, config) in (0..).zip(forms()) {
        for seed in 0..6 {
            let mut world = random(7 * seed + round);
            let mut draw = Random::new(seed);
            let mut landmarks = Differential::new(&world.map, &config).unwrap();
            let settings = Settings { differential: config.clone(), ..Settings::default() };
            let method = registry::method("differential").unwrap();
            let mut engine = method.build(&world.map, &settings).unwrap();
            for step in 0..8 {
                let changes = random_changes(&world.map, &mut draw);
                world.map.apply(&changes).unwrap();
                world.name = format!("{config:?}, step {step}: {changes:?}");
                landmarks = landmarks.refreshed(&world.map, &changes).unwrap();
                check_bounds(&landmarks, &world);
                engine = engine.refresh(&world.map, &changes).unwrap();
                check_engine(engine.as_ref(), &world);
            }
        }
    }
}

fn rooms_of_halls() -> Map {
    let grid =
        Grid::from_fn(48, 40, |x, y| (x % 12 != 0 || y % 7 == 3) && (y % 10 != 0 || x % 5 == 2));
    grid.unwrap().into()
}

/// What a form that rounds or drops loses, it loses in tightness only.
#[test]
fn less_memory_bounds_less_tightly() {
    let map = rooms_of_halls();
    let sum = |config: &DifferentialConfig| -> (u64, usize) {
        let landmarks = Differential::new(&map, config).unwrap();
        let nodes = (0..map.node_count() as NodeId).filter(|&node| map.contains(node));
        let bounds = nodes.step_by(7).flat_map(|goal| {
            let mut bound = landmarks.toward(goal);
            let nodes = (0..map.node_count() as NodeId).filter(|&node| map.contains(node));
            nodes.step_by(5).map(move |node| u64::from(bound.at(node).unwrap())).collect::<Vec<_>>()
        });
        (bounds.sum(), landmarks.memory_bytes())
    };
    let of = |precision, kept| {
        let usual = DifferentialConfig::default();
        sum(&DifferentialConfig { precision, kept, ..usual })
    };
    let (full, half, byte) =
        (of(Precision::Bits32, None), of(Precision::Bits16, None), of(Precision::Bits8, None));
    assert!(
        full.0 >= half.0 && half.0 > byte.0 && byte.0 > full.0 / 2,
        "{full:?} {half:?} {byte:?}"
    );
    assert!(full.1 > half.1 && half.1 > byte.1);
    let dropped = of(Precision::Bits32, Some(2));
    assert!(dropped.1 < full.1 / 3 && dropped.0 > full.0 / 2, "{full:?} {dropped:?}");
}

#[test]
fn eight_landmarks_visit_a_third_of_the_nodes_of_a_maze() {
    for corridor in [1, 2, 4] {
        let maze = Mazes { width: 200, height: 200, corridor, seed: 3, ..Mazes::default() };
        let map = Map::from(maze.generate().unwrap());
        let expanded = |name: &str| {
            let engine = registry::method(name).unwrap().build(&map, &Settings::default()).unwrap();
            let (mut query, mut draw, mut counter) =
                (engine.query(), Random::new(9), Counter::default());
            for _ in 0..60 {
                let mut pick = || draw.below(map.node_count() as u64) as NodeId;
                let _ = query.find_observed(pick(), pick(), &mut counter);
            }
            counter.expanded
        };
        let (octile, landmarks) = (expanded("astar"), expanded("differential"));
        assert!(3 * landmarks <= octile, "corridors of {corridor}: {landmarks} of {octile}");
    }
}

/// Nodes that A* expands on a map for random pairs, with the landmarks of a configuration or with
/// none.
fn expansions(map: &Map, landmarks: Option<DifferentialConfig>) -> u64 {
    let name = if landmarks.is_some() { "differential" } else { "astar" };
    let differential = landmarks.unwrap_or_default();
    let settings = Settings { differential, ..Settings::default() };
    let engine = registry::method(name).unwrap().build(map, &settings).unwrap();
    let pairs = Pairs { count: 40, even_lengths: false, seed: 5 }.generate(map).unwrap();
    let (mut query, mut counter) = (engine.query(), Counter::default());
    for (from, to) in pairs {
        query.find_observed(from, to, &mut counter).unwrap().unwrap();
    }
    counter.expanded
}

fn mazes_rooms_and_caves(connectivity: Connectivity) -> impl Iterator<Item = (String, Map)> {
    (0..4).flat_map(move |seed| {
        let size = 120;
        let maze = Mazes {
            width: size,
            height: size,
            corridor: 1 + seed as u32 % 3,
            seed,
            ..Mazes::default()
        };
        let rooms = Rooms { width: size, height: size, room: 9, seed, ..Rooms::default() };
        let caves = Caves { width: size, height: size, seed, ..Caves::default() };
        let grids =
            [("maze", maze.generate()), ("rooms", rooms.generate()), ("caves", caves.generate())];
        grids.map(|(name, grid)| {
            let grid = grid.unwrap().with_connectivity(connectivity);
            (format!("{name} {seed}, {connectivity:?}"), Map::from(grid))
        })
    })
}

/// With 16 bits nothing is lost where every distance is a whole number of steps.
#[test]
fn two_bytes_are_as_good_as_four_where_steps_are_all_alike() {
    for (name, map) in mazes_rooms_and_caves(Connectivity::Four) {
        let with = |precision| DifferentialConfig { precision, ..DifferentialConfig::default() };
        let [whole, half] = [Precision::Bits32, Precision::Bits16].map(|bits| {
            let landmarks = Differential::new(&map, &with(bits)).unwrap();
            assert!(landmarks.is_consistent(), "{name}");
            landmarks
        });
        assert_eq!(half.memory_bytes() - 32, (whole.memory_bytes() - 32) / 2, "{name}");
        for goal in (0..map.node_count() as NodeId).step_by(997) {
            let (mut a, mut b) = (whole.toward(goal), half.toward(goal));
            for node in 0..map.node_count() as NodeId {
                assert_eq!(a.at(node), b.at(node), "{name}: {node} to {goal}");
            }
        }
    }
}

/// Bounds that are not consistent make searches expand nodes again, but fewer than landmarks save.
#[test]
fn compressed_tables_never_expand_more_than_no_landmarks() {
    let compressed = [
        (8, Precision::Bits16, None),
        (8, Precision::Bits8, None),
        (24, Precision::Bits32, Some(6)),
        (24, Precision::Bits8, Some(6)),
    ];
    let both = [Connectivity::Four, Connectivity::Eight].into_iter();
    for (name, map) in both.flat_map(mazes_rooms_and_caves) {
        let plain = expansions(&map, None);
        for (landmarks, precision, kept) in compressed {
            let usual = DifferentialConfig::default();
            let config = DifferentialConfig { landmarks, precision, kept, ..usual };
            let ours = expansions(&map, Some(config.clone()));
            println!("{name} {precision:?} {kept:?}: {ours} of {plain}");
            assert!(ours <= plain, "{name}: {ours} of {plain}, {config:?}");
        }
    }
}

#[test]
fn landmarks_lie_where_they_were_asked_for() {
    let map = rooms_of_halls();
    let by_hand: Vec<NodeId> = vec![49, 100, 502];
    let usable = |nodes: &[NodeId]| nodes.iter().all(|&node| map.contains(node));
    for placement in Placement::named() {
        let config = DifferentialConfig { placement, ..DifferentialConfig::default() };
        let landmarks = Differential::new(&map, &config).unwrap();
        let mut nodes = landmarks.landmarks().to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes.len(), 8, "{config:?}");
        assert!(usable(&nodes), "{config:?}");
        let again = Differential::new(&map, &config).unwrap();
        assert_eq!(again.landmarks(), landmarks.landmarks(), "{config:?}");
    }
    let placement = Placement::At(by_hand.clone());
    let config = DifferentialConfig { placement, ..DifferentialConfig::default() };
    assert_eq!(Differential::new(&map, &config).unwrap().landmarks(), by_hand);
    // 0 is blocked; the others are taken as they are, and the rest lies far away.
    let placement = Placement::Near(vec![0, 502]);
    let config = DifferentialConfig { placement, ..DifferentialConfig::default() };
    let near = Differential::new(&map, &config).unwrap();
    assert!(near.landmarks().contains(&502) && near.landmarks().len() == 8);
    assert!("nowhere".parse::<Placement>().is_err());
}

#[test]
fn the_limit_is_kept_and_a_smaller_one_says_what_is_needed() {
    let map = Map::from(Grid::from_fn(50, 50, |x, y| (x + y) % 3 != 0).unwrap());
    let mut sizes = Vec::new();
    for limit in [0, 900, 2_000, 2_500, 5_000, 10_000, 20_000, 100_000] {
        for precision in [Precision::Bits32, Precision::Bits8] {
            for kept in [None, Some(3)] {
                let memory_limit = limit;
                let usual = DifferentialConfig { precision, kept, ..DifferentialConfig::default() };
                let config = DifferentialConfig { memory_limit, ..usual };
                match Differential::new(&map, &config) {
                    Ok(landmarks) => {
                        assert!(landmarks.memory_bytes() as u64 <= limit, "{config:?}");
                        sizes.push(landmarks.landmarks().len());
                        let world = World::new("stripes", map.clone());
                        check_bounds(&landmarks, &world);
                    }
                    Err(BuildError::MemoryLimit { needed, .. }) => {
                        let memory_limit = needed;
                        let enough = DifferentialConfig { memory_limit, ..config.clone() };
                        let built = Differential::new(&map, &enough).unwrap();
                        assert!(!built.landmarks().is_empty() && needed > limit, "{config:?}");
                    }
                    Err(error) => panic!("{config:?}: {error}"),
                }
            }
        }
    }
    assert!(sizes.contains(&1) && sizes.contains(&8), "{sizes:?}");
}

#[test]
fn the_limit_is_kept_when_nodes_come() {
    let mut map = one_way_streets();
    let usual = DifferentialConfig::default();
    let memory_limit = Differential::new(&map, &usual).unwrap().memory_bytes() as u64;
    let landmarks = Differential::new(&map, &DifferentialConfig { memory_limit, ..usual }).unwrap();
    let changes = Changes::new().insert_node(None);
    map.apply(&changes).unwrap();
    let bytes = landmarks.refreshed(&map, &changes).unwrap().memory_bytes() as u64;
    assert!(bytes <= memory_limit, "{bytes} of {memory_limit}");
}

/// An edge beyond the last node led to a panic, and a map that nobody told of to unsound bounds.
#[test]
fn changes_that_do_not_lead_to_the_map_do_no_harm() {
    let usual = DifferentialConfig::default();
    let landmarks = Differential::new(&rooms_of_halls(), &usual).unwrap();
    let open = World::new("no walls", Grid::new(48, 40).unwrap());
    let refreshed = landmarks.refreshed(&open.map, &Changes::default()).unwrap();
    assert!(check_bounds(&refreshed, &open).bounds > 0);
    let streets = World::new("streets", one_way_streets());
    let landmarks = Differential::new(&streets.map, &usual).unwrap();
    let beyond = Changes::new().insert_edge(3, 5_000, 1);
    check_bounds(&landmarks.refreshed(&streets.map, &beyond).unwrap(), &streets);
}

#[test]
fn upper_bounds_are_never_below_and_mostly_known() {
    let map = rooms_of_halls();
    let landmarks = Differential::new(&map, &DifferentialConfig::default()).unwrap();
    let from = (0..).find(|&node| map.contains(node)).unwrap();
    let mut met = 0;
    for (to, truth) in (0..).zip(distances(&map, from)) {
        let (upper, Some(truth)) = (u64::from(landmarks.upper_bound(from, to)), truth) else {
            continue;
        };
        assert!(upper >= truth && upper < u64::from(UNREACHABLE), "{from} to {to}");
        met += usize::from(upper == truth);
    }
    assert!(met > 10, "{met} are met");
}

fn block(node: NodeId, passable: bool) -> Changes {
    Changes::new().set_passable(node, passable)
}

#[test]
fn stale_bounds_give_legal_paths_and_exact_ones_again_after_a_renewal() {
    // A wall with a door at the far end; another is opened close by.
    let grid = Grid::from_fn(41, 41, |x, y| x != 20 || y == 40).unwrap();
    let (from, to, door) = (grid.node(10, 0), grid.node(30, 0), grid.node(20, 0));
    let (from, to, door) = (from.unwrap(), to.unwrap(), door.unwrap());
    let mut map = Map::from(grid);
    let usual = DifferentialConfig::default();
    let config = DifferentialConfig { after_edits: AfterEdits::Stale, ..usual };
    let stale = Differential::new(&map, &config).unwrap();
    let changes = block(door, true);
    map.apply(&changes).unwrap();
    let stale = stale.refreshed(&map, &changes).unwrap();
    let truth = distances(&map, from)[to as usize].unwrap();
    assert!(u64::from(stale.toward(to).at(from).unwrap()) > truth, "it knows nothing of the door");
    assert!(stale.wants_renewal() && !stale.is_consistent());
    let settings = Settings { differential: config, ..Settings::default() };
    let method = registry::method("differential-stale").unwrap();
    assert!(!method.exact());
    let mut before = map.clone();
    before.apply(&block(door, false)).unwrap();
    let engine = method.build(&before, &settings).unwrap().refresh(&map, &changes).unwrap();
    let mut query = engine.query();
    let route = query.find(from, to).unwrap().unwrap();
    assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
    let renewed = stale.renewal().finish().unwrap();
    assert!(u64::from(renewed.toward(to).at(from).unwrap()) <= truth && !renewed.wants_renewal());
}

#[test]
fn landmarks_move_toward_goals_that_are_asked_for_often() {
    let map = rooms_of_halls();
    let mut landmarks = Differential::new(&map, &DifferentialConfig::default()).unwrap();
    let goals: Vec<NodeId> =
        [700, 1234].map(|goal| map.nearest_reachable(49, goal).unwrap()).into();
    let mut adaptive = Adaptive::new(60);
    let before: Vec<NodeId> = landmarks.landmarks().to_vec();
    for round in 0..120 {
        adaptive.note(
            &landmarks,
            map.nearest_reachable(49, 13 * round).unwrap(),
            goals[round as usize % 2],
        );
        if round % 20 == 19
            && let Some(renewal) = adaptive.next_move(&landmarks)
        {
            landmarks = renewal.finish().unwrap();
        }
    }
    assert!(goals.iter().all(|goal| landmarks.landmarks().contains(goal)));
    let stayed = landmarks.landmarks().iter().filter(|node| before.contains(node)).count();
    assert_eq!(stayed, 6, "only as many move as there are goals");
    for _ in 0..60 {
        adaptive.note(&landmarks, goals[0], 0);
    }
    assert!(adaptive.next_move(&landmarks).is_none(), "there is no ground under the goal");
    check_bounds(&landmarks, &World::new("halls", map));
}

#[test]
fn remembered_searches_bound_soundly_and_save_nodes() {
    let (mut with, mut without) = (Counter::default(), Counter::default());
    for seed in 300..340 {
        let world = random(seed);
        let octile = Geometric::new(&world.map, HeuristicChoice::Auto).unwrap();
        let mut remembered = Remembered::new(&world.map, 3);
        let (mut scratch, mut draw) = (Scratch::default(), Random::new(seed));
        for _ in 0..12 {
            let nodes = world.map.node_count() as u64;
            let (from, to) = (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId);
            let both = Max(&octile, &remembered);
            let run = |bound: &mut dyn LowerBound, scratch: &mut Scratch, counter: &mut Counter| {
                match &world.map {
                    Map::Grid(grid) => {
                        astar::find(grid, scratch, (from, to), &mut Erased(bound), counter)
                    }
                    Map::Graph(graph) => {
                        astar::find(graph, scratch, (from, to), &mut Erased(bound), counter)
                    }
                }
            };
            let found = run(&mut both.toward(to), &mut scratch, &mut with);
            let plain = run(&mut octile.toward(to), &mut scratch, &mut without);
            assert_eq!(found, plain, "{world}");
            remembered.keep(&scratch, (from, to), &octile);
            check_bounds(&remembered, &world);
        }
        assert!(remembered.len() <= 3);
        let mut map = world.map.clone();
        let changes = random_changes(&map, &mut draw);
        map.apply(&changes).unwrap();
        remembered.edit(&world.map, &map, &changes);
        check_bounds(&remembered, &World::new("the same after an edit", map));
    }
    assert!(with.expanded < without.expanded, "{} of {}", with.expanded, without.expanded);
}

/// A bound behind a pointer.
struct Erased<'a>(&'a mut dyn LowerBound);

impl LowerBound for Erased<'_> {
    fn at(&mut self, node: NodeId) -> Option<portolan::Cost> {
        self.0.at(node)
    }
}

#[test]
fn every_form_comes_back_from_a_file() {
    let method = registry::method("differential").unwrap();
    for config in forms() {
        let settings = Settings { differential: config.clone(), ..Settings::default() };
        for world in [random(3), random(8), World::new("one way", one_way_streets())] {
            let engine = method.build(&world.map, &settings).unwrap();
            let bytes = bytes_of(engine.as_ref());
            let index = IndexFile::from_bytes(bytes.clone()).unwrap();
            index.verify().unwrap();
            let opened = method.open(&index, &world.map, &settings).unwrap();
            assert_eq!(opened.form(), engine.form(), "{config:?}");
            assert_eq!(opened.memory_bytes(), engine.memory_bytes());
            check_same_answers(&mut *engine.query(), &mut *opened.query(), 40);
            assert_eq!(bytes_of(opened.as_ref()), bytes, "{config:?}");
        }
    }
}

#[test]
fn a_plain_search_has_nothing_to_open() {
    let map = rooms_of_halls();
    let engine = SearchEngine::build(&map, &SearchConfig::default()).unwrap();
    assert!(engine.store().is_err());
    assert!(engine.form().is_none() && engine.memory_bytes() == 0);
}
