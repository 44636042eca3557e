//! What the two portal engines share: build, refresh, open, store, queries, and the fallback to A*.

use super::bound::layout::{Packing, PortalLayout};
use super::bound::tables::PortalTables;
use super::bound::{
    PortalBound, PortalConfig, PortalSummary, build_portals, open_portals, store_portals,
};
use super::perfect::node_distances::MAX_REGION_NODES;
use super::portal_hops::PortalHop;
use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::engine::{
    Answer, Build, CostAnswer, Engine, EngineForm, ScratchPool, Searching, answer_by_searching,
    boxed_answers,
};
use crate::graph::{Direction, Endpoints, Graph, NodeId};
use crate::heuristic::Geometric;
use crate::map::{Map, on_graph};
use crate::partition::RegionCounts;
use crate::route::Route;
use crate::search::{Observer, Scratch, astar};
use crate::store::{Fingerprint, IndexFile, IndexWriter, OpenError, Unstorable};

/// An engine with portal tables. Use it as [`PortalSearch`](super::PortalSearch) or
/// [`PerfectPortal`](super::PerfectPortal).
pub struct PortalEngine<M> {
    pub(super) map: Map,
    pub(super) config: PortalConfig,
    pub(super) base: Geometric,
    pub(super) portals: PortalTables,
    /// What the method stores beside the portals.
    pub(super) method: M,
    pub(super) pool: ScratchPool<PortalScratch>,
}

/// How a portal engine answers, and what it stores for that.
pub(super) trait PortalMethod: Sized + Send + Sync + 'static {
    /// The name of the engine.
    const NAME: &'static str;

    /// How the numbers of regions are stored.
    fn packing(config: &PortalConfig, map: &Map) -> Packing;

    /// The size of its tables in bytes. `u64::MAX` if a region is too large for them.
    fn bytes(counts: &RegionCounts, usable: usize, undirected: bool) -> u64;

    /// The size of its tables in bytes.
    fn memory_bytes(&self) -> usize;

    /// The part of [`memory_bytes`](Self::memory_bytes) that belongs to one region.
    fn region_bytes(&self, region: u32) -> usize;

    /// Builds its tables, and returns whether a cost overflowed.
    fn build(
        map: &Map,
        layout: &PortalLayout,
        progress: &dyn Progress,
    ) -> Result<(Self, bool), BuildError>;

    /// Adds its sections to an index file.
    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>);

    /// Reads its sections from an index file, which has been checked to belong to this map.
    fn open(index: &IndexFile, map: &Map, layout: &PortalLayout) -> Result<Self, OpenError>;

    /// Answers a query, and leaves the path in `scratch.path` if `with_path`. `None` if the tables
    /// have no answer; A* then answers instead. Not called if a cost overflowed or a weight is
    /// zero.
    fn answer(
        engine: &PortalEngine<Self>,
        graph: &impl Graph,
        ends: Endpoints,
        with_path: bool,
        scratch: &mut PortalScratch,
        observer: &mut impl Observer,
    ) -> Option<CostAnswer>;
}

// Only the two methods in this folder exist.
#[allow(private_bounds)]
impl<M: PortalMethod> PortalEngine<M> {
    /// Statistics of the portals.
    pub fn summary(&self) -> PortalSummary {
        self.portals.summary()
    }
}

impl<M: PortalMethod> std::fmt::Debug for PortalEngine<M> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PortalEngine")
            .field("name", &M::NAME)
            .field("form", &self.summary().to_string())
            .field("bytes", &self.memory_bytes())
            .field("map", &self.map)
            .finish()
    }
}

impl<M: PortalMethod> Engine for PortalEngine<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn exact(&self) -> bool {
        true
    }

    fn map(&self) -> &Map {
        &self.map
    }

    fn memory_bytes(&self) -> usize {
        self.portals.memory_bytes() + self.method.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        Some(Box::new(self.portals.summary()))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        let mut writer = IndexWriter::new(M::NAME, Fingerprint::of(&self.map));
        store_portals(&self.portals, self.map.is_undirected(), &mut writer);
        self.method.store(&mut writer);
        Ok(writer)
    }

    boxed_answers!();
}

impl<M: PortalMethod> Build for PortalEngine<M> {
    type Config = PortalConfig;

    fn supports(map: &Map, config: &PortalConfig) -> Result<(), Unsupported> {
        Geometric::for_method(M::NAME, map, config.heuristic).map(|_| ())
    }

    fn build_watched(
        map: &Map,
        config: &PortalConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Geometric::for_method(M::NAME, map, config.heuristic)?;
        let (usable, undirected) = (map.usable_count(), map.is_undirected());
        let build = || {
            let more = |counts: &_| M::bytes(counts, usable, undirected);
            let packing = M::packing(config, map);
            let portals = build_portals(map, config, &base, packing, progress, &more);
            let mut portals = portals.map_err(|error| match error {
                BuildError::MemoryLimit { needed: u64::MAX, .. } => too_large(M::NAME, config),
                other => other,
            })?;
            let (method, overflowed) = M::build(map, &portals.layout, progress)?;
            portals.overflowed |= overflowed;
            Ok::<_, BuildError>((portals, method))
        };
        let (portals, method) = in_threads(config.threads, build)??;
        let (map, config, pool) = (map.clone(), config.clone(), ScratchPool::default());
        Ok(Self { map, config, base, portals, method, pool })
    }

    /// Builds from scratch: a cell that opens may join regions anywhere.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? })
    }

    fn storable(_: &PortalConfig) -> Result<(), Unstorable> {
        Ok(())
    }

    fn open(index: &IndexFile, map: &Map, config: &PortalConfig) -> Result<Self, OpenError> {
        index.check_engine(M::NAME)?;
        index.check_map(map)?;
        let base = Geometric::for_method(M::NAME, map, config.heuristic)?;
        let portals = open_portals(index, map)?;
        let method = M::open(index, map, &portals.layout)?;
        let (map, config, pool) = (map.clone(), config.clone(), ScratchPool::default());
        Ok(Self { map, config, base, portals, method, pool })
    }
}

impl<M: PortalMethod> Answer for PortalEngine<M> {
    type Scratch = PortalScratch;

    answer_by_searching!(PortalScratch, PortalRun);
}

/// The error if no memory limit is large enough, because of the size of a region.
fn too_large(method: &'static str, config: &PortalConfig) -> BuildError {
    let most = config.most_portals;
    let reason = format!(
        "{most} portals leave a region of more than {MAX_REGION_NODES} nodes; raise most_portals"
    );
    Unsupported { method, reason }.into()
}

/// The scratch space of a query.
#[derive(Default)]
pub(crate) struct PortalScratch {
    pub(super) search: Scratch,
    /// The nodes that step 1 found.
    pub(super) outline: Vec<NodeId>,
    pub(super) hops: Vec<PortalHop>,
    /// A part of the path that is copied to `path`, mostly in reverse.
    pub(super) part: Vec<NodeId>,
    pub(super) path: Vec<NodeId>,
}

/// One query.
struct PortalRun<'q, M> {
    engine: &'q PortalEngine<M>,
    scratch: &'q mut PortalScratch,
}

impl<'q, M: PortalMethod> PortalRun<'q, M> {
    fn new(engine: &'q PortalEngine<M>, scratch: &'q mut PortalScratch) -> Self {
        Self { engine, scratch }
    }

    fn answer(
        &mut self,
        graph: &impl Graph,
        ends: Endpoints,
        with_path: bool,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PortalEngine { base, portals, .. } = self.engine;
        self.scratch.path.clear();
        if !portals.overflowed && portals.layout.positive() {
            let answer = M::answer(self.engine, graph, ends, with_path, self.scratch, observer);
            if let Some(answer) = answer {
                return answer;
            }
        }
        let PortalScratch { search, path, .. } = self.scratch;
        let mut bound = PortalBound::new(portals, base, ends.1, Direction::Forward);
        let cost = astar::find(graph, search, ends, &mut bound, observer)?;
        search.path_into(ends.1, path);
        Ok(cost)
    }
}

impl<'q, M: PortalMethod> Searching<'q> for PortalRun<'q, M> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.answer(graph, (from, to), false, observer))
    }

    fn search_path(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.answer(graph, (from, to), true, observer))
    }

    fn route(self, _: NodeId, cost: Cost) -> Route<'q> {
        Route::complete(&self.engine.map, cost, &self.scratch.path)
    }
}
