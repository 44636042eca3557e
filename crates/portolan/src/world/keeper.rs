//! One engine kept in step with a map that is edited.
//!
//! At any moment the engine is *current*, that is for the newest map, or it is not there and readers do without. An edit
//! is followed at once, or on another thread where that has proved to take longer than the budget. Independently of that, an
//! engine that has become slow by many edits is rebuilt on another thread while it goes on answering.
//!
//! A job on another thread owns all it needs and knows one map, that of its start. The edits made since are noted, each
//! with its map, and its result follows them before it becomes current. Where there are more than [`MOST_MISSED`] they become one
//! note, from the map of the start to the newest, so that memory stays bounded and no work is in vain, however long a job takes
//! and however fast edits come. There is at most one job for an engine.
//!
//! What takes how long is looked at in [`Keeper::advance`] only: a sequence of edits alone leads to the same engines on every machine.

use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::sync::{Task, timed};

/// How an engine is made and kept.
pub(super) trait Upkeep: Send + Sync + 'static {
    /// A version of the map, cheap to clone.
    type Map: Clone + Send + Sync + 'static;
    type Changes: Send + Sync + 'static;
    /// An engine for one version, cheap to clone.
    type Engine: Clone + Send + Sync + 'static;
    type Error: Clone + Send + Sync + 'static;

    /// The engine from scratch; may give up once `stop` is set.
    fn build(&self, map: &Self::Map, stop: &AtomicBool) -> Result<Self::Engine, Self::Error>;

    /// The engine after changes that led to this map.
    fn refresh(
        &self,
        engine: &Self::Engine,
        map: &Self::Map,
        changes: &Self::Changes,
    ) -> Result<Self::Engine, Self::Error>;

    /// Several changes, one after the other, as one that takes no more room than the map.
    fn merged<'a>(&self, changes: impl Iterator<Item = &'a Self::Changes>) -> Self::Changes;

    /// Whether the engine has become slow.
    fn wants_rebuild(&self, engine: &Self::Engine) -> bool;

    /// The same engine, fast again.
    fn rebuild(&self, engine: &Self::Engine, map: &Self::Map) -> Result<Self::Engine, Self::Error>;
}

/// When an engine follows edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Follow {
    /// Inside the edit, or behind it where that has taken longer than the budget when `advance` last looked.
    #[default]
    Auto,
    /// Inside the edit, however long that takes. Answers then never depend on timing.
    AtOnce,
    /// In the background, always: edits take no time, and until `advance` finds the engine ready A* answers instead.
    Behind,
}

/// An engine as readers see it.
pub(super) enum State<U: Upkeep> {
    /// It is for the map it is published with.
    Current(U::Engine),
    /// It is being worked on.
    Behind,
    /// It could not follow; the next edit tries to build it anew.
    Failed(U::Error),
}

pub(super) struct Keeper<U: Upkeep> {
    pub(super) recipe: Arc<U>,
    follow: Follow,
    budget: Duration,
    /// Whether edits are followed on another thread.
    behind: bool,
    /// The engine for the newest map.
    current: Option<U::Engine>,
    /// Why there is none, if that is for good.
    error: Option<U::Error>,
    job: Option<Job<U>>,
    /// The edits since the job began; empty without a job.
    missed: Vec<Missed<U>>,
    /// A rebuild failed; another would as well, for this map.
    given_up: bool,
    /// How long it took to follow one edit.
    pace: Duration,
}

/// Edits that are to be followed as one, and the map that they led to.
struct Missed<U: Upkeep> {
    map: U::Map,
    changes: Arc<U::Changes>,
    edits: u32,
}

impl<U: Upkeep> Missed<U> {
    fn new(map: &U::Map, changes: &Arc<U::Changes>) -> Self {
        Self { map: map.clone(), changes: Arc::clone(changes), edits: 1 }
    }
}

/// An engine, and how long it took to follow one edit, where it followed any.
type Done<U> = (Result<<U as Upkeep>::Engine, <U as Upkeep>::Error>, Option<Duration>);

struct Job<U: Upkeep> {
    task: Task<Done<U>>,
    _stop: Stop,
}

/// Tells a job to stop, at the latest when nobody waits for it any more.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The most edits that are noted one by one while a job is under way.
const MOST_MISSED: usize = 64;

impl<U: Upkeep> Keeper<U> {
    /// Keeps an engine that has been built; without one it is built in the background.
    pub(super) fn new(
        recipe: Arc<U>,
        (follow, budget): (Follow, Duration),
        engine: Option<U::Engine>,
        map: &U::Map,
    ) -> Self {
        let mut keeper = Self {
            recipe,
            follow,
            budget,
            behind: follow == Follow::Behind,
            current: engine,
            error: None,
            job: None,
            missed: Vec::new(),
            given_up: false,
            pace: Duration::ZERO,
        };
        keeper.build(map);
        keeper
    }

    pub(super) fn state(&self) -> State<U> {
        match (&self.current, &self.error) {
            (Some(engine), _) => State::Current(engine.clone()),
            (None, Some(error)) => State::Failed(error.clone()),
            (None, None) => State::Behind,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Gives up the engine and what is being done for it; `advance` or the next edit builds it anew.
    pub(super) fn forget(&mut self) {
        (self.current, self.error, self.job) = (None, None, None);
        self.missed = Vec::new();
    }

    /// Follows an edit that led to this map.
    pub(super) fn follow(&mut self, map: &U::Map, changes: &Arc<U::Changes>) {
        if self.job.is_some() {
            self.miss(map, changes);
        }
        match self.current.take() {
            Some(engine) if !self.behind => {
                let refresh = || self.recipe.refresh(&engine, map, changes);
                let (refreshed, pace) = timed(refresh);
                self.pace = pace;
                self.become_current(refreshed);
            }
            // With a job under way its result will follow this edit.
            Some(engine) if self.job.is_none() => {
                self.catch_up(engine, vec![Missed::new(map, changes)]);
            }
            _ => {}
        }
        // What has failed is tried again, for the map is another now.
        self.given_up = false;
        self.build(map);
    }

    /// Puts the result of a job in place if it is ready, decides whether to follow edits at once, and starts what
    /// is wanted; says whether readers see another engine now.
    pub(super) fn advance(&mut self, map: &U::Map) -> bool {
        let ready = self.job.as_ref().is_some_and(|job| job.task.is_finished());
        let changed = ready && self.install();
        self.behind = match self.follow {
            Follow::Auto => self.pace > self.budget,
            Follow::AtOnce => false,
            Follow::Behind => true,
        };
        if self.error.is_none() {
            self.build(map);
        }
        // Here and not after an edit: without an owner who advances, it would be for nothing.
        self.rebuild(map);
        changed
    }

    /// The same, waiting until nothing is left to do; no edit comes in between.
    pub(super) fn settle(&mut self, map: &U::Map) -> bool {
        let mut changed = self.advance(map);
        while self.job.is_some() {
            changed |= self.install();
            if self.error.is_none() {
                self.build(map);
            }
        }
        changed
    }

    /// Waits for the job and takes its result over; says whether readers see another engine now.
    fn install(&mut self) -> bool {
        let Some(job) = self.job.take() else { return false };
        let missed = take(&mut self.missed);
        let (done, pace) = job.task.join();
        self.pace = pace.unwrap_or(self.pace);
        match done {
            Ok(engine) if self.may_follow_now(&missed) => {
                let (refreshed, _) = follow_all(&*self.recipe, engine, &missed);
                // A rebuilt engine that cannot follow leaves the one at hand.
                let take_over = refreshed.is_ok() || self.current.is_none();
                if take_over {
                    self.become_current(refreshed);
                }
                take_over
            }
            Ok(engine) => {
                self.catch_up(engine, missed);
                false
            }
            // What failed for an earlier map may do for the newest.
            Err(_) if !missed.is_empty() => false,
            Err(_) if self.current.is_some() => {
                self.given_up = true;
                false
            }
            Err(error) => {
                self.error = Some(error);
                true
            }
        }
    }

    fn may_follow_now(&self, missed: &[Missed<U>]) -> bool {
        let expected = self.pace.saturating_mul(count(missed));
        let soon = !self.behind && expected <= self.budget;
        missed.is_empty() || self.follow == Follow::AtOnce || soon
    }

    fn become_current(&mut self, engine: Result<U::Engine, U::Error>) {
        match engine {
            Ok(engine) => (self.current, self.error) = (Some(engine), None),
            Err(error) => (self.current, self.error) = (None, Some(error)),
        }
    }

    fn miss(&mut self, map: &U::Map, changes: &Arc<U::Changes>) {
        self.missed.push(Missed::new(map, changes));
        if self.missed.len() > MOST_MISSED {
            let changes = self.recipe.merged(self.missed.iter().map(|missed| &*missed.changes));
            let edits = count(&self.missed);
            self.missed = vec![Missed { map: map.clone(), changes: Arc::new(changes), edits }];
        }
    }

    /// Begins to build an engine that is not there.
    fn build(&mut self, map: &U::Map) {
        if self.job.is_none() && self.current.is_none() {
            let map = map.clone();
            self.start(move |recipe, stop| (recipe.build(&map, stop), None));
        }
    }

    /// Begins to rebuild an engine that has become slow.
    fn rebuild(&mut self, map: &U::Map) {
        let Some(engine) = self.current.as_ref().filter(|_| self.job.is_none()) else { return };
        if !self.given_up && self.recipe.wants_rebuild(engine) {
            let (engine, map) = (engine.clone(), map.clone());
            self.start(move |recipe, _| (recipe.rebuild(&engine, &map), None));
        }
    }

    fn catch_up(&mut self, engine: U::Engine, missed: Vec<Missed<U>>) {
        self.start(move |recipe, _| follow_all(recipe, engine, &missed));
    }

    /// Where no thread can be had nothing is started, and the next edit or `advance` tries again.
    fn start(&mut self, work: impl FnOnce(&U, &AtomicBool) -> Done<U> + Send + 'static) {
        let stop = Arc::new(AtomicBool::new(false));
        let (recipe, told) = (Arc::clone(&self.recipe), Arc::clone(&stop));
        let task = Task::spawn(move || work(&recipe, &told));
        self.job = task.map(|task| Job { task, _stop: Stop(stop) });
    }
}

fn follow_all<U: Upkeep>(recipe: &U, engine: U::Engine, missed: &[Missed<U>]) -> Done<U> {
    let step = |engine, to: &Missed<U>| recipe.refresh(&engine, &to.map, &to.changes);
    let (engine, took) = timed(|| missed.iter().try_fold(engine, step));
    (engine, took.checked_div(count(missed)))
}

/// How many edits these are.
fn count<U: Upkeep>(missed: &[Missed<U>]) -> u32 {
    missed.iter().fold(0, |sum, missed| sum.saturating_add(missed.edits))
}
