//! Asking `portal-search`.

use super::PortalSearch;
use super::collapsed::Collapsed;
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::engine::{CostAnswer, Searching};
use crate::graph::{Graph, NodeId};
use crate::map::on_graph;
use crate::portal::bound::PortalBound;
use crate::portal::bound::tables::cross;
use crate::portal::readoff::Straight;
use crate::portal::refine::{Leg, refine};
use crate::route::Route;
use crate::search::{Observer, Scratch, astar};

/// What a query on a [`PortalSearch`] works in.
#[derive(Default)]
pub(crate) struct PortalScratch {
    search: Scratch,
    /// What step 1 found: nodes of both regions, with a stored distance between two portals that
    /// follow each other.
    outline: Vec<NodeId>,
    legs: Vec<Leg>,
    piece: Vec<NodeId>,
    path: Vec<NodeId>,
}

debug_by_name!("PortalScratch", [] PortalScratch);

/// A question that is being answered.
pub(crate) struct Run<'q> {
    engine: &'q PortalSearch,
    scratch: &'q mut PortalScratch,
}

impl<'q> Run<'q> {
    pub(crate) fn new(engine: &'q PortalSearch, scratch: &'q mut PortalScratch) -> Self {
        Self { engine, scratch }
    }

    /// The cost, and the path in `path` if it is wanted.
    fn find_cost(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        with_path: bool,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PortalSearch { base, portals, .. } = self.engine;
        let layout = &portals.layout;
        if portals.overflowed || !layout.positive() {
            return self.find_on_map(graph, (from, to), observer);
        }
        let collapsed = Collapsed::new(graph, portals, (from, to));
        let mut bound = PortalBound::new(portals, base, to, false);
        let found =
            astar::find(&collapsed, &mut self.scratch.search, (from, to), &mut bound, observer);
        match found {
            Ok(Some(cost)) => {
                let whole = !with_path || self.fill_in(graph, to, observer);
                if whole { Ok(Some(cost)) } else { self.find_on_map(graph, (from, to), observer) }
            }
            // The collapsed graph cannot tell what no cost can hold from what cannot be reached.
            Ok(None) if self.scratch.search.overflowed() => {
                self.find_on_map(graph, (from, to), observer)
            }
            found => found,
        }
    }

    /// A* on the map itself.
    fn find_on_map(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PortalSearch { base, portals, .. } = self.engine;
        let mut bound = PortalBound::new(portals, base, to, false);
        let found = astar::find(graph, &mut self.scratch.search, (from, to), &mut bound, observer)?;
        self.scratch.search.path_into(to, &mut self.scratch.path);
        Ok(found)
    }

    /// Steps 2 and 3; false where the tables contradict the map.
    fn fill_in(&mut self, graph: &impl Graph, to: NodeId, observer: &mut impl Observer) -> bool {
        let PortalSearch { portals, .. } = self.engine;
        let layout = &portals.layout;
        self.scratch.search.path_into(to, &mut self.scratch.outline);
        self.scratch.path.clear();
        self.scratch.path.extend(self.scratch.outline.first());
        for pair in 1..self.scratch.outline.len() {
            let (from, to) = (self.scratch.outline[pair - 1], self.scratch.outline[pair]);
            let portal = |node| layout.number(node).checked_sub(layout.regions());
            let (Some(first), Some(last)) = (portal(from), portal(to)) else {
                self.scratch.path.push(to);
                continue;
            };
            self.scratch.legs.clear();
            if !refine(graph, portals, first as u16, last as u16, &mut self.scratch.legs) {
                return false;
            }
            for at in 0..self.scratch.legs.len() {
                if !self.fill_leg(graph, self.scratch.legs[at], observer) {
                    return false;
                }
            }
        }
        true
    }

    /// Step 3 for one hop.
    fn fill_leg(&mut self, graph: &impl Graph, leg: Leg, observer: &mut impl Observer) -> bool {
        let PortalSearch { base, portals, .. } = self.engine;
        let layout = &portals.layout;
        let ends = (layout.node(leg.from), layout.node(leg.to));
        let Some((region, ..)) = leg.through else {
            self.scratch.path.push(ends.1);
            return true;
        };
        let straight = Straight { layout, base, region, goal: ends.1 };
        let left = portals.between(leg.from, leg.to, false);
        if straight.follow(graph, ends.0, left, &mut self.scratch.path, observer) {
            return true;
        }
        let turned = leg.turned && self.engine.directions();
        let scratch = &mut self.scratch.search;
        if cross(graph, layout, region, ends, turned, base, scratch, observer).is_none() {
            return false;
        }
        scratch.path_into(if turned { ends.0 } else { ends.1 }, &mut self.scratch.piece);
        match turned {
            true => self.scratch.path.extend(self.scratch.piece.iter().rev().skip(1)),
            false => self.scratch.path.extend(self.scratch.piece.iter().skip(1)),
        }
        true
    }
}

impl<'q> Searching<'q> for Run<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.find_cost(graph, (from, to), false, observer))
    }

    fn search_path(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.find_cost(graph, (from, to), true, observer))
    }

    fn route(self, _: NodeId, cost: Cost) -> Route<'q> {
        Route::complete(&self.engine.map, cost, &self.scratch.path)
    }
}
