//! How indexes cut maps: into parts of about equal size with few edges between them, or in two
//! along a few nodes.
//!
//! A [`Partitioner`] is a field of the configuration of engines that cut maps
//! ([`Atlas`](crate::atlas::Atlas), [`Ppa`](crate::ppa::Ppa)). Results depend on the map and the
//! partitioner's fields alone, not on the number of threads, and no shape of graph is an error.
//!
//! Two methods are built in: METIS, in C, behind the feature `metis`, whose cuts are then improved
//! by least cuts nearby; and inertial flow in plain Rust.

mod bisect;
mod flow;
mod inertial;
#[cfg(feature = "metis")]
mod metis;
mod parts;
mod regions;
#[cfg(test)]
mod tests;
mod topology;

// Inside the library: a `Topology` is a map without directions and costs. `Partitioner::split`
// makes the regions of some indexes, `Partitioner::separate` the separator trees of others. Parts
// and sides keep within the imbalance.
pub(crate) use parts::{CutSide, Partition, Separator};
pub(crate) use regions::{IndexBytes, MAX_NUMBERS, RegionAssignment, RegionCounts, RegionSplitter};
pub(crate) use topology::{SubsetScratch, Topology};

use bisect::SideLimits;
use flow::CutKind;

/// How cuts are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CutMethod {
    /// METIS (Karypis and Kumar 1998): multilevel, for graphs of every kind. Separators are found
    /// side by side; splits take turns at it, in whatever threads they are made. Needs the feature
    /// `metis`.
    Metis,
    /// Inertial flow (Schild and Sommer 2015): least cuts across the map, in plain Rust. Best where
    /// nodes have coordinates; calls run side by side.
    InertialFlow,
}

impl Default for CutMethod {
    /// METIS where it is built in, else inertial flow.
    fn default() -> Self {
        if cfg!(feature = "metis") { Self::Metis } else { Self::InertialFlow }
    }
}

/// How an engine cuts its map.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig};
/// use portolan::partition::{CutMethod, Partitioner};
/// use portolan::{Build, Engine, Grid, Query};
/// let partitioner = Partitioner { method: CutMethod::InertialFlow, ..Partitioner::default() };
/// let config = AtlasConfig { partitioner, ..AtlasConfig::default() };
/// let atlas = Atlas::build(&Grid::new(20, 20)?.into(), &config)?;
/// assert!(atlas.query().find(0, 399)?.is_some());
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitioner {
    /// How cuts are found.
    pub method: CutMethod,
    /// By how many thousandths a part or a side may be larger than an even share. More makes
    /// smaller cuts and less even parts: 200 serves grids well and 300 roads; 30 makes parts of
    /// nearly the same size, with up to a third more nodes at their borders.
    pub imbalance: u32,
    /// How many cuts are tried, of which the best is taken: runs of METIS, directions of inertial
    /// flow. More makes smaller cuts in proportionally more time; 0 is taken as 1. Inertial flow
    /// needs four at least, METIS is good with one.
    pub tries: u32,
    /// Another seed, other cuts about as good.
    pub seed: u64,
}

impl Default for Partitioner {
    fn default() -> Self {
        Self { method: CutMethod::default(), imbalance: 200, tries: 4, seed: 1 }
    }
}

/// Why a graph cannot be cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// Nodes have to be somewhere.
    #[error("a split into 0 parts was asked for; at least 1 is needed")]
    ZeroParts,
    /// More edges than a topology can hold.
    #[error(
        "{entries} ends of edges and more do not fit into a topology, which holds {}",
        u32::MAX
    )]
    TooManyEdges {
        /// How many ends were found before the topology was full.
        entries: usize,
    },
    /// The method counts in 31 bits.
    #[error(
        "{nodes} nodes and {entries} ends of edges that weigh {weight} are too many: each must be below {}",
        i32::MAX
    )]
    TooLarge {
        /// How many nodes there are.
        nodes: usize,
        /// How many ends of edges there are.
        entries: usize,
        /// What they weigh, parallel edges counted.
        weight: u64,
    },
    /// METIS was asked for where there is none.
    #[error("METIS is not built in: build with the feature `metis` or choose inertial flow")]
    NoMetis,
    /// METIS gave up: -2 for its input, -3 for lack of memory.
    #[error("METIS failed with status {status}")]
    Metis {
        /// The status that it returned.
        status: i32,
    },
}

impl Partitioner {
    /// Splits a topology into parts of about equal size with few edges between them.
    ///
    /// No part is larger than the [imbalance](Self::imbalance) allows, and none is empty unless
    /// there are no nodes: where more parts than nodes are asked for, there are as many as nodes. A
    /// part need not be connected. Parts are numbered along the cuts: where nodes are more than
    /// parts, the first half of the parts, rounded down, and the others are the two sides of one
    /// cut, and so on within each half.
    pub(crate) fn split(
        &self,
        topology: &Topology,
        parts: usize,
    ) -> Result<Partition, PartitionError> {
        if parts == 0 {
            return Err(PartitionError::ZeroParts);
        }
        let nodes = topology.node_count();
        let partition = if parts >= nodes {
            Partition { part_of: (0..nodes as u32).collect(), parts: nodes.max(1) }
        } else {
            self.check_limits(topology)?;
            bisect::split(self, topology, parts)?
        };
        debug_assert_eq!(partition.check(topology), Ok(()));
        Ok(partition)
    }

    /// Finds a small set of nodes without which the topology falls into two sides of about equal
    /// size.
    ///
    /// No side has more of all nodes than half and what the [imbalance](Self::imbalance) allows;
    /// both may have fewer, see [`Separator`]. Where components can be laid on the sides whole, the
    /// separator is empty; a single node is its own separator.
    pub(crate) fn separate(&self, topology: &Topology) -> Result<Separator, PartitionError> {
        let nodes = topology.node_count();
        let side_of = if nodes < 2 {
            vec![CutSide::Separator; nodes]
        } else {
            self.check_limits(topology)?;
            bisect::bisect(
                self,
                topology,
                CutKind::Nodes,
                SideLimits::halves(nodes, self.imbalance),
            )?
        };
        let separator = Separator { side_of };
        debug_assert_eq!(separator.check(topology), Ok(()));
        Ok(separator)
    }

    /// Both methods count nodes twice in 32 bits.
    fn check_limits(&self, topology: &Topology) -> Result<(), PartitionError> {
        if self.method == CutMethod::Metis && cfg!(not(feature = "metis")) {
            return Err(PartitionError::NoMetis);
        }
        let (nodes, entries) = (topology.node_count(), topology.heads().len());
        if nodes >= i32::MAX as usize {
            return Err(PartitionError::TooLarge { nodes, entries, weight: entries as u64 });
        }
        Ok(())
    }
}
