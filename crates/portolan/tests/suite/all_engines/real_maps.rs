//! Every engine on real maps and roads, against the answers that come with them.

use std::fs;
use std::path::PathBuf;

use portolan::formats::{dimacs, movingai, queries};
use portolan::partition::Partitioner;
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::registry::METHODS;
use portolan::{Build, BuildError, Cost, Engine, Map, NodeId, Query, Settings};
use portolan_testkit::{real, walker};

/// On maps of up to so many nodes every engine is built. On larger ones, where that takes seconds,
/// searches answer a few queries, and each map has one form of the index, the forms by turns.
const SMALL: usize = 50_000;

/// Larger maps are indexed by hand, with `portolan verify`: it takes a while.
const LARGEST_INDEX: usize = 210_000;

/// Engines of regions and the like, which fill whatever memory they get.
const WITH_REGIONS: [&str; 6] =
    ["canonical", "border", "gateway", "portal", "portal-search", "perfect-portal"];

/// Queries per map and engine; `portolan verify` does them all.
const SAMPLE: usize = 25;
const SAMPLE_OF_LARGE: usize = 5;

#[test]
fn every_scenario_of_every_small_grid() {
    let indexed = check_grids(|nodes| nodes <= SMALL);
    assert!(indexed >= 12 || real::folder().is_none(), "{indexed} maps");
}

#[test]
fn every_scenario_of_every_large_grid() {
    let indexed = check_grids(|nodes| nodes > SMALL);
    assert!(indexed >= 12 || real::folder().is_none(), "{indexed} maps");
}

#[test]
fn both_metrics_of_luxembourg() {
    let mut indexed = 0;
    for file in found(".queries") {
        let coordinates = file.with_file_name("luxembourg.co");
        let graph = dimacs::read_gr(&fs::read(file.with_extension("gr")).unwrap()).unwrap();
        let points = dimacs::read_co(&fs::read(coordinates).unwrap()).unwrap();
        let map = Map::from(graph.with_coordinates(points).unwrap());
        let lines = queries::read(&fs::read(&file).unwrap()).unwrap();
        let sample: Vec<_> = lines.iter().step_by(lines.len().div_ceil(SAMPLE).max(1)).collect();
        let ends = sample.iter().map(|line| (line.from, line.to)).collect();
        let is_right = |index: usize, cost: Option<Cost>| cost == sample[index].cost;
        let trial = Trial { name: file.display().to_string(), map: &map, ends, is_right };
        trial.check_methods();
        forms().for_each(|config| trial.check_form(&config));
        indexed += 1;
    }
    assert!(indexed >= 2 || real::folder().is_none(), "{indexed} metrics");
}

/// Checks the grids of the sizes that are asked for, and says how many were indexed.
fn check_grids(is_asked_for: impl Fn(usize) -> bool) -> usize {
    let mut indexed = 0;
    for file in found(".map.scen") {
        let grid = movingai::read_map(&fs::read(file.with_extension("")).unwrap()).unwrap();
        let map = Map::from(&grid);
        let nodes = map.usable_count();
        if !is_asked_for(nodes) {
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
        let ends = ends.collect();
        let trial = Trial { name: file.display().to_string(), map: &map, ends, is_right };
        trial.check_methods();
        let turn = forms().nth(indexed % 4).into_iter();
        turn.filter(|_| nodes <= LARGEST_INDEX).for_each(|config| {
            trial.check_form(&config);
            indexed += 1;
        });
    }
    indexed
}

/// Both engines of Partially Precomputed A* with both forms of complete tables.
fn forms() -> impl Iterator<Item = PpaConfig> {
    let forms = [Tables::Steps, Tables::Distances].into_iter();
    forms.flat_map(|tables| [(tables, false), (tables, true)]).map(|(tables, bidirectional)| {
        // As the paper cuts, but with one try per cut, which is twice as fast; any cut serves here.
        let partitioner = Partitioner { tries: 1, ..Partitioner::default() };
        let (splits, memory_limit) = (Some(5), u64::MAX);
        let default = PpaConfig::default();
        PpaConfig { tables, bidirectional, partitioner, splits, memory_limit, ..default }
    })
}

/// Real files; some, where there are maps at all.
fn found(ending: &str) -> Vec<PathBuf> {
    let files = real::files(ending);
    assert!(!files.is_empty() || real::folder().is_none(), "no file ends with {ending}");
    files
}

/// Queries on a map, and what tells right answers.
struct Trial<'a, R> {
    name: String,
    map: &'a Map,
    ends: Vec<(NodeId, NodeId)>,
    is_right: R,
}

impl<R: Fn(usize, Option<Cost>) -> bool> Trial<'_, R> {
    /// Every method that serves the map; on large maps those that precompute nothing, with fewer
    /// queries.
    fn check_methods(&self) {
        let settings = Settings::default();
        // With more they would be built for minutes.
        let memory_limit = (64 * self.map.usable_count() as u64).max(1 << 20);
        let little = Settings { memory_limit, ..settings.clone() };
        let is_small = self.map.usable_count() <= SMALL;
        let served = METHODS.iter().filter(|method| method.supports(self.map, &settings).is_ok());
        for method in served {
            let settings = if WITH_REGIONS.contains(&method.name()) { &little } else { &settings };
            if is_small || method.storable(settings).is_err() {
                let most = Settings::default().memory_limit;
                let engine = match method.build(self.map, settings) {
                    // What it says that it needs has to do.
                    Err(BuildError::MemoryLimit { needed, .. }) if needed <= most => {
                        let settings = Settings { memory_limit: needed, ..settings.clone() };
                        method.build(self.map, &settings).unwrap()
                    }
                    // How much gates take is the map's choice.
                    Err(BuildError::MemoryLimit { .. }) if method.name() == "gateway" => continue,
                    engine => engine.unwrap(),
                };
                self.check(engine.as_ref(), if is_small { SAMPLE } else { SAMPLE_OF_LARGE });
            }
        }
    }

    fn check_form(&self, config: &PpaConfig) {
        self.check(&Ppa::build(self.map, config).unwrap(), SAMPLE);
    }

    fn check(&self, engine: &dyn Engine, count: usize) {
        let mut query: Box<dyn Query> = engine.query();
        let mut path = Vec::new();
        let step = self.ends.len().div_ceil(count).max(1);
        for (index, &(from, to)) in self.ends.iter().enumerate().step_by(step) {
            let context = || format!("{}: {from} -> {to} on {}", engine.name(), self.name);
            let cost = query.find(from, to).unwrap().map(|route| {
                route.nodes_into(&mut path);
                route.cost()
            });
            if let Some(cost) = cost {
                let walked = walker::walk(self.map, &path, from, to);
                assert_eq!(walked, Ok(u64::from(cost)), "{}", context());
            }
            assert!(!engine.exact() || (self.is_right)(index, cost), "{cost:?} in {}", context());
        }
    }
}
