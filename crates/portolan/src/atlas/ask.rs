//! Queries on an index of whichever form.

use super::query::GeneralQuery;
use super::uniform::UniformQuery;
use crate::cost::Cost;
use crate::engine::{EndpointError, PathAnswer, Query};
use crate::graph::NodeId;
use crate::map::Map;
use crate::route::Route;
use crate::search::Observer;

/// A query on an [`Atlas`](super::Atlas).
pub struct AtlasQuery<'a>(pub(super) Asked<'a>);

/// One of either form; both are large, and a query is made once for many questions.
pub(super) enum Asked<'a> {
    General(Box<GeneralQuery<'a>>),
    Uniform(Box<UniformQuery<'a>>),
}

/// Runs the same code on a query of either form.
macro_rules! on_asked {
    ($query:expr, $asked:ident => $body:expr) => {
        match $query {
            Asked::General($asked) => $body,
            Asked::Uniform($asked) => $body,
        }
    };
}

impl AtlasQuery<'_> {
    /// The costs from one node to each of many, in their order; `None` where there is no path.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::{Engine, Grid, Map};
    /// let map = Map::from(Grid::new(9, 9)?);
    /// let atlas = Atlas::build(&map, &AtlasConfig::default())?;
    /// let costs = atlas.query().distances(0, &[0, 8, 80])?;
    /// assert_eq!(costs, [0, 8 * 33461, 8 * 47321].map(Some));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distances(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        on_asked!(&mut self.0, query => query.distances(from, to))
    }

    /// The costs from each of many nodes to each of many others, row by row.
    pub fn matrix(
        &mut self,
        from: &[NodeId],
        to: &[NodeId],
    ) -> Result<Vec<Vec<Option<Cost>>>, EndpointError> {
        from.iter().map(|&from| self.distances(from, to)).collect()
    }
}

impl Query for AtlasQuery<'_> {
    fn map(&self) -> &Map {
        on_asked!(&self.0, query => query.map())
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError> {
        on_asked!(&mut self.0, query => query.distance(from, to))
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError> {
        on_asked!(&mut self.0, query => query.find(from, to))
    }

    fn find_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        on_asked!(&mut self.0, query => query.find_each(pairs, visit));
    }

    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, Result<Option<Cost>, EndpointError>),
    ) {
        on_asked!(&mut self.0, query => query.distance_each(pairs, visit));
    }

    /// Nothing is expanded or generated: paths are looked up.
    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError> {
        on_asked!(&mut self.0, query => query.find_observed(from, to, observer))
    }
}
