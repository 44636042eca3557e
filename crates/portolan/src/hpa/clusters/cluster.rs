//! A cluster as the abstract search sees it: its abstract nodes, what it costs between them inside,
//! and the steps that leave it.

use super::tiling::{Slot, Tiling};
use crate::cost::{Cost, UNREACHABLE};
use crate::hpa::abstract_graph::{AbstractCluster, InterEdge};

/// One cluster of a level; never changed once it is made, and shared by all engines that have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cluster {
    /// The abstract nodes, in ascending order.
    slots: Vec<Slot>,
    /// On the first level: the number of the node at each place of the rim.
    ranks: Vec<u8>,
    /// What it costs from each node to each, without leaving the cluster.
    costs: Vec<Cost>,
    /// Where the inter_edges of each node start, and one number more.
    first_inter_edge: Vec<u16>,
    inter_edges: Vec<InterEdge>,
}

/// A place of the rim without a node.
const EMPTY: u8 = u8::MAX;

/// The nodes and inter_edges of a cluster, before anything is known of the ways between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClusterOutline {
    slots: Vec<Slot>,
    first_inter_edge: Vec<u16>,
    inter_edges: Vec<InterEdge>,
}

impl ClusterOutline {
    /// From the inter_edges and the slots that they start at, in any order.
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

    /// How many inter_edges there are.
    pub(crate) fn inter_edges(&self) -> usize {
        self.inter_edges.len()
    }
}

impl Cluster {
    /// With what it costs from each node to each, row by row. On the first level nodes are found by
    /// their place on the rim.
    pub(crate) fn new(outline: ClusterOutline, costs: Vec<Cost>, rim: Option<&Tiling>) -> Self {
        let ClusterOutline { slots, first_inter_edge, inter_edges } = outline;
        let mut ranks = Vec::new();
        if let Some(tiling) = rim {
            ranks.resize(tiling.places(), EMPTY);
            for (&slot, rank) in slots.iter().zip(0..) {
                ranks[tiling.place_of(slot)] = rank;
            }
        }
        Self { slots, ranks, costs, first_inter_edge, inter_edges }
    }

    /// Its nodes and inter_edges.
    pub(crate) fn outline(&self) -> ClusterOutline {
        let Self { slots, first_inter_edge, inter_edges, .. } = self.clone();
        ClusterOutline { slots, first_inter_edge, inter_edges }
    }

    pub(crate) fn has_outline(&self, outline: &ClusterOutline) -> bool {
        self.slots == outline.slots
            && self.inter_edges == outline.inter_edges
            && self.first_inter_edge == outline.first_inter_edge
    }

    /// Its nodes, in ascending order.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The number of the node in this slot; `None` where there is none.
    #[inline(always)]
    pub(crate) fn index(&self, tiling: &Tiling, slot: Slot) -> Option<usize> {
        if self.ranks.is_empty() {
            return self.slots.binary_search(&slot).ok();
        }
        let rank = self.ranks.get(tiling.place_of(slot)).copied().unwrap_or(EMPTY);
        (rank != EMPTY).then_some(usize::from(rank))
    }

    /// What each node costs from this one.
    pub(crate) fn row(&self, index: usize) -> &[Cost] {
        &self.costs[index * self.slots.len()..][..self.slots.len()]
    }

    /// Bytes held on the heap, and those of the cluster itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.slots.capacity() * size_of::<Slot>()
            + self.ranks.capacity()
            + self.costs.capacity() * size_of::<Cost>()
            + self.first_inter_edge.capacity() * size_of::<u16>()
            + self.inter_edges.capacity() * size_of::<InterEdge>()
    }

    /// How many ways inside are stored, which is what the paper counts as entries of HPA*.
    pub(crate) fn ways(&self) -> usize {
        self.costs.iter().filter(|&&cost| cost != UNREACHABLE).count()
    }
}

impl AbstractCluster for Cluster {
    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Slot {
        self.slots[index]
    }

    #[inline(always)]
    fn inter_edges(&self, index: usize) -> &[InterEdge] {
        &self.inter_edges[usize::from(self.first_inter_edge[index])
            ..usize::from(self.first_inter_edge[index + 1])]
    }
}
