//! How much memory a build of landmarks takes at its peak, counted by the allocator. A program of
//! its own, with one test, so that nothing else allocates meanwhile.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use portolan::generate::Rooms;
use portolan::heuristic::Heuristic;
use portolan::true_distance::differential::{Placement, Precision};
use portolan::true_distance::{Differential, DifferentialConfig};
use portolan::{Grid, Map};

/// The system's allocator, counting.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = layout.size() + HELD.fetch_add(layout.size(), Relaxed);
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Candidates, components, distances of one landmark, and the search that finds them.
const SPARE: usize = 48;

#[test]
fn a_build_takes_its_table_and_48_bytes_a_node() {
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
            let before = HELD.load(Relaxed);
            PEAK.store(before, Relaxed);
            let landmarks = Differential::new(&map, &config).unwrap();
            let (peak, held) = (PEAK.load(Relaxed) - before, HELD.load(Relaxed) - before);
            let table = landmarks.memory_bytes();
            // What lies in large pages does not come from the allocator.
            let peak = peak + table.saturating_sub(held);
            let allowed = table + SPARE * nodes;
            println!("{placement}, {precision:?}: peak {peak}, table {table}, allowed {allowed}");
            assert!(peak <= allowed, "{config:?}: {peak} of {allowed}");
        }
    }
}
