//! The core of a world under a model checker: its own sources on threads, locks and pointers that
//! try one order of events after the other.
//!
//! The map is the list of edits that led to it, an engine a copy of that list, so a lost, doubled
//! or reordered update is seen for what it is.

// The sources have more than the model asks for.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use self::core::{Core, Held, Published};
use keeper::{Follow, Keeper, State, Upkeep};
use shuttle::thread;

#[path = "../../../src/world/core.rs"]
mod core;
#[path = "../../../src/world/keeper.rs"]
mod keeper;

/// What `src/world/sync.rs` has, by the model checker.
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
        /// Now and then there is no thread to be had.
        pub(super) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Option<Self> {
            if thread_rng().gen_range(0..16) == 0 {
                return None;
            }
            let finished = Arc::new(AtomicBool::new(false));
            let told = Arc::clone(&finished);
            let thread = thread::spawn(move || {
                let done = work();
                told.store(true, Ordering::SeqCst);
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

    /// Work takes as long as it pleases.
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

impl Upkeep for Copying {
    type Map = Vec<u32>;
    type Changes = Vec<u32>;
    type Engine = Copy;
    type Error = ();

    /// Refuses a map that is never the last one.
    fn build(&self, map: &Vec<u32>, _: &AtomicBool) -> Result<Copy, ()> {
        thread::yield_now();
        if map.last() == Some(&21) {
            return Err(());
        }
        Ok(Copy { edits: map.clone(), followed: 0, built_for: map.len() })
    }

    /// Follows what is written down and not the map, so that a missed edit stays missed. Refuses
    /// now and then.
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

/// Every engine that is there is for the map it is published with.
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
    for follow in [Follow::Auto, Follow::AtOnce, Follow::Behind] {
        let rule = (follow, Duration::from_millis(1));
        let keeper = |now: &Published<Copying>| {
            let built = (follow != Follow::Behind).then(|| Copy {
                edits: vec![],
                followed: 0,
                built_for: 0,
            });
            Ok::<_, ()>(vec![Keeper::new(Arc::new(Copying), rule, built, &now.map)])
        };
        core.add(keeper).unwrap();
    }
    core
}

/// Two writers, a reader, and somebody who takes over what the background has done.
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
        for _ in 0..4 {
            check(&advancing.advance(false).0);
        }
    }));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    // There may be no thread at first.
    (0..8).for_each(|_| drop(core.advance(true)));
    let published = core.load();
    check(&published);
    for Held { state, .. } in &published.engines {
        assert!(matches!(state, State::Current(_)), "all that can be built is there");
    }
    let mut edits = published.map.clone();
    assert!(edits.iter().filter(|&&n| n < 20).eq(&[10, 11, 12]), "{edits:?}");
    edits.sort_unstable();
    assert_eq!(edits, [10, 11, 12, 20, 21, 22], "no update is lost and none comes twice");
    assert!(!core.is_busy());
}

#[test]
fn no_update_is_lost_in_random_orders() {
    shuttle::check_random(two_writers, 1500);
}

/// Few switches between threads at a time, which finds bugs that need a certain few.
#[test]
fn no_update_is_lost_in_orders_of_few_switches() {
    shuttle::check_pct(two_writers, 1500, 3);
}

/// More edits than are noted one by one while a job is under way: its result follows them all the
/// same. Only where no thread is to be had for that is the engine built once more.
#[test]
fn a_job_that_is_left_far_behind_is_not_in_vain() {
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
