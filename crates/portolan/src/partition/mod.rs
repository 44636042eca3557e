//! Cutting maps: into parts of about equal size with few edges between them, or in two along a few
//! nodes.
//!
//! A [`Partitioner`] is part of the configuration of engines that cut maps
//! ([`Atlas`](crate::atlas::Atlas), [`Ppa`](crate::ppa::Ppa)). Results depend only on the map and
//! the fields of the partitioner, not on the number of threads. Every graph can be cut.
//!
//! There are two methods: METIS, in C, behind the feature `metis`, with cuts that are then improved
//! by least cuts nearby; and inertial flow in pure Rust.
//!
//! Read the files in this order: `topology.rs` (the input), `parts.rs` (the results), `bisect.rs`
//! (cuts in two, and in many), `inertial.rs` and `flow/` (least cuts), `metis/`. `regions/` splits
//! a map into regions for portals, by counted paths.

mod bisect;
mod flow;
mod inertial;
#[cfg(feature = "metis")]
mod metis;
mod parts;
mod regions;
mod rows;
#[cfg(test)]
mod tests;
mod topology;

// A `Topology` is a map without directions and costs. `Partitioner::split` makes the regions of
// some indexes, `Partitioner::separate` the separator trees of others. Both keep the imbalance.
pub(crate) use parts::{CutSide, Partition, Separator};
pub(crate) use regions::{IndexBytes, MAX_NUMBERS, RegionAssignment, RegionCounts, RegionSplitter};
pub(crate) use topology::{SubsetScratch, Topology};

use bisect::SideLimits;
use flow::CutKind;

/// How cuts are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CutMethod {
    /// METIS (Karypis and Kumar 1998): multilevel, for graphs of every kind. Separators are found
    /// in parallel; splits run one at a time, in any thread. Requires the feature `metis`.
    Metis,
    /// Inertial flow (Schild and Sommer 2015): least cuts across the map, in pure Rust. Best on
    /// maps with coordinates; runs in parallel.
    InertialFlow,
}

impl Default for CutMethod {
    /// METIS if it is built in, else inertial flow.
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
    /// How much larger than an even share a part or side may be, in thousandths. More makes smaller
    /// cuts and less even parts: 200 suits grids and 300 roads; 30 makes parts of nearly equal size
    /// with up to a third more border nodes.
    pub imbalance: u32,
    /// The number of cuts tried, of which the best is taken: runs of METIS, or directions of
    /// inertial flow. More makes smaller cuts and takes proportionally longer; 0 means 1. Inertial
    /// flow needs at least four on difficult maps; METIS works well with one.
    pub tries: u32,
    /// Another seed gives other cuts of about the same quality.
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
    /// There must be at least one part.
    #[error("cannot split into 0 parts; at least 1 is needed")]
    ZeroParts,
    /// More edges than a topology can hold.
    #[error("more than {entries} edge ends do not fit into a topology, which holds {}", u32::MAX)]
    TooManyEdges {
        /// The number of edge ends found when the topology was full.
        entries: usize,
    },
    /// The method uses 31-bit numbers.
    #[error(
        "{nodes} nodes and {entries} edge ends of total weight {weight} are too many: each must be below {}",
        i32::MAX
    )]
    TooLarge {
        /// The number of nodes.
        nodes: usize,
        /// The number of edge ends.
        entries: usize,
        /// Their total weight, with parallel edges counted.
        weight: u64,
    },
    /// METIS is configured but not built in.
    #[error("METIS is not built in: build with the feature `metis` or choose inertial flow")]
    NoMetis,
    /// METIS failed: -2 for its input, -3 for lack of memory.
    #[error("METIS failed with status {status}")]
    Metis {
        /// The status that it returned.
        status: i32,
    },
}

impl Partitioner {
    /// Splits a topology into parts of about equal size with few edges between them.
    ///
    /// No part is larger than the [imbalance](Self::imbalance) allows. None is empty unless there
    /// are no nodes: if more parts than nodes are requested, there are as many as nodes. A part
    /// need not be connected. Parts are numbered along the cuts: if there are more nodes than
    /// parts, the first half of the parts, rounded down, is one side of the first cut, and so on
    /// within each half.
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

    /// Finds a small set of nodes that separates the topology into two sides of about equal size.
    ///
    /// No side has more than half of all nodes plus the [imbalance](Self::imbalance); both may have
    /// fewer, see [`Separator`]. If whole components can be distributed to the sides, the separator
    /// is empty; a single node is its own separator.
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
