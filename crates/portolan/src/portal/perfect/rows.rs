//! The distances between every node and the portals beside its region, inside the region.
//!
//! Inside means: without another portal on the way. A path's first portal is the first that it
//! meets, so sums of such a distance, a stored one between portals and another such distance are
//! exact; and the way is read off without leaving the region. (The paper stores true distances,
//! whose ways may lead out of the region and back.)

use rayon::prelude::*;

use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::partition::RegionCounts;
use crate::portal::bound::inside::Inside;
use crate::portal::bound::layout::Layout;
use crate::search::{Scratch, dijkstra};
use crate::store::{Words, unusable};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rows {
    /// By region, where its entries begin: a row for every node, an entry for every portal beside
    /// the region.
    first: Vec<u64>,
    /// By place of a node in the layout, the number of its row in its region.
    place: Vec<u16>,
    /// From the node to the portal.
    out: Words,
    /// From the portal to the node, where that differs.
    into: Option<Words>,
}

/// A region has no more nodes than 16 bits can count.
pub(crate) const MOST_NODES: usize = 1 << 16;

impl Rows {
    /// The bytes of all rows; `u64::MAX` where a region is too large.
    pub(crate) fn bytes(tally: &RegionCounts, usable: usize, undirected: bool) -> u64 {
        if tally.largest > MOST_NODES {
            return u64::MAX;
        }
        let tables = if undirected { 1 } else { 2 };
        8 * (tally.regions as u64 + 1) + 2 * usable as u64 + tables * 4 * tally.entries
    }

    /// Finds all distances; also says whether one was beyond counting.
    pub(crate) fn build(
        map: &Map,
        layout: &Layout,
        progress: &dyn Progress,
    ) -> Result<(Self, bool), BuildError> {
        let (first, place, members) = Self::frame(layout, map.node_count());
        let undirected = map.is_undirected();
        let table =
            |turned| on_graph!(map, graph => fill(graph, layout, &members, turned, progress));
        let (out, mut overflowed) = table(true)?;
        let into = match undirected {
            true => None,
            false => {
                let (into, too) = table(false)?;
                overflowed |= too;
                Some(into)
            }
        };
        Ok((Self { first, place, out, into }, overflowed))
    }

    /// From tables as they are stored; why not, where their lengths do not suit the layout.
    pub(crate) fn from_tables(
        nodes: usize,
        layout: &Layout,
        out: Words,
        into: Option<Words>,
    ) -> Result<Self, crate::store::OpenError> {
        let (first, place, members) = Self::frame(layout, nodes);
        let expected = first.last().copied().unwrap_or(0);
        let fits = |table: &Words| table.len() as u64 == expected;
        let small = members.iter().all(|nodes| nodes.len() <= MOST_NODES);
        if !small || !fits(&out) || !into.as_ref().is_none_or(fits) {
            return Err(unusable(
                OUT,
                format!("{} are not the {expected} of the regions", out.len()),
            ));
        }
        Ok(Self { first, place, out, into })
    }

    /// Where rows lie, and the nodes of each region.
    fn frame(layout: &Layout, nodes: usize) -> (Vec<u64>, Vec<u16>, Vec<Vec<NodeId>>) {
        let mut members = vec![Vec::new(); layout.regions() as usize];
        let mut place = vec![0; layout.numbers().len()];
        for node in 0..nodes as NodeId {
            let Some(rank) = layout.place(node) else { continue };
            if let Some(members) = members.get_mut(layout.number(node) as usize) {
                place[rank] = members.len() as u16;
                members.push(node);
            }
        }
        let mut first = vec![0];
        let mut sum = 0;
        for (nodes, list) in members.iter().zip(layout.beside.all()) {
            sum += nodes.len() as u64 * list.len() as u64;
            first.push(sum);
        }
        (first, place, members)
    }

    /// The distances from a node of a region to its portals, or the other way round.
    #[inline(always)]
    pub(crate) fn row(&self, layout: &Layout, region: u32, node: NodeId, turned: bool) -> &[Cost] {
        let table = if turned { self.into.as_ref().unwrap_or(&self.out) } else { &self.out };
        let first = self.first[region as usize];
        let next = self.first[region as usize + 1];
        let portals = layout.beside.list(region as usize).len();
        let Some(rank) = layout.place(node) else { return &[] };
        let start = first + u64::from(self.place[rank]) * portals as u64;
        debug_assert!(start + portals as u64 <= next);
        &table[start as usize..start as usize + portals]
    }

    pub(crate) fn tables(&self) -> (&[Cost], Option<&[Cost]>) {
        (&self.out, self.into.as_deref())
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let into = self.into.as_ref().map_or(0, Words::memory_bytes);
        size_of_val(&*self.first) + size_of_val(&*self.place) + self.out.memory_bytes() + into
    }
}

pub(crate) const OUT: &str = "perfect.out";
pub(crate) const INTO: &str = "perfect.into";

/// One table, region by region.
fn fill(
    graph: &impl Graph,
    layout: &Layout,
    members: &[Vec<NodeId>],
    turned: bool,
    progress: &dyn Progress,
) -> Result<(Words, bool), BuildError> {
    let watch = Watch::new(progress, "rows", members.len());
    let pieces =
        members.par_iter().enumerate().map_init(Scratch::default, |scratch, (region, nodes)| {
            watch.check()?;
            let piece = fill_region(graph, layout, (region as u32, nodes), turned, scratch);
            watch.advance(1);
            Ok(piece)
        });
    let pieces: Vec<(Vec<Cost>, bool)> = pieces.collect::<Result<_, BuildError>>()?;
    let overflowed = pieces.iter().any(|&(_, overflowed)| overflowed);
    Ok((pieces.into_iter().flat_map(|(entries, _)| entries).collect(), overflowed))
}

fn fill_region(
    graph: &impl Graph,
    layout: &Layout,
    (region, nodes): (u32, &[NodeId]),
    turned: bool,
    scratch: &mut Scratch,
) -> (Vec<Cost>, bool) {
    let list = layout.beside.list(region as usize);
    let mut entries = vec![UNREACHABLE; nodes.len() * list.len()];
    let mut overflowed = false;
    for (column, &portal) in list.iter().enumerate() {
        let root = layout.node(portal);
        let inside = Inside { graph, layout, region, root, only: Some(root) };
        let found = match turned {
            true => dijkstra::one_to_all(&inside.reversed(), scratch, root),
            false => dijkstra::one_to_all(&inside, scratch, root),
        };
        overflowed |= found.is_err();
        for (row, &node) in nodes.iter().enumerate() {
            entries[row * list.len() + column] = scratch.cost(node).unwrap_or(UNREACHABLE);
        }
    }
    (entries, overflowed)
}
