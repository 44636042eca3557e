//! Asking the index.

use super::core::Core;
use super::layers::Layers;
use super::resolve::Resolver;
use crate::cost::Cost;
use crate::engine::EndpointError;
use crate::graph::NodeId;
use crate::heuristic::{Bounds, Geometric, Heuristic};
use crate::map::{Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, Searching, TwoSided, astar, check_node, reaches};

/// A query on a [`Ppa`](super::Ppa) with a lower bound of the caller's choice.
pub struct PpaQuery<'a, H> {
    core: &'a Core,
    heuristic: &'a H,
    bidirectional: bool,
    one_sided: Scratch,
    two_sided: TwoSided,
    hops: Vec<NodeId>,
    path: Vec<NodeId>,
}

impl<'a, H: Heuristic> PpaQuery<'a, H> {
    pub(super) fn new(core: &'a Core, heuristic: &'a H, bidirectional: bool) -> Self {
        Self {
            core,
            heuristic,
            bidirectional,
            one_sided: Scratch::default(),
            two_sided: TwoSided::default(),
            hops: Vec::new(),
            path: Vec::new(),
        }
    }
}

impl<H: Heuristic> Searching for PpaQuery<'_, H> {
    fn map(&self) -> &Map {
        &self.core.map
    }

    fn search(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        on_graph!(&self.core.map, graph => check_node(graph, from).and(check_node(graph, to)))?;
        let Some(layers) = Layers::new(self.core, from, to) else { return Ok(None) };
        let (ends, heuristic) = ((from, to), self.heuristic);
        let found = if self.bidirectional {
            self.two_sided.find(&layers, ends, heuristic, observer)?
        } else {
            astar::find(
                &layers,
                &mut self.one_sided,
                ends,
                &mut heuristic.ahead(from, to),
                observer,
            )?
        };
        let heavy = || self.core.subgraphs.iter().any(|subgraph| subgraph.heavy);
        // Only tables on demand, of which nobody knows how heavy they are, ask the map without need; components,
        // which it finds once, tell most of them apart.
        if found.is_none()
            && heavy()
            && self.core.map.may_reach(from, to)
            && on_graph!(&self.core.map, graph => reaches(graph, from, to))
        {
            return Err(EndpointError::CostOverflow { from, to });
        }
        Ok(found)
    }

    /// Fills in the hops that the search has found.
    fn route(&mut self, to: NodeId, cost: Cost) -> Route<'_> {
        if self.bidirectional {
            self.two_sided.path_into(&mut self.hops);
        } else {
            self.one_sided.path_into(to, &mut self.hops);
        }
        self.path.clear();
        self.path.extend(self.hops.first());
        on_graph!(&self.core.map, graph => {
            let resolver = Resolver::new(self.core, graph);
            for hop in self.hops.windows(2) {
                resolver.hop(hop[0], hop[1], &mut self.path);
            }
        });
        Route::complete(&self.core.map, cost, &self.path)
    }
}

/// A query on a [`Ppa`](super::Ppa) with the bounds that it was built with: searches are compiled for geometric ones alone
/// and for any others.
pub enum PpaBoundsQuery<'a> {
    /// There is no stored bound.
    Geometric(PpaQuery<'a, Geometric>),
    /// There are some.
    Stored(PpaQuery<'a, Bounds>),
}

/// Runs the same code on either.
macro_rules! on_query {
    ($query:expr, $inner:ident => $body:expr) => {
        match $query {
            PpaBoundsQuery::Geometric($inner) => $body,
            PpaBoundsQuery::Stored($inner) => $body,
        }
    };
}

impl Searching for PpaBoundsQuery<'_> {
    fn map(&self) -> &Map {
        on_query!(self, query => Searching::map(query))
    }

    fn search(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        on_query!(self, query => query.search(from, to, observer))
    }

    fn route(&mut self, to: NodeId, cost: Cost) -> Route<'_> {
        on_query!(self, query => query.route(to, cost))
    }
}
