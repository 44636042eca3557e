//! A query of `perfect-portal`.

use super::PerfectPortal;
use super::within_region::{RegionOrPortals, WithinBound};
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::CostAnswer;
use crate::graph::{Direction, Endpoints, Graph, NodeId};
use crate::map::EndpointError;
use crate::portal::descend::descend;
use crate::portal::engine::PortalScratch;
use crate::portal::portal_hops::find_hops;
use crate::search::{Observer, astar, check_ends};

pub(super) struct PerfectQuery<'q, G> {
    pub(super) engine: &'q PerfectPortal,
    pub(super) graph: &'q G,
    pub(super) ends: Endpoints,
    pub(super) with_path: bool,
}

/// The access of a start or goal to portals: the portals of its region, and their distances.
struct PortalAccess<'a> {
    /// `None` if the node is a portal.
    region: Option<u32>,
    /// If the node is a portal, that portal.
    portal: [u16; 1],
    /// Otherwise, the portals of the region.
    list: &'a [u16],
    /// By portal, the distance to it or from it.
    costs: &'a [Cost],
}

impl<'a> PortalAccess<'a> {
    /// Forward: from the node to portals. Backward: from portals to the node.
    fn new(engine: &'a PerfectPortal, node: NodeId, direction: Direction) -> Self {
        let layout = &engine.portals.layout;
        let number = layout.number(node);
        match number.checked_sub(layout.regions()) {
            Some(portal) => Self { region: None, portal: [portal as u16], list: &[], costs: &[0] },
            None => Self {
                region: Some(number),
                portal: [0],
                list: layout.portals_of(number),
                costs: engine.method.row(layout, number, node, direction),
            },
        }
    }

    fn list(&self) -> &[u16] {
        if self.region.is_some() { self.list } else { &self.portal }
    }
}

/// The cheapest path over portals: its cost, and its first and last portal as indices into the
/// lists of both ends.
#[derive(Clone, Copy)]
struct PortalPair {
    cost: u64,
    first: usize,
    last: usize,
}

impl<G: Graph> PerfectQuery<'_, G> {
    /// `None` if the tables have no answer.
    pub(super) fn answer(
        &self,
        scratch: &mut PortalScratch,
        observer: &mut impl Observer,
    ) -> Option<CostAnswer> {
        let (from, to) = self.ends;
        match check_ends(self.graph, self.ends) {
            Ok(true) => {}
            Ok(false) => return Some(Ok(None)),
            Err(error) => return Some(Err(error)),
        }
        if from == to {
            scratch.path.push(from);
            return Some(Ok(Some(0)));
        }
        let (start, goal) = (self.start(), self.goal());
        let pair = self.best_pair(&start, &goal);
        let same = start.region.filter(|_| start.region == goal.region);
        if let Some(region) = same {
            return self.answer_within(region, pair, scratch, observer);
        }
        let Some(pair) = pair else { return Some(Ok(None)) };
        let Some(cost) = Cost::try_from(pair.cost).ok().filter(|&cost| cost != UNREACHABLE) else {
            return Some(Err(EndpointError::overflow(self.graph.extent(), from, to)));
        };
        let is_answered = !self.with_path || self.read_path(pair, scratch, observer);
        is_answered.then_some(Ok(Some(cost)))
    }

    fn start(&self) -> PortalAccess<'_> {
        PortalAccess::new(self.engine, self.ends.0, Direction::Forward)
    }

    fn goal(&self) -> PortalAccess<'_> {
        PortalAccess::new(self.engine, self.ends.1, Direction::Backward)
    }

    fn best_pair(&self, start: &PortalAccess<'_>, goal: &PortalAccess<'_>) -> Option<PortalPair> {
        let portals = &self.engine.portals;
        let mut best: Option<PortalPair> = None;
        for (first, (&from, &out)) in start.list().iter().zip(start.costs).enumerate() {
            let least = best.map_or(u64::MAX, |best| best.cost);
            if out == UNREACHABLE || u64::from(out) >= least {
                continue;
            }
            for (last, (&to, &into)) in goal.list().iter().zip(goal.costs).enumerate() {
                let between = portals.between(from, to, Direction::Forward);
                if into == UNREACHABLE || between == UNREACHABLE {
                    continue;
                }
                let cost = u64::from(out) + u64::from(between) + u64::from(into);
                if best.is_none_or(|best| cost < best.cost) {
                    best = Some(PortalPair { cost, first, last });
                }
            }
        }
        best
    }

    /// Both ends are in one region: the best path over portals, or a search inside the region.
    fn answer_within(
        &self,
        region: u32,
        pair: Option<PortalPair>,
        scratch: &mut PortalScratch,
        observer: &mut impl Observer,
    ) -> Option<CostAnswer> {
        let PerfectPortal { portals, method, base, .. } = self.engine;
        let (layout, ends) = (&portals.layout, self.ends);
        let over_portals =
            pair.map_or(UNREACHABLE, |pair| pair.cost.min(UNREACHABLE.into()) as Cost);
        let graph = RegionOrPortals { graph: self.graph, layout, region, ends, over_portals };
        let mut bound = WithinBound::new(layout, method, base, region, ends);
        let found = astar::find(&graph, &mut scratch.search, ends, &mut bound, observer);
        let overflowed =
            scratch.search.overflowed() || pair.is_some_and(|_| over_portals == UNREACHABLE);
        match found {
            Ok(Some(cost)) if self.with_path => {
                scratch.search.path_into(ends.1, &mut scratch.path);
                if scratch.path.len() > 2 || has_edge(self.graph, ends, cost) {
                    return Some(Ok(Some(cost)));
                }
                scratch.path.clear();
                let is_read = pair.is_some_and(|pair| self.read_path(pair, scratch, observer));
                is_read.then_some(Ok(Some(cost)))
            }
            Ok(None) if overflowed => None,
            Err(_) => None,
            found => Some(found),
        }
    }

    /// Writes the path over a pair of portals. Returns `false` if the tables contradict the map.
    fn read_path(
        &self,
        pair: PortalPair,
        scratch: &mut PortalScratch,
        observer: &mut impl Observer,
    ) -> bool {
        let (from, to) = self.ends;
        let PortalScratch { path, hops, part, .. } = scratch;
        let portals = &self.engine.portals;
        let layout = &portals.layout;
        let (start, goal) = (self.start(), self.goal());
        let (first, last) = (start.list()[pair.first], goal.list()[pair.last]);
        path.clear();
        path.push(from);
        if let Some(region) = start.region {
            let portal = RegionPortal { region, index: pair.first, node: layout.node(first) };
            if !self.follow(from, start.costs[pair.first], portal, path, observer) {
                return false;
            }
        }
        hops.clear();
        if !find_hops(self.graph, portals, first, last, hops) {
            return false;
        }
        for hop in hops.iter() {
            let (here, node) = (layout.node(hop.from), layout.node(hop.to));
            let Some(crossing) = hop.crossing else {
                path.push(node);
                continue;
            };
            let (region, index) = (crossing.region, crossing.to_index.into());
            let portal = RegionPortal { region, index, node };
            let distance = portals.between(hop.from, hop.to, Direction::Forward);
            if !self.follow(here, distance, portal, path, observer) {
                return false;
            }
        }
        let Some(region) = goal.region else { return true };
        part.clear();
        let portal = RegionPortal { region, index: pair.last, node: layout.node(last) };
        let distance = goal.costs[pair.last];
        let is_on_path = self.is_on_path(portal, Direction::Backward);
        let ends = (to, portal.node);
        if !descend(&self.graph.reversed(), ends, distance, part, observer, is_on_path) {
            return false;
        }
        // `path` already has the portal, and `part` does not have the goal.
        path.extend(part.iter().rev().skip(1));
        path.push(to);
        true
    }

    /// Appends the nodes of the path from a node to a portal of its region.
    fn follow(
        &self,
        from: NodeId,
        distance: Cost,
        portal: RegionPortal,
        path: &mut Vec<NodeId>,
        observer: &mut impl Observer,
    ) -> bool {
        let is_on_path = self.is_on_path(portal, Direction::Forward);
        descend(self.graph, (from, portal.node), distance, path, observer, is_on_path)
    }

    /// Whether a node is at this distance from a portal, inside the region.
    fn is_on_path(
        &self,
        portal: RegionPortal,
        direction: Direction,
    ) -> impl Fn(NodeId, Cost) -> bool {
        let PerfectPortal { portals, method, .. } = self.engine;
        let RegionPortal { region, index, node } = portal;
        move |head, rest| {
            if rest == 0 {
                return head == node;
            }
            let layout = &portals.layout;
            layout.number(head) == region
                && method.row(layout, region, head, direction)[index] == rest
        }
    }
}

/// A portal of a region: its index in the region's list, and its node.
#[derive(Clone, Copy)]
struct RegionPortal {
    region: u32,
    index: usize,
    node: NodeId,
}

/// Whether an edge of this weight joins the ends.
fn has_edge(graph: &impl Graph, (from, to): Endpoints, cost: Cost) -> bool {
    let mut has_edge = false;
    graph.out_edges(from, |head, weight| has_edge |= head == to && weight == cost);
    has_edge
}
