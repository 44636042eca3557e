//! A map, an engine and a query in one value, for programs that need no more.

mod builder;

pub use builder::PathFinderBuilder;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::batch::{self, PathLists, Paths};
use crate::build::ThreadError;
use crate::changes::{Changes, Editor, applied};
use crate::cost::Cost;
use crate::engine::{CostAnswer, Engine, PathAnswer, Query};
use crate::error::Error;
use crate::graph::Endpoints;
use crate::location::{Cell, Location};
use crate::map::{EndpointError, Map};
use crate::route::Route;

/// Finds paths on one map: owns the map, an engine for it and the scratch space of its queries.
///
/// [`PathFinder::new`] builds [`Atlas`](crate::atlas::Atlas), which is exact and the fastest engine
/// for most maps. [`PathFinder::builder`] chooses another engine by name, [`From`] takes any engine
/// by its type, and [`PathFinder::open`] takes an index file. Cells go in as `(x, y)` on grids,
/// node ids on graphs.
///
/// A finder has no lifetime and is `Send`: it can be kept in any struct. A clone for another thread
/// shares the engine and has its own scratch space.
///
/// ```
/// use portolan::prelude::*;
///
/// let grid: Grid = "..#..\n..#..\n.....".parse()?;
/// let mut finder = PathFinder::new(&grid)?;
/// let path = finder.find((0, 0), (4, 0))?.expect("the wall has a gap");
/// assert_eq!(path.cells().last(), Some(Cell::new(4, 0)));
///
/// finder.edit(|edit| edit.block((2, 2)))?; // close the gap; answers stay exact
/// assert!(finder.find((0, 0), (4, 0))?.is_none());
/// # Ok::<(), portolan::Error>(())
/// ```
pub struct PathFinder {
    engine: Arc<dyn Engine>,
    query: Box<dyn Query + Send + Sync>,
    threads: usize,
}

impl PathFinder {
    /// A finder with the engine `atlas` and the default [`Settings`](crate::Settings).
    pub fn new(map: impl Into<Map>) -> Result<Self, Error> {
        Self::builder(map).build()
    }

    /// Chooses the engine and its settings.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let grid = Grid::new(40, 30)?;
    /// let mut finder = PathFinder::builder(&grid).engine("ppa").memory_limit(16 << 20).build()?;
    /// assert_eq!(finder.engine().name(), "ppa");
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn builder(map: impl Into<Map>) -> PathFinderBuilder {
        PathFinderBuilder::new(map.into())
    }

    /// A finder with the engine that is stored in an index file, which must have been built for the
    /// same map. Fast: the file is mapped into memory, and processes that open the same file share
    /// its pages. It is not read completely, so damage may make answers wrong.
    /// [`IndexFile::verify`](crate::store::IndexFile::verify) detects damage.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("grid.index");
    /// let grid = Grid::new(40, 30)?;
    /// PathFinder::new(&grid)?.save(&path)?;
    /// let mut finder = PathFinder::open(&grid, &path)?;
    /// assert!(finder.find((0, 0), (39, 29))?.is_some());
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn open(map: impl Into<Map>, index: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder(map).open(index)
    }

    /// A finder with a shared engine.
    pub fn from_engine(engine: Arc<dyn Engine>) -> Self {
        let query = Arc::clone(&engine).owned_query();
        Self { engine, query, threads: 0 }
    }

    /// Saves the precomputed data as an index file. Replaces an older file atomically.
    pub fn save(&self, index: impl AsRef<Path>) -> Result<(), Error> {
        let path = index.as_ref();
        let saved = self.engine.store()?.save(path);
        saved.map_err(|source| Error::SaveFile { path: path.into(), source })
    }

    /// The current map.
    pub fn map(&self) -> &Map {
        self.engine.map()
    }

    /// The engine that answers: its name, form and memory.
    pub fn engine(&self) -> &(dyn Engine + 'static) {
        &*self.engine
    }

    /// The query underneath, which takes node ids.
    pub fn query(&mut self) -> &mut (dyn Query + Send + Sync) {
        &mut *self.query
    }

    /// The path between two locations; `None` if there is none.
    pub fn find(&mut self, from: impl Into<Location>, to: impl Into<Location>) -> PathAnswer<'_> {
        let (from, to) = self.ends(from, to)?;
        self.query.find(from, to)
    }

    /// The cost of the path between two locations; `None` if there is none. Faster than the path.
    /// [`Map::length`] converts a cost to a length.
    pub fn distance(&mut self, from: impl Into<Location>, to: impl Into<Location>) -> CostAnswer {
        let (from, to) = self.ends(from, to)?;
        self.query.distance(from, to)
    }

    /// The path to the goal or, if that is blocked or unreachable, to the reachable location
    /// nearest to it. [`Route::status`] tells which. See [`Map::nearest_reachable`].
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let grid: Grid = "...#.".parse()?;
    /// let mut finder = PathFinder::new(&grid)?;
    /// let path = finder.find_toward((0, 0), (4, 0))?;
    /// assert_eq!(path.status(), RouteStatus::Partial);
    /// assert_eq!(path.cells().last(), Some(Cell::new(2, 0)));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn find_toward(
        &mut self,
        from: impl Into<Location>,
        to: impl Into<Location>,
    ) -> Result<Route<'_>, EndpointError> {
        let (from, to) = self.ends(from, to)?;
        self.query.find_toward(from, to)
    }

    /// The paths of many pairs, on all cores or [`PathFinderBuilder::threads`]. One answer per
    /// pair, in order.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let finder = PathFinder::new(Grid::new(40, 30)?)?;
    /// let paths = finder.find_all(&[((0, 0), (39, 29)), ((5, 5), (40, 5))])?;
    /// let first = paths.get(0).unwrap()?.expect("the grid is empty");
    /// assert_eq!(first.cells().count(), 40);
    /// assert!(paths.get(1).unwrap().is_err(), "cell 40,5 is not on the map");
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn find_all<A, B>(&self, pairs: &[(A, B)]) -> Result<Paths, ThreadError>
    where
        A: Into<Location> + Copy,
        B: Into<Location> + Copy,
    {
        let (nodes, invalid) = self.nodes_of_pairs(pairs);
        let mut paths = batch::find_all(|| self.engine.query(), &nodes, self.threads)?;
        invalid.into_iter().for_each(|(at, error)| paths.refuse(at, error));
        Ok(paths)
    }

    /// The cells of the paths of many pairs, each as one slice, like [`find_all`](Self::find_all).
    pub fn find_all_cells<A, B>(&self, pairs: &[(A, B)]) -> Result<PathLists<Cell>, ThreadError>
    where
        A: Into<Location> + Copy,
        B: Into<Location> + Copy,
    {
        let (nodes, invalid) = self.nodes_of_pairs(pairs);
        let mut lists = batch::find_all_cells(|| self.engine.query(), &nodes, self.threads)?;
        invalid.into_iter().for_each(|(at, error)| lists.refuse(at, error));
        Ok(lists)
    }

    /// The cells where the paths of many pairs [turn](Route::turns), each as one slice, like
    /// [`find_all`](Self::find_all). Faster than all cells.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let finder = PathFinder::new(Grid::new(40, 30)?)?;
    /// let turns = finder.find_all_turns(&[((0, 0), (39, 29))])?;
    /// let path = turns.get(0).unwrap()?.expect("the grid is empty");
    /// assert_eq!(path.items, [(0, 0), (29, 29), (39, 29)].map(Cell::from));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn find_all_turns<A, B>(&self, pairs: &[(A, B)]) -> Result<PathLists<Cell>, ThreadError>
    where
        A: Into<Location> + Copy,
        B: Into<Location> + Copy,
    {
        let (nodes, invalid) = self.nodes_of_pairs(pairs);
        let mut lists = batch::find_all_turns(|| self.engine.query(), &nodes, self.threads)?;
        invalid.into_iter().for_each(|(at, error)| lists.refuse(at, error));
        Ok(lists)
    }

    /// Calls `visit` with the index of each pair and its path, on the thread that found it; nothing
    /// is copied. `init` creates states that `visit` can write to without locks. Returns all
    /// states. See [`batch::visit_all`].
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let finder = PathFinder::new(Grid::new(40, 30)?)?;
    /// let pairs = [((0, 0), (39, 29)), ((5, 5), (5, 9)), ((5, 5), (40, 5))];
    /// let longest = finder.visit_all(&pairs, || 0, |longest, _, answer| {
    ///     let steps = answer.ok().flatten().map_or(0, |path| path.cells().len());
    ///     *longest = steps.max(*longest);
    /// })?;
    /// assert_eq!(longest.into_iter().max(), Some(40));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn visit_all<A, B, S: Send>(
        &self,
        pairs: &[(A, B)],
        init: impl Fn() -> S + Send + Sync,
        visit: impl Fn(&mut S, usize, PathAnswer<'_>) + Send + Sync,
    ) -> Result<Vec<S>, ThreadError>
    where
        A: Into<Location> + Copy,
        B: Into<Location> + Copy,
    {
        let (nodes, invalid) = self.nodes_of_pairs(pairs);
        let invalid: BTreeMap<usize, EndpointError> = invalid.into_iter().collect();
        let query = || self.engine.query();
        batch::visit_all(query, &nodes, self.threads, init, |state, at, answer| {
            let refused = invalid.get(&at).cloned();
            visit(state, at, refused.map_or(answer, Err));
        })
    }

    /// The costs of the paths of many pairs, like [`find_all`](Self::find_all).
    pub fn distances<A, B>(&self, pairs: &[(A, B)]) -> Result<Vec<CostAnswer>, ThreadError>
    where
        A: Into<Location> + Copy,
        B: Into<Location> + Copy,
    {
        let (nodes, invalid) = self.nodes_of_pairs(pairs);
        let mut costs = batch::distances(|| self.engine.query(), &nodes, self.threads)?;
        invalid.into_iter().for_each(|(at, error)| costs[at] = Err(error));
        Ok(costs)
    }

    /// The costs from one location to each of many, in order; `None` if there is no path.
    pub fn distances_from<L: Into<Location> + Copy>(
        &mut self,
        from: impl Into<Location>,
        to: &[L],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        let (from, to) = (self.map().node(from)?, self.map().nodes(to)?);
        self.query.distances_from(from, &to)
    }

    /// The costs from each of many locations to each of many others, row by row.
    pub fn matrix<A: Into<Location> + Copy, B: Into<Location> + Copy>(
        &mut self,
        from: &[A],
        to: &[B],
    ) -> Result<Vec<Vec<Option<Cost>>>, EndpointError> {
        let (from, to) = (self.map().nodes(from)?, self.map().nodes(to)?);
        self.query.matrix(&from, &to)
    }

    /// Changes the map in one step and lets the engine follow, so that answers stay exact. Returns
    /// what differs from before.
    ///
    /// If a change is impossible, or the engine cannot follow within its memory limit, nothing
    /// changes. Clones keep their map. For a map that is edited while other threads query it, see
    /// [`World`](crate::world::World).
    pub fn edit(&mut self, write: impl FnOnce(&mut Editor<'_>)) -> Result<Changes, Error> {
        let mut editor = Changes::on(self.map());
        write(&mut editor);
        let changes = editor.finish()?;
        self.apply_owned(changes)
    }

    /// Makes prepared changes; see [`edit`](Self::edit).
    pub fn apply(&mut self, changes: &Changes) -> Result<Changes, Error> {
        self.apply_owned(changes.clone())
    }

    /// Whether so many edits have accumulated that [`rebuild`](Self::rebuild) would make answers
    /// much faster. They are exact without it.
    pub fn wants_rebuild(&self) -> bool {
        self.engine.wants_rebuild()
    }

    /// Rebuilds the engine for the current map.
    pub fn rebuild(&mut self) -> Result<(), Error> {
        self.replace(self.engine.rebuilt(self.engine.map())?);
        Ok(())
    }

    fn apply_owned(&mut self, changes: Changes) -> Result<Changes, Error> {
        let Some((map, changes)) = applied(self.map(), changes)? else {
            return Ok(Changes::default());
        };
        self.replace(self.engine.refresh(&map, &changes)?);
        Ok(changes)
    }

    fn replace(&mut self, engine: Box<dyn Engine>) {
        let threads = self.threads;
        *self = Self { threads, ..Self::from_engine(engine.into()) };
    }

    fn ends(
        &self,
        from: impl Into<Location>,
        to: impl Into<Location>,
    ) -> Result<Endpoints, EndpointError> {
        let map = self.query.map();
        Ok((map.node(from)?, map.node(to)?))
    }

    /// The nodes of all pairs, and the invalid pairs. Those have placeholder nodes.
    fn nodes_of_pairs<A, B>(&self, pairs: &[(A, B)]) -> (Vec<Endpoints>, InvalidPairs)
    where
        A: Into<Location> + Copy,
        B: Into<Location> + Copy,
    {
        let mut invalid = Vec::new();
        let nodes = pairs.iter().enumerate().map(|(at, &(from, to))| {
            self.ends(from, to).unwrap_or_else(|error| {
                invalid.push((at, error));
                (0, 0)
            })
        });
        (nodes.collect(), invalid)
    }
}

/// The indices of pairs without an answer, and why.
type InvalidPairs = Vec<(usize, EndpointError)>;

/// Takes any engine by its type.
///
/// ```
/// use portolan::prelude::*;
/// use portolan::ppa::{Ppa, PpaConfig};
/// let map = Map::from(Grid::new(40, 30)?);
/// let ppa = Ppa::build(&map, &PpaConfig::default())?;
/// let mut finder = PathFinder::from(ppa);
/// assert!(finder.distance((0, 0), (39, 29))?.is_some());
/// # Ok::<(), portolan::Error>(())
/// ```
impl<E: Engine> From<E> for PathFinder {
    fn from(engine: E) -> Self {
        Self::from_engine(Arc::new(engine))
    }
}

/// Shares the engine and has scratch space of its own.
impl Clone for PathFinder {
    fn clone(&self) -> Self {
        Self { threads: self.threads, ..Self::from_engine(Arc::clone(&self.engine)) }
    }
}

impl fmt::Debug for PathFinder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PathFinder").field("engine", &self.engine).finish_non_exhaustive()
    }
}
