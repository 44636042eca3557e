//! Every engine on real maps and roads, against the answers that come with them.

use std::fs;
use std::path::{Path, PathBuf};

use portolan::engine::{METHODS, Query};
use portolan::formats::{dimacs, movingai, queries};
use portolan::{BuildError, Cost, Map, NodeId, Settings};
use portolan_testkit::{real, walker};

/// Larger maps are indexed by hand, with `portolan verify`: it takes a while.
const LARGEST_INDEX: usize = 100_000;

/// Queries per map and engine; `portolan verify` does them all.
const SAMPLE: usize = 25;

#[test]
fn every_scenario_of_every_grid() {
    for file in found(".map.scen") {
        let grid = movingai::read_map(&fs::read(file.with_extension("")).unwrap()).unwrap();
        let lines = movingai::read_scen(&fs::read(&file).unwrap()).unwrap();
        let sample: Vec<_> = lines.iter().step_by(lines.len().div_ceil(SAMPLE).max(1)).collect();
        let ends = sample.iter().map(|line| {
            let (start, goal) = (line.start, line.goal);
            (grid.node(start.0, start.1).unwrap(), grid.node(goal.0, goal.1).unwrap())
        });
        let ends: Vec<_> = ends.collect();
        check(&file, &Map::from(&grid), &ends, |index, cost| {
            cost.is_some_and(|cost| sample[index].agrees(Map::from(&grid).length(cost)))
        });
    }
}

#[test]
fn both_metrics_of_luxembourg() {
    for file in found(".queries") {
        let coordinates = file.with_file_name("luxembourg.co");
        let graph = dimacs::read_gr(&fs::read(file.with_extension("gr")).unwrap()).unwrap();
        let points = dimacs::read_co(&fs::read(coordinates).unwrap()).unwrap();
        let graph = graph.with_coordinates(points).unwrap();
        let lines = queries::read(&fs::read(&file).unwrap()).unwrap();
        let sample: Vec<_> = lines.iter().step_by(lines.len().div_ceil(SAMPLE).max(1)).collect();
        let ends: Vec<_> = sample.iter().map(|line| (line.from, line.to)).collect();
        check(&file, &Map::from(graph), &ends, |index, cost| cost == sample[index].cost);
    }
}

/// Real files; some, where there are maps at all.
fn found(ending: &str) -> Vec<PathBuf> {
    let files = real::files(ending);
    assert!(!files.is_empty() || real::folder().is_none(), "no file ends with {ending}");
    files
}

fn check(
    file: &Path,
    map: &Map,
    ends: &[(NodeId, NodeId)],
    is_right: impl Fn(usize, Option<Cost>) -> bool,
) {
    let settings = Settings::default();
    for method in METHODS.iter().filter(|method| method.supports(map, &settings).is_ok()) {
        let searches = ["dijkstra", "astar", "bidirectional"].contains(&method.name());
        if !searches && map.usable_count() > LARGEST_INDEX {
            continue;
        }
        let engine = match method.build(map, &settings) {
            Err(BuildError::MemoryLimit { .. }) => continue,
            built => built.unwrap(),
        };
        let mut query: Box<dyn Query> = engine.query();
        let mut path = Vec::new();
        for (index, &(from, to)) in ends.iter().enumerate() {
            let context = || format!("{}: {from} -> {to} on {}", method.name(), file.display());
            let route = query.run(from, to).unwrap();
            let cost = route.map(|route| {
                route.nodes_into(&mut path);
                route.cost()
            });
            if let Some(cost) = cost {
                assert_eq!(
                    walker::walk(map, &path, from, to),
                    Ok(u64::from(cost)),
                    "{}",
                    context()
                );
            }
            assert!(!method.exact() || is_right(index, cost), "{cost:?} in {}", context());
        }
    }
}
