//! Queries: an engine, borrowed or owned, and scratch space to answer with.

use std::fmt;
use std::ops::Deref;

use super::{EndpointError, Engine};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::{IllegalPath, Map};
use crate::route::Route;
use crate::search::Observer;

/// The answer to a request for a path: `None` where there is none, or why there is no answer.
pub type PathAnswer<'q> = Result<Option<Route<'q>>, EndpointError>;

/// The answer to a request for a distance: `None` where there is no path, or why there is no
/// answer.
pub type CostAnswer = Result<Option<Cost>, EndpointError>;

/// Asks one engine, again and again. A [`Route`] borrows the query, so it cannot outlive the next
/// question.
pub trait Query {
    /// The map that the answers are about.
    fn map(&self) -> &Map;

    /// The cost of the path from one node to another; `None` where there is none.
    fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer;

    /// The path from one node to another; `None` where there is none.
    fn find(&mut self, from: NodeId, to: NodeId) -> PathAnswer<'_>;

    /// [`find`](Self::find), watched.
    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> PathAnswer<'_>;

    /// The paths of many pairs. `visit` gets each with the number of its pair, in whatever order is
    /// fastest; answers are those of single queries. Where costs are enough,
    /// [`distance_each`](Self::distance_each) is faster. For all cores see [`batch`](crate::batch).
    fn find_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    );

    /// The costs of the paths of many pairs, in the same way.
    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, CostAnswer),
    );

    /// The costs from one node to each of many, in their order; `None` where there is no path.
    ///
    /// ```
    /// use portolan::search_engine::{SearchConfig, SearchEngine};
    /// use portolan::{Engine, Grid, Query};
    /// let astar = SearchEngine::build(&Grid::new(9, 9)?.into(), &SearchConfig::default())?;
    /// let costs = astar.query().distances_from(0, &[0, 8, 80])?;
    /// assert_eq!(costs, [0, 8 * 33461, 8 * 47321].map(Some));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError>;

    /// The costs from each of many nodes to each of many others, row by row.
    fn matrix(
        &mut self,
        from: &[NodeId],
        to: &[NodeId],
    ) -> Result<Vec<Vec<Option<Cost>>>, EndpointError> {
        from.iter().map(|&from| self.distances_from(from, to)).collect()
    }

    /// The path to the goal or, where that is blocked or out of reach, to the reachable node
    /// nearest to it; such a route is [`Partial`](crate::RouteStatus::Partial). See
    /// [`Map::nearest_reachable`].
    fn find_toward(&mut self, from: NodeId, to: NodeId) -> Result<Route<'_>, EndpointError> {
        let map = self.map();
        let extent = map.extent();
        let may_reach = map.contains(from) && map.contains(to) && map.may_reach(from, to);
        // On directed maps only a search tells.
        let reaches = may_reach && (map.is_undirected() || self.distance(from, to)?.is_some());
        let goal = if reaches { to } else { self.map().nearest_reachable(from, to)? };
        let route = self.find(from, goal)?;
        let missing = || EndpointError::invalid(extent, (from, goal), IllegalPath::Empty);
        let route = route.ok_or_else(missing)?;
        Ok(if goal == to { route } else { route.into_partial() })
    }
}

/// A query on an engine of a known type, which it borrows (`EngineQuery<&E>`, from
/// [`Engine::query`]) or owns (`EngineQuery<Arc<E>>`, from [`Engine::owned_query`]).
///
/// Its scratch space comes from a pool that the engine shares with its refreshed versions, and
/// returns there on drop: making a query is cheap, and one after an edit starts with memory that is
/// already there.
///
/// ```
/// use std::sync::Arc;
/// use portolan::search_engine::{SearchConfig, SearchEngine};
/// use portolan::{Engine, EngineQuery, Grid, Query};
///
/// struct Unit {
///     paths: EngineQuery<Arc<SearchEngine>>, // owns its engine: no lifetime
/// }
/// let engine = SearchEngine::build(&Grid::new(9, 9)?.into(), &SearchConfig::default())?;
/// let mut unit = Unit { paths: Arc::new(engine).owned_query() };
/// assert!(unit.paths.find(0, 80)?.is_some());
/// # Ok::<(), portolan::Error>(())
/// ```
pub struct EngineQuery<H>
where
    H: Deref,
    H::Target: Engine,
{
    engine: H,
    /// There until the query ends.
    scratch: Option<Box<<H::Target as Engine>::Scratch>>,
}

impl<H> EngineQuery<H>
where
    H: Deref,
    H::Target: Engine,
{
    pub(super) fn new(engine: H) -> Self {
        let scratch = Some(engine.scratch_pool().take());
        Self { engine, scratch }
    }

    /// The engine that answers.
    pub fn engine(&self) -> &H {
        &self.engine
    }
}

impl<H> Query for EngineQuery<H>
where
    H: Deref,
    H::Target: Engine,
{
    fn map(&self) -> &Map {
        self.engine.map()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer {
        self.engine.distance_with(self.scratch.get_or_insert_default(), (from, to))
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> PathAnswer<'_> {
        self.engine.find_with(self.scratch.get_or_insert_default(), (from, to), &mut ())
    }

    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut observer: &mut dyn Observer,
    ) -> PathAnswer<'_> {
        self.engine.find_with(self.scratch.get_or_insert_default(), (from, to), &mut observer)
    }

    fn find_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        self.engine.find_each_with(self.scratch.get_or_insert_default(), pairs, visit);
    }

    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        self.engine.distance_each_with(self.scratch.get_or_insert_default(), pairs, visit);
    }

    fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        self.engine.distances_from_with(self.scratch.get_or_insert_default(), from, to)
    }
}

impl<H> Drop for EngineQuery<H>
where
    H: Deref,
    H::Target: Engine,
{
    fn drop(&mut self) {
        // What a panic has left half done serves no other query.
        let scratch = self.scratch.take().filter(|_| !std::thread::panicking());
        scratch.into_iter().for_each(|scratch| self.engine.scratch_pool().put_back(scratch));
    }
}

impl<H> fmt::Debug for EngineQuery<H>
where
    H: Deref,
    H::Target: Engine,
{
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("EngineQuery").field("engine", &*self.engine).finish_non_exhaustive()
    }
}

/// Passes everything on to a query behind a pointer.
macro_rules! forward_query {
    ($pointer:ty) => {
        impl Query for $pointer {
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

            fn find_each(
                &mut self,
                pairs: &[(NodeId, NodeId)],
                visit: &mut dyn FnMut(usize, PathAnswer<'_>),
            ) {
                (**self).find_each(pairs, visit);
            }

            fn distance_each(
                &mut self,
                pairs: &[(NodeId, NodeId)],
                visit: &mut dyn FnMut(usize, CostAnswer),
            ) {
                (**self).distance_each(pairs, visit);
            }

            fn distances_from(
                &mut self,
                from: NodeId,
                to: &[NodeId],
            ) -> Result<Vec<Option<Cost>>, EndpointError> {
                (**self).distances_from(from, to)
            }
        }
    };
}

forward_query!(Box<dyn Query + '_>);
forward_query!(Box<dyn Query + Send + Sync + '_>);
