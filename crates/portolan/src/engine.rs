//! One face for every method.
//!
//! An [`Engine`] is built on a [`Map`], refreshed after edits, and answers through queries, one per
//! thread. [`METHODS`] lists all engines by name; the command line, the benchmark and the test matrix
//! read that list, so a new method joins all of them with one line here.

use crate::atlas::{Atlas, AtlasConfig, Form};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::heuristic::{DifferentialConfig, HeuristicChoice, PortalConfig, StoredKind};
use crate::hpa::{Hpa, HpaConfig, Shpa, ShpaConfig};
use crate::map::Map;
use crate::partition::PartitionError;
use crate::portal::{PerfectPortal, PortalSearch};
use crate::ppa::{Ppa, PpaConfig};
use crate::progress::Progress;
use crate::route::Route;
use crate::search::{Algorithm, Observer, SearchConfig, SearchEngine};
use crate::store::{IndexFile, IndexWriter, OpenError};
use crate::threads::ThreadError;

/// Every method there is, by name.
pub static METHODS: &[&dyn Method] = &[
    &Entry::<SearchEngine> {
        name: "dijkstra",
        exact: true,
        summary: "Dijkstra's algorithm, the reference",
        configure: |settings| SearchConfig::from_settings(Algorithm::Dijkstra, settings),
    },
    &Entry::<SearchEngine> {
        name: "astar",
        exact: true,
        summary: "A* with a geometric lower bound",
        configure: |settings| SearchConfig::from_settings(Algorithm::AStar, settings),
    },
    &Entry::<SearchEngine> {
        name: "bidirectional",
        exact: true,
        summary: "A* from both ends at once",
        configure: |settings| SearchConfig::from_settings(Algorithm::Bidirectional, settings),
    },
    &Entry::<SearchEngine> {
        name: "differential",
        exact: true,
        summary: "A* with stored distances to landmarks",
        configure: |settings| SearchConfig::named(StoredKind::Differential, settings),
    },
    &Entry::<SearchEngine> {
        name: "differential-stale",
        exact: false,
        summary: "the same, fast and slightly stale: edits cost nothing and may hide short cuts",
        configure: SearchConfig::stale_landmarks,
    },
    &Entry::<SearchEngine> {
        name: "canonical",
        exact: true,
        summary: "A* with stored distances between canonical nodes",
        configure: |settings| SearchConfig::named(StoredKind::Canonical, settings),
    },
    &Entry::<SearchEngine> {
        name: "border",
        exact: true,
        summary: "A* with stored distances between the borders of regions",
        configure: |settings| SearchConfig::named(StoredKind::Border, settings),
    },
    &Entry::<SearchEngine> {
        name: "gateway",
        exact: true,
        summary: "A* with stored distances between the gates of zones",
        configure: |settings| SearchConfig::named(StoredKind::Gateway, settings),
    },
    &Entry::<SearchEngine> {
        name: "portal",
        exact: true,
        summary: "A* with stored distances between the portals of regions",
        configure: |settings| SearchConfig::named(StoredKind::Portal, settings),
    },
    &Entry::<PortalSearch> {
        name: "portal-search",
        exact: true,
        summary: "Portal-Based Search: two regions, joined by stored distances between portals",
        configure: |settings| PortalConfig::from_settings(settings, settings.memory_limit),
    },
    &Entry::<PerfectPortal> {
        name: "perfect-portal",
        exact: true,
        summary: "the perfect portal heuristic: paths between regions are read off without a search",
        configure: |settings| PortalConfig::from_settings(settings, settings.memory_limit),
    },
    &Entry::<Ppa> {
        name: "ppa",
        exact: true,
        summary: "Partially Precomputed A*: a hierarchy of subgraphs with all-pairs tables",
        configure: |settings| PpaConfig::from_settings(settings, false),
    },
    &Entry::<Ppa> {
        name: "ppa-bidirectional",
        exact: true,
        summary: "the same tables, searched from both ends at once",
        configure: |settings| PpaConfig::from_settings(settings, true),
    },
    &Entry::<Atlas> {
        name: "atlas",
        exact: true,
        summary: "our exact index, in the fastest form that the memory limit allows",
        configure: |settings| AtlasConfig::from_settings(settings, Form::Fastest),
    },
    &Entry::<Atlas> {
        name: "atlas-uniform",
        exact: true,
        summary: "the same with labels of the corners of a grid of one terrain",
        configure: |settings| AtlasConfig::from_settings(settings, Form::Uniform),
    },
    &Entry::<Atlas> {
        name: "atlas-general",
        exact: true,
        summary: "the same with labels over the general core",
        configure: |settings| AtlasConfig::from_settings(settings, Form::General),
    },
    &Entry::<Atlas> {
        name: "atlas-climb",
        exact: true,
        summary: "the same without labels: least memory, quickest to follow edits",
        configure: |settings| AtlasConfig::from_settings(settings, Form::Climb),
    },
    &Entry::<Hpa> {
        name: "hpa",
        exact: false,
        summary: "HPA*: clusters of cells with known costs between their entrances",
        configure: |settings| HpaConfig::from_settings(settings, false),
    },
    &Entry::<Hpa> {
        name: "dhpa",
        exact: false,
        summary: "DHPA*: the same with costs and directions from every cell to its cluster's entrances",
        configure: |settings| HpaConfig::from_settings(settings, true),
    },
    &Entry::<Shpa> {
        name: "shpa",
        exact: false,
        summary: "SHPA*: merged clusters and straight lines between their entrances, for maps that stay as they are",
        configure: ShpaConfig::from_settings,
    },
];

/// The method of this name.
pub fn method(name: &str) -> Option<&'static dyn Method> {
    METHODS.iter().copied().find(|method| method.name() == name)
}

/// What a caller who knows no more than a method's name can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The geometric lower bound of searches that take one. A tighter one means fewer nodes expanded.
    pub heuristic: HeuristicChoice,
    /// Stored bounds of these searches beside it; the greatest counts, and they share the memory limit.
    pub stored: Vec<StoredKind>,
    /// How landmarks are placed and kept, where they are used. Its limits are replaced by those here, and what becomes of
    /// bounds after edits is the method's: only `differential-stale` lets them be stale.
    pub differential: DifferentialConfig,
    /// Cells along the side of the clusters of near-optimal hierarchies. Small ones follow edits faster, large ones make abstract searches shorter.
    pub cluster_size: u32,
    /// How many levels of clusters `hpa` has.
    pub cluster_levels: usize,
    /// Bytes that an index may take. More buys speed; engines that precompute nothing ignore it.
    pub memory_limit: u64,
    /// What random choices of a build start from.
    pub seed: u64,
    /// Threads that a build may use; 0 for one per core. The result does not depend on it.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            heuristic: HeuristicChoice::Auto,
            stored: Vec::new(),
            differential: DifferentialConfig::default(),
            cluster_size: 10,
            cluster_levels: 1,
            memory_limit: 128 << 20,
            seed: 1,
            threads: 0,
        }
    }
}

/// A method of answering queries, built on one version of a map.
pub trait Engine: Sized + Send + Sync + 'static {
    /// What can be chosen when building.
    type Config;
    /// What answers; it borrows the engine and owns its scratch space.
    type Query<'a>: Query + 'a;

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

    /// The engine for the map after these changes, which have already been made in `map`. Shares what did
    /// not change; where a method knows nothing better this builds anew.
    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError>;

    /// Whether edits have piled up so much that [`rebuilt`](Self::rebuilt) would make answers a good deal faster. They are
    /// as right without it; a [`World`](crate::world::World) has it done in the background.
    fn wants_rebuild(&self) -> bool {
        false
    }

    /// The engine for the same map, which is handed in once more, as good as new.
    fn rebuilt(&self, map: &Map) -> Result<Self, BuildError> {
        self.refresh(map, &Changes::default())
    }

    /// Bytes that were precomputed; the map itself does not count.
    fn memory_bytes(&self) -> usize;

    /// Which of several forms was chosen, and why, where there are several.
    fn form(&self) -> Option<String> {
        None
    }

    /// Whether an engine of this configuration can be kept in an index file, and if not, why. A method that
    /// says yes has [`store`](Self::store) and [`open`](Self::open); others have nothing to keep.
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

    /// The engine that was stored in this file, for the same map. Takes a moment, since the file stays where
    /// it is and is read as queries need it. Damage that only [`IndexFile::verify`] can find may make answers
    /// wrong, and no more than that.
    fn open(index: &IndexFile, _map: &Map, _config: &Self::Config) -> Result<Self, OpenError> {
        Err(OpenError::NothingStored { engine: index.engine().to_owned() })
    }

    /// Something to ask; make one per thread and keep it.
    fn query(&self) -> Self::Query<'_>;
}

/// What a query says of one pair: a path, `None` where there is none, or why there is no answer.
pub type PathAnswer<'q> = Result<Option<Route<'q>>, EndpointError>;

/// Answers on one engine. Borrowed results keep it from being asked again too early.
pub trait Query {
    /// The map that the answers are about.
    fn map(&self) -> &Map;

    /// The cost of the path from one node to another; `None` where there is none.
    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError>;

    /// The path from one node to another; `None` where there is none.
    fn run(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError>;

    /// The paths of many pairs, each told with the number of its pair; the same answers as one by one, in whatever order
    /// is fastest. For all cores see [`batch`](crate::batch).
    fn run_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.run(from, to));
        }
    }

    /// The costs of the paths of many pairs, in the same way.
    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, Result<Option<Cost>, EndpointError>),
    ) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.distance(from, to));
        }
    }

    /// The same as [`run`](Self::run), watched.
    fn run_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError>;

    /// The path to the goal or, where that is blocked or out of reach, to the reachable node nearest to it;
    /// such a route is [`Partial`](crate::RouteStatus::Partial). See [`Map::nearest_reachable`].
    fn run_toward(&mut self, from: NodeId, to: NodeId) -> Result<Route<'_>, EndpointError> {
        let map = self.map();
        let may_reach = map.contains(from) && map.contains(to) && map.may_reach(from, to);
        // On directed maps only a search tells.
        let reaches = may_reach && (map.is_undirected() || self.distance(from, to)?.is_some());
        let goal = if reaches { to } else { self.map().nearest_reachable(from, to)? };
        let route = self.run(from, goal)?;
        let route = route.ok_or(EndpointError::CostOverflow { from, to: goal })?;
        Ok(if goal == to { route } else { route.into_partial() })
    }
}

impl Query for Box<dyn Query + '_> {
    fn map(&self) -> &Map {
        (**self).map()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError> {
        (**self).distance(from, to)
    }

    fn run(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError> {
        (**self).run(from, to)
    }

    fn run_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        (**self).run_each(pairs, visit);
    }

    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, Result<Option<Cost>, EndpointError>),
    ) {
        (**self).distance_each(pairs, visit);
    }

    fn run_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError> {
        (**self).run_observed(from, to, observer)
    }
}

/// Why a query has no answer, not even "no path".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// An id beyond the last node.
    #[error("node {node} is not on the map; ids run from 0 to {}", nodes.saturating_sub(1))]
    Outside {
        /// The id that was named.
        node: NodeId,
        /// How many ids there are.
        nodes: usize,
    },
    /// A node that cannot be stood on.
    #[error("node {node} is blocked; take the nearest passable one instead")]
    Blocked {
        /// The node that was named.
        node: NodeId,
    },
    /// There is a path, but its cost does not fit into a [`Cost`].
    #[error(
        "the path from {from} to {to} costs {} or more, beyond what a cost can hold; scale the weights down",
        crate::UNREACHABLE
    )]
    CostOverflow {
        /// Where the path starts.
        from: NodeId,
        /// Where it ends.
        to: NodeId,
    },
}

/// Why a method cannot serve a map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} cannot serve this map: {reason}")]
pub struct Unsupported {
    /// The method's name.
    pub method: &'static str,
    /// What is in the way, and what to do instead.
    pub reason: String,
}

/// Why an engine cannot be kept in an index file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the engine cannot be kept in an index file: {reason}")]
pub struct Unstorable {
    /// What is in the way, and what to do instead.
    pub reason: String,
}

impl Unstorable {
    pub(crate) fn nothing() -> Self {
        Self { reason: "it precomputes nothing, so building it takes no time".into() }
    }
}

/// An engine that takes less memory than the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smaller {
    /// The name of the engine.
    pub engine: &'static str,
    /// Bytes that its index takes.
    pub needed: u64,
}

impl Smaller {
    fn advice(&self) -> String {
        format!(", or choose {}, which takes {:.1} MiB", self.engine, mebibytes(self.needed))
    }
}

/// Why an engine cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The method cannot serve this map with these settings.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The map cannot be cut into regions.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// The index does not fit into the memory that was allowed.
    #[error(
        "the index takes at least {needed} bytes and {limit} are allowed{}; allow that many{}",
        in_mebibytes(*needed, *limit), smaller.as_ref().map_or(String::new(), Smaller::advice)
    )]
    MemoryLimit {
        /// What it takes; the least of all forms that were tried.
        needed: u64,
        /// What was allowed.
        limit: u64,
        /// Another engine, close to this one, that would fit.
        smaller: Option<Smaller>,
    },
    /// The threads that were asked for could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The caller's progress callback stopped the build.
    #[error("the build was cancelled")]
    Cancelled,
}

/// Both amounts again where they are too long to be read at a glance.
fn in_mebibytes(needed: u64, limit: u64) -> String {
    match needed.max(limit) {
        0..0x10_0000 => String::new(),
        _ => format!(" ({:.1} and {:.1} MiB)", mebibytes(needed), mebibytes(limit)),
    }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// A method behind its name, its types erased.
pub trait Method: Sync {
    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest ones.
    fn exact(&self) -> bool;

    /// What it is, in a few words.
    fn summary(&self) -> &'static str;

    /// Whether it can be built on this map with these settings, and if not, why.
    fn supports(&self, map: &Map, settings: &Settings) -> Result<(), Unsupported>;

    /// Precomputes what the method needs.
    fn build(&self, map: &Map, settings: &Settings) -> Result<Box<dyn AnyEngine>, BuildError> {
        self.build_watched(map, settings, &())
    }

    /// The same, telling how far it has come and stopping when told to.
    fn build_watched(
        &self,
        map: &Map,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Box<dyn AnyEngine>, BuildError>;

    /// See [`Engine::storable`].
    fn storable(&self, settings: &Settings) -> Result<(), Unstorable>;

    /// See [`Engine::open`]. A file of another engine is refused.
    fn open(
        &self,
        index: &IndexFile,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn AnyEngine>, OpenError>;
}

/// An [`Engine`] whose type is erased: every engine is one, and what can be asked of it is on `dyn AnyEngine`.
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
pub trait AnyEngine: Send + Sync {
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
    fn erased_form(&self) -> Option<String>;

    #[doc(hidden)]
    fn erased_store(&self) -> Result<IndexWriter<'_>, Unstorable>;

    #[doc(hidden)]
    fn erased_query(&self) -> Box<dyn Query + '_>;
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
        Ok(Box::new(self.refresh(map, changes)?))
    }

    fn erased_wants_rebuild(&self) -> bool {
        self.wants_rebuild()
    }

    fn erased_rebuilt(&self, map: &Map) -> Result<Box<dyn AnyEngine>, BuildError> {
        Ok(Box::new(self.rebuilt(map)?))
    }

    fn erased_memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn erased_form(&self) -> Option<String> {
        self.form()
    }

    fn erased_store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        self.store()
    }

    fn erased_query(&self) -> Box<dyn Query + '_> {
        Box::new(self.query())
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
    pub fn form(&self) -> Option<String> {
        self.erased_form()
    }

    /// See [`Engine::store`].
    pub fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        self.erased_store()
    }

    /// See [`Engine::query`].
    pub fn query(&self) -> Box<dyn Query + '_> {
        self.erased_query()
    }
}

/// A line of the list of methods.
struct Entry<E: Engine> {
    name: &'static str,
    exact: bool,
    summary: &'static str,
    configure: fn(&Settings) -> E::Config,
}

impl<E: Engine> Method for Entry<E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn exact(&self) -> bool {
        self.exact
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn supports(&self, map: &Map, settings: &Settings) -> Result<(), Unsupported> {
        E::supports(map, &(self.configure)(settings))
    }

    fn build_watched(
        &self,
        map: &Map,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Box<dyn AnyEngine>, BuildError> {
        Ok(Box::new(E::build_watched(map, &(self.configure)(settings), progress)?))
    }

    fn storable(&self, settings: &Settings) -> Result<(), Unstorable> {
        E::storable(&(self.configure)(settings))
    }

    fn open(
        &self,
        index: &IndexFile,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn AnyEngine>, OpenError> {
        index.check_engine(self.name)?;
        Ok(Box::new(E::open(index, map, &(self.configure)(settings))?))
    }
}
