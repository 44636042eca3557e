//! Requests under a budget: exact, in the same order and the same calls whatever the threads.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use portolan::engine::{CostAnswer, PathAnswer};
use portolan::generate::{Random, Rooms};
use portolan::search::Observer;
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::world::{
    Answer, Budget, Follow, Recipe, Request, RequestId, Requests, RequestsConfig, World, WorldError,
};
use portolan::{
    Build, BuildError, Changes, EndpointError, Engine, Grid, Map, NodeId, Progress, Query,
    Settings, Unsupported,
};
use portolan_testkit::reference::{distances, is_usable};
use portolan_testkit::walker::walk;
use portolan_testkit::worlds::random;

const SIDE: u32 = 60;

fn rooms() -> Map {
    let rooms = Rooms { width: SIDE, height: SIDE, room: 6, ..Rooms::default() };
    rooms.generate().unwrap().into()
}

fn requests(threads: usize, engine: Option<&str>) -> Requests {
    Requests::new(RequestsConfig { engine: engine.map(str::to_owned), threads }).unwrap()
}

/// Submits pairs drawn at random, of a few urgencies, blocked ends and ends off the map among them.
fn submit(
    queue: &mut Requests,
    nodes: usize,
    count: usize,
    draw: &mut Random,
) -> BTreeMap<RequestId, (NodeId, NodeId)> {
    let mut ends = BTreeMap::new();
    for _ in 0..count {
        let mut end = || draw.below(nodes as u64 + 1) as NodeId;
        let pair = (end(), end());
        ends.insert(
            queue.submit(Request::new(pair.0, pair.1).with_urgency(draw.below(3) as i32 - 1)),
            pair,
        );
    }
    ends
}

fn check(map: &Map, (from, to): (NodeId, NodeId), answer: &Answer) {
    let usable = |node: NodeId| (node as usize) < map.node_count() && is_usable(map, node);
    match &answer.path {
        Err(WorldError::Endpoint(EndpointError::CostOverflow { .. })) => {
            assert!(distances(map, from)[to as usize] >= Some(u64::from(u32::MAX)));
        }
        Err(_) => assert!(!usable(from) || !usable(to)),
        Ok(None) => assert_eq!(distances(map, from)[to as usize], None),
        Ok(Some(path)) => {
            let cost = u64::from(path.cost());
            assert_eq!(walk(map, &path.nodes().collect::<Vec<_>>(), from, to), Ok(cost));
            assert_eq!(distances(map, from)[to as usize], Some(cost));
        }
    }
}

/// The answers of every call.
fn calls(
    world: &World,
    queue: &mut Requests,
    budget: Budget,
    mut between: impl FnMut(&mut Requests),
) -> Vec<Vec<Answer>> {
    let mut calls = Vec::new();
    while !queue.is_empty() {
        calls.push(queue.advance(&world.snapshot(), budget).unwrap());
        between(queue);
        assert!(calls.len() < 1_000_000, "nothing comes to an end");
    }
    calls
}

#[test]
fn answers_are_exact_on_maps_of_all_kinds() {
    for seed in 0..60 {
        let world = World::new(random(7000 + seed).map).unwrap();
        let snapshot = world.snapshot();
        let mut draw = Random::new(seed);
        let mut queue = requests(1, None);
        let ends = submit(&mut queue, snapshot.map().node_count(), 40, &mut draw);
        let budget = Budget::Expansions(1 + draw.below(300));
        let answers: Vec<Answer> =
            calls(&world, &mut queue, budget, |_| {}).into_iter().flatten().collect();
        assert_eq!(answers.len(), 40);
        for answer in &answers {
            check(snapshot.map(), ends[&answer.id], answer);
        }
    }
}

/// The same calls give the same results, whatever the threads, for searches in slices and for an
/// index.
#[test]
fn a_budget_of_expansions_fixes_the_call_of_every_result() {
    for engine in [None, Some("atlas")] {
        let run = |threads: usize| {
            let world = World::new(rooms()).unwrap();
            let atlas = Recipe::named("atlas", Settings::default()).unwrap();
            world.add_with(atlas, Follow::AtOnce).unwrap();
            let mut queue = requests(threads, engine);
            let mut draw = Random::new(9);
            submit(&mut queue, (SIDE * SIDE) as usize, 120, &mut draw);
            let budget = Budget::Expansions(if engine.is_some() { 7 } else { 3000 });
            let mut left = 20;
            calls(&world, &mut queue, budget, |queue| {
                // More requests come, and the map changes, while searches are under way.
                if left > 0 {
                    left -= 1;
                    submit(queue, (SIDE * SIDE) as usize, 3, &mut draw);
                    let node = draw.below(u64::from(SIDE * SIDE)) as NodeId;
                    world.edit(|e| e.set_passable(node, left % 2 == 0)).unwrap();
                }
            })
        };
        let alone = run(1);
        assert!(alone.len() > 10 && alone.iter().any(|call| call.len() > 1), "{}", alone.len());
        assert_eq!(run(3), alone);
        assert_eq!(run(0), alone);
    }
}

/// Within a call, and with all submitted at once over all calls of a timed budget, the order is
/// that of urgency.
#[test]
fn a_budget_of_time_keeps_the_order() {
    for threads in [1, 3] {
        let world = World::new(rooms()).unwrap();
        let mut queue = requests(threads, None);
        let ends = submit(&mut queue, (SIDE * SIDE) as usize, 150, &mut Random::new(4));
        let budget = Budget::Time(Duration::from_micros(300));
        let calls = calls(&world, &mut queue, budget, |_| {});
        let order: Vec<RequestId> = calls.iter().flatten().map(|answer| answer.id).collect();
        assert!(order.iter().eq(ends.keys()), "by urgency, then as submitted");
        assert!(calls.len() > 1);
        for answer in calls.iter().flatten() {
            check(world.snapshot().map(), ends[&answer.id], answer);
        }
    }
}

#[test]
fn urgent_requests_come_first_and_cancelled_ones_never() {
    let world = World::new(rooms()).unwrap();
    let free: Vec<NodeId> =
        (0..SIDE * SIDE).filter(|&node| world.snapshot().map().contains(node)).collect();
    let (first, last) = (free[0], free[free.len() - 1]);
    let mut queue = requests(1, None);
    let slow = queue.submit(Request::new(first, last));
    let cancelled = queue.submit(Request::new(first, last));
    assert!(queue.advance(&world.snapshot(), Budget::Expansions(40)).unwrap().is_empty());
    let urgent = queue.submit(Request::new(first, free[1]).with_urgency(1));
    assert_eq!((queue.cancel(cancelled), queue.cancel(cancelled)), (Some(()), None));
    assert_eq!(queue.len(), 2);
    let answers = queue.advance(&world.snapshot(), Budget::Expansions(40)).unwrap();
    assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), [urgent]);
    let answers = queue.advance(&world.snapshot(), Budget::Expansions(u64::MAX)).unwrap();
    assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), [slow]);
    assert!(queue.is_empty() && queue.cancel(slow).is_none());
    // Nothing to do, and nothing that may be done.
    assert!(
        queue.advance(&world.snapshot(), Budget::Time(Duration::from_secs(9))).unwrap().is_empty()
    );
    queue.submit(Request::new(first, last).with_urgency(i32::MIN));
    assert!(queue.advance(&world.snapshot(), Budget::Expansions(0)).unwrap().is_empty());
    assert!(queue.advance(&world.snapshot(), Budget::Time(Duration::ZERO)).unwrap().is_empty());
}

/// The map changes under a search: its answer is that of the version it began with, and says so.
#[test]
fn a_search_ends_on_the_version_it_began_with() {
    let world = World::new(rooms()).unwrap();
    let before = world.snapshot();
    let free: Vec<NodeId> = (0..SIDE * SIDE).filter(|&node| before.map().contains(node)).collect();
    let ends = (free[0], free[free.len() - 1]);
    let expected = before.find(ends.0, ends.1).unwrap().unwrap();
    let mut queue = requests(1, None);
    queue.submit(Request::new(ends.0, ends.1));
    assert!(queue.advance(&before, Budget::Expansions(10)).unwrap().is_empty());
    let on_the_way = expected.nodes().nth(expected.step_count() / 2).unwrap();
    let edit = world.edit(|e| e.block(on_the_way)).unwrap();
    let answers = queue.advance(edit.snapshot(), Budget::Expansions(1 << 40)).unwrap();
    let path = answers[0].path.as_ref().unwrap().as_ref().unwrap();
    assert_eq!((path.version(), path.cost()), (before.version(), expected.cost()));
    assert_eq!(edit.snapshot().is_valid(path), !path.nodes().any(|node| node == on_the_way));
}

#[test]
fn an_engine_that_there_is_not_is_an_error() {
    let world = World::new(rooms()).unwrap();
    let mut queue = requests(1, Some("atlas"));
    queue.submit(Request::new(0, 1));
    let refused = queue.advance(&world.snapshot(), Budget::Expansions(1)).unwrap_err();
    assert!(matches!(refused, WorldError::NoSuchEngine { .. }), "{refused}");
    // A* answers for one that is not ready.
    let atlas = Recipe::named("atlas", Settings::default()).unwrap();
    world.add_with(atlas, Follow::Behind).unwrap();
    assert_eq!(queue.advance(&world.snapshot(), Budget::Expansions(1 << 20)).unwrap().len(), 1);
}

/// Queries of an engine are never put down, so no more of them are begun than should fit.
#[test]
fn slow_engines_keep_to_a_budget_too() {
    const BUDGET: u64 = 4000;
    let world = World::new(rooms()).unwrap();
    let recipe = Recipe::named("dijkstra", Settings::default()).unwrap();
    world.add_with(recipe, Follow::AtOnce).unwrap();
    let (snapshot, mut draw) = (world.snapshot(), Random::new(8));
    let mut queue = requests(1, Some("dijkstra"));
    submit(&mut queue, snapshot.map().node_count(), 200, &mut draw);
    let mut calls = 0;
    while !queue.is_empty() {
        let answers = queue.advance(&snapshot, Budget::Expansions(BUDGET)).unwrap();
        let used: u64 = answers.iter().map(|answer| answer.expanded).sum();
        assert!(used <= 3 * BUDGET, "{used} in one call");
        calls += 1;
    }
    assert!(calls > 10, "{calls}");
}

/// After edits `atlas` searches for detours, which counts.
#[test]
fn detours_after_edits_count() {
    let world = World::new(rooms()).unwrap();
    let recipe = Recipe::named("atlas", Settings { threads: 1, ..Settings::default() }).unwrap();
    world.add_with(recipe, Follow::AtOnce).unwrap();
    let mut draw = Random::new(8);
    let nodes = world.snapshot().map().node_count();
    for _ in 0..20 {
        world.edit(|e| e.block(draw.below(nodes as u64) as NodeId)).unwrap();
    }
    let snapshot = world.snapshot();
    let mut queue = requests(1, Some("atlas"));
    submit(&mut queue, nodes, 200, &mut draw);
    let (mut calls, mut dear) = (0, 0);
    while !queue.is_empty() {
        let answers = queue.advance(&snapshot, Budget::Expansions(100)).unwrap();
        dear += answers.iter().filter(|answer| answer.expanded > 1).count();
        calls += 1;
    }
    assert!(dear > 10 && calls > 3, "{dear} of 200 in {calls} calls");
}

/// What A* has not begun with is left to the engine once it is ready.
#[test]
fn an_engine_that_becomes_ready_takes_over() {
    let world = World::new(rooms()).unwrap();
    let recipe = Recipe::named("atlas", Settings { threads: 1, ..Settings::default() }).unwrap();
    world.add_with(recipe, Follow::Behind).unwrap();
    let mut queue = requests(1, Some("atlas"));
    let edit = world.edit(|e| e.block(SIDE * 30 + 30)).unwrap();
    assert!(edit.snapshot().engine("atlas").is_none());
    let mut draw = Random::new(9);
    submit(&mut queue, edit.snapshot().map().node_count(), 300, &mut draw);
    queue.advance(edit.snapshot(), Budget::Expansions(500)).unwrap();
    let ready = world.settle().snapshot;
    assert!(ready.engine("atlas").is_some());
    let mut searched = 0;
    while !queue.is_empty() {
        let answers = queue.advance(&ready, Budget::Expansions(50_000)).unwrap();
        searched += answers.iter().filter(|answer| answer.expanded > 20).count();
    }
    assert!(searched <= 16, "{searched} were searched for");
}

/// What the clock says is looked at before every query of an engine, and not only after a round of
/// them.
#[test]
fn a_call_begins_no_query_after_its_time_is_up() {
    let world = World::new(rooms()).unwrap();
    let recipe = Recipe::of::<Altered>("slow", Alteration::Slow);
    world.add_with(recipe, Follow::AtOnce).unwrap();
    let mut queue = requests(1, Some("slow"));
    (0..12).for_each(|_| _ = queue.submit(Request::new(SIDE + 1, SIDE + 2)));
    let mut answered = 0;
    while !queue.is_empty() {
        let budget = Budget::Time(Duration::from_millis(1));
        let answers = queue.advance(&world.snapshot(), budget).unwrap();
        assert!(answers.len() <= 1, "{} queries of 3 ms in 1 ms", answers.len());
        answered += answers.len();
    }
    assert_eq!(answered, 12);
}

/// It used to be reported as a cost that does not fit.
#[test]
fn a_path_that_an_engine_got_wrong_is_an_internal_error() {
    let world = World::new(rooms()).unwrap();
    let snapshot = world.snapshot();
    let free: Vec<NodeId> =
        (0..SIDE * SIDE).filter(|&node| snapshot.map().contains(node)).collect();
    let ends = (free[0], free[free.len() - 1]);
    for (alteration, name) in [(Alteration::Backward, "backward"), (Alteration::NoWalls, "walls")] {
        world.add_with(Recipe::of::<Altered>(name, alteration), Follow::AtOnce).unwrap();
        let snapshot = world.snapshot();
        let mut queue = requests(1, Some(name));
        queue.submit(Request::new(ends.0, ends.1));
        let answer = queue.advance(&snapshot, Budget::Expansions(1 << 30)).unwrap().remove(0);
        let found = snapshot.find_by(name, ends.0, ends.1);
        assert_eq!(answer.path, found);
        match (alteration, found) {
            (Alteration::NoWalls, Ok(Some(path))) if !cfg!(debug_assertions) => {
                assert!(!snapshot.is_valid(&path), "not walked before somebody asks");
            }
            (_, Err(WorldError::Endpoint(EndpointError::InvalidPath { from, to, .. }))) => {
                let location = |node| snapshot.map().location(node);
                assert_eq!((from, to), (location(ends.0), location(ends.1)));
            }
            (_, other) => panic!("{other:?}"),
        }
    }
}

/// The first query of a frame must not be the one that finds out which cells hang together.
#[test]
fn components_are_known_before_the_first_query() {
    let world = World::new(rooms()).unwrap();
    let mut draw = Random::new(2);
    for _ in 0..200 {
        let snapshot = world.snapshot();
        let grid = snapshot.map().as_grid().unwrap();
        let free = (0..SIDE * SIDE).find(|&node| snapshot.map().contains(node)).unwrap();
        let before = grid.memory_bytes();
        assert!(snapshot.map().may_reach(free, free));
        assert_eq!(grid.memory_bytes(), before, "version {}", snapshot.version());
        let passable = draw.chance(0.4);
        world
            .edit(|e| {
                (0..20).for_each(|_| e.set_passable(draw.below(3600) as NodeId, passable));
            })
            .unwrap();
    }
}

/// A* that does something wrong.
#[derive(Debug)]
struct Altered {
    astar: Arc<SearchEngine>,
    map: Map,
    alteration: Alteration,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Alteration {
    Slow,
    Backward,
    NoWalls,
}

impl Engine for Altered {
    fn name(&self) -> &'static str {
        "altered"
    }

    fn exact(&self) -> bool {
        false
    }

    fn map(&self) -> &Map {
        &self.map
    }

    fn query(&self) -> Box<dyn Query + Send + Sync + '_> {
        Box::new(AlteredQuery { engine: self, astar: self.astar.query() })
    }

    fn owned_query(self: Arc<Self>) -> Box<dyn Query + Send + Sync> {
        let astar = Arc::clone(&self.astar).owned_query();
        Box::new(AlteredQuery { engine: self, astar })
    }

    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Box<dyn Engine>, BuildError> {
        Ok(Box::new(self.refreshed(map, changes)?))
    }

    fn memory_bytes(&self) -> usize {
        0
    }
}

impl Build for Altered {
    type Config = Alteration;

    fn supports(_: &Map, _: &Alteration) -> Result<(), Unsupported> {
        Ok(())
    }

    fn build_watched(
        map: &Map,
        &alteration: &Alteration,
        _: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let own = match alteration {
            Alteration::NoWalls => Grid::new(SIDE, SIDE).unwrap().into(),
            _ => map.clone(),
        };
        let astar = SearchEngine::build(&own, &SearchConfig::default())?.into();
        Ok(Self { astar, map: map.clone(), alteration })
    }

    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::build(map, &self.alteration)
    }
}

/// A query of one's own: what is not written here has a default.
struct AlteredQuery<'a, E> {
    engine: E,
    astar: Box<dyn Query + Send + Sync + 'a>,
}

impl<E: Deref<Target = Altered>> Query for AlteredQuery<'_, E> {
    fn map(&self) -> &Map {
        &self.engine.map
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer {
        self.astar.distance(from, to)
    }

    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> PathAnswer<'_> {
        let (from, to) = match self.engine.alteration {
            Alteration::Backward => (to, from),
            _ => (from, to),
        };
        if self.engine.alteration == Alteration::Slow {
            std::thread::sleep(Duration::from_millis(3));
        }
        self.astar.find_observed(from, to, observer)
    }
}
