//! One face for every method.
//!
//! An [`Engine`] is built on a [`Map`], refreshed after edits, and answers through queries, one per
//! thread. [`METHODS`] lists all engines by name; the command line, the benchmark and the test
//! matrix read that list, so a new method joins all of them with one line in `methods.rs`.

mod any;
mod error;
mod form;
mod pool;
mod query;

pub use any::AnyEngine;
pub use error::{BuildError, EndpointError, Smaller, UnknownEngine, Unstorable, Unsupported};
pub use form::EngineForm;
pub use pool::ScratchPool;
pub use query::{CostAnswer, EngineQuery, PathAnswer, Query};

use std::fmt;
use std::sync::Arc;

use crate::changes::Changes;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::Map;
use crate::progress::Progress;
use crate::search::Observer;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// Shows an engine by its name, its form and its map instead of its tables.
macro_rules! debug_by_form {
    ($engine:ty) => {
        impl std::fmt::Debug for $engine {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                use $crate::Engine;
                out.debug_struct(stringify!($engine))
                    .field("name", &self.name())
                    .field("form", &self.form().map(|form| form.to_string()))
                    .field("bytes", &self.memory_bytes())
                    .field("map", self.map())
                    .finish()
            }
        }
    };
}
pub(crate) use debug_by_form;

/// A method of answering queries, built on one version of a map.
///
/// Callers use [`build`](Self::build), [`query`](Self::query) and [`refresh`](Self::refresh).
/// Methods that end in `_with` are how an engine answers; queries call them.
pub trait Engine: Sized + Send + Sync + fmt::Debug + 'static {
    /// What can be chosen when building.
    type Config;
    /// What a query needs to work in, whatever version of the map it is for.
    type Scratch: Default + Send + Sync + 'static;

    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest ones.
    fn exact(&self) -> bool;

    /// Whether it can be built on this map with this configuration, and if not, why.
    fn supports(map: &Map, config: &Self::Config) -> Result<(), Unsupported>;

    /// Precomputes what the method needs.
    fn build(map: &Map, config: &Self::Config) -> Result<Self, BuildError> {
        Self::build_watched(map, config, &())
    }

    /// The same, telling how far it has come and stopping when told to.
    fn build_watched(
        map: &Map,
        config: &Self::Config,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError>;

    /// The engine for the map after these changes, which have already been made in `map`. Shares
    /// what did not change; where a method knows nothing better this builds anew. What was done in
    /// several steps may come as one: cells that are as they were in the end, edges that came and
    /// went, nodes that this engine has never seen. What counts is the map.
    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError>;

    /// Whether edits have piled up so much that [`rebuilt`](Self::rebuilt) would make answers a
    /// good deal faster. They are as right without it; a [`World`](crate::world::World) has it done
    /// in the background.
    fn wants_rebuild(&self) -> bool {
        false
    }

    /// The engine for the same map, which is handed in once more, as good as new.
    fn rebuilt(&self, map: &Map) -> Result<Self, BuildError> {
        self.refresh(map, &Changes::default())
    }

    /// Bytes that were precomputed; the map itself does not count.
    fn memory_bytes(&self) -> usize;

    /// What it is made of and, where there are several forms, which was chosen and why; `None`
    /// where nothing is precomputed.
    fn form(&self) -> Option<EngineForm> {
        None
    }

    /// Whether an engine of this configuration can be kept in an index file, and if not, why. A
    /// method that says yes has [`store`](Self::store) and [`open`](Self::open); others have
    /// nothing to keep. What lies in an index file is internal, so an engine of your own keeps this
    /// default, or passes on what an engine inside it stores.
    fn storable(_config: &Self::Config) -> Result<(), Unstorable> {
        Err(Unstorable::nothing())
    }

    /// What was precomputed, ready to be saved as an index file.
    ///
    /// ```
    /// use portolan::ppa::{Ppa, PpaConfig};
    /// use portolan::store::IndexFile;
    /// use portolan::{Engine, Grid, Map, Query};
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

    /// The engine that was stored in this file, for the same map. Takes a moment, since the file
    /// stays where it is and is read as queries need it. Damage that only [`IndexFile::verify`] can
    /// find may make answers wrong, and no more than that.
    fn open(index: &IndexFile, _map: &Map, _config: &Self::Config) -> Result<Self, OpenError> {
        Err(OpenError::NothingStored { engine: index.engine().to_owned() })
    }

    /// The map that it was built for.
    fn map(&self) -> &Map;

    /// Creates a query that borrows the engine. Reuse it; use one per thread.
    fn query(&self) -> EngineQuery<&Self> {
        EngineQuery::new(self)
    }

    /// Creates a query that owns the engine, for structs that keep both.
    fn owned_query(self: Arc<Self>) -> EngineQuery<Arc<Self>> {
        EngineQuery::new(self)
    }

    /// Space that queries have left for later ones. A refreshed engine shares it.
    fn scratch_pool(&self) -> &ScratchPool<Self::Scratch>;

    /// Answers [`Query::find`] and [`Query::find_observed`].
    fn find_with<'q>(
        &'q self,
        scratch: &'q mut Self::Scratch,
        ends: (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> PathAnswer<'q>;

    /// Answers [`Query::distance`].
    fn distance_with(&self, scratch: &mut Self::Scratch, ends: (NodeId, NodeId)) -> CostAnswer;

    /// Answers [`Query::find_each`]; one by one unless the engine knows something faster.
    fn find_each_with(
        &self,
        scratch: &mut Self::Scratch,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        for (at, &ends) in pairs.iter().enumerate() {
            visit(at, self.find_with(scratch, ends, &mut ()));
        }
    }

    /// Answers [`Query::distance_each`]; one by one unless the engine knows something faster.
    fn distance_each_with(
        &self,
        scratch: &mut Self::Scratch,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        for (at, &ends) in pairs.iter().enumerate() {
            visit(at, self.distance_with(scratch, ends));
        }
    }

    /// Answers [`Query::distances_from`]; one by one unless the engine knows something faster.
    fn distances_from_with(
        &self,
        scratch: &mut Self::Scratch,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        to.iter().map(|&to| self.distance_with(scratch, (from, to))).collect()
    }
}
