//! Bounds of every stored heuristic on real maps and one-way roads, against true distances.

use std::fs;

use portolan::formats::{dimacs, movingai};
use portolan::heuristic::differential::{Placement, Precision};
use portolan::heuristic::{
    Bounds, Differential, DifferentialConfig, Heuristic, HeuristicChoice, StoredKind,
};
use portolan::{BuildError, Connectivity, Map, Settings};
use portolan_testkit::bounds::check_bounds;
use portolan_testkit::real;
use portolan_testkit::worlds::World;

/// Small enough to know many true distances.
const GRIDS: [&str; 3] = ["dao/den011d.map", "dao/lak104d.map", "bgmaps/AR0012SR.map"];
const ROADS: &str = "roads/luxembourg-time.gr";

fn worlds() -> Vec<World> {
    let Some(folder) = real::folder() else { return Vec::new() };
    let grids = GRIDS.iter().flat_map(|name| {
        let grid = movingai::read_map(&fs::read(folder.join(name)).unwrap()).unwrap();
        let four = grid.clone().with_connectivity(Connectivity::Four);
        [World::new(*name, grid), World::new(format!("{name}, four moves"), four)]
    });
    let roads = dimacs::read_gr(&fs::read(folder.join(ROADS)).unwrap()).unwrap();
    grids.chain([World::new(ROADS, roads)]).collect()
}

fn check(heuristic: &impl Heuristic, world: &World, what: &str) {
    let named = World { name: format!("{what} on {}", world.name), map: world.map.clone() };
    let seen = check_bounds(heuristic, &named);
    assert!(seen.bounds > 10_000, "{what} on {}: {seen:?}", world.name);
}

#[test]
fn every_stored_heuristic_is_sound_on_real_maps() {
    for world in worlds() {
        for &kind in StoredKind::ALL {
            let config = kind.configure(&Settings::default(), Settings::default().memory_limit);
            match Bounds::build("astar", &world.map, HeuristicChoice::Zero, &[config], &()) {
                Err(BuildError::Unsupported(_) | BuildError::MemoryLimit { .. }) => {}
                built => check(&built.unwrap(), &world, kind.name()),
            }
        }
    }
}

#[test]
fn landmarks_are_sound_on_real_maps_in_every_form() {
    let usual = DifferentialConfig::default();
    let compressed = [
        (8, Precision::Bits16, None),
        (8, Precision::Bits8, None),
        (24, Precision::Bits32, Some(6)),
        (24, Precision::Bits8, Some(8)),
    ];
    let compressed = compressed.map(|(landmarks, precision, kept)| DifferentialConfig {
        landmarks,
        precision,
        kept,
        ..usual.clone()
    });
    let placed =
        Placement::named().map(|placement| DifferentialConfig { placement, ..usual.clone() });
    let forms: Vec<DifferentialConfig> = placed.chain(compressed).collect();
    for world in worlds() {
        let is_large = matches!(world.map, Map::Graph(_));
        for config in forms.iter().step_by(if is_large { 4 } else { 1 }) {
            let landmarks = Differential::new(&world.map, config).unwrap();
            check(&landmarks, &world, &format!("{config:?}"));
        }
    }
}
