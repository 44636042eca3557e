//! Landmark renewals as rebuilds of the engine.

use super::SearchEngine;
use crate::build::BuildError;
use crate::engine::{Engine, SlicedRebuild};
use crate::true_distance::differential::Renewal;

/// An engine whose landmarks are renewed in slices.
struct LandmarkRebuild {
    engine: SearchEngine,
    renewal: Renewal,
}

impl SearchEngine {
    /// A rebuild of this engine with the landmarks of `renewal`, which must come from landmarks of
    /// this engine, for example from [`Adaptive`](crate::true_distance::differential::Adaptive).
    ///
    /// ```
    /// use portolan::search_engine::SearchEngine;
    /// use portolan::true_distance::differential::Adaptive;
    /// use portolan::world::{Recipe, World};
    /// use portolan::{Grid, Settings};
    /// let world = World::new(Grid::new(60, 60)?)?;
    /// world.add(Recipe::named("differential", Settings::default())?)?;
    /// let mut adaptive = Adaptive::new(50);
    /// let snapshot = world.snapshot();
    /// let engine = snapshot.engine("differential").and_then(|engine| engine.downcast_ref());
    /// let landmarks = engine.and_then(|engine: &SearchEngine| engine.bounds().landmarks());
    /// for from in 0..40 {
    ///     adaptive.note(landmarks.unwrap(), from, 777); // many queries for the same goal
    /// }
    /// // Moves a landmark to that goal, in the background.
    /// let begun = world.rebuild_with("differential", |engine| {
    ///     let engine: &SearchEngine = engine.downcast_ref()?;
    ///     let renewal = adaptive.next_move(engine.bounds().landmarks()?)?;
    ///     Some(engine.rebuild_with(renewal))
    /// })?;
    /// assert!(begun);
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn rebuild_with(&self, renewal: Renewal) -> Box<dyn SlicedRebuild> {
        let engine = self.with_bounds(&self.map, self.bounds.clone());
        Box::new(LandmarkRebuild { engine, renewal })
    }
}

impl SlicedRebuild for LandmarkRebuild {
    fn advance(&mut self, expansions: u64) -> bool {
        self.renewal.advance(expansions)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Engine>, BuildError> {
        let Self { engine, renewal } = *self;
        let bounds = engine.bounds.with_other_landmarks(renewal.finish()?);
        Ok(Box::new(engine.with_bounds(&engine.map, bounds)))
    }
}
