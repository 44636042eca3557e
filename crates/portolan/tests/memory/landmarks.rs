//! The peak memory of building landmarks.

use portolan::generate::Rooms;
use portolan::heuristic::Heuristic;
use portolan::true_distance::differential::{Placement, Precision};
use portolan::true_distance::{Differential, DifferentialConfig};
use portolan::{Grid, Map};
use portolan_testkit::allocator::{self, Allocated};

/// Candidates, components, distances of one landmark, and the search that finds them.
const SPARE: usize = 48;

#[test]
fn a_build_takes_its_table_and_48_bytes_a_node() {
    let _alone = allocator::alone();
    let rooms = Rooms { width: 200, height: 200, room: 8, ..Rooms::default() };
    let map = Map::from(rooms.generate().unwrap());
    let nodes = map.node_count();
    let small = Map::from(Grid::new(20, 20).unwrap());
    for placement in Placement::named() {
        for precision in [Precision::Bits8, Precision::Bits16, Precision::Bits32] {
            let config = DifferentialConfig {
                landmarks: 32,
                precision,
                placement: placement.clone(),
                ..DifferentialConfig::default()
            };
            // Threads and what they keep for themselves.
            drop(Differential::new(&small, &config).unwrap());
            let build = || Differential::new(&map, &config).unwrap();
            let (landmarks, Allocated { peak, held, .. }) = allocator::measure(build);
            let table = landmarks.memory_bytes();
            // What lies in large pages does not come from the allocator.
            let peak = peak + table.saturating_sub(held);
            let allowed = table + SPARE * nodes;
            println!("{placement}, {precision:?}: peak {peak}, table {table}, allowed {allowed}");
            assert!(peak <= allowed, "{config:?}: {peak} of {allowed}");
        }
    }
}
