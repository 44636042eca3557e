//! One engine kept in step with a map that is edited.
//!
//! At any moment the engine is *current*, that is for the newest map, or it is not there and
//! readers do without. An edit is followed at once, or on another thread where that has proved to
//! take longer than the budget. Independently of that, an engine that has become slow by many edits
//! is rebuilt on another thread while it goes on answering.
//!
//! A job on another thread owns all it needs and knows one map, that of its start. The edits made
//! since are noted, each with its map, and its result follows all of them in one step before it
//! becomes current: inside `advance` where that is soon done, else by another job. After
//! [`MOST_ROUNDS`] of these it is done in `advance` all the same, so that no work is in vain
//! however fast edits come. Where more than [`MOST_MISSED`] edits are noted they become one note,
//! so that memory stays bounded however long a job takes. There is at most one job for an engine.
//!
//! Only an engine that cannot be *built* for the newest map has failed. One that cannot follow, or
//! be built for an earlier map, is built anew.
//!
//! What takes how long is looked at in [`Keeper::advance`] only: a sequence of edits alone leads to
//! the same engines on every machine.

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
    /// Inside the edit, or behind it where that has taken longer than the budget when `advance`
    /// last looked.
    #[default]
    Auto,
    /// Inside the edit, however long that takes. Answers then never depend on timing.
    AtOnce,
    /// In the background, always: edits do not wait for it, and from an edit until `advance` finds
    /// the engine ready A* answers instead. Whoever edits in every frame advances before the edits.
    Behind,
}

/// An engine as readers see it.
pub(super) enum State<U: Upkeep> {
    /// It is for the map it is published with.
    Current(U::Engine),
    /// It is being worked on.
    Behind,
    /// It cannot be built for this map; the next edit tries again.
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
    /// How many jobs in a row have done nothing but follow what was missed.
    rounds: u32,
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

    fn followed_by(&self, recipe: &U, engine: &U::Engine) -> Made<U> {
        recipe.refresh(engine, &self.map, &self.changes)
    }
}

type Made<U> = Result<<U as Upkeep>::Engine, <U as Upkeep>::Error>;

struct Job<U: Upkeep> {
    task: Task<(Made<U>, Duration)>,
    kind: Kind,
    _stop: Stop,
}

/// What a job does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Build,
    Rebuild,
    /// So many edits in one step.
    Follow(u32),
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

/// The most jobs in a row that do nothing but follow edits.
const MOST_ROUNDS: u32 = 2;

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
            rounds: 0,
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

    /// Gives up the engine and what is being done for it; `advance` or the next edit builds it
    /// anew.
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
                let (refreshed, took) = timed(refresh);
                self.learn(took, 1);
                self.current = refreshed.ok();
            }
            // With a job under way its result will follow this edit.
            Some(engine) if self.job.is_none() => {
                self.catch_up(engine, Missed::new(map, changes));
            }
            _ => {}
        }
        // What has failed is tried again, for the map is another now.
        (self.given_up, self.error) = (false, None);
        self.build(map);
    }

    /// Puts the result of a job in place if it is ready, decides whether to follow edits at once,
    /// and starts what is wanted; says whether readers see another engine now.
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

    /// The same, waiting until nothing is left to do; no edit comes in between. Does not look at
    /// how long things take.
    pub(super) fn settle(&mut self, map: &U::Map) -> bool {
        let mut changed = false;
        loop {
            if self.error.is_none() {
                self.build(map);
            }
            self.rebuild(map);
            if self.job.is_none() {
                return changed;
            }
            changed |= self.install();
        }
    }

    /// Waits for the job and takes its result over; says whether readers see another engine now.
    fn install(&mut self) -> bool {
        // What tells it to stop lives until it has ended.
        let Some(Job { task, kind, _stop }) = self.job.take() else { return false };
        let missed = self.take_missed();
        let (made, took) = task.join();
        if let Kind::Follow(edits) = kind {
            self.learn(took, edits);
        }
        match (made, missed) {
            (Ok(engine), None) => {
                // What comes out of a rebuild and still wants one would want it for ever.
                self.given_up = kind == Kind::Rebuild && self.recipe.wants_rebuild(&engine);
                self.take_over(engine)
            }
            (Ok(engine), Some(missed)) if self.may_follow_now(&missed) => {
                self.follow_now(engine, &missed)
            }
            (Ok(engine), Some(missed)) => {
                self.rounds += 1;
                self.catch_up(engine, missed);
                false
            }
            (Err(_), missed) if self.current.is_some() => {
                self.given_up = missed.is_none();
                false
            }
            (Err(error), None) if kind == Kind::Build => {
                self.error = Some(error);
                true
            }
            // It may still be built, for the newest map.
            (Err(_), _) => false,
        }
    }

    /// Follows what an engine has missed; says whether it is current then. One at hand stays where
    /// that fails.
    fn follow_now(&mut self, engine: U::Engine, missed: &Missed<U>) -> bool {
        let (refreshed, took) = timed(|| missed.followed_by(&*self.recipe, &engine));
        self.learn(took, missed.edits);
        refreshed.is_ok_and(|engine| self.take_over(engine))
    }

    fn may_follow_now(&self, missed: &Missed<U>) -> bool {
        let soon = self.pace.saturating_mul(missed.edits) <= self.budget;
        let at_last = self.rounds >= MOST_ROUNDS;
        self.follow == Follow::AtOnce || (!self.behind && (soon || at_last))
    }

    /// Notes how long it took to follow some edits. Several in one step say only that one takes no
    /// longer.
    fn learn(&mut self, took: Duration, edits: u32) {
        self.pace = if edits == 1 { took } else { self.pace.min(took) };
    }

    /// The result of a job becomes current.
    fn take_over(&mut self, engine: U::Engine) -> bool {
        (self.current, self.error, self.rounds) = (Some(engine), None, 0);
        true
    }

    fn miss(&mut self, map: &U::Map, changes: &Arc<U::Changes>) {
        self.missed.push(Missed::new(map, changes));
        if self.missed.len() > MOST_MISSED {
            self.missed = self.take_missed().into_iter().collect();
        }
    }

    /// All edits since the job began, as one.
    fn take_missed(&mut self) -> Option<Missed<U>> {
        let notes = take(&mut self.missed);
        let edits = notes.iter().fold(0, |sum: u32, missed| sum.saturating_add(missed.edits));
        let changes = match &notes[..] {
            [one] => Arc::clone(&one.changes),
            all => Arc::new(self.recipe.merged(all.iter().map(|missed| &*missed.changes))),
        };
        let map = notes.into_iter().next_back()?.map;
        Some(Missed { map, changes, edits })
    }

    /// Begins to build an engine that is not there.
    fn build(&mut self, map: &U::Map) {
        if self.job.is_none() && self.current.is_none() {
            let map = map.clone();
            self.start(Kind::Build, move |recipe, stop| recipe.build(&map, stop));
        }
    }

    /// Begins to rebuild an engine that has become slow.
    fn rebuild(&mut self, map: &U::Map) {
        let Some(engine) = self.current.as_ref().filter(|_| self.job.is_none()) else { return };
        if !self.given_up && self.recipe.wants_rebuild(engine) {
            let (engine, map) = (engine.clone(), map.clone());
            self.start(Kind::Rebuild, move |recipe, _| recipe.rebuild(&engine, &map));
        }
    }

    fn catch_up(&mut self, engine: U::Engine, missed: Missed<U>) {
        let kind = Kind::Follow(missed.edits);
        self.start(kind, move |recipe, _| missed.followed_by(recipe, &engine));
    }

    /// Where no thread can be had nothing is started, and the next edit or `advance` tries again.
    fn start(
        &mut self,
        kind: Kind,
        work: impl FnOnce(&U, &AtomicBool) -> Made<U> + Send + 'static,
    ) {
        let stop = Arc::new(AtomicBool::new(false));
        let (recipe, told) = (Arc::clone(&self.recipe), Arc::clone(&stop));
        let task = Task::spawn(move || timed(|| work(&recipe, &told)));
        self.job = task.map(|task| Job { task, kind, _stop: Stop(stop) });
    }
}
