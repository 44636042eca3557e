//! Asking `portal-search`.

use super::collapsed::Collapsed;
use super::engine::PortalSearch;
use super::readoff::Straight;
use super::refine::{Leg, refine};
use crate::cost::Cost;
use crate::engine::EndpointError;
use crate::graph::{Graph, NodeId};
use crate::heuristic::portal::PortalBound;
use crate::heuristic::portal::tables::cross;
use crate::map::{Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, Searching, astar};

/// A query on a [`PortalSearch`].
pub struct PortalQuery<'a> {
    engine: &'a PortalSearch,
    scratch: Scratch,
    /// What step 1 found: nodes of both regions, with a stored distance between two portals that follow each other.
    outline: Vec<NodeId>,
    legs: Vec<Leg>,
    piece: Vec<NodeId>,
    path: Vec<NodeId>,
}

type Found = Result<Option<Cost>, EndpointError>;

impl<'a> PortalQuery<'a> {
    pub(super) fn new(engine: &'a PortalSearch) -> Self {
        Self {
            engine,
            scratch: Scratch::default(),
            outline: Vec::new(),
            legs: Vec::new(),
            piece: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The cost, and the path in `path` if it is wanted.
    fn find(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        with_path: bool,
        observer: &mut impl Observer,
    ) -> Found {
        let PortalSearch { base, portals, .. } = self.engine;
        let layout = &portals.layout;
        if portals.heavy || !layout.positive() {
            return self.find_on_map(graph, (from, to), observer);
        }
        let collapsed = Collapsed::new(graph, portals, (from, to));
        let mut bound = PortalBound::new(portals, base, to, false);
        let found = astar::find(&collapsed, &mut self.scratch, (from, to), &mut bound, observer);
        match found {
            Ok(Some(cost)) => {
                let whole = !with_path || self.fill_in(graph, to, observer);
                if whole { Ok(Some(cost)) } else { self.find_on_map(graph, (from, to), observer) }
            }
            // The collapsed graph cannot tell what no cost can hold from what cannot be reached.
            Ok(None) if self.scratch.overflowed() => self.find_on_map(graph, (from, to), observer),
            found => found,
        }
    }

    /// A* on the map itself.
    fn find_on_map(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> Found {
        let PortalSearch { base, portals, .. } = self.engine;
        let mut bound = PortalBound::new(portals, base, to, false);
        let found = astar::find(graph, &mut self.scratch, (from, to), &mut bound, observer)?;
        self.scratch.path_into(to, &mut self.path);
        Ok(found)
    }

    /// Steps 2 and 3; false where the tables contradict the map.
    fn fill_in(&mut self, graph: &impl Graph, to: NodeId, observer: &mut impl Observer) -> bool {
        let PortalSearch { portals, .. } = self.engine;
        let layout = &portals.layout;
        self.scratch.path_into(to, &mut self.outline);
        self.path.clear();
        self.path.extend(self.outline.first());
        for pair in 1..self.outline.len() {
            let (from, to) = (self.outline[pair - 1], self.outline[pair]);
            let portal = |node| layout.number(node).checked_sub(layout.regions());
            let (Some(first), Some(last)) = (portal(from), portal(to)) else {
                self.path.push(to);
                continue;
            };
            self.legs.clear();
            if !refine(graph, portals, first as u16, last as u16, &mut self.legs) {
                return false;
            }
            for at in 0..self.legs.len() {
                if !self.fill_leg(graph, self.legs[at], observer) {
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
            self.path.push(ends.1);
            return true;
        };
        let straight = Straight { layout, base, region, goal: ends.1 };
        let left = portals.between(leg.from, leg.to, false);
        if straight.follow(graph, ends.0, left, &mut self.path, observer) {
            return true;
        }
        let turned = leg.turned && self.engine.directions();
        let scratch = &mut self.scratch;
        if cross(graph, layout, region, ends, turned, base, scratch, observer).is_none() {
            return false;
        }
        scratch.path_into(if turned { ends.0 } else { ends.1 }, &mut self.piece);
        match turned {
            true => self.path.extend(self.piece.iter().rev().skip(1)),
            false => self.path.extend(self.piece.iter().skip(1)),
        }
        true
    }
}

impl Searching for PortalQuery<'_> {
    fn map(&self) -> &Map {
        &self.engine.map
    }

    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> Found {
        on_graph!(&self.engine.map, graph => self.find(graph, (from, to), false, observer))
    }

    fn search_path(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> Found {
        on_graph!(&self.engine.map, graph => self.find(graph, (from, to), true, observer))
    }

    fn route(&mut self, _: NodeId, cost: Cost) -> Route<'_> {
        Route::complete(&self.engine.map, cost, &self.path)
    }
}
