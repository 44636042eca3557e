//! One level: the clusters, as an abstract graph, and how they are grouped into the next level.

use super::shared_list::SharedList;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::hpa::abstract_graph::search::{NO_GOAL, SearchStart, search};
use crate::hpa::abstract_graph::{AbstractCluster, AbstractGraph, InterEdge};
use crate::hpa::clusters::cluster::{Cluster, ClusterOutline};
use crate::hpa::clusters::tiling::{Slot, Tiling};
use crate::search::Scratch;

/// Clusters along the side of one on the next level.
pub(super) const GROUP: u32 = 2;

/// The clusters of one level.
pub(crate) struct Level {
    /// The tiling of the first level, which numbers the nodes of all levels.
    pub(crate) fine: Tiling,
    pub(crate) tiling: Tiling,
    pub(super) clusters: SharedList<Cluster>,
}

impl Level {
    /// The clusters, by number.
    pub(crate) fn clusters(&self) -> &SharedList<Cluster> {
        &self.clusters
    }

    /// Builds a cluster of the next level.
    pub(super) fn group(&self, coarse: &Tiling, id: u32, scratch: &mut Scratch) -> Cluster {
        let (column, row) = coarse.column_and_row(id);
        let squares =
            (0..GROUP * GROUP).map(|at| (column * GROUP + at % GROUP, row * GROUP + at / GROUP));
        let members = squares.filter_map(|(x, y)| self.tiling.cluster(x, y));
        let mut crossings: Vec<(Slot, InterEdge)> = Vec::new();
        for member in members {
            let cluster = &self.clusters[member as usize];
            for index in 0..cluster.len() {
                let leaving = cluster.inter_edges(index).iter();
                let leaving =
                    leaving.filter(|link| self.fine.enclosing_cluster(coarse, link.head) != id);
                crossings.extend(leaving.map(|&link| (cluster.slot(index), link)));
            }
        }
        let outline = ClusterOutline::new(crossings);
        let mut costs = Vec::with_capacity(outline.slots().len().pow(2));
        for &slot in outline.slots() {
            let within = |head| self.fine.enclosing_cluster(coarse, head) == id;
            search(self, scratch, SearchStart::Slot(slot), NO_GOAL, |_| 0, within, &mut ());
            let cost = |&to: &Slot| scratch.cost(to).unwrap_or(UNREACHABLE);
            costs.extend(outline.slots().iter().map(cost));
        }
        Cluster::new(outline, costs, None)
    }
}

impl AbstractGraph for Level {
    type Cluster = Cluster;

    fn slots(&self) -> usize {
        self.fine.slots()
    }

    #[inline(always)]
    fn cluster_of(&self, slot: Slot) -> u32 {
        match self.tiling.size() == self.fine.size() {
            true => self.fine.cluster_of(slot),
            false => self.fine.enclosing_cluster(&self.tiling, slot),
        }
    }

    #[inline(always)]
    fn cluster(&self, id: u32) -> &Cluster {
        &self.clusters[id as usize]
    }

    #[inline(always)]
    fn index(&self, cluster: &Cluster, slot: Slot) -> Option<usize> {
        cluster.index(&self.fine, slot)
    }

    fn node(&self, slot: Slot) -> NodeId {
        self.fine.node(slot)
    }

    #[inline(always)]
    fn intra_edges(&self, cluster: &Cluster, index: usize, mut visit: impl FnMut(usize, Cost)) {
        for (other, &cost) in cluster.row(index).iter().enumerate() {
            if cost != UNREACHABLE {
                visit(other, cost);
            }
        }
    }
}
