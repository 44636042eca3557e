//! Path requests, worked off a little per frame.
//!
//! A [`Requests`] is a queue: most urgent first, then first come. [`Requests::advance`] answers
//! within a budget of expansions or of time. A search that is not done when the budget is used up
//! goes on in the next call, on the version it began with; its path says which one that is.
//!
//! **What is fixed.** Work goes in rounds. A round takes the first 16 requests of the most urgent
//! kind (up to 256 where an index answers, as many as fit into the budget by what the last ones
//! took) and gives each an equal share of what is left; that number does not depend on how many
//! threads work on them. So with budgets of expansions the same requests, versions and engines that
//! are ready give the same results in the same calls, whatever the threads. With budgets of time
//! the clock decides how many rounds there are. Then a result waits for those of its own urgency
//! that were asked for before it, so that the order is the same nevertheless: requests that were
//! all submitted before the first call come by urgency, then as submitted.

mod search;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use self::search::{Call, Ends, Running};
use super::{Path, Snapshot, WorldError};
use crate::build::{ThreadError, thread_pool};
use crate::engine::ScratchPool;
use crate::location::Location;
use crate::search::Scratch;

/// What can be chosen for [`Requests`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestsConfig {
    /// The engine that answers where it is ready; otherwise, and by default, A* does, which can be
    /// put down at any node. An engine's query is never put down: it counts as the nodes it
    /// expands, at least one, and may take more than is left.
    pub engine: Option<String>,
    /// Threads to work on; 0 for one per core. Results do not depend on it.
    pub threads: usize,
}

impl Default for RequestsConfig {
    fn default() -> Self {
        Self { engine: None, threads: 1 }
    }
}

/// How much one call of [`Requests::advance`] may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Expand so many nodes.
    Expansions(u64),
    /// Work so long. The clock is read before every 32 expansions of a search and before every
    /// query of an engine, so a call ends late by no more than one of these takes.
    Time(Duration),
}

/// A request that was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId {
    /// The most urgent ones first.
    urgency: Reverse<i32>,
    serial: u64,
}

/// A path to ask for, and a tag that belongs to the caller and comes back with the answer.
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
    ends: Ends,
    urgency: i32,
    tag: T,
}

impl Request {
    /// Asks for the shortest path between two cells or nodes, for a unit of one cell, with urgency
    /// 0.
    pub fn new(from: impl Into<Location>, to: impl Into<Location>) -> Self {
        let ends = Ends { from: from.into(), to: to.into(), size: 1 };
        Self { ends, urgency: 0, tag: () }
    }
}

impl<T> Request<T> {
    /// The greater the urgency the sooner.
    pub fn with_urgency(self, urgency: i32) -> Self {
        Self { urgency, ..self }
    }

    /// For a unit of `size` x `size` cells; see [`Snapshot::for_size`].
    pub fn for_size(mut self, size: u32) -> Self {
        self.ends.size = size;
        self
    }

    /// What comes back with the answer, such as the entity that wants the path.
    pub fn with_tag<U>(self, tag: U) -> Request<U> {
        Request { ends: self.ends, urgency: self.urgency, tag }
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T = ()> {
    /// Which request.
    pub id: RequestId,
    /// What it was submitted with.
    pub tag: T,
    /// The path, with the version that it is about; `None` where there is none.
    pub path: Result<Option<Path>, WorldError>,
    /// How many nodes were expanded for it.
    pub expanded: u64,
}

/// Requests that wait, are worked on, or are done and not yet handed out; each with a tag that
/// belongs to the caller.
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
    /// Those that have no answer yet.
    open: BTreeMap<RequestId, Open<T>>,
    /// Answers that have not been handed out.
    done: Vec<Answer<T>>,
    serial: u64,
    /// Space that searches have left for the next ones.
    spare: ScratchPool<Scratch>,
    /// The most nodes that a query of the engine has expanded recently, and how many queries the
    /// last round had.
    dearest: u64,
    last_round: u64,
}

struct Open<T> {
    tag: T,
    pending: Pending,
}

/// How far a request is.
enum Pending {
    Waiting(Ends),
    Running(Box<Running>),
    Done { path: Result<Option<Path>, WorldError>, expanded: u64 },
}

/// Requests that share a round: enough for every core, few enough that each gets somewhere.
const ROUND: usize = 16;

/// The most where an index answers, which takes microseconds.
const INDEX_ROUND: u64 = 256;

/// The most expansions of a search in a round with others.
const SLICE: u64 = 1024;

/// The same where the clock decides.
const TIMED_SLICE: u64 = 256;

impl<T> Requests<T> {
    /// An empty queue.
    pub fn new(config: RequestsConfig) -> Result<Self, ThreadError> {
        let threads = config.threads;
        let pool = (threads > 1).then(|| thread_pool(threads)).transpose()?;
        let (open, done, spare) = (BTreeMap::new(), Vec::new(), ScratchPool::default());
        Ok(Self { config, pool, open, done, serial: 0, spare, dearest: 1, last_round: 0 })
    }

    /// Adds a request to the queue. Its ends are checked when it is its turn.
    pub fn submit(&mut self, request: Request<T>) -> RequestId {
        let Request { ends, urgency, tag } = request;
        let id = RequestId { urgency: Reverse(urgency), serial: self.serial };
        self.serial += 1;
        self.open.insert(id, Open { tag, pending: Pending::Waiting(ends) });
        id
    }

    /// Takes a request back; returns its tag if it was still there.
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

    /// How many requests have not been handed out.
    pub fn len(&self) -> usize {
        self.open.len() + self.done.len()
    }

    /// Whether all have been.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Works on the requests; new ones are answered for this version. Returns the answers that are
    /// ready, most urgent first, then as they were submitted.
    pub fn advance(
        &mut self,
        snapshot: &Snapshot,
        budget: Budget,
    ) -> Result<Vec<Answer<T>>, WorldError> {
        let start = Instant::now();
        let deadline = match budget {
            // Later than the clock can tell is never.
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
        Ok(self.hand_out(matches!(budget, Budget::Time(_))))
    }

    /// One round that expands about so many nodes at most, each search with this share; says how
    /// many nodes were expanded, or that there is nothing to do.
    fn round(&mut self, call: &Call<'_>, most: u64, share: impl Fn(usize) -> u64) -> Option<u64> {
        let (first, Open { pending, .. }) = self.open.first_key_value()?;
        let (urgency, threads) = (first.urgency, self.config.threads);
        let whole =
            |pending: &Pending| matches!(pending, Pending::Waiting(ends) if call.has_engine(ends));
        let by_engine = whole(pending);
        let same = self.open.iter_mut().take_while(|(id, _)| id.urgency == urgency);
        let open = same.map(|(&id, open)| (id, &mut open.pending));
        let (worked_on, used) = if by_engine {
            // A query is never put down, so no more are begun than should fit; a few show what one
            // takes.
            let fit = (most / self.dearest).min(2 * self.last_round).clamp(1, INDEX_ROUND);
            let mut requests: Vec<(RequestId, &mut Pending)> =
                open.take_while(|(_, pending)| whole(pending)).take(fit as usize).collect();
            let [used, dearest] = match parts(threads, requests.len()) {
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
            // Of late: what was expensive once need not be so for ever.
            self.dearest = dearest.max(self.dearest / 2).max(1);
            self.last_round = requests.len() as u64;
            (requests, used)
        } else {
            // Where the engine has become ready, it answers what A* has not begun with.
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

    /// Takes out what is done; with `in_order` only what no earlier request of its urgency holds
    /// back.
    fn hand_out(&mut self, in_order: bool) -> Vec<Answer<T>> {
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

/// Into how many parts so much work is cut.
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
