//! A cluster of the abstract graph: its nodes, the costs between them within the cluster, and the
//! steps that leave it.

use super::tiling::{Slot, Tiling};
use crate::cost::{Cost, UNREACHABLE};
use crate::hpa::abstract_graph::{AbstractCluster, InterEdge};

/// One cluster of a level; immutable, and shared by all engines that have it.
#[derive(Debug, PartialEq)]
pub(crate) struct Cluster {
    outline: ClusterOutline,
    /// On the first level: the index of the node at each position of the rim.
    ranks: Vec<u8>,
    /// The cost from each node to each, within the cluster.
    costs: Vec<Cost>,
}

/// A position of the rim without a node.
const EMPTY: u8 = u8::MAX;

/// The nodes and inter-edges of a cluster, without costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClusterOutline {
    /// The abstract nodes, ascending.
    slots: Vec<Slot>,
    /// The start of each node's inter-edges, and the end of the last.
    first_inter_edge: Vec<u16>,
    inter_edges: Vec<InterEdge>,
}

impl ClusterOutline {
    /// Built from the inter-edges and their tails, in any order.
    pub(crate) fn new(mut crossings: Vec<(Slot, InterEdge)>) -> Self {
        crossings.sort_by_key(|&(slot, link)| (slot, link.head));
        crossings.dedup_by_key(|&mut (slot, link)| (slot, link.head));
        let (mut slots, mut first_inter_edge) = (Vec::new(), Vec::new());
        for (at, &(slot, _)) in crossings.iter().enumerate() {
            if slots.last() != Some(&slot) {
                slots.push(slot);
                first_inter_edge.push(at as u16);
            }
        }
        first_inter_edge.push(crossings.len() as u16);
        let inter_edges: Vec<InterEdge> = crossings.iter().map(|&(_, link)| link).collect();
        slots.shrink_to_fit();
        first_inter_edge.shrink_to_fit();
        Self { slots, first_inter_edge, inter_edges }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The number of inter-edges.
    pub(crate) fn inter_edges(&self) -> usize {
        self.inter_edges.len()
    }
}

impl Cluster {
    /// Adds the costs from each node to each, row by row. On the first level nodes are looked up by
    /// their position on the rim.
    pub(crate) fn new(outline: ClusterOutline, costs: Vec<Cost>, rim: Option<&Tiling>) -> Self {
        let mut ranks = Vec::new();
        if let Some(tiling) = rim {
            ranks.resize(tiling.rim_positions(), EMPTY);
            for (&slot, rank) in outline.slots.iter().zip(0..) {
                ranks[tiling.rim_position(slot)] = rank;
            }
        }
        Self { outline, ranks, costs }
    }

    /// The nodes and inter-edges.
    pub(crate) fn outline(&self) -> &ClusterOutline {
        &self.outline
    }

    /// The nodes, ascending.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.outline.slots
    }

    /// The index of the node in this slot, if there is one.
    #[inline(always)]
    pub(crate) fn index(&self, tiling: &Tiling, slot: Slot) -> Option<usize> {
        if self.ranks.is_empty() {
            return self.outline.slots.binary_search(&slot).ok();
        }
        let rank = self.ranks.get(tiling.rim_position(slot)).copied().unwrap_or(EMPTY);
        (rank != EMPTY).then_some(usize::from(rank))
    }

    /// The costs from this node to each.
    pub(crate) fn row(&self, index: usize) -> &[Cost] {
        &self.costs[index * self.outline.slots.len()..][..self.outline.slots.len()]
    }

    /// Bytes on the heap and of the cluster itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.outline.slots.capacity() * size_of::<Slot>()
            + self.ranks.capacity()
            + self.costs.capacity() * size_of::<Cost>()
            + self.outline.first_inter_edge.capacity() * size_of::<u16>()
            + self.outline.inter_edges.capacity() * size_of::<InterEdge>()
    }

    /// The number of costs stored, which the paper counts as entries of HPA*.
    pub(crate) fn intra_edges(&self) -> usize {
        self.costs.iter().filter(|&&cost| cost != UNREACHABLE).count()
    }
}

impl AbstractCluster for Cluster {
    fn len(&self) -> usize {
        self.outline.slots.len()
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Slot {
        self.outline.slots[index]
    }

    #[inline(always)]
    fn inter_edges(&self, index: usize) -> &[InterEdge] {
        &self.outline.inter_edges[usize::from(self.outline.first_inter_edge[index])
            ..usize::from(self.outline.first_inter_edge[index + 1])]
    }
}
