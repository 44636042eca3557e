//! The bound itself, with its run-time optimisations.
//!
//! From a node of region A to a node b of region B: the least, over the portals p beside A and q
//! beside B, of the bound to p, the distance from p to q, and the bound from q to b. The latter two
//! depend on p alone once b is known and are kept for each p (`onward`); so is, for each region
//! that the search comes to, the list of its portals that matter.
//!
//! A portal p of A does not matter on the way to B where for every portal q of B a shortest way
//! from p to q leads through another portal of A that matters: a path by way of p is then no
//! shorter than one by way of the other, whose bound is not above it. Portals are struck off one
//! after the other, so of two that stand for each other one stays.

use super::layout::NOWHERE;
use super::tables::Portals;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::heuristic::{Geometric, LowerBound, Position};

/// Lower bounds by way of portals, with one end fixed.
pub(crate) struct PortalBound<'a> {
    portals: &'a Portals,
    base: &'a Geometric,
    end: Position,
    /// The number of the fixed end's region or portal.
    home: u32,
    /// Whether the fixed end is where paths start.
    turned: bool,
    /// The portals beside the fixed end, each with the bound between them; the end itself where it
    /// is a portal.
    gates: Vec<(u16, Cost)>,
    /// By portal what is left from there: a bound that the base is not above.
    onward: Vec<u64>,
    /// By region the first and the end of its portals in `relevant`.
    ranges: Vec<(u32, u32)>,
    relevant: Vec<(Position, u64)>,
}

/// What is left from a portal that nobody asked about yet, and from one that no way leads on from.
const UNKNOWN: u64 = u64::MAX;
const NEVER: u64 = u64::MAX - 1;

const UNSEEN: (u32, u32) = (u32::MAX, u32::MAX);

/// Portals are struck off only where that is no more work than this.
const MOST_LOOKS: usize = 4096;

impl<'a> PortalBound<'a> {
    pub(crate) fn new(
        portals: &'a Portals,
        base: &'a Geometric,
        end: NodeId,
        turned: bool,
    ) -> Self {
        let layout = &portals.layout;
        let (home, spot) = (layout.number(end), base.position(end));
        let gates = match home.checked_sub(layout.regions()) {
            _ if home == NOWHERE => Vec::new(),
            Some(portal) => vec![(portal as u16, 0)],
            None => {
                let list = layout.beside.list(home as usize).iter();
                list.map(|&gate| (gate, base.between(base.position(layout.node(gate)), spot)))
                    .collect()
            }
        };
        Self {
            portals,
            base,
            end: spot,
            home,
            turned,
            gates,
            onward: vec![UNKNOWN; layout.portals()],
            ranges: vec![UNSEEN; layout.regions() as usize],
            relevant: Vec::new(),
        }
    }

    /// What is left from a portal, at least; the base does not count.
    fn onward(&mut self, portal: u16) -> u64 {
        let known = self.onward[usize::from(portal)];
        if known != UNKNOWN {
            return known;
        }
        let least = self.gates.iter().filter_map(|&(gate, rest)| {
            let way = self.portals.between(portal, gate, self.turned);
            (way != UNREACHABLE).then(|| u64::from(way) + u64::from(rest))
        });
        let least = least.min().unwrap_or(NEVER);
        self.onward[usize::from(portal)] = least;
        least
    }

    /// The portals of a region that matter, as a range of `relevant`.
    fn relevant(&mut self, region: u32) -> (u32, u32) {
        let known = self.ranges[region as usize];
        if known != UNSEEN {
            return known;
        }
        let layout = &self.portals.layout;
        let mut list = layout.beside.list(region as usize).to_vec();
        if list.len() * list.len() * self.gates.len() <= MOST_LOOKS {
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
            let onward = self.onward(portal);
            if onward != NEVER {
                let spot = self.base.position(self.portals.layout.node(portal));
                self.relevant.push((spot, onward));
            }
        }
        let range = (first, self.relevant.len() as u32);
        self.ranges[region as usize] = range;
        range
    }

    fn is_irrelevant(&self, portal: u16, others: &[u16]) -> bool {
        let way = |from, to| u64::from(self.portals.between(from, to, self.turned));
        self.gates.iter().all(|&(gate, _)| {
            let straight = way(portal, gate);
            straight == u64::from(UNREACHABLE)
                || others.iter().any(|&other| {
                    other != portal && way(portal, other) + way(other, gate) == straight
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
        if number == self.home || number == NOWHERE || self.portals.overflowed {
            return Some(straight);
        }
        let least = if number >= regions {
            self.onward((number - regions) as u16)
        } else {
            let (first, end) = self.relevant(number);
            let relevant = &self.relevant[first as usize..end as usize];
            let whole = relevant
                .iter()
                .map(|&(spot, onward)| u64::from(self.base.between(here, spot)) + onward);
            whole.min().unwrap_or(NEVER)
        };
        if least == NEVER {
            return None;
        }
        Some(straight.max(least.min(UNREACHABLE.into()) as Cost))
    }
}
