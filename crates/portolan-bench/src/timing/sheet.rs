//! One contestant: its times, and what its answers are worth.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use portolan::Map;
use portolan::search::Counter;

use super::{Contestant, Rounds};
use crate::Bars;
use crate::judge::{self, Fault, Tally};
use crate::workload::{Query, Workload};

/// One contestant, its times and the verdicts on its answers.
///
/// [`check`](Self::check) comes first and is not timed: it judges every path. In timed rounds the
/// same answers have to come again.
pub(crate) struct Sheet<'a> {
    /// Who answers.
    pub(crate) contestant: Box<dyn Contestant + 'a>,
    /// Times of full paths.
    pub(crate) paths: Rounds,
    /// Times of full paths right after all queries of the block were asked.
    pub(crate) repeated_paths: Rounds,
    /// Times of distances alone, which are asked after the paths.
    pub(crate) distances: Rounds,
    /// Times of distances right after all queries of the block were asked.
    pub(crate) repeated_distances: Rounds,
    /// Nodes expanded and generated in the check.
    pub(crate) counter: Counter,
    /// The verdicts on the answers, those in timed rounds included.
    pub(crate) tally: Tally,
    queries: &'a [Query],
}

impl<'a> Sheet<'a> {
    /// Nothing has been asked yet.
    pub(crate) fn new(contestant: impl Contestant + 'a, workload: &'a Workload) -> Self {
        Self {
            contestant: Box::new(contestant),
            paths: Rounds::default(),
            repeated_paths: Rounds::default(),
            distances: Rounds::default(),
            repeated_distances: Rounds::default(),
            counter: Counter::default(),
            tally: Tally::default(),
            queries: &workload.queries,
        }
    }

    /// How many queries are asked in a round.
    pub(crate) fn query_count(&self) -> usize {
        self.queries.len()
    }

    /// The queries that got an answer, right or wrong.
    #[cfg(feature = "peers")]
    pub(crate) fn answered(&self) -> Vec<usize> {
        (0..self.tally.answered.len()).filter(|&query| self.is_answered(query)).collect()
    }

    /// Asks the first query, and those after it while this holds of the time that finding has taken
    /// so far. Later rounds leave out the rest too.
    pub(crate) fn check(&mut self, map: &Map, mut go_on: impl FnMut(Duration) -> bool) {
        let mut spent = Duration::ZERO;
        for (index, query) in self.queries.iter().enumerate() {
            if index > 0 && !go_on(spent) {
                self.queries = &self.queries[..index];
                return;
            }
            let start = Instant::now();
            let answered = self.contestant.find_counted(query.from, query.to, &mut self.counter);
            spent += start.elapsed();
            let path = self.contestant.path();
            let answered = match self.contestant.has_costs() {
                true => answered,
                false => {
                    answered.map(|cost| cost.map(|_| map.walk(path.iter().copied()).unwrap_or(0)))
                }
            };
            let exact = self.contestant.exact();
            self.tally.add(judge::judge(map, query, exact, answered, &path));
        }
    }

    /// Times full paths. They must cost what those that were checked cost, if any were.
    pub(crate) fn time_paths(&mut self, round: usize, block: Range<usize>, bars: &dyn Bars) {
        let has_costs = self.contestant.has_costs();
        for index in self.of_block(block, bars) {
            let query = &self.queries[index];
            let start = Instant::now();
            let later = black_box(self.contestant.find(query.from, query.to));
            self.paths.set(round, index, start.elapsed());
            if let Some(first) = self.tally.answered.get(index) {
                let agree = match has_costs {
                    true => *first == later,
                    false => matches!(first, Ok(Some(_))) == matches!(later, Ok(Some(_))),
                };
                if !agree {
                    let first = first.clone();
                    self.tally.note(index, Fault::Unsteady { first, later });
                }
            }
        }
    }

    /// Times full paths once more, right after [`time_paths`](Self::time_paths).
    pub(super) fn repeat_paths(&mut self, round: usize, block: Range<usize>, bars: &dyn Bars) {
        for index in self.of_block(block, bars) {
            let query = &self.queries[index];
            let start = Instant::now();
            let _ = black_box(self.contestant.find(query.from, query.to));
            self.repeated_paths.set(round, index, start.elapsed());
        }
    }

    /// Times distances alone, which must be those of the paths that were checked.
    pub(super) fn time_distances(&mut self, round: usize, block: Range<usize>, bars: &dyn Bars) {
        let exact = self.contestant.exact();
        for index in self.of_block(block, bars) {
            let query = &self.queries[index];
            let start = Instant::now();
            let distance = black_box(self.contestant.distance(query.from, query.to));
            let Some(distance) = distance else { return };
            self.distances.set(round, index, start.elapsed());
            let path = self.tally.answered.get(index);
            let fault = path.and_then(|path| judge::judge_distance(exact, path, &distance));
            if let Some(fault) = fault {
                self.tally.note(index, fault);
            }
        }
    }

    /// Times distances once more.
    pub(super) fn repeat_distances(&mut self, round: usize, block: Range<usize>, bars: &dyn Bars) {
        for index in self.of_block(block, bars) {
            let query = &self.queries[index];
            let start = Instant::now();
            if black_box(self.contestant.distance(query.from, query.to)).is_none() {
                return;
            }
            self.repeated_distances.set(round, index, start.elapsed());
        }
    }

    /// The queries of a block that are asked again, until the work is cancelled.
    fn of_block<'b>(
        &self,
        block: Range<usize>,
        bars: &'b dyn Bars,
    ) -> impl Iterator<Item = usize> + use<'b> {
        let block = block.start..block.end.min(self.queries.len());
        let queries: Vec<usize> = block.filter(|&query| self.is_answered(query)).collect();
        queries.into_iter().take_while(|_| !bars.is_cancelled())
    }

    fn is_answered(&self, query: usize) -> bool {
        !matches!(self.tally.faults.get(&query), Some(Fault::Missed | Fault::Refused(_)))
    }
}
