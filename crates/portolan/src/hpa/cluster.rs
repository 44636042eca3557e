//! A cluster as the abstract search sees it: its abstract nodes, what it costs between them inside,
//! and the steps that leave it.

use super::search::{Doors, Link};
use super::tiling::{Slot, Tiling};
use crate::cost::{Cost, UNREACHABLE};

/// One cluster of a level; never changed once it is made, and shared by all engines that have it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cluster {
    /// The abstract nodes, in ascending order.
    slots: Vec<Slot>,
    /// On the first level: the number of the node at each place of the rim.
    ranks: Vec<u8>,
    /// What it costs from each node to each, without leaving the cluster.
    costs: Vec<Cost>,
    /// Where the links of each node start, and one number more.
    first_link: Vec<u16>,
    links: Vec<Link>,
}

/// A place of the rim without a node.
const EMPTY: u8 = u8::MAX;

/// The nodes and links of a cluster, before anything is known of the ways between them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline {
    slots: Vec<Slot>,
    first_link: Vec<u16>,
    links: Vec<Link>,
}

impl Outline {
    /// From the links and the slots that they start at, in any order.
    pub(super) fn new(mut crossings: Vec<(Slot, Link)>) -> Self {
        crossings.sort_by_key(|&(slot, link)| (slot, link.head));
        crossings.dedup_by_key(|&mut (slot, link)| (slot, link.head));
        let (mut slots, mut first_link) = (Vec::new(), Vec::new());
        for (at, &(slot, _)) in crossings.iter().enumerate() {
            if slots.last() != Some(&slot) {
                slots.push(slot);
                first_link.push(at as u16);
            }
        }
        first_link.push(crossings.len() as u16);
        let links: Vec<Link> = crossings.iter().map(|&(_, link)| link).collect();
        slots.shrink_to_fit();
        first_link.shrink_to_fit();
        Self { slots, first_link, links }
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// How many links there are.
    pub(super) fn links(&self) -> usize {
        self.links.len()
    }
}

impl Cluster {
    /// With what it costs from each node to each, row by row. On the first level nodes are found by
    /// their place on the rim.
    pub(super) fn new(outline: Outline, costs: Vec<Cost>, rim: Option<&Tiling>) -> Self {
        let Outline { slots, first_link, links } = outline;
        let mut ranks = Vec::new();
        if let Some(tiling) = rim {
            ranks.resize(tiling.places(), EMPTY);
            for (&slot, rank) in slots.iter().zip(0..) {
                ranks[tiling.place_of(slot)] = rank;
            }
        }
        Self { slots, ranks, costs, first_link, links }
    }

    /// Its nodes and links.
    pub(super) fn outline(&self) -> Outline {
        let Self { slots, first_link, links, .. } = self.clone();
        Outline { slots, first_link, links }
    }

    pub(super) fn has_outline(&self, outline: &Outline) -> bool {
        self.slots == outline.slots
            && self.links == outline.links
            && self.first_link == outline.first_link
    }

    /// Its nodes, in ascending order.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The number of the node in this slot; `None` where there is none.
    #[inline(always)]
    pub(super) fn index(&self, tiling: &Tiling, slot: Slot) -> Option<usize> {
        if self.ranks.is_empty() {
            return self.slots.binary_search(&slot).ok();
        }
        let rank = self.ranks.get(tiling.place_of(slot)).copied().unwrap_or(EMPTY);
        (rank != EMPTY).then_some(usize::from(rank))
    }

    /// What each node costs from this one.
    pub(super) fn row(&self, index: usize) -> &[Cost] {
        &self.costs[index * self.slots.len()..][..self.slots.len()]
    }

    /// Bytes held on the heap, and those of the cluster itself.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.slots.capacity() * size_of::<Slot>()
            + self.ranks.capacity()
            + self.costs.capacity() * size_of::<Cost>()
            + self.first_link.capacity() * size_of::<u16>()
            + self.links.capacity() * size_of::<Link>()
    }

    /// How many ways inside are stored, which is what the paper counts as entries of HPA*.
    pub(super) fn ways(&self) -> usize {
        self.costs.iter().filter(|&&cost| cost != UNREACHABLE).count()
    }
}

impl Doors for Cluster {
    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Slot {
        self.slots[index]
    }

    #[inline(always)]
    fn links(&self, index: usize) -> &[Link] {
        &self.links[usize::from(self.first_link[index])..usize::from(self.first_link[index + 1])]
    }
}
