//! An allocator that counts, for tests of memory use.
//!
//! A test program installs [`Counting`] as its `#[global_allocator]`; every test in it holds
//! [`alone`] while it runs, so that nothing else allocates.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The system allocator, counting.
#[derive(Debug)]
pub struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY: every call is passed on unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = layout.size() + HELD.fetch_add(layout.size(), Relaxed);
        PEAK.fetch_max(held, Relaxed);
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Waits until no other test holds it.
pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a piece of work allocated.
#[derive(Debug, Clone, Copy)]
pub struct Allocated {
    /// The most bytes at one time, above what was held before.
    pub peak: usize,
    /// Bytes that are still held, above what was held before.
    pub held: usize,
    /// The largest single request.
    pub largest: usize,
}

/// Runs a piece of work and says what it allocated. What it returns counts as held.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Allocated) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    LARGEST.store(0, Relaxed);
    let result = work();
    let allocated = Allocated {
        peak: PEAK.load(Relaxed) - before,
        held: HELD.load(Relaxed).saturating_sub(before),
        largest: LARGEST.load(Relaxed),
    };
    (result, allocated)
}
