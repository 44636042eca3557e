//! What is stored of portals: the way between any two, and how ways are refined.
//!
//! A way from portal to portal is a chain of portals of which each two that follow one another are
//! joined by an edge or by a way through one region that meets no other portal. So distances are
//! found in a small graph of portals, whose edges come from one search per region and portal, and
//! not by searches over the whole map.
//!
//! Beside the distances lie two bits for any two portals of a region: whether a shortest way leads
//! directly through that region (so that it can be refined there), and from which end a search for
//! it expands less.

use rayon::prelude::*;

use super::inside::Inside;
use super::layout::Layout;
use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{CsrGraph, Graph, GraphBuilder, NodeId};
use crate::heuristic::Geometric;
use crate::map::{Map, on_graph};
use crate::search::{Counter, Observer, Scratch, astar, dijkstra};
use crate::store::Longs;
use crate::true_distance::matrix::DistanceMatrix;

/// Portals with the distances between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Portals {
    pub(crate) layout: Layout,
    /// From portal to portal; exact.
    pub(crate) distances: DistanceMatrix,
    pub(crate) hops: Hops,
    /// Whether some distance is beyond what a cost can hold. Nothing that is stored is used then.
    pub(crate) overflowed: bool,
}

/// Two bits for every ordered pair of portals of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hops {
    /// By region, where its pairs begin.
    first: Vec<u64>,
    /// Bit 2 n: the way of pair n leads through the region; bit 2 n + 1: a search for it starts at
    /// its end.
    bits: Longs,
}

/// How the way from one portal of a region to another is refined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Not through this region.
    Elsewhere,
    /// By a search from the first.
    Forward,
    /// By a search from the second.
    Backward,
}

impl Portals {
    pub(crate) fn build(
        map: &Map,
        layout: Layout,
        base: &Geometric,
        unit: Option<Cost>,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        on_graph!(map, graph => Self::on(graph, layout, base, unit, progress))
    }

    fn on(
        graph: &impl Graph,
        layout: Layout,
        base: &Geometric,
        unit: Option<Cost>,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let undirected = graph.is_undirected();
        let locals = Locals::find(graph, &layout, progress)?;
        let (rows, overflowed) = locals.rows(graph, &layout, progress)?;
        let overflowed = overflowed || locals.overflowed;
        let distances = DistanceMatrix::from_rows(&rows, undirected, unit);
        let hops = Hops::find(graph, &layout, &locals, &distances, base, progress)?;
        Ok(Self { layout, distances, hops, overflowed })
    }

    /// From portal to portal, or the other way round.
    #[inline(always)]
    pub(crate) fn between(&self, from: u16, to: u16, turned: bool) -> Cost {
        let (from, to) = if turned { (to, from) } else { (from, to) };
        self.distances.between(usize::from(from), usize::from(to))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.layout.memory_bytes() + self.distances.memory_bytes() + self.hops.memory_bytes()
    }
}

/// By region, the ways between its portals that lead through it and no other portal.
struct Locals {
    tables: Vec<Vec<Cost>>,
    overflowed: bool,
}

impl Locals {
    fn find(
        graph: &impl Graph,
        layout: &Layout,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let regions = layout.regions();
        let watch = Watch::new(progress, "regions", regions as usize);
        let tables = (0..regions).into_par_iter().map_init(Scratch::default, |scratch, region| {
            watch.check()?;
            let table = local_table(graph, layout, region, scratch);
            watch.advance(1);
            Ok(table)
        });
        let tables: Vec<(Vec<Cost>, bool)> = tables.collect::<Result<_, BuildError>>()?;
        let overflowed = tables.iter().any(|&(_, overflowed)| overflowed);
        Ok(Self { tables: tables.into_iter().map(|(table, _)| table).collect(), overflowed })
    }

    /// The distances from every portal to all others, and whether one was beyond counting.
    fn rows(
        &self,
        graph: &impl Graph,
        layout: &Layout,
        progress: &dyn Progress,
    ) -> Result<(Vec<Vec<Cost>>, bool), BuildError> {
        let portals = layout.portals();
        let small = self.small_graph(graph, layout);
        let watch = Watch::new(progress, "portals", portals);
        let rows =
            (0..portals as NodeId).into_par_iter().map_init(Scratch::default, |scratch, from| {
                watch.check()?;
                let overflowed = dijkstra::one_to_all(&small, scratch, from).is_err();
                let cost = |to| scratch.cost(to).unwrap_or(UNREACHABLE);
                let row: Vec<Cost> = (0..portals as NodeId).map(cost).collect();
                watch.advance(1);
                Ok((row, overflowed))
            });
        let rows: Vec<(Vec<Cost>, bool)> = rows.collect::<Result<_, BuildError>>()?;
        let overflowed = rows.iter().any(|&(_, overflowed)| overflowed);
        Ok((rows.into_iter().map(|(row, _)| row).collect(), overflowed))
    }

    /// Portals, joined by edges of the map and by ways through one region.
    fn small_graph(&self, graph: &impl Graph, layout: &Layout) -> CsrGraph {
        let portals = layout.portals();
        // Portals are numbered in 16 bits and weights come from the map, so nothing here is
        // refused.
        let mut builder = GraphBuilder::new(portals).expect("portals have small numbers");
        let mut add = |tail: usize, head: usize, weight: Cost| {
            if weight != UNREACHABLE {
                builder.add_edge(tail as NodeId, head as NodeId, weight).expect("a finite weight");
            }
        };
        for (list, table) in layout.beside.all().zip(&self.tables) {
            for (row, &tail) in table.chunks(list.len().max(1)).zip(list) {
                let heads = row.iter().zip(list).filter(|&(_, &head)| head != tail);
                heads.for_each(|(&weight, &head)| add(tail.into(), head.into(), weight));
            }
        }
        for (tail, &node) in layout.nodes().iter().enumerate() {
            graph.out_edges(node, |head, weight| {
                let number = layout.number(head);
                if number >= layout.regions() && number != super::layout::NOWHERE {
                    add(tail, (number - layout.regions()) as usize, weight);
                }
            });
        }
        builder.build()
    }
}

/// From every portal of a region to every other, row by row, and whether some cost was beyond
/// counting.
fn local_table(
    graph: &impl Graph,
    layout: &Layout,
    region: u32,
    scratch: &mut Scratch,
) -> (Vec<Cost>, bool) {
    let list = layout.beside.list(region as usize);
    let mut table = Vec::with_capacity(list.len() * list.len());
    let mut overflowed = false;
    for &from in list {
        let root = layout.node(from);
        let inside = Inside { graph, layout, region, root, only: None };
        overflowed |= dijkstra::one_to_all(&inside, scratch, root).is_err();
        let cost = |&to: &u16| scratch.cost(layout.node(to)).unwrap_or(UNREACHABLE);
        table.extend(list.iter().map(cost));
    }
    (table, overflowed)
}

impl Hops {
    fn find(
        graph: &impl Graph,
        layout: &Layout,
        locals: &Locals,
        distances: &DistanceMatrix,
        base: &Geometric,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let first = Self::first(layout);
        let watch = Watch::new(progress, "hops", layout.regions() as usize);
        let found = (0..layout.regions()).into_par_iter();
        let found = found.map_init(Scratch::default, |scratch, region| {
            watch.check()?;
            let table = &locals.tables[region as usize];
            let hops = region_hops(graph, layout, (region, table), distances, base, scratch);
            watch.advance(1);
            Ok(hops)
        });
        let found: Vec<Vec<Hop>> = found.collect::<Result<_, BuildError>>()?;
        let mut bits = vec![0u64; Self::words(&first)];
        for (pair, hop) in found.into_iter().flatten().enumerate() {
            let code = match hop {
                Hop::Elsewhere => 0,
                Hop::Forward => 1,
                Hop::Backward => 3,
            };
            bits[pair / 32] |= code << (pair % 32 * 2);
        }
        Ok(Self { first, bits: bits.into() })
    }

    /// From bits as they are stored; `None` where their number does not suit the layout.
    pub(crate) fn from_bits(layout: &Layout, bits: Longs) -> Option<Self> {
        let first = Self::first(layout);
        (Self::words(&first) == bits.len()).then_some(Self { first, bits })
    }

    pub(crate) fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The hop from one place in a region's list of portals to another.
    #[inline(always)]
    pub(crate) fn hop(&self, region: u32, portals: usize, from: usize, to: usize) -> Hop {
        let pair = self.first[region as usize] as usize + from * portals + to;
        match self.bits[pair / 32] >> (pair % 32 * 2) & 3 {
            1 => Hop::Forward,
            3 => Hop::Backward,
            _ => Hop::Elsewhere,
        }
    }

    pub(crate) fn bytes(regions: usize, pairs: u64) -> u64 {
        8 * (regions as u64 + 1) + pairs.div_ceil(32) * 8
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&*self.first) + self.bits.memory_bytes()
    }

    fn first(layout: &Layout) -> Vec<u64> {
        let mut first = vec![0];
        let mut sum = 0;
        for list in layout.beside.all() {
            sum += (list.len() * list.len()) as u64;
            first.push(sum);
        }
        first
    }

    fn words(first: &[u64]) -> usize {
        first.last().map_or(0, |&pairs| pairs.div_ceil(32) as usize)
    }
}

fn region_hops(
    graph: &impl Graph,
    layout: &Layout,
    (region, table): (u32, &[Cost]),
    distances: &DistanceMatrix,
    base: &Geometric,
    scratch: &mut Scratch,
) -> Vec<Hop> {
    let list = layout.beside.list(region as usize);
    let mut hops = Vec::with_capacity(table.len());
    for (row, &from) in list.iter().enumerate() {
        for (column, &to) in list.iter().enumerate() {
            let local = table[row * list.len() + column];
            let leads = from != to
                && local != UNREACHABLE
                && local == distances.between(from.into(), to.into());
            hops.push(match leads {
                false => Hop::Elsewhere,
                // On undirected maps the way back is the same search, from the same end.
                true if graph.is_undirected() && column < row => {
                    match hops[column * list.len() + row] {
                        Hop::Forward => Hop::Backward,
                        _ => Hop::Forward,
                    }
                }
                true => {
                    let ends = (layout.node(from), layout.node(to));
                    let mut effort =
                        |turned| effort(graph, layout, region, ends, turned, base, scratch);
                    if effort(true) < effort(false) { Hop::Backward } else { Hop::Forward }
                }
            });
        }
    }
    hops
}

/// How many nodes a search between two portals through a region expands.
fn effort(
    graph: &impl Graph,
    layout: &Layout,
    region: u32,
    ends: (NodeId, NodeId),
    turned: bool,
    base: &Geometric,
    scratch: &mut Scratch,
) -> u64 {
    let mut counter = Counter::default();
    // It was found before, so it cannot fail.
    let _ = cross(graph, layout, region, ends, turned, base, scratch, &mut counter);
    counter.expanded
}

/// Searches from one portal to another through a region, from its end if so wanted. The path then
/// lies in the scratch, from the end the search began at.
#[allow(clippy::too_many_arguments)]
pub(crate) fn cross(
    graph: &impl Graph,
    layout: &Layout,
    region: u32,
    (from, to): (NodeId, NodeId),
    turned: bool,
    base: &Geometric,
    scratch: &mut Scratch,
    observer: &mut impl Observer,
) -> Option<Cost> {
    let (root, goal) = if turned { (to, from) } else { (from, to) };
    let inside = Inside { graph, layout, region, root, only: Some(goal) };
    let mut bound = base.with_end(goal);
    let ends = (root, goal);
    let found = if turned {
        astar::find(&inside.reversed(), scratch, ends, &mut bound, observer)
    } else {
        astar::find(&inside, scratch, ends, &mut bound, observer)
    };
    found.ok().flatten()
}
