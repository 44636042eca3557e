//! How the engines of a world are built.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ground::{Ground, Layer, LayerChanges};
use super::maintainer::Maintain;
use crate::build::{BuildError, Progress};
use crate::changes::Changes;
use crate::engine::{self, Engine, SlicedRebuild};
use crate::map::Map;
use crate::registry::{self, Method, Settings, UnknownEngine};
use crate::store::{Fingerprint, IndexFile, OpenError};

/// How to build an engine: a registered method, or any engine type with its configuration.
///
/// A world builds one for each size of units ([`WorldConfig::sizes`](super::WorldConfig::sizes)),
/// unless the recipe is [for one size](Self::for_size).
///
/// ```
/// use portolan::Settings;
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::world::Recipe;
/// let atlas = Recipe::named("atlas", Settings::default())?;
/// let ppa = Recipe::of::<Ppa>("tables", PpaConfig::default());
/// assert_eq!((atlas.name(), ppa.name()), ("atlas", "tables"));
/// # Ok::<(), portolan::Error>(())
/// ```
pub struct Recipe {
    name: String,
    build: Box<Build>,
    size: Option<u32>,
    ready: Vec<Arc<dyn Engine>>,
}

type Build =
    dyn Fn(&Map, &dyn Progress) -> Result<Box<dyn Engine>, BuildError> + Send + Sync + 'static;

impl Recipe {
    /// A registered method under its own name.
    pub fn method(method: &'static dyn Method, settings: Settings) -> Self {
        let build = move |map: &Map, progress: &dyn Progress| {
            method.build_watched(map, &settings, progress)
        };
        Self::new(method.name().to_owned(), Box::new(build))
    }

    /// The registered method of this name.
    pub fn named(name: &str, settings: Settings) -> Result<Self, UnknownEngine> {
        Ok(Self::method(registry::named(name)?, settings))
    }

    /// An engine of this type. The world knows it by `name`.
    pub fn of<E: engine::Build>(name: impl Into<String>, config: E::Config) -> Self
    where
        E::Config: Send + Sync + 'static,
    {
        let build = move |map: &Map, progress: &dyn Progress| {
            let engine = E::build_watched(map, &config, progress)?;
            Ok(Box::new(engine) as Box<dyn Engine>)
        };
        Self::new(name.into(), Box::new(build))
    }

    /// The engine in an index file for this map, under the name of its method. If a world has to
    /// build the engine again later, it uses these settings.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// use portolan::store::IndexFile;
    /// use portolan::world::{Recipe, World};
    /// # use portolan::atlas::{Atlas, AtlasConfig};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("grid.index");
    /// let map = Map::from(Grid::new(60, 40)?);
    /// # Atlas::build(&map, &AtlasConfig::default())?.store()?.save(&path)?;
    /// let index = IndexFile::open(&path)?;
    /// let world = World::new(map.clone())?;
    /// world.add(Recipe::open(&index, &map, Settings::default())?)?;
    ///
    /// let edit = world.edit(|e| e.block((30, 0)))?; // the engine follows
    /// assert!(edit.snapshot().engine("atlas").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(index: &IndexFile, map: &Map, settings: Settings) -> Result<Self, OpenError> {
        let method = registry::method(index.engine())
            .ok_or_else(|| OpenError::NothingStored { engine: index.engine().to_owned() })?;
        let engine = method.open(index, map, &settings)?;
        Ok(Self::method(method, settings).with_engine(engine))
    }

    /// Starts with an engine that is already built or opened, which saves the build. It must be for
    /// the map at the time when the recipe is [added](super::World::add). Can be called once per
    /// size of units.
    pub fn with_engine(mut self, engine: impl Into<Arc<dyn Engine>>) -> Self {
        self.ready.push(engine.into());
        self
    }

    /// Builds the engine only for units of this size.
    pub fn for_size(mut self, size: u32) -> Self {
        self.size = Some(size);
        self
    }

    /// The name of the engine in the world.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The size of units, if the recipe is for one size.
    pub fn size(&self) -> Option<u32> {
        self.size
    }

    fn new(name: String, build: Box<Build>) -> Self {
        Self { name, build, size: None, ready: Vec::new() }
    }

    /// Takes the engines that it starts with, so that the recipe does not keep an old version
    /// alive.
    pub(super) fn take_ready(&mut self) -> Vec<ReadyEngine> {
        let ready = std::mem::take(&mut self.ready).into_iter();
        ready.map(|engine| ReadyEngine { map: Fingerprint::of(engine.map()), engine }).collect()
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Recipe")
            .field("name", &self.name)
            .field("size", &self.size)
            .field("ready", &self.ready)
            .finish_non_exhaustive()
    }
}

/// An engine that is already built, and the fingerprint of its map.
pub(super) struct ReadyEngine {
    map: Fingerprint,
    engine: Arc<dyn Engine>,
}

impl ReadyEngine {
    /// Whether it is for the map of this layer.
    pub(super) fn is_for(&self, layer: &Layer) -> bool {
        self.map == Fingerprint::of(layer.map())
    }

    pub(super) fn engine(&self) -> Arc<dyn Engine> {
        // It may have been opened with its own copy of the map.
        self.engine.map().warm_up();
        Arc::clone(&self.engine)
    }
}

/// A recipe for one layer.
pub(super) struct LayerRecipe {
    pub(super) recipe: Arc<Recipe>,
    pub(super) layer: usize,
}

impl LayerRecipe {
    fn map<'a>(&self, ground: &'a Ground) -> &'a Map {
        ground.layers()[self.layer].map()
    }
}

impl Maintain for LayerRecipe {
    type Map = Ground;
    type Changes = LayerChanges;
    type Engine = Arc<dyn Engine>;
    type Error = BuildError;
    type SlicedRebuild = Box<dyn SlicedRebuild>;

    fn build(
        &self,
        ground: &Ground,
        cancelled: &AtomicBool,
    ) -> Result<Arc<dyn Engine>, BuildError> {
        let watch = |_: &'static str, _: usize, _: usize| match cancelled.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        (self.recipe.build)(self.map(ground), &watch).map(Arc::from)
    }

    /// Does nothing if the edit does not change the layer.
    fn refresh(
        &self,
        engine: &Arc<dyn Engine>,
        ground: &Ground,
        changes: &LayerChanges,
    ) -> Result<Arc<dyn Engine>, BuildError> {
        match changes.get(self.layer) {
            Some(changes) => engine.refresh(self.map(ground), changes).map(Arc::from),
            None => Ok(Arc::clone(engine)),
        }
    }

    fn merged<'a>(&self, changes: impl Iterator<Item = &'a LayerChanges>) -> LayerChanges {
        let changes = changes.filter_map(|changes| changes.get(self.layer));
        LayerChanges::of(self.layer, Changes::merged(changes))
    }

    fn wants_rebuild(&self, engine: &Arc<dyn Engine>) -> bool {
        engine.wants_rebuild()
    }

    fn rebuild(
        &self,
        engine: &Arc<dyn Engine>,
        ground: &Ground,
    ) -> Result<Arc<dyn Engine>, BuildError> {
        engine.rebuilt(self.map(ground)).map(Arc::from)
    }

    fn sliced_rebuild(&self, engine: &Arc<dyn Engine>) -> Option<Box<dyn SlicedRebuild>> {
        engine.sliced_rebuild()
    }

    fn advance(&self, rebuild: &mut Box<dyn SlicedRebuild>, expansions: u64) -> bool {
        rebuild.advance(expansions)
    }

    fn finish(&self, rebuild: Box<dyn SlicedRebuild>) -> Result<Arc<dyn Engine>, BuildError> {
        rebuild.finish().map(Arc::from)
    }
}
