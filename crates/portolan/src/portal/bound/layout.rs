//! Which region every node lies in, and which portals lie beside every region.
//!
//! A usable node has a number: that of its region or, behind all regions, that of its portal. The
//! rest follows from the map: the portals beside a region are those with an edge from or to one of
//! its nodes.
//!
//! Invariant, checked when a layout is made: an edge that joins two regions does not exist.

use crate::graph::{Graph, NodeId, touching};
use crate::map::{Map, on_graph};
use crate::true_distance::ranks::Ranks;

/// The number of an id that is no usable node.
pub(crate) const NOWHERE: u32 = NONE as u32;
const NONE: u16 = u16::MAX;

/// Which nodes have an entry in the list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// All ids: the fastest to read.
    Loose,
    /// Usable ones: the smallest, where a map has many walls.
    Packed,
}

impl Packing {
    /// Loose, unless that takes a large part of the memory that is allowed.
    pub(crate) fn within(limit: u64, ids: usize) -> Self {
        const SHARE: u64 = 7;
        if SHARE * 2 * ids as u64 <= limit { Self::Loose } else { Self::Packed }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Where numbers are packed.
    ranks: Option<Ranks>,
    usable: usize,
    /// By node, or by rank. Not left in a file: every step of every search reads some.
    numbers: Vec<u16>,
    regions: u32,
    /// By portal its node, ascending.
    nodes: Vec<NodeId>,
    /// By region the portals beside it, ascending.
    pub(crate) beside: Lists,
    /// By portal the regions that it lies beside, and its place in their lists.
    pub(crate) around: Lists,
    /// Whether every edge costs something.
    positive: bool,
}

/// Short lists, one behind the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    first: Vec<u32>,
    items: Vec<u16>,
}

/// Why numbers are no layout of a map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoLayout {
    #[error("{found} nodes have a number where {expected} should")]
    Count { expected: usize, found: usize },
    #[error("number {number} follows on {before} places")]
    Number { number: u32, before: usize },
    #[error("node {node} has a number and cannot be used, or the other way round")]
    Wall { node: NodeId },
    #[error("the edge {tail} -> {head} joins two regions")]
    Joined { tail: NodeId, head: NodeId },
}

impl Layout {
    /// The layout of numbers by usable node.
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

    /// The layout of these numbers, if they are one.
    pub(crate) fn new(
        map: &Map,
        numbers: Vec<u16>,
        regions: u32,
        packing: Packing,
    ) -> Result<Self, NoLayout> {
        let ranks = Ranks::of(map);
        let usable = ranks.count();
        let ranks = (packing == Packing::Packed).then_some(ranks);
        let expected = if ranks.is_some() { usable } else { map.node_count() };
        let found = numbers.len();
        if expected != found {
            return Err(NoLayout::Count { expected, found });
        }
        let mut layout = Self {
            ranks,
            usable,
            numbers,
            regions,
            nodes: Vec::new(),
            beside: Lists::default(),
            around: Lists::default(),
            positive: true,
        };
        layout.name_portals(map)?;
        let mut pairs = on_graph!(map, graph => layout.look_round(graph))?;
        pairs.sort_unstable();
        pairs.dedup();
        let portals = layout.nodes.len();
        layout.beside = Lists::of(regions as usize, pairs.iter().copied());
        pairs.sort_unstable_by_key(|&(region, portal)| (portal, region));
        let turned = pairs.iter().map(|&(region, portal)| (portal, region));
        layout.around = Lists::of(portals, turned);
        Ok(layout)
    }

    /// Portals are numbered in the order of their nodes, without gaps.
    fn name_portals(&mut self, map: &Map) -> Result<(), NoLayout> {
        for node in 0..map.node_count() as NodeId {
            let number = self.number(node);
            if (number == NOWHERE) == map.contains(node) {
                return Err(NoLayout::Wall { node });
            }
            if number < self.regions || number == NOWHERE {
                continue;
            }
            let before = self.regions as usize + self.nodes.len();
            if number as usize != before {
                return Err(NoLayout::Number { number, before });
            }
            self.nodes.push(node);
        }
        Ok(())
    }

    /// All pairs of a region and a portal beside it, some more than once.
    fn look_round(&mut self, graph: &impl Graph) -> Result<Vec<(u16, u16)>, NoLayout> {
        let undirected = graph.is_undirected();
        let (mut pairs, mut joined, mut positive) = (Vec::new(), None, true);
        for tail in 0..graph.node_count() as NodeId {
            let here = self.number(tail);
            if here == NOWHERE {
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
        joined.map_or(Ok(pairs), |(tail, head)| Err(NoLayout::Joined { tail, head }))
    }

    /// The region of a node, or its portal behind the last region; [`NOWHERE`] for an id that is no
    /// usable node.
    #[inline(always)]
    pub(crate) fn number(&self, node: NodeId) -> u32 {
        let place = match &self.ranks {
            None => node as usize,
            Some(ranks) => match ranks.rank(node) {
                Some(rank) => rank,
                None => return NOWHERE,
            },
        };
        u32::from(self.numbers.get(place).copied().unwrap_or(NONE))
    }

    /// The place of a node in the list of numbers.
    #[inline(always)]
    pub(crate) fn place(&self, node: NodeId) -> Option<usize> {
        match &self.ranks {
            None => Some(node as usize).filter(|&place| place < self.numbers.len()),
            Some(ranks) => ranks.rank(node),
        }
    }

    #[inline(always)]
    pub(crate) fn regions(&self) -> u32 {
        self.regions
    }

    pub(crate) fn portals(&self) -> usize {
        self.nodes.len()
    }

    /// How many usable nodes there are.
    pub(crate) fn usable(&self) -> usize {
        self.usable
    }

    /// The node of a portal.
    #[inline(always)]
    pub(crate) fn node(&self, portal: u16) -> NodeId {
        self.nodes[usize::from(portal)]
    }

    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

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
            + self.beside.memory_bytes()
            + self.around.memory_bytes()
    }

    /// What a layout takes for so many ids, of which so many are usable, and for so many regions,
    /// portals, and portals beside regions.
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

impl Lists {
    /// From pairs of a list and an item, sorted by list.
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
    pub(crate) fn list(&self, at: usize) -> &[u16] {
        &self.items[self.first[at] as usize..self.first[at + 1] as usize]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &[u16]> {
        (0..self.first.len() - 1).map(|at| self.list(at))
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&*self.first) + size_of_val(&*self.items)
    }
}
