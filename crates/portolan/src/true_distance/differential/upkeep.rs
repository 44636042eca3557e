//! Landmarks of a map that is edited: sound at every moment, tight again soon.
//!
//! An edit leaves bounds sound at once (`refresh.rs`), or stale where that was chosen, but weaker
//! than they could be. A [`LandmarkUpkeep`] finds distances anew from a snapshot, a slice per frame
//! or on another thread; edits made meanwhile are noted, and the new landmarks follow them before
//! they take over.

use std::mem::take;
use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use super::{Adaptive, Differential, Renewal};
use crate::build::BuildError;
use crate::changes::{Backlog, Changes};
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::map::Map;

/// Landmarks that follow edits and are renewed behind them. For an engine with landmarks,
/// [`search_engine::Upkeep`](crate::search_engine::Upkeep) does the same.
///
/// ```
/// use portolan::changes::CellChange;
/// use portolan::true_distance::{Differential, DifferentialConfig};
/// use portolan::true_distance::differential::LandmarkUpkeep;
/// use portolan::{Changes, Grid, Map};
/// let mut map = Map::from(Grid::new(30, 30)?);
/// let landmarks = Differential::new(&map, &DifferentialConfig::default())?;
/// let mut upkeep = LandmarkUpkeep::new(landmarks);
/// let changes = Changes::new().block(400);
/// map.apply(&changes)?;
/// upkeep.edit(&map, &changes)?;
/// // Once per frame:
/// while upkeep.advance(500)? {}
/// assert!(!upkeep.landmarks().wants_renewal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LandmarkUpkeep {
    current: Differential,
    work: Option<Work>,
    /// What the work does not know: the edits since it began, and those that were refused before.
    missed: Backlog,
    /// What the landmarks at hand do not know: edits that could not be followed.
    refused: Backlog,
    /// How many renewals have taken over so far.
    renewals: u64,
}

debug_by_name!("LandmarkUpkeep", [] LandmarkUpkeep, |upkeep| "landmarks" = upkeep.current.landmarks(), "renewing" = upkeep.is_renewing());

enum Work {
    Slices(Box<Renewal>),
    Thread(JoinHandle<Result<Differential, BuildError>>),
}

impl LandmarkUpkeep {
    /// Takes care of landmarks from now on.
    pub fn new(landmarks: Differential) -> Self {
        let (missed, refused) = (Backlog::default(), Backlog::default());
        Self { current: landmarks, work: None, missed, refused, renewals: 0 }
    }

    /// How many renewals have taken over so far.
    pub fn renewals(&self) -> u64 {
        self.renewals
    }

    /// Whether a renewal is under way.
    pub fn is_renewing(&self) -> bool {
        self.work.is_some()
    }

    /// The landmarks of the map after all edits.
    pub fn landmarks(&self) -> &Differential {
        &self.current
    }

    /// Follows an edit, which has already been made in `map`. Where that fails, the landmarks are
    /// still those of the map before; the next edit, or a renewal that is under way, makes good for
    /// it.
    pub fn edit(&mut self, map: &Map, changes: &Changes) -> Result<(), BuildError> {
        if self.work.is_some() {
            self.missed.note(map, changes);
        }
        self.refused.note(map, changes);
        if let Some((map, changes)) = self.refused.whole() {
            self.current = self.current.refreshed(map, &changes)?;
        }
        self.refused = Backlog::default();
        Ok(())
    }

    /// Begins to move a landmark toward recent goals, if that is [worth it](Adaptive::next_move)
    /// and no renewal is under way; says whether it has begun. It goes on with
    /// [`advance`](Self::advance) or [in the background](Self::renew_in_background).
    pub fn adapt(&mut self, adaptive: &mut Adaptive) -> bool {
        self.begin(|landmarks| adaptive.next_move(landmarks))
    }

    /// The same for landmarks that are [moved by hand](Differential::renewal_with).
    pub fn move_landmarks(&mut self, moves: &[(usize, NodeId)]) -> bool {
        self.begin(|landmarks| Some(landmarks.renewal_with(moves)))
    }

    fn begin(&mut self, renewal: impl FnOnce(&Differential) -> Option<Renewal>) -> bool {
        if self.work.is_some() {
            return false;
        }
        self.work = renewal(&self.current).map(|renewal| Work::Slices(Box::new(renewal)));
        self.missed = self.refused.clone();
        self.work.is_some()
    }

    /// Expands at most so many nodes of a renewal, if one is wanted or under way; says whether
    /// there is more to do.
    pub fn advance(&mut self, expansions: u64) -> Result<bool, BuildError> {
        self.begin_if_wanted();
        let done = match &mut self.work {
            None => return Ok(false),
            Some(Work::Slices(renewal)) => renewal.advance(expansions),
            Some(Work::Thread(thread)) => thread.is_finished(),
        };
        if done {
            self.finish()?;
        }
        Ok(!done || self.current.wants_renewal())
    }

    /// Goes on with a renewal on another thread, if one is wanted or under way;
    /// [`advance`](Self::advance) then only looks whether it is done.
    pub fn renew_in_background(&mut self) {
        self.begin_if_wanted();
        self.work = match self.work.take() {
            Some(Work::Slices(renewal)) => {
                let thread = thread::Builder::new().spawn(move || renewal.finish());
                thread.ok().map(Work::Thread)
            }
            other => other,
        };
    }

    fn begin_if_wanted(&mut self) {
        if self.current.wants_renewal() {
            self.begin(|landmarks| Some(landmarks.renewal()));
        }
    }

    /// Waits for the renewal that is under way, if one is, and puts its landmarks in place.
    pub fn finish(&mut self) -> Result<(), BuildError> {
        let renewed = match self.work.take() {
            None => return Ok(()),
            Some(Work::Slices(renewal)) => renewal.finish(),
            Some(Work::Thread(thread)) => match thread.join() {
                Ok(renewed) => renewed,
                Err(panic) => resume_unwind(panic),
            },
        };
        let missed = take(&mut self.missed);
        let renewed = renewed?;
        self.current = match missed.whole() {
            Some((map, changes)) => renewed.refreshed(map, &changes)?,
            None => renewed,
        };
        self.refused = Backlog::default();
        self.renewals += 1;
        Ok(())
    }
}
