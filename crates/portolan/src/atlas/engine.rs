//! The engine [`Atlas`].

use super::config::{AtlasConfig, Form};
use super::earlier::{EarlierIndexes, MANY_CELLS};
use super::file::StoredForm;
use super::general::query::GeneralQuery;
use super::general::{build, file, refresh, reweigh};
use super::index::{Draft, Index};
use super::plan::{AtlasForm, Choice, FormReason, Plan};
use super::scratch::{AtlasScratch, on_form};
use super::search::{SearchIndex, SearchQuery};
use super::uniform::{UniformIndex, UniformQuery};
use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::{Changes, TopologyDifference, same_topology};
use crate::cost::Cost;
use crate::engine::{
    Answer, Build, CostAnswer, Engine, EngineForm, PathAnswer, RebuiltPart, ScratchPool, Searching,
    boxed_answers, debug_by_form,
};
use crate::graph::{Endpoints, NodeId};
use crate::map::{EndpointError, Map};
use crate::search::Observer;
use crate::store::{IndexFile, IndexWriter, OpenError, Unstorable};

/// An exact index for any map. See the [module](super) for how it works.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig};
/// use portolan::{Build, Engine, Map, generate::Rooms};
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
    pub(super) index: Index,
    pub(super) config: AtlasConfig,
    pub(super) reason: FormReason,
    /// Kept for edits that lead back to them. They count against the memory limit.
    earlier: EarlierIndexes,
    pool: ScratchPool<AtlasScratch>,
}

debug_by_form!(Atlas);

impl Atlas {
    /// Plans an index for this map: its form and size, or why none can be built. Dissects the map
    /// but computes no tables.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig, Form};
    /// use portolan::{Build, Engine, Grid, Map};
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
        let plan = || Ok(Draft::new(map, config, progress)?.plan(config.limit(map)));
        in_threads(config.threads, plan)?
    }

    /// Adds the labels that a refreshed index lacks. The configuration decides which labels. The
    /// general forms share all tables with `self`; the uniform form and the search are built from
    /// scratch.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::{Build, Changes, Engine, Grid, Map};
    /// let mut map = Map::from(Grid::new(40, 40)?);
    /// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
    /// let changes = Changes::new().block(820);
    /// map.apply(&changes)?;
    /// let refreshed = atlas.refreshed(&map, &changes)?;
    /// let relabelled = refreshed.relabelled()?;
    /// assert_eq!(relabelled.query().distance(0, 1599), refreshed.query().distance(0, 1599));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relabelled(&self) -> Result<Self, BuildError> {
        let relabelled = match &self.index {
            Index::General(index) => {
                let choice = Choice::new(index, &self.config)?;
                let label = || build::with_labels(index.clone(), choice, &());
                let (index, reason) = in_threads(self.config.threads, label)??;
                self.followed_by(Index::General(index), reason)
            }
            Index::Uniform(uniform) if uniform.is_labelled() => self.clone(),
            Index::Search(search) if !search.wants_rebuild() => self.clone(),
            Index::Uniform(_) | Index::Search(_) => self.built_from_scratch(self.map())?,
        };
        Ok(relabelled)
    }

    /// The index of a map with the same nodes and edges but other weights, such as a road network
    /// in new traffic. Nothing is cut again, and only regions with changed weights are computed, in
    /// parallel. Takes grids with other terrain factors too.
    ///
    /// The result is exact and climbs like a refreshed index, until
    /// [`relabelled`](Self::relabelled) adds labels. Where the index before had no edits, this
    /// gives byte for byte the index that [`build`](Build::build) returns, unless weights are so
    /// large that costs do not fit.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::generate::Roads;
    /// use portolan::{Build, Engine, Map};
    /// let roads = Roads { nodes: 2000, ..Roads::default() }.generate()?;
    /// let atlas = Atlas::build(&roads.clone().into(), &AtlasConfig::default())?;
    /// let rush_hour = roads.with_weights(|_, head, weight| if head < 500 { 3 * weight } else { weight })?;
    /// let atlas = atlas.reweighed(&rush_hour.into())?; // exact at once
    /// let before = atlas.query().distance(3, 1700)?;
    /// let atlas = atlas.relabelled()?; // and fast, after a while
    /// assert_eq!(atlas.query().distance(3, 1700)?, before);
    ///
    /// let other = Roads { nodes: 1000, ..Roads::default() }.generate()?;
    /// let error = atlas.reweighed(&Map::from(other)).unwrap_err();
    /// assert!(error.to_string().ends_with("build an index of the new map"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reweighed(&self, map: &Map) -> Result<Self, ReweighError> {
        same_topology(self.map(), map)?;
        Ok(match &self.index {
            Index::General(_) => self.with_weights(map)?,
            // A grid of one terrain has no other weights.
            Index::Uniform(_) => self.clone(),
            Index::Search(_) => self.built_from_scratch(map)?,
        })
    }

    /// Builds the index of the current map from scratch: byte for byte the index that
    /// [`build`](Build::build) returns. Indexes kept of earlier maps are dropped.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::{Build, Changes, Engine, Grid, Map};
    /// let mut map = Map::from(Grid::new(40, 40)?);
    /// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
    /// let changes = Changes::new().block(820);
    /// map.apply(&changes)?;
    /// let compact = atlas.refreshed(&map, &changes)?.compact()?;
    /// let (mut bytes, mut fresh) = (Vec::new(), Vec::new());
    /// compact.store()?.write_to(&mut bytes)?;
    /// Atlas::build(&map, &AtlasConfig::default())?.store()?.write_to(&mut fresh)?;
    /// assert_eq!(bytes, fresh);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compact(&self) -> Result<Self, BuildError> {
        let earlier = EarlierIndexes::default();
        Ok(Self { earlier, ..self.built_from_scratch(self.map())? })
    }

    /// Whether there were so many edits that [`relabelled`](Self::relabelled) would make queries
    /// much faster. [`World`](crate::world::World) rebuilds in the background.
    pub fn wants_rebuild(&self) -> bool {
        match &self.index {
            Index::Uniform(uniform) => uniform.wants_rebuild(),
            Index::Search(search) => search.wants_rebuild(),
            Index::General(index) => {
                self.reason == FormReason::Edited
                    && index.labels.is_none()
                    && self.config.form != Form::Climb
            }
        }
    }

    /// Which form the index has, and why.
    pub fn form(&self) -> AtlasForm {
        self.index.form(self.reason)
    }

    /// The index of a map with the same topology.
    fn with_weights(&self, map: &Map) -> Result<Self, BuildError> {
        let Index::General(index) = &self.index else { return self.built_from_scratch(map) };
        let reweighed = in_threads(self.config.threads, || reweigh::reweigh(index, map))?;
        self.following(map, reweighed.map(Index::General))
    }

    /// An index that followed a change of the map; one that is built from scratch instead of none,
    /// or where it does not fit.
    fn following(&self, map: &Map, index: Option<Index>) -> Result<Self, BuildError> {
        match index.filter(|index| self.fits(index, map)) {
            Some(index) => Ok(self.followed_by(index, FormReason::Edited)),
            None => self.built_from_scratch(map),
        }
    }

    /// Nodes lifted by edits make an index larger than a fresh one.
    fn fits(&self, index: &Index, map: &Map) -> bool {
        index.memory_bytes() as u64 <= self.config.limit(map)
    }

    /// Builds an index of this map from scratch that shares the scratch pool, and keeps this one if
    /// it is worth its memory.
    fn built_from_scratch(&self, map: &Map) -> Result<Self, BuildError> {
        let Self { index, reason, .. } = Self::build(map, &self.config)?;
        Ok(self.followed_by(index, reason))
    }

    /// An index of the configured form after an edit of its map; `None` if it must be built from
    /// scratch.
    fn follow(&self, index: &Index, map: &Map, changes: &Changes) -> Option<Index> {
        let followed = match index {
            Index::General(index) => {
                refresh::refresh(index, map, changes, &self.config).map(Index::General)
            }
            Index::Uniform(uniform) => uniform.refresh(map, changes).map(Index::Uniform),
            Index::Search(search) => {
                Some(Index::Search(search.refresh(map, changes, self.config.limit(map))))
            }
        };
        followed.filter(|index| self.fits(index, map))
    }

    /// An index made from that of an earlier map, if that is like this one and nearer to it than
    /// the map of the present labels.
    fn recalled(&self, map: &Map) -> Option<Self> {
        let (earlier, reason, changes) = self.earlier.nearest(map, &self.index)?;
        if changes.is_empty() {
            return Some(self.followed_by(earlier.on(map), reason));
        }
        let index = self.follow(&earlier, map, &changes)?;
        Some(self.followed_by(index, FormReason::Edited))
    }

    /// The next version, with the earlier indexes that fit beside its own.
    fn followed_by(&self, index: Index, reason: FormReason) -> Self {
        let limit = self.config.limit(index.map());
        let left = limit.saturating_sub(index.memory_bytes() as u64);
        let earlier = match index.shares_labels(&self.index) {
            true => self.earlier.within(left),
            false => self.earlier.after((&self.index, self.reason), index.map(), left),
        };
        Self { index, reason, earlier, ..self.clone() }
    }
}

/// Why an [`Atlas`] cannot be [reweighed](Atlas::reweighed).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReweighError {
    /// The map differs from that of the index in more than its weights.
    #[error(
        "the map of the index and the new map differ in more than weights: {0}; build an index of the new map"
    )]
    Topology(#[from] TopologyDifference),
    /// The index of the new map cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl Engine for Atlas {
    fn name(&self) -> &'static str {
        self.config.form.engine_name()
    }

    fn exact(&self) -> bool {
        true
    }

    fn wants_rebuild(&self) -> bool {
        Self::wants_rebuild(self)
    }

    /// See [`relabelled`](Self::relabelled).
    fn rebuilt(&self, _: &Map) -> Result<Box<dyn Engine>, BuildError> {
        crate::trace::span!("rebuild", engine = self.name());
        Ok(Box::new(self.relabelled()?))
    }

    /// The regions of the general forms. The uniform form has no parts of its own: an edit makes
    /// labels stale.
    fn rebuilt_since(&self, before: &dyn Engine) -> Option<Vec<RebuiltPart>> {
        match (&before.downcast_ref::<Self>()?.index, &self.index) {
            (Index::General(before), Index::General(after)) => Some(after.rebuilt_since(before)),
            _ => None,
        }
    }

    fn memory_bytes(&self) -> usize {
        self.index.memory_bytes() + self.earlier.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        Some(Box::new(self.form()))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        match &self.index {
            Index::General(index) => Ok(file::store(index, &self.config)),
            Index::Uniform(uniform) => uniform.store(self.name()),
            Index::Search(search) => Ok(search.store(self.name())),
        }
    }

    fn map(&self) -> &Map {
        self.index.map()
    }

    boxed_answers!();
}

impl Build for Atlas {
    type Config = AtlasConfig;

    fn supports(map: &Map, config: &AtlasConfig) -> Result<(), Unsupported> {
        match config.form {
            Form::Uniform => UniformIndex::supports(map),
            _ => Ok(()),
        }
    }

    fn build_watched(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let build = || Draft::new(map, config, progress)?.finish(progress);
        let (index, reason) = in_threads(config.threads, build)??;
        let (config, earlier) = (config.clone(), EarlierIndexes::default());
        Ok(Self { index, config, reason, earlier, pool: ScratchPool::default() })
    }

    /// Shares everything that the changes do not affect. The result has no labels of the edited
    /// map; see [`relabelled`](Self::relabelled).
    ///
    /// Changes of very many cells of a grid of one terrain build the index from scratch. The index
    /// before is then kept, up to seven of them and within [`AtlasConfig::memory_limit`], so that a
    /// map that returns has its labels at once.
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        if !map.follows(self.map(), changes) {
            return self.built_from_scratch(map);
        }
        if let Index::General(index) = &self.index
            && reweigh::alters_weights(index, map, changes)
        {
            return self.with_weights(map);
        }
        // Looking for an earlier version takes longer than a small edit.
        if changes.cells.len() > MANY_CELLS
            && let Some(recalled) = self.recalled(map)
        {
            return Ok(recalled);
        }
        self.following(map, self.follow(&self.index, map, changes))
    }

    fn storable(_: &AtlasConfig) -> Result<(), Unstorable> {
        Ok(())
    }

    /// The file determines the form, and in general forms the leaf size. The configuration
    /// determines the threads, the partitioner for later builds, and the memory limit unless the
    /// index already exceeds it.
    fn open(index: &IndexFile, map: &Map, config: &AtlasConfig) -> Result<Self, OpenError> {
        let form = Form::ALL.into_iter().find(|form| form.engine_name() == index.engine());
        let form = form.unwrap_or(config.form);
        index.check_engine(form.engine_name())?;
        index.check_map(map)?;
        let (stored, words) = StoredForm::read(index)?;
        let parameters = StoredForm::parameters(&words);
        let (opened, leaf_size) = match stored {
            StoredForm::General => {
                let (general, leaf_size) = file::open(index, map, parameters)?;
                (Index::General(general), leaf_size)
            }
            StoredForm::Uniform | StoredForm::UniformCompact | StoredForm::UniformClimb => {
                let uniform = UniformIndex::open(index, map, parameters, stored)?;
                (Index::Uniform(uniform), config.leaf_size)
            }
            StoredForm::Search => {
                let search = SearchIndex::open(index, map, parameters, config)?;
                (Index::Search(search), config.leaf_size)
            }
        };
        let fits = opened.memory_bytes() as u64 <= config.limit(map);
        let memory_limit = if fits { config.memory_limit } else { u64::MAX.into() };
        let config = AtlasConfig { form, leaf_size, memory_limit, ..config.clone() };
        let (earlier, pool) = (EarlierIndexes::default(), ScratchPool::default());
        Ok(Self { index: opened, config, reason: FormReason::Stored, earlier, pool })
    }
}

impl Answer for Atlas {
    type Scratch = AtlasScratch;

    fn scratch_pool(&self) -> &ScratchPool<AtlasScratch> {
        &self.pool
    }

    fn find_with<'q>(
        &'q self,
        scratch: &'q mut AtlasScratch,
        ends: Endpoints,
        observer: &mut impl Observer,
    ) -> PathAnswer<'q> {
        on_form!(self, scratch, query => query.find(ends, observer))
    }

    fn distance_with(&self, scratch: &mut AtlasScratch, (from, to): Endpoints) -> CostAnswer {
        on_form!(self, scratch, query => query.distance(from, to))
    }

    fn find_each_with(
        &self,
        scratch: &mut AtlasScratch,
        pairs: &[Endpoints],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        match &self.index {
            Index::General(_) | Index::Search(_) => {
                for (at, &ends) in pairs.iter().enumerate() {
                    visit(at, self.find_with(scratch, ends, &mut ()));
                }
            }
            Index::Uniform(index) => {
                UniformQuery::new(index, &mut scratch.uniform).find_each(pairs, visit);
            }
        }
    }

    fn distance_each_with(
        &self,
        scratch: &mut AtlasScratch,
        pairs: &[Endpoints],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        match &self.index {
            Index::General(_) | Index::Search(_) => {
                for (at, &ends) in pairs.iter().enumerate() {
                    visit(at, self.distance_with(scratch, ends));
                }
            }
            Index::Uniform(index) => {
                UniformQuery::new(index, &mut scratch.uniform).distance_each(pairs, visit);
            }
        }
    }

    fn locality_of(&self, pair: Endpoints) -> u32 {
        match &self.index {
            Index::General(index) => index.locality(pair),
            Index::Uniform(index) => index.locality(pair),
            // A search does not profit from the one before.
            Index::Search(_) => 0,
        }
    }

    fn distances_from_with(
        &self,
        scratch: &mut AtlasScratch,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        on_form!(self, scratch, query => query.distances_from(from, to))
    }
}
