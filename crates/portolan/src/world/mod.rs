//! A map that is edited while it is queried.
//!
//! A [`World`] owns a map and any set of engines. An [edit](World::edit) makes the next version of
//! the map. A [`Snapshot`] is one version, which never changes, with the engines that are ready for
//! it. Readers take the newest snapshot and query it for as long as they like. They never wait for
//! a writer, and every answer is about their snapshot.
//!
//! ```
//! use portolan::world::{Recipe, World};
//! use portolan::{Grid, Query, Settings};
//!
//! let world = World::new(Grid::new(60, 40)?)?;
//! world.add(Recipe::named("atlas", Settings::default())?)?;
//!
//! let before = world.snapshot(); // cheap, and can be sent to other threads
//! let path = before.find(0, 59)?.expect("nothing is in the way");
//!
//! let edit = world.edit(|e| e.block(30))?; // a new version
//! assert!(before.is_valid(&path), "an old snapshot never changes");
//! assert!(!edit.snapshot().is_valid(&path));
//! let around = edit.snapshot().find(0, 59)?.expect("there is a detour");
//! assert!(around.cost() > path.cost());
//!
//! world.advance(); // once per frame: takes over the results of background work
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Engines** follow edits by their `refresh`, one after the other inside the edit or, if that
//! takes longer than [`WorldConfig::budget`], on background threads. Engines that many edits have
//! slowed down are rebuilt while they answer ([`WorldConfig::rebuild`]). Only [`World::advance`]
//! takes over results of background work. While an engine is not ready, A* answers on the same
//! version, so answers of exact engines are exact at any moment.
//!
//! **Timing.** The cost of an exact answer never depends on timing. Which of several shortest paths
//! is returned depends on the engine that answers, and in the background an engine is ready only
//! when [`World::advance`] finds it so. With [`Follow::AtOnce`], nothing depends on timing without
//! `advance`, with [`World::settle`] in its place, or with [`RebuildMode::Slices`] for engines that
//! support it.
//!
//! **Memory.** A version shares with the one before everything that the edit did not change, and
//! lives as long as it is held. The world itself holds the newest version, and up to about seventy
//! more for an engine that is being worked on.
//!
//! Read in this order: `core.rs` publishes states, `maintainer.rs` keeps one engine up to date,
//! `sync.rs` has the primitives of both. `ground.rs` and `recipe.rs` fill them with maps and
//! engines, `snapshot.rs` is what readers use. `path.rs`, `walked_paths.rs` and `requests/` build on
//! snapshots.

mod core;
mod ground;
mod maintainer;
mod path;
mod recipe;
mod requests;
mod snapshot;
mod sync;
mod walked_paths;

pub use maintainer::{Follow, RebuildMode};
pub use path::{BlockedStep, Path};
pub use recipe::Recipe;
pub use requests::{Answer, Budget, Request, RequestId, Requests, RequestsConfig};
pub use snapshot::{Snapshot, Standing};
pub use walked_paths::{Broken, PathId, Registry};

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use self::core::{Core, Published};
use crate::build::BuildError;
use crate::changes::{ChangeError, Changes, Editor, applied};
use crate::debug::debug_by_name;
use crate::engine::{Engine, SlicedRebuild};
use crate::grid::AgentError;
use crate::map::{EndpointError, Map};
use crate::trace::span;
use ground::{Ground, LayerChanges};
use maintainer::{Maintain, Maintainer, Rule};
use recipe::{LayerRecipe, ReadyEngine};

/// The number of a version of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(u64);

impl Version {
    /// The number of edits that led to it.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Options of a [`World`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldConfig {
    /// An engine that takes longer than this to follow an edit does so in the background from the
    /// next [`advance`](World::advance) on, unless it was [added](World::add_with) with another
    /// rule. More keeps slow engines ready; less keeps edits short.
    pub budget: Duration,
    /// Where engines are rebuilt that edits have slowed down.
    pub rebuild: RebuildMode,
    /// The sizes of units besides one cell: 2 means units of 2 x 2 cells. Each size has its own map
    /// and engines, which follow the same edits. Not for graphs and hexagonal grids.
    pub sizes: Vec<u32>,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self {
            budget: Duration::from_millis(2),
            rebuild: RebuildMode::default(),
            sizes: Vec::new(),
        }
    }
}

/// Why an operation on a world failed. The world is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The map cannot be changed like this.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// An engine cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An endpoint is not usable, or a cost is too large.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// There can be no map for units of this size.
    #[error(transparent)]
    Size(#[from] AgentError),
    /// Units on graphs have no size.
    #[error("units of {size} x {size} cells need a grid, and this map is a graph")]
    SizeOnGraph {
        /// The requested size.
        size: u32,
    },
    /// The world has no units of this size.
    #[error(
        "the world has no units of size {size}; its sizes are: {known}; add it to `WorldConfig::sizes`"
    )]
    NoSuchSize {
        /// The requested size.
        size: u32,
        /// All known ones.
        known: String,
    },
    /// An engine that is already built or opened is for another map.
    #[error(
        "the engine `{name}` was built for another map or another version; build or open it for `world.snapshot().map()`"
    )]
    OtherMap {
        /// The name of the engine.
        name: String,
    },
    /// No engine has this name.
    #[error("the world has no engine `{name}`; it has: {known}")]
    NoSuchEngine {
        /// The requested name.
        name: String,
        /// All known ones.
        known: String,
    },
    /// Another engine already has this name.
    #[error("the world already has an engine `{name}`; choose another name")]
    NameTaken {
        /// The name of both.
        name: String,
    },
    /// The thread is inside an edit of the same world, and would wait for itself.
    #[error("this thread is inside an edit of the same world; finish that edit first")]
    Nested,
}

/// The result of an edit.
#[derive(Debug, Clone)]
pub struct Edit {
    snapshot: Snapshot,
    changes: Arc<LayerChanges>,
}

impl Edit {
    /// The version after the edit. If nothing changed, the one before it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Its number.
    pub fn version(&self) -> Version {
        self.snapshot.version()
    }

    /// What differs from the version before. On grids, each changed cell once.
    pub fn changes(&self) -> &Changes {
        self.changes_of(0)
    }

    /// The changes of the map for units of this size: cells at which such a unit fits now and did
    /// not before, or vice versa. Empty for sizes that the world does not have.
    pub fn changes_for_size(&self, size: u32) -> &Changes {
        self.snapshot.layer_of(size).map_or(&NO_CHANGES, |layer| self.changes_of(layer))
    }

    fn changes_of(&self, layer: usize) -> &Changes {
        self.changes.get(layer).unwrap_or(&NO_CHANGES)
    }
}

static NO_CHANGES: Changes =
    Changes { cells: Vec::new(), terrain: Vec::new(), nodes: Vec::new(), edges: Vec::new() };

/// Owns a map and engines for it; see the [module](self).
///
/// Share it by reference or `Arc`. All methods can be called from any thread. Edits take turns.
pub struct World {
    core: Core<LayerRecipe>,
    config: WorldConfig,
}

debug_by_name!("World", [] World, |world| "config" = world.config);

impl World {
    /// Creates a world without engines, in which A* answers.
    pub fn new(map: impl Into<Map>) -> Result<Self, WorldError> {
        Self::with_config(map, WorldConfig::default())
    }

    /// Creates a world with these options.
    pub fn with_config(map: impl Into<Map>, config: WorldConfig) -> Result<Self, WorldError> {
        let ground = Ground::new(map.into(), &config.sizes)?;
        Ok(Self { core: Core::new(ground), config })
    }

    /// Builds an engine for the newest version, which then follows all edits.
    ///
    /// Edits do not wait for the build. If there are edits meanwhile, the engine is built again in
    /// the background.
    pub fn add(&self, recipe: Recipe) -> Result<Snapshot, WorldError> {
        self.add_with(recipe, Follow::default())
    }

    /// Adds an engine with a rule when it follows edits. With [`Follow::Behind`], the build is in
    /// the background too.
    pub fn add_with(&self, mut recipe: Recipe, follow: Follow) -> Result<Snapshot, WorldError> {
        self.not_nested()?;
        let start = self.core.load();
        let layers = match recipe.size() {
            None => (0..start.map.layers().len()).collect(),
            Some(size) => vec![self.layer_of(size)?],
        };
        is_free(&start, &layers, recipe.name())?;
        let ready = recipe.take_ready();
        let recipe = Arc::new(recipe);
        let on_layers = |engine: &ReadyEngine| {
            layers.iter().any(|&layer| engine.is_for(&start.map.layers()[layer]))
        };
        if !ready.iter().all(on_layers) {
            return Err(WorldError::OtherMap { name: recipe.name().to_owned() });
        }
        let mut made = Vec::new();
        for &layer in &layers {
            let ready = ready.iter().find(|engine| engine.is_for(&start.map.layers()[layer]));
            let recipe = Arc::new(LayerRecipe { recipe: Arc::clone(&recipe), layer });
            let engine = match (ready, follow) {
                (Some(ready), _) => Some(ready.engine()),
                (None, Follow::Behind) => None,
                (None, _) => Some(recipe.build(&start.map, &AtomicBool::new(false))?),
            };
            made.push((recipe, engine));
        }
        let added = self.core.add(|now| {
            // Another thread may have added one meanwhile.
            is_free(now, &layers, recipe.name())?;
            let WorldConfig { budget, rebuild, .. } = self.config;
            let rule = Rule { follow, budget, rebuild };
            let maintainer = |(recipe, engine): (Arc<LayerRecipe>, Option<_>)| {
                let engine = engine.filter(|_| now.version == start.version);
                Maintainer::new(recipe, rule, engine, &now.map)
            };
            Ok(made.into_iter().map(maintainer).collect())
        });
        added.map(Snapshot::new)
    }

    /// The newest version. Copies a pointer, and never waits.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.core.load())
    }

    /// Changes the map in one step: cells, terrain, nodes and edges, as `write` records them. If
    /// one of the changes is impossible, none is made. An edit of a grid that changes nothing makes
    /// no new version.
    ///
    /// Edits wait for each other. An edit inside another returns [`WorldError::Nested`]. So does an
    /// edit on a rayon worker that picked it up while it waited for another edit: edit from your
    /// own threads.
    pub fn edit(&self, write: impl FnOnce(&mut Editor<'_>)) -> Result<Edit, WorldError> {
        self.not_nested()?;
        span!("edit");
        let (published, changes) = self.core.edit(|ground: &Ground| {
            let mut editor = Editor::new(ground.map());
            write(&mut editor);
            let applied = applied(ground.map(), editor.finish()?)?;
            applied.map(|(map, changes)| ground.edited(map, changes)).transpose()
        })?;
        Ok(Edit { snapshot: Snapshot::new(published), changes: changes.unwrap_or_default() })
    }

    /// Makes prepared changes; see [`edit`](Self::edit).
    pub fn apply(&self, changes: &Changes) -> Result<Edit, WorldError> {
        self.edit(|editor| editor.extend(changes))
    }

    /// Takes over the results of background work, does one slice of each
    /// [sliced](RebuildMode::Slices) rebuild, starts rebuilds, and decides which engines follow
    /// edits in the background. Call it once per frame. It does not wait for background work, but a
    /// finished engine follows the edits that it has missed, within the budget. Inside an edit, it
    /// does nothing.
    pub fn advance(&self) -> Advance {
        self.advanced(false)
    }

    /// Completes all background work and rebuilds, until every engine that can be built is ready.
    /// Edits wait meanwhile.
    pub fn settle(&self) -> Advance {
        self.advanced(true)
    }

    /// Begins a rebuild that `start` makes from the engine of this name, for example one that moves
    /// landmarks
    /// ([`SearchEngine::rebuild_with`](crate::search_engine::SearchEngine::rebuild_with)). It runs
    /// where [`WorldConfig::rebuild`] says, follows the edits made meanwhile, and
    /// [`advance`](Self::advance) takes over its result.
    ///
    /// Returns whether a rebuild has begun: not while the engine is not ready or is being worked
    /// on. If there are units of several sizes, `start` is called for the engine of each.
    pub fn rebuild_with(
        &self,
        name: &str,
        mut start: impl FnMut(&dyn Engine) -> Option<Box<dyn SlicedRebuild>>,
    ) -> Result<bool, WorldError> {
        self.not_nested()?;
        let snapshot = self.snapshot();
        if !snapshot.all_engine_names().any(|known| known == name) {
            return Err(snapshot.no_engine(name));
        }
        let begun = self.core.rebuild_with(|recipe: &LayerRecipe, engine| {
            if recipe.recipe.name() == name { start(&**engine) } else { None }
        });
        Ok(begun)
    }

    /// Whether there is background work or a rebuild whose result has not been taken over.
    pub fn is_busy(&self) -> bool {
        self.core.is_held_here() || self.core.is_busy()
    }

    /// The layer for units of this size.
    fn layer_of(&self, size: u32) -> Result<usize, WorldError> {
        let snapshot = self.snapshot();
        snapshot.layer_of(size).ok_or_else(|| snapshot.no_size(size))
    }

    fn not_nested(&self) -> Result<(), WorldError> {
        if self.core.is_held_here() { Err(WorldError::Nested) } else { Ok(()) }
    }

    fn advanced(&self, wait: bool) -> Advance {
        if self.core.is_held_here() {
            return Advance { snapshot: self.snapshot(), engines: Vec::new() };
        }
        let (published, changed) = self.core.advance(wait);
        let name = |&place: &usize| published.engines[place].recipe.recipe.name().to_owned();
        let mut engines: Vec<String> = changed.iter().map(name).collect();
        engines.dedup(); // Engines of several sizes may share a name.
        Advance { snapshot: Snapshot::new(published), engines }
    }
}

/// Returns an error if an engine for one of these layers has this name.
fn is_free(now: &Published<LayerRecipe>, layers: &[usize], name: &str) -> Result<(), WorldError> {
    let mut recipes = now.engines.iter().map(|engine| &engine.recipe);
    match recipes.any(|one| layers.contains(&one.layer) && one.recipe.name() == name) {
        true => Err(WorldError::NameTaken { name: name.to_owned() }),
        false => Ok(()),
    }
}

/// The result of [`World::advance`].
#[derive(Debug, Clone)]
pub struct Advance {
    /// The newest version, with its present engines.
    pub snapshot: Snapshot,
    /// The names of engines that have changed: caught up, rebuilt, or failed.
    pub engines: Vec<String>,
}
