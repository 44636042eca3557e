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
//!
//! | function | gives | choose it |
//! |---|---|---|
//! | [`distances`] | costs | if costs are enough |
//! | [`visit_all`] | each path to a closure, on the thread that found it | to evaluate paths without keeping them; the fastest way to paths |
//! | [`find_all`] | [`Route`]s | to keep paths; they stay in the form of the engine, for `atlas` straight legs |
//! | [`find_all_turns`] | the turns of each path as a slice | to draw or send paths |
//! | [`find_all_cells`], [`find_all_nodes`] | every cell or node as a slice | if nothing less will do: writing them to memory takes longer than finding them, and does not get faster with every core |
//!
//! The batch is divided into shares of pairs that start and end in the same parts of the map, by
//! [`Query::locality`]. Each thread has its own query and answers share after share by
//! [`Query::find_each`], for which engines may interleave several queries and share paths.

mod paths;
mod shares;

pub use paths::{PathList, PathLists, Paths};

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use self::shares::in_shares;
use crate::build::{ThreadError, in_threads};
use crate::cost::UNREACHABLE;
use crate::engine::{CostAnswer, PathAnswer, Query};
use crate::graph::{Endpoints, NodeId};
use crate::location::Cell;
use crate::route::Route;
use crate::trace::span;

/// The paths of all pairs. `query` creates the query of a thread; 0 `threads` means one per core.
pub fn find_all<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<Paths, ThreadError> {
    span!("batch", pairs = pairs.len());
    in_threads(threads, || Paths::find(query, pairs))
}

/// The cells of the paths of all pairs, like [`find_all`]. Empty lists on graphs.
pub fn find_all_cells<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<PathLists<Cell>, ThreadError> {
    find_lists(query, pairs, threads, |route, cells| route.append_cells(cells))
}

/// The cells where the paths of all pairs [turn](Route::turns), both ends included, like
/// [`find_all`]. Empty lists on graphs.
pub fn find_all_turns<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<PathLists<Cell>, ThreadError> {
    find_lists(query, pairs, threads, |route, turns| route.append_turns(turns))
}

/// The nodes of the paths of all pairs, like [`find_all`].
pub fn find_all_nodes<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<PathLists<NodeId>, ThreadError> {
    find_lists(query, pairs, threads, |route, nodes| route.append_to(nodes))
}

fn find_lists<Q: Query, T: Send>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
    append: impl Fn(&Route<'_>, &mut Vec<T>) + Send + Sync,
) -> Result<PathLists<T>, ThreadError> {
    span!("batch", pairs = pairs.len());
    in_threads(threads, || PathLists::find(query, pairs, append))
}

/// Calls `visit` with the index of each pair and its path, on the thread that found it. Nothing is
/// copied.
///
/// `init` creates the state of a thread, to which `visit` has access without locks. Returns all
/// states, of which there are at most as many as threads. Each pair is visited once, in any order,
/// and which pairs share a state differs from run to run. So combine states by an operation that
/// does not depend on it, such as an integer sum or a maximum.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig};
/// use portolan::{Build, Engine, Grid, batch};
///
/// // How often does a path cross each cell?
/// let atlas = Atlas::build(&Grid::new(40, 30)?.into(), &AtlasConfig::default())?;
/// let pairs: Vec<(u32, u32)> = (0..1200).map(|node| (node, 1199 - node)).collect();
/// let counts = batch::visit_all(
///     || atlas.query(),
///     &pairs,
///     0,
///     || vec![0_u32; 1200],
///     |counts, _, answer| {
///         let path = answer.ok().flatten().expect("the grid is empty");
///         path.nodes().for_each(|node| counts[node as usize] += 1);
///     },
/// )?;
/// let busiest = (0..1200).max_by_key(|&node| counts.iter().map(|all| all[node]).sum::<u32>());
/// assert!(busiest.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn visit_all<Q: Query, S: Send>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
    init: impl Fn() -> S + Send + Sync,
    visit: impl Fn(&mut S, usize, PathAnswer<'_>) + Send + Sync,
) -> Result<Vec<S>, ThreadError> {
    span!("batch", pairs = pairs.len());
    in_threads(threads, || {
        in_shares(
            query,
            pairs,
            |_| init(),
            |state, query, share| {
                query.find_each(&share.pairs, &mut |at, answer| {
                    visit(state, share.number(at), answer);
                });
            },
        )
    })
}

/// The costs of the paths of all pairs; `None` if there is no path.
pub fn distances<Q: Query>(
    query: impl Fn() -> Q + Send + Sync,
    pairs: &[Endpoints],
    threads: usize,
) -> Result<Vec<CostAnswer>, ThreadError> {
    span!("batch", pairs = pairs.len());
    in_threads(threads, || {
        // Workers write to places all over the list. It is small, unlike the list of answers.
        let costs: Vec<AtomicU32> = pairs.iter().map(|_| AtomicU32::new(UNREACHABLE)).collect();
        let errors = in_shares(
            query,
            pairs,
            |_| Vec::new(),
            |errors, query, share| {
                query.distance_each(&share.pairs, &mut |at, answer| match answer {
                    Ok(None) => {}
                    Ok(Some(cost)) => costs[share.number(at)].store(cost, Ordering::Relaxed),
                    Err(error) => errors.push((share.number(at), error)),
                });
            },
        );
        let known = |cost| Some(cost).filter(|&cost| cost != UNREACHABLE);
        let costs = costs.into_par_iter().map(|cost| Ok(known(cost.into_inner())));
        let mut answers: Vec<CostAnswer> = costs.collect();
        errors.into_iter().flatten().for_each(|(at, error)| answers[at] = Err(error));
        answers
    })
}
