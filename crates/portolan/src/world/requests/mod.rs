//! Path requests, worked off a little per frame.
//!
//! A [`Requests`] is a queue: most urgent first, then first come. [`Requests::advance`] answers within a budget of expansions or of time. A
//! search that is not done when the budget is used up goes on in the next call, on the version it began with; its path
//! says which one that is.
//!
//! **What is fixed.** Work goes in rounds. A round takes the first 16 requests of the most urgent kind (up to 256 where an index answers, as many as fit into the budget by what the last ones took)
//! and gives each an equal share of what is left; that number does not depend on how many threads work on them. So with
//! budgets of expansions the same requests, versions and engines that are ready give the same results in the same calls, whatever the threads. With budgets of time the
//! clock decides how many rounds there are. Then a result waits for those of its own urgency that were asked for before it, so that
//! the order is the same nevertheless: requests that were all submitted before the first call come by urgency, then as submitted.

mod search;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use self::search::{Running, answer_whole};
use super::{Path, Snapshot, WorldError};
use crate::debug::debug_by_name;
use crate::engine::{AnyEngine, EndpointError};
use crate::graph::NodeId;
use crate::search::Scratch;
use crate::threads::ThreadError;

/// What can be chosen for [`Requests`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestsConfig {
    /// The engine that answers where it is ready; otherwise, and by default, A* does, which can be put down at any node. An
    /// engine's query is never put down: it counts as the nodes it expands, at least one, and may take more than is left.
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
    /// Work so long; it is looked at between rounds of a few hundred expansions per search.
    Time(Duration),
}

/// A request that was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId {
    /// The most urgent ones first.
    urgency: Reverse<i32>,
    serial: u64,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Which request.
    pub id: RequestId,
    /// The path, with the version that it is about; `None` where there is none.
    pub path: Result<Option<Path>, EndpointError>,
    /// How many nodes were expanded for it.
    pub expanded: u64,
}

/// Requests that wait, are worked on, or are done and not yet handed out.
///
/// ```
/// use portolan::Grid;
/// use portolan::world::{Budget, Requests, RequestsConfig, World};
/// let world = World::new(Grid::from_fn(80, 80, |x, y| x != 40 || y == 79)?)?;
/// let mut requests = Requests::new(RequestsConfig::default())?;
/// let patrol = requests.submit(0, 79, 0);
/// let alarm = requests.submit(5, 6, 10); // more urgent
/// let mut frames = Vec::new();
/// while !requests.is_empty() {
///     let answers = requests.advance(&world.snapshot(), Budget::Expansions(1000))?;
///     frames.push(answers.iter().map(|answer| answer.id).collect::<Vec<_>>());
/// }
/// assert_eq!(frames[0], [alarm]);
/// assert_eq!(frames[frames.len() - 1], [patrol]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Requests {
    config: RequestsConfig,
    pool: Option<rayon::ThreadPool>,
    pending: BTreeMap<RequestId, Pending>,
    serial: u64,
    /// Room that searches have left for the next ones.
    spare: Vec<Scratch>,
    /// The most nodes that a query of the engine has expanded of late, and how many queries the last round had.
    dearest: u64,
    last_round: u64,
}

debug_by_name!("Requests", [] Requests, |requests| "config" = requests.config);

enum Pending {
    Waiting { from: NodeId, to: NodeId },
    Running(Box<Running>),
    Done { path: Result<Option<Path>, EndpointError>, expanded: u64 },
}

/// Requests that share a round: enough for every core, few enough that each gets somewhere.
const ROUND: usize = 16;

/// The most where an index answers, which takes microseconds.
const INDEX_ROUND: u64 = 256;

/// The most expansions of a search in a round with others.
const SLICE: u64 = 1024;

/// The same where the clock decides.
const TIMED_SLICE: u64 = 256;

/// The most queries of an engine between two looks at the clock.
const TIMED_ROUND: usize = 32;

impl Requests {
    /// An empty queue.
    pub fn new(config: RequestsConfig) -> Result<Self, ThreadError> {
        let threads = config.threads;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = (threads > 1).then(|| pool.build()).transpose();
        let pool = pool.map_err(|error| ThreadError { threads, reason: error.to_string() })?;
        let (pending, spare) = (BTreeMap::new(), Vec::new());
        Ok(Self { config, pool, pending, serial: 0, spare, dearest: 1, last_round: 0 })
    }

    /// Asks for the shortest path between two nodes. The greater the urgency the sooner.
    pub fn submit(&mut self, from: NodeId, to: NodeId, urgency: i32) -> RequestId {
        let id = RequestId { urgency: Reverse(urgency), serial: self.serial };
        self.serial += 1;
        self.pending.insert(id, Pending::Waiting { from, to });
        id
    }

    /// Takes a request back; says whether it was still there.
    pub fn cancel(&mut self, id: RequestId) -> bool {
        match self.pending.remove(&id) {
            Some(Pending::Running(search)) => {
                keep(&mut self.spare, search.into_scratch());
                true
            }
            other => other.is_some(),
        }
    }

    /// How many requests have not been handed out.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether all have been.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Works on the requests; new ones are answered for this version. Gives the answers that are ready, most urgent first,
    /// then as they were submitted.
    pub fn advance(
        &mut self,
        snapshot: &Snapshot,
        budget: Budget,
    ) -> Result<Vec<Answer>, WorldError> {
        let engine = match &self.config.engine {
            None => None,
            Some(name) if snapshot.standing(name).is_none() => return Err(snapshot.no_engine(name)),
            Some(name) => snapshot.engine(name),
        };
        match budget {
            Budget::Expansions(expansions) => {
                let mut left = expansions;
                while left > 0 {
                    let most = usize::try_from(left).unwrap_or(usize::MAX);
                    let used = self.round(snapshot, engine, most, |searches| {
                        let share = left / searches.max(1) as u64;
                        if searches > 1 { share.min(SLICE) } else { share }
                    });
                    let Some(used) = used else { break };
                    left = left.saturating_sub(used);
                }
            }
            Budget::Time(time) => {
                let start = Instant::now();
                while start.elapsed() < time
                    && self.round(snapshot, engine, TIMED_ROUND, |_| TIMED_SLICE).is_some()
                {
                }
            }
        }
        Ok(self.hand_out(matches!(budget, Budget::Time(_))))
    }

    /// One round with at most so many requests, each search with this share; says how many nodes were expanded, or that
    /// there is nothing to do.
    fn round(
        &mut self,
        snapshot: &Snapshot,
        engine: Option<&dyn AnyEngine>,
        most: usize,
        share: impl Fn(usize) -> u64,
    ) -> Option<u64> {
        let unfinished = |pending: &Pending| !matches!(pending, Pending::Done { .. });
        let (first, _) = self.pending.iter().find(|(_, pending)| unfinished(pending))?;
        let urgency = first.urgency;
        let open = self.pending.range_mut(*first..);
        let mut open = open
            .take_while(|(id, _)| id.urgency == urgency)
            .map(|(_, pending)| pending)
            .filter(|pending| unfinished(pending))
            .peekable();
        let waits = matches!(open.peek(), Some(Pending::Waiting { .. }));
        if let Some(engine) = engine.filter(|_| waits) {
            // A query is never put down, so no more are begun than should fit; a few show what one takes.
            let fit = (most as u64 / self.dearest).min(2 * self.last_round);
            let fit = fit.clamp(1, INDEX_ROUND) as usize;
            let whole = open.take_while(|pending| matches!(pending, Pending::Waiting { .. }));
            let mut whole: Vec<&mut Pending> = whole.take(fit).collect();
            let answer = |part: &mut [&mut Pending]| answer_whole(engine, snapshot, part);
            let [used, dearest] = match parts(self.config.threads, whole.len()) {
                1 => answer(&mut whole),
                parts => {
                    let size = whole.len().div_ceil(parts);
                    let both = |a: [u64; 2], b: [u64; 2]| [a[0] + b[0], a[1].max(b[1])];
                    in_pool(&self.pool, || {
                        whole.par_chunks_mut(size).map(answer).reduce(|| [0; 2], both)
                    })
                }
            };
            // Of late: what was dear once need not be so for ever.
            self.dearest = dearest.max(self.dearest / 2).max(1);
            self.last_round = whole.len() as u64;
            return Some(used);
        }
        // Where the engine has become ready, it answers what A* has not begun with.
        let begins =
            |pending: &&mut Pending| engine.is_none() || matches!(pending, Pending::Running(_));
        let searches = open.filter(begins).take(most.min(ROUND));
        let mut searches: Vec<&mut Pending> = searches.collect();
        let share = share(searches.len());
        for pending in &mut searches {
            if let &mut &mut Pending::Waiting { from, to } = pending {
                let scratch = self.spare.pop().unwrap_or_default();
                **pending = Running::begin(snapshot, (from, to), scratch);
            }
        }
        let advance = |pending: &mut &mut Pending| pending.advance(share);
        let used = match parts(self.config.threads, searches.len()) {
            1 => searches.iter_mut().map(advance).sum(),
            _ => in_pool(&self.pool, || searches.par_iter_mut().with_max_len(1).map(advance).sum()),
        };
        for pending in searches {
            if let Some(scratch) = pending.finish() {
                keep(&mut self.spare, scratch);
            }
        }
        Some(used)
    }

    /// Takes out what is done; with `in_order` only what no earlier request of its urgency holds back.
    fn hand_out(&mut self, in_order: bool) -> Vec<Answer> {
        let mut held_back = None;
        let mut answers = Vec::new();
        self.pending.retain(|&id, pending| {
            let done = matches!(pending, Pending::Done { .. });
            if !done || (in_order && held_back == Some(id.urgency)) {
                held_back = Some(id.urgency);
                return true;
            }
            let taken = std::mem::replace(pending, Pending::Waiting { from: 0, to: 0 });
            if let Pending::Done { path, expanded } = taken {
                answers.push(Answer { id, path, expanded });
            }
            false
        });
        answers
    }
}

fn keep(spare: &mut Vec<Scratch>, scratch: Scratch) {
    if spare.len() < ROUND {
        spare.push(scratch);
    }
}

/// Into how many parts so much work is cut.
fn parts(threads: usize, pieces: usize) -> usize {
    let threads = if threads == 0 { crate::threads::thread_count() } else { threads };
    threads.min(pieces).max(1)
}

fn in_pool<T: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
