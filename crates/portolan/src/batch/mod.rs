//! Batches of queries on all cores.
//!
//! ```
//! use portolan::atlas::{Atlas, AtlasConfig};
//! use portolan::{Build, Engine, Grid, Map, batch};
//!
//! let map = Map::from(Grid::new(100, 80)?);
//! let atlas = Atlas::build(&map, &AtlasConfig::default())?;
//! let pairs = [(0, 7_999), (99, 7_900), (5, 5)];
//! let paths = batch::find_all(|| atlas.query(), &pairs, 0)?;
//! for answer in &paths {
//!     let path = answer?.expect("the grid is empty");
//!     assert_eq!(map.walk(path.nodes()), Ok(path.cost()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Answers equal those of single queries, in the order of the pairs, for any number of threads.
//! Each thread has its own query and answers chunks of the pairs by [`Query::find_each`], for which
//! engines may interleave several queries.

use rayon::prelude::*;

use crate::build::{ThreadError, in_threads, thread_count};
use crate::cost::Cost;
use crate::engine::Query;
use crate::graph::{Endpoints, NodeId};
use crate::map::{EndpointError, Map};
use crate::route::Route;
use crate::trace::span;

/// The least number of pairs in a chunk: engines reorder the pairs of a chunk, and share their
/// paths.
const MIN_CHUNK: usize = 1024;

/// The number of chunks per thread, so that threads finish at about the same time.
const CHUNKS_PER_THREAD: usize = 4;

/// The paths of all pairs. `query` creates the query of a thread; 0 `threads` means one per core.
pub fn find_all<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<Paths, ThreadError> {
    let chunks = in_chunks(pairs, threads, |pairs| Chunk::answer(&mut query(), pairs))?;
    let size = chunks.first().map_or(1, |chunk| chunk.answers.len());
    Ok(Paths { chunks, chunk_size: size, len: pairs.len(), map: query().map().clone() })
}

/// The costs of the paths of all pairs; `None` if there is no path.
pub fn distances<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<Vec<Result<Option<Cost>, EndpointError>>, ThreadError> {
    let chunks = in_chunks(pairs, threads, |pairs| {
        let mut answers = vec![Ok(None); pairs.len()];
        query().distance_each(pairs, &mut |at, answer| answers[at] = answer);
        answers
    })?;
    Ok(chunks.into_iter().flatten().collect())
}

/// Works on chunks of the pairs in parallel. Returns the results in order.
fn in_chunks<T: Send>(
    pairs: &[Endpoints],
    threads: usize,
    work: impl Fn(&[Endpoints]) -> T + Send + Sync,
) -> Result<Vec<T>, ThreadError> {
    span!("batch", pairs = pairs.len());
    in_threads(threads, || {
        let chunks = match thread_count() {
            1 => 1,
            threads => threads * CHUNKS_PER_THREAD,
        };
        let size = pairs.len().div_ceil(chunks).max(MIN_CHUNK);
        pairs.par_chunks(size).map(work).collect()
    })
}

/// The answers of a batch, in the order of its pairs.
#[derive(Debug, Clone)]
pub struct Paths {
    chunks: Vec<Chunk>,
    /// The number of pairs in each chunk except the last.
    chunk_size: usize,
    len: usize,
    map: Map,
}

/// The answers to consecutive pairs.
#[derive(Debug, Clone)]
struct Chunk {
    answers: Vec<Result<Option<PathSpan>, EndpointError>>,
    /// The nodes of all paths.
    nodes: Vec<NodeId>,
}

/// A path, and the range of its nodes.
#[derive(Debug, Clone, Copy)]
struct PathSpan {
    cost: Cost,
    start: usize,
    len: usize,
}

impl Paths {
    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The answer to the pair at this index: a path, or `None` if there is none. `None` beyond the
    /// last pair.
    pub fn get(&self, at: usize) -> Option<Result<Option<Route<'_>>, EndpointError>> {
        let chunk = self.chunks.get(at / self.chunk_size)?;
        let answer = chunk.answers.get(at % self.chunk_size)?;
        Some(answer.clone().map(|found| found.map(|span| chunk.route(span, &self.map))))
    }

    /// Replaces the answer to a pair by an error.
    pub(crate) fn refuse(&mut self, at: usize, error: EndpointError) {
        let chunk = self.chunks.get_mut(at / self.chunk_size);
        if let Some(answer) = chunk.and_then(|chunk| chunk.answers.get_mut(at % self.chunk_size)) {
            *answer = Err(error);
        }
    }

    /// All answers, in the order of the pairs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Option<Route<'_>>, EndpointError>> {
        (0..self.len).map(|at| self.get(at).unwrap_or(Ok(None)))
    }
}

impl<'a> IntoIterator for &'a Paths {
    type Item = Result<Option<Route<'a>>, EndpointError>;
    type IntoIter = Box<dyn ExactSizeIterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl Chunk {
    fn answer(query: &mut impl Query, pairs: &[Endpoints]) -> Self {
        let mut answers = vec![Ok(None); pairs.len()];
        let mut nodes = Vec::new();
        query.find_each(pairs, &mut |at, answer| {
            answers[at] = answer.map(|route| {
                route.map(|route| {
                    let start = nodes.len();
                    route.append_to(&mut nodes);
                    PathSpan { cost: route.cost(), start, len: nodes.len() - start }
                })
            });
        });
        Self { answers, nodes }
    }

    fn route<'a>(&'a self, PathSpan { cost, start, len }: PathSpan, map: &'a Map) -> Route<'a> {
        Route::complete(map, cost, self.nodes.get(start..start + len).unwrap_or(&[]))
    }
}
