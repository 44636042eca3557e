//! A map that is edited while it is asked: versions, snapshots, engines that follow, paths that
//! know whether they hold.
//!
//! A [`World`] owns a map and any set of engines. An [edit](World::edit) makes the next version of
//! the map; a [`Snapshot`] is one version, which never changes, with the engines that are ready for
//! it. Readers take the newest snapshot and ask it for as long as they like. They never wait for a
//! writer (`core.rs`), and every answer is about their snapshot.
//!
//! ```
//! use portolan::world::{Recipe, World};
//! use portolan::{Grid, Query, Settings};
//!
//! let world = World::new(Grid::new(60, 40)?)?;
//! world.add(Recipe::named("atlas", Settings::default())?)?;
//!
//! let before = world.snapshot(); // cheap; can be handed to other threads
//! let path = before.find(0, 59)?.expect("nothing is in the way");
//!
//! let edit = world.edit(|e| e.block(30))?; // a new version
//! assert!(before.is_valid(&path), "an old snapshot is as it was");
//! assert!(!edit.snapshot().is_valid(&path));
//! let around = edit.snapshot().find(0, 59)?.expect("there is a way round");
//! assert!(around.cost() > path.cost());
//!
//! world.advance(); // once per frame: takes over what was rebuilt in the background
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Engines** follow edits by their `refresh`, one after the other inside the edit or, where that
//! takes longer than [`WorldConfig::budget`], on other threads (`keeper.rs`). Only
//! [`World::advance`] installs what is done there. While an engine is not ready, A* answers on the
//! same version, so answers of exact engines are exact at any moment.
//!
//! **Timing.** The cost of an exact answer never depends on timing. Which of several shortest paths
//! is given depends on the engine that is asked; an engine that follows in the background is not
//! ready from an edit until [`World::advance`] finds it so. With [`Follow::AtOnce`] and no
//! `advance`, or with [`World::settle`] in its place, nothing at all depends on timing.
//!
//! **Memory.** A version shares with the one before what the edit left alone, and lives as long as
//! somebody holds it. The world itself holds the newest one and, for an engine with work under way,
//! some seventy more.

mod core;
mod ground;
mod keeper;
mod path;
mod recipe;
mod registry;
mod requests;
mod snapshot;
mod sync;

pub use keeper::Follow;
pub use path::{BlockedStep, Path};
pub use recipe::Recipe;
pub use registry::{Broken, PathId, Registry};
pub use requests::{Answer, Budget, Request, RequestId, Requests, RequestsConfig};
pub use snapshot::{Snapshot, Standing};

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use self::core::{Core, Published};
use crate::build::BuildError;
use crate::changes::{ChangeError, Changes, Editor, applied};
use crate::debug::debug_by_name;
use crate::grid::AgentError;
use crate::map::{EndpointError, Map};
use crate::trace::span;
use ground::{Ground, LayerChanges};
use keeper::{Keeper, Upkeep};
use recipe::{LayerRecipe, ReadyEngine};

/// The number of a version of a world: how many edits led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(u64);

impl Version {
    /// How many edits led to it.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// What can be chosen for a [`World`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldConfig {
    /// An engine that takes longer than this to follow an edit does so in the background from the
    /// next [`advance`](World::advance) on, unless it was [added](World::add_with) with another
    /// rule. More keeps slow engines ready; less keeps edits short.
    pub budget: Duration,
    /// The sizes of units that the world serves besides those of one cell: 2 stands for units of 2
    /// x 2 cells. Each takes a map and engines of its own, which follow the same edits. Grids only,
    /// and not hexagonal ones.
    pub sizes: Vec<u32>,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self { budget: Duration::from_millis(2), sizes: Vec::new() }
    }
}

/// Why something cannot be done to a world. It is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The map cannot be changed in this way.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// An engine cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A pair of nodes has no answer.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// There is no map for units of this size.
    #[error(transparent)]
    Size(#[from] AgentError),
    /// Units on graphs have no size.
    #[error("units of {size} x {size} cells need a grid, and this map is a graph")]
    SizeOnGraph {
        /// The size that was asked for.
        size: u32,
    },
    /// The world does not serve units of this size.
    #[error(
        "the world serves no units of size {size}; its sizes are: {known}; add it to `WorldConfig::sizes`"
    )]
    NoSuchSize {
        /// The size that was asked for.
        size: u32,
        /// The known ones.
        known: String,
    },
    /// An engine that was built or opened already is for another map.
    #[error(
        "the engine `{name}` was built for a map that is not that of the world, or no longer; build or open it for `world.snapshot().map()`"
    )]
    OtherMap {
        /// The name of the engine.
        name: String,
    },
    /// No engine has this name.
    #[error("the world has no engine `{name}`; it has: {known}")]
    NoSuchEngine {
        /// The name that was asked for.
        name: String,
        /// The known ones.
        known: String,
    },
    /// Another engine has this name already.
    #[error("the world has an engine `{name}` already; give this one another name")]
    NameTaken {
        /// The name of both.
        name: String,
    },
    /// The thread is inside an edit of the same world, which would wait for itself.
    #[error("this thread is in the middle of an edit of the world; end that one first")]
    Nested,
}

/// What an edit led to.
#[derive(Debug, Clone)]
pub struct Edit {
    snapshot: Snapshot,
    changes: Arc<LayerChanges>,
}

impl Edit {
    /// The version after the edit; where nothing changed, the one before it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Its number.
    pub fn version(&self) -> Version {
        self.snapshot.version()
    }

    /// What differs from the version before: on grids every cell that is not as it was, once.
    pub fn changes(&self) -> &Changes {
        self.changes_of(0)
    }

    /// The same for the map of units of this size: the cells at which such a unit fits now and did
    /// not before, or the other way round. Nothing for sizes that the world does not serve.
    pub fn changes_for_size(&self, size: u32) -> &Changes {
        self.snapshot.layer_of(size).map_or(&NOTHING, |layer| self.changes_of(layer))
    }

    fn changes_of(&self, layer: usize) -> &Changes {
        self.changes.get(layer).unwrap_or(&NOTHING)
    }
}

/// What differs where nothing does.
static NOTHING: Changes =
    Changes { cells: Vec::new(), terrain: Vec::new(), nodes: Vec::new(), edges: Vec::new() };

/// One owner of a map and of engines for it; see the [module](self).
///
/// Share it by reference or `Arc`: all methods can be called from any thread. Edits take turns.
pub struct World {
    core: Core<LayerRecipe>,
    config: WorldConfig,
}

debug_by_name!("World", [] World, |world| "config" = world.config);

impl World {
    /// A world on this map, without engines: A* answers.
    pub fn new(map: impl Into<Map>) -> Result<Self, WorldError> {
        Self::with_config(map, WorldConfig::default())
    }

    /// The same with another configuration.
    pub fn with_config(map: impl Into<Map>, config: WorldConfig) -> Result<Self, WorldError> {
        let ground = Ground::new(map.into(), &config.sizes)?;
        Ok(Self { core: Core::new(ground), config })
    }

    /// Builds an engine for the newest version and has it follow all edits from now on.
    ///
    /// Edits are not held up by the build; where some were made meanwhile, the engine is built once
    /// more in the background.
    pub fn add(&self, recipe: Recipe) -> Result<Snapshot, WorldError> {
        self.add_with(recipe, Follow::default())
    }

    /// The same with a rule when to follow edits. With [`Follow::Behind`] this does not wait for
    /// the build either.
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
            // Another thread may have been faster.
            is_free(now, &layers, recipe.name())?;
            let rule = (follow, self.config.budget);
            let keeper = |(recipe, engine): (Arc<LayerRecipe>, Option<_>)| {
                let engine = engine.filter(|_| now.version == start.version);
                Keeper::new(recipe, rule, engine, &now.map)
            };
            Ok(made.into_iter().map(keeper).collect())
        });
        added.map(Snapshot::new)
    }

    /// The newest version. Takes next to no time and never waits.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.core.load())
    }

    /// Changes the map in one step: cells, terrain, nodes and edges as `write` writes them down.
    /// All of it happens or, where one of the changes is impossible, nothing. An edit of a grid
    /// that changes nothing makes no new version.
    ///
    /// Edits wait for each other. An edit inside another is refused with [`WorldError::Nested`].
    /// Also returned when the edit runs on a rayon worker that picked it up while it waited for
    /// another edit: edit from threads of your own.
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

    /// The same for changes that lie ready.
    pub fn apply(&self, changes: &Changes) -> Result<Edit, WorldError> {
        self.edit(|editor| editor.extend(changes))
    }

    /// Takes over what the background has finished, and decides anew which engines follow edits
    /// there; once per frame is a good time. Does not wait for work under way, but an engine that
    /// comes back follows the edits it has missed, within the budget. Inside an edit it does
    /// nothing.
    pub fn advance(&self) -> Advance {
        self.advanced(false)
    }

    /// The same, waiting until all work in the background is done and every engine that can be is
    /// ready. Edits wait meanwhile.
    pub fn settle(&self) -> Advance {
        self.advanced(true)
    }

    /// Whether work is under way in the background, done or not.
    pub fn is_busy(&self) -> bool {
        self.core.is_held_here() || self.core.is_busy()
    }

    /// The layer of units of this size.
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
        engines.dedup(); // One name may stand for engines of several sizes.
        Advance { snapshot: Snapshot::new(published), engines }
    }
}

/// An error where an engine for one of these layers has this name.
fn is_free(now: &Published<LayerRecipe>, layers: &[usize], name: &str) -> Result<(), WorldError> {
    let mut held = now.engines.iter().map(|held| &held.recipe);
    match held.any(|held| layers.contains(&held.layer) && held.recipe.name() == name) {
        true => Err(WorldError::NameTaken { name: name.to_owned() }),
        false => Ok(()),
    }
}

/// What [`World::advance`] led to.
#[derive(Debug, Clone)]
pub struct Advance {
    /// The newest version, with its engines as they are now.
    pub snapshot: Snapshot,
    /// The names of those that are others than before: caught up, rebuilt, or failed.
    pub engines: Vec<String>,
}
