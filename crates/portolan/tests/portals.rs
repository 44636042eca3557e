//! Portals: exact whatever the memory, on every world; bounds never above true distances; the same index whatever the
//! threads; files.

use portolan::engine::{AnyEngine, BuildError};
use portolan::heuristic::PortalConfig;
use portolan::portal::{PerfectPortal, PortalSearch};
use portolan::{Engine, Map};
use portolan_testkit::matrix::check_engine;
use portolan_testkit::worlds::{World, drawn, random};

/// Small regions, so that small worlds have some.
fn config(memory_limit: u64) -> PortalConfig {
    PortalConfig { memory_limit, least_region: 4, ..PortalConfig::default() }
}

/// So many four-byte entries for every usable node.
fn entries(map: &Map, count: u64) -> u64 {
    4 * count * map.usable_count().max(1) as u64
}

/// Builds within a limit, or within what the refusal says is enough.
fn build<E: Engine<Config = PortalConfig>>(map: &Map, limit: u64) -> E {
    let built = match E::build(map, &config(limit)) {
        Err(BuildError::MemoryLimit { needed, .. }) => {
            assert!(needed > limit, "{needed} of {limit}");
            let engine = E::build(map, &config(needed)).expect("what it says is enough");
            assert!(engine.memory_bytes() as u64 <= needed);
            return engine;
        }
        built => built,
    };
    let engine = built.expect("nothing else is in the way");
    assert!(engine.memory_bytes() as u64 <= limit, "{} of {limit}", engine.memory_bytes());
    engine
}

fn check<E: Engine<Config = PortalConfig>>(world: &World) {
    for count in [1, 3, 8, 1000] {
        let engine: E = build(&world.map, entries(&world.map, count));
        let any: &dyn AnyEngine = &engine;
        check_engine(any, world);
    }
}

#[test]
fn every_memory_limit_gives_shortest_paths_on_drawn_worlds() {
    for world in drawn() {
        check::<PortalSearch>(&world);
        check::<PerfectPortal>(&world);
    }
}

#[test]
fn every_memory_limit_gives_shortest_paths_on_random_worlds() {
    for seed in 5000..5150 {
        check::<PortalSearch>(&random(seed));
        check::<PerfectPortal>(&random(seed));
    }
}
