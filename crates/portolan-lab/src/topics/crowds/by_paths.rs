//! A path for each agent. Only the next [`AHEAD`] nodes are kept, so memory does not depend on the
//! map; an agent that has walked them asks again.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use portolan::{Engine, NodeId};

use super::crowd::Crowd;
use super::{Computed, Movement, Work};
use crate::error::LabError;

/// Nodes of a path that are kept.
pub(super) const AHEAD: usize = 256;

/// Start and goal.
pub(super) type Pair = (NodeId, NodeId);

/// Finds paths for many pairs.
pub(super) trait Finder: fmt::Debug + Send {
    /// Finds paths until the deadline. `found` has a place for each pair, and gets the next nodes of
    /// its path, none if there is no path; places that stay `None` have not been tried.
    fn find(
        &mut self,
        pairs: &[Pair],
        found: &mut [Option<Vec<NodeId>>],
        work: &Work<'_>,
    ) -> Result<(), LabError>;
}

/// Moves each agent along a path of its own.
#[derive(Debug)]
pub(super) struct ByPaths<F> {
    finder: F,
    ways: Vec<Way>,
    /// The goals that have moved: agents on the way there need another path.
    moved: Vec<usize>,
    all_moved: bool,
    /// Agents for which the time of the last step did not suffice.
    waiting: usize,
    computed: Computed,
}

/// What an agent knows of its path.
#[derive(Debug, Clone, Default)]
struct Way {
    /// The next nodes, the next one last.
    ahead: Vec<NodeId>,
    /// Whether there is a path at all.
    is_known: bool,
}

impl<F> ByPaths<F> {
    pub(super) fn new(finder: F) -> Self {
        Self {
            finder,
            ways: Vec::new(),
            moved: Vec::new(),
            all_moved: false,
            waiting: 0,
            computed: Computed::default(),
        }
    }

    /// Forgets paths to goals that have moved. The agents walk on along the old path until they
    /// have a new one.
    fn forget(&mut self, crowd: &Crowd) {
        self.ways.resize_with(crowd.positions().len(), Way::default);
        if self.all_moved || !self.moved.is_empty() {
            for (way, &target) in self.ways.iter_mut().zip(crowd.targets()) {
                if self.all_moved || self.moved.contains(&usize::from(target)) {
                    way.is_known = false;
                }
            }
        }
        (self.all_moved, self.moved) = (false, Vec::new());
    }
}

impl<F: Finder> Movement for ByPaths<F> {
    fn goals_moved(&mut self, goal: Option<usize>) {
        match goal {
            Some(goal) if self.moved.contains(&goal) => {}
            Some(goal) => self.moved.push(goal),
            None => self.all_moved = true,
        }
    }

    fn step(&mut self, crowd: &mut Crowd, work: &Work<'_>) -> Result<(), LabError> {
        self.forget(crowd);
        let agents = 0..crowd.positions().len();
        let needs = |&agent: &usize| {
            let way = &self.ways[agent];
            (!way.is_known || way.ahead.is_empty()) && crowd.can_walk(agent)
        };
        // The first agent differs from step to step, so none waits forever.
        let first = (crowd.steps() as usize * 7919) % agents.len().max(1);
        let mut unserved: Vec<usize> = agents.filter(needs).collect();
        let split = unserved.partition_point(|&agent| agent < first);
        unserved.rotate_left(split);
        let pairs: Vec<Pair> = unserved
            .iter()
            .map(|&agent| (crowd.positions()[agent], crowd.goal_of(agent)))
            .collect();
        self.waiting = 0;
        if !pairs.is_empty() {
            let start = Instant::now();
            let mut found = vec![None; pairs.len()];
            self.finder.find(&pairs, &mut found, work)?;
            let count = found.iter().flatten().count();
            self.waiting = pairs.len() - count;
            self.computed.paths += count;
            self.computed.time += start.elapsed();
            for (agent, ahead) in unserved.into_iter().zip(found) {
                if let Some(mut ahead) = ahead {
                    ahead.reverse();
                    self.ways[agent] = Way { ahead, is_known: true };
                }
            }
        }
        for (agent, way) in self.ways.iter_mut().enumerate() {
            if let Some(next) = way.ahead.pop()
                && crowd.walk_to(agent, next)
            {
                *way = Way::default();
            }
        }
        Ok(())
    }

    fn waiting(&self, _: &Crowd) -> usize {
        self.waiting
    }

    fn take_computed(&mut self) -> Computed {
        std::mem::take(&mut self.computed)
    }
}

/// Finds paths with an engine, on all cores.
#[derive(Debug)]
pub(super) struct OnCores {
    engine: Arc<dyn Engine>,
}

/// Pairs that a core takes at a time: at first, and at most. More suit engines that answer several
/// queries at once; fewer keep to the time limit.
const PAIRS: [usize; 2] = [4, 1024];

/// A core takes more pairs at a time as long as that takes less than this.
const SHORT: Duration = Duration::from_millis(2);

impl OnCores {
    pub(super) fn new(engine: Arc<dyn Engine>) -> Self {
        Self { engine }
    }
}

impl Finder for OnCores {
    fn find(
        &mut self,
        pairs: &[Pair],
        found: &mut [Option<Vec<NodeId>>],
        work: &Work<'_>,
    ) -> Result<(), LabError> {
        let next = AtomicUsize::new(0);
        let answer = || {
            let mut query = self.engine.query();
            let [mut size, most] = PAIRS;
            let mut answers = Vec::new();
            while !work.is_over() {
                let first = next.fetch_add(size, Ordering::Relaxed);
                let Some(rest) = pairs.get(first..) else { break };
                let taken = &rest[..size.min(rest.len())];
                if taken.is_empty() {
                    break;
                }
                let start = Instant::now();
                query.find_each(taken, &mut |at, answer| {
                    // The first node is the position of the agent.
                    let nodes = answer
                        .ok()
                        .flatten()
                        .map(|route| route.nodes().skip(1).take(AHEAD).collect::<Vec<NodeId>>());
                    answers.push((first + at, nodes.unwrap_or_default()));
                });
                if start.elapsed() < SHORT {
                    size = (2 * size).min(most);
                } else {
                    size = (size / 2).max(1);
                }
            }
            answers
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cores = cores.min(pairs.len().div_ceil(PAIRS[0])).max(1);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(answer)).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        for answers in answers {
            let answers = answers.map_err(|_| LabError::Failed("a query failed".into()))?;
            for (at, nodes) in answers {
                found[at] = Some(nodes);
            }
        }
        Ok(())
    }
}
