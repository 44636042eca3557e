//! One face for every method.
//!
//! An [`Engine`] is built on a [`Map`], refreshed after edits, and answers through queries, one per
//! thread. [`METHODS`] lists all engines by name; the command line, the benchmark and the test matrix
//! read that list, so a new method joins all of them with one line in `methods.rs`.

mod any;
mod error;
mod methods;

pub use any::AnyEngine;
pub use error::{BuildError, EndpointError, Smaller, Unstorable, Unsupported};
pub use methods::{METHODS, Method, Settings, method};

use crate::changes::Changes;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::Map;
use crate::progress::Progress;
use crate::route::Route;
use crate::search::Observer;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// A method of answering queries, built on one version of a map.
pub trait Engine: Sized + Send + Sync + 'static {
    /// What can be chosen when building.
    type Config;
    /// What answers; it borrows the engine and owns its scratch space.
    type Query<'a>: Query + 'a;

    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest ones.
    fn exact(&self) -> bool;

    /// Whether it can be built on this map with this configuration, and if not, why.
    fn supports(map: &Map, config: &Self::Config) -> Result<(), Unsupported>;

    /// Precomputes what the method needs.
    fn build(map: &Map, config: &Self::Config) -> Result<Self, BuildError> {
        Self::build_watched(map, config, &())
    }

    /// The same, telling how far it has come and stopping when told to.
    fn build_watched(
        map: &Map,
        config: &Self::Config,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError>;

    /// The engine for the map after these changes, which have already been made in `map`. Shares what did
    /// not change; where a method knows nothing better this builds anew. What was done in several steps may come as one: cells that are as they
    /// were in the end, edges that came and went, nodes that this engine has never seen. What counts is the map.
    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError>;

    /// Whether edits have piled up so much that [`rebuilt`](Self::rebuilt) would make answers a good deal faster. They are
    /// as right without it; a [`World`](crate::world::World) has it done in the background.
    fn wants_rebuild(&self) -> bool {
        false
    }

    /// The engine for the same map, which is handed in once more, as good as new.
    fn rebuilt(&self, map: &Map) -> Result<Self, BuildError> {
        self.refresh(map, &Changes::default())
    }

    /// Bytes that were precomputed; the map itself does not count.
    fn memory_bytes(&self) -> usize;

    /// Which of several forms was chosen, and why, where there are several.
    fn form(&self) -> Option<String> {
        None
    }

    /// Whether an engine of this configuration can be kept in an index file, and if not, why. A method that
    /// says yes has [`store`](Self::store) and [`open`](Self::open); others have nothing to keep.
    fn storable(_config: &Self::Config) -> Result<(), Unstorable> {
        Err(Unstorable::nothing())
    }

    /// What was precomputed, ready to be saved as an index file.
    ///
    /// ```
    /// use portolan::ppa::{Ppa, PpaConfig};
    /// use portolan::store::IndexFile;
    /// use portolan::{Engine, Grid, Map, Query};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("grid.index");
    /// let map = Map::from(Grid::new(40, 30)?);
    /// let config = PpaConfig::default();
    /// Ppa::build(&map, &config)?.store()?.save(&path)?;
    ///
    /// let opened = Ppa::open(&IndexFile::open(&path)?, &map, &config)?;
    /// assert!(opened.query().distance(0, 1199)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Err(Unstorable::nothing())
    }

    /// The engine that was stored in this file, for the same map. Takes a moment, since the file stays where
    /// it is and is read as queries need it. Damage that only [`IndexFile::verify`] can find may make answers
    /// wrong, and no more than that.
    fn open(index: &IndexFile, _map: &Map, _config: &Self::Config) -> Result<Self, OpenError> {
        Err(OpenError::NothingStored { engine: index.engine().to_owned() })
    }

    /// Something to ask; make one per thread and keep it.
    fn query(&self) -> Self::Query<'_>;
}

/// What a query says of one pair: a path, `None` where there is none, or why there is no answer.
pub type PathAnswer<'q> = Result<Option<Route<'q>>, EndpointError>;

/// Answers on one engine. Borrowed results keep it from being asked again too early.
pub trait Query {
    /// The map that the answers are about.
    fn map(&self) -> &Map;

    /// The cost of the path from one node to another; `None` where there is none.
    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError>;

    /// The path from one node to another; `None` where there is none.
    fn find(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError>;

    /// The paths of many pairs, each told with the number of its pair; the same answers as one by one, in whatever order
    /// is fastest, with all their nodes: who wants costs alone asks for [distances](Self::distance_each). For all cores see [`batch`](crate::batch).
    fn find_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.find(from, to));
        }
    }

    /// The costs of the paths of many pairs, in the same way.
    fn distance_each(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        visit: &mut dyn FnMut(usize, Result<Option<Cost>, EndpointError>),
    ) {
        for (at, &(from, to)) in pairs.iter().enumerate() {
            visit(at, self.distance(from, to));
        }
    }

    /// The same as [`find`](Self::find), watched.
    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError>;

    /// The path to the goal or, where that is blocked or out of reach, to the reachable node nearest to it;
    /// such a route is [`Partial`](crate::RouteStatus::Partial). See [`Map::nearest_reachable`].
    fn find_toward(&mut self, from: NodeId, to: NodeId) -> Result<Route<'_>, EndpointError> {
        let map = self.map();
        let may_reach = map.contains(from) && map.contains(to) && map.may_reach(from, to);
        // On directed maps only a search tells.
        let reaches = may_reach && (map.is_undirected() || self.distance(from, to)?.is_some());
        let goal = if reaches { to } else { self.map().nearest_reachable(from, to)? };
        let route = self.find(from, goal)?;
        let route = route.ok_or(EndpointError::CostOverflow { from, to: goal })?;
        Ok(if goal == to { route } else { route.into_partial() })
    }
}

impl Query for Box<dyn Query + '_> {
    fn map(&self) -> &Map {
        (**self).map()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Result<Option<Cost>, EndpointError> {
        (**self).distance(from, to)
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Result<Option<Route<'_>>, EndpointError> {
        (**self).find(from, to)
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
        visit: &mut dyn FnMut(usize, Result<Option<Cost>, EndpointError>),
    ) {
        (**self).distance_each(pairs, visit);
    }

    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Route<'_>>, EndpointError> {
        (**self).find_observed(from, to, observer)
    }
}
