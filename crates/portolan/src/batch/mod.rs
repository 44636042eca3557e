//! Many queries at once, on all cores.
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
//!     let path = answer?.expect("nothing is in the way");
//!     assert_eq!(map.walk(path.nodes().iter().copied()), Ok(path.cost()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Answers are those of single queries, in the order of the pairs, whatever the number of threads.
//! Each thread makes a query of its own and asks it a share of the pairs by [`Query::find_each`],
//! which engines may answer several at a time.

use rayon::prelude::*;

use crate::build::{ThreadError, in_threads, thread_count};
use crate::cost::Cost;
use crate::engine::Query;
use crate::graph::NodeId;
use crate::location::Cell;
use crate::map::{EndpointError, Map};
use crate::route::Columns;
use crate::trace::span;

/// The least share of a thread: what belongs together should not be taken apart.
const LEAST: usize = 1024;

/// Shares for each thread, so that none has to wait for a slow one for long.
const SHARES: usize = 4;

/// The paths of all pairs. `query` makes a query for a thread; `threads` may be 0 for one per core.
pub fn find_all<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[(NodeId, NodeId)],
    threads: usize,
) -> Result<Paths, ThreadError> {
    let shares = in_shares(pairs, threads, |pairs| Share::of(&mut query(), pairs))?;
    let size = shares.first().map_or(1, |share| share.answers.len());
    let scale = Scale::of(query().map());
    Ok(Paths { shares, size, len: pairs.len(), scale })
}

/// The costs of the paths of all pairs; `None` where there is no path.
pub fn distances<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[(NodeId, NodeId)],
    threads: usize,
) -> Result<Vec<Result<Option<Cost>, EndpointError>>, ThreadError> {
    let shares = in_shares(pairs, threads, |pairs| {
        let mut answers = vec![Ok(None); pairs.len()];
        query().distance_each(pairs, &mut |at, answer| answers[at] = answer);
        answers
    })?;
    Ok(shares.into_iter().flatten().collect())
}

/// Works on shares of the pairs side by side; the results come in their order.
fn in_shares<T: Send>(
    pairs: &[(NodeId, NodeId)],
    threads: usize,
    work: impl Fn(&[(NodeId, NodeId)]) -> T + Send + Sync,
) -> Result<Vec<T>, ThreadError> {
    span!("batch", pairs = pairs.len());
    in_threads(threads, || {
        let shares = match thread_count() {
            1 => 1,
            threads => threads * SHARES,
        };
        let size = pairs.len().div_ceil(shares).max(LEAST);
        pairs.par_chunks(size).map(work).collect()
    })
}

/// The answers of a batch, in the order of its pairs.
#[derive(Debug, Clone)]
pub struct Paths {
    shares: Vec<Share>,
    /// Pairs of each share but the last.
    size: usize,
    len: usize,
    scale: Scale,
}

/// What turns nodes into cells and costs into lengths.
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

/// What one thread found for some pairs.
#[derive(Debug, Clone)]
struct Share {
    answers: Vec<Result<Option<Found>, EndpointError>>,
    /// The nodes of all paths.
    nodes: Vec<NodeId>,
}

/// A path, and where its nodes are.
#[derive(Debug, Clone, Copy)]
struct Found {
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
    /// What the path costs.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// How long the path is, in the map's own unit; see [`Map::length`].
    pub fn length(&self) -> f64 {
        f64::from(self.cost) / f64::from(self.scale.unit)
    }

    /// The nodes of the path, both ends included; a start that is the goal comes once.
    pub fn nodes(&self) -> &'a [NodeId] {
        self.nodes
    }

    /// The cells of the path, both ends included; a start that is the goal comes once. None on
    /// graphs.
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
    /// How many pairs were asked.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none were.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The answer to the pair of this number: a path, or `None` where there is none. No answer
    /// beyond the last pair.
    pub fn get(&self, at: usize) -> Option<Result<Option<BatchPath<'_>>, EndpointError>> {
        let share = self.shares.get(at / self.size)?;
        let answer = share.answers.get(at % self.size)?;
        Some(answer.clone().map(|found| found.map(|found| share.path(found, self.scale))))
    }

    /// Replaces the answer to a pair by the reason why it has none.
    pub(crate) fn refuse(&mut self, at: usize, error: EndpointError) {
        let share = self.shares.get_mut(at / self.size);
        if let Some(answer) = share.and_then(|share| share.answers.get_mut(at % self.size)) {
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

impl Share {
    fn of(query: &mut impl Query, pairs: &[(NodeId, NodeId)]) -> Self {
        let mut answers = vec![Ok(None); pairs.len()];
        let mut nodes = Vec::new();
        query.find_each(pairs, &mut |at, answer| {
            answers[at] = answer.map(|route| {
                route.map(|route| {
                    let start = nodes.len();
                    route.append_to(&mut nodes);
                    Found { cost: route.cost(), start, len: nodes.len() - start }
                })
            });
        });
        Self { answers, nodes }
    }

    fn path(&self, Found { cost, start, len }: Found, scale: Scale) -> BatchPath<'_> {
        BatchPath { cost, nodes: self.nodes.get(start..start + len).unwrap_or(&[]), scale }
    }
}
