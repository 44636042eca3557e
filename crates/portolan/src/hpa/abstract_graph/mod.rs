//! The abstract graph: nodes at the borders of clusters, and A* over them.
//!
//! Two kinds of edge, named as in the HPA* paper: an *inter-edge* is a step of the map from one
//! cluster to the next; an *intra-edge* joins two nodes of the same cluster. `hierarchy/` and
//! `regions/` implement the traits here; `search.rs` searches whatever implements them.

pub(super) mod search;

use super::clusters::tiling::Slot;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::heuristic::Position;

/// A step from an abstract node to one of another cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct InterEdge {
    pub(crate) head: Slot,
    pub(crate) weight: Cost,
    /// The place of the head, for lower bounds.
    pub(crate) position: Position,
}

/// A graph of abstract nodes, grouped into clusters.
pub(crate) trait AbstractGraph {
    type Cluster: AbstractCluster;

    /// One more than the largest slot.
    fn slots(&self) -> usize;

    /// The cluster of a node.
    fn cluster_of(&self, slot: Slot) -> u32;

    fn cluster(&self, id: u32) -> &Self::Cluster;

    /// The index of a node in its cluster.
    fn index(&self, cluster: &Self::Cluster, slot: Slot) -> Option<usize>;

    /// The node of the map.
    fn node(&self, slot: Slot) -> NodeId;

    /// Calls `visit(index, cost)` for every node reachable from this one within the cluster, itself
    /// included.
    fn intra_edges(&self, cluster: &Self::Cluster, index: usize, visit: impl FnMut(usize, Cost));
}

/// The abstract nodes of a cluster.
pub(crate) trait AbstractCluster {
    /// The number of nodes.
    fn len(&self) -> usize;

    fn slot(&self, index: usize) -> Slot;

    /// The steps that leave the cluster from a node.
    fn inter_edges(&self, index: usize) -> &[InterEdge];
}
