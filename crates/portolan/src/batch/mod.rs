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
//!     assert_eq!(map.walk(path.nodes().iter().copied()), Ok(path.cost()));
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
use crate::graph::NodeId;
use crate::location::Cell;
use crate::map::{EndpointError, Map};
use crate::route::Columns;
use crate::trace::span;

/// The least number of pairs in a chunk: engines reorder the pairs of a chunk, and share their
/// paths.
const MIN_CHUNK: usize = 1024;

/// The number of chunks per thread, so that threads finish at about the same time.
const CHUNKS_PER_THREAD: usize = 4;

/// The paths of all pairs. `query` creates the query of a thread; 0 `threads` means one per core.
pub fn find_all<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[(NodeId, NodeId)],
    threads: usize,
) -> Result<Paths, ThreadError> {
    let chunks = in_chunks(pairs, threads, |pairs| Chunk::answer(&mut query(), pairs))?;
    let size = chunks.first().map_or(1, |chunk| chunk.answers.len());
    let scale = Scale::of(query().map());
    Ok(Paths { chunks, chunk_size: size, len: pairs.len(), scale })
}

/// The costs of the paths of all pairs; `None` if there is no path.
pub fn distances<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[(NodeId, NodeId)],
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
    pairs: &[(NodeId, NodeId)],
    threads: usize,
    work: impl Fn(&[(NodeId, NodeId)]) -> T + Send + Sync,
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
    scale: Scale,
}

/// Converts nodes to cells and costs to lengths.
#[derive(Debug, Clone, Copy)]
struct Scale {
    columns: Option<Columns>,
    unit: Cost,
}

impl Scale {
    fn of(map: &Map) -> Self {
        Self { columns: map.as_grid().map(Columns::of), unit: map.unit() }
    }
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

/// One path of a batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchPath<'a> {
    cost: Cost,
    nodes: &'a [NodeId],
    scale: Scale,
}

impl<'a> BatchPath<'a> {
    /// The cost of the path.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The length of the path in the unit of the map; see [`Map::length`].
    pub fn length(&self) -> f64 {
        f64::from(self.cost) / f64::from(self.scale.unit)
    }

    /// The nodes of the path, both ends included. One node if the start is the goal.
    pub fn nodes(&self) -> &'a [NodeId] {
        self.nodes
    }

    /// The cells of the path, both ends included; none on graphs.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = Cell> + use<'a> {
        let Self { nodes, scale, .. } = *self;
        let cells = scale.columns.map(|columns| nodes.iter().map(move |&node| columns.cell(node)));
        cells.into_iter().flatten()
    }
}

/// Equal costs and nodes.
impl PartialEq for BatchPath<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.cost, self.nodes) == (other.cost, other.nodes)
    }
}

impl Eq for BatchPath<'_> {}

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
    pub fn get(&self, at: usize) -> Option<Result<Option<BatchPath<'_>>, EndpointError>> {
        let chunk = self.chunks.get(at / self.chunk_size)?;
        let answer = chunk.answers.get(at % self.chunk_size)?;
        Some(answer.clone().map(|found| found.map(|span| chunk.path(span, self.scale))))
    }

    /// Replaces the answer to a pair by an error.
    pub(crate) fn refuse(&mut self, at: usize, error: EndpointError) {
        let chunk = self.chunks.get_mut(at / self.chunk_size);
        if let Some(answer) = chunk.and_then(|chunk| chunk.answers.get_mut(at % self.chunk_size)) {
            *answer = Err(error);
        }
    }

    /// All answers, in the order of the pairs.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = Result<Option<BatchPath<'_>>, EndpointError>> {
        (0..self.len).map(|at| self.get(at).unwrap_or(Ok(None)))
    }
}

impl<'a> IntoIterator for &'a Paths {
    type Item = Result<Option<BatchPath<'a>>, EndpointError>;
    type IntoIter = Box<dyn ExactSizeIterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl Chunk {
    fn answer(query: &mut impl Query, pairs: &[(NodeId, NodeId)]) -> Self {
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

    fn path(&self, PathSpan { cost, start, len }: PathSpan, scale: Scale) -> BatchPath<'_> {
        BatchPath { cost, nodes: self.nodes.get(start..start + len).unwrap_or(&[]), scale }
    }
}
