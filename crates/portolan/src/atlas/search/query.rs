//! Queries: A* with the geometric bound and the landmarks.

use super::index::SearchIndex;
use crate::cost::Cost;
use crate::engine::{CostAnswer, Searching};
use crate::graph::NodeId;
use crate::map::{EndpointError, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, astar, dijkstra};
use crate::true_distance::differential;

/// Up to this number of goals, one search each.
const FEW_GOALS: usize = 4;

/// Scratch space of queries.
#[derive(Default)]
pub(crate) struct SearchScratch {
    search: Scratch,
    path: Vec<NodeId>,
}

/// A query that is being answered.
pub(crate) struct SearchQuery<'q> {
    index: &'q SearchIndex,
    scratch: &'q mut SearchScratch,
}

impl<'q> SearchQuery<'q> {
    pub(crate) fn new(index: &'q SearchIndex, scratch: &'q mut SearchScratch) -> Self {
        Self { index, scratch }
    }

    pub(crate) fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer {
        self.search(from, to, &mut ())
    }

    /// The costs from one node to many, in their order; `None` if there is no path. One search for
    /// all goals, if there are more than a few.
    pub(crate) fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        if to.len() <= FEW_GOALS {
            return to.iter().map(|&to| self.distance(from, to)).collect();
        }
        let scratch = &mut self.scratch.search;
        on_graph!(&self.index.map, graph => dijkstra::one_to_many(graph, scratch, from, to))
    }
}

impl<'q> Searching<'q> for SearchQuery<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        let SearchIndex { map, geometric, landmarks, .. } = self.index;
        let (scratch, ends) = (&mut self.scratch.search, (from, to));
        on_graph!(map, graph => match landmarks {
            None => astar::find_guided(graph, scratch, ends, geometric, observer),
            Some(landmarks) => {
                differential::find(graph, scratch, ends, (geometric, &**landmarks), observer)
            }
        })
    }

    fn route(self, to: NodeId, cost: Cost) -> Route<'q> {
        let SearchScratch { search, path } = self.scratch;
        search.path_into(to, path);
        Route::complete(&self.index.map, cost, path)
    }
}
