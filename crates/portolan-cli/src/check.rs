//! Whether an answer is right. Every path that this program shows as good has been walked here.

use std::fmt;

use portolan::engine::AnyEngine;
use portolan::{Cost, EndpointError, IllegalPath, Map, NodeId};

use crate::load::Loaded;
use crate::output::Output;
use crate::text;
use crate::threads;
use crate::workload::{Expected, Query, Workload};

/// What an engine answered: a cost with its path, or that there is none.
pub(crate) type Answer<'a> = Result<Option<(Cost, &'a [NodeId])>, EndpointError>;

/// What is wrong with an answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The path takes a step that there is not.
    Illegal(IllegalPath),
    /// The path starts or ends elsewhere.
    Ends { start: NodeId, end: NodeId },
    /// The path costs something else than it says.
    Sum { claimed: Cost, walked: Cost },
    /// The distance alone is not the cost of the path.
    Distance { path: Option<Cost>, distance: Option<Cost> },
    /// Longer than an exact engine may be.
    Longer { found: f64, expected: f64 },
    /// Shorter than possible.
    Shorter { found: f64, expected: f64 },
    /// There is a path, and none was found.
    Missed,
    /// A path was found where there is none.
    Invented,
    /// Another exact engine finds another cost, though a rounded length allows both.
    Disagrees { found: Option<Cost>, other: Option<Cost> },
    /// The engine refused a query that others answer.
    Refused(EndpointError),
}

/// One answer, judged.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The cost that was answered.
    pub(crate) cost: Option<Cost>,
    /// Whether it is as short as it should be; also that there is rightly none.
    pub(crate) optimal: bool,
    /// By how much the path is longer than the shortest, as a share of it.
    pub(crate) excess: Option<f64>,
    /// What is wrong, if anything.
    pub(crate) fault: Option<Fault>,
}

/// The verdicts on all answers of one engine.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) found: usize,
    pub(crate) optimal: usize,
    pub(crate) illegal: usize,
    excess_sum: f64,
    excess_max: f64,
    /// The cost that every query was answered with.
    pub(crate) costs: Vec<Option<Cost>>,
    /// What is wrong: the place of the query in the workload, and the fault.
    pub(crate) faults: Vec<(usize, Fault)>,
}

impl Tally {
    /// Adds the verdict on the next query.
    pub(crate) fn add(&mut self, verdict: Verdict) {
        let index = self.costs.len();
        self.costs.push(verdict.cost);
        self.found += usize::from(verdict.cost.is_some());
        self.optimal += usize::from(verdict.optimal);
        if let Some(excess) = verdict.excess {
            self.excess_sum += excess;
            self.excess_max = self.excess_max.max(excess);
        }
        if let Some(fault) = verdict.fault {
            self.illegal += usize::from(fault.is_illegal());
            self.faults.push((index, fault));
        }
    }

    /// Holds the costs against those of another exact engine; scenario lengths are rounded, these are not.
    pub(crate) fn compare(&mut self, others: &[Option<Cost>]) {
        let mut differing = Vec::new();
        for (index, (&found, &other)) in self.costs.iter().zip(others).enumerate() {
            // Faults come in the order of the queries; one of them is enough for a query.
            let is_known = self.faults.binary_search_by_key(&index, |&(known, _)| known).is_ok();
            if found != other && !is_known {
                differing.push((index, Fault::Disagrees { found, other }));
            }
        }
        self.faults.extend(differing);
    }

    /// The mean and the largest share by which paths are longer than the shortest.
    pub(crate) fn suboptimality(&self) -> Option<(f64, f64)> {
        (self.found > 0).then(|| (self.excess_sum / self.found as f64, self.excess_max))
    }

    /// The first few faults, described.
    pub(crate) fn first_faults(&self, loaded: &Loaded, workload: &Workload) -> Vec<String> {
        const SHOWN: usize = 5;
        let shown = self.faults.iter().take(SHOWN).map(|(index, fault)| {
            let query = workload.queries[*index].describe(loaded);
            format!("{query}: {}", Described { fault, loaded })
        });
        let more = self.faults.len().saturating_sub(SHOWN);
        shown.chain((more > 0).then(|| format!("and {} more", text::grouped(more)))).collect()
    }
}

/// Judges one answer.
pub(crate) fn judge(map: &Map, query: &Query, exact: bool, answer: Answer) -> Verdict {
    let verdict = |cost, optimal, excess, fault| Verdict { cost, optimal, excess, fault };
    let (cost, path) = match answer {
        Err(error) => return verdict(None, false, None, Some(Fault::Refused(error))),
        Ok(None) => {
            let rightly = !query.expected.has_path();
            return verdict(None, rightly, None, (!rightly).then_some(Fault::Missed));
        }
        Ok(Some(answer)) => answer,
    };
    if let Err(fault) = walk(map, query, cost, path) {
        return verdict(Some(cost), false, None, Some(fault));
    }
    match query.expected.compare(map, cost) {
        Comparison::Equal => verdict(Some(cost), true, Some(0.0), None),
        Comparison::NoPath => verdict(Some(cost), false, None, Some(Fault::Invented)),
        Comparison::Differs { found, expected } => {
            let excess = (expected > 0.0).then(|| found / expected - 1.0);
            let fault = match found < expected {
                true => Some(Fault::Shorter { found, expected }),
                false => exact.then_some(Fault::Longer { found, expected }),
            };
            verdict(Some(cost), false, excess.filter(|&excess| excess >= 0.0), fault)
        }
    }
}

/// Asks an engine every query, on all cores, for the path and for the distance alone.
pub(crate) fn examine(
    engine: &dyn AnyEngine,
    loaded: &Loaded,
    workload: &Workload,
    output: &Output,
) -> Tally {
    let bar = output.progress(engine.name(), workload.queries.len());
    let verdicts = threads::map_in_order(
        &workload.queries,
        || (engine.query(), Vec::new()),
        |(asked, path), query| {
            let answer = asked.run(query.from, query.to).map(|route| {
                route.map(|route| {
                    route.nodes_into(path);
                    route.cost()
                })
            });
            let answer = answer.map(|cost| cost.map(|cost| (cost, path.as_slice())));
            let mut verdict = judge(&loaded.map, query, engine.exact(), answer);
            if verdict.fault.is_none() {
                let cost = verdict.cost;
                verdict.fault = match asked.distance(query.from, query.to) {
                    // A distance that is no promise must at least say the same yes or no.
                    Ok(distance) if !engine.exact() && distance.is_some() == cost.is_some() => None,
                    Ok(distance) if distance == cost => None,
                    Ok(distance) => Some(Fault::Distance { path: cost, distance }),
                    Err(error) => Some(Fault::Refused(error)),
                };
            }
            bar.inc(1);
            verdict
        },
    );
    bar.finish_and_clear();
    let mut tally = Tally::default();
    verdicts.into_iter().for_each(|verdict| tally.add(verdict));
    tally
}

impl Fault {
    /// Whether the path itself is none, whatever its length.
    pub(crate) fn is_illegal(&self) -> bool {
        matches!(self, Self::Illegal(_) | Self::Ends { .. } | Self::Sum { .. })
    }
}

enum Comparison {
    Equal,
    NoPath,
    Differs { found: f64, expected: f64 },
}

impl Expected {
    fn has_path(&self) -> bool {
        !matches!(self, Self::Cost(None))
    }

    fn compare(&self, map: &Map, cost: Cost) -> Comparison {
        let found = map.length(cost);
        match self {
            Self::Length(line) if line.agrees(found) => Comparison::Equal,
            Self::Length(line) => Comparison::Differs { found, expected: line.length },
            Self::Cost(None) => Comparison::NoPath,
            Self::Cost(Some(expected)) if *expected == cost => Comparison::Equal,
            Self::Cost(Some(expected)) => {
                Comparison::Differs { found, expected: map.length(*expected) }
            }
        }
    }
}

fn walk(map: &Map, query: &Query, claimed: Cost, path: &[NodeId]) -> Result<(), Fault> {
    let walked = map.walk(path.iter().copied()).map_err(Fault::Illegal)?;
    match (path.first(), path.last()) {
        (Some(&start), Some(&end)) if (start, end) != (query.from, query.to) => {
            Err(Fault::Ends { start, end })
        }
        _ if walked != claimed => Err(Fault::Sum { claimed, walked }),
        _ => Ok(()),
    }
}

/// A fault, with places as people write them.
struct Described<'a> {
    fault: &'a Fault,
    loaded: &'a Loaded,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |node| self.loaded.place(node);
        let distance = |cost: Option<Cost>| match cost {
            Some(cost) => format!("{cost}"),
            None => "none".to_owned(),
        };
        match self.fault {
            Fault::Illegal(IllegalPath::Node { index, node }) => {
                write!(out, "illegal path: {} (number {index}) is blocked", place(*node))
            }
            Fault::Illegal(IllegalPath::Step { tail, head, .. }) => {
                write!(out, "illegal path: no step leads from {} to {}", place(*tail), place(*head))
            }
            Fault::Illegal(other) => write!(out, "illegal path: {other}"),
            Fault::Ends { start, end } => {
                write!(out, "the path leads from {} to {}", place(*start), place(*end))
            }
            Fault::Sum { claimed, walked } => {
                write!(out, "the path is said to cost {claimed} and costs {walked}")
            }
            Fault::Distance { path, distance: alone } => {
                let (path, alone) = (distance(*path), distance(*alone));
                write!(out, "the path costs {path}, the distance alone is {alone}")
            }
            Fault::Longer { found, expected } => {
                write!(out, "length {found:.5}, longer than the shortest, {expected:.5}")
            }
            Fault::Shorter { found, expected } => {
                write!(out, "length {found:.5}, shorter than possible, {expected:.5}")
            }
            Fault::Missed => write!(out, "no path found, though there is one"),
            Fault::Invented => write!(out, "a path found, though there is none"),
            Fault::Disagrees { found, other } => {
                let (found, other) = (distance(*found), distance(*other));
                write!(out, "cost {found}, and {other} by another exact engine")
            }
            Fault::Refused(error) => write!(out, "refused: {}", self.loaded.refusal(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::Grid;
    use portolan::cost::STRAIGHT;

    /// Judges a path on an open 4 x 3 grid where 0 to 3 costs three steps.
    fn check(exact: bool, answer: Option<(Cost, &[NodeId])>, expected: &str) {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let query =
            Query { number: 1, from: 0, to: 3, expected: Expected::Cost(Some(3 * STRAIGHT)) };
        let fault = judge(&map, &query, exact, Ok(answer)).fault;
        let loaded = Loaded::made("x.map".into(), map);
        let text = fault.map_or(String::new(), |fault| {
            Described { fault: &fault, loaded: &loaded }.to_string()
        });
        assert_eq!(text, expected);
    }

    #[test]
    fn every_kind_of_wrong_answer_is_seen() {
        let direct = &[0, 1, 2, 3][..];
        let round = &[0, 1, 5, 6, 2, 3][..];
        check(true, Some((3 * STRAIGHT, direct)), "");
        check(true, None, "no path found, though there is one");
        check(true, Some((3 * STRAIGHT, &[])), "illegal path: a path without any node");
        check(
            true,
            Some((3 * STRAIGHT, &[0, 2, 3])),
            "illegal path: no step leads from 0,0 to 2,0",
        );
        check(true, Some((2 * STRAIGHT, &[0, 1, 2])), "the path leads from 0,0 to 2,0");
        check(true, Some((1, direct)), "the path is said to cost 1 and costs 100383");
        let longer = "length 5.00000, longer than the shortest, 3.00000";
        check(true, Some((5 * STRAIGHT, round)), longer);
        check(false, Some((5 * STRAIGHT, round)), "");
        check(false, Some((1, direct)), "the path is said to cost 1 and costs 100383");
    }

    #[test]
    fn exact_engines_must_agree_to_the_last_unit() {
        let answer = |cost| Verdict { cost, optimal: true, excess: Some(0.0), fault: None };
        let mut tally = Tally::default();
        [Some(7), None, Some(9)].map(answer).into_iter().for_each(|verdict| tally.add(verdict));
        tally.compare(&[Some(7), None, Some(9)]);
        assert!(tally.faults.is_empty());
        tally.compare(&[Some(7), Some(1), Some(8)]);
        assert_eq!(tally.faults.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn shorter_than_possible_fails_even_inexact_engines() {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let query = |cost| Query { number: 1, from: 0, to: 1, expected: Expected::Cost(cost) };
        let answer = || Ok(Some((STRAIGHT, &[0, 1][..])));
        let shorter = judge(&map, &query(Some(2 * STRAIGHT)), false, answer());
        assert!(matches!(shorter.fault, Some(Fault::Shorter { .. })));
        let invented = judge(&map, &query(None), false, answer());
        assert!(matches!(invented.fault, Some(Fault::Invented)));
        let rightly = judge(&map, &query(None), false, Ok(None));
        assert!(rightly.fault.is_none() && rightly.optimal);
    }
}
