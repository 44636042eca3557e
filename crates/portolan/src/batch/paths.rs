//! The paths of a batch.
//!
//! Each worker keeps what it found in memory of its own, and notes in a table of all pairs where
//! that is. So no thread copies what another has found, and no list of paths is moved as it grows.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::shares::in_shares;
use crate::cost::Cost;
use crate::engine::Query;
use crate::graph::{Endpoints, NodeId};
use crate::map::{EndpointError, Map};
use crate::route::{Leg, Path, Route};

/// The answers of a batch, in the order of its pairs: routes, in the form in which the engine had
/// them. Straight legs stay legs, so that a path across a large grid takes a few hundred bytes, and
/// nothing is worked out before it is asked for.
#[derive(Debug, Clone)]
pub struct Paths {
    answers: Answers<KeptPaths, KeptPath>,
    map: Map,
}

/// The answers of a batch, in the order of its pairs: the cells, turns or nodes of each path, as
/// one slice.
///
/// ```
/// use portolan::search_engine::{SearchConfig, SearchEngine};
/// use portolan::{Build, Cell, Engine, Grid, batch};
///
/// let astar = SearchEngine::build(&Grid::new(9, 5)?.into(), &SearchConfig::default())?;
/// let turns = batch::find_all_turns(|| astar.query(), &[(0, 8), (3, 3)], 0)?;
/// let path = turns.get(0).unwrap()?.expect("the grid is empty");
/// assert_eq!(path.items, [Cell::new(0, 0), Cell::new(8, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PathLists<T> {
    answers: Answers<Blocks<T>, BlockRange>,
}

/// A path of [`PathLists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathList<'a, T> {
    /// What the path costs.
    pub cost: Cost,
    /// Its cells, turns or nodes, both ends included.
    pub items: &'a [T],
}

impl Paths {
    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.answers.places.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answer to the pair at this index: a path, or `None` if there is none. `None` beyond the
    /// last pair.
    pub fn get(&self, at: usize) -> Option<Result<Option<Route<'_>>, EndpointError>> {
        let answer = self.answers.get(at)?;
        Some(answer.map(|found| found.map(|(cost, kept, path)| kept.route(&self.map, cost, path))))
    }

    /// All answers, in the order of the pairs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Option<Route<'_>>, EndpointError>> {
        (0..self.len()).map(|at| self.get(at).unwrap_or(Ok(None)))
    }

    pub(super) fn find<Q: Query>(query: impl Fn() -> Q + Sync, pairs: &[Endpoints]) -> Self {
        let map = query().map().clone();
        Self { answers: Answers::find(query, pairs, KeptPaths::add), map }
    }

    /// Replaces the answer to a pair by an error.
    pub(crate) fn refuse(&mut self, at: usize, error: EndpointError) {
        self.answers.refuse(at, error);
    }
}

impl<'a> IntoIterator for &'a Paths {
    type Item = Result<Option<Route<'a>>, EndpointError>;
    type IntoIter = Box<dyn ExactSizeIterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl<T> PathLists<T> {
    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.answers.places.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answer to the pair at this index: a path, or `None` if there is none. `None` beyond the
    /// last pair.
    pub fn get(&self, at: usize) -> Option<Result<Option<PathList<'_, T>>, EndpointError>> {
        let answer = self.answers.get(at)?;
        Some(answer.map(|found| {
            found.map(|(cost, lists, range)| PathList { cost, items: lists.get(range) })
        }))
    }

    /// All answers, in the order of the pairs.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = Result<Option<PathList<'_, T>>, EndpointError>> {
        (0..self.len()).map(|at| self.get(at).unwrap_or(Ok(None)))
    }

    /// Replaces the answer to a pair by an error.
    pub(crate) fn refuse(&mut self, at: usize, error: EndpointError) {
        self.answers.refuse(at, error);
    }
}

impl<T: Send> PathLists<T> {
    /// `append` appends the items of a path, of which there are at most as many as nodes.
    pub(super) fn find<Q: Query>(
        query: impl Fn() -> Q + Sync,
        pairs: &[Endpoints],
        append: impl Fn(&Route<'_>, &mut Vec<T>) + Sync,
    ) -> Self {
        let add = |lists: &mut Blocks<T>, route: &Route<'_>| {
            lists.append(route.path().node_count(), |list| append(route, list))
        };
        Self { answers: Answers::find(query, pairs, add) }
    }
}

impl<'a, T> IntoIterator for &'a PathLists<T> {
    type Item = Result<Option<PathList<'a, T>>, EndpointError>;
    type IntoIter = Box<dyn ExactSizeIterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// What the workers on a batch found, and where the answer to each pair is.
#[derive(Debug, Clone)]
struct Answers<S, P> {
    workers: Vec<WorkerAnswers<S, P>>,
    /// By pair the number of its worker, in the upper half, and of its path there; [`NO_PATH`] if
    /// there is none.
    places: Vec<u64>,
    errors: BTreeMap<usize, EndpointError>,
}

const NO_PATH: u64 = u64::MAX;

/// The cost of a path, what its worker kept, and where the path is in that.
type Found<'a, S, P> = Option<(Cost, &'a S, P)>;

#[derive(Debug, Clone)]
struct WorkerAnswers<S, P> {
    /// The cost of each path, and where in `kept` the path is.
    paths: Vec<(Cost, P)>,
    kept: S,
}

impl<S: Default + Send, P: Copy + Send> Answers<S, P> {
    /// `add` keeps a path.
    fn find<Q: Query>(
        query: impl Fn() -> Q + Sync,
        pairs: &[Endpoints],
        add: impl Fn(&mut S, &Route<'_>) -> P + Sync,
    ) -> Self {
        let places: Vec<AtomicU64> = pairs.iter().map(|_| AtomicU64::new(NO_PATH)).collect();
        let init = |worker: usize| {
            let found = WorkerAnswers { paths: Vec::new(), kept: S::default() };
            (worker as u64, found, Vec::new())
        };
        let found = in_shares(query, pairs, init, |(worker, found, errors), query, share| {
            let WorkerAnswers { paths, kept } = found;
            query.find_each(&share.pairs, &mut |at, answer| match answer {
                Ok(None) => {}
                Ok(Some(route)) => {
                    let place = *worker << 32 | paths.len() as u64;
                    places[share.number(at)].store(place, Ordering::Relaxed);
                    paths.push((route.cost(), add(kept, &route)));
                }
                Err(error) => errors.push((share.number(at), error)),
            });
        });
        let (mut workers, mut errors) = (Vec::new(), BTreeMap::new());
        for (_, found, refused) in found {
            workers.push(found);
            errors.extend(refused);
        }
        let places = places.into_iter().map(AtomicU64::into_inner).collect();
        Self { workers, places, errors }
    }
}

impl<S, P: Copy> Answers<S, P> {
    fn get(&self, at: usize) -> Option<Result<Found<'_, S, P>, EndpointError>> {
        let &place = self.places.get(at)?;
        let worker = self.workers.get((place >> 32) as usize);
        let path = worker.and_then(|found| Some((found, found.paths.get(place as u32 as usize)?)));
        Some(match (path, self.errors.get(&at)) {
            (Some((found, &(cost, path))), _) => Ok(Some((cost, &found.kept, path))),
            (None, Some(error)) => Err(error.clone()),
            (None, None) => Ok(None),
        })
    }

    fn refuse(&mut self, at: usize, error: EndpointError) {
        if let Some(place) = self.places.get_mut(at) {
            *place = NO_PATH;
            self.errors.insert(at, error);
        }
    }
}

/// Paths in the form in which the engine had them.
#[derive(Debug, Clone, Default)]
struct KeptPaths {
    nodes: Blocks<NodeId>,
    legs: Blocks<Leg>,
}

#[derive(Debug, Clone, Copy)]
enum KeptPath {
    Nodes(BlockRange),
    Legs(NodeId, BlockRange),
}

impl KeptPaths {
    fn add(&mut self, route: &Route<'_>) -> KeptPath {
        match route.path() {
            Path::Nodes(nodes) => {
                let list = self.nodes.append(nodes.len(), |list| list.extend_from_slice(nodes));
                KeptPath::Nodes(list)
            }
            Path::Legs(from, legs) => {
                let steps = legs.iter().filter(|leg| leg.steps > 0).copied();
                KeptPath::Legs(from, self.legs.append(legs.len(), |list| list.extend(steps)))
            }
        }
    }

    fn route<'a>(&'a self, map: &'a Map, cost: Cost, path: KeptPath) -> Route<'a> {
        let path = match path {
            KeptPath::Nodes(range) => Path::Nodes(self.nodes.get(range)),
            KeptPath::Legs(from, range) => Path::Legs(from, self.legs.get(range)),
        };
        Route::new(map, cost, path)
    }
}

/// Lists in blocks that are never moved. Each list is in one block.
#[derive(Debug, Clone)]
struct Blocks<T>(Vec<Vec<T>>);

/// Where a list is.
#[derive(Debug, Clone, Copy)]
struct BlockRange {
    block: u32,
    len: u32,
    start: usize,
}

/// The least capacity of a block. Each has twice as much as the one before it, up to the most.
const LEAST_BLOCK: usize = 1 << 10;
const MOST_BLOCK: usize = 1 << 19;

/// What writers may reserve beyond the items that they append.
const SLACK: usize = 64;

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Blocks<T> {
    /// Appends a list of at most so many items.
    fn append(&mut self, most: usize, write: impl FnOnce(&mut Vec<T>)) -> BlockRange {
        let needed = most + SLACK;
        let last = self.0.last();
        if last.is_none_or(|last| last.capacity() - last.len() < needed) {
            let usual = last.map_or(LEAST_BLOCK, |last| (2 * last.capacity()).min(MOST_BLOCK));
            self.0.push(Vec::with_capacity(usual.max(needed)));
        }
        let block = self.0.len() - 1;
        let list = &mut self.0[block];
        let start = list.len();
        write(list);
        BlockRange { block: block as u32, len: (list.len() - start) as u32, start }
    }

    fn get(&self, BlockRange { block, len, start }: BlockRange) -> &[T] {
        let block = self.0.get(block as usize).map_or(&[][..], |block| block);
        block.get(start..start + len as usize).unwrap_or(&[])
    }
}
