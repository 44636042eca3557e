//! Atlas: an exact index for any map, within a memory limit, open to edits.
//!
//! The map's *core* (`core/`, `index.rs`) is cut in two by a separator, each side again, down to
//! small leaves (`dissect.rs`, `tree.rs`). Every region holds tables of what its border and its
//! separator cost each other (`leaf.rs`, `branch.rs`). From these come *labels*: for each separator
//! node its costs to all separators above it (`labels.rs`), with the next hop beside each
//! (`hops.rs`). A query connects its two ends to the core, joins them over the entries that both
//! rows have (`join.rs`), and unpacks the path hop by hop (`walk.rs`), or on graphs copies it from
//! pieces that lie ready (`ready.rs`, `trail.rs`). Where memory is short, and right after edits,
//! the same join is found by climbing from table to table (`climb.rs`). All of it can be kept in a
//! file (`file.rs`). Grids of one terrain have a form of their own (`uniform/`).
//!
//! The synthesis of several lines of research: the hierarchy of tables is that of Partially
//! Precomputed A* (Hewlett), borders are vertices instead of edges as in the portals of Goldenberg,
//! Felner, Sturtevant and Schaeffer, a stored distance through a point on the way is exact as with
//! landmarks, and the order of nested dissection with its customisation is that of customisable
//! contraction hierarchies (Dibbelt, Strasser, Wagner) and hierarchical hub labels (Abraham,
//! Delling, Goldberg, Werneck).
//!
//! Invariants: all weights in the core are positive (`core/scale.rs`); of two core nodes with an
//! edge between them, one's home lies in the other's or both are in the same leaf; the index
//! follows from the map and the configuration alone, whatever the threads.

mod body;
mod general;
mod plan;
mod scratch;
mod separator_tree;
mod uniform;
mod upkeep;

pub use general::validate::Broken;
pub use plan::{AtlasForm, AtlasLabels, FormReason, Plan};
pub use upkeep::Upkeep;

use self::body::{Body, Draft};
use self::general::query::GeneralRun;
use self::general::{build, file, refresh};
use self::plan::Choice;
use self::scratch::{AtlasScratch, on_form};
use self::uniform::Uniform;
use self::uniform::UniformRun;
use crate::changes::Changes;
use crate::cost::Cost;
use crate::engine::{
    BuildError, CostAnswer, EndpointError, Engine, EngineForm, PathAnswer, ScratchPool, Unstorable,
    Unsupported, debug_by_form,
};
use crate::graph::NodeId;
use crate::map::Map;
use crate::partition::Partitioner;
use crate::progress::Progress;
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};
use crate::search::Observer;
use crate::store::{IndexFile, IndexWriter, OpenError};
use crate::threads::in_threads;

/// Which of its forms an [`Atlas`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// The fastest that the memory limit allows.
    #[default]
    Fastest,
    /// Labels of the corners that paths bend round: for grids of one terrain that are four- or
    /// eight-connected.
    Uniform,
    /// Labels over the general core: the fastest answers on all other maps, and the most memory.
    General,
    /// Tables alone: the least memory, and the quickest to follow edits.
    Climb,
}

/// What can be chosen when building an [`Atlas`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtlasConfig {
    /// Which form to build.
    pub form: Form,
    /// Bytes that the index may take, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for as many
    /// as the fastest form needs.
    pub memory_limit: u64,
    /// The most nodes of a leaf, or corners in the form for grids of one terrain. In general forms
    /// larger leaves make shorter labels and fewer hops; their tables grow with their borders, and
    /// searches inside them take longer. Between corners they make labels longer and cuts faster.
    /// `None` for 128 nodes and 8 corners, which suits every kind of map.
    pub leaf_size: Option<usize>,
    /// How separators are found. On graphs sides may be uneven by 300 thousandths, whatever is said
    /// here, which suits roads; elsewhere by its imbalance.
    pub partitioner: Partitioner,
    /// Threads for the build; 0 for one per core. The index does not depend on it.
    pub threads: usize,
}

impl Default for AtlasConfig {
    fn default() -> Self {
        Self {
            form: Form::default(),
            memory_limit: DEFAULT_MEMORY_LIMIT,
            leaf_size: None,
            // A second try takes a third more time and makes the index a few per cent smaller.
            partitioner: Partitioner { tries: 1, ..Partitioner::default() },
            threads: 0,
        }
    }
}

impl AtlasConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings, form: Form) -> Self {
        let config = Self::default();
        Self {
            form,
            memory_limit: settings.memory_limit,
            partitioner: Partitioner { seed: settings.seed, ..config.partitioner },
            threads: settings.threads,
            ..config
        }
    }
}

/// Our exact index.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig};
/// use portolan::{Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
/// let mut query = atlas.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Atlas {
    body: Body,
    config: AtlasConfig,
    why: FormReason,
    pool: ScratchPool<AtlasScratch>,
}

debug_by_form!(Atlas);

impl Atlas {
    /// What an index of this map would be and take, or why there can be none: cuts the map and
    /// fills nothing.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig, Form};
    /// use portolan::{Engine, Grid, Map};
    /// let map = Map::from(Grid::new(40, 40)?);
    /// let config = AtlasConfig { form: Form::Climb, ..AtlasConfig::default() };
    /// let plan = Atlas::plan(&map, &config, &())?;
    /// assert_eq!(plan.bytes, Engine::memory_bytes(&Atlas::build(&map, &config)?) as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Plan, BuildError> {
        let plan = || Ok(Draft::new(map, config, progress)?.plan());
        in_threads(config.threads, plan)?
    }

    /// The same index with the labels that its form and memory limit ask for, which a refreshed
    /// index has left behind. Shares all tables; labels of corners are built from scratch.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::changes::CellChange;
    /// use portolan::{Changes, Engine, Grid, Map, Query};
    /// let mut map = Map::from(Grid::new(40, 40)?);
    /// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
    /// let changes = Changes::new().block(820);
    /// map.apply(&changes)?;
    /// let refreshed = atlas.refresh(&map, &changes)?;
    /// let relabelled = refreshed.relabelled()?;
    /// assert_eq!(relabelled.query().distance(0, 1599), refreshed.query().distance(0, 1599));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relabelled(&self) -> Result<Self, BuildError> {
        let relabelled = match &self.body {
            Body::General(index) => {
                let choice = Choice::new(index, &self.config)?;
                let label = || build::with_labels(index.clone(), choice, &());
                let (index, why) = in_threads(self.config.threads, label)??;
                Self { body: Body::General(index), why, ..self.clone() }
            }
            Body::Uniform(uniform) if uniform.is_labelled() => self.clone(),
            Body::Uniform(uniform) => self.built_anew(uniform.map())?,
        };
        Ok(relabelled)
    }

    /// The index of the map as it is now, byte for byte what a build from scratch gives.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::changes::CellChange;
    /// use portolan::{Changes, Engine, Grid, Map};
    /// let mut map = Map::from(Grid::new(40, 40)?);
    /// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
    /// let changes = Changes::new().block(820);
    /// map.apply(&changes)?;
    /// let compact = atlas.refresh(&map, &changes)?.compact()?;
    /// let (mut bytes, mut fresh) = (Vec::new(), Vec::new());
    /// compact.store()?.write_to(&mut bytes)?;
    /// Atlas::build(&map, &AtlasConfig::default())?.store()?.write_to(&mut fresh)?;
    /// assert_eq!(bytes, fresh);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compact(&self) -> Result<Self, BuildError> {
        self.built_anew(self.map())
    }

    /// Whether so much was edited that [`relabelled`](Self::relabelled) would make queries a good
    /// deal faster. See [`Upkeep`] for rebuilds in the background.
    pub fn wants_rebuild(&self) -> bool {
        match &self.body {
            Body::Uniform(uniform) => uniform.wants_rebuild(),
            Body::General(index) => {
                self.why == FormReason::Edited
                    && index.labels.is_none()
                    && self.config.form != Form::Climb
            }
        }
    }
}

impl Atlas {
    /// An index of this map from scratch, which shares the scratch space of queries.
    fn built_anew(&self, map: &Map) -> Result<Self, BuildError> {
        Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? })
    }
}

impl Engine for Atlas {
    type Config = AtlasConfig;
    type Scratch = AtlasScratch;

    fn name(&self) -> &'static str {
        name_of(self.config.form)
    }

    fn exact(&self) -> bool {
        true
    }

    fn supports(map: &Map, config: &AtlasConfig) -> Result<(), Unsupported> {
        match config.form {
            Form::Uniform => Uniform::supports(map),
            _ => Ok(()),
        }
    }

    fn build_watched(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let build = || Draft::new(map, config, progress)?.finish(progress);
        let (body, why) = in_threads(config.threads, build)??;
        Ok(Self { body, config: config.clone(), why, pool: ScratchPool::default() })
    }

    /// What the changes do not reach is shared. The result has no labels of the edited map; see
    /// [`relabelled`](Self::relabelled).
    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        if !map.follows(self.map(), changes) {
            return self.built_anew(map);
        }
        let refreshed = match &self.body {
            Body::General(index) => {
                refresh::refresh(index, map, changes, &self.config).map(Body::General)
            }
            Body::Uniform(uniform) => uniform.refresh(map, changes).map(Body::Uniform),
        };
        let Some(body) = refreshed else {
            return self.built_anew(map);
        };
        let needed = body.memory_bytes() as u64;
        match needed > self.config.memory_limit {
            // What edits have lifted makes an index larger than a fresh one.
            true => self.built_anew(map),
            false => Ok(Self { body, why: FormReason::Edited, ..self.clone() }),
        }
    }

    fn wants_rebuild(&self) -> bool {
        Self::wants_rebuild(self)
    }

    /// See [`relabelled`](Self::relabelled).
    fn rebuilt(&self, _: &Map) -> Result<Self, BuildError> {
        self.relabelled()
    }

    fn memory_bytes(&self) -> usize {
        self.body.memory_bytes()
    }

    fn form(&self) -> Option<EngineForm> {
        Some(EngineForm::Atlas(self.body.form(self.why)))
    }

    fn storable(_: &AtlasConfig) -> Result<(), Unstorable> {
        Ok(())
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        match &self.body {
            Body::General(index) => Ok(file::store(index, &self.config)),
            Body::Uniform(uniform) => uniform.store(self.name()),
        }
    }

    /// The form is the file's, whichever was asked for, and so is the leaf size of general forms;
    /// the threads and how cuts are found from now on are the configuration's, and so is the memory
    /// limit unless the index is larger already.
    fn open(index: &IndexFile, map: &Map, config: &AtlasConfig) -> Result<Self, OpenError> {
        let form = FORMS.into_iter().find(|&form| name_of(form) == index.engine());
        let form = form.unwrap_or(config.form);
        index.check_engine(name_of(form))?;
        index.check_map(map)?;
        let (body, leaf_size) = match uniform::is_uniform(index) {
            true => (Body::Uniform(Uniform::open(index, map)?), config.leaf_size),
            false => {
                let (index, leaf_size) = file::open(index, map)?;
                (Body::General(index), leaf_size)
            }
        };
        let bytes = body.memory_bytes() as u64;
        let limit = config.memory_limit;
        let memory_limit = if bytes <= limit { limit } else { u64::MAX };
        let config = AtlasConfig { form, leaf_size, memory_limit, ..config.clone() };
        Ok(Self { body, config, why: FormReason::Stored, pool: ScratchPool::default() })
    }

    fn map(&self) -> &Map {
        self.body.map()
    }

    fn scratch_pool(&self) -> &ScratchPool<AtlasScratch> {
        &self.pool
    }

    fn find_with<'q>(
        &'q self,
        scratch: &'q mut AtlasScratch,
        ends: (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> PathAnswer<'q> {
        on_form!(self, scratch, run => run.find(ends, observer))
    }

    fn distance_with(
        &self,
        scratch: &mut AtlasScratch,
        (from, to): (NodeId, NodeId),
    ) -> CostAnswer {
        on_form!(self, scratch, run => run.distance(from, to))
    }

    fn find_each_with(
        &self,
        scratch: &mut AtlasScratch,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        on_form!(self, scratch, run => run.find_each(pairs, visit));
    }

    fn distance_each_with(
        &self,
        scratch: &mut AtlasScratch,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        on_form!(self, scratch, run => run.distance_each(pairs, visit));
    }

    fn distances_from_with(
        &self,
        scratch: &mut AtlasScratch,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        on_form!(self, scratch, run => run.distances_from(from, to))
    }
}

const FORMS: [Form; 4] = [Form::Fastest, Form::Uniform, Form::General, Form::Climb];

fn name_of(form: Form) -> &'static str {
    match form {
        Form::Fastest => "atlas",
        Form::Uniform => "atlas-uniform",
        Form::General => "atlas-general",
        Form::Climb => "atlas-climb",
    }
}
