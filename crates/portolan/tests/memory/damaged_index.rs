//! One flipped bit in an index file: what is opened all the same may answer wrongly, and no more,
//! whatever is asked of it.

use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use portolan::atlas::Atlas;
use portolan::changes::{CellChange, EdgeChange, NodeChange};
use portolan::generate::{Random, Rooms};
use portolan::store::IndexFile;
use portolan::world::{Follow, Recipe, World};
use portolan::{Changes, Connectivity, Engine, Graph, GraphBuilder, Map, NodeId, Query, Settings};
use portolan_testkit::allocator;
use portolan_testkit::forms::{Storable, storable};
use portolan_testkit::index_file::{Section, bytes_of, sections};
use portolan_testkit::worlds::one_way_streets;

/// Where it panicked last.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// No index of these maps takes a tenth of it.
const MOST_BYTES: usize = 64 << 20;
/// Whatever is asked of an index of these maps takes milliseconds; more than this is a hang, even on a
/// busy machine.
const LONGEST: Duration = Duration::from_secs(120);

/// Streets in a square, 20 on each side, all two-way.
fn streets() -> Map {
    const SIDE: u32 = 20;
    let mut draw = Random::new(4);
    let mut builder = GraphBuilder::new((SIDE * SIDE) as usize).unwrap();
    for node in 0..SIDE * SIDE {
        let mut join = |other| builder.add_two_way(node, other, 1 + draw.below(9) as u32).unwrap();
        if node % SIDE + 1 < SIDE {
            join(node + 1);
        }
        if node + SIDE < SIDE * SIDE {
            join(node + SIDE);
        }
    }
    builder.build().into()
}

fn maps() -> Vec<(&'static str, Map)> {
    let rooms = Rooms { width: 17, height: 14, room: 5, seed: 3, ..Rooms::default() };
    let rooms = rooms.generate().unwrap();
    let mut draw = Random::new(9);
    let factors = (0..17 * 14).map(|_| 1 + draw.below(5) as u8).collect();
    vec![
        ("streets", streets()),
        ("one-way streets", one_way_streets()),
        ("rooms", rooms.clone().into()),
        ("rooms, four", rooms.clone().with_connectivity(Connectivity::Four).into()),
        ("terrain", rooms.with_terrain(factors).unwrap().into()),
    ]
}

fn settings() -> Settings {
    Settings { threads: 1, ..Settings::default() }
}

/// Opens the file and asks everything of it that can be asked; says whether it could be opened.
fn drive_opened(storable: &Storable, bytes: Vec<u8>, map: &Map) -> bool {
    let Ok(engine) = storable.open(&bytes, map) else { return false };
    drive(&*engine, map);
    if let Some(atlas) = engine.downcast_ref::<Atlas>() {
        drive_atlas(atlas);
    }
    true
}

/// Edits a world that starts with the engine of the file, and finds paths in every version; says
/// whether the file could be opened.
fn drive_world(bytes: Vec<u8>, map: &Map, follow: Follow) -> bool {
    let Ok(index) = IndexFile::from_bytes(bytes) else { return false };
    let Ok(recipe) = Recipe::open(&index, map, settings()) else { return false };
    let name = recipe.name().to_owned();
    let world = World::new(map.clone()).unwrap();
    world.add_with(recipe, follow).unwrap();
    find_paths(&world, &name);
    for changes in edits(map) {
        world.apply(&changes).unwrap();
        find_paths(&world, &name);
        world.advance();
    }
    find_paths(&world, &name);
    world.settle();
    find_paths(&world, &name);
    true
}

fn find_paths(world: &World, name: &str) {
    let snapshot = world.snapshot();
    let nodes = snapshot.map().node_count();
    let mut draw = Random::new(nodes as u64);
    let mut node = || draw.below(nodes as u64) as NodeId;
    for _ in 0..8 {
        if let Ok(Some(path)) = snapshot.find_by(name, node(), node()) {
            assert!(path.nodes().count() <= 4 * nodes + 4);
            let _ = (snapshot.is_valid(&path), snapshot.is_shortest(&path));
        }
    }
}

fn drive_atlas(atlas: &Atlas) {
    let _ = atlas.validate();
    if let Ok(relabelled) = atlas.relabelled() {
        ask(&relabelled);
        let _ = relabelled.validate();
    }
    if let Ok(compact) = atlas.compact() {
        ask(&compact);
    }
}

fn drive(engine: &dyn Engine, map: &Map) {
    ask(engine);
    if let Ok(rebuilt) = engine.rebuilt(map) {
        ask(&*rebuilt);
    }
    let (mut map, mut held) = (map.clone(), None);
    for changes in edits(&map) {
        map.apply(&changes).unwrap();
        let engine = held.as_deref().unwrap_or(engine);
        if let Ok(refreshed) = engine.refresh(&map, &changes) {
            ask(&*refreshed);
            held = Some(refreshed);
        }
    }
    if let Some(rebuilt) = held.and_then(|engine| engine.rebuilt(&map).ok()) {
        ask(&*rebuilt);
    }
}

fn edits(map: &Map) -> Vec<Changes> {
    let cell = |node, passable| CellChange { node, passable };
    let edge = |edge| Changes { edges: vec![edge], ..Changes::default() };
    match map {
        Map::Grid(_) => {
            let open = |node: &NodeId| map.contains(*node);
            let middle = (map.node_count() as NodeId / 2..).find(open).unwrap();
            let blocked = (0..).find(|node| !open(node)).unwrap();
            let cells = [vec![cell(middle, false)], vec![cell(middle, true), cell(blocked, true)]];
            cells.map(|cells| Changes { cells, ..Changes::default() }).into()
        }
        Map::Graph(graph) => {
            let nodes = map.node_count() as NodeId;
            let (head, _) = graph.edges(0).next().unwrap();
            let insert = NodeChange::Insert { at: None };
            let weigh = |tail, head| EdgeChange::SetWeight { tail, head, weight: 50 };
            // An index of an undirected graph that becomes directed is built from scratch.
            let mut first = edge(weigh(0, head));
            first.edges.extend(graph.is_undirected().then(|| weigh(head, 0)));
            vec![
                first,
                edge(EdgeChange::Insert { tail: 3, head: nodes - 5, weight: 1 }),
                Changes { nodes: vec![insert], ..Changes::default() },
                edge(EdgeChange::Insert { tail: nodes, head: 7, weight: 2 }),
            ]
        }
    }
}

/// Every way to ask, for a few pairs.
fn ask(engine: &dyn Engine) {
    let nodes = engine.map().node_count() as u64;
    let mut draw = Random::new(nodes);
    let pairs: Vec<(NodeId, NodeId)> =
        (0..24).map(|_| (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId)).collect();
    let goals: Vec<NodeId> = pairs.iter().map(|&(_, to)| to).collect();
    let mut query = engine.query();
    let most = 4 * nodes as usize + 4;
    for &(from, to) in &pairs {
        let _ = query.distance(from, to);
        if let Ok(Some(route)) = query.find(from, to) {
            assert!(route.nodes().count() <= most);
            assert!(route.turns().count() <= most);
        }
        let _ = query.find_toward(from, to).map(|route| route.nodes().count());
    }
    query.find_each(&pairs, &mut |_, answer| {
        if let Ok(Some(route)) = answer {
            assert!(route.nodes().count() <= most);
        }
    });
    query.distance_each(&pairs, &mut |_, _| {});
    let _ = query.distances_from(pairs[0].0, &goals);
    let _ = (engine.form(), engine.wants_rebuild(), format!("{engine:?}"));
    if let Ok(stored) = engine.store() {
        stored.write_to(&mut Vec::new()).unwrap();
    }
}

/// Flips a bit of so many bytes of each section of the files of these maps at the most, and drives
/// what can be opened.
fn flip(
    maps: Vec<(&str, Map)>,
    most: usize,
    mut drive: impl FnMut(&Storable, Vec<u8>, &Map) -> bool,
) {
    let _alone = allocator::alone();
    set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap() = panic.location().map(ToString::to_string).unwrap_or_default();
    }));
    let mut opened = 0;
    let mut faults = std::collections::BTreeMap::<String, (usize, String)>::new();
    for (name, map) in maps {
        for file in storable(&map, 8, 2, 1) {
            let bytes = bytes_of(&*file.engine);
            let mut draw = Random::new(bytes.len() as u64);
            for Section { name: section, bytes: range } in sections(&bytes) {
                let stride = range.len().div_ceil(most).max(1);
                for at in range.skip(draw.below(stride as u64) as usize).step_by(stride) {
                    let bit = draw.below(8);
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << bit;
                    let start = Instant::now();
                    let driven = AssertUnwindSafe(|| drive(&file, damaged, &map));
                    let (driven, allocated) = allocator::measure(|| catch_unwind(driven));
                    let place = take(&mut *PANIC.lock().unwrap());
                    let fault = match driven {
                        // Not even on another thread.
                        Ok(could) if place.is_empty() => {
                            opened += usize::from(could);
                            let long = start.elapsed() > LONGEST;
                            let large = allocated.largest > MOST_BYTES;
                            match (long, large) {
                                (true, _) => "takes long",
                                (_, true) => "takes much memory",
                                _ => continue,
                            }
                        }
                        _ => "panics",
                    };
                    let key = format!("{section}: {fault} {place}");
                    let fault = faults
                        .entry(key)
                        .or_insert((0, format!("{name}, {}: byte {at}, bit {bit}", file.name)));
                    fault.0 += 1;
                }
            }
        }
    }
    let _ = take_hook();
    println!("{opened} opened");
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(opened > 300, "{opened} opened");
}

#[test]
fn a_flipped_bit_makes_answers_wrong_at_worst() {
    flip(maps(), 4, drive_opened);
}

/// Every form of Atlas on a general graph and on a grid. Engines follow inside edits and in the
/// background in turn.
#[test]
fn a_world_over_an_index_with_a_flipped_bit_edits_rebuilds_and_finds_paths() {
    let maps = maps().into_iter().filter(|(name, _)| ["streets", "rooms"].contains(name));
    let mut follow = [Follow::AtOnce, Follow::Behind].into_iter().cycle();
    flip(maps.collect(), 7, |storable, bytes, map| {
        let is_atlas = storable.engine.downcast_ref::<Atlas>().is_some();
        is_atlas && follow.next().is_some_and(|follow| drive_world(bytes, map, follow))
    });
}

/// Many more bytes.
#[test]
#[ignore = "takes minutes"]
fn any_flipped_bit_makes_answers_wrong_at_worst() {
    flip(maps(), 150, drive_opened);
}
