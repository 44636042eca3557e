//! Which region every node lies in, and which portals lie beside every region.
//!
//! A usable node has a number: that of its region or, behind all regions, that of its portal. The rest follows from the
//! map: the portals beside a region are those with an edge from or to one of its nodes.
//!
//! Invariant, checked when a layout is made: an edge that joins two regions does not exist.

use super::super::ranks::Ranks;
use crate::graph::{Graph, NodeId, touching};
use crate::map::{Map, on_graph};
use crate::store::Array;

/// The number of an id that is no usable node.
pub(crate) const NOWHERE: u32 = u32::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    ranks: Ranks,
    /// By rank.
    numbers: Array<u16>,
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
    #[error("{found} nodes have a number where {expected} can be used")]
    Count { expected: usize, found: usize },
    #[error("number {number} follows on {before} places")]
    Number { number: u16, before: usize },
    #[error("the edge {tail} -> {head} joins two regions")]
    Joined { tail: NodeId, head: NodeId },
}

impl Layout {
    /// The layout of these numbers, if they are one.
    pub(crate) fn new(map: &Map, numbers: Array<u16>, regions: u32) -> Result<Self, NoLayout> {
        let ranks = Ranks::of(map);
        let (expected, found) = (ranks.count(), numbers.len());
        if expected != found {
            return Err(NoLayout::Count { expected, found });
        }
        let mut layout = Self {
            ranks,
            numbers,
            regions,
            nodes: Vec::new(),
            beside: Lists::default(),
            around: Lists::default(),
            positive: true,
        };
        layout.name_portals(map.node_count())?;
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
    fn name_portals(&mut self, nodes: usize) -> Result<(), NoLayout> {
        for node in 0..nodes as NodeId {
            let Some(rank) = self.ranks.rank(node) else { continue };
            let number = self.numbers[rank];
            if u32::from(number) < self.regions {
                continue;
            }
            let before = self.regions as usize + self.nodes.len();
            if usize::from(number) != before {
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

    /// The region of a node, or its portal behind the last region; [`NOWHERE`] for an id that is no usable node.
    #[inline(always)]
    pub(crate) fn number(&self, node: NodeId) -> u32 {
        self.ranks.rank(node).map_or(NOWHERE, |rank| u32::from(self.numbers[rank]))
    }

    /// The place of a usable node in tables over nodes.
    #[inline(always)]
    pub(crate) fn rank(&self, node: NodeId) -> Option<usize> {
        self.ranks.rank(node)
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
        self.ranks.count()
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
        self.ranks.memory_bytes()
            + self.numbers.memory_bytes()
            + size_of_val(&*self.nodes)
            + self.beside.memory_bytes()
            + self.around.memory_bytes()
    }

    /// What a layout takes for so many usable nodes out of all, regions, portals, and portals beside regions.
    pub(crate) fn bytes(
        nodes: usize,
        usable: usize,
        regions: usize,
        portals: usize,
        sides: u64,
    ) -> u64 {
        let ranks = if nodes == usable { 0 } else { nodes.div_ceil(64) as u64 * 12 };
        let lists = 4 * (regions + portals + 2) as u64 + 4 * sides;
        ranks + 2 * usable as u64 + 4 * portals as u64 + lists
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
