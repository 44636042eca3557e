//! The lower bound, with its run-time optimisations.
//!
//! For a node in region A and a node b in region B, the bound is the minimum, over the portals p of
//! A and q of B, of the bound to p, the distance from p to q, and the bound from q to b. For fixed
//! b, the last two depend only on p, and are cached for each p (`remaining`). The relevant portals
//! of each region that the search visits are cached too.
//!
//! A portal p of A is irrelevant on paths to B if, for every portal q of B, a shortest path from p
//! to q leads over another relevant portal of A. A path over p is then no shorter than one over the
//! other portal, whose bound is not larger. Portals are removed one after the other, so of two
//! portals that replace each other one remains.

use super::layout::NOT_USABLE;
use super::tables::PortalTables;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::heuristic::{Geometric, LowerBound, Position};

/// The portal heuristic with one end fixed.
pub(crate) struct PortalBound<'a> {
    portals: &'a PortalTables,
    base: &'a Geometric,
    end: Position,
    /// The number of the fixed end's region or portal.
    end_number: u32,
    /// Forward: the fixed end is the goal. Backward: it is the start.
    direction: Direction,
    /// The portals of the fixed end's region, with the bounds between them and the end. If the end
    /// is a portal, only that portal.
    end_portals: Vec<(u16, Cost)>,
    /// By portal, the bound on the remaining cost, without the geometric bound. Computed on first
    /// use.
    remaining: Vec<u64>,
    /// By region, the range of its portals in `relevant`.
    ranges: Vec<(u32, u32)>,
    /// Positions and remaining costs of relevant portals.
    relevant: Vec<(Position, u64)>,
}

/// The remaining cost from a portal before its first use.
const UNKNOWN: u64 = u64::MAX;
/// The remaining cost from a portal that has no path to the fixed end.
const NO_PATH: u64 = u64::MAX - 1;

/// The range of a region before its first use.
const UNKNOWN_RANGE: (u32, u32) = (u32::MAX, u32::MAX);

/// Irrelevant portals are searched only if that takes at most this many comparisons.
const MAX_COMPARISONS: usize = 4096;

impl<'a> PortalBound<'a> {
    pub(crate) fn new(
        portals: &'a PortalTables,
        base: &'a Geometric,
        end: NodeId,
        direction: Direction,
    ) -> Self {
        let layout = &portals.layout;
        let (end_number, position) = (layout.number(end), base.position(end));
        let end_portals = match end_number.checked_sub(layout.regions()) {
            _ if end_number == NOT_USABLE => Vec::new(),
            Some(portal) => vec![(portal as u16, 0)],
            None => {
                let bound = |portal| base.between(base.position(layout.node(portal)), position);
                let list = layout.portals_of(end_number).iter();
                list.map(|&portal| (portal, bound(portal))).collect()
            }
        };
        Self {
            portals,
            base,
            end: position,
            end_number,
            direction,
            end_portals,
            remaining: vec![UNKNOWN; layout.portals()],
            ranges: vec![UNKNOWN_RANGE; layout.regions() as usize],
            relevant: Vec::new(),
        }
    }

    fn remaining(&mut self, portal: u16) -> u64 {
        let known = self.remaining[usize::from(portal)];
        if known != UNKNOWN {
            return known;
        }
        let sums = self.end_portals.iter().filter_map(|&(end_portal, rest)| {
            let between = self.portals.between(portal, end_portal, self.direction);
            (between != UNREACHABLE).then(|| u64::from(between) + u64::from(rest))
        });
        let least = sums.min().unwrap_or(NO_PATH);
        self.remaining[usize::from(portal)] = least;
        least
    }

    /// The relevant portals of a region, as a range of `relevant`.
    fn relevant(&mut self, region: u32) -> (u32, u32) {
        let known = self.ranges[region as usize];
        if known != UNKNOWN_RANGE {
            return known;
        }
        let mut list = self.portals.layout.portals_of(region).to_vec();
        if list.len() * list.len() * self.end_portals.len() <= MAX_COMPARISONS {
            let mut at = 0;
            while at < list.len() {
                if self.is_irrelevant(list[at], &list) {
                    list.remove(at);
                } else {
                    at += 1;
                }
            }
        }
        let first = self.relevant.len() as u32;
        for portal in list {
            let remaining = self.remaining(portal);
            if remaining != NO_PATH {
                let position = self.base.position(self.portals.layout.node(portal));
                self.relevant.push((position, remaining));
            }
        }
        let range = (first, self.relevant.len() as u32);
        self.ranges[region as usize] = range;
        range
    }

    fn is_irrelevant(&self, portal: u16, others: &[u16]) -> bool {
        let distance = |from, to| u64::from(self.portals.between(from, to, self.direction));
        self.end_portals.iter().all(|&(end_portal, _)| {
            let direct = distance(portal, end_portal);
            direct == u64::from(UNREACHABLE)
                || others.iter().any(|&other| {
                    other != portal
                        && distance(portal, other) + distance(other, end_portal) == direct
                })
        })
    }
}

impl LowerBound for PortalBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let here = self.base.position(node);
        let straight = self.base.between(here, self.end);
        let regions = self.portals.layout.regions();
        let number = self.portals.layout.number(node);
        if number == self.end_number || number == NOT_USABLE || self.portals.overflowed {
            return Some(straight);
        }
        let least = if number >= regions {
            self.remaining((number - regions) as u16)
        } else {
            let (first, end) = self.relevant(number);
            let relevant = &self.relevant[first as usize..end as usize];
            let sums = relevant.iter().map(|&(position, remaining)| {
                u64::from(self.base.between(here, position)) + remaining
            });
            sums.min().unwrap_or(NO_PATH)
        };
        if least == NO_PATH {
            return None;
        }
        Some(straight.max(least.min(UNREACHABLE.into()) as Cost))
    }
}
