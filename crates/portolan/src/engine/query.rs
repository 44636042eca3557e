//! Queries on an engine.

use crate::cost::Cost;
use crate::graph::{Endpoints, NodeId};
use crate::map::{EndpointError, IllegalPath, Map};
use crate::route::Route;
use crate::search::Observer;

/// The answer to a request for a path: `None` if there is none, or an error.
pub type PathAnswer<'q> = Result<Option<Route<'q>>, EndpointError>;

/// The answer to a request for a distance: `None` if there is no path, or an error.
pub type CostAnswer = Result<Option<Cost>, EndpointError>;

/// Answers queries on one engine. A [`Route`] borrows the query, so it cannot outlive the next
/// call.
pub trait Query {
    /// The map of the answers.
    fn map(&self) -> &Map;

    /// The cost of the path from one node to another; `None` if there is none.
    fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer;

    /// The path from one node to another; `None` if there is none.
    fn find(&mut self, from: NodeId, to: NodeId) -> PathAnswer<'_> {
        self.find_observed(from, to, &mut ())
    }

    /// [`find`](Self::find) with an observer.
    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> PathAnswer<'_>;

    /// The paths of many pairs. Calls `visit` with the index of each pair, in the fastest order.
    /// Answers equal those of single queries. If costs are enough,
    /// [`distance_each`](Self::distance_each) is faster. For all cores see [`batch`](crate::batch).
    fn find_each(&mut self, pairs: &[Endpoints], visit: &mut dyn FnMut(usize, PathAnswer<'_>)) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.find(from, to));
        }
    }

    /// The costs of the paths of many pairs, like [`find_each`](Self::find_each).
    fn distance_each(&mut self, pairs: &[Endpoints], visit: &mut dyn FnMut(usize, CostAnswer)) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.distance(from, to));
        }
    }

    /// A number that is close for pairs whose answers read the same data, and may have parts in
    /// common. The highest bits count. A [`batch`](crate::batch) divides its pairs among the threads
    /// in this order. By default, all pairs have the same.
    fn locality(&self, _pair: Endpoints) -> u32 {
        0
    }

    /// The costs from one node to each of many, in their order; `None` if there is no path.
    ///
    /// ```
    /// use portolan::search_engine::{SearchConfig, SearchEngine};
    /// use portolan::{Build, Engine, Grid, Query};
    /// let astar = SearchEngine::build(&Grid::new(9, 9)?.into(), &SearchConfig::default())?;
    /// let costs = astar.query().distances_from(0, &[0, 8, 80])?;
    /// assert_eq!(costs, [0, 8 * 33461, 8 * 47321].map(Some));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        to.iter().map(|&to| self.distance(from, to)).collect()
    }

    /// The costs from each of many nodes to each of many others, row by row.
    fn matrix(
        &mut self,
        from: &[NodeId],
        to: &[NodeId],
    ) -> Result<Vec<Vec<Option<Cost>>>, EndpointError> {
        from.iter().map(|&from| self.distances_from(from, to)).collect()
    }

    /// The path to the goal or, if that is blocked or unreachable, to the reachable node
    /// nearest to it; such a route is [`Partial`](crate::RouteStatus::Partial). See
    /// [`Map::nearest_reachable`].
    fn find_toward(&mut self, from: NodeId, to: NodeId) -> Result<Route<'_>, EndpointError> {
        let map = self.map();
        let extent = map.extent();
        let may_reach = map.contains(from) && map.contains(to) && map.may_reach(from, to);
        // On directed maps, only a search can tell.
        let reaches = may_reach && (map.is_undirected() || self.distance(from, to)?.is_some());
        let goal = if reaches { to } else { self.map().nearest_reachable(from, to)? };
        let route = self.find(from, goal)?;
        let missing = || EndpointError::invalid(extent, (from, goal), IllegalPath::Empty);
        let route = route.ok_or_else(missing)?;
        Ok(if goal == to { route } else { route.into_partial() })
    }
}

impl<Q: Query + ?Sized> Query for Box<Q> {
    fn map(&self) -> &Map {
        (**self).map()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer {
        (**self).distance(from, to)
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> PathAnswer<'_> {
        (**self).find(from, to)
    }

    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> PathAnswer<'_> {
        (**self).find_observed(from, to, observer)
    }

    fn find_each(&mut self, pairs: &[Endpoints], visit: &mut dyn FnMut(usize, PathAnswer<'_>)) {
        (**self).find_each(pairs, visit);
    }

    fn distance_each(&mut self, pairs: &[Endpoints], visit: &mut dyn FnMut(usize, CostAnswer)) {
        (**self).distance_each(pairs, visit);
    }

    fn locality(&self, pair: Endpoints) -> u32 {
        (**self).locality(pair)
    }

    fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        (**self).distances_from(from, to)
    }
}
