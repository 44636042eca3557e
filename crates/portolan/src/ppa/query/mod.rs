//! Asking the index.

mod expand_hops;
mod layered_graph;

use expand_hops::HopExpander;
use layered_graph::LayeredGraph;

use super::engine::Ppa;
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::engine::{CostAnswer, Searching};
use crate::graph::NodeId;
use crate::heuristic::Heuristic;
use crate::map::{EndpointError, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, TwoSided, astar, check_node, reaches};

/// What a query on a [`Ppa`] works in.
#[derive(Default)]
pub(crate) struct PpaScratch {
    one_sided: Scratch,
    two_sided: TwoSided,
    hops: Vec<NodeId>,
    path: Vec<NodeId>,
}

debug_by_name!("PpaScratch", [] PpaScratch);

/// A question that is being answered.
pub(super) struct PpaSearch<'q> {
    engine: &'q Ppa,
    scratch: &'q mut PpaScratch,
}

impl<'q> PpaSearch<'q> {
    pub(super) fn new(engine: &'q Ppa, scratch: &'q mut PpaScratch) -> Self {
        Self { engine, scratch }
    }

    /// Compiled for geometric bounds alone and for any others.
    fn guided(
        &mut self,
        layers: &LayeredGraph<'_>,
        (from, to): (NodeId, NodeId),
        heuristic: &impl Heuristic,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PpaScratch { one_sided, two_sided, .. } = &mut *self.scratch;
        match self.engine.config.bidirectional {
            true => two_sided.find(layers, (from, to), heuristic, observer),
            false => {
                let bound = &mut heuristic.forward(from, to);
                astar::find(layers, one_sided, (from, to), bound, observer)
            }
        }
    }
}

impl<'q> Searching<'q> for PpaSearch<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        let Ppa { index, bounds, .. } = self.engine;
        on_graph!(&index.map, graph => check_node(graph, from).and(check_node(graph, to)))?;
        let Some(layers) = LayeredGraph::new(index, from, to) else { return Ok(None) };
        let found = match bounds.geometric_only() {
            Some(geometric) => self.guided(&layers, (from, to), geometric, observer)?,
            None => self.guided(&layers, (from, to), bounds, observer)?,
        };
        let heavy = || index.subgraphs.iter().any(|subgraph| subgraph.heavy);
        // Only tables on demand, of which nobody knows how heavy they are, ask the map without
        // need; components, which it finds once, tell most of them apart.
        if found.is_none()
            && heavy()
            && index.map.may_reach(from, to)
            && on_graph!(&index.map, graph => reaches(graph, from, to))
        {
            return Err(EndpointError::overflow(index.map.extent(), from, to));
        }
        Ok(found)
    }

    /// Fills in the hops that the search has found.
    fn route(self, to: NodeId, cost: Cost) -> Route<'q> {
        let Ppa { index, config, .. } = self.engine;
        let PpaScratch { one_sided, two_sided, hops, path } = self.scratch;
        match config.bidirectional {
            true => two_sided.path_into(hops),
            false => one_sided.path_into(to, hops),
        }
        path.clear();
        path.extend(hops.first());
        on_graph!(&index.map, graph => {
            let resolver = HopExpander::new(index, graph);
            for hop in hops.windows(2) {
                resolver.hop(hop[0], hop[1], path);
            }
        });
        Route::complete(&index.map, cost, path)
    }
}
