//! Every engine on real maps and roads, against the answers that come with them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use portolan::formats::{dimacs, movingai, queries};
use portolan::partition::Partitioner;
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::registry::{METHODS, Method};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::{Build, BuildError, Cost, Engine, Grid, Map, NodeId, Query, Settings};
use portolan_testkit::methods::RegionTables;
use portolan_testkit::real;
use portolan_testkit::reference::Reference;

/// On maps of up to this many nodes every engine is built. On larger ones, where a build takes
/// seconds, searches answer a few queries, and each map has one form of the index, in turn.
const SMALL: usize = 50_000;

/// Larger maps are indexed by hand, with `portolan verify`: it takes a while.
const LARGEST_INDEX: usize = 210_000;

/// Queries per map and engine; `portolan verify` does them all.
const SAMPLE: usize = 25;
const SAMPLE_OF_LARGE: usize = 5;

#[test]
fn every_scenario_of_every_small_grid() {
    let built = check_grids(|nodes| nodes <= SMALL);
    if real::folder().is_none() {
        return;
    }
    assert!(built["ppa by form"] >= 12, "{built:?}");
    let grid = Map::from(Grid::new(2, 2).unwrap());
    for method in METHODS {
        if method.supports(&grid, &Settings::default()).is_ok() {
            let maps = built.get(method.name()).copied().unwrap_or(0);
            let least = if RegionTables::of(*method).cut_portals { 2 } else { 5 };
            assert!(maps >= least, "{} was checked on {maps} maps only", method.name());
        }
    }
}

#[test]
fn every_scenario_of_every_large_grid() {
    let built = check_grids(|nodes| nodes > SMALL);
    assert!(real::folder().is_none() || built["ppa by form"] >= 12, "{built:?}");
}

#[test]
fn both_metrics_of_luxembourg() {
    let mut metrics = 0;
    for file in found(".queries") {
        let coordinates = file.with_file_name("luxembourg.co");
        let graph = dimacs::read_gr(&fs::read(file.with_extension("gr")).unwrap()).unwrap();
        let points = dimacs::read_co(&fs::read(coordinates).unwrap()).unwrap();
        let map = Map::from(graph.with_coordinates(points).unwrap());
        let lines = queries::read(&fs::read(&file).unwrap()).unwrap();
        let sample: Vec<_> = lines.iter().step_by(lines.len().div_ceil(SAMPLE).max(1)).collect();
        let ends = sample.iter().map(|line| (line.from, line.to));
        let is_right = |index: usize, cost: Option<Cost>| cost == sample[index].cost;
        let trial = Trial::new(file.display().to_string(), &map, ends, is_right);
        trial.check_methods(metrics);
        // Tables take most of the time and do not depend on the direction of the search: each kind
        // is built once per metric, each engine searches both metrics and both kinds.
        let is_odd = metrics % 2 == 1;
        forms()
            .filter(|form| (form.tables == Tables::Steps) == (form.bidirectional == is_odd))
            .for_each(|config| trial.check_form(&config));
        metrics += 1;
    }
    assert!(metrics >= 2 || real::folder().is_none(), "{metrics} metrics");
}

/// Checks the grids of some sizes. Returns on how many maps each engine was checked.
fn check_grids(is_wanted: impl Fn(usize) -> bool) -> BTreeMap<&'static str, usize> {
    let (mut built, mut number) = (BTreeMap::new(), 0);
    for file in found(".map.scen") {
        let grid = movingai::read_map(&fs::read(file.with_extension("")).unwrap()).unwrap();
        let map = Map::from(&grid);
        let nodes = map.usable_count();
        if !is_wanted(nodes) {
            continue;
        }
        let lines = movingai::read_scen(&fs::read(&file).unwrap()).unwrap();
        let sample: Vec<_> = lines.iter().step_by(lines.len().div_ceil(SAMPLE).max(1)).collect();
        let ends = sample.iter().map(|line| {
            let (start, goal) = (line.start, line.goal);
            (grid.node(start.0, start.1).unwrap(), grid.node(goal.0, goal.1).unwrap())
        });
        let is_right = |index: usize, cost: Option<Cost>| {
            cost.is_some_and(|cost| sample[index].agrees(map.length(cost)))
        };
        let trial = Trial::new(file.display().to_string(), &map, ends, is_right);
        for name in trial.check_methods(number) {
            *built.entry(name).or_default() += 1;
        }
        if nodes <= LARGEST_INDEX {
            let turn = built.entry("ppa by form").or_default();
            trial.check_form(&forms().nth(*turn % 4).unwrap());
            *turn += 1;
        }
        number += 1;
    }
    built
}

/// Both engines of Partially Precomputed A* with both forms of complete tables.
fn forms() -> impl Iterator<Item = PpaConfig> {
    let forms = [Tables::Steps, Tables::Distances].into_iter();
    forms.flat_map(|tables| [(tables, false), (tables, true)]).map(|(tables, bidirectional)| {
        // The cuts of the paper, but with one try per cut, which is twice as fast.
        let partitioner = Partitioner { tries: 1, ..Partitioner::default() };
        let (splits, memory_limit) = (Some(5), u64::MAX);
        let default = PpaConfig::default();
        PpaConfig { tables, bidirectional, partitioner, splits, memory_limit, ..default }
    })
}

/// Real files; some, if there are maps at all.
fn found(ending: &str) -> Vec<PathBuf> {
    let files = real::files(ending);
    assert!(!files.is_empty() || real::folder().is_none(), "no file ends with {ending}");
    files
}

/// Queries on a map with their right answers.
struct Trial<'a> {
    name: String,
    map: &'a Map,
    reference: Reference,
    /// Start, goal and the least cost.
    queries: Vec<(NodeId, NodeId, Option<Cost>)>,
}

impl<'a> Trial<'a> {
    /// Takes the costs from A* and checks them against the file.
    fn new(
        name: String,
        map: &'a Map,
        ends: impl Iterator<Item = (NodeId, NodeId)>,
        is_right: impl Fn(usize, Option<Cost>) -> bool,
    ) -> Self {
        let astar = SearchEngine::build(map, &SearchConfig::default()).unwrap();
        let mut query = astar.query();
        let answers = ends.enumerate().map(|(index, (from, to))| {
            let cost = query.distance(from, to).unwrap();
            assert!(is_right(index, cost), "{cost:?} for {from} -> {to} on {name}");
            (from, to, cost)
        });
        let queries: Vec<_> = answers.collect();
        assert!(queries.len() >= 10, "{} queries on {name}", queries.len());
        Self { name, map, reference: Reference::new(map), queries }
    }

    /// Checks every method that supports the map; on large maps those that precompute nothing, with
    /// fewer queries. Returns their names. Of every three methods that cut the map along portals, in
    /// the same way and for most of the time, one is checked, in turn.
    fn check_methods(&self, number: usize) -> Vec<&'static str> {
        let settings = Settings::default();
        // With more, engines that fill their limit would be built for minutes.
        let memory_limit = (64 * self.map.usable_count() as u64).max(1 << 20).into();
        let little = Settings { memory_limit, ..settings.clone() };
        let is_small = self.map.usable_count() <= SMALL;
        let (mut checked, mut with_portals) = (Vec::new(), 0);
        for method in METHODS {
            let RegionTables { fill_the_limit, cut_portals } = RegionTables::of(*method);
            let settings = if fill_the_limit { &little } else { &settings };
            let is_in_turn = !cut_portals || with_portals % 3 == number % 3;
            with_portals += usize::from(cut_portals);
            let is_skipped = !is_in_turn || !is_small && method.storable(settings).is_ok();
            if is_skipped || method.supports(self.map, settings).is_err() {
                continue;
            }
            if let Some(engine) = self.build(*method, settings) {
                self.check(engine.as_ref(), if is_small { SAMPLE } else { SAMPLE_OF_LARGE });
                checked.push(method.name());
            }
        }
        checked
    }

    /// Builds an engine, if need be with the limit that a refusal names. `None` if that is above
    /// the default limit.
    fn build(&self, method: &dyn Method, settings: &Settings) -> Option<Box<dyn Engine>> {
        let refused = match method.build(self.map, settings) {
            Ok(engine) => return Some(engine),
            Err(error) => error,
        };
        let BuildError::MemoryLimit { needed, .. } = refused else {
            panic!("{} on {}: {refused}", method.name(), self.name)
        };
        let enough = Settings { memory_limit: needed.into(), ..settings.clone() };
        let is_allowed = needed <= Settings::default().memory_limit.bytes(self.map);
        is_allowed.then(|| method.build(self.map, &enough).unwrap())
    }

    fn check_form(&self, config: &PpaConfig) {
        self.check(&Ppa::build(self.map, config).unwrap(), SAMPLE);
    }

    /// Every path is legal and costs what its steps do; exact engines find the least cost, others a
    /// path that is not shorter.
    fn check(&self, engine: &dyn Engine, count: usize) {
        let mut query = engine.query();
        let mut path = Vec::new();
        for &(from, to, least) in self.queries.iter().step_by(self.queries.len().div_ceil(count)) {
            let context = || format!("{}: {from} -> {to} on {}", engine.name(), self.name);
            let cost = query.find(from, to).unwrap().map(|route| {
                route.nodes_into(&mut path);
                route.cost()
            });
            assert_eq!(cost.is_some(), least.is_some(), "{cost:?}, {least:?} in {}", context());
            if let Some(cost) = cost {
                let walked = self.reference.walk(&path, from, to);
                assert_eq!(walked, Ok(u64::from(cost)), "{}", context());
            }
            assert!(cost >= least, "{cost:?} is shorter than {least:?} in {}", context());
            assert!(!engine.exact() || cost == least, "{cost:?}, {least:?} in {}", context());
        }
    }
}
