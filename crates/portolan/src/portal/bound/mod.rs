//! The portal heuristic (PH) of Goldenberg, Felner, Sturtevant and Schaeffer (2010).
//!
//! The map is cut into regions; a few nodes, the *portals*, are taken out so that no edge joins two
//! regions any more. The true distances between all portals are stored. A path from one region to
//! another leaves the first by one of its portals and enters the second by one of its own, which
//! bounds it from below (`bound.rs`).
//!
//! The same tables carry more than a bound: `crate::portal` searches along portals and reads paths
//! off.
//!
//! What the paper leaves open, and what is done here:
//!
//! - *Cuts* are those of the paper (`partition/regions/halve.rs`), but covers are least ones, since the
//!   edges that cross a cut in two make a bipartite graph; and what hangs together without the
//!   portals is a region.
//! - *Distances* are found in a small graph of portals (`tables.rs`), not on the map.
//! - *Directed maps*: a portal lies beside a region if an edge leads either way; all pairs are
//!   stored in both directions.
//! - *Where costs outgrow their numbers* the bound is the geometric one.
//!
//! Regions and portals take 16-bit numbers, two bytes a node, which counts as memory like
//! everything else; so do distances where they are whole numbers of steps (`costs.rs`).

mod bound;
mod file;
pub(crate) mod inside;
pub(crate) mod layout;
pub(crate) mod tables;

pub(crate) use bound::PortalBound;
pub(crate) use file::{open_portals, store_portals};

use std::fmt;

use self::layout::{Layout, Packing};
use self::tables::{Hops, Portals};
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT, Progress, Unsupported};
use crate::changes::Changes;
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound};
use crate::map::Map;
use crate::partition::{IndexBytes, RegionAssignment, RegionCounts, RegionSplitter, Topology};
use crate::store::{IndexFile, IndexWriter, OpenError};
use crate::true_distance::matrix::DistanceMatrix;
use crate::true_distance::packed_costs::common_unit;
use crate::true_distance::{BoundForm, StoredHeuristic, StoredKind};

/// What can be chosen when building a [`Portal`] heuristic, and the engines that use portals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortalConfig {
    /// Bytes that everything stored may take. More buys more portals, smaller regions and tighter
    /// bounds.
    pub memory_limit: u64,
    /// How many shortest paths lead over an edge before it is taken for one that holds two halves
    /// together. More makes cuts better and builds longer.
    pub counter_limit: u32,
    /// Regions of fewer nodes are not cut, whatever memory is left. Fewer make more portals beside
    /// each region, which every bound has to look at.
    pub least_region: usize,
    /// The most portals, whatever memory is left. Builds take time by their square.
    pub most_portals: usize,
    /// Whether `portal-search` refines ways from the end that promises less work. It is there to be
    /// left out by those who want to know what it gains.
    pub directions: bool,
    /// What bounds the way inside a region.
    pub heuristic: HeuristicChoice,
    /// What cuts are drawn from.
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

/// Bounds by way of portals.
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
    portals: Portals,
}

debug_by_name!("Portal", [] Portal, |portal| "form" = portal.form(), "config" = portal.config);

/// What portals there are, for reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PortalSummary {
    /// How many regions.
    pub regions: usize,
    /// How many portals.
    pub portals: usize,
    /// How many portals lie beside a region, on average.
    pub portals_per_region: f64,
    /// How probably two nodes drawn at random lie in different regions.
    pub apart: f64,
}

impl fmt::Display for PortalSummary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { regions, portals, portals_per_region, .. } = self;
        write!(
            out,
            "{regions} regions, {portals} portals, {portals_per_region:.1} beside each region"
        )
    }
}

impl Portal {
    /// Finds regions, portals and distances on all threads.
    pub fn new(map: &Map, config: &PortalConfig) -> Result<Self, BuildError> {
        <Self as StoredHeuristic>::build(map, config, &())
    }

    /// What portals there are.
    pub fn summary(&self) -> PortalSummary {
        self.portals.summary()
    }
}

impl Heuristic for Portal {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        PortalBound::new(&self.portals, &self.base, target, false)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        PortalBound::new(&self.portals, &self.base, source, true)
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

    /// Builds anew: a cell that opens may join regions anywhere.
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

/// The finest portals that fit beside what else is stored, of which `more` says how many bytes it
/// is; `u64::MAX` where it cannot be.
pub(crate) fn build_portals(
    map: &Map,
    config: &PortalConfig,
    base: &Geometric,
    packing: Packing,
    progress: &dyn Progress,
    more: &(dyn Fn(&RegionCounts) -> u64 + Sync),
) -> Result<Portals, BuildError> {
    let topology = Topology::of_map(map)?;
    let unit = common_unit(map);
    let (ids, undirected) = ((map.node_count(), topology.node_count()), map.is_undirected());
    let floor = |tally: &RegionCounts| DistanceMatrix::bytes(tally.portals, undirected, unit);
    let whole = |tally: &RegionCounts| {
        let layout = Layout::bytes(ids, packing, tally.regions, tally.portals, tally.sides);
        let hops = Hops::bytes(tally.regions, tally.pairs);
        [layout, hops, floor(tally), more(tally)].into_iter().fold(0, u64::saturating_add)
    };
    let need = IndexBytes { whole: &whole, floor: &floor, limit: config.memory_limit };
    let grown = config.region_splitter().split(&topology, &need, progress)?;
    let layout = Layout::from_ranked(map, ranked(&grown), grown.regions as u32, packing);
    Portals::build(map, layout, base, unit, progress)
}

/// Numbers of regions and portals by usable node; a topology's nodes are the usable ones in their
/// order.
fn ranked(grown: &RegionAssignment) -> Vec<u16> {
    let mut portals = grown.regions as u16..;
    let number = |region: &Option<u32>| match *region {
        Some(region) => region as u16,
        None => portals.next().unwrap_or(u16::MAX),
    };
    grown.of.iter().map(number).collect()
}

impl Portals {
    pub(crate) fn summary(&self) -> PortalSummary {
        let layout = &self.layout;
        let regions = layout.regions() as usize;
        let mut sizes = vec![0u64; regions + layout.portals()];
        let numbers = layout.numbers().iter().map(|&number| usize::from(number));
        numbers.for_each(|number| sizes.get_mut(number).into_iter().for_each(|size| *size += 1));
        let beside: usize = layout.beside.all().map(<[u16]>::len).sum();
        // Where there is nothing to draw, nothing lies apart.
        let usable = layout.usable().max(1) as f64;
        // A portal is in no region, so it is apart from all but itself.
        let together: f64 = sizes.iter().map(|&size| (size as f64 / usable).powi(2)).sum();
        PortalSummary {
            regions,
            portals: layout.portals(),
            portals_per_region: beside as f64 / regions.max(1) as f64,
            apart: if layout.usable() == 0 { 0.0 } else { 1.0 - together },
        }
    }
}
