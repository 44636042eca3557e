//! Queries: A* on the layered graph (`layered_graph.rs`), then the expansion of its hops
//! (`expand_hops.rs`).

mod expand_hops;
mod layered_graph;

use expand_hops::HopExpander;
use layered_graph::LayeredGraph;

use super::engine::Ppa;
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::engine::{CostAnswer, Searching};
use crate::graph::{Endpoints, NodeId};
use crate::heuristic::Heuristic;
use crate::map::{EndpointError, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, TwoSided, astar, check_node, reaches};

/// Scratch space of a query on a [`Ppa`].
#[derive(Default)]
pub(crate) struct PpaScratch {
    one_sided: Scratch,
    two_sided: TwoSided,
    hops: Vec<NodeId>,
    path: Vec<NodeId>,
}

debug_by_name!("PpaScratch", [] PpaScratch);

/// A query in progress.
pub(super) struct PpaSearch<'q> {
    engine: &'q Ppa,
    scratch: &'q mut PpaScratch,
}

impl<'q> PpaSearch<'q> {
    pub(super) fn new(engine: &'q Ppa, scratch: &'q mut PpaScratch) -> Self {
        Self { engine, scratch }
    }

    /// The nodes between the hops of the path that the search has just found.
    pub(super) fn find_hops(&mut self, to: NodeId) -> &[NodeId] {
        let PpaScratch { one_sided, two_sided, hops, .. } = &mut *self.scratch;
        match self.engine.config.bidirectional {
            true => two_sided.path_into(hops),
            false => one_sided.path_into(to, hops),
        }
        hops
    }

    /// Compiled once for geometric bounds alone and once for all others.
    fn guided(
        &mut self,
        layered: &LayeredGraph<'_>,
        (from, to): Endpoints,
        heuristic: &impl Heuristic,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PpaScratch { one_sided, two_sided, .. } = &mut *self.scratch;
        match self.engine.config.bidirectional {
            true => two_sided.find(layered, (from, to), heuristic, observer),
            false => {
                let bound = &mut heuristic.forward(from, to);
                astar::find(layered, one_sided, (from, to), bound, observer)
            }
        }
    }
}

impl<'q> Searching<'q> for PpaSearch<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        let Ppa { index, bounds, .. } = self.engine;
        on_graph!(&index.map, graph => check_node(graph, from).and(check_node(graph, to)))?;
        let Some(layered) = LayeredGraph::new(index, from, to) else { return Ok(None) };
        let found = match bounds.geometric_only() {
            Some(geometric) => self.guided(&layered, (from, to), geometric, observer)?,
            None => self.guided(&layered, (from, to), bounds, observer)?,
        };
        let heavy = || index.subgraphs.iter().any(|subgraph| subgraph.heavy);
        // Tables on demand are always assumed to be heavy, so they query the map without need;
        // components, which are found once, settle most cases.
        if found.is_none()
            && heavy()
            && index.map.may_reach(from, to)
            && on_graph!(&index.map, graph => reaches(graph, from, to))
        {
            return Err(EndpointError::overflow(index.map.extent(), from, to));
        }
        Ok(found)
    }

    /// Expands the hops that the search found.
    fn route(mut self, to: NodeId, cost: Cost) -> Route<'q> {
        let Ppa { index, .. } = self.engine;
        self.find_hops(to);
        let PpaScratch { hops, path, .. } = self.scratch;
        path.clear();
        path.extend(hops.first());
        on_graph!(&index.map, graph => {
            let expander = HopExpander::new(index, graph);
            for hop in hops.windows(2) {
                expander.expand(hop[0], hop[1], path);
            }
        });
        Route::complete(&index.map, cost, path)
    }
}
