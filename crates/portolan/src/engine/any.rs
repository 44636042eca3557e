//! Engines whose types are erased.

use std::fmt;
use std::sync::Arc;

use super::{BuildError, Engine, EngineForm, Query, Unstorable};
use crate::changes::Changes;
use crate::map::Map;
use crate::store::IndexWriter;
use crate::trace::span;

/// An [`Engine`] whose type is erased: every engine is one, and what can be asked of it is on `dyn
/// AnyEngine`.
///
/// The methods of the trait have names of their own, so that both traits can be imported:
///
/// ```
/// use portolan::engine::{AnyEngine, Engine};
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::{Grid, Map};
/// let ppa = Ppa::build(&Map::from(Grid::new(40, 30)?), &PpaConfig::default())?;
/// let any: &dyn AnyEngine = &ppa;
/// assert_eq!((ppa.name(), ppa.form()), (any.name(), any.form()));
/// assert_eq!(any.query().distance(0, 1199)?, ppa.query().distance(0, 1199)?);
/// # use portolan::Query;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AnyEngine: Send + Sync + fmt::Debug {
    #[doc(hidden)]
    fn erased_name(&self) -> &'static str;

    #[doc(hidden)]
    fn erased_exact(&self) -> bool;

    #[doc(hidden)]
    fn erased_refresh(
        &self,
        map: &Map,
        changes: &Changes,
    ) -> Result<Box<dyn AnyEngine>, BuildError>;

    #[doc(hidden)]
    fn erased_wants_rebuild(&self) -> bool {
        false
    }

    #[doc(hidden)]
    fn erased_rebuilt(&self, map: &Map) -> Result<Box<dyn AnyEngine>, BuildError> {
        self.erased_refresh(map, &Changes::default())
    }

    #[doc(hidden)]
    fn erased_memory_bytes(&self) -> usize;

    #[doc(hidden)]
    fn erased_form(&self) -> Option<EngineForm>;

    #[doc(hidden)]
    fn erased_store(&self) -> Result<IndexWriter<'_>, Unstorable>;

    #[doc(hidden)]
    fn erased_map(&self) -> &Map;

    #[doc(hidden)]
    fn erased_query(&self) -> Box<dyn Query + Send + Sync + '_>;

    #[doc(hidden)]
    fn erased_owned_query(self: Arc<Self>) -> Box<dyn Query + Send + Sync>;
}

impl<E: Engine> AnyEngine for E {
    fn erased_name(&self) -> &'static str {
        self.name()
    }

    fn erased_exact(&self) -> bool {
        self.exact()
    }

    fn erased_refresh(
        &self,
        map: &Map,
        changes: &Changes,
    ) -> Result<Box<dyn AnyEngine>, BuildError> {
        span!("refresh", engine = self.name(), cells = changes.cells.len());
        Ok(Box::new(self.refresh(map, changes)?))
    }

    fn erased_wants_rebuild(&self) -> bool {
        self.wants_rebuild()
    }

    fn erased_rebuilt(&self, map: &Map) -> Result<Box<dyn AnyEngine>, BuildError> {
        span!("rebuild", engine = self.name());
        Ok(Box::new(self.rebuilt(map)?))
    }

    fn erased_memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn erased_form(&self) -> Option<EngineForm> {
        self.form()
    }

    fn erased_store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        self.store()
    }

    fn erased_map(&self) -> &Map {
        self.map()
    }

    fn erased_query(&self) -> Box<dyn Query + Send + Sync + '_> {
        Box::new(self.query())
    }

    fn erased_owned_query(self: Arc<Self>) -> Box<dyn Query + Send + Sync> {
        Box::new(self.owned_query())
    }
}

impl dyn AnyEngine + '_ {
    /// See [`Engine::name`].
    pub fn name(&self) -> &'static str {
        self.erased_name()
    }

    /// See [`Engine::exact`].
    pub fn exact(&self) -> bool {
        self.erased_exact()
    }

    /// See [`Engine::refresh`].
    pub fn refresh(&self, map: &Map, changes: &Changes) -> Result<Box<dyn AnyEngine>, BuildError> {
        self.erased_refresh(map, changes)
    }

    /// See [`Engine::wants_rebuild`].
    pub fn wants_rebuild(&self) -> bool {
        self.erased_wants_rebuild()
    }

    /// See [`Engine::rebuilt`].
    pub fn rebuilt(&self, map: &Map) -> Result<Box<dyn AnyEngine>, BuildError> {
        self.erased_rebuilt(map)
    }

    /// See [`Engine::memory_bytes`].
    pub fn memory_bytes(&self) -> usize {
        self.erased_memory_bytes()
    }

    /// See [`Engine::form`].
    pub fn form(&self) -> Option<EngineForm> {
        self.erased_form()
    }

    /// See [`Engine::store`].
    pub fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        self.erased_store()
    }

    /// See [`Engine::map`].
    pub fn map(&self) -> &Map {
        self.erased_map()
    }

    /// See [`Engine::query`].
    pub fn query(&self) -> Box<dyn Query + Send + Sync + '_> {
        self.erased_query()
    }
}

impl dyn AnyEngine {
    /// See [`Engine::owned_query`].
    pub fn owned_query(self: Arc<Self>) -> Box<dyn Query + Send + Sync> {
        self.erased_owned_query()
    }
}
