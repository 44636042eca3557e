//! One version of a world, for queries from any thread.

use std::fmt;
use std::sync::Arc;

use super::core::Published;
use super::ground::Layer;
use super::maintainer::State;
use super::path::{BlockedStep, Path};
use super::recipe::LayerRecipe;
use super::{Version, WorldError};
use crate::build::BuildError;
use crate::engine::{Engine, Query};
use crate::graph::{Endpoints, NodeId};
use crate::heuristic::{Geometric, GeometricBound};
use crate::location::Location;
use crate::map::{EndpointError, IllegalPath, Map};
use crate::route::{OwnedPath, Route};

/// A version of a [`World`](super::World). It never changes, is cheap to clone, and can be queried
/// from any thread while the world is edited. It keeps its map and engines alive.
///
/// Every answer is about this version. If an engine is not ready for it, A* answers instead.
///
/// A snapshot is for units of one size, initially one cell. [`for_size`](Self::for_size) returns
/// the same version for another size: its map, its engines, its paths.
#[derive(Clone)]
pub struct Snapshot {
    published: Arc<Published<LayerRecipe>>,
    layer: usize,
}

/// The state of an engine in a [`Snapshot`].
#[derive(Clone, Copy)]
pub enum Standing<'a> {
    /// It is ready.
    Current(&'a dyn Engine),
    /// It is being built or follows an edit. A* answers instead.
    Behind,
    /// It cannot be built for this version. A* answers instead.
    Failed(&'a BuildError),
}

impl Snapshot {
    pub(super) fn new(published: Arc<Published<LayerRecipe>>) -> Self {
        Self { published, layer: 0 }
    }

    /// The number of the version.
    pub fn version(&self) -> Version {
        Version(self.published.version)
    }

    /// The side length of the units in cells; 1 on graphs.
    pub fn size(&self) -> u32 {
        self.layer().size()
    }

    /// All sizes of units in the world, ascending.
    pub fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.layers().iter().map(|layer| layer.size())
    }

    /// The same version for units of `size` x `size` cells. The position of a unit is its top left
    /// cell.
    ///
    /// ```
    /// use portolan::Grid;
    /// use portolan::world::{World, WorldConfig};
    /// // A wall with a gap of one cell at the top and of two cells at the bottom.
    /// let grid = Grid::from_fn(9, 9, |x, y| x != 4 || y == 0 || y > 6)?;
    /// let world = World::with_config(grid, WorldConfig { sizes: vec![2], ..WorldConfig::default() })?;
    ///
    /// let snapshot = world.snapshot();
    /// let small = snapshot.find((0, 0), (7, 0))?.expect("through the gap at the top");
    /// let large = snapshot.for_size(2)?.find((0, 0), (7, 0))?.expect("through the gap at the bottom");
    /// assert!(large.cost() > small.cost());
    ///
    /// let edit = world.edit(|e| e.block((4, 7)))?; // one edit for both sizes
    /// assert!(edit.snapshot().for_size(2)?.find((0, 0), (7, 0))?.is_none());
    /// assert!(!edit.snapshot().is_valid(&large) && edit.snapshot().is_valid(&small));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_size(&self, size: u32) -> Result<Self, WorldError> {
        let layer = self.layer_of(size).ok_or_else(|| self.no_size(size))?;
        Ok(Self { published: Arc::clone(&self.published), layer })
    }

    /// The map of this version for units of this size.
    pub fn map(&self) -> &Map {
        self.layer().map()
    }

    /// All engines for units of this size by name, in the order in which they were added.
    pub fn engines(&self) -> impl Iterator<Item = (&str, Standing<'_>)> {
        let engines = self.published.engines.iter().filter(|one| one.recipe.layer == self.layer);
        engines.map(|one| {
            let standing = match &one.state {
                State::Current(engine) => Standing::Current(&**engine),
                State::Behind => Standing::Behind,
                State::Failed(error) => Standing::Failed(error),
            };
            (one.recipe.recipe.name(), standing)
        })
    }

    /// The engine of this name, if it is ready for this version.
    pub fn engine(&self, name: &str) -> Option<&dyn Engine> {
        match self.standing(name)? {
            Standing::Current(engine) => Some(engine),
            _ => None,
        }
    }

    /// The state of the engine of this name; `None` if there is none.
    pub fn standing(&self, name: &str) -> Option<Standing<'_>> {
        self.engines().find(|&(known, _)| known == name).map(|(_, standing)| standing)
    }

    /// Creates an exact query: on the first engine of the world that is ready and exact, or else on
    /// A*. That is cheap, because queries reuse scratch space.
    pub fn query(&self) -> Box<dyn Query + '_> {
        let exact = self.engines().find_map(|(_, standing)| match standing {
            Standing::Current(engine) if engine.exact() => Some(engine),
            _ => None,
        });
        exact.map_or_else(|| self.plain_query(), |engine| engine.query())
    }

    /// Creates a query on the engine of this name, or on A* if the engine is not ready.
    pub fn query_by(&self, name: &str) -> Result<Box<dyn Query + '_>, WorldError> {
        match self.standing(name) {
            Some(Standing::Current(engine)) => Ok(engine.query()),
            Some(_) => Ok(self.plain_query()),
            None => Err(self.no_engine(name)),
        }
    }

    /// The shortest path between two cells or nodes, by [`query`](Self::query); `None` if there is
    /// none.
    pub fn find(
        &self,
        from: impl Into<Location>,
        to: impl Into<Location>,
    ) -> Result<Option<Path>, EndpointError> {
        let ends = self.ends(from, to)?;
        self.find_on(&mut *self.query(), ends)
    }

    /// The path from the engine of this name, or from A* if the engine is not ready.
    pub fn find_by(
        &self,
        name: &str,
        from: impl Into<Location>,
        to: impl Into<Location>,
    ) -> Result<Option<Path>, WorldError> {
        let ends = self.ends(from, to)?;
        Ok(self.find_on(&mut *self.query_by(name)?, ends)?)
    }

    /// Makes a path of this version from nodes of any origin. Every step is checked.
    pub fn adopt(&self, nodes: Vec<NodeId>) -> Result<Path, IllegalPath> {
        Path::adopted(self.version(), self.layer(), nodes)
    }

    /// Whether every remaining step of a path is legal in this version, for units of the path's
    /// size, and costs the same as when the path was found. Takes microseconds. A valid path need
    /// not be [shortest](Self::is_shortest) any more.
    pub fn is_valid(&self, path: &Path) -> bool {
        self.first_blocked_step(path).is_none()
    }

    /// The first remaining step of a path that is no longer legal in this version, or has another
    /// cost. A path for units of a size that the world does not have is checked on the map of this
    /// snapshot.
    pub fn first_blocked_step(&self, path: &Path) -> Option<BlockedStep> {
        path.first_blocked(self.layer_for(path).map(), 0..path.step_count())
    }

    /// Whether the rest of a path is valid, and no other path to its goal is shorter in this
    /// version. Runs a query on an exact engine.
    pub fn is_shortest(&self, path: &Path) -> Result<bool, EndpointError> {
        if !self.is_valid(path) {
            return Ok(false);
        }
        let layer = self.layer_of(path.size()).unwrap_or(self.layer);
        let sized = Self { published: Arc::clone(&self.published), layer };
        let least = sized.query().distance(path.position(), path.goal())?;
        Ok(least == Some(path.remaining_cost()))
    }

    /// The lower bound of A* on this version toward a node.
    pub(super) fn bound_toward(&self, node: NodeId) -> GeometricBound {
        let bound =
            self.layer().plain().bounds().geometric_only().map(|bound| bound.with_end(node));
        bound.unwrap_or_else(|| Geometric::zero().with_end(node))
    }

    /// The map and its search for units of this size.
    pub(super) fn layer(&self) -> &Arc<Layer> {
        &self.layers()[self.layer]
    }

    /// The layer on which a path is checked.
    pub(super) fn layer_for(&self, path: &Path) -> &Arc<Layer> {
        &self.layers()[self.layer_of(path.size()).unwrap_or(self.layer)]
    }

    /// The layer for units of this size.
    pub(super) fn layer_of(&self, size: u32) -> Option<usize> {
        self.layers().iter().position(|layer| layer.size() == size)
    }

    /// The nodes of two locations.
    pub(super) fn ends(
        &self,
        from: impl Into<Location>,
        to: impl Into<Location>,
    ) -> Result<Endpoints, EndpointError> {
        Ok((self.map().node(from)?, self.map().node(to)?))
    }

    /// The route as a path of this version.
    pub(super) fn path(&self, ends: Endpoints, route: &Route<'_>) -> Result<Path, EndpointError> {
        Path::found(self.version(), self.layer(), ends, OwnedPath::of(route), route.cost())
            .map_err(|fault| EndpointError::invalid(self.map().extent(), ends, fault))
    }

    fn layers(&self) -> &[Arc<Layer>] {
        self.published.map.layers()
    }

    /// The names of the engines for all sizes.
    pub(super) fn all_engine_names(&self) -> impl Iterator<Item = &str> {
        self.published.engines.iter().map(|engine| engine.recipe.recipe.name())
    }

    fn plain_query(&self) -> Box<dyn Query + '_> {
        Box::new(self.layer().plain().query())
    }

    fn find_on(
        &self,
        query: &mut dyn Query,
        ends: Endpoints,
    ) -> Result<Option<Path>, EndpointError> {
        let route = query.find(ends.0, ends.1)?;
        route.map(|route| self.path(ends, &route)).transpose()
    }

    pub(super) fn no_engine(&self, name: &str) -> WorldError {
        let known: Vec<&str> = self.engines().map(|(name, _)| name).collect();
        WorldError::NoSuchEngine { name: name.to_owned(), known: known.join(", ") }
    }

    pub(super) fn no_size(&self, size: u32) -> WorldError {
        let known: Vec<String> = self.sizes().map(|size| size.to_string()).collect();
        WorldError::NoSuchSize { size, known: known.join(", ") }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engines: Vec<&str> = self.engines().map(|(name, _)| name).collect();
        out.debug_struct("Snapshot")
            .field("version", &self.version())
            .field("size", &self.size())
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
