//! The interface that all engines share.
//!
//! An [`Engine`] is ready to answer on one version of a map: it creates queries, one per thread,
//! and follows edits. [`Build`] makes one. Both are at the bottom of the crate: no engine is named
//! here. [`METHODS`](crate::METHODS) lists all engines by name.
//!
//! Inside the crate an engine also implements `Answer`, from which its queries are made, with
//! scratch space from a pool (`query.rs`, `pool.rs`). Engines that search first and read the path
//! off afterwards share `searching.rs`.
//!
//! [`inspect`] shows the regions of engines that have some, to programs that draw them.

mod answer;
mod form;
pub mod inspect;
mod parts;
mod pool;
mod query;
mod rebuild;
mod searching;

pub(crate) use answer::{Answer, EngineQuery, boxed_answers};
pub use form::EngineForm;
pub use parts::RebuiltPart;
pub(crate) use parts::replaced;
pub(crate) use pool::ScratchPool;
pub use query::{CostAnswer, PathAnswer, Query};
pub use rebuild::SlicedRebuild;
pub(crate) use searching::{Searching, answer_by_searching};

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::build::{BuildError, Progress, Unsupported};
use crate::changes::Changes;
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError, Unstorable};

/// Shows an engine by its name, its form and its map instead of its tables.
macro_rules! debug_by_form {
    ($engine:ty) => {
        impl std::fmt::Debug for $engine {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                use $crate::engine::Engine;
                out.debug_struct(stringify!($engine))
                    .field("name", &self.name())
                    .field("form", &Engine::form(self).map(|form| form.to_string()))
                    .field("bytes", &self.memory_bytes())
                    .field("map", self.map())
                    .finish()
            }
        }
    };
}
pub(crate) use debug_by_form;

/// An engine that is ready to answer on one version of a map. It never changes.
///
/// ```
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::{Build, Engine, Grid, Map};
/// let engine: Box<dyn Engine> =
///     Box::new(Ppa::build(&Map::from(Grid::new(40, 30)?), &PpaConfig::default())?);
/// assert_eq!(engine.name(), "ppa");
/// assert!(engine.query().distance(0, 1199)?.is_some());
/// # Ok::<(), portolan::Error>(())
/// ```
pub trait Engine: Any + fmt::Debug + Send + Sync {
    /// The name under which it is registered.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest paths.
    fn exact(&self) -> bool;

    /// The map that it was built for.
    fn map(&self) -> &Map;

    /// Creates a query that borrows the engine. Reuse it; use one per thread.
    fn query(&self) -> Box<dyn Query + Send + Sync + '_>;

    /// Creates a query that owns the engine, for structs that keep both.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use portolan::search_engine::{SearchConfig, SearchEngine};
    /// use portolan::{Build, Engine, Grid, Query};
    ///
    /// struct Unit {
    ///     paths: Box<dyn Query + Send + Sync>, // no lifetime
    /// }
    /// let engine = SearchEngine::build(&Grid::new(9, 9)?.into(), &SearchConfig::default())?;
    /// let mut unit = Unit { paths: Arc::new(engine).owned_query() };
    /// assert!(unit.paths.find(0, 80)?.is_some());
    /// # Ok::<(), portolan::Error>(())
    /// ```
    fn owned_query(self: Arc<Self>) -> Box<dyn Query + Send + Sync>;

    /// The engine for the map after these changes, which `map` already contains. Shares what did
    /// not change; a method without a faster way builds from scratch. Several edits may come as
    /// one: cells that end as they were, edges that came and went, nodes that this engine has never
    /// seen. Only the final map counts.
    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Box<dyn Engine>, BuildError>;

    /// Whether so many edits have accumulated that [`rebuilt`](Self::rebuilt) would make answers
    /// much faster. Answers are correct without it. A [`World`](crate::world::World) rebuilds in
    /// the background.
    fn wants_rebuild(&self) -> bool {
        false
    }

    /// The engine for the same map, as fast as one built from scratch.
    fn rebuilt(&self, map: &Map) -> Result<Box<dyn Engine>, BuildError> {
        crate::trace::span!("rebuild", engine = self.name());
        match self.sliced_rebuild() {
            Some(rebuild) => rebuild.finish(),
            None => self.refresh(map, &Changes::default()),
        }
    }

    /// [`rebuilt`](Self::rebuilt) in slices; `None` if the engine does not support it. A
    /// [`World`](crate::world::World) with [`RebuildMode::Slices`](crate::world::RebuildMode) uses
    /// it.
    fn sliced_rebuild(&self) -> Option<Box<dyn SlicedRebuild>> {
        None
    }

    /// The parts that this engine does not share with an earlier version of itself, which it was
    /// [refreshed](Self::refresh) from. `None` if it does not consist of parts, or if the other is
    /// of another type. Takes time linear in the number of parts.
    ///
    /// ```
    /// use portolan::{Changes, Grid, Map, Settings, registry};
    /// let mut map = Map::from(Grid::new(60, 60)?);
    /// let before = registry::method("hpa").unwrap().build(&map, &Settings::default())?;
    /// let changes = Changes::new().block(65);
    /// map.apply(&changes)?;
    /// let after = before.refresh(&map, &changes)?;
    ///
    /// let parts = after.rebuilt_since(&*before).expect("HPA* has clusters");
    /// assert_eq!(parts.len(), 1);
    /// assert!(parts[0].nodes.contains(&65));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    fn rebuilt_since(&self, _before: &dyn Engine) -> Option<Vec<RebuiltPart>> {
        None
    }

    /// Bytes of precomputed data, without the map.
    fn memory_bytes(&self) -> usize;

    /// What the engine consists of, and which of its forms was chosen and why; `None` if nothing is
    /// precomputed.
    fn form(&self) -> Option<Box<dyn EngineForm>> {
        None
    }

    /// The precomputed data, ready to be saved as an index file.
    ///
    /// ```
    /// use portolan::ppa::{Ppa, PpaConfig};
    /// use portolan::store::IndexFile;
    /// use portolan::{Build, Engine, Grid, Map};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("grid.index");
    /// let map = Map::from(Grid::new(40, 30)?);
    /// let config = PpaConfig::default();
    /// Ppa::build(&map, &config)?.store()?.save(&path)?;
    ///
    /// let opened = Ppa::open(&IndexFile::open(&path)?, &map, &config)?;
    /// assert!(opened.query().distance(0, 1199)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Err(Unstorable::nothing())
    }

    /// Frees the scratch space that no query uses at the moment. Searches such as A* keep up to 8
    /// bytes a node for each query that has run at the same time as others, up to 32 of them.
    fn free_scratch(&self) {}
}

impl dyn Engine {
    /// The engine as its own type, such as [`SearchEngine`](crate::search_engine::SearchEngine).
    pub fn downcast_ref<E: Engine>(&self) -> Option<&E> {
        (self as &dyn Any).downcast_ref()
    }
}

/// How an engine of a known type is made: from a map, from another version of itself, or from an
/// index file.
pub trait Build: Engine + Sized {
    /// The options of a build.
    type Config;

    /// Whether the engine can be built on this map with this configuration, and if not, why.
    fn supports(map: &Map, config: &Self::Config) -> Result<(), Unsupported>;

    /// Precomputes what the method needs.
    fn build(map: &Map, config: &Self::Config) -> Result<Self, BuildError> {
        Self::build_watched(map, config, &())
    }

    /// [`build`](Self::build) that reports progress and can be cancelled.
    fn build_watched(
        map: &Map,
        config: &Self::Config,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError>;

    /// [`Engine::refresh`], with the type of the engine.
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError>;

    /// Whether an engine of this configuration can be kept in an index file, and if not, why. A
    /// method that returns `Ok` implements [`Engine::store`] and [`open`](Self::open). The contents
    /// of index files are internal, so an engine of your own keeps this default.
    fn storable(_config: &Self::Config) -> Result<(), Unstorable> {
        Err(Unstorable::nothing())
    }

    /// Opens the engine stored in this file, for the same map. Takes a moment: the file is mapped
    /// and read as queries need it. Damage that only [`IndexFile::verify`] finds may make answers
    /// wrong, and nothing worse.
    fn open(index: &IndexFile, _map: &Map, _config: &Self::Config) -> Result<Self, OpenError> {
        Err(OpenError::NothingStored { engine: index.engine().to_owned() })
    }
}
