//! Splits a map into regions by repeatedly bisecting the largest one, up to a memory limit.
//!
//! After the portal paper (see `halve.rs`). If regions are to be joined by portals, a least cover
//! (`cover.rs`) of the edges that cross a cut is removed from the region, and the components of the
//! rest are the new regions. Otherwise the components of the two sides are.
//!
//! Invariants: with portals, no edge joins two regions; every node is in one region or is a portal.
//! A cut depends on its region and the seed alone, so several cuts can be computed in parallel and
//! ahead of bytes, and the result does not depend on the threads.
//!
//! The size of an index need not grow with every cut: of all intermediate states the last one that
//! fits is used.

mod cover;
mod halve;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use rayon::prelude::*;

use cover::least_cover;
use halve::PathCounters;

use super::{SubsetScratch, Topology};
use crate::build::{BuildError, Progress};

/// Configuration of the split.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegionSplitter {
    /// How many paths may use an edge before it is removed; see [`PathCounters`].
    pub(crate) max_paths: u32,
    /// Regions of fewer nodes are not cut.
    pub(crate) min_nodes: usize,
    /// The maximum number of portals, or of regions without portals.
    pub(crate) max_count: usize,
    /// Whether portals are removed from regions.
    pub(crate) portals: bool,
    /// The seed of the cuts.
    pub(crate) seed: u64,
}

/// What determines the size of an index after some cuts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RegionCounts {
    pub(crate) regions: usize,
    pub(crate) portals: usize,
    /// Over all regions, their adjacent portals: the sum, the sum of squares, and the sum of the
    /// product with the nodes.
    pub(crate) sides: u64,
    pub(crate) pairs: u64,
    pub(crate) entries: u64,
    /// Nodes of the largest region.
    pub(crate) largest: usize,
}

/// The region or portal of every node of a topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionAssignment {
    /// By node its region; `None` for portals.
    pub(crate) of: Vec<Option<u32>>,
    pub(crate) regions: usize,
    /// The portals, ascending.
    pub(crate) portals: Vec<u32>,
}

/// The size of an index as a function of its regions.
pub(crate) struct IndexBytes<'a> {
    /// The total.
    pub(crate) whole: &'a (dyn Fn(&RegionCounts) -> u64 + Sync),
    /// The part that further cuts cannot reduce.
    pub(crate) floor: &'a (dyn Fn(&RegionCounts) -> u64 + Sync),
    /// The memory limit.
    pub(crate) limit: u64,
}

/// Regions and portals share 16-bit numbers; this maximum leaves a reserve.
pub(crate) const MAX_NUMBERS: usize = u16::MAX as usize - 64;

/// The maximum number of regions per cut; if there are more components, as in a star, the smallest
/// are put into one region.
const MAX_PARTS: usize = 32;

/// The number of cuts computed at once.
const BATCH: usize = 8;

impl RegionSplitter {
    /// The finest regions whose index fits; otherwise an error with the smallest size over all
    /// intermediate states.
    pub(crate) fn split(
        &self,
        topology: &Topology,
        bytes: &IndexBytes<'_>,
        progress: &dyn Progress,
    ) -> Result<RegionAssignment, BuildError> {
        let mut state = SplitState::new(self, topology);
        let mut fitting = None;
        let mut least = u64::MAX;
        loop {
            let floor = (bytes.floor)(&state.counts);
            let share = u128::from(floor.min(bytes.limit)) * 100 / u128::from(bytes.limit.max(1));
            if let ControlFlow::Break(()) = progress.advance("cutting", share as usize, 100) {
                return Err(BuildError::Cancelled);
            }
            // No further state can fit. If none has fitted so far, the smallest size may still
            // come.
            let is_too_fine = floor > bytes.limit && (fitting.is_some() || floor >= least);
            let is_last = is_too_fine || !state.cut();
            // A map that cannot be cut is one region; sizes are compared after the first cut.
            let whole = (bytes.whole)(&state.counts);
            least = least.min(whole);
            if whole <= bytes.limit {
                fitting = Some(state.cuts.len());
            }
            if is_last {
                break;
            }
        }
        match fitting {
            Some(cuts) => Ok(state.after(cuts)),
            None => {
                Err(BuildError::MemoryLimit { needed: least, limit: bytes.limit, smaller: None })
            }
        }
    }
}

/// A region, with its cut once computed.
struct PendingRegion {
    /// Ascending.
    nodes: Vec<u32>,
    /// The number of adjacent portals.
    adjacent_portals: u64,
    cut: Option<RegionCut>,
}

/// The result of cutting a region.
struct RegionCut {
    portals: Vec<u32>,
    parts: Vec<Vec<u32>>,
}

/// A cut that was applied.
struct AppliedCut {
    region: usize,
    portals: Vec<u32>,
    first_part: usize,
    end_part: usize,
}

struct SplitState<'a> {
    config: &'a RegionSplitter,
    topology: &'a Topology,
    regions: Vec<PendingRegion>,
    /// Regions that can be cut, the largest first, then by number.
    open: BinaryHeap<(usize, Reverse<usize>)>,
    is_portal: Vec<bool>,
    cuts: Vec<AppliedCut>,
    counts: RegionCounts,
}

impl<'a> SplitState<'a> {
    fn new(config: &'a RegionSplitter, topology: &'a Topology) -> Self {
        let nodes = topology.node_count();
        let mut state = Self {
            config,
            topology,
            regions: Vec::new(),
            open: BinaryHeap::new(),
            is_portal: vec![false; nodes],
            cuts: Vec::new(),
            counts: RegionCounts::default(),
        };
        state.add((0..nodes as u32).collect());
        state.counts.largest = nodes;
        state
    }

    fn is_done(&self) -> bool {
        self.open.is_empty() || self.counts.regions + self.counts.portals >= MAX_NUMBERS
    }

    fn add(&mut self, nodes: Vec<u32>) {
        let adjacent_portals = self.count_adjacent_portals(&nodes);
        self.counts.regions += 1;
        self.counts.sides += adjacent_portals;
        self.counts.pairs += adjacent_portals * adjacent_portals;
        self.counts.entries += adjacent_portals * nodes.len() as u64;
        if nodes.len() >= self.config.min_nodes.max(2) {
            self.open.push((nodes.len(), Reverse(self.regions.len())));
        }
        self.regions.push(PendingRegion { nodes, adjacent_portals, cut: None });
    }

    fn count_adjacent_portals(&self, nodes: &[u32]) -> u64 {
        let heads = nodes.iter().flat_map(|&node| self.topology.neighbours(node));
        let mut adjacent_portals: Vec<u32> =
            heads.copied().filter(|&head| self.is_portal[head as usize]).collect();
        adjacent_portals.sort_unstable();
        adjacent_portals.dedup();
        adjacent_portals.len() as u64
    }

    /// Cuts the largest region; returns false if there is none to cut.
    fn cut(&mut self) -> bool {
        if self.is_done() {
            return false;
        }
        let Some(&(_, Reverse(region))) = self.open.peek() else { return false };
        if self.regions[region].cut.is_none() {
            self.cut_ahead();
        }
        let places = self.counts.regions + self.counts.portals;
        let Some(cut) = self.regions[region].cut.take() else { return false };
        let counted = match self.config.portals {
            true => self.counts.portals + cut.portals.len(),
            false => self.counts.regions + cut.parts.len(),
        };
        let is_too_much = places + cut.parts.len() + cut.portals.len() > MAX_NUMBERS;
        if is_too_much || counted > self.config.max_count {
            return false;
        }
        self.open.pop();
        let (nodes, adjacent_portals) =
            (self.regions[region].nodes.len() as u64, self.regions[region].adjacent_portals);
        self.counts.regions -= 1;
        self.counts.sides -= adjacent_portals;
        self.counts.pairs -= adjacent_portals * adjacent_portals;
        self.counts.entries -= adjacent_portals * nodes;
        self.counts.portals += cut.portals.len();
        cut.portals.iter().for_each(|&portal| self.is_portal[portal as usize] = true);
        let first_part = self.regions.len();
        cut.parts.into_iter().for_each(|part| self.add(part));
        let end_part = self.regions.len();
        self.cuts.push(AppliedCut { region, portals: cut.portals, first_part, end_part });
        self.counts.largest = self.open.peek().map_or(self.config.min_nodes, |&(size, _)| size);
        true
    }

    /// Computes the cuts of the largest regions that have none yet.
    fn cut_ahead(&mut self) {
        let mut looked_at = Vec::new();
        let mut chosen = Vec::new();
        while let Some(entry) = self.open.pop() {
            looked_at.push(entry);
            let (_, Reverse(region)) = entry;
            if self.regions[region].cut.is_none() {
                chosen.push(region);
            }
            if chosen.len() == BATCH || looked_at.len() == 4 * BATCH {
                break;
            }
        }
        self.open.extend(looked_at);
        let (config, topology, regions) = (self.config, self.topology, &self.regions);
        let cuts: Vec<RegionCut> = chosen
            .par_iter()
            .map_init(SubsetScratch::default, |scratch, &region| {
                config.cut(topology, &regions[region].nodes, scratch)
            })
            .collect();
        for (region, cut) in chosen.into_iter().zip(cuts) {
            self.regions[region].cut = Some(cut);
        }
    }

    /// The assignment after this many cuts.
    fn after(&self, cuts: usize) -> RegionAssignment {
        let mut alive = vec![true];
        alive.resize(self.regions.len(), false);
        let mut portals = Vec::new();
        for made in &self.cuts[..cuts] {
            alive[made.region] = false;
            alive[made.first_part..made.end_part].fill(true);
            portals.extend_from_slice(&made.portals);
        }
        portals.sort_unstable();
        let mut of = vec![None; self.topology.node_count()];
        let mut regions = 0;
        for region in self.regions.iter().zip(alive).filter(|&(_, alive)| alive).map(|(it, _)| it) {
            region.nodes.iter().for_each(|&node| of[node as usize] = Some(regions));
            regions += 1;
        }
        RegionAssignment { of, regions: regions as usize, portals }
    }
}

impl RegionSplitter {
    fn cut(&self, topology: &Topology, nodes: &[u32], scratch: &mut SubsetScratch) -> RegionCut {
        let part = topology.subset(nodes, scratch);
        let seed = self.seed ^ (u64::from(nodes[0]) << 32 | nodes.len() as u64);
        let sides = PathCounters { limit: self.counter_limit(nodes.len()), seed }.halve(&part);
        let cover = if self.portals { least_cover(&part, &sides) } else { Vec::new() };
        let parts = self.pieces(&part, &sides, &cover);
        let name = |node: u32| nodes[node as usize];
        let parts = parts.into_iter().map(|part| part.into_iter().map(name).collect()).collect();
        RegionCut { portals: cover.into_iter().map(name).collect(), parts }
    }

    /// Searches in large regions take long, and many paths cross their middle anyway.
    fn counter_limit(&self, nodes: usize) -> u32 {
        const USUAL: usize = 1 << 16;
        let share = (self.max_paths as usize * USUAL / nodes.max(USUAL)) as u32;
        share.clamp(self.max_paths.min(2), self.max_paths)
    }

    /// The components without the cover, or of the two sides.
    fn pieces(&self, part: &Topology, sides: &[bool], cover: &[u32]) -> Vec<Vec<u32>> {
        let mut seen = vec![false; part.node_count()];
        cover.iter().for_each(|&node| seen[node as usize] = true);
        let mut pieces: Vec<Vec<u32>> = Vec::new();
        for root in 0..part.node_count() as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let (mut piece, mut next) = (vec![root], 0);
            while let Some(&node) = piece.get(next) {
                next += 1;
                for &head in part.neighbours(node) {
                    let crosses = sides[node as usize] != sides[head as usize];
                    if !crosses && !std::mem::replace(&mut seen[head as usize], true) {
                        piece.push(head);
                    }
                }
            }
            pieces.push(piece);
        }
        pieces.sort_by_key(|piece| (Reverse(piece.len()), piece[0]));
        let crumbs = pieces.split_off(pieces.len().min(MAX_PARTS));
        if let Some(last) = pieces.last_mut() {
            last.extend(crumbs.into_iter().flatten());
        }
        pieces.iter_mut().for_each(|piece| piece.sort_unstable());
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::in_threads;
    use crate::generate::Rooms;
    use crate::graph::GraphBuilder;
    use crate::map::Map;
    use crate::{Connectivity, Grid};

    fn rooms() -> Topology {
        let rooms =
            Rooms { width: 65, height: 65, room: 8, doors: 0.7, seed: 4, ..Rooms::default() };
        let grid = rooms.generate().unwrap().with_connectivity(Connectivity::Four);
        Topology::of_map(&Map::from(grid)).unwrap()
    }

    fn split_regions(
        topology: &Topology,
        splitter: RegionSplitter,
        limit: u64,
    ) -> Result<RegionAssignment, BuildError> {
        let whole =
            |counts: &RegionCounts| (counts.portals * counts.portals + counts.regions) as u64;
        splitter.split(topology, &IndexBytes { whole: &whole, floor: &whole, limit }, &())
    }

    const WITH_PORTALS: RegionSplitter =
        RegionSplitter { max_paths: 12, min_nodes: 16, max_count: 4096, portals: true, seed: 1 };

    fn check(topology: &Topology, split: &RegionAssignment) {
        assert!(split.portals.is_sorted());
        for node in 0..topology.node_count() as u32 {
            let here = split.of[node as usize];
            assert_eq!(here.is_none(), split.portals.binary_search(&node).is_ok());
            for &head in topology.neighbours(node) {
                let there = split.of[head as usize];
                assert!(here == there || here.is_none() || there.is_none(), "{node} - {head}");
            }
        }
    }

    #[test]
    fn no_edge_joins_two_regions() {
        let topology = rooms();
        for limit in [100, 1000, 10_000] {
            let split = split_regions(&topology, WITH_PORTALS, limit).unwrap();
            check(&topology, &split);
            let taken = (split.portals.len() * split.portals.len() + split.regions) as u64;
            assert!(taken <= limit && taken * 2 >= limit.min(8000), "{taken} of {limit}");
        }
    }

    #[test]
    fn sides_without_portals_hold_all_nodes() {
        let topology = rooms();
        let split = split_regions(&topology, RegionSplitter { portals: false, ..WITH_PORTALS }, 50)
            .unwrap();
        assert!((40..=50).contains(&split.regions) && split.portals.is_empty());
        assert!(split.of.iter().all(Option::is_some));
    }

    #[test]
    fn threads_do_not_matter() {
        let topology = rooms();
        let one = in_threads(1, || split_regions(&topology, WITH_PORTALS, 5000).unwrap()).unwrap();
        let three =
            in_threads(3, || split_regions(&topology, WITH_PORTALS, 5000).unwrap()).unwrap();
        assert_eq!(one, three);
    }

    #[test]
    fn a_limit_that_is_too_low_is_reported_with_one_that_fits() {
        let topology = rooms();
        let Err(BuildError::MemoryLimit { needed, limit: 1, .. }) =
            split_regions(&topology, WITH_PORTALS, 1)
        else {
            panic!("nothing fits into so little")
        };
        assert!(split_regions(&topology, WITH_PORTALS, needed).is_ok());
    }

    #[test]
    fn the_reported_size_is_the_least_of_all_states() {
        let topology = rooms();
        // Large regions are expensive here, as if every node had an entry for each portal of its
        // region.
        let floor = |counts: &RegionCounts| (counts.portals * counts.portals) as u64;
        let whole = |counts: &RegionCounts| floor(counts) + 10 * counts.largest as u64;
        let needed = |limit| {
            let bytes = IndexBytes { whole: &whole, floor: &floor, limit };
            match WITH_PORTALS.split(&topology, &bytes, &()) {
                Err(BuildError::MemoryLimit { needed, .. }) => Some(needed),
                _ => None,
            }
        };
        let least = needed(1).unwrap();
        assert_eq!((needed(least - 1), needed(least)), (Some(least), None));
    }

    #[test]
    fn no_more_portals_or_regions_than_allowed() {
        let topology = rooms();
        let split =
            split_regions(&topology, RegionSplitter { max_count: 30, ..WITH_PORTALS }, 10_000)
                .unwrap();
        assert!((15..=30).contains(&split.portals.len()), "{}", split.portals.len());
        let uncut =
            split_regions(&topology, RegionSplitter { max_count: 0, ..WITH_PORTALS }, 10_000)
                .unwrap();
        assert_eq!((uncut.regions, uncut.portals.len()), (1, 0));
        let sides = RegionSplitter { portals: false, max_count: 9, ..WITH_PORTALS };
        assert!((5..=9).contains(&split_regions(&topology, sides, 10_000).unwrap().regions));
    }

    #[test]
    fn stars_and_islands_and_single_nodes_have_regions() {
        let mut star = GraphBuilder::new(500).unwrap();
        (1..500).for_each(|leaf| star.add_two_way(0, leaf, 1).unwrap());
        let islands = Grid::from_fn(40, 40, |x, y| x % 3 > 0 && y % 3 > 0).unwrap();
        let maps = [star.build().into(), islands.into(), Map::from(Grid::new(1, 1).unwrap())];
        for map in maps {
            let topology = Topology::of_map(&map).unwrap();
            let split = split_regions(&topology, WITH_PORTALS, 10_000).unwrap();
            check(&topology, &split);
            assert!(split.regions <= topology.node_count());
        }
    }
}
