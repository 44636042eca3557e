//! Bounds of every stored heuristic on real maps and one-way roads, against true distances.

use std::fs;

use portolan::formats::{dimacs, movingai};
use portolan::heuristic::{Heuristic, HeuristicChoice};
use portolan::portal::PerfectPortal;
use portolan::portal::bound::PortalConfig;
use portolan::true_distance::differential::{Placement, Precision};
use portolan::true_distance::{Bounds, Differential, DifferentialConfig, StoredKind};
use portolan::{Build, BuildError, Connectivity, Engine, Map, NodeId, Query, Settings};
use portolan_testkit::bounds::TrueDistances;
use portolan_testkit::real;
use portolan_testkit::reference::Reference;
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

fn check(heuristic: &impl Heuristic, truth: &TrueDistances<'_>, what: &str) {
    let seen = truth.check(heuristic);
    assert!(seen.bounds > 10_000, "{what}: {seen:?}");
}

/// Kinds that cannot be built on some maps; each kind is built on most of those that it supports.
#[test]
fn every_stored_heuristic_is_admissible_on_real_maps() {
    let worlds = worlds();
    let mut built = vec![0; StoredKind::ALL.len()];
    let mut supported = built.clone();
    for world in &worlds {
        let truth = TrueDistances::of(world);
        for (at, &kind) in StoredKind::ALL.iter().enumerate() {
            let config = kind
                .configure(&Settings::default(), Settings::default().memory_limit.least_bytes());
            let bounds = Bounds::build("astar", &world.map, HeuristicChoice::Zero, &[config], &());
            supported[at] += usize::from(!matches!(bounds, Err(BuildError::Unsupported(_))));
            match bounds {
                Err(BuildError::Unsupported(_) | BuildError::MemoryLimit { .. }) => {}
                bounds => {
                    let what = format!("{} on {}", kind.name(), world.name);
                    check(&bounds.unwrap(), &truth, &what);
                    built[at] += 1;
                }
            }
        }
    }
    for ((kind, built), supported) in StoredKind::ALL.iter().zip(built).zip(supported) {
        let is_enough = 2 * built > supported || worlds.is_empty();
        assert!(is_enough, "{} was built on {built} of {supported} maps", kind.name());
    }
}

/// The same where memory is short, so that regions are few and large: two, four or eight entries of
/// four bytes a node.
#[test]
fn bounds_of_regions_are_admissible_on_real_maps_with_little_memory() {
    let kinds =
        [StoredKind::Canonical, StoredKind::Border, StoredKind::Gateway, StoredKind::Portal];
    let mut built = 0;
    // Each grid once, with either rule of moves; on roads, which take long to cut, what needs no
    // cuts.
    for (number, world) in worlds().iter().enumerate().filter(|(number, _)| number % 3 != 1) {
        let is_large = matches!(world.map, Map::Graph(_));
        let truth = TrueDistances::of(world);
        for (at, kind) in kinds.into_iter().enumerate().take(if is_large { 1 } else { 4 }) {
            let entries = [3, 4, 8][(number + at) % 3];
            let limit = 4 * entries * world.map.usable_count() as u64;
            let config = kind.configure(&Settings::default(), limit);
            match Bounds::build("astar", &world.map, HeuristicChoice::Zero, &[config], &()) {
                Err(BuildError::MemoryLimit { needed, .. }) => assert!(needed > limit),
                Err(BuildError::Unsupported(_)) => assert_eq!(kind, StoredKind::Gateway),
                bounds => {
                    let bounds = bounds.unwrap();
                    assert!(bounds.memory_bytes() as u64 <= limit);
                    let name = kind.name();
                    check(
                        &bounds,
                        &truth,
                        &format!("{name} with {entries} entries on {}", world.name),
                    );
                    built += 1;
                }
            }
        }
    }
    assert!(built >= 10 || real::folder().is_none(), "{built}");
}

/// Perfect portals give distances, not bounds: neither above the true ones nor below.
#[test]
fn perfect_portals_have_true_distances_on_real_maps() {
    for world in worlds().iter().filter(|world| matches!(world.map, Map::Grid(_))).step_by(2) {
        let nodes = world.map.usable_count() as u64;
        let memory_limit = 4 * 16 * nodes;
        let config = PortalConfig { memory_limit, ..PortalConfig::default() };
        let engine = match PerfectPortal::build(&world.map, &config) {
            Err(BuildError::MemoryLimit { needed, .. }) => {
                let enough = PortalConfig { memory_limit: needed, ..config };
                PerfectPortal::build(&world.map, &enough).unwrap()
            }
            built => built.unwrap(),
        };
        let mut query = engine.query();
        let ends = (0..world.map.node_count() as NodeId).filter(|&node| world.map.contains(node));
        let reference = Reference::new(&world.map);
        for from in ends.clone().step_by(nodes as usize / 6) {
            let truth = reference.distances(from);
            for to in ends.clone().step_by(3) {
                let cost = query.distance(from, to).unwrap().map(u64::from);
                assert_eq!(cost, truth[to as usize], "{}: {from} to {to}", world.name);
            }
        }
    }
}

#[test]
fn landmarks_are_admissible_on_real_maps_in_every_form() {
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
        let truth = TrueDistances::of(&world);
        for config in forms.iter().step_by(if is_large { 4 } else { 1 }) {
            let landmarks = Differential::new(&world.map, config).unwrap();
            check(&landmarks, &truth, &format!("{config:?} on {}", world.name));
        }
    }
}
