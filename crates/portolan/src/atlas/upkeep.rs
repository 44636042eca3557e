//! Rebuilding in the background as edits pile up.
//!
//! A refreshed index is exact at once, but answers get slower the more of its labels are left behind. An [`Upkeep`] has
//! it built anew on another thread, from a snapshot that nobody writes to, and puts the new index in its place when it
//! is ready. Edits that are made meanwhile go to the index at hand and are noted; the new one follows them
//! before it takes over. So there is an exact index at every moment, and no edit waits.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use super::Atlas;
use crate::changes::Changes;
use crate::engine::{BuildError, Engine};
use crate::map::Map;

/// An [`Atlas`] that is edited often.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig, Upkeep};
/// use portolan::changes::CellChange;
/// use portolan::{Changes, Engine, Grid, Map, Query};
/// let mut map = Map::from(Grid::new(40, 40)?);
/// let mut upkeep = Upkeep::new(Atlas::build(&map, &AtlasConfig::default())?);
/// for node in 820..850 {
///     let cells = vec![CellChange { node, passable: false }];
///     let changes = Changes { cells, ..Changes::default() };
///     map.apply(&changes)?;
///     upkeep.edit(&map, &changes)?;
///     assert!(upkeep.atlas().query().distance(0, 1599)?.is_some());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Upkeep {
    atlas: Atlas,
    rebuild: Option<Rebuild>,
    /// A rebuild has failed; another would as well.
    failed: bool,
}

/// A rebuild under way.
struct Rebuild {
    thread: JoinHandle<Result<Atlas, BuildError>>,
    /// The edits since it began, each with the map that it made.
    missed: Vec<(Map, Changes)>,
}

impl Upkeep {
    /// Takes care of an index from now on.
    pub fn new(atlas: Atlas) -> Self {
        Self { atlas, rebuild: None, failed: false }
    }

    /// The index of the map after all edits.
    pub fn atlas(&self) -> &Atlas {
        &self.atlas
    }

    /// Follows an edit, which has already been made in `map`; puts a rebuilt index in place if one is ready, and
    /// starts a rebuild where one [is wanted](Atlas::wants_rebuild).
    ///
    /// An error means that the map has outgrown what was chosen for the index: either that there is none for this
    /// edit, and the one at hand is that of the map before; or that a rebuild has failed, and the one at hand stays.
    /// Rebuilds are not tried again then.
    pub fn edit(&mut self, map: &Map, changes: &Changes) -> Result<(), BuildError> {
        self.atlas = self.atlas.refresh(map, changes)?;
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.missed.push((map.clone(), changes.clone()));
            return if rebuild.thread.is_finished() { self.finish() } else { Ok(()) };
        }
        if self.atlas.wants_rebuild() && !self.failed {
            let snapshot = self.atlas.snapshot();
            let thread = thread::spawn(move || snapshot.relabelled());
            self.rebuild = Some(Rebuild { thread, missed: Vec::new() });
        }
        Ok(())
    }

    /// Whether a rebuild is under way.
    pub fn is_rebuilding(&self) -> bool {
        self.rebuild.is_some()
    }

    /// Waits for the rebuild that is under way, if one is, and puts its index in place.
    pub fn finish(&mut self) -> Result<(), BuildError> {
        let Some(Rebuild { thread, missed }) = self.rebuild.take() else { return Ok(()) };
        let rebuilt = match thread.join() {
            Ok(rebuilt) => rebuilt,
            Err(panic) => resume_unwind(panic),
        };
        let follow = |atlas: Atlas, (map, changes): &(Map, Changes)| atlas.refresh(map, changes);
        match rebuilt.and_then(|atlas| missed.iter().try_fold(atlas, follow)) {
            Ok(atlas) => {
                self.atlas = atlas;
                Ok(())
            }
            Err(error) => {
                self.failed = true;
                Err(error)
            }
        }
    }
}
