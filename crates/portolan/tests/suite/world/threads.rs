//! Readers and a writer at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use portolan::generate::{Random, Rooms};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::world::{Follow, Recipe, World};
use portolan::{
    Build, BuildError, Changes, Engine, Map, NodeId, Progress, Query, Settings, Unsupported,
};
use portolan_testkit::reference::{distances, is_usable};
use portolan_testkit::walker::walk;

const SIDE: u32 = 48;
const READERS: usize = 4;

fn rooms() -> Map {
    let rooms = Rooms { width: SIDE, height: SIDE, room: 6, ..Rooms::default() };
    rooms.generate().unwrap().into()
}

/// A* that is counted as long as it lives, and that can be held up in its refresh.
#[derive(Debug)]
struct Counted {
    astar: Arc<SearchEngine>,
    watch: Watch,
}

#[derive(Debug, Clone, Default)]
struct Watch {
    alive: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    /// Held by the test while refreshes are to wait.
    gate: Arc<Mutex<()>>,
    refreshing: Arc<AtomicBool>,
}

impl Watch {
    fn counted(&self, astar: SearchEngine) -> Counted {
        let alive = 1 + self.alive.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(alive, Ordering::SeqCst);
        Counted { astar: astar.into(), watch: self.clone() }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.watch.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Engine for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn exact(&self) -> bool {
        true
    }

    fn map(&self) -> &Map {
        self.astar.map()
    }

    fn query(&self) -> Box<dyn Query + Send + Sync + '_> {
        self.astar.query()
    }

    fn owned_query(self: Arc<Self>) -> Box<dyn Query + Send + Sync> {
        Arc::clone(&self.astar).owned_query()
    }

    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Box<dyn Engine>, BuildError> {
        Ok(Box::new(self.refreshed(map, changes)?))
    }

    fn memory_bytes(&self) -> usize {
        0
    }
}

impl Build for Counted {
    type Config = Watch;

    fn supports(_: &Map, _: &Watch) -> Result<(), Unsupported> {
        Ok(())
    }

    fn build_watched(map: &Map, watch: &Watch, _: &dyn Progress) -> Result<Self, BuildError> {
        Ok(watch.counted(SearchEngine::build(map, &SearchConfig::default())?))
    }

    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        self.watch.refreshing.store(true, Ordering::SeqCst);
        drop(self.watch.gate.lock().unwrap());
        Ok(self.watch.counted(self.astar.refreshed(map, changes)?))
    }
}

/// Takes the newest snapshot and asks it; every answer must be exact for that snapshot.
fn ask(world: &World, name: &str, draw: &mut Random) -> u64 {
    let snapshot = world.snapshot();
    let map = snapshot.map();
    let from = draw.below(map.node_count() as u64) as NodeId;
    let mut query = snapshot.query_by(name).unwrap();
    if !is_usable(map, from) {
        assert!(query.distance(from, from).is_err());
        return snapshot.version().number();
    }
    let truth = distances(map, from);
    for _ in 0..6 {
        let to = draw.below(map.node_count() as u64) as NodeId;
        if !is_usable(map, to) {
            assert!(query.find(from, to).is_err());
            continue;
        }
        let route = query.find(from, to).unwrap();
        let cost = route.as_ref().map(|route| u64::from(route.cost()));
        assert_eq!(cost, truth[to as usize], "{name}, version {}", snapshot.version());
        if let Some(route) = route {
            let path: Vec<NodeId> = route.nodes().collect();
            assert_eq!(walk(map, &path, from, to).ok(), cost);
        }
    }
    snapshot.version().number()
}

/// Four readers and a writer that edits as fast as it can; memory stays bounded, and at the end
/// nothing is left over.
#[test]
fn four_readers_and_a_writer() {
    const EDITS: u64 = 3000;
    let world = World::new(rooms()).unwrap();
    let watch = Watch::default();
    world.add_with(Recipe::of::<Counted>("counted", watch.clone()), Follow::AtOnce).unwrap();
    let named = |name| Recipe::named(name, Settings { threads: 1, ..Settings::default() }).unwrap();
    world.add_with(named("atlas"), Follow::Auto).unwrap();
    world.add_with(named("ppa"), Follow::Behind).unwrap();
    world.add_with(named("differential"), Follow::Auto).unwrap();
    let done = AtomicBool::new(false);
    let started = AtomicUsize::new(0);
    let asked: Vec<usize> = thread::scope(|scope| {
        let reader = |seed: usize| {
            let (world, done, started) = (&world, &done, &started);
            move || {
                let mut draw = Random::new(seed as u64);
                let (mut asked, mut newest) = (0, 0);
                while !done.load(Ordering::SeqCst) || asked < 20 {
                    let name = ["counted", "atlas", "ppa", "differential"][(seed + asked) % 4];
                    let version = ask(world, name, &mut draw);
                    assert!(version >= newest, "time runs forward");
                    (asked, newest) = (asked + 1, version);
                    if asked == 1 {
                        started.fetch_add(1, Ordering::SeqCst);
                    }
                }
                asked
            }
        };
        let readers: Vec<_> = (0..READERS).map(|seed| scope.spawn(reader(seed))).collect();
        while started.load(Ordering::SeqCst) < READERS {
            thread::yield_now();
        }
        let mut draw = Random::new(99);
        for edit in 0..EDITS {
            let node = draw.below(u64::from(SIDE * SIDE)) as NodeId;
            let passable = !world.snapshot().map().contains(node);
            let made = world.edit(|e| e.set_passable(node, passable)).unwrap();
            assert_eq!(made.version().number(), edit + 1, "every edit is a version");
            world.advance();
        }
        done.store(true, Ordering::SeqCst);
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert!(asked.iter().all(|&asked| asked >= 20), "{asked:?}");
    // Each reader holds one version, the world one, an edit one while it is made and one while it
    // is looked at; and a thread may have taken a version just when it was replaced.
    let most = watch.most.load(Ordering::SeqCst);
    assert!(most <= READERS + 4, "{most} versions at once");
    let mut draw = Random::new(5);
    world.settle();
    for name in ["counted", "atlas", "ppa", "differential"] {
        assert!(world.snapshot().engine(name).is_some(), "{name} has caught up");
        (0..10).for_each(|_| _ = ask(&world, name, &mut draw));
    }
    assert_eq!(watch.alive.load(Ordering::SeqCst), 1);
    drop(world);
    assert_eq!(watch.alive.load(Ordering::SeqCst), 0);
}

/// While a writer is in the middle of an edit, held up in its closure and then in a refresh,
/// readers go on.
#[test]
fn readers_never_wait_for_the_writer() {
    let world = World::new(rooms()).unwrap();
    let watch = Watch::default();
    world.add_with(Recipe::of::<Counted>("counted", watch.clone()), Follow::AtOnce).unwrap();
    let free = (0..SIDE * SIDE).find(|&node| world.snapshot().map().contains(node)).unwrap();
    let (in_edit, edit_begun) = channel();
    let (go_on, may_go_on) = channel::<()>();
    let shared = &world;
    let refreshes_wait = watch.gate.lock().unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(move || {
            let edit = shared.edit(|e| {
                in_edit.send(()).unwrap();
                may_go_on.recv().unwrap();
                e.block(free);
            });
            edit.unwrap()
        });
        edit_begun.recv().unwrap();
        // In this order or the test hangs: readers are done before the writer may go on.
        read_on_all(&world);
        go_on.send(()).unwrap();
        while !watch.refreshing.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        read_on_all(&world);
        assert!(!writer.is_finished() && world.snapshot().version().number() == 0);
        drop(refreshes_wait);
        assert_eq!(writer.join().unwrap().version().number(), 1);
    });
    assert_eq!(world.snapshot().version().number(), 1);
}

fn read_on_all(world: &World) {
    thread::scope(|scope| {
        for seed in 0..READERS as u64 {
            scope.spawn(move || {
                let mut draw = Random::new(seed);
                (0..10).for_each(|_| assert_eq!(ask(world, "counted", &mut draw), 0));
            });
        }
    });
}

/// An engine that panics in an edit takes the edit with it, and no other engine stays ahead of the
/// map.
#[test]
fn a_panic_in_one_engine_leaves_no_other_ahead() {
    let world = World::new(rooms()).unwrap();
    let settings = Settings { threads: 1, ..Settings::default() };
    world.add_with(Recipe::named("atlas", settings).unwrap(), Follow::AtOnce).unwrap();
    let watch = Watch::default();
    world.add_with(Recipe::of::<Counted>("counted", watch.clone()), Follow::AtOnce).unwrap();
    let gate = Arc::clone(&watch.gate);
    let held = thread::spawn(move || {
        let _held = gate.lock();
        panic!("on purpose");
    });
    assert!(held.join().is_err());
    let build_wall = |row: u32| world.edit(|e| (0..SIDE).for_each(|x| e.block(row * SIDE + x)));
    assert!(catch_unwind(AssertUnwindSafe(|| build_wall(20))).is_err());
    watch.gate.clear_poison();
    assert_eq!(world.snapshot().version().number(), 0);
    let mut draw = Random::new(3);
    for row in [33, 9] {
        world.settle();
        for name in ["atlas", "counted"] {
            assert!(world.snapshot().engine(name).is_some());
            for _ in 0..20 {
                ask(&world, name, &mut draw);
            }
        }
        build_wall(row).unwrap();
    }
}
