//! All contestants asked the same queries side by side, on one thread.
//!
//! Three rounds over all queries in their order; a query counts with its best time of the three. Within a
//! round the queries go in blocks: everyone answers a block before anyone sees the next, so that a noisy minute
//! hits all alike, and a block is long enough that nobody works on caches which another has filled. Blocks
//! begin elsewhere in every round, so no query comes right after a change more than once. Blocks of one are
//! for contestants of about the same weight.

use std::hint::black_box;
use std::time::Instant;

use portolan::NodeId;

use crate::contestant::{Contestant, Found};
use crate::{Ask, Subject};

const ROUNDS: usize = 3;

/// What one contestant needed.
#[derive(Debug)]
pub struct Figures {
    /// The mean time of a full path, in microseconds.
    pub path_us: f64,
    /// The mean time of a distance alone, where the contestant finds one.
    pub distance_us: Option<f64>,
    /// Every wrong answer, described; one is enough for a query.
    pub wrong: Vec<String>,
}

/// Asks everyone everything; the figures come in the order of the contestants.
pub fn race(
    subject: &Subject,
    contestants: &mut [Box<dyn Contestant + '_>],
    block: usize,
) -> Vec<Figures> {
    let mut sheets: Vec<Sheet> =
        contestants.iter().map(|_| Sheet::new(subject.asks.len())).collect();
    let numbered: Vec<(usize, &Ask)> = subject.asks.iter().enumerate().collect();
    let block = block.max(1);
    for round in 0..ROUNDS {
        let (head, rest) = numbered.split_at((round * block / ROUNDS).min(numbered.len()));
        for asks in std::iter::once(head).chain(rest.chunks(block)) {
            for (contestant, sheet) in contestants.iter_mut().zip(&mut sheets) {
                sheet.paths(&mut **contestant, subject, asks, round == 0);
                sheet.distances(&mut **contestant, subject, asks);
            }
        }
    }
    sheets.into_iter().map(Sheet::figures).collect()
}

/// The best times of one contestant so far, by query, and what was wrong.
struct Sheet {
    paths: Vec<f64>,
    distances: Vec<f64>,
    wrong: Vec<Option<String>>,
}

impl Sheet {
    fn new(asks: usize) -> Self {
        let worst = || vec![f64::INFINITY; asks];
        Self { paths: worst(), distances: worst(), wrong: vec![None; asks] }
    }

    fn paths(
        &mut self,
        contestant: &mut dyn Contestant,
        subject: &Subject,
        asks: &[(usize, &Ask)],
        walk: bool,
    ) {
        for &(index, ask) in asks {
            let start = Instant::now();
            let found = black_box(contestant.find(ask.from, ask.to));
            keep_better(&mut self.paths[index], start);
            let fault = check(subject, ask, &found).or_else(|| {
                // Once is enough, and leaves the caches alone in the other rounds.
                walk.then(|| check_path(subject, ask, &found, &contestant.path())).flatten()
            });
            self.note(index, contestant.name(), ask, fault);
        }
    }

    fn distances(
        &mut self,
        contestant: &mut dyn Contestant,
        subject: &Subject,
        asks: &[(usize, &Ask)],
    ) {
        for &(index, ask) in asks {
            let start = Instant::now();
            let found = black_box(contestant.distance(ask.from, ask.to));
            let Some(found) = found else { return };
            keep_better(&mut self.distances[index], start);
            let fault = check(subject, ask, &found);
            self.note(index, contestant.name(), ask, fault);
        }
    }

    fn note(&mut self, index: usize, name: &str, ask: &Ask, fault: Option<String>) {
        if let Some(fault) = fault {
            let describe = || format!("{name}: {fault} on {ask:?}");
            self.wrong[index].get_or_insert_with(describe);
        }
    }

    fn figures(self) -> Figures {
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let distance_us = Some(mean(&self.distances)).filter(|mean| mean.is_finite());
        let wrong = self.wrong.into_iter().flatten().collect();
        Figures { path_us: mean(&self.paths), distance_us, wrong }
    }
}

fn keep_better(best: &mut f64, start: Instant) {
    *best = best.min(start.elapsed().as_secs_f64() * 1e6);
}

/// What is wrong with a cost.
fn check(subject: &Subject, ask: &Ask, found: &Found) -> Option<String> {
    match found {
        Ok(cost) if ask.accepts(&subject.map, *cost) => None,
        found => Some(format!("{found:?}")),
    }
}

/// What is wrong with a path whose cost is right.
fn check_path(subject: &Subject, ask: &Ask, found: &Found, path: &[NodeId]) -> Option<String> {
    let Ok(Some(cost)) = found else { return None };
    if (path.first(), path.last()) != (Some(&ask.from), Some(&ask.to)) {
        return Some("a path with other ends".into());
    }
    match subject.map.walk(path.iter().copied()) {
        Ok(walked) if walked == *cost => None,
        walked => Some(format!("{cost}, whose path walks as {walked:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestant::{Own, Pathfinding};
    use crate::contraction::{self, FastPaths};
    use portolan::engine::{self, AnyEngine, Settings};
    use portolan::formats::dimacs;
    use portolan::{Grid, Map};

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
        Subject { name: "test".into(), map: map.clone(), asks }
    }

    fn build(name: &str, map: &Map) -> Box<dyn AnyEngine> {
        engine::method(name).unwrap().build(map, &Settings::default()).unwrap()
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
            (vec![0, 1], step + 1, Some("liar: Ok(Some(33462)) on Ask")),
            (vec![1, 0], step, Some("liar: a path with other ends on Ask")),
            (vec![0, 2, 1], step, Some("liar: 33461, whose path walks as Err")),
        ] {
            let asks = vec![Ask::new(0, 1, Some(step))];
            let subject = Subject { name: "test".into(), map: map.clone(), asks };
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
