//! The engine `portal-search`.

mod collapsed;
mod query;

use self::query::{PortalScratch, Run};
use super::bound::layout::Packing;
use super::bound::tables::Portals;
use super::bound::{PortalConfig, PortalSummary, build_portals, open_portals, store_portals};
use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::Changes;
use crate::engine::{
    Answer, Build, Engine, EngineForm, ScratchPool, answer_by_searching, boxed_answers,
    debug_by_form,
};
use crate::heuristic::Geometric;
use crate::map::Map;
use crate::store::{Fingerprint, IndexFile, IndexWriter, OpenError, Unstorable};

pub(crate) const NAME: &str = "portal-search";

/// Portal-Based Search: A* over two regions and the stored distances between their portals, refined
/// afterwards.
///
/// ```
/// use portolan::portal::bound::PortalConfig;
/// use portolan::portal::PortalSearch;
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let engine = PortalSearch::build(&map, &PortalConfig::default())?;
/// let mut query = engine.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PortalSearch {
    pub(crate) map: Map,
    config: PortalConfig,
    pub(crate) base: Geometric,
    pub(crate) portals: Portals,
    pool: ScratchPool<PortalScratch>,
}

impl PortalSearch {
    /// What portals there are.
    pub fn summary(&self) -> PortalSummary {
        self.portals.summary()
    }

    pub(crate) fn directions(&self) -> bool {
        self.config.directions
    }
}

debug_by_form!(PortalSearch);

impl Engine for PortalSearch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        self.portals.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        Some(Box::new(self.portals.summary()))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        let mut writer = IndexWriter::new(NAME, Fingerprint::of(&self.map));
        store_portals(&self.portals, self.map.is_undirected(), &mut writer);
        Ok(writer)
    }

    fn map(&self) -> &Map {
        &self.map
    }

    boxed_answers!();
}

impl Build for PortalSearch {
    type Config = PortalConfig;

    fn supports(map: &Map, config: &PortalConfig) -> Result<(), Unsupported> {
        Geometric::for_method(NAME, map, config.heuristic).map(|_| ())
    }

    fn build_watched(
        map: &Map,
        config: &PortalConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Geometric::for_method(NAME, map, config.heuristic)?;
        let packing = Packing::within(config.memory_limit, map.node_count());
        let build = || build_portals(map, config, &base, packing, progress, &|_| 0);
        let portals = in_threads(config.threads, build)??;
        Ok(Self {
            map: map.clone(),
            config: config.clone(),
            base,
            portals,
            pool: ScratchPool::default(),
        })
    }

    /// Builds anew: a cell that opens may join regions anywhere.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? })
    }

    fn storable(_: &PortalConfig) -> Result<(), Unstorable> {
        Ok(())
    }

    fn open(index: &IndexFile, map: &Map, config: &PortalConfig) -> Result<Self, OpenError> {
        index.check_engine(NAME)?;
        index.check_map(map)?;
        let base = Geometric::for_method(NAME, map, config.heuristic)?;
        let portals = open_portals(index, map)?;
        Ok(Self {
            map: map.clone(),
            config: config.clone(),
            base,
            portals,
            pool: ScratchPool::default(),
        })
    }
}

impl Answer for PortalSearch {
    type Scratch = PortalScratch;

    answer_by_searching!(PortalScratch, Run);
}
