//! Rebuilding in the background as edits pile up.
//!
//! A refreshed index is exact at once, but answers get slower the more of its labels are left
//! behind. An [`Upkeep`] has it built anew on another thread, from a snapshot that nobody writes
//! to, and puts the new index in its place when it is ready. Edits that are made meanwhile go to
//! the index at hand and are noted; the new one follows them before it takes over. So there is an
//! exact index at every moment, and no edit waits.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use super::Atlas;
use crate::build::BuildError;
use crate::changes::{Backlog, Changes};
use crate::debug::debug_by_name;
use crate::engine::Build;
use crate::map::Map;

/// An [`Atlas`] that is edited often.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig, Upkeep};
/// use portolan::changes::CellChange;
/// use portolan::{Changes, Build, Engine, Grid, Map, Query};
/// let mut map = Map::from(Grid::new(40, 40)?);
/// let mut upkeep = Upkeep::new(Atlas::build(&map, &AtlasConfig::default())?);
/// for node in 820..850 {
///     let changes = Changes::new().block(node);
///     map.apply(&changes)?;
///     upkeep.edit(&map, &changes)?;
///     assert!(upkeep.atlas().query().distance(0, 1599)?.is_some());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Upkeep {
    atlas: Atlas,
    /// An edit was refused: the index is that of an earlier map.
    behind: bool,
    rebuild: Option<Rebuild>,
    /// Why a rebuild has failed; another would as well.
    failed: Option<BuildError>,
}

debug_by_name!("Upkeep", [] Upkeep, |upkeep| "atlas" = upkeep.atlas);

/// A rebuild under way.
struct Rebuild {
    thread: JoinHandle<Result<Atlas, BuildError>>,
    /// The edits since it began.
    missed: Backlog,
}

impl Upkeep {
    /// Takes care of an index from now on.
    pub fn new(atlas: Atlas) -> Self {
        Self { atlas, behind: false, rebuild: None, failed: None }
    }

    /// The index of the map after all edits that were followed.
    pub fn atlas(&self) -> &Atlas {
        &self.atlas
    }

    /// Follows an edit, which has already been made in `map`; puts a rebuilt index in place if one
    /// is ready, and starts a rebuild where one [is wanted](Atlas::wants_rebuild).
    ///
    /// An error means that the map has outgrown what was chosen for the index: the one at hand is
    /// that of the map before the edit, and the next edit tries to build one from scratch.
    pub fn edit(&mut self, map: &Map, changes: &Changes) -> Result<(), BuildError> {
        let followed = match self.behind {
            false => self.atlas.refreshed(map, changes),
            true => Atlas::build(map, &self.atlas.config),
        };
        self.behind = followed.is_err();
        if self.behind {
            // It knows nothing of this edit, nor could it be told.
            self.rebuild = None;
        }
        self.atlas = followed?;
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.missed.note(map, changes);
            if rebuild.thread.is_finished() {
                // What went wrong is kept.
                let _ = self.finish();
            }
        } else if self.atlas.wants_rebuild() && self.failed.is_none() {
            let snapshot = self.atlas.clone();
            let thread = thread::Builder::new().spawn(move || snapshot.relabelled());
            self.rebuild = thread.ok().map(|thread| Rebuild { thread, missed: Backlog::default() });
        }
        Ok(())
    }

    /// Whether a rebuild is under way.
    pub fn is_rebuilding(&self) -> bool {
        self.rebuild.is_some()
    }

    /// Why the last rebuild failed, if it did: the index at hand stays, and none is tried again.
    pub fn rebuild_error(&self) -> Option<&BuildError> {
        self.failed.as_ref()
    }

    /// Waits for the rebuild that is under way, if one is, and puts its index in place.
    pub fn finish(&mut self) -> Result<(), BuildError> {
        let Some(Rebuild { thread, missed }) = self.rebuild.take() else { return Ok(()) };
        let rebuilt = match thread.join() {
            Ok(rebuilt) => rebuilt,
            Err(panic) => resume_unwind(panic),
        };
        let follow = |atlas: Atlas| match missed.whole() {
            Some((map, changes)) => atlas.refreshed(map, &changes),
            None => Ok(atlas),
        };
        match rebuilt.and_then(follow) {
            Ok(atlas) => {
                self.atlas = atlas;
                Ok(())
            }
            Err(error) => {
                self.failed = Some(error.clone());
                Err(error)
            }
        }
    }
}
