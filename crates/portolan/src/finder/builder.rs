//! Chooses the engine of a finder.

use std::path::Path;

use super::PathFinder;
use crate::build::Progress;
use crate::engine::Engine;
use crate::error::Error;
use crate::map::Map;
use crate::registry::{Settings, named};
use crate::store::IndexFile;

/// Chooses the engine of a [`PathFinder`] and its settings; made by [`PathFinder::builder`].
#[derive(Debug, Clone)]
pub struct PathFinderBuilder {
    map: Map,
    engine: String,
    settings: Settings,
}

impl PathFinderBuilder {
    pub(super) fn new(map: Map) -> Self {
        Self { map, engine: "atlas".to_owned(), settings: Settings::default() }
    }

    /// The engine's name; [`METHODS`](crate::METHODS) lists all.
    pub fn engine(mut self, name: impl Into<String>) -> Self {
        self.engine = name.into();
        self
    }

    /// The most bytes that the index may take. More buys speed. The default suits the map, see
    /// [`MemoryLimit::Auto`](crate::MemoryLimit::Auto).
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.settings.memory_limit = bytes.into();
        self
    }

    /// Threads for the build and for batches; 0 for one per core. The result does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = threads;
        self
    }

    /// Replaces all settings.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Builds the engine.
    pub fn build(self) -> Result<PathFinder, Error> {
        self.build_watched(&())
    }

    /// Builds the engine and reports progress. `progress` can cancel the build.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// use std::ops::ControlFlow;
    /// let bar = |phase: &'static str, done: usize, total: usize| {
    ///     eprintln!("{phase}: {done} of {total}");
    ///     ControlFlow::Continue(())
    /// };
    /// let finder = PathFinder::builder(Grid::new(40, 30)?).build_watched(&bar)?;
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn build_watched(self, progress: &dyn Progress) -> Result<PathFinder, Error> {
        let engine = named(&self.engine)?.build_watched(&self.map, &self.settings, progress)?;
        Ok(self.finder(engine))
    }

    /// Opens an index file of any engine. It must have been built for the same map.
    pub fn open(self, index: impl AsRef<Path>) -> Result<PathFinder, Error> {
        let path = index.as_ref();
        let within = |source| Error::OpenFile { path: path.into(), source };
        let index = IndexFile::open(path).map_err(within)?;
        let method = named(index.engine())?;
        let engine = method.open(&index, &self.map, &self.settings).map_err(within)?;
        Ok(self.finder(engine))
    }

    fn finder(self, engine: Box<dyn Engine>) -> PathFinder {
        PathFinder { threads: self.settings.threads, ..PathFinder::from_engine(engine.into()) }
    }
}
