//! Whether an answer is right. Every path that this program shows as good has been walked here.

use std::collections::BTreeMap;
use std::fmt;

use portolan::{Cost, EndpointError, Engine, IllegalPath, Location, Map, NodeId};

use crate::load::Loaded;
use crate::output::Output;
use crate::workload::{Expected, Query, Workload};
use crate::{text, threads};

/// What an engine answered: a cost with its path, or that there is none.
pub(crate) type Answer<'a> = Result<Option<(Cost, &'a [NodeId])>, EndpointError>;

/// The cost in an answer.
pub(crate) type Answered = Result<Option<Cost>, EndpointError>;

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
    Distance { path: Answered, distance: Answered },
    /// Longer than an exact engine may be.
    Longer { found: f64, expected: f64 },
    /// Shorter than it should be; the path is legal, so a file that gave the length is wrong.
    Shorter { found: f64, expected: f64 },
    /// There is a path, and none was found.
    Missed,
    /// A path was found where there is none.
    Invented,
    /// There is a path whose cost is beyond what a cost can hold, and this was answered instead.
    Overflow { found: Option<Cost> },
    /// Another exact engine finds another cost, though a rounded length allows both.
    Disagrees { found: Answered, other: Answered },
    /// Asked again, the engine answers something else.
    Unsteady { first: Answered, later: Answered },
    /// The engine refused a query that has an answer.
    Refused(EndpointError),
}

/// One answer, judged.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The cost that was answered.
    pub(crate) answered: Answered,
    /// Whether it is as short as it should be; also that there is rightly none, or none that a cost
    /// can hold.
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
    pub(crate) answered: Vec<Answered>,
    /// What is wrong, by the place of the query in the workload; one fault is enough for a query.
    pub(crate) faults: BTreeMap<usize, Fault>,
}

impl Tally {
    /// Adds the verdict on the next query.
    pub(crate) fn add(&mut self, verdict: Verdict) {
        let index = self.answered.len();
        self.found += usize::from(matches!(verdict.answered, Ok(Some(_))));
        self.answered.push(verdict.answered);
        self.optimal += usize::from(verdict.optimal);
        if let Some(excess) = verdict.excess {
            self.excess_sum += excess;
            self.excess_max = self.excess_max.max(excess);
        }
        if let Some(fault) = verdict.fault {
            self.illegal += usize::from(fault.is_illegal());
            self.faults.insert(index, fault);
        }
    }

    /// Notes a fault that came to light later, unless one is known for the query.
    pub(crate) fn note(&mut self, index: usize, fault: Fault) {
        self.faults.entry(index).or_insert(fault);
    }

    /// Holds the costs against those of another exact engine; scenario lengths are rounded, these
    /// are not.
    pub(crate) fn compare(&mut self, others: &[Answered]) {
        for (index, other) in others.iter().enumerate() {
            let found = &self.answered[index];
            if found != other {
                let (found, other) = (found.clone(), other.clone());
                self.note(index, Fault::Disagrees { found, other });
            }
        }
    }

    /// The mean and the largest share by which paths are longer than the shortest.
    pub(crate) fn suboptimality(&self) -> Option<(f64, f64)> {
        (self.found > 0).then(|| (self.excess_sum / self.found as f64, self.excess_max))
    }

    /// The first few faults, described.
    pub(crate) fn first_faults(&self, loaded: &Loaded, workload: &Workload) -> Vec<String> {
        const SHOWN: usize = 5;
        let shown = self.faults.iter().take(SHOWN);
        let shown = shown.map(|(index, fault)| fault.describe(loaded, &workload.queries[*index]));
        let more = self.faults.len().saturating_sub(SHOWN);
        shown.chain((more > 0).then(|| format!("and {} more", text::grouped(more)))).collect()
    }
}

/// Wrong answers of one engine on a map that is edited: how many, and the first few described.
#[derive(Default)]
pub(crate) struct Faults {
    count: usize,
    described: Vec<String>,
}

impl Faults {
    /// Notes the fault of an answer after so many edits, if it has one.
    pub(crate) fn note(
        &mut self,
        verdict: &Verdict,
        edit: usize,
        (loaded, query): (&Loaded, &Query),
    ) {
        const SHOWN: usize = 5;
        let Some(fault) = &verdict.fault else { return };
        self.count += 1;
        if self.described.len() < SHOWN {
            self.described.push(format!("after edit {edit}, {}", fault.describe(loaded, query)));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// What to tell of them, a line each, with the name of the engine.
    pub(crate) fn lines(&self, engine: &str) -> Vec<String> {
        let more = self.count - self.described.len();
        let more = (more > 0).then(|| format!("and {} more", text::grouped(more)));
        self.described.iter().chain(&more).map(|line| format!("{engine}: {line}")).collect()
    }
}

/// Judges one answer.
pub(crate) fn judge(map: &Map, query: &Query, exact: bool, answer: Answer) -> Verdict {
    let verdict = |answered, optimal, excess, fault| Verdict { answered, optimal, excess, fault };
    let overflows = matches!(query.expected, Expected::Overflow);
    let (cost, path) = match answer {
        Err(error @ EndpointError::CostOverflow { .. }) if overflows => {
            return verdict(Err(error), true, None, None);
        }
        Err(error) => return verdict(Err(error.clone()), false, None, Some(Fault::Refused(error))),
        Ok(None) => {
            let fault = match query.expected {
                Expected::Cost(None) => None,
                Expected::Overflow => Some(Fault::Overflow { found: None }),
                _ => Some(Fault::Missed),
            };
            return verdict(Ok(None), fault.is_none(), None, fault);
        }
        Ok(Some(answer)) => answer,
    };
    let verdict = |optimal, excess, fault| verdict(Ok(Some(cost)), optimal, excess, fault);
    match fault_in(map, query, cost, path) {
        None | Some(Fault::Illegal(IllegalPath::Overflow)) if overflows => {
            return verdict(false, None, Some(Fault::Overflow { found: Some(cost) }));
        }
        None => {}
        Some(fault) => return verdict(false, None, Some(fault)),
    }
    match query.expected.compare(map, cost) {
        Comparison::Equal => verdict(true, Some(0.0), None),
        Comparison::NoPath => verdict(false, None, Some(Fault::Invented)),
        Comparison::Differs { found, expected } => {
            let excess = (expected > 0.0).then(|| found / expected - 1.0);
            let fault = match found < expected {
                true => Some(Fault::Shorter { found, expected }),
                false => exact.then_some(Fault::Longer { found, expected }),
            };
            verdict(false, excess.filter(|&excess| excess >= 0.0), fault)
        }
    }
}

/// What is wrong with a distance that was asked for alone, beside the cost of the path.
pub(crate) fn judge_distance(exact: bool, path: &Answered, distance: &Answered) -> Option<Fault> {
    let agree = match (path, distance) {
        // A distance that is no promise must at least say the same yes or no.
        (Ok(path), Ok(distance)) if !exact => path.is_some() == distance.is_some(),
        _ => path == distance,
    };
    (!agree).then(|| Fault::Distance { path: path.clone(), distance: distance.clone() })
}

/// Asks an engine every query, on all cores, for the path and for the distance alone.
pub(crate) fn examine(
    engine: &dyn Engine,
    loaded: &Loaded,
    workload: &Workload,
    output: &Output,
) -> Tally {
    let bar = output.progress(engine.name(), workload.queries.len());
    let verdicts = threads::map_in_order(
        &workload.queries,
        || (engine.query(), Vec::new()),
        |(asked, path), query| {
            let answer = asked.find(query.from, query.to).map(|route| {
                route.map(|route| {
                    route.nodes_into(path);
                    route.cost()
                })
            });
            let answer = answer.map(|cost| cost.map(|cost| (cost, path.as_slice())));
            let mut verdict = judge(&loaded.map, query, engine.exact(), answer);
            if verdict.fault.is_none() {
                let distance = asked.distance(query.from, query.to);
                verdict.fault = judge_distance(engine.exact(), &verdict.answered, &distance);
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
    /// The query and what is wrong with its answer, as people write it.
    pub(crate) fn describe(&self, loaded: &Loaded, query: &Query) -> String {
        format!("{}: {}", query.describe(loaded), Described { fault: self, loaded, query })
    }

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
    /// The length of the path, where there is one of a length that a cost can hold.
    pub(crate) fn length(&self, map: &Map) -> Option<f64> {
        match self {
            Self::Length(line) => Some(line.length),
            Self::Cost(cost) => cost.map(|cost| map.length(cost)),
            Self::Overflow => None,
        }
    }

    fn compare(&self, map: &Map, cost: Cost) -> Comparison {
        let found = map.length(cost);
        let is_equal = match self {
            Self::Length(line) => line.agrees(found),
            Self::Cost(expected) => *expected == Some(cost),
            Self::Overflow => false,
        };
        match self.length(map) {
            _ if is_equal => Comparison::Equal,
            Some(expected) => Comparison::Differs { found, expected },
            None => Comparison::NoPath,
        }
    }
}

/// What is wrong with a path itself: its steps, its ends, its sum.
fn fault_in(map: &Map, query: &Query, claimed: Cost, path: &[NodeId]) -> Option<Fault> {
    match (map.walk(path.iter().copied()), path.first(), path.last()) {
        (Err(illegal), ..) => Some(Fault::Illegal(illegal)),
        (_, Some(&start), Some(&end)) if (start, end) != (query.from, query.to) => {
            Some(Fault::Ends { start, end })
        }
        (Ok(walked), ..) => (walked != claimed).then_some(Fault::Sum { claimed, walked }),
    }
}

/// A fault, with places as people write them.
struct Described<'a> {
    fault: &'a Fault,
    loaded: &'a Loaded,
    query: &'a Query,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |node| self.loaded.place(node);
        let located = |at: Location| match self.loaded.map.node(at) {
            Ok(node) => place(node).to_string(),
            Err(_) => at.to_string(),
        };
        let distance = |answered: &Answered| match answered {
            Ok(Some(cost)) => format!("{cost}"),
            Ok(None) => "none".to_owned(),
            Err(EndpointError::CostOverflow { .. }) => "more than a cost can hold".to_owned(),
            Err(_) => "refused".to_owned(),
        };
        let from_file = self.query.from_file;
        match self.fault {
            Fault::Illegal(IllegalPath::Node { index, at }) => {
                write!(out, "illegal path: {} (number {index}) is blocked", located(*at))
            }
            Fault::Illegal(IllegalPath::Step { tail, head, .. }) => {
                let (tail, head) = (located(*tail), located(*head));
                write!(out, "illegal path: no step leads from {tail} to {head}")
            }
            Fault::Illegal(other) => write!(out, "illegal path: {other}"),
            Fault::Ends { start, end } => {
                write!(out, "the path leads from {} to {}", place(*start), place(*end))
            }
            Fault::Sum { claimed, walked } => {
                write!(out, "the path is said to cost {claimed} and costs {walked}")
            }
            Fault::Distance { path, distance: alone } => {
                let (path, alone) = (distance(path), distance(alone));
                write!(out, "the path costs {path}, the distance alone is {alone}")
            }
            Fault::Longer { found, expected } => {
                let (found, expected) = (text::length(*found), text::length(*expected));
                match from_file {
                    true => write!(out, "length {found}, the file says {expected}"),
                    false => write!(out, "length {found}, longer than the shortest, {expected}"),
                }
            }
            Fault::Shorter { found, expected } => {
                let (found, expected) = (text::length(*found), text::length(*expected));
                match from_file {
                    true => write!(out, "a legal path of {found} exists, the file says {expected}"),
                    false => write!(out, "length {found}, shorter than possible, {expected}"),
                }
            }
            Fault::Missed if from_file => write!(out, "no path found, the file says there is one"),
            Fault::Missed => write!(out, "no path found, though there is one"),
            Fault::Invented => write!(out, "a path found, though there is none"),
            Fault::Overflow { found: None } => {
                write!(out, "no path found, though there is one of more than a cost can hold")
            }
            Fault::Overflow { found: Some(found) } => {
                write!(out, "cost {found}, though the path costs more than a cost can hold")
            }
            Fault::Disagrees { found, other } => {
                let (found, other) = (distance(found), distance(other));
                write!(out, "cost {found}, and {other} by another exact engine")
            }
            Fault::Unsteady { first, later } => {
                let (first, later) = (distance(first), distance(later));
                write!(out, "cost {first} at first, {later} when asked again")
            }
            Fault::Refused(error) => {
                write!(out, "refused: {}", self.loaded.refusal(error))?;
                match self.query.expected.length(&self.loaded.map).filter(|_| from_file) {
                    Some(length) => write!(out, "; the file says {}", text::length(length)),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::Grid;
    use portolan::cost::STRAIGHT;

    fn query(to: NodeId, expected: Expected) -> Query {
        Query { number: 1, from: 0, to, expected, from_file: false }
    }

    /// Judges a path on an open 4 x 3 grid where 0 to 3 costs three steps.
    fn check(exact: bool, answer: Option<(Cost, &[NodeId])>, expected: &str) {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let query = query(3, Expected::Cost(Some(3 * STRAIGHT)));
        let fault = judge(&map, &query, exact, Ok(answer)).fault;
        let loaded = Loaded::made("x.map".into(), map);
        let text = fault.map_or(String::new(), |fault| {
            Described { fault: &fault, loaded: &loaded, query: &query }.to_string()
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
        let longer = "length 5, longer than the shortest, 3";
        check(true, Some((5 * STRAIGHT, round)), longer);
        check(false, Some((5 * STRAIGHT, round)), "");
        check(false, Some((1, direct)), "the path is said to cost 1 and costs 100383");
    }

    #[test]
    fn exact_engines_must_agree_to_the_last_unit() {
        let answer =
            |cost| Verdict { answered: Ok(cost), optimal: true, excess: Some(0.0), fault: None };
        let mut tally = Tally::default();
        [Some(7), None, Some(9)].map(answer).into_iter().for_each(|verdict| tally.add(verdict));
        tally.compare(&[Some(7), None, Some(9)].map(Ok));
        assert!(tally.faults.is_empty());
        tally.compare(&[Some(7), Some(1), Some(8)].map(Ok));
        assert_eq!(tally.faults.into_keys().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn shorter_than_possible_fails_even_inexact_engines() {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let query = |cost| query(1, Expected::Cost(cost));
        let answer = || Ok(Some((STRAIGHT, &[0, 1][..])));
        let shorter = judge(&map, &query(Some(2 * STRAIGHT)), false, answer());
        assert!(matches!(shorter.fault, Some(Fault::Shorter { .. })));
        let invented = judge(&map, &query(None), false, answer());
        assert!(matches!(invented.fault, Some(Fault::Invented)));
        let rightly = judge(&map, &query(None), false, Ok(None));
        assert!(rightly.fault.is_none() && rightly.optimal);
    }

    #[test]
    fn only_overflow_is_right_where_a_cost_overflows() {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let query = query(1, Expected::Overflow);
        let judged = |answer| judge(&map, &query, true, answer);
        let right = judged(Err(EndpointError::CostOverflow { from: 0.into(), to: 1.into() }));
        assert!(right.fault.is_none() && right.optimal);
        for (answer, expected) in [
            (Ok(None), None),
            // What wrapped round may be walked, too.
            (Ok(Some((STRAIGHT, &[0, 1][..]))), Some(STRAIGHT)),
        ] {
            let wrong = judged(answer);
            assert!(!wrong.optimal);
            assert!(matches!(wrong.fault, Some(Fault::Overflow { found }) if found == expected));
        }
        let blocked = judged(Err(EndpointError::Blocked { at: 1.into() }));
        assert!(matches!(blocked.fault, Some(Fault::Refused(_))));
    }

    #[test]
    fn inexact_distances_must_say_the_same_yes_or_no() {
        let overflow = || Err(EndpointError::CostOverflow { from: 0.into(), to: 1.into() });
        for (exact, path, distance, agree) in [
            (true, Ok(Some(3)), Ok(Some(3)), true),
            (true, Ok(Some(3)), Ok(Some(4)), false),
            (false, Ok(Some(3)), Ok(Some(4)), true),
            (false, Ok(Some(3)), Ok(None), false),
            (false, overflow(), overflow(), true),
            (false, overflow(), Ok(None), false),
        ] {
            let fault = judge_distance(exact, &path, &distance);
            assert_eq!(fault.is_none(), agree, "{exact} {path:?} {distance:?}");
        }
    }
}
