//! One version of a world, to be asked from any thread.

use std::fmt;
use std::sync::Arc;

use super::core::Published;
use super::keeper::State;
use super::path::{BlockedStep, Path};
use super::recipe::Recipe;
use super::{Version, WorldError};
use crate::engine::{AnyEngine, BuildError, EndpointError, Engine, Query};
use crate::graph::NodeId;
use crate::heuristic::{Geometric, GeometricBound};
use crate::map::{IllegalPath, Map};
use crate::search::SearchEngine;

/// A version of a [`World`](super::World) that never changes: cheap to clone, and safe to ask from any thread while
/// the world is edited. What it holds lives as long as it is held.
///
/// Every answer is about this version. An engine that is not ready for it is stood in for by A*.
#[derive(Clone)]
pub struct Snapshot {
    published: Arc<Published<Recipe>>,
}

/// How an engine stands in a [`Snapshot`].
#[derive(Clone, Copy)]
pub enum Standing<'a> {
    /// It answers.
    Current(&'a dyn AnyEngine),
    /// It is being worked on, and A* answers instead.
    Behind,
    /// It cannot follow, for this reason, and A* answers instead.
    Failed(&'a BuildError),
}

impl Snapshot {
    pub(super) fn new(published: Arc<Published<Recipe>>) -> Self {
        Self { published }
    }

    /// Which version it is.
    pub fn version(&self) -> Version {
        Version(self.published.version)
    }

    /// The map of this version.
    pub fn map(&self) -> &Map {
        &self.published.map.map
    }

    /// All engines by name, in the order in which they were added.
    pub fn engines(&self) -> impl Iterator<Item = (&str, Standing<'_>)> {
        self.published.engines.iter().map(|held| {
            let standing = match &held.state {
                State::Current(engine) => Standing::Current(&**engine),
                State::Behind => Standing::Behind,
                State::Failed(error) => Standing::Failed(error),
            };
            (held.recipe.name(), standing)
        })
    }

    /// The engine of this name, if it is ready for this version.
    pub fn engine(&self, name: &str) -> Option<&dyn AnyEngine> {
        match self.standing(name)? {
            Standing::Current(engine) => Some(engine),
            _ => None,
        }
    }

    /// How the engine of this name stands; `None` where there is none.
    pub fn standing(&self, name: &str) -> Option<Standing<'_>> {
        self.engines().find(|&(known, _)| known == name).map(|(_, standing)| standing)
    }

    /// Something to ask that is exact, the first engine of the world that is both ready and exact, or else A*. Make one
    /// per thread and keep it while this version is asked.
    pub fn query(&self) -> Box<dyn Query + '_> {
        let exact = self.engines().find_map(|(_, standing)| match standing {
            Standing::Current(engine) if engine.exact() => Some(engine),
            _ => None,
        });
        exact.map_or_else(|| self.plain_query(), |engine| engine.query())
    }

    /// The same of the engine of this name, or of A* where that is not ready.
    pub fn query_by(&self, name: &str) -> Result<Box<dyn Query + '_>, WorldError> {
        match self.standing(name) {
            Some(Standing::Current(engine)) => Ok(engine.query()),
            Some(_) => Ok(self.plain_query()),
            None => Err(self.no_engine(name)),
        }
    }

    /// The shortest path between two nodes, by [`query`](Self::query); `None` where there is none.
    pub fn find(&self, from: NodeId, to: NodeId) -> Result<Option<Path>, EndpointError> {
        self.ask(&mut *self.query(), from, to)
    }

    /// The path that the engine of this name gives, or A* where that is not ready.
    pub fn find_by(
        &self,
        name: &str,
        from: NodeId,
        to: NodeId,
    ) -> Result<Option<Path>, WorldError> {
        Ok(self.ask(&mut *self.query_by(name)?, from, to)?)
    }

    /// These nodes as a path of this version, whoever found it: every step is looked at.
    pub fn adopt(&self, nodes: Vec<NodeId>) -> Result<Path, IllegalPath> {
        Path::new(self.version(), self.map(), nodes)
    }

    /// Whether every step that a path has left is legal in this version and costs what it did when the path was found. Takes
    /// microseconds. A path that is valid need not be [shortest](Self::is_shortest) any more.
    pub fn is_valid(&self, path: &Path) -> bool {
        self.first_blocked_step(path).is_none()
    }

    /// The first step that a path has left which is not legal any more in this version, or costs something else.
    pub fn first_blocked_step(&self, path: &Path) -> Option<BlockedStep> {
        path.first_blocked(self.map(), 0, path.step_count())
    }

    /// Whether what a path has left is valid, and no way from there to its goal is shorter in this version. Asks an exact
    /// engine, so it takes as long as a query.
    pub fn is_shortest(&self, path: &Path) -> Result<bool, EndpointError> {
        if !self.is_valid(path) {
            return Ok(false);
        }
        let least = self.query().distance(path.position(), path.goal())?;
        Ok(least == Some(path.remaining_cost()))
    }

    /// What guides A* on this version toward a node.
    pub(super) fn bound_toward(&self, node: NodeId) -> GeometricBound {
        let bound = self.plain().bounds().plain().map(|bound| bound.with_end(node));
        bound.unwrap_or_else(|| Geometric::zero().with_end(node))
    }

    /// A* on this version, which is always ready.
    fn plain(&self) -> &SearchEngine {
        &self.published.map.plain
    }

    fn plain_query(&self) -> Box<dyn Query + '_> {
        Box::new(self.plain().query())
    }

    fn ask(
        &self,
        query: &mut dyn Query,
        from: NodeId,
        to: NodeId,
    ) -> Result<Option<Path>, EndpointError> {
        let Some(route) = query.find(from, to)? else { return Ok(None) };
        let path = self.adopt(route.nodes().collect());
        path.map(Some).map_err(|fault| {
            let (from, to) = (self.map().location(from), self.map().location(to));
            EndpointError::InvalidPath { from, to, fault }
        })
    }

    pub(super) fn no_engine(&self, name: &str) -> WorldError {
        let known: Vec<&str> = self.engines().map(|(name, _)| name).collect();
        WorldError::NoSuchEngine { name: name.to_owned(), known: known.join(", ") }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engines: Vec<&str> = self.engines().map(|(name, _)| name).collect();
        out.debug_struct("Snapshot")
            .field("version", &self.version())
            .field("map", self.map())
            .field("engines", &engines)
            .finish()
    }
}

impl fmt::Debug for Standing<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Current(engine) => write!(out, "Current({})", engine.name()),
            Self::Behind => write!(out, "Behind"),
            Self::Failed(error) => write!(out, "Failed({error:?})"),
        }
    }
}
