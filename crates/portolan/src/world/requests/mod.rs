//! Path requests, answered within a budget per frame.
//!
//! A [`Requests`] is a queue: most urgent first, then in the order of submission.
//! [`Requests::advance`] answers within a budget of expansions or of time. An unfinished search
//! continues in the next call, on the version that it began with. Its path has this version.
//!
//! **Determinism.** Work is done in rounds. A round takes the first 16 requests of the greatest
//! urgency, or up to 256 if an index answers, estimated from recent queries. Each gets an equal share
//! of the rest of the budget. These numbers do not depend on the number of threads. So with budgets
//! of expansions, the same requests, versions and ready engines give the same results in the same
//! calls. With budgets of time, the clock determines the number of rounds. A result then waits for
//! earlier requests of its urgency, so the order is still fixed: requests that were all submitted
//! before the first call are answered by urgency, then in the order of submission.

mod search;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use self::search::{Call, RequestEnds, Running};
use super::{Path, Snapshot, WorldError};
use crate::build::{ThreadError, thread_pool};
use crate::engine::ScratchPool;
use crate::location::Location;
use crate::search::Scratch;

/// Options of [`Requests`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestsConfig {
    /// The engine that answers if it is ready. Otherwise, and by default, A* answers, which can be
    /// interrupted at any node. A query of an engine is never interrupted. It counts as the nodes
    /// that it expands, at least one, and may exceed the budget.
    pub engine: Option<String>,
    /// The number of threads; 0 for one per core. Results do not depend on it.
    pub threads: usize,
}

impl Default for RequestsConfig {
    fn default() -> Self {
        Self { engine: None, threads: 1 }
    }
}

/// The budget of one call of [`Requests::advance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// The number of nodes to expand.
    Expansions(u64),
    /// Work so long. The clock is read before every 32 expansions of a search and before every
    /// query of an engine, so a call ends late by no more than one of these takes.
    Time(Duration),
}

/// Identifies a submitted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId {
    /// Greater urgencies first.
    urgency: Reverse<i32>,
    serial: u64,
}

/// A request for a path, with a tag of the caller that is returned with the answer.
///
/// ```
/// use portolan::world::Request;
/// let patrol = Request::new((3, 4), (40, 12));
/// let alarm = Request::new((3, 4), (5, 4)).with_urgency(10).with_tag("unit 7");
/// let tank = Request::new((3, 4), (40, 12)).for_size(2); // a unit of 2 x 2 cells
/// # let _ = (patrol, alarm, tank);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<T = ()> {
    ends: RequestEnds,
    urgency: i32,
    tag: T,
}

impl Request {
    /// Requests the shortest path between two cells or nodes, for a unit of one cell, with urgency
    /// 0.
    pub fn new(from: impl Into<Location>, to: impl Into<Location>) -> Self {
        let ends = RequestEnds { from: from.into(), to: to.into(), size: 1 };
        Self { ends, urgency: 0, tag: () }
    }
}

impl<T> Request<T> {
    /// Sets the urgency. Requests of greater urgency are answered first.
    pub fn with_urgency(self, urgency: i32) -> Self {
        Self { urgency, ..self }
    }

    /// Requests a path for a unit of `size` x `size` cells; see [`Snapshot::for_size`].
    pub fn for_size(mut self, size: u32) -> Self {
        self.ends.size = size;
        self
    }

    /// Sets the tag to return with the answer, for example the entity that needs the path.
    pub fn with_tag<U>(self, tag: U) -> Request<U> {
        Request { ends: self.ends, urgency: self.urgency, tag }
    }
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T = ()> {
    /// The request.
    pub id: RequestId,
    /// Its tag.
    pub tag: T,
    /// The path; `None` if there is none.
    pub path: Result<Option<Path>, WorldError>,
    /// The number of nodes expanded for it.
    pub expanded: u64,
}

/// A queue of path requests, each with a tag of the caller.
///
/// ```
/// use portolan::Grid;
/// use portolan::world::{Budget, Request, Requests, RequestsConfig, World};
/// let world = World::new(Grid::from_fn(80, 80, |x, y| x != 40 || y == 79)?)?;
/// let mut requests = Requests::new(RequestsConfig::default())?;
/// requests.submit(Request::new((0, 0), (79, 0)).with_tag("patrol"));
/// requests.submit(Request::new((5, 0), (6, 0)).with_tag("alarm").with_urgency(10));
/// let mut frames = Vec::new();
/// while !requests.is_empty() {
///     let answers = requests.advance(&world.snapshot(), Budget::Expansions(1000))?;
///     frames.push(answers.iter().map(|answer| answer.tag).collect::<Vec<_>>());
/// }
/// assert_eq!(frames[0], ["alarm"]);
/// assert_eq!(frames[frames.len() - 1], ["patrol"]);
/// # Ok::<(), portolan::Error>(())
/// ```
pub struct Requests<T = ()> {
    config: RequestsConfig,
    pool: Option<rayon::ThreadPool>,
    /// Requests without an answer.
    open: BTreeMap<RequestId, Open<T>>,
    /// Answers that have not been returned.
    done: Vec<Answer<T>>,
    serial: u64,
    /// Scratch space for searches.
    spare: ScratchPool<Scratch>,
    /// The most nodes that a query of the engine has expanded recently.
    most_expanded: u64,
    /// The number of engine queries in the last round.
    last_round: u64,
}

struct Open<T> {
    tag: T,
    pending: Pending,
}

/// The state of a request without an answer.
enum Pending {
    Waiting(RequestEnds),
    Running(Box<Running>),
    Done { path: Result<Option<Path>, WorldError>, expanded: u64 },
}

/// The most searches in a round: enough for every core, few enough that each makes progress.
const ROUND: usize = 16;

/// The most engine queries in a round. They take microseconds.
const INDEX_ROUND: u64 = 256;

/// The most expansions of one search in a round.
const SLICE: u64 = 1024;

/// The most expansions of one search in a round, with a budget of time.
const TIMED_SLICE: u64 = 256;

impl<T> Requests<T> {
    /// An empty queue.
    pub fn new(config: RequestsConfig) -> Result<Self, ThreadError> {
        let threads = config.threads;
        let pool = (threads > 1).then(|| thread_pool(threads)).transpose()?;
        let (open, done, spare) = (BTreeMap::new(), Vec::new(), ScratchPool::default());
        Ok(Self { config, pool, open, done, serial: 0, spare, most_expanded: 1, last_round: 0 })
    }

    /// Adds a request to the queue. Its ends are checked when it is answered.
    pub fn submit(&mut self, request: Request<T>) -> RequestId {
        let Request { ends, urgency, tag } = request;
        let id = RequestId { urgency: Reverse(urgency), serial: self.serial };
        self.serial += 1;
        self.open.insert(id, Open { tag, pending: Pending::Waiting(ends) });
        id
    }

    /// Cancels a request. Returns its tag, or `None` if it is already answered or cancelled.
    pub fn cancel(&mut self, id: RequestId) -> Option<T> {
        if let Some(at) = self.done.iter().position(|answer| answer.id == id) {
            return Some(self.done.remove(at).tag);
        }
        let Open { tag, pending } = self.open.remove(&id)?;
        if let Pending::Running(search) = pending {
            self.spare.put_back(search.into_scratch().into());
        }
        Some(tag)
    }

    /// The number of requests whose answers have not been returned.
    pub fn len(&self) -> usize {
        self.open.len() + self.done.len()
    }

    /// Whether there is no such request.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Works on the requests. New ones are answered for this version. Returns the finished answers,
    /// most urgent first, then in the order of submission.
    pub fn advance(
        &mut self,
        snapshot: &Snapshot,
        budget: Budget,
    ) -> Result<Vec<Answer<T>>, WorldError> {
        let start = Instant::now();
        let deadline = match budget {
            // A deadline beyond the range of the clock never comes.
            Budget::Time(time) => start.checked_add(time),
            Budget::Expansions(_) => None,
        };
        let sized: Result<Vec<Snapshot>, _> =
            snapshot.sizes().map(|size| snapshot.for_size(size)).collect();
        let (sized, engine, spare) = (sized?, self.config.engine.clone(), self.spare.clone());
        if let Some(name) = &engine {
            let known = sized.iter().any(|snapshot| snapshot.standing(name).is_some());
            known.then_some(()).ok_or_else(|| snapshot.no_engine(name))?;
        }
        let call = Call::new(&sized, engine.as_deref(), deadline, &spare);
        match budget {
            Budget::Expansions(expansions) => {
                let mut left = expansions;
                while left > 0 {
                    let used = self.round(&call, left, |searches| {
                        let share = left / searches.max(1) as u64;
                        if searches > 1 { share.min(SLICE) } else { share }
                    });
                    let Some(used) = used else { break };
                    left = left.saturating_sub(used);
                }
            }
            Budget::Time(time) => {
                while start.elapsed() < time
                    && self.round(&call, u64::MAX, |_| TIMED_SLICE).is_some()
                {}
            }
        }
        Ok(self.take_done(matches!(budget, Budget::Time(_))))
    }

    /// Does one round of about `most` expansions, with `share` for each search. Returns the number
    /// of expansions, or `None` if there is nothing to do.
    fn round(&mut self, call: &Call<'_>, most: u64, share: impl Fn(usize) -> u64) -> Option<u64> {
        let (first, Open { pending, .. }) = self.open.first_key_value()?;
        let (urgency, threads) = (first.urgency, self.config.threads);
        let whole =
            |pending: &Pending| matches!(pending, Pending::Waiting(ends) if call.has_engine(ends));
        let by_engine = whole(pending);
        let same = self.open.iter_mut().take_while(|(id, _)| id.urgency == urgency);
        let open = same.map(|(&id, open)| (id, &mut open.pending));
        let (worked_on, used) = if by_engine {
            // A query is never interrupted, so a round begins only as many as should fit. It starts
            // with a few to learn what one takes.
            let fit = (most / self.most_expanded).min(2 * self.last_round).clamp(1, INDEX_ROUND);
            let mut requests: Vec<(RequestId, &mut Pending)> =
                open.take_while(|(_, pending)| whole(pending)).take(fit as usize).collect();
            let [used, most_expanded] = match parts(threads, requests.len()) {
                1 => call.answer(&mut requests),
                parts => {
                    let size = requests.len().div_ceil(parts);
                    let both = |a: [u64; 2], b: [u64; 2]| [a[0] + b[0], a[1].max(b[1])];
                    in_pool(&self.pool, || {
                        let answers = requests.par_chunks_mut(size).map(|part| call.answer(part));
                        answers.reduce(|| [0; 2], both)
                    })
                }
            };
            // Decays, because an expensive query need not come again.
            self.most_expanded = most_expanded.max(self.most_expanded / 2).max(1);
            self.last_round = requests.len() as u64;
            (requests, used)
        } else {
            // An engine that has become ready answers the requests that A* has not begun.
            let most = usize::try_from(most).unwrap_or(usize::MAX).min(ROUND);
            let mut searches: Vec<(RequestId, &mut Pending)> =
                open.filter(|(_, pending)| !whole(pending)).take(most).collect();
            let share = share(searches.len());
            let search = |(_, pending): &mut (RequestId, &mut Pending)| call.search(pending, share);
            let used = match parts(threads, searches.len()) {
                1 => searches.iter_mut().map(search).sum(),
                _ => in_pool(&self.pool, || {
                    searches.par_iter_mut().with_max_len(1).map(search).sum()
                }),
            };
            (searches, used)
        };
        let done =
            |(_, pending): &(RequestId, &mut Pending)| matches!(pending, Pending::Done { .. });
        let finished: Vec<RequestId> =
            worked_on.iter().filter(|&one| done(one)).map(|one| one.0).collect();
        for id in finished {
            let Some(Open { tag, pending }) = self.open.remove(&id) else { continue };
            if let Pending::Done { path, expanded } = pending {
                self.done.push(Answer { id, tag, path, expanded });
            }
        }
        Some(used)
    }

    /// Takes the finished answers. With `in_order`, only those without an unfinished earlier
    /// request of the same urgency.
    fn take_done(&mut self, in_order: bool) -> Vec<Answer<T>> {
        let mut answers = std::mem::take(&mut self.done);
        answers.sort_by_key(|answer| answer.id);
        if in_order {
            let open = &self.open;
            let is_free = |answer: &Answer<T>| {
                let first = RequestId { serial: 0, ..answer.id };
                open.range(first..answer.id).next().is_none()
            };
            let (free, held_back) = answers.into_iter().partition(is_free);
            (answers, self.done) = (free, held_back);
        }
        answers
    }
}

impl<T> fmt::Debug for Requests<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Requests")
            .field("config", &self.config)
            .field("open", &self.open.len())
            .field("done", &self.done.len())
            .finish_non_exhaustive()
    }
}

/// The number of parts into which to divide the work.
fn parts(threads: usize, pieces: usize) -> usize {
    let threads = if threads == 0 { crate::build::thread_count() } else { threads };
    threads.min(pieces).max(1)
}

fn in_pool<T: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
