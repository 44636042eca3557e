//! Every engine against every world.

use portolan::engine::{Engine, Query};
use portolan::generate::Random;
use portolan::registry::{METHODS, Method};
use portolan::search::Counter;
use portolan::{
    Cell, Connectivity, EndpointError, Grid, Map, NodeId, Route, RouteStatus, Settings, UNREACHABLE,
};

use crate::edits::random_changes;
use crate::reference::{Reference, distances};
use crate::worlds::World;

/// Checks every registered engine on a world, with every pair of nodes up to a number and a sample
/// of pairs beyond it.
///
/// # Panics
/// If an engine is wrong, with the world's drawing.
pub fn check_world(world: &World) {
    let truth = Truth::of(world);
    for method in METHODS {
        truth.check_method(*method, &Settings::default());
    }
}

/// Checks one engine on a world; returns false if the engine does not support it.
///
/// # Panics
/// If the engine is wrong, or refuses without a reason.
pub fn check_method(method: &dyn Method, world: &World, settings: &Settings) -> bool {
    let Some(engine) = build(method, world, settings) else { return false };
    check_engine(engine.as_ref(), world);
    true
}

/// Edits the world again and again and refreshes every engine after each step; every answer must be
/// that of the edited world.
///
/// # Panics
/// If an engine is wrong, with the seed and the drawing of the edited world.
pub fn check_edits(world: &World, steps: usize, seed: u64) {
    let built = METHODS.iter().filter_map(|method| build(*method, world, &Settings::default()));
    check_edits_of(built.collect(), world, steps, seed);
}

/// [`check_edits`] of engines that are already built.
///
/// # Panics
/// If an engine is wrong, with the seed and the drawing of the edited world.
pub fn check_edits_of(mut engines: Vec<Box<dyn Engine>>, world: &World, steps: usize, seed: u64) {
    let mut random = Random::new(seed);
    let mut map = world.map.clone();
    for step in 0..steps {
        let changes = random_changes(&map, &mut random);
        map.apply(&changes).unwrap_or_else(|error| panic!("{world}\n{changes:?}\n{error}"));
        let name = format!("{} after edit {step} of seed {seed}: {changes:?}", world.name);
        let edited = World { name, map: map.clone() };
        let truth = Truth::of(&edited);
        for engine in &mut engines {
            *engine = engine.refresh(&map, &changes).unwrap_or_else(|error| {
                panic!("{} refused to refresh: {error}\n{edited}", engine.name())
            });
            truth.check(engine.as_ref());
        }
    }
}

fn build(method: &dyn Method, world: &World, settings: &Settings) -> Option<Box<dyn Engine>> {
    if let Err(unsupported) = method.supports(&world.map, settings) {
        assert!(!unsupported.reason.is_empty(), "{} gives no reason\n{world}", method.name());
        let built = method.build(&world.map, settings);
        assert!(built.is_err(), "{} builds on what it does not support\n{world}", method.name());
        return None;
    }
    let engine = method
        .build(&world.map, settings)
        .unwrap_or_else(|error| panic!("{} does not build: {error}\n{world}", method.name()));
    assert_eq!((engine.name(), engine.exact()), (method.name(), method.exact()));
    Some(engine)
}

/// Checks that two queries find the same paths, node by node, between nodes drawn at random.
/// Returns how many paths were found.
///
/// # Panics
/// If they differ.
pub fn check_same_answers(a: &mut dyn Query, b: &mut dyn Query, pairs: usize) -> usize {
    let mut draw = Random::new(5);
    let nodes = a.map().node_count().max(1) as u64;
    let mut paths = 0;
    for _ in 0..pairs {
        let (from, to) = (draw.below(nodes) as NodeId, draw.below(nodes) as NodeId);
        let path = |query: &mut dyn Query| {
            let route = query.find(from, to)?;
            let found = route.map(|route| (route.cost(), route.nodes().collect::<Vec<_>>()));
            Ok::<_, EndpointError>(found)
        };
        let found = path(a);
        assert_eq!(found, path(b), "{from} to {to}");
        paths += usize::from(matches!(found, Ok(Some(_))));
    }
    paths
}

/// Sources beyond this many are sampled.
const SOURCES: usize = 24;

/// Checks an engine that is already built. For several engines on one world, use [`Truth`].
///
/// # Panics
/// If the engine is wrong.
pub fn check_engine(engine: &dyn Engine, world: &World) {
    Truth::of(world).check(engine);
}

/// The reference answers on a world, found once for all engines that are checked on it.
#[derive(Debug)]
pub struct Truth<'w> {
    world: &'w World,
    reference: Reference,
    /// The nodes that queries start from; all, or a sample.
    sources: Vec<Source>,
}

/// A start, usable or blocked, and what a query from it must find.
#[derive(Debug)]
struct Source {
    node: NodeId,
    /// The least costs to all nodes; `None` if the start is blocked.
    costs: Option<Vec<Option<u64>>>,
    /// A goal that is out of reach, and where a route toward it ends.
    toward: Option<(NodeId, NodeId)>,
}

impl<'w> Truth<'w> {
    /// Finds the answers.
    pub fn of(world: &'w World) -> Self {
        let reference = Reference::new(&world.map);
        let nodes = reference.node_count();
        let stride = nodes.div_ceil(SOURCES).max(1);
        let sources = (0..nodes as NodeId).step_by(stride).map(|node| {
            let costs = reference.is_usable(node).then(|| reference.distances(node));
            let toward = costs.as_ref().and_then(|costs| toward(&world.map, costs));
            Source { node, costs, toward }
        });
        let sources = sources.collect();
        Self { world, reference, sources }
    }

    /// Builds an engine and checks it; returns false if it does not support the world.
    ///
    /// # Panics
    /// If the engine is wrong, or refuses without a reason.
    pub fn check_method(&self, method: &dyn Method, settings: &Settings) -> bool {
        let engine = build(method, self.world, settings);
        engine.iter().for_each(|engine| self.check(engine.as_ref()));
        engine.is_some()
    }

    /// Checks an engine against them.
    ///
    /// # Panics
    /// If the engine is wrong.
    pub fn check(&self, engine: &dyn Engine) {
        let nodes = self.reference.node_count() as NodeId;
        let mut query = engine.query();
        let mut path = Vec::new();
        for Source { node, costs, toward } in &self.sources {
            let Some(costs) = costs else {
                self.check_refused(query.as_mut(), engine, *node);
                continue;
            };
            for to in (0..nodes).filter(|&to| self.reference.is_usable(to)) {
                self.check_pair(query.as_mut(), engine, (*node, to), costs[to as usize], &mut path);
            }
            if let Some((goal, end)) = *toward {
                self.check_toward(query.as_mut(), engine, (*node, goal), end);
            }
        }
        self.check_refused(query.as_mut(), engine, nodes);
        self.check_refused(query.as_mut(), engine, NodeId::MAX);
    }

    fn check_pair(
        &self,
        query: &mut dyn Query,
        engine: &dyn Engine,
        (from, to): (NodeId, NodeId),
        truth: Option<u64>,
        path: &mut Vec<NodeId>,
    ) {
        let map = &self.world.map;
        let context = || format!("{}: {from} -> {to}\n{}", engine.name(), self.world);
        if truth.is_some_and(|cost| cost >= u64::from(UNREACHABLE)) {
            let overflow =
                EndpointError::CostOverflow { from: map.location(from), to: map.location(to) };
            assert_eq!(query.distance(from, to), Err(overflow.clone()), "{}", context());
            assert_eq!(query.find(from, to).err(), Some(overflow), "{}", context());
            return;
        }
        let distance = query.distance(from, to).unwrap_or_else(|e| panic!("{e} in {}", context()));
        let mut counter = Counter::default();
        path.clear();
        let observed = query
            .find_observed(from, to, &mut counter)
            .unwrap_or_else(|e| panic!("{e} in {}", context()))
            .map(|route| {
                route.nodes_into(path);
                route.cost()
            });
        let route = query.find(from, to).unwrap_or_else(|e| panic!("{e} in {}", context()));
        let Some(route) = route else {
            assert!(truth.is_none(), "no path found, but one costs {truth:?}: {}", context());
            assert_eq!((distance, observed), (None, None), "{}", context());
            return;
        };
        assert_eq!(route.status(), RouteStatus::Complete, "{}", context());
        let is_same = observed == Some(route.cost()) && route.nodes().eq(path.iter().copied());
        assert!(is_same, "another path than the observed {observed:?} {path:?}: {}", context());
        let cost = u64::from(route.cost());
        let walked = self.reference.walk(path, from, to);
        assert_eq!(walked, Ok(cost), "the steps do not sum to the cost: {path:?} {}", context());
        check_views(&route, map, path, &context);
        let truth =
            truth.unwrap_or_else(|| panic!("a path where there is none: {path:?} {}", context()));
        assert!(cost >= truth, "shorter than possible: {}", context());
        if engine.exact() {
            assert_eq!(cost, truth, "not optimal: {path:?} {}", context());
            assert_eq!(distance, Some(route.cost()), "{}", context());
        }
        if from == to {
            assert_eq!((cost, path.as_slice()), (0, &[from][..]), "{}", context());
        }
    }

    /// The goal is out of reach: the route must end at the nearest node that is in reach.
    fn check_toward(
        &self,
        query: &mut dyn Query,
        engine: &dyn Engine,
        (from, to): (NodeId, NodeId),
        nearest: NodeId,
    ) {
        let context = || format!("{}: {from} toward {to}\n{}", engine.name(), self.world);
        let route = query.find_toward(from, to).unwrap_or_else(|e| panic!("{e} in {}", context()));
        assert_eq!(route.status(), RouteStatus::Partial, "{}", context());
        let path: Vec<NodeId> = route.nodes().collect();
        let Some(&end) = path.last() else { panic!("an empty route: {}", context()) };
        let walked = self.reference.walk(&path, from, end);
        assert_eq!(walked, Ok(u64::from(route.cost())), "{}", context());
        assert_eq!(end, nearest, "not the nearest: {}", context());
    }

    /// A node that is blocked or outside is an error, at either end.
    fn check_refused(&self, query: &mut dyn Query, engine: &dyn Engine, node: NodeId) {
        let (map, nodes) = (&self.world.map, self.reference.node_count());
        let expected = match (node as usize) < nodes {
            true => EndpointError::Blocked { at: map.location(node) },
            false => EndpointError::Outside { at: node.into(), extent: map.extent() },
        };
        let usable = (0..nodes as NodeId).find(|&other| self.reference.is_usable(other));
        let Some(other) = usable else { return };
        for (from, to) in [(node, other), (other, node), (node, node)] {
            let context = || format!("{}: {from} -> {to}\n{}", engine.name(), self.world);
            assert_eq!(query.distance(from, to), Err(expected.clone()), "{}", context());
            assert_eq!(query.find(from, to).err(), Some(expected.clone()), "{}", context());
        }
    }
}

/// The first node that is out of reach, and the nearest to it that is in reach. `None` if all are
/// in reach, or if a cost overflows.
fn toward(map: &Map, costs: &[Option<u64>]) -> Option<(NodeId, NodeId)> {
    if costs.iter().flatten().any(|&cost| cost >= u64::from(UNREACHABLE)) {
        return None;
    }
    let goal = costs.iter().position(Option::is_none)? as NodeId;
    let nearness = nearness(map, goal);
    let reached = (0..).zip(costs).filter_map(|(node, cost): (NodeId, _)| Some((node, (*cost)?)));
    let nearest = reached.min_by_key(|&(node, cost)| match map {
        Map::Grid(_) => (nearness(node), 0, node),
        Map::Graph(_) => (nearness(node), cost, node),
    });
    nearest.map(|(node, _)| (goal, node))
}

/// The other ways to have a path, against its list of nodes.
fn check_views(route: &Route<'_>, map: &Map, path: &[NodeId], context: &dyn Fn() -> String) {
    let back = path.iter().rev().copied();
    assert!(route.nodes().rev().eq(back), "another way back than {path:?}: {}", context());
    assert!(route.into_iter().eq(path.iter().copied()), "iterated: {}", context());
    let mut buffer = vec![Cell::default(); 3];
    route.cells_into(&mut buffer);
    assert!(route.cells().eq(buffer.iter().copied()), "two kinds of cells: {}", context());
    let Map::Grid(grid) = map else {
        assert!(buffer.is_empty() && route.turns().next().is_none(), "cells: {}", context());
        return;
    };
    let cell = |node: NodeId| Cell::new(node % grid.width(), node / grid.width());
    let cells: Vec<Cell> = path.iter().map(|&node| cell(node)).collect();
    assert_eq!(buffer, cells, "other cells than those of {path:?}: {}", context());
    assert!(route.cells().rev().eq(cells.iter().rev().copied()), "back: {}", context());
    let turns: Vec<Cell> = route.turns().collect();
    route.turns_into(&mut buffer);
    assert_eq!(buffer, turns, "two kinds of turns: {}", context());
    let places = (0..path.len()).filter(|&at| turns_at(grid, path, at));
    let expected: Vec<Cell> = places.map(|at| cells[at]).collect();
    assert_eq!(turns, expected, "other turns than those of {path:?}: {}", context());
}

/// Whether a path ends here or goes on in another direction than it came.
fn turns_at(grid: &Grid, path: &[NodeId], at: usize) -> bool {
    if at == 0 || at + 1 == path.len() {
        return true;
    }
    let place = |node: NodeId| {
        let (x, y) = (i64::from(node % grid.width()), i64::from(node / grid.width()));
        let lean = if grid.connectivity() == Connectivity::Hex { y % 2 } else { 0 };
        (2 * x + lean, y)
    };
    let [before, here, after] = [path[at - 1], path[at], path[at + 1]].map(place);
    (here.0 - before.0, here.1 - before.1) != (after.0 - here.0, after.1 - here.1)
}

/// How far nodes lie from a goal: on grids by steps on open ground, on graphs by the squared
/// straight line.
fn nearness(map: &Map, to: NodeId) -> impl Fn(NodeId) -> u64 {
    let table: Vec<u64> = match map {
        Map::Grid(grid) => {
            let open = Grid::new(grid.width(), grid.height()).expect("the size of a grid");
            let open = Map::from(open.with_connectivity(grid.connectivity()));
            distances(&open, to).into_iter().map(|cost| cost.unwrap_or(u64::MAX)).collect()
        }
        Map::Graph(graph) => {
            let points = graph.coordinates();
            let squared = |node: usize| {
                let (a, b) = (points?[node], points?[to as usize]);
                let (dx, dy) = (i64::from(a.x - b.x), i64::from(a.y - b.y));
                Some((dx * dx + dy * dy) as u64)
            };
            // Without places nothing is near, and the start is nearest by cost.
            (0..map.node_count()).map(|node| squared(node).unwrap_or(0)).collect()
        }
    };
    move |node| table[node as usize]
}
