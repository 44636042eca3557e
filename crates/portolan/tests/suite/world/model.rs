//! The core of a world under a model checker: its source files, compiled with threads, locks and
//! pointers that try one order of events after the other.
//!
//! The map is the list of edits that led to it, and an engine is a copy of that list. So a lost,
//! doubled or reordered update is visible.

// The model does not use everything in these files.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use self::core::{Core, Published, PublishedEngine};
use maintainer::{Follow, Maintain, Maintainer, RebuildMode, Rule, State};
use shuttle::thread;

#[path = "../../../src/world/core.rs"]
mod core;
#[path = "../../../src/world/maintainer.rs"]
mod maintainer;

/// `src/world/sync.rs` with the primitives of the model checker.
mod sync {
    use shuttle::rand::{Rng, thread_rng};
    use shuttle::sync::atomic::{AtomicBool, Ordering};
    use shuttle::sync::{Mutex, RwLock};
    use shuttle::thread::{self, JoinHandle};
    use std::sync::Arc;
    use std::time::Duration;

    pub(super) struct Slot<T>(RwLock<Arc<T>>);

    impl<T> Slot<T> {
        pub(super) fn new(first: Arc<T>) -> Self {
            Self(RwLock::new(first))
        }

        pub(super) fn load(&self) -> Arc<T> {
            Arc::clone(&self.0.read().unwrap())
        }

        pub(super) fn store(&self, next: Arc<T>) {
            *self.0.write().unwrap() = next;
        }
    }

    pub(super) struct Lock<T>(Mutex<T>);

    impl<T> Lock<T> {
        pub(super) fn new(value: T) -> Self {
            Self(Mutex::new(value))
        }

        pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
            work(&mut self.0.lock().unwrap())
        }

        pub(super) fn is_held_here(&self) -> bool {
            false
        }
    }

    pub(super) struct Task<T> {
        thread: JoinHandle<T>,
        finished: Arc<AtomicBool>,
    }

    impl<T: Send + 'static> Task<T> {
        /// Sometimes there is no thread.
        pub(super) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Option<Self> {
            if thread_rng().gen_range(0..16) == 0 {
                return None;
            }
            let finished = Arc::new(AtomicBool::new(false));
            let done_flag = Arc::clone(&finished);
            let thread = thread::spawn(move || {
                let done = work();
                done_flag.store(true, Ordering::SeqCst);
                done
            });
            Some(Self { thread, finished })
        }

        pub(super) fn is_finished(&self) -> bool {
            self.finished.load(Ordering::SeqCst)
        }

        pub(super) fn join(self) -> T {
            self.thread.join().unwrap()
        }
    }

    /// Durations are random.
    pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
        let done = work();
        (done, Duration::from_millis(thread_rng().gen_range(0..3)))
    }
}

/// Copies lists of edits.
struct Copying;

#[derive(Clone, Debug, PartialEq)]
struct Copy {
    edits: Vec<u32>,
    /// How many edits it has followed since it was built.
    followed: usize,
    /// The map for which it was built.
    built_for: usize,
}

impl Maintain for Copying {
    type Map = Vec<u32>;
    type Changes = Vec<u32>;
    type Engine = Copy;
    type Error = ();
    /// The engine, and the number of slices that are left.
    type SlicedRebuild = (Copy, u64);

    /// Fails for one map, which is never the last.
    fn build(&self, map: &Vec<u32>, _: &AtomicBool) -> Result<Copy, ()> {
        thread::yield_now();
        if map.last() == Some(&21) {
            return Err(());
        }
        Ok(Copy { edits: map.clone(), followed: 0, built_for: map.len() })
    }

    /// Follows the changes and ignores the map, so that a missed edit stays missed. Fails for one
    /// edit.
    fn refresh(&self, engine: &Copy, _: &Vec<u32>, edits: &Vec<u32>) -> Result<Copy, ()> {
        thread::yield_now();
        if edits.contains(&12) {
            return Err(());
        }
        let edits = [&engine.edits[..], edits].concat();
        Ok(Copy { edits, followed: engine.followed + 1, ..*engine })
    }

    fn merged<'a>(&self, changes: impl Iterator<Item = &'a Vec<u32>>) -> Vec<u32> {
        changes.flatten().copied().collect()
    }

    fn wants_rebuild(&self, engine: &Copy) -> bool {
        engine.followed > 1
    }

    fn rebuild(&self, engine: &Copy, _: &Vec<u32>) -> Result<Copy, ()> {
        thread::yield_now();
        Ok(Copy { followed: 0, ..engine.clone() })
    }

    fn sliced_rebuild(&self, engine: &Copy) -> Option<(Copy, u64)> {
        Some((engine.clone(), 2))
    }

    fn advance(&self, (_, slices): &mut (Copy, u64), expansions: u64) -> bool {
        thread::yield_now();
        *slices = slices.saturating_sub(expansions);
        *slices == 0
    }

    fn finish(&self, (engine, _): (Copy, u64)) -> Result<Copy, ()> {
        self.rebuild(&engine, &Vec::new())
    }
}

fn edit(core: &Core<Copying>, edit: u32) {
    let change = |map: &Vec<u32>| {
        let mut next = map.clone();
        next.push(edit);
        Ok::<_, ()>(Some((next, vec![edit])))
    };
    let (published, changes) = core.edit(change).unwrap();
    assert_eq!((published.map.last(), changes.as_deref()), (Some(&edit), Some(&vec![edit])));
    check(&published);
}

/// Every current engine is for the map that it is published with.
fn check(published: &Published<Copying>) {
    assert_eq!(published.version as usize, published.map.len());
    for held in &published.engines {
        if let State::Current(engine) = &held.state {
            assert_eq!(engine.edits, published.map);
        }
    }
}

fn world() -> Core<Copying> {
    let core = Core::new(Vec::new());
    let slices = RebuildMode::Slices { expansions: 1 };
    for (follow, rebuild) in [
        (Follow::Auto, RebuildMode::Background),
        (Follow::AtOnce, RebuildMode::Background),
        (Follow::Behind, RebuildMode::Background),
        (Follow::Auto, slices),
        (Follow::AtOnce, slices),
    ] {
        let rule = Rule { follow, budget: Duration::from_millis(1), rebuild };
        let maintainer = |now: &Published<Copying>| {
            let built = (follow != Follow::Behind).then(|| Copy {
                edits: vec![],
                followed: 0,
                built_for: 0,
            });
            Ok::<_, ()>(vec![Maintainer::new(Arc::new(Copying), rule, built, &now.map)])
        };
        core.add(maintainer).unwrap();
    }
    core
}

/// Two writers, a reader, and a thread that begins rebuilds and takes over results.
fn two_writers() {
    let core = Arc::new(world());
    let mut threads = Vec::new();
    for first in [10, 20] {
        let core = Arc::clone(&core);
        threads.push(thread::spawn(move || (first..first + 3).for_each(|n| edit(&core, n))));
    }
    let (reading, advancing) = (Arc::clone(&core), Arc::clone(&core));
    threads.push(thread::spawn(move || {
        let mut before: Option<Arc<Published<Copying>>> = None;
        for _ in 0..4 {
            let now = reading.load();
            check(&now);
            if let Some(before) = before {
                check(&before);
                assert!(now.map.starts_with(&before.map), "{:?} {:?}", before.map, now.map);
            }
            before = Some(now);
            thread::yield_now();
        }
    }));
    threads.push(thread::spawn(move || {
        advancing.rebuild_with(|_, engine| Some((engine.clone(), 3)));
        for _ in 0..4 {
            check(&advancing.advance(false).0);
        }
    }));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    // A thread may not be available at first.
    (0..8).for_each(|_| drop(core.advance(true)));
    let published = core.load();
    check(&published);
    for PublishedEngine { state, .. } in &published.engines {
        assert!(matches!(state, State::Current(_)), "every engine that can be built is ready");
    }
    let mut edits = published.map.clone();
    assert!(edits.iter().filter(|&&n| n < 20).eq(&[10, 11, 12]), "{edits:?}");
    edits.sort_unstable();
    assert_eq!(edits, [10, 11, 12, 20, 21, 22], "no update is lost or made twice");
    assert!(!core.is_busy());
}

#[test]
fn no_update_is_lost_in_random_orders() {
    shuttle::check_random(two_writers, 1500);
}

/// Few switches between threads, which finds bugs that need particular ones.
#[test]
fn no_update_is_lost_in_orders_of_few_switches() {
    shuttle::check_pct(two_writers, 1500, 3);
}

/// More edits than are recorded one by one during a job: its result follows all of them. Only if
/// there is no thread for that, the engine is built again.
#[test]
fn a_job_that_falls_far_behind_is_not_wasted() {
    static BUILT_ONCE: AtomicUsize = AtomicUsize::new(0);
    let test = || {
        let core = world();
        (100..200).for_each(|n| edit(&core, n));
        let (published, _) = core.advance(true);
        check(&published);
        assert_eq!(published.map.len(), 100);
        let behind = &published.engines[2].state;
        if matches!(behind, State::Current(engine) if engine.built_for < 64) {
            BUILT_ONCE.fetch_add(1, Ordering::Relaxed);
        }
    };
    shuttle::check_random(test, 60);
    assert!(BUILT_ONCE.load(Ordering::Relaxed) > 40, "{BUILT_ONCE:?} of 60");
}
