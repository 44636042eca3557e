//! All contestants asked the same queries side by side, on one thread.
//!
//! Several rounds over all queries in their order. Within a round the queries go in blocks:
//! everyone answers a block before anyone sees the next, so that a noisy minute hits all alike, and
//! a block is long enough that nobody works on caches which another has filled. Blocks begin
//! elsewhere in every round, and another contestant begins them, so no query comes right after a
//! change more than once. Blocks of one are for contestants of about the same weight.
//!
//! Every path is walked and judged in the first round; in the others the same answer has to come
//! again. Where repeated passes are wanted, each block is answered once more right away in all
//! rounds but the first, by who has the caches for itself by then.

use std::hint::black_box;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::contestant::{Contestant, Found};
use crate::memory::{self, Need};
use crate::times::Times;
use crate::verdict::{Verdict, judge};
use crate::{Ask, Subject};

/// How a race is run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How often everyone is asked everything.
    pub rounds: usize,
    /// Queries in a row before the next contestant.
    pub block: usize,
    /// What the paths of a contestant may take in all rounds together. One that is slower is asked
    /// only the first queries; whoever sets this puts them into an order of which every beginning
    /// is a fair sample.
    pub time_cap: Option<Duration>,
    /// Whether everyone answers each block a second time right after the first.
    pub repeats: bool,
}

/// What one contestant needed, as the best of three rounds.
#[derive(Debug)]
pub struct Figures {
    /// The mean time of a full path, in microseconds.
    pub path_us: f64,
    /// The mean time of a distance alone, where the contestant finds one.
    pub distance_us: Option<f64>,
    /// Every wrong answer, described; one is enough for a query.
    pub wrong: Vec<String>,
}

/// Asks everyone everything three times; a query counts with its best time. The figures come in the
/// order of the contestants.
pub fn race(
    subject: &Subject,
    contestants: &mut [Box<dyn Contestant + '_>],
    block: usize,
) -> Vec<Figures> {
    let plan = Plan { rounds: 3, block, time_cap: None, repeats: false };
    let sheets = run(subject, contestants, &plan);
    let named = contestants.iter().map(|contestant| contestant.name()).zip(sheets);
    named.map(|(name, sheet)| Figures::new(name, &sheet, subject)).collect()
}

impl Figures {
    fn new(name: &str, sheet: &Sheet, subject: &Subject) -> Self {
        let verdicts = sheet.verdicts.iter().zip(&subject.asks);
        let wrong = verdicts.filter(|(verdict, _)| **verdict != Verdict::Optimal);
        Self {
            path_us: sheet.paths.best_us(),
            distance_us: Some(sheet.distances.best_us()).filter(|mean| mean.is_finite()),
            wrong: wrong.map(|(verdict, ask)| format!("{name}: {verdict} on {ask:?}")).collect(),
        }
    }
}

/// Asks everyone everything; the sheets come in the order of the contestants.
pub fn run(
    subject: &Subject,
    contestants: &mut [Box<dyn Contestant + '_>],
    plan: &Plan,
) -> Vec<Sheet> {
    let asks = &subject.asks[..];
    let mut sheets: Vec<Sheet> =
        contestants.iter().map(|_| Sheet::new(plan.rounds, asks.len())).collect();
    let block = plan.block.clamp(1, asks.len().max(1));
    let passes = if plan.repeats { 2 * plan.rounds } else { plan.rounds };
    let cap = plan.time_cap.map(|cap| cap / passes.max(1) as u32);
    for round in 0..plan.rounds {
        let mut start = 0;
        let mut end = (round * block / plan.rounds).min(asks.len());
        while start < asks.len() {
            for turn in 0..contestants.len() {
                let index = (turn + round) % contestants.len();
                let (contestant, sheet) = (&mut *contestants[index], &mut sheets[index]);
                sheet.ask_paths(contestant, subject, round, start..end, cap);
                if plan.repeats && round > 0 {
                    sheet.ask_paths_again(contestant, subject, round, start..end);
                }
                sheet.ask_distances(contestant, subject, round, start..end);
                if plan.repeats && round > 0 {
                    sheet.ask_distances_again(contestant, subject, round, start..end);
                }
            }
            (start, end) = (end, (end + block).min(asks.len()));
        }
    }
    sheets
}

/// All times of one contestant, and what its answers are worth.
pub struct Sheet {
    /// Times of full paths.
    pub paths: Times,
    /// The same right after all queries of the block had been asked.
    pub repeated_paths: Times,
    /// Times of distances alone, which are asked after the paths.
    pub distances: Times,
    /// The same right after all queries of the block had been asked.
    pub repeated_distances: Times,
    /// By query, as far as it was asked.
    pub verdicts: Vec<Verdict>,
    /// The most bytes that it held at once beside what was there before the first query: what a
    /// query needs and what is kept for the next.
    pub working_bytes: usize,
    answers: Vec<Found>,
    kept: isize,
    spent: Duration,
    /// Queries from here on are not asked.
    end: usize,
}

impl Sheet {
    fn new(rounds: usize, asks: usize) -> Self {
        Self {
            paths: Times::new(rounds, asks),
            repeated_paths: Times::new(rounds, asks),
            distances: Times::new(rounds, asks),
            repeated_distances: Times::new(rounds, asks),
            verdicts: Vec::with_capacity(asks),
            working_bytes: 0,
            answers: Vec::with_capacity(asks),
            kept: 0,
            spent: Duration::ZERO,
            end: asks,
        }
    }

    /// How many queries it was asked.
    pub fn asked(&self) -> usize {
        self.verdicts.len()
    }

    /// The queries that it answered, rightly or not.
    pub fn answered(&self) -> Vec<usize> {
        let answered = |&index: &usize| !matches!(self.verdicts[index], Verdict::NoAnswer(_));
        (0..self.asked()).filter(answered).collect()
    }

    fn ask_paths(
        &mut self,
        contestant: &mut dyn Contestant,
        subject: &Subject,
        round: usize,
        indices: Range<usize>,
        cap: Option<Duration>,
    ) {
        for index in indices {
            if index >= self.end {
                return;
            }
            let ask = &subject.asks[index];
            if round == 0 {
                self.ask_first(contestant, subject, index);
                if cap.is_some_and(|cap| self.spent >= cap) {
                    self.end = index + 1;
                }
            } else if !matches!(self.verdicts[index], Verdict::NoAnswer(_)) {
                let start = Instant::now();
                let found = black_box(contestant.find(ask.from, ask.to));
                self.paths.set(round, index, start.elapsed());
                if found != self.answers[index] {
                    let words = format!("{:?} first and {found:?} later", self.answers[index]);
                    self.verdicts[index] = Verdict::Contradiction(words);
                }
            }
        }
    }

    /// Asks what was answered once more; the answers were checked.
    fn ask_paths_again(
        &mut self,
        contestant: &mut dyn Contestant,
        subject: &Subject,
        round: usize,
        indices: Range<usize>,
    ) {
        for index in indices.start..indices.end.min(self.end) {
            if !matches!(self.verdicts[index], Verdict::NoAnswer(_)) {
                let ask = &subject.asks[index];
                let start = Instant::now();
                let _ = black_box(contestant.find(ask.from, ask.to));
                self.repeated_paths.set(round, index, start.elapsed());
            }
        }
    }

    /// Asks for the first time: counts memory, survives a panic, and judges.
    fn ask_first(&mut self, contestant: &mut dyn Contestant, subject: &Subject, index: usize) {
        let ask = &subject.asks[index];
        let start = Instant::now();
        let (found, need) = memory::counted(|| {
            catch_unwind(AssertUnwindSafe(|| black_box(contestant.find(ask.from, ask.to))))
        });
        let time = start.elapsed();
        self.spent += time;
        self.add_need(need);
        let Ok(found) = found else {
            self.answers.push(Ok(None));
            self.verdicts.push(Verdict::NoAnswer("a panic".into()));
            return;
        };
        self.paths.set(0, index, time);
        let (path, tells) = (contestant.path(), contestant.tells_costs());
        self.verdicts.push(judge(subject, ask, &found, &path, tells));
        self.answers.push(found);
    }

    fn add_need(&mut self, need: Need) {
        let most = (self.kept + need.peak).max(0) as usize;
        self.working_bytes = self.working_bytes.max(most);
        self.kept += need.kept;
    }

    fn ask_distances(
        &mut self,
        contestant: &mut dyn Contestant,
        subject: &Subject,
        round: usize,
        indices: Range<usize>,
    ) {
        for index in indices.start..indices.end.min(self.end) {
            let ask: &Ask = &subject.asks[index];
            let start = Instant::now();
            let found = black_box(contestant.distance(ask.from, ask.to));
            let Some(found) = found else { return };
            self.distances.set(round, index, start.elapsed());
            let is_right = found.as_ref().is_ok_and(|&cost| ask.accepts(&subject.map, cost));
            if !is_right && self.verdicts[index] == Verdict::Optimal {
                self.verdicts[index] = Verdict::Contradiction(format!("distance {found:?}"));
            }
        }
    }

    fn ask_distances_again(
        &mut self,
        contestant: &mut dyn Contestant,
        subject: &Subject,
        round: usize,
        indices: Range<usize>,
    ) {
        for index in indices.start..indices.end.min(self.end) {
            let ask = &subject.asks[index];
            let start = Instant::now();
            if black_box(contestant.distance(ask.from, ask.to)).is_none() {
                return;
            }
            self.repeated_distances.set(round, index, start.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestant::{Own, Pathfinding};
    use crate::contraction::{self, FastPaths};
    use portolan::formats::dimacs;
    use portolan::registry::{self, Settings};
    use portolan::{Engine, Grid, Map, NodeId};

    /// Every third pair, with the answers of a Dijkstra engine.
    fn subject(map: Map) -> Subject {
        let engine = build("dijkstra", &map);
        let mut query = engine.query();
        let nodes = (0..map.node_count() as NodeId).filter(|&node| map.contains(node));
        let nodes: Vec<NodeId> = nodes.collect();
        let pairs = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to)));
        let asks = pairs
            .step_by(3)
            .map(|(from, to)| Ask::new(from, to, query.distance(from, to).unwrap()))
            .collect();
        Subject { name: "test".into(), map: map.clone(), asks, unusable: 0 }
    }

    fn build(name: &str, map: &Map) -> Box<dyn Engine> {
        registry::method(name).unwrap().build(map, &Settings::default()).unwrap()
    }

    fn check_all(map: Map) {
        let subject = subject(map);
        let prepared = contraction::prepare(&subject.map);
        let ppa = build("ppa", &subject.map);
        for block in [1, 7, 10_000] {
            let mut contestants: Vec<Box<dyn Contestant + '_>> = vec![
                Box::new(Pathfinding::new(&subject.map).unwrap()),
                Box::new(FastPaths::new(&subject.map, &prepared)),
                Box::new(Own::new(&*ppa)),
            ];
            let figures = race(&subject, &mut contestants, block);
            for figures in &figures {
                assert!(figures.wrong.is_empty(), "{:?}", figures.wrong);
                assert!(figures.path_us.is_finite());
            }
            let with_distance = figures.iter().map(|figures| figures.distance_us.is_some());
            assert_eq!(with_distance.collect::<Vec<_>>(), [false, false, true]);
        }
    }

    #[test]
    fn all_agree_on_a_grid() {
        // Two parts, so that there are pairs without a path, and a lone cell at the end.
        let wall = |x, y| x != 4 && (x, y) != (7, 6) && (x, y) != (8, 5) && (x, y) != (7, 5);
        check_all(Grid::from_fn(9, 7, wall).unwrap().into());
    }

    #[test]
    fn all_agree_on_a_graph_with_edges_that_cost_nothing() {
        let text =
            b"p sp 6 8\na 1 2 0\na 2 3 0\na 3 1 7\na 1 3 2\na 3 4 1\na 3 4 5\na 4 4 0\na 4 1 0\n";
        check_all(dimacs::read_gr(text).unwrap().into());
    }

    /// Answers with the path it found at first, whatever it is asked.
    struct Liar(Vec<NodeId>, u32);

    impl Contestant for Liar {
        fn name(&self) -> &str {
            "liar"
        }

        fn find(&mut self, _: NodeId, _: NodeId) -> Found {
            Ok(Some(self.1))
        }

        fn path(&self) -> Vec<NodeId> {
            self.0.clone()
        }
    }

    #[test]
    fn wrong_costs_and_wrong_paths_are_found() {
        let map = Map::from(Grid::new(3, 1).unwrap());
        let step = portolan::cost::STRAIGHT;
        for (path, cost, expected) in [
            (vec![0, 1], step, None),
            (vec![0, 1], step + 1, Some("liar: cost 33462, whose path walks as 33461 on Ask")),
            (vec![1, 0], step, Some("liar: a path with other ends on Ask")),
            (vec![0, 2, 1], step, Some("liar: no step leads from 0 to 2 on Ask")),
        ] {
            let asks = vec![Ask::new(0, 1, Some(step))];
            let subject = Subject { name: "test".into(), map: map.clone(), asks, unusable: 0 };
            let mut contestants: Vec<Box<dyn Contestant + '_>> = vec![Box::new(Liar(path, cost))];
            let figures = race(&subject, &mut contestants, 1);
            let wrong = figures[0].wrong.first().map(String::as_str);
            let expected_here = match (wrong, expected) {
                (Some(wrong), Some(start)) => wrong.starts_with(start),
                (wrong, expected) => wrong == expected,
            };
            assert!(expected_here, "{wrong:?}, not {expected:?}");
        }
    }
}
