//! Rebuilds in slices.

use super::Engine;
use crate::build::BuildError;

/// A rebuild of an engine that works a stated number of expansions at a time, for callers that have
/// a little time per frame and want no thread.
///
/// The result does not depend on the sizes of the slices.
///
/// ```
/// use portolan::{Changes, Grid, Map, Settings, registry};
/// let mut map = Map::from(Grid::new(60, 60)?);
/// let method = registry::method("differential").unwrap();
/// let engine = method.build(&map, &Settings::default())?;
/// let changes = Changes::new().block(1830);
/// map.apply(&changes)?;
/// let engine = engine.refresh(&map, &changes)?;
/// assert!(engine.wants_rebuild());
///
/// let mut rebuild = engine.sliced_rebuild().expect("an engine with landmarks has one");
/// while !rebuild.advance(500) {} // one slice per frame
/// assert!(!rebuild.finish()?.wants_rebuild());
/// # Ok::<(), portolan::Error>(())
/// ```
pub trait SlicedRebuild: Send {
    /// Expands at most `expansions` nodes. Returns whether the rebuild is finished.
    fn advance(&mut self, expansions: u64) -> bool;

    /// Completes the rebuild. The engine is for the map that the rebuild began with.
    fn finish(self: Box<Self>) -> Result<Box<dyn Engine>, BuildError>;
}
