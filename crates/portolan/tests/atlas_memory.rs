//! How much memory a build takes at its peak, counted by the allocator. A program of its own, with one test,
//! so that nothing else allocates meanwhile. The limits are what METIS's cuts make possible.
#![cfg(feature = "metis")]
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::generate::Rooms;
use portolan::{Engine, Map};

/// The system's allocator, counting.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn take(bytes: usize) {
    let held = bytes + HELD.fetch_add(bytes, Relaxed);
    PEAK.fetch_max(held, Relaxed);
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
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

#[test]
fn a_build_takes_the_limit_and_200_bytes_a_node() {
    let grid = Rooms { width: 512, height: 512, room: 8, ..Rooms::default() }.generate().unwrap();
    let nodes = grid.passable_count();
    let map = Map::from(grid);
    for (form, limit) in
        [(Form::General, 40_000_000), (Form::Climb, 16 << 20), (Form::Fastest, 128 << 20)]
    {
        let config = AtlasConfig { form, memory_limit: Some(limit), ..AtlasConfig::default() };
        let before = HELD.load(Relaxed);
        PEAK.store(before, Relaxed);
        let atlas = Atlas::build(&map, &config).unwrap();
        let peak = PEAK.load(Relaxed) - before;
        let allowed = limit as usize + 200 * nodes;
        let held = HELD.load(Relaxed) - before;
        let counted = Engine::memory_bytes(&atlas);
        println!("{form:?}: peak {peak}, allowed {allowed}, held {held}, counted {counted}");
        assert!(peak <= allowed, "{form:?}: {peak} bytes at the peak, {allowed} allowed");
        assert!(held <= counted + counted / 8, "{form:?}: {held} held, {counted} counted");
    }
}
