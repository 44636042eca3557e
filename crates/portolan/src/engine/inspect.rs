//! What engines made of regions consist of, for programs that draw or explain them.
//!
//! Nothing here is needed to answer queries. Every call computes its answer afresh, in time
//! proportional to the map.

use super::Engine;
use crate::graph::NodeId;
use crate::map::EndpointError;

/// An engine that cuts the map into regions, on one or several levels.
///
/// ```
/// use portolan::engine::inspect::Inspect;
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::{Build, Map, generate::Rooms};
/// let map = Map::from(Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?);
/// let ppa = Ppa::build(&map, &PpaConfig { branching: 4, splits: Some(2), ..PpaConfig::default() })?;
/// assert_eq!(ppa.levels(), 3);
/// let leaves = ppa.level(0).expect("the finest level");
/// let parent = leaves.regions[0].parent.expect("every leaf has one");
/// assert!(leaves.regions[0].nodes < ppa.level(1).unwrap().regions[parent as usize].nodes);
/// # Ok::<(), portolan::Error>(())
/// ```
pub trait Inspect: Engine {
    /// The number of levels. Level 0 has the smallest regions.
    fn levels(&self) -> usize;

    /// The regions of a level; `None` if there is no such level.
    fn level(&self, level: usize) -> Option<RegionLevel>;

    /// The nodes at which the path of a query is put together, both ends included: between two of
    /// them it lies in one table, or in one search of a region. `None` if there is no path. Near
    /// ends may have no node between them.
    fn waypoints(&self, from: NodeId, to: NodeId) -> Result<Option<Vec<NodeId>>, EndpointError>;
}

/// In [`RegionLevel::region_of`]: the node is in no region.
pub const NO_REGION: u32 = u32::MAX;

/// One level of regions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionLevel {
    /// By node, its region. [`NO_REGION`] for blocked cells, for nodes that are between regions, and
    /// for nodes without a role of their own in the index.
    pub region_of: Vec<u32>,
    /// The regions.
    pub regions: Vec<Region>,
    /// The nodes between regions: portals, or the separators of this level and those above.
    pub separators: Vec<NodeId>,
}

/// A region of a [`RegionLevel`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Region {
    /// The region of the next level that contains this one.
    pub parent: Option<u32>,
    /// How many nodes are inside.
    pub nodes: usize,
    /// The nodes through which paths enter and leave: borders, portals, adjacent separators or
    /// entrances. Whether they are inside depends on the engine.
    pub gates: Vec<NodeId>,
    /// Bytes that are stored for this region alone, without those inside it.
    pub bytes: usize,
}

impl RegionLevel {
    /// Sets the number of nodes of each region.
    pub(crate) fn with_counts(mut self) -> Self {
        for &region in &self.region_of {
            if let Some(region) = self.regions.get_mut(region as usize) {
                region.nodes += 1;
            }
        }
        self
    }
}
