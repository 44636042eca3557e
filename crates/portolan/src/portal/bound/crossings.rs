//! How paths between two portals of a region cross the region.
//!
//! Two bits for each ordered pair of portals of a region: whether a shortest path leads directly
//! through the region, so that it can be refined there, and from which end a search for it expands
//! fewer nodes.

use super::layout::PortalLayout;
use super::region_with_portals::RegionWithPortals;
use crate::build::{BuildError, Progress};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Endpoints, Graph};
use crate::heuristic::Geometric;
use crate::search::{Counter, Observer, Scratch, astar};
use crate::store::Longs;
use crate::true_distance::matrix::DistanceMatrix;
use crate::true_distance::searches::search_all;

/// Two bits for each ordered pair of portals of each region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crossings {
    /// By region, its first pair. The last entry is the number of pairs.
    first: Vec<u64>,
    /// Bit 2n: a shortest path of pair n leads through the region. Bit 2n + 1: search for it from
    /// its end.
    bits: Longs,
}

impl Crossings {
    pub(super) fn find(
        graph: &impl Graph,
        layout: &PortalLayout,
        direct: &[Vec<Cost>],
        distances: &DistanceMatrix,
        base: &Geometric,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let first = Self::first(layout);
        let (found, _) =
            search_all(direct.len(), "hops", progress, |scratch: &mut Scratch, region| {
                let region = RegionSearches { graph, layout, base, region: region as u32 };
                (region.crossings(&direct[region.region as usize], distances, scratch), false)
            })?;
        let mut bits = vec![0u64; Self::words(&first)];
        for (pair, crossing) in found.into_iter().flatten().enumerate() {
            let code = match crossing {
                None => 0,
                Some(Direction::Forward) => 1,
                Some(Direction::Backward) => 3,
            };
            bits[pair / 32] |= code << (pair % 32 * 2);
        }
        Ok(Self { first, bits: bits.into() })
    }

    /// From stored bits. `None` if their number does not match the layout.
    pub(super) fn from_bits(layout: &PortalLayout, bits: Longs) -> Option<Self> {
        let first = Self::first(layout);
        (Self::words(&first) == bits.len()).then_some(Self { first, bits })
    }

    pub(super) fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The direction of the search for a path between two portals of a region, given as indices
    /// into its list of `portals` portals. `None` if no shortest path leads directly through the
    /// region.
    #[inline(always)]
    pub(crate) fn direction(
        &self,
        region: u32,
        portals: usize,
        from: usize,
        to: usize,
    ) -> Option<Direction> {
        let pair = self.first[region as usize] as usize + from * portals + to;
        match self.bits[pair / 32] >> (pair % 32 * 2) & 3 {
            1 => Some(Direction::Forward),
            3 => Some(Direction::Backward),
            _ => None,
        }
    }

    /// The size in bytes for this number of regions and pairs.
    pub(super) fn bytes(regions: usize, pairs: u64) -> u64 {
        8 * (regions as u64 + 1) + pairs.div_ceil(32) * 8
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.first) + self.bits.memory_bytes()
    }

    fn first(layout: &PortalLayout) -> Vec<u64> {
        let mut first = vec![0];
        let mut sum = 0;
        for list in layout.portal_lists() {
            sum += (list.len() * list.len()) as u64;
            first.push(sum);
        }
        first
    }

    fn words(first: &[u64]) -> usize {
        first.last().map_or(0, |&pairs| pairs.div_ceil(32) as usize)
    }
}

/// Searches through one region.
pub(crate) struct RegionSearches<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) layout: &'a PortalLayout,
    pub(crate) base: &'a Geometric,
    pub(crate) region: u32,
}

impl<G: Graph> RegionSearches<'_, G> {
    /// The direction for each pair of portals, row by row.
    fn crossings(
        &self,
        direct: &[Cost],
        distances: &DistanceMatrix,
        scratch: &mut Scratch,
    ) -> Vec<Option<Direction>> {
        let list = self.layout.portals_of(self.region);
        let undirected = self.graph.is_undirected();
        let mut crossings = Vec::with_capacity(direct.len());
        for (row, &from) in list.iter().enumerate() {
            for (column, &to) in list.iter().enumerate() {
                let cost = direct[row * list.len() + column];
                let is_shortest = from != to
                    && cost != UNREACHABLE
                    && cost == distances.between(from.into(), to.into());
                crossings.push(match is_shortest {
                    false => None,
                    // On undirected maps, the path back has the same search, from the same end.
                    true if undirected && column < row => {
                        match crossings[column * list.len() + row] {
                            Some(Direction::Forward) => Some(Direction::Backward),
                            _ => Some(Direction::Forward),
                        }
                    }
                    true => {
                        let ends = (self.layout.node(from), self.layout.node(to));
                        let backward = self.effort(ends, Direction::Backward, scratch);
                        let forward = self.effort(ends, Direction::Forward, scratch);
                        let is_backward = backward < forward;
                        Some(if is_backward { Direction::Backward } else { Direction::Forward })
                    }
                });
            }
        }
        crossings
    }

    /// The number of nodes that a search between two portals expands.
    fn effort(&self, ends: Endpoints, direction: Direction, scratch: &mut Scratch) -> u64 {
        let mut counter = Counter::default();
        // The path is known to exist, so the search does not fail.
        let _ = self.search(ends, direction, scratch, &mut counter);
        counter.expanded
    }

    /// Searches for a path from one portal to another through the region. The path is then in
    /// `scratch`; a backward search starts at `to`.
    pub(crate) fn search(
        &self,
        (from, to): Endpoints,
        direction: Direction,
        scratch: &mut Scratch,
        observer: &mut impl Observer,
    ) -> Option<Cost> {
        let ends @ (root, goal) = match direction {
            Direction::Forward => (from, to),
            Direction::Backward => (to, from),
        };
        let Self { graph, layout, base, region } = *self;
        let inside = RegionWithPortals { graph, layout, region, root, only: Some(goal) };
        let mut bound = base.with_end(goal);
        let found = match direction {
            Direction::Forward => astar::find(&inside, scratch, ends, &mut bound, observer),
            Direction::Backward => {
                astar::find(&inside.reversed(), scratch, ends, &mut bound, observer)
            }
        };
        found.ok().flatten()
    }
}
