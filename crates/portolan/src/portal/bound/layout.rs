//! The region or portal of each node, and the portals of each region.
//!
//! Each usable node has a number: its region or, if it is a portal, its portal number plus the
//! number of regions. The rest follows from the map: the portals of a region are those with an edge
//! from or to one of its nodes.
//!
//! Invariant, checked when a layout is made: no edge joins two regions.

use crate::graph::{Graph, NodeId, touching};
use crate::map::{Map, on_graph};
use crate::true_distance::ranks::Ranks;

/// The number of ids that are not usable nodes.
pub(crate) const NOT_USABLE: u32 = NONE as u32;
const NONE: u16 = u16::MAX;

/// Which ids have an entry in the list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// All ids. The fastest to read.
    Loose,
    /// Only usable nodes. The smallest on maps with many walls.
    Packed,
}

impl Packing {
    /// Loose, unless that takes a large share of the memory limit.
    pub(crate) fn within(limit: u64, ids: usize) -> Self {
        const SHARE: u64 = 7;
        if SHARE * 2 * ids as u64 <= limit { Self::Loose } else { Self::Packed }
    }
}

/// Regions and portals of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PortalLayout {
    /// `None` if numbers are not packed.
    ranks: Option<Ranks>,
    usable: usize,
    /// By node, or by rank. Always in memory, because every step of every search reads some.
    numbers: Vec<u16>,
    regions: u32,
    /// By portal, its node, ascending.
    nodes: Vec<NodeId>,
    /// By region, its portals, ascending.
    portals_of: NumberLists,
    /// By portal, its regions, ascending.
    regions_of: NumberLists,
    /// Whether all edge weights are positive.
    positive: bool,
}

/// Lists of numbers, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct NumberLists {
    first: Vec<u32>,
    items: Vec<u16>,
}

/// Why a list of numbers is not a layout of a map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LayoutError {
    #[error("{found} nodes have a number, expected {expected}")]
    Count { expected: usize, found: usize },
    #[error("number {number} follows {before} other numbers")]
    Number { number: u32, before: usize },
    #[error("node {node} is not usable but has a number, or is usable but has none")]
    Wall { node: NodeId },
    #[error("the edge {tail} -> {head} joins two regions")]
    Joined { tail: NodeId, head: NodeId },
}

impl PortalLayout {
    /// A layout from the numbers of usable nodes.
    pub(crate) fn from_ranked(map: &Map, ranked: Vec<u16>, regions: u32, packing: Packing) -> Self {
        let numbers = match packing {
            Packing::Packed => ranked,
            Packing::Loose => {
                let mut ranked = ranked.into_iter();
                let mut number = |id| if map.contains(id) { ranked.next() } else { None };
                let ids = 0..map.node_count() as NodeId;
                ids.map(|id| number(id).unwrap_or(NONE)).collect()
            }
        };
        Self::new(map, numbers, regions, packing).expect("no edge joins two regions")
    }

    /// A layout from numbers, if they are valid.
    pub(crate) fn new(
        map: &Map,
        numbers: Vec<u16>,
        regions: u32,
        packing: Packing,
    ) -> Result<Self, LayoutError> {
        let ranks = Ranks::of(map);
        let usable = ranks.count();
        let ranks = (packing == Packing::Packed).then_some(ranks);
        let expected = if ranks.is_some() { usable } else { map.node_count() };
        let found = numbers.len();
        if expected != found {
            return Err(LayoutError::Count { expected, found });
        }
        let mut layout = Self {
            ranks,
            usable,
            numbers,
            regions,
            nodes: Vec::new(),
            portals_of: NumberLists::default(),
            regions_of: NumberLists::default(),
            positive: true,
        };
        layout.collect_portals(map)?;
        let mut pairs = on_graph!(map, graph => layout.pairs(graph))?;
        pairs.sort_unstable();
        pairs.dedup();
        let portals = layout.nodes.len();
        layout.portals_of = NumberLists::of(regions as usize, pairs.iter().copied());
        pairs.sort_unstable_by_key(|&(region, portal)| (portal, region));
        let by_portal = pairs.iter().map(|&(region, portal)| (portal, region));
        layout.regions_of = NumberLists::of(portals, by_portal);
        Ok(layout)
    }

    /// Collects the portals, and checks that their numbers ascend with their nodes without gaps.
    fn collect_portals(&mut self, map: &Map) -> Result<(), LayoutError> {
        for node in 0..map.node_count() as NodeId {
            let number = self.number(node);
            if (number == NOT_USABLE) == map.contains(node) {
                return Err(LayoutError::Wall { node });
            }
            if number < self.regions || number == NOT_USABLE {
                continue;
            }
            let before = self.regions as usize + self.nodes.len();
            if number as usize != before {
                return Err(LayoutError::Number { number, before });
            }
            self.nodes.push(node);
        }
        Ok(())
    }

    /// All pairs of a region and one of its portals, some more than once.
    fn pairs(&mut self, graph: &impl Graph) -> Result<Vec<(u16, u16)>, LayoutError> {
        let undirected = graph.is_undirected();
        let (mut pairs, mut joined, mut positive) = (Vec::new(), None, true);
        for tail in 0..graph.node_count() as NodeId {
            let here = self.number(tail);
            if here == NOT_USABLE {
                continue;
            }
            touching(graph, undirected, tail, |head, weight| {
                positive &= weight > 0;
                let there = self.number(head);
                if here >= self.regions || here == there {
                    return;
                }
                match there.checked_sub(self.regions) {
                    Some(portal) => pairs.push((here as u16, portal as u16)),
                    None => joined = Some((tail, head)),
                }
            });
        }
        self.positive = positive;
        joined.map_or(Ok(pairs), |(tail, head)| Err(LayoutError::Joined { tail, head }))
    }

    /// The region of a node, or its portal number plus the number of regions. [`NOT_USABLE`] if it
    /// is not a usable node.
    #[inline(always)]
    pub(crate) fn number(&self, node: NodeId) -> u32 {
        let index = match &self.ranks {
            None => node as usize,
            Some(ranks) => match ranks.rank(node) {
                Some(rank) => rank,
                None => return NOT_USABLE,
            },
        };
        u32::from(self.numbers.get(index).copied().unwrap_or(NONE))
    }

    /// The portal at a node. `None` if there is none.
    #[inline(always)]
    pub(crate) fn portal(&self, node: NodeId) -> Option<u16> {
        let number = self.number(node);
        (number >= self.regions && number != NOT_USABLE).then(|| (number - self.regions) as u16)
    }

    /// The portals of a region, ascending.
    #[inline(always)]
    pub(crate) fn portals_of(&self, region: u32) -> &[u16] {
        self.portals_of.list(region as usize)
    }

    /// The portals of each region.
    pub(crate) fn portal_lists(&self) -> impl Iterator<Item = &[u16]> {
        self.portals_of.all()
    }

    /// The regions of a portal, ascending.
    #[inline(always)]
    pub(crate) fn regions_of(&self, portal: u16) -> &[u16] {
        self.regions_of.list(portal.into())
    }

    /// The index of a node in the list of numbers.
    #[inline(always)]
    pub(crate) fn index(&self, node: NodeId) -> Option<usize> {
        match &self.ranks {
            None => Some(node as usize).filter(|&index| index < self.numbers.len()),
            Some(ranks) => ranks.rank(node),
        }
    }

    /// The number of regions.
    #[inline(always)]
    pub(crate) fn regions(&self) -> u32 {
        self.regions
    }

    /// The number of portals.
    pub(crate) fn portals(&self) -> usize {
        self.nodes.len()
    }

    /// The number of usable nodes.
    pub(crate) fn usable(&self) -> usize {
        self.usable
    }

    /// The node of a portal.
    #[inline(always)]
    pub(crate) fn node(&self, portal: u16) -> NodeId {
        self.nodes[usize::from(portal)]
    }

    /// The nodes of all portals, ascending.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Whether all edge weights are positive.
    pub(crate) fn positive(&self) -> bool {
        self.positive
    }

    pub(crate) fn numbers(&self) -> &[u16] {
        &self.numbers
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.ranks.as_ref().map_or(0, Ranks::memory_bytes)
            + size_of_val(&*self.numbers)
            + size_of_val(&*self.nodes)
            + self.portals_of.memory_bytes()
            + self.regions_of.memory_bytes()
    }

    /// The size in bytes of a layout with these numbers of ids, usable nodes, regions, portals, and
    /// pairs of a region and one of its portals (`sides`).
    pub(crate) fn bytes(
        (ids, usable): (usize, usize),
        packing: Packing,
        regions: usize,
        portals: usize,
        sides: u64,
    ) -> u64 {
        let numbers = match packing {
            Packing::Loose => 2 * ids,
            Packing::Packed if ids == usable => 2 * usable,
            Packing::Packed => 2 * usable + 12 * ids.div_ceil(64),
        };
        let lists = 4 * (regions + portals + 2) as u64 + 4 * sides;
        numbers as u64 + 4 * portals as u64 + lists
    }
}

impl NumberLists {
    /// From pairs of list and item, sorted by list.
    fn of(lists: usize, pairs: impl Iterator<Item = (u16, u16)>) -> Self {
        let mut first = Vec::with_capacity(lists + 1);
        first.push(0);
        let mut items = Vec::new();
        for (list, item) in pairs {
            while first.len() <= usize::from(list) {
                first.push(items.len() as u32);
            }
            items.push(item);
        }
        first.resize(lists + 1, items.len() as u32);
        items.shrink_to_fit();
        Self { first, items }
    }

    #[inline(always)]
    fn list(&self, at: usize) -> &[u16] {
        &self.items[self.first[at] as usize..self.first[at + 1] as usize]
    }

    fn all(&self) -> impl Iterator<Item = &[u16]> {
        (0..self.first.len() - 1).map(|at| self.list(at))
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&*self.first) + size_of_val(&*self.items)
    }
}
