//! How the engines of a world are made.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::keeper::Upkeep;
use crate::changes::Changes;
use crate::engine::{AnyEngine, BuildError, Engine, Method, Settings};
use crate::map::Map;
use crate::progress::Progress;
use crate::search::{SearchConfig, SearchEngine};

/// How to make an engine: one of the registered ones, or any other with its configuration.
///
/// ```
/// use portolan::Settings;
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::world::Recipe;
/// let atlas = Recipe::named("atlas", Settings::default()).expect("a registered engine");
/// let ppa = Recipe::of::<Ppa>("tables", PpaConfig::default());
/// assert_eq!((atlas.name(), ppa.name()), ("atlas", "tables"));
/// ```
pub struct Recipe {
    name: String,
    build: Box<Build>,
}

type Build =
    dyn Fn(&Map, &dyn Progress) -> Result<Box<dyn AnyEngine>, BuildError> + Send + Sync + 'static;

impl Recipe {
    /// A registered method under its own name.
    pub fn method(method: &'static dyn Method, settings: Settings) -> Self {
        let build = move |map: &Map, progress: &dyn Progress| {
            method.build_watched(map, &settings, progress)
        };
        Self { name: method.name().to_owned(), build: Box::new(build) }
    }

    /// The registered method of this name, if there is one.
    pub fn named(name: &str, settings: Settings) -> Option<Self> {
        Some(Self::method(crate::engine::method(name)?, settings))
    }

    /// An engine of this type, to be asked for under this name.
    pub fn of<E: Engine>(name: impl Into<String>, config: E::Config) -> Self
    where
        E::Config: Send + Sync + 'static,
    {
        let build = move |map: &Map, progress: &dyn Progress| {
            let engine = E::build_watched(map, &config, progress)?;
            Ok(Box::new(engine) as Box<dyn AnyEngine>)
        };
        Self { name: name.into(), build: Box::new(build) }
    }

    /// What a world calls the engine.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Recipe").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A version of the map, with the search that answers where no other engine is current.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) map: Map,
    pub(super) plain: Arc<SearchEngine>,
}

impl Ground {
    pub(super) fn new(map: Map) -> Result<Self, BuildError> {
        let plain = SearchEngine::build(&map, &SearchConfig::default())?;
        Ok(Self { map, plain: Arc::new(plain) })
    }
}

impl Upkeep for Recipe {
    type Map = Ground;
    type Changes = Changes;
    type Engine = Arc<dyn AnyEngine>;
    type Error = BuildError;

    fn build(&self, ground: &Ground, stop: &AtomicBool) -> Result<Arc<dyn AnyEngine>, BuildError> {
        let watch = |_: &'static str, _: usize, _: usize| match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        (self.build)(&ground.map, &watch).map(Arc::from)
    }

    fn refresh(
        &self,
        engine: &Arc<dyn AnyEngine>,
        ground: &Ground,
        changes: &Changes,
    ) -> Result<Arc<dyn AnyEngine>, BuildError> {
        engine.refresh(&ground.map, changes).map(Arc::from)
    }

    fn merged<'a>(&self, changes: impl Iterator<Item = &'a Changes>) -> Changes {
        Changes::merged(changes)
    }

    fn wants_rebuild(&self, engine: &Arc<dyn AnyEngine>) -> bool {
        engine.wants_rebuild()
    }

    fn rebuild(
        &self,
        engine: &Arc<dyn AnyEngine>,
        ground: &Ground,
    ) -> Result<Arc<dyn AnyEngine>, BuildError> {
        engine.rebuilt(&ground.map).map(Arc::from)
    }
}
