//! Hops: for each entry of a separator node's row, how the way to the entry's node goes on.
//!
//! A hop leads to another separator node, along an edge or across a leaf. The *exits* of a node
//! number all of them: the separator nodes next to it first, then for every leaf that it borders on
//! all border nodes of that leaf. A hop is such a number, so a path is unpacked by looking up
//! instead of searching. Of several hops that are as short, the longest is kept: fewer of them make
//! a path.
//!
//! All weights are positive, so the cost to the entry's node falls with every hop.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Layout, Rank};
use crate::atlas::general::tables::frame::Frame;
use crate::atlas::general::tables::region::{Both, Places, Region, Way};
use crate::atlas::separator_tree::{RegionId, Tree};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::kernel::mark_sums;
use crate::store::{Array, Words};

/// No hop is known: the entry is not one that a shortest path needs.
pub(crate) const NO_HOP: u16 = u16::MAX;

#[derive(Debug)]
pub(crate) struct Hops {
    /// The hop beside each entry of a separator node's row.
    pub(crate) hops: Both<Array<u16>>,
    pub(crate) exits: Exits,
}

/// Where hops lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exits {
    /// By rank where its list begins, and at last where all end.
    pub(crate) first: Words,
    /// A list: how many neighbours, the ranks of the neighbours, then for each leaf the number of
    /// its first exit, the leaf, and the node's place in the leaf's border.
    pub(crate) lists: Words,
    /// By rank its node.
    pub(crate) nodes: Words,
    /// By region where the ranks of a leaf's border begin, and at last where all end.
    pub(crate) first_border: Words,
    /// The ranks of the border nodes of all leaves.
    pub(crate) borders: Words,
}

/// Where a hop leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Along an edge to a neighbour.
    Edge(Rank),
    /// Across a leaf, from one place in its border to another.
    Leaf { leaf: RegionId, from: u32, to: u32 },
}

impl Exits {
    /// What an exit of a node leads to; `None` where there is no such exit.
    #[inline(always)]
    pub(crate) fn exit(&self, rank: Rank, hop: u16) -> Option<Exit> {
        let (edges, leaves) = self.of(rank);
        if hop == NO_HOP {
            return None;
        }
        let hop = u32::from(hop);
        if let Some(&rank) = edges.get(hop as usize) {
            return Some(Exit::Edge(rank));
        }
        let (leaves, _) = leaves.as_chunks::<3>();
        let &[base, leaf, from] = leaves.iter().rev().find(|&&[base, ..]| base <= hop)?;
        Some(Exit::Leaf { leaf, from, to: hop - base })
    }

    /// The neighbours and the leaves of a node.
    #[inline(always)]
    pub(crate) fn of(&self, rank: Rank) -> (&[u32], &[u32]) {
        let range = self.first[rank as usize] as usize..self.first[rank as usize + 1] as usize;
        let list = &self.lists[range];
        let (count, list) = list.split_first().map_or((0, list), |(&count, rest)| (count, rest));
        list.split_at(list.len().min(count as usize))
    }

    /// The ranks of a leaf's border nodes.
    #[inline(always)]
    pub(crate) fn border(&self, leaf: RegionId) -> &[Rank] {
        let first = &self.first_border[leaf as usize..];
        &self.borders[first[0] as usize..first[1] as usize]
    }

    pub(crate) fn build<G: Graph>(
        &Frame { graph, tree, places }: &Frame<'_, G>,
        regions: &[Arc<Region>],
        layout: &Layout,
    ) -> Self {
        let mut leaves_of: Vec<Vec<(RegionId, u32)>> = vec![Vec::new(); layout.separators()];
        let (first_border, borders) = ranks_of_borders(tree, places, regions, layout);
        for (leaf, ends) in (0..).zip(first_border.windows(2)) {
            for (at, &rank) in (0..).zip(&borders[ends[0] as usize..ends[1] as usize]) {
                leaves_of[rank as usize].push((leaf, at));
            }
        }
        let (mut first, mut lists, mut nodes) = (vec![0], Vec::new(), Vec::new());
        let mut edges = Vec::new();
        for (id, region) in (0..).zip(regions).filter(|&(id, _)| !tree.is_leaf(id)) {
            for (slot, &node) in (0..).zip(region.members.iter()) {
                neighbours_into(graph, places, layout, node, &mut edges);
                lists.push(edges.len() as u32);
                lists.extend_from_slice(&edges);
                let mut base = edges.len() as u32;
                let rank = layout.rank(id, slot).map_or(0, |rank| rank as usize);
                for &(leaf, at) in &leaves_of[rank] {
                    lists.extend([base, leaf, at]);
                    base += regions[leaf as usize].border.len() as u32;
                }
                first.push(lists.len() as u32);
                nodes.push(node);
            }
        }
        Self {
            first: first.into(),
            lists: lists.into(),
            nodes: nodes.into(),
            first_border: first_border.into(),
            borders: borders.into(),
        }
    }

    /// The bytes that the exits of these regions will take.
    pub(crate) fn planned_bytes<G: Graph>(
        graph: &G,
        places: &Places,
        regions: &[Arc<Region>],
        layout: &Layout,
    ) -> usize {
        let (mut edges, mut borders) = (0, 0);
        let mut ranks = Vec::new();
        for region in regions {
            if region.leaf().is_some() {
                borders += region.border.len();
                continue;
            }
            for &node in region.members.iter() {
                neighbours_into(graph, places, layout, node, &mut ranks);
                edges += ranks.len();
            }
        }
        let separators = layout.separators();
        let lists = separators + edges + 3 * borders;
        4 * ((separators + 1) + lists + separators + (regions.len() + 1) + borders)
    }

    fn memory_bytes(&self) -> usize {
        [&self.first, &self.lists, &self.nodes, &self.first_border, &self.borders]
            .map(|list| list.memory_bytes())
            .iter()
            .sum()
    }
}

impl Hops {
    pub(crate) fn build<G: Graph>(
        frame: &Frame<'_, G>,
        regions: &[Arc<Region>],
        layout: &Layout,
        costs: &Both<Words>,
    ) -> Self {
        let exits = Exits::build(frame, regions, layout);
        let hops = Both::make(frame.undirected(), |way| {
            let costs = costs.way(way);
            let finding = Finding { frame, regions, layout, exits: &exits, costs, way };
            let mut hops = vec![NO_HOP; layout.separator_entries()];
            let branches = || {
                (0..)
                    .zip(regions)
                    .filter(|&(id, region)| !frame.tree.is_leaf(id) && !region.members.is_empty())
            };
            let sizes = branches().map(|(id, region)| (id, region.members.len()));
            let work: Vec<_> = branches().zip(layout.pieces(&mut hops, sizes)).collect();
            work.into_par_iter().for_each(|((id, region), piece)| finding.fill(id, region, piece));
            hops.into()
        });
        Self { hops, exits }
    }

    /// How the way to an entry's node goes on.
    #[inline(always)]
    pub(crate) fn hop(&self, way: Way, at: usize) -> u16 {
        self.hops.way(way).get(at).copied().unwrap_or(NO_HOP)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.hops.memory_bytes() + self.exits.memory_bytes()
    }
}

/// What the hops of one way are found from.
struct Finding<'a, G> {
    frame: &'a Frame<'a, G>,
    regions: &'a [Arc<Region>],
    layout: &'a Layout,
    exits: &'a Exits,
    costs: &'a [Cost],
    way: Way,
}

impl<G: Graph> Finding<'_, G> {
    /// The hops of all separator nodes of a branch.
    fn fill(&self, id: RegionId, region: &Region, piece: &mut [u16]) {
        let mut options = Vec::new();
        let first = self.layout.rank(id, 0).map_or(0, |rank| self.layout.range(rank).start);
        for (slot, &node) in (0..).zip(region.members.iter()) {
            let Some(rank) = self.layout.rank(id, slot) else { continue };
            let range = self.layout.range(rank);
            let hops = &mut piece[range.start - first..range.end - first - 1];
            let sums = &self.costs[range];
            options.clear();
            self.options(rank, node, &mut options);
            options.sort_unstable();
            for &(cost, number, to) in &options {
                mark_sums(hops, sums, &self.costs[self.layout.range(to)], cost, number);
            }
        }
    }

    /// The cost, the number and the end of every exit that leads anywhere.
    fn options(&self, rank: Rank, node: NodeId, options: &mut Vec<(Cost, u16, Rank)>) {
        let (edges, leaves) = self.exits.of(rank);
        let add_edge = |other: NodeId, cost: Cost| {
            let Some(to) = separator_rank(self.frame.places, self.layout, other) else { return };
            let number = edges.binary_search(&to).ok().and_then(number);
            options.extend(number.map(|number| (cost, number, to)));
        };
        match self.way {
            Way::Out => self.frame.graph.out_edges(node, add_edge),
            Way::Into => self.frame.graph.in_edges(node, add_edge),
        }
        for &[base, leaf, at] in leaves.as_chunks::<3>().0 {
            let (region, at) = (&self.regions[leaf as usize], at as usize);
            for (to, &rank) in self.exits.border(leaf).iter().enumerate() {
                let cost = match self.way {
                    Way::Out => region.crossing(at, to),
                    Way::Into => region.crossing(to, at),
                };
                let number = number(base as usize + to);
                if let Some(number) = number.filter(|_| to != at && cost != UNREACHABLE) {
                    options.push((cost, number, rank));
                }
            }
        }
    }
}

/// The number of an exit, unless there are too many to number.
fn number(exit: usize) -> Option<u16> {
    u16::try_from(exit).ok().filter(|&number| number != NO_HOP)
}

/// By region where the ranks of a leaf's border begin, and at last where all end; and the ranks.
pub(crate) fn ranks_of_borders(
    tree: &Tree,
    places: &Places,
    regions: &[Arc<Region>],
    layout: &Layout,
) -> (Vec<u32>, Vec<Rank>) {
    let (mut first, mut ranks) = (vec![0], Vec::new());
    for (id, region) in (0..).zip(regions) {
        if tree.is_leaf(id) {
            let rank_of = |&node: &NodeId| separator_rank(places, layout, node);
            ranks.extend(region.border.iter().filter_map(rank_of));
        }
        first.push(ranks.len() as u32);
    }
    (first, ranks)
}

/// The ranks of the separator nodes next to a node, ascending, each once.
fn neighbours_into<G: Graph>(
    graph: &G,
    places: &Places,
    layout: &Layout,
    node: NodeId,
    ranks: &mut Vec<Rank>,
) {
    ranks.clear();
    let mut add = |other: NodeId, _| ranks.extend(separator_rank(places, layout, other));
    graph.out_edges(node, &mut add);
    if !graph.is_undirected() {
        graph.in_edges(node, &mut add);
    }
    ranks.sort_unstable();
    ranks.dedup();
}

/// The rank of a node that is in a separator.
fn separator_rank(places: &Places, layout: &Layout, node: NodeId) -> Option<Rank> {
    let place = places.of(node);
    let rank = layout.rank(place.home, place.slot)?;
    ((rank as usize) < layout.separators()).then_some(rank)
}
