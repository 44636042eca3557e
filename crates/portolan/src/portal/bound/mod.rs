//! The portal heuristic (PH) of Goldenberg, Felner, Sturtevant and Schaeffer (2010).
//!
//! The map is cut into regions. A few nodes, the *portals*, are removed so that no edge joins two
//! regions. The true distances between all portals are stored. A path between two regions leaves
//! the first over one of its portals and enters the second over one of its portals, which gives a
//! lower bound. The engines in [`portal`](crate::portal) use the same tables. Read in this order:
//!
//! - `mod.rs`: the config, the heuristic [`Portal`], and how portals are built.
//! - `layout.rs`: the region or portal of each node. `region_with_portals.rs`: one region as a
//!   graph.
//! - `tables.rs`: the stored tables. `crossings.rs`: how paths cross a region.
//! - `lower_bound.rs`: the bound. `file.rs`: the index file. `summary.rs`: statistics.
//!
//! What the paper leaves open:
//!
//! - *Cuts* are those of the paper (`partition/regions/halve.rs`), but covers are minimum ones,
//!   because the edges across a cut are a bipartite graph. Each component without the portals is a
//!   region.
//! - *Distances* are computed in a small graph of portals (`tables.rs`), not on the map.
//! - *Directed maps*: a portal belongs to a region if there is an edge in either direction. All
//!   pairs are stored in both directions.
//! - *Overflow*: if a cost overflows, the bound is the geometric one.
//!
//! Region and portal numbers have 16 bits, two bytes per node, which count as memory. So do
//! distances that are whole numbers of steps (`true_distance/packed_costs.rs`).

pub(super) mod crossings;
mod file;
pub(crate) mod layout;
mod lower_bound;
pub(crate) mod region_with_portals;
mod summary;
pub(crate) mod tables;

pub(super) use file::{open_portals, store_portals};
pub(super) use lower_bound::PortalBound;
pub use summary::PortalSummary;

use self::crossings::Crossings;
use self::layout::{Packing, PortalLayout};
use self::tables::PortalTables;
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT, Progress, Unsupported};
use crate::changes::Changes;
use crate::debug::debug_by_name;
use crate::graph::{Direction, NodeId};
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound};
use crate::map::Map;
use crate::partition::{IndexBytes, RegionAssignment, RegionCounts, RegionSplitter, Topology};
use crate::store::{IndexFile, IndexWriter, OpenError};
use crate::true_distance::matrix::DistanceMatrix;
use crate::true_distance::packed_costs::common_unit;
use crate::true_distance::{BoundForm, StoredHeuristic, StoredKind};

/// Build options of the [`Portal`] heuristic and of the engines that use portals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortalConfig {
    /// The memory limit in bytes, for everything that is stored. More memory allows more portals,
    /// smaller regions and tighter bounds.
    pub memory_limit: u64,
    /// The number of shortest paths over an edge at which the edge counts as a link between two
    /// halves, and is cut. A higher limit gives better cuts and longer builds.
    pub counter_limit: u32,
    /// Regions of fewer nodes are not cut, even if more fit into memory. Smaller regions have more
    /// portals, which every bound has to compare.
    pub least_region: usize,
    /// The most portals, even if more fit into memory. The build time grows with their square.
    pub most_portals: usize,
    /// Whether `portal-search` refines a path from the end where the search expands fewer nodes. To
    /// measure the gain, set it to `false`.
    pub directions: bool,
    /// The bound inside a region.
    pub heuristic: HeuristicChoice,
    /// The seed of the random cuts.
    pub seed: u64,
    /// Threads for the build of an engine; 0 for one per core. The result does not depend on it.
    pub threads: usize,
}

impl Default for PortalConfig {
    fn default() -> Self {
        Self {
            memory_limit: DEFAULT_MEMORY_LIMIT,
            counter_limit: 12,
            least_region: 24,
            most_portals: 4096,
            directions: true,
            heuristic: HeuristicChoice::Auto,
            seed: 1,
            threads: 0,
        }
    }
}

impl PortalConfig {
    pub(crate) fn region_splitter(&self) -> RegionSplitter {
        RegionSplitter {
            max_paths: self.counter_limit,
            min_nodes: self.least_region,
            max_count: self.most_portals,
            portals: true,
            seed: self.seed,
        }
    }
}

/// Bounds from distances between portals.
///
/// ```
/// use portolan::heuristic::{Heuristic, LowerBound};
/// use portolan::portal::bound::{Portal, PortalConfig};
/// use portolan::{Map, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let portal = Portal::new(&map, &PortalConfig::default())?;
/// let bound = portal.toward(to).at(from);
/// assert!(bound > Some(61 * portolan::cost::DIAGONAL), "more than the octile distance");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Portal {
    config: PortalConfig,
    base: Geometric,
    undirected: bool,
    portals: PortalTables,
}

debug_by_name!("Portal", [] Portal, |portal| "form" = portal.form(), "config" = portal.config);

impl Portal {
    /// Statistics of the portals.
    pub fn summary(&self) -> PortalSummary {
        self.portals.summary()
    }
}

impl Heuristic for Portal {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        PortalBound::new(&self.portals, &self.base, target, Direction::Forward)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        PortalBound::new(&self.portals, &self.base, source, Direction::Backward)
    }

    fn memory_bytes(&self) -> usize {
        self.portals.memory_bytes()
    }
}

impl StoredHeuristic for Portal {
    type Config = PortalConfig;

    const KIND: StoredKind = StoredKind::Portal;

    fn supports(map: &Map, config: &PortalConfig) -> Result<(), Unsupported> {
        Geometric::for_method(Self::KIND.name(), map, config.heuristic).map(|_| ())
    }

    fn build(
        map: &Map,
        config: &PortalConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Geometric::for_method(Self::KIND.name(), map, config.heuristic)?;
        let packing = Packing::within(config.memory_limit, map.node_count());
        let portals = build_portals(map, config, &base, packing, progress, &|_| 0)?;
        Ok(Self { config: config.clone(), base, undirected: map.is_undirected(), portals })
    }

    /// Builds from scratch: a cell that opens may join regions anywhere.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::new(map, &self.config)
    }

    fn form(&self) -> BoundForm {
        BoundForm::Portal(self.portals.summary())
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        store_portals(&self.portals, self.undirected, writer);
    }

    fn open(index: &IndexFile, map: &Map, config: &PortalConfig) -> Result<Self, OpenError> {
        let base = Geometric::for_method(Self::KIND.name(), map, config.heuristic)?;
        let portals = open_portals(index, map)?;
        Ok(Self { config: config.clone(), base, undirected: map.is_undirected(), portals })
    }
}

/// Builds as many portals as fit into memory. `more` is the size in bytes of further tables;
/// `u64::MAX` if these are impossible.
pub(crate) fn build_portals(
    map: &Map,
    config: &PortalConfig,
    base: &Geometric,
    packing: Packing,
    progress: &dyn Progress,
    more: &(dyn Fn(&RegionCounts) -> u64 + Sync),
) -> Result<PortalTables, BuildError> {
    let topology = Topology::of_map(map)?;
    let unit = common_unit(map);
    let (ids, undirected) = ((map.node_count(), topology.node_count()), map.is_undirected());
    let floor = |counts: &RegionCounts| DistanceMatrix::bytes(counts.portals, undirected, unit);
    let whole = |counts: &RegionCounts| {
        let layout =
            PortalLayout::bytes(ids, packing, counts.regions, counts.portals, counts.sides);
        let crossings = Crossings::bytes(counts.regions, counts.pairs);
        [layout, crossings, floor(counts), more(counts)].into_iter().fold(0, u64::saturating_add)
    };
    let need = IndexBytes { whole: &whole, floor: &floor, limit: config.memory_limit };
    let assignment = config.region_splitter().split(&topology, &need, progress)?;
    let layout =
        PortalLayout::from_ranked(map, ranked(&assignment), assignment.regions as u32, packing);
    PortalTables::build(map, layout, base, unit, progress)
}

/// The region or portal number of each usable node. The nodes of a topology are the usable nodes in
/// the same order.
fn ranked(assignment: &RegionAssignment) -> Vec<u16> {
    let mut portals = assignment.regions as u16..;
    let number = |region: &Option<u32>| match *region {
        Some(region) => region as u16,
        None => portals.next().unwrap_or(u16::MAX),
    };
    assignment.of.iter().map(number).collect()
}
