//! Regions by cutting the largest in two again and again, until a memory limit is reached.
//!
//! After the portal paper (see `counters.rs`). Where regions are to be joined by portals, a least
//! cover of the edges that cross a cut is taken out of the region, and what hangs together without
//! it are the new regions; else the two sides are, piece by piece.
//!
//! Invariants: between two regions there is no edge, if portals are taken out; every node is in one
//! region or a portal. A cut depends on its region and the seed alone, so several can be made at
//! once and ahead of need, and the result is the same whatever the threads.
//!
//! What an index takes need not rise with every cut: of all states on the way the last one that
//! fits is kept.

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

/// How regions are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegionSplitter {
    /// How many paths lead over an edge before it is taken out; see [`PathCounters`].
    pub(crate) limit: u32,
    /// Regions of fewer nodes are not cut.
    pub(crate) least: usize,
    /// The most portals, or regions where there are no portals.
    pub(crate) most: usize,
    /// Whether portals are taken out of regions.
    pub(crate) portals: bool,
    /// What cuts are drawn from.
    pub(crate) seed: u64,
}

/// What there is to count after some cuts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RegionCounts {
    pub(crate) regions: usize,
    pub(crate) portals: usize,
    /// Over all regions, the portals beside it: as a sum, as a sum of squares, and times its nodes.
    pub(crate) sides: u64,
    pub(crate) pairs: u64,
    pub(crate) entries: u64,
    /// Nodes of the largest region.
    pub(crate) largest: usize,
}

/// Where every node of a topology lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionAssignment {
    /// By node its region; `None` for portals.
    pub(crate) of: Vec<Option<u32>>,
    pub(crate) regions: usize,
    /// The portals, ascending.
    pub(crate) portals: Vec<u32>,
}

/// The bytes that an index of some regions takes.
pub(crate) struct IndexBytes<'a> {
    /// All of them.
    pub(crate) whole: &'a (dyn Fn(&RegionCounts) -> u64 + Sync),
    /// Those that no further cut can save.
    pub(crate) floor: &'a (dyn Fn(&RegionCounts) -> u64 + Sync),
    /// What is allowed.
    pub(crate) limit: u64,
}

/// Regions and portals share 16-bit numbers; this many leave some room.
pub(crate) const MAX_NUMBERS: usize = u16::MAX as usize - 64;

/// The most regions that one cut makes; what falls into more pieces, as a star does, has its
/// smallest in one region.
const MAX_PARTS: usize = 32;

/// Cuts that are made at once.
const AHEAD: usize = 8;

impl RegionSplitter {
    /// The finest regions whose index fits, or the fewest bytes that any regions on the way would
    /// take.
    pub(crate) fn grow(
        &self,
        topology: &Topology,
        need: &IndexBytes<'_>,
        progress: &dyn Progress,
    ) -> Result<RegionAssignment, BuildError> {
        let mut growing = SplitState::new(self, topology);
        let mut fitting = None;
        let mut least = u64::MAX;
        loop {
            let floor = (need.floor)(&growing.tally);
            let share = u128::from(floor.min(need.limit)) * 100 / u128::from(need.limit.max(1));
            if let ControlFlow::Break(()) = progress.advance("cutting", share as usize, 100) {
                return Err(BuildError::Cancelled);
            }
            // Nothing fits any more; where nothing ever did, the fewest bytes may be yet to come.
            let is_too_fine = floor > need.limit && (fitting.is_some() || floor >= least);
            let is_last = is_too_fine || !growing.cut();
            // A map that cannot be cut is one region; what others take is asked for after the first
            // cut.
            let whole = (need.whole)(&growing.tally);
            least = least.min(whole);
            if whole <= need.limit {
                fitting = Some(growing.cuts.len());
            }
            if is_last {
                break;
            }
        }
        match fitting {
            Some(cuts) => Ok(growing.after(cuts)),
            None => {
                Err(BuildError::MemoryLimit { needed: least, limit: need.limit, smaller: None })
            }
        }
    }
}

/// A region on the way.
struct PendingRegion {
    /// Ascending.
    nodes: Vec<u32>,
    /// How many portals lie beside it.
    beside: u64,
    cut: Option<RegionCut>,
}

/// What a cut makes of a region.
struct RegionCut {
    portals: Vec<u32>,
    parts: Vec<Vec<u32>>,
}

/// A cut that was made.
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
    tally: RegionCounts,
}

impl<'a> SplitState<'a> {
    fn new(config: &'a RegionSplitter, topology: &'a Topology) -> Self {
        let nodes = topology.node_count();
        let mut growing = Self {
            config,
            topology,
            regions: Vec::new(),
            open: BinaryHeap::new(),
            is_portal: vec![false; nodes],
            cuts: Vec::new(),
            tally: RegionCounts::default(),
        };
        growing.add((0..nodes as u32).collect());
        growing.tally.largest = nodes;
        growing
    }

    fn is_done(&self) -> bool {
        self.open.is_empty() || self.tally.regions + self.tally.portals >= MAX_NUMBERS
    }

    fn add(&mut self, nodes: Vec<u32>) {
        let beside = self.portals_beside(&nodes);
        self.tally.regions += 1;
        self.tally.sides += beside;
        self.tally.pairs += beside * beside;
        self.tally.entries += beside * nodes.len() as u64;
        if nodes.len() >= self.config.least.max(2) {
            self.open.push((nodes.len(), Reverse(self.regions.len())));
        }
        self.regions.push(PendingRegion { nodes, beside, cut: None });
    }

    fn portals_beside(&self, nodes: &[u32]) -> u64 {
        let heads = nodes.iter().flat_map(|&node| self.topology.neighbours(node));
        let mut beside: Vec<u32> =
            heads.copied().filter(|&head| self.is_portal[head as usize]).collect();
        beside.sort_unstable();
        beside.dedup();
        beside.len() as u64
    }

    /// Cuts the largest region; false where there is none to cut.
    fn cut(&mut self) -> bool {
        if self.is_done() {
            return false;
        }
        let Some(&(_, Reverse(region))) = self.open.peek() else { return false };
        if self.regions[region].cut.is_none() {
            self.cut_ahead();
        }
        let places = self.tally.regions + self.tally.portals;
        let Some(cut) = self.regions[region].cut.take() else { return false };
        let counted = match self.config.portals {
            true => self.tally.portals + cut.portals.len(),
            false => self.tally.regions + cut.parts.len(),
        };
        let is_too_much = places + cut.parts.len() + cut.portals.len() > MAX_NUMBERS;
        if is_too_much || counted > self.config.most {
            return false;
        }
        self.open.pop();
        let (nodes, beside) =
            (self.regions[region].nodes.len() as u64, self.regions[region].beside);
        self.tally.regions -= 1;
        self.tally.sides -= beside;
        self.tally.pairs -= beside * beside;
        self.tally.entries -= beside * nodes;
        self.tally.portals += cut.portals.len();
        cut.portals.iter().for_each(|&portal| self.is_portal[portal as usize] = true);
        let first_part = self.regions.len();
        cut.parts.into_iter().for_each(|part| self.add(part));
        let end_part = self.regions.len();
        self.cuts.push(AppliedCut { region, portals: cut.portals, first_part, end_part });
        self.tally.largest = self.open.peek().map_or(self.config.least, |&(size, _)| size);
        true
    }

    /// Makes the cuts of the largest regions that have none yet.
    fn cut_ahead(&mut self) {
        let mut looked_at = Vec::new();
        let mut chosen = Vec::new();
        while let Some(entry) = self.open.pop() {
            looked_at.push(entry);
            let (_, Reverse(region)) = entry;
            if self.regions[region].cut.is_none() {
                chosen.push(region);
            }
            if chosen.len() == AHEAD || looked_at.len() == 4 * AHEAD {
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

    /// Where everything lay after so many cuts.
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
        let share = (self.limit as usize * USUAL / nodes.max(USUAL)) as u32;
        share.clamp(self.limit.min(2), self.limit)
    }

    /// What hangs together without the cover, or on one side.
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

    fn grow(
        topology: &Topology,
        growth: RegionSplitter,
        limit: u64,
    ) -> Result<RegionAssignment, BuildError> {
        let whole = |tally: &RegionCounts| (tally.portals * tally.portals + tally.regions) as u64;
        growth.grow(topology, &IndexBytes { whole: &whole, floor: &whole, limit }, &())
    }

    const WITH_PORTALS: RegionSplitter =
        RegionSplitter { limit: 12, least: 16, most: 4096, portals: true, seed: 1 };

    fn check(topology: &Topology, grown: &RegionAssignment) {
        assert!(grown.portals.is_sorted());
        for node in 0..topology.node_count() as u32 {
            let here = grown.of[node as usize];
            assert_eq!(here.is_none(), grown.portals.binary_search(&node).is_ok());
            for &head in topology.neighbours(node) {
                let there = grown.of[head as usize];
                assert!(here == there || here.is_none() || there.is_none(), "{node} - {head}");
            }
        }
    }

    #[test]
    fn no_edge_joins_two_regions() {
        let topology = rooms();
        for limit in [100, 1000, 10_000] {
            let grown = grow(&topology, WITH_PORTALS, limit).unwrap();
            check(&topology, &grown);
            let taken = (grown.portals.len() * grown.portals.len() + grown.regions) as u64;
            assert!(taken <= limit && taken * 2 >= limit.min(8000), "{taken} of {limit}");
        }
    }

    #[test]
    fn sides_without_portals_hold_all_nodes() {
        let topology = rooms();
        let grown = grow(&topology, RegionSplitter { portals: false, ..WITH_PORTALS }, 50).unwrap();
        assert!((40..=50).contains(&grown.regions) && grown.portals.is_empty());
        assert!(grown.of.iter().all(Option::is_some));
    }

    #[test]
    fn threads_do_not_matter() {
        let topology = rooms();
        let one = in_threads(1, || grow(&topology, WITH_PORTALS, 5000).unwrap()).unwrap();
        let three = in_threads(3, || grow(&topology, WITH_PORTALS, 5000).unwrap()).unwrap();
        assert_eq!(one, three);
    }

    #[test]
    fn a_limit_that_is_too_low_is_told_with_one_that_will_do() {
        let topology = rooms();
        let Err(BuildError::MemoryLimit { needed, limit: 1, .. }) =
            grow(&topology, WITH_PORTALS, 1)
        else {
            panic!("nothing fits into so little")
        };
        assert!(grow(&topology, WITH_PORTALS, needed).is_ok());
    }

    #[test]
    fn what_is_needed_is_the_least_of_all_states() {
        let topology = rooms();
        // Large regions are dear, as where every node has an entry for its region's portals.
        let floor = |tally: &RegionCounts| (tally.portals * tally.portals) as u64;
        let whole = |tally: &RegionCounts| floor(tally) + 10 * tally.largest as u64;
        let needed = |limit| {
            let need = IndexBytes { whole: &whole, floor: &floor, limit };
            match WITH_PORTALS.grow(&topology, &need, &()) {
                Err(BuildError::MemoryLimit { needed, .. }) => Some(needed),
                _ => None,
            }
        };
        let least = needed(1).unwrap();
        assert_eq!((needed(least - 1), needed(least)), (Some(least), None));
    }

    #[test]
    fn no_more_portals_or_regions_than_wanted() {
        let topology = rooms();
        let grown = grow(&topology, RegionSplitter { most: 30, ..WITH_PORTALS }, 10_000).unwrap();
        assert!((15..=30).contains(&grown.portals.len()), "{}", grown.portals.len());
        let uncut = grow(&topology, RegionSplitter { most: 0, ..WITH_PORTALS }, 10_000).unwrap();
        assert_eq!((uncut.regions, uncut.portals.len()), (1, 0));
        let sides = RegionSplitter { portals: false, most: 9, ..WITH_PORTALS };
        assert!((5..=9).contains(&grow(&topology, sides, 10_000).unwrap().regions));
    }

    #[test]
    fn stars_and_islands_and_single_nodes_have_regions() {
        let mut star = GraphBuilder::new(500).unwrap();
        (1..500).for_each(|leaf| star.add_two_way(0, leaf, 1).unwrap());
        let islands = Grid::from_fn(40, 40, |x, y| x % 3 > 0 && y % 3 > 0).unwrap();
        let maps = [star.build().into(), islands.into(), Map::from(Grid::new(1, 1).unwrap())];
        for map in maps {
            let topology = Topology::of_map(&map).unwrap();
            let grown = grow(&topology, WITH_PORTALS, 10_000).unwrap();
            check(&topology, &grown);
            assert!(grown.regions <= topology.node_count());
        }
    }
}
