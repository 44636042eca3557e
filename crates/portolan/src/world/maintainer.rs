//! Keeps one engine up to date with a map that is edited.
//!
//! At any moment the engine is *current*, which means that it is for the newest map, or there is
//! none and readers do without it. It follows an edit inside the edit, or in the background if that
//! took longer than the budget before. Independently, an engine that many edits have slowed down is
//! rebuilt while it answers: on a background thread, or in slices inside [`Maintainer::advance`].
//!
//! A job owns all its input and knows one map, the newest at its start. Edits during the job are
//! recorded, each with its map. The result follows all of them in one step before it becomes
//! current: inside `advance` if that is fast, else in another job. After [`MAX_CATCH_UPS`] such
//! jobs it follows them in `advance` in any case, so no work is wasted however fast edits come.
//! More than [`MAX_MISSED`] recorded edits are merged, so memory is bounded. An engine has at most
//! one job.
//!
//! An engine has failed only if it cannot be *built* for the newest map. An engine that cannot
//! follow an edit, or be built for an older map, is built from scratch.
//!
//! Only [`Maintainer::advance`] evaluates durations. A sequence of edits alone gives the same
//! engines on every machine.

use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::sync::{Task, timed};

/// How an engine is built and kept up to date.
pub(super) trait Maintain: Send + Sync + 'static {
    /// A version of the map, cheap to clone.
    type Map: Clone + Send + Sync + 'static;
    type Changes: Send + Sync + 'static;
    /// An engine for one version, cheap to clone.
    type Engine: Clone + Send + Sync + 'static;
    type Error: Clone + Send + Sync + 'static;
    /// A rebuild in slices.
    type SlicedRebuild: Send + 'static;

    /// Builds the engine from scratch. May give up once `cancelled` is set.
    fn build(&self, map: &Self::Map, cancelled: &AtomicBool) -> Result<Self::Engine, Self::Error>;

    /// The engine after changes that led to this map.
    fn refresh(
        &self,
        engine: &Self::Engine,
        map: &Self::Map,
        changes: &Self::Changes,
    ) -> Result<Self::Engine, Self::Error>;

    /// Merges consecutive changes. The result takes no more memory than the map.
    fn merged<'a>(&self, changes: impl Iterator<Item = &'a Self::Changes>) -> Self::Changes;

    /// Whether edits have slowed the engine down.
    fn wants_rebuild(&self, engine: &Self::Engine) -> bool;

    /// The engine of the same map, fast again.
    fn rebuild(&self, engine: &Self::Engine, map: &Self::Map) -> Result<Self::Engine, Self::Error>;

    /// The same in slices, if the engine supports it.
    fn sliced_rebuild(&self, engine: &Self::Engine) -> Option<Self::SlicedRebuild>;

    /// Expands at most `expansions` nodes of a rebuild. Returns whether it is finished.
    fn advance(&self, rebuild: &mut Self::SlicedRebuild, expansions: u64) -> bool;

    /// Completes a rebuild. The engine is for the map that the rebuild began with.
    fn finish(&self, rebuild: Self::SlicedRebuild) -> Result<Self::Engine, Self::Error>;
}

/// When an engine follows edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Follow {
    /// Inside the edit, or in the background if it took longer than the budget when `advance` last
    /// checked.
    #[default]
    Auto,
    /// Inside the edit, however long that takes. Answers then never depend on timing.
    AtOnce,
    /// Always in the background. Edits do not wait for the engine, and A* answers from an edit
    /// until `advance` finds the engine ready. If you edit in every frame, call `advance` before
    /// the edits.
    Behind,
}

/// Where an engine is rebuilt that edits have slowed down. It answers meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RebuildMode {
    /// On a background thread.
    #[default]
    Background,
    /// In slices inside `advance`, without a thread and independently of timing. Engines that
    /// [cannot](crate::Engine::sliced_rebuild) are rebuilt on a background thread.
    Slices {
        /// The most nodes that one call of `advance` expands for an engine, at least one. More
        /// finishes rebuilds sooner; fewer keep the calls short.
        expansions: u64,
    },
}

/// How an engine is kept up to date.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) follow: Follow,
    /// With [`Follow::Auto`], the longest time to follow an edit inside the edit.
    pub(super) budget: Duration,
    pub(super) rebuild: RebuildMode,
}

/// An engine as readers see it.
pub(super) enum State<M: Maintain> {
    /// It is for the map that it is published with.
    Current(M::Engine),
    /// A job is working on it.
    Behind,
    /// It cannot be built for this map. The next edit tries again.
    Failed(M::Error),
}

pub(super) struct Maintainer<M: Maintain> {
    pub(super) recipe: Arc<M>,
    rule: Rule,
    /// Whether edits are followed in the background.
    behind: bool,
    /// The engine for the newest map.
    current: Option<M::Engine>,
    /// Why it cannot be built for the newest map.
    error: Option<M::Error>,
    job: Option<Job<M>>,
    /// The edits since the job began. Empty without a job.
    missed: Vec<MissedEdits<M>>,
    /// A rebuild failed or did not help, and would again for this map.
    given_up: bool,
    /// How long it took to follow one edit.
    pace: Duration,
    /// The number of consecutive jobs that only followed missed edits.
    catch_ups: u32,
}

/// Edits to follow in one step, and the map that they led to.
struct MissedEdits<M: Maintain> {
    map: M::Map,
    changes: Arc<M::Changes>,
    edits: u32,
}

impl<M: Maintain> MissedEdits<M> {
    fn one(map: &M::Map, changes: &Arc<M::Changes>) -> Self {
        Self { map: map.clone(), changes: Arc::clone(changes), edits: 1 }
    }

    fn followed_by(&self, recipe: &M, engine: &M::Engine) -> Made<M> {
        recipe.refresh(engine, &self.map, &self.changes)
    }
}

type Made<M> = Result<<M as Maintain>::Engine, <M as Maintain>::Error>;

struct Job<M: Maintain> {
    kind: JobKind,
    work: Work<M>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobKind {
    Build,
    Rebuild,
    /// Follows this number of edits in one step.
    CatchUp(u32),
}

enum Work<M: Maintain> {
    Background { task: Task<(Made<M>, Duration)>, cancel: CancelOnDrop },
    Slices(M::SlicedRebuild),
}

/// Cancels a background job when nobody waits for it any more.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The most edits that are recorded one by one during a job.
const MAX_MISSED: usize = 64;

/// The most consecutive jobs that only follow missed edits.
const MAX_CATCH_UPS: u32 = 2;

impl<M: Maintain> Maintainer<M> {
    /// Maintains a built engine. Builds it in the background if there is none.
    pub(super) fn new(recipe: Arc<M>, rule: Rule, engine: Option<M::Engine>, map: &M::Map) -> Self {
        let mut maintainer = Self {
            recipe,
            rule,
            behind: rule.follow == Follow::Behind,
            current: engine,
            error: None,
            job: None,
            missed: Vec::new(),
            given_up: false,
            pace: Duration::ZERO,
            catch_ups: 0,
        };
        maintainer.build_if_missing(map);
        maintainer
    }

    pub(super) fn state(&self) -> State<M> {
        match (&self.current, &self.error) {
            (Some(engine), _) => State::Current(engine.clone()),
            (None, Some(error)) => State::Failed(error.clone()),
            (None, None) => State::Behind,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Drops the engine and its job. `advance` or the next edit builds it from scratch.
    pub(super) fn forget(&mut self) {
        (self.current, self.error, self.job) = (None, None, None);
        self.missed.clear();
    }

    /// Follows an edit that led to this map.
    pub(super) fn follow(&mut self, map: &M::Map, changes: &Arc<M::Changes>) {
        if self.job.is_some() {
            self.record_missed(map, changes);
        }
        match self.current.take() {
            Some(engine) if !self.behind => {
                let refresh = || self.recipe.refresh(&engine, map, changes);
                let (refreshed, took) = timed(refresh);
                self.update_pace(took, 1);
                self.current = refreshed.ok();
            }
            // If there is a job, its result will follow this edit.
            Some(engine) if self.job.is_none() => {
                self.catch_up(engine, MissedEdits::one(map, changes));
            }
            _ => {}
        }
        // What failed for the old map may succeed for this one.
        (self.given_up, self.error) = (false, None);
        if self.current.is_none() {
            // Readers wait for the job, so it must not wait for more slices.
            self.move_to_background();
        }
        self.build_if_missing(map);
    }

    /// Works on a sliced rebuild, takes over the result of a finished job, decides whether to
    /// follow edits in the background, and starts new jobs. Returns whether readers see another
    /// engine.
    pub(super) fn advance(&mut self, map: &M::Map) -> bool {
        let changed = self.advance_job() && self.install();
        self.behind = match self.rule.follow {
            Follow::Auto => self.pace > self.rule.budget,
            Follow::AtOnce => false,
            Follow::Behind => true,
        };
        if self.error.is_none() {
            self.build_if_missing(map);
        }
        // Not after an edit: without calls of `advance`, nobody would take over the result.
        self.rebuild_if_slow(map);
        changed
    }

    /// Like [`advance`](Self::advance), but completes all jobs and ignores durations. No edit comes
    /// in between.
    pub(super) fn settle(&mut self, map: &M::Map) -> bool {
        let mut changed = false;
        loop {
            if self.error.is_none() {
                self.build_if_missing(map);
            }
            self.rebuild_if_slow(map);
            if self.job.is_none() {
                return changed;
            }
            changed |= self.install();
        }
    }

    /// Begins the rebuild that `start` makes from the engine. Returns whether it has begun: not
    /// without an engine or during another job.
    pub(super) fn rebuild_with(
        &mut self,
        start: impl FnOnce(&M, &M::Engine) -> Option<M::SlicedRebuild>,
    ) -> bool {
        let Some(engine) = self.current.as_ref().filter(|_| self.job.is_none()) else {
            return false;
        };
        let Some(rebuild) = start(&self.recipe, engine) else { return false };
        self.job = Some(Job { kind: JobKind::Rebuild, work: Work::Slices(rebuild) });
        if self.rule.rebuild == RebuildMode::Background {
            self.move_to_background();
        }
        self.job.is_some()
    }

    /// Works on a sliced job. Returns whether the result of the job is ready.
    fn advance_job(&mut self) -> bool {
        // A panic must leave neither half a job nor edits without a job.
        let (job, missed) = (self.job.take(), take(&mut self.missed));
        let Some(mut job) = job else { return false };
        let is_ready = match &mut job.work {
            Work::Background { task, .. } => task.is_finished(),
            Work::Slices(rebuild) => match self.rule.rebuild {
                RebuildMode::Background => true,
                RebuildMode::Slices { expansions } => {
                    self.recipe.advance(rebuild, expansions.max(1))
                }
            },
        };
        (self.job, self.missed) = (Some(job), missed);
        is_ready
    }

    /// Completes the job and takes over its result. Returns whether readers see another engine.
    fn install(&mut self) -> bool {
        let Some(Job { kind, work }) = self.job.take() else { return false };
        let missed = self.take_missed();
        let (made, took) = match work {
            Work::Background { task, cancel } => {
                let done = task.join();
                drop(cancel); // not earlier: it would cancel the task
                done
            }
            Work::Slices(rebuild) => timed(|| self.recipe.finish(rebuild)),
        };
        if let JobKind::CatchUp(edits) = kind {
            self.update_pace(took, edits);
        }
        match (made, missed) {
            (Ok(engine), None) => {
                // An engine that still wants a rebuild after one would want it forever.
                self.given_up = kind == JobKind::Rebuild && self.recipe.wants_rebuild(&engine);
                self.take_over(engine)
            }
            (Ok(engine), Some(missed)) if self.may_follow_now(&missed) => {
                self.follow_now(engine, &missed)
            }
            (Ok(engine), Some(missed)) => {
                self.catch_ups += 1;
                self.catch_up(engine, missed);
                false
            }
            (Err(_), missed) if self.current.is_some() => {
                self.given_up = missed.is_none();
                false
            }
            (Err(error), None) if kind == JobKind::Build => {
                self.error = Some(error);
                true
            }
            // A build for the newest map may succeed.
            (Err(_), _) => false,
        }
    }

    /// Follows the missed edits of an engine. Returns whether it is current now. If that fails, the
    /// present engine stays.
    fn follow_now(&mut self, engine: M::Engine, missed: &MissedEdits<M>) -> bool {
        let (refreshed, took) = timed(|| missed.followed_by(&*self.recipe, &engine));
        self.update_pace(took, missed.edits);
        refreshed.is_ok_and(|engine| self.take_over(engine))
    }

    fn may_follow_now(&self, missed: &MissedEdits<M>) -> bool {
        let is_fast = self.pace.saturating_mul(missed.edits) <= self.rule.budget;
        let is_last = self.catch_ups >= MAX_CATCH_UPS;
        self.rule.follow == Follow::AtOnce || (!self.behind && (is_fast || is_last))
    }

    /// Records how long it took to follow some edits. Several in one step prove only an upper bound
    /// for one.
    fn update_pace(&mut self, took: Duration, edits: u32) {
        self.pace = if edits == 1 { took } else { self.pace.min(took) };
    }

    /// Makes the result of a job current.
    fn take_over(&mut self, engine: M::Engine) -> bool {
        (self.current, self.error, self.catch_ups) = (Some(engine), None, 0);
        true
    }

    fn record_missed(&mut self, map: &M::Map, changes: &Arc<M::Changes>) {
        self.missed.push(MissedEdits::one(map, changes));
        if self.missed.len() > MAX_MISSED {
            self.missed = self.take_missed().into_iter().collect();
        }
    }

    /// Takes all edits since the job began, as one.
    fn take_missed(&mut self) -> Option<MissedEdits<M>> {
        let all = take(&mut self.missed);
        let edits = all.iter().fold(0, |sum: u32, missed| sum.saturating_add(missed.edits));
        let changes = match &all[..] {
            [one] => Arc::clone(&one.changes),
            several => Arc::new(self.recipe.merged(several.iter().map(|missed| &*missed.changes))),
        };
        let map = all.into_iter().next_back()?.map;
        Some(MissedEdits { map, changes, edits })
    }

    fn build_if_missing(&mut self, map: &M::Map) {
        if self.job.is_none() && self.current.is_none() {
            let map = map.clone();
            self.spawn(JobKind::Build, move |recipe, cancelled| recipe.build(&map, cancelled));
        }
    }

    fn rebuild_if_slow(&mut self, map: &M::Map) {
        let Some(engine) = self.current.as_ref().filter(|_| self.job.is_none()) else { return };
        if self.given_up || !self.recipe.wants_rebuild(engine) {
            return;
        }
        let in_slices = !self.behind && self.rule.rebuild != RebuildMode::Background;
        if in_slices && self.rebuild_with(|recipe, engine| recipe.sliced_rebuild(engine)) {
            return;
        }
        if let Some(engine) = self.current.clone() {
            let map = map.clone();
            self.spawn(JobKind::Rebuild, move |recipe, _| recipe.rebuild(&engine, &map));
        }
    }

    fn catch_up(&mut self, engine: M::Engine, missed: MissedEdits<M>) {
        let kind = JobKind::CatchUp(missed.edits);
        self.spawn(kind, move |recipe, _| missed.followed_by(recipe, &engine));
    }

    /// Continues a sliced job on a background thread.
    fn move_to_background(&mut self) {
        self.job = match self.job.take() {
            Some(Job { kind, work: Work::Slices(rebuild) }) => {
                return self.spawn(kind, move |recipe, _| recipe.finish(rebuild));
            }
            other => other,
        };
    }

    /// Starts a job on a background thread. If there is no thread, nothing is started, and the next
    /// edit or `advance` tries again.
    fn spawn(
        &mut self,
        kind: JobKind,
        work: impl FnOnce(&M, &AtomicBool) -> Made<M> + Send + 'static,
    ) {
        let cancel = CancelOnDrop(Arc::new(AtomicBool::new(false)));
        let (recipe, cancelled) = (Arc::clone(&self.recipe), Arc::clone(&cancel.0));
        let task = Task::spawn(move || timed(|| work(&recipe, &cancelled)));
        self.job = task.map(|task| Job { kind, work: Work::Background { task, cancel } });
        if self.job.is_none() {
            self.missed.clear();
        }
    }
}
