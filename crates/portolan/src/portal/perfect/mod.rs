//! The engine `perfect-portal`.
//!
//! - `node_distances.rs`: the distances between every node and the portals of its region.
//! - `query.rs`: the best pair of portals, and its path.
//! - `within_region.rs`: queries whose ends are in one region.

pub(super) mod node_distances;
mod query;
mod within_region;

use self::node_distances::NodeDistances;
use self::query::PerfectQuery;
use super::bound::PortalConfig;
use super::bound::layout::{Packing, PortalLayout};
use super::engine::{PortalEngine, PortalMethod, PortalScratch};
use crate::build::{BuildError, Progress};
use crate::engine::CostAnswer;
use crate::graph::{Endpoints, Graph};
use crate::map::Map;
use crate::partition::RegionCounts;
use crate::search::Observer;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// The perfect portal heuristic: distances between portals, and from every node to the portals of
/// its region. Paths between regions need no search.
///
/// ```
/// use portolan::portal::bound::PortalConfig;
/// use portolan::portal::PerfectPortal;
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let engine = PerfectPortal::build(&map, &PortalConfig::default())?;
/// let mut query = engine.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PerfectPortal = PortalEngine<NodeDistances>;

const OUT: &str = "perfect.out";
const INTO: &str = "perfect.into";

impl PortalMethod for NodeDistances {
    const NAME: &'static str = "perfect-portal";

    fn packing(_: &PortalConfig, _: &Map) -> Packing {
        Packing::Packed
    }

    fn bytes(counts: &RegionCounts, usable: usize, undirected: bool) -> u64 {
        Self::bytes(counts, usable, undirected)
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn region_bytes(&self, region: u32) -> usize {
        self.region_bytes(region)
    }

    fn build(
        map: &Map,
        layout: &PortalLayout,
        progress: &dyn Progress,
    ) -> Result<(Self, bool), BuildError> {
        Self::build(map, layout, progress)
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        let (out, into) = self.tables();
        writer.section(OUT, out);
        if let Some(into) = into {
            writer.section(INTO, into);
        }
    }

    fn open(index: &IndexFile, map: &Map, layout: &PortalLayout) -> Result<Self, OpenError> {
        let into = if map.is_undirected() { None } else { Some(index.section(INTO)?) };
        Self::from_tables(map.node_count(), layout, index.section(OUT)?, into)
    }

    fn answer(
        engine: &PerfectPortal,
        graph: &impl Graph,
        ends: Endpoints,
        with_path: bool,
        scratch: &mut PortalScratch,
        observer: &mut impl Observer,
    ) -> Option<CostAnswer> {
        PerfectQuery { engine, graph, ends, with_path }.answer(scratch, observer)
    }
}
