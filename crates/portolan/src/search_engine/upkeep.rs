//! An engine with landmarks on a map that is edited: exact at every moment, tight again soon.
//!
//! A refreshed engine is exact at once, since its bounds are mended with the edit, or stale where
//! that was chosen by name. But where costs have risen, bounds are weaker than they could be. An
//! [`Upkeep`] has the landmarks' distances found anew, so many nodes per frame or on another
//! thread, and puts an engine with them in place when they are ready.

use super::SearchEngine;
use crate::build::BuildError;
use crate::changes::Changes;
use crate::debug::debug_by_name;
use crate::engine::Build;
use crate::map::Map;
use crate::true_distance::Differential;
use crate::true_distance::differential::{Adaptive, LandmarkUpkeep};

/// A [`SearchEngine`] that is edited often, such as `differential`, or any search with landmarks
/// beside other bounds.
///
/// ```
/// use portolan::changes::CellChange;
/// use portolan::true_distance::StoredKind;
/// use portolan::search_engine::{SearchConfig, SearchEngine};
/// use portolan::search_engine::Upkeep;
/// use portolan::{Changes, Build, Engine, Grid, Map, Query, Settings};
/// let mut map = Map::from(Grid::new(60, 60)?);
/// let config = SearchConfig::named(StoredKind::Differential, &Settings::default());
/// let mut upkeep = Upkeep::new(SearchEngine::build(&map, &config)?);
/// for node in 1800..1850 {
///     let changes = Changes::new().block(node);
///     map.apply(&changes)?;
///     upkeep.edit(&map, &changes)?;
///     // Once per frame; `renew_in_background` has another thread do it.
///     upkeep.advance(500)?;
///     assert!(upkeep.engine().query().distance(0, 3599)?.is_some());
/// }
/// while upkeep.advance(500)? {}
/// assert!(upkeep.renewals() > 0 && !upkeep.wants_renewal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Upkeep {
    engine: SearchEngine,
    /// None where the engine has no landmarks, or where an edit was refused and the engine is that
    /// of an earlier map.
    landmarks: Option<LandmarkUpkeep>,
    behind: bool,
    /// Renewals before the landmarks at hand were built anew.
    renewals: u64,
}

debug_by_name!("Upkeep", [] Upkeep, |upkeep| "engine" = upkeep.engine);

impl Upkeep {
    /// Takes care of an engine from now on. One without landmarks follows edits and has nothing to
    /// renew.
    pub fn new(engine: SearchEngine) -> Self {
        let landmarks = engine.bounds().landmarks().cloned().map(LandmarkUpkeep::new);
        Self { engine, landmarks, behind: false, renewals: 0 }
    }

    /// The engine of the map after all edits that were followed.
    pub fn engine(&self) -> &SearchEngine {
        &self.engine
    }

    /// Its landmarks, if it has some.
    pub fn landmarks(&self) -> Option<&Differential> {
        self.engine.bounds().landmarks()
    }

    /// Whether bounds would be tighter after a renewal, or are stale until then.
    pub fn wants_renewal(&self) -> bool {
        self.landmarks().is_some_and(Differential::wants_renewal)
    }

    /// Whether a renewal is under way.
    pub fn is_renewing(&self) -> bool {
        self.landmarks.as_ref().is_some_and(LandmarkUpkeep::is_renewing)
    }

    /// How many renewals have taken over so far.
    pub fn renewals(&self) -> u64 {
        self.renewals + self.landmarks.as_ref().map_or(0, LandmarkUpkeep::renewals)
    }

    /// Follows an edit, which has already been made in `map`.
    ///
    /// An error means that the map has outgrown what was chosen for the engine: the one at hand is
    /// that of the map before the edit, and the next edit tries to build one from scratch.
    pub fn edit(&mut self, map: &Map, changes: &Changes) -> Result<(), BuildError> {
        let followed = self.follow(map, changes);
        self.behind = followed.is_err();
        if self.behind {
            // What is under way knows nothing of this edit.
            self.renewals = self.renewals();
            self.landmarks = None;
        }
        self.engine = followed?;
        Ok(())
    }

    fn follow(&mut self, map: &Map, changes: &Changes) -> Result<SearchEngine, BuildError> {
        if self.behind {
            let built = SearchEngine::build(map, self.engine.config())?;
            self.landmarks = built.bounds().landmarks().cloned().map(LandmarkUpkeep::new);
            return Ok(built);
        }
        let Some(landmarks) = &mut self.landmarks else {
            return self.engine.refreshed(map, changes);
        };
        landmarks.edit(map, changes)?;
        self.engine.refreshed_around(map, changes, landmarks.landmarks())
    }

    /// Expands at most so many nodes of a renewal, if one is wanted or under way; says whether
    /// there is more to do. Where it fails, the engine at hand stays.
    pub fn advance(&mut self, expansions: u64) -> Result<bool, BuildError> {
        self.renewing(|landmarks| landmarks.advance(expansions)).unwrap_or(Ok(false))
    }

    /// Goes on with a renewal on another thread, if one is wanted or under way;
    /// [`advance`](Self::advance) then only looks whether it is done.
    pub fn renew_in_background(&mut self) {
        self.renewing(LandmarkUpkeep::renew_in_background);
    }

    /// Begins to move a landmark toward recent goals, if that is [worth it](Adaptive::next_move)
    /// and no renewal is under way; says whether it has begun.
    pub fn adapt(&mut self, adaptive: &mut Adaptive) -> bool {
        self.renewing(|landmarks| landmarks.adapt(adaptive)).unwrap_or(false)
    }

    /// Waits for the renewal that is under way, if one is, and puts its landmarks in place.
    pub fn finish(&mut self) -> Result<(), BuildError> {
        self.renewing(LandmarkUpkeep::finish).unwrap_or(Ok(()))
    }

    /// Works on the landmarks; where a renewal takes over, so does an engine with it.
    fn renewing<T>(&mut self, work: impl FnOnce(&mut LandmarkUpkeep) -> T) -> Option<T> {
        let landmarks = self.landmarks.as_mut()?;
        let before = landmarks.renewals();
        let done = work(landmarks);
        if landmarks.renewals() > before {
            self.engine = self.engine.with_landmarks(landmarks.landmarks().clone());
        }
        Some(done)
    }
}
