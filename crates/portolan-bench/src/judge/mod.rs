//! Whether an answer is right.
//!
//! `judge` walks a path step by step and compares its cost with what the workload expects; every
//! path that is shown as good has been through it. A `Tally` sums up the verdicts on one engine;
//! `describe` says in words what is wrong. [`examine`] asks an engine a whole workload on all
//! cores, without timing anything.

mod describe;
mod tally;

use portolan::{Connectivity, Cost, EndpointError, Engine, IllegalPath, Map, NodeId};

use crate::timing::find_into;
use crate::workload::{Expected, Query, Subject, Workload};
use crate::{Bars, parallel};
pub(crate) use tally::Faults;
pub use tally::Tally;

/// The cost that was answered; `None` for no path.
pub(crate) type Answered = Result<Option<Cost>, EndpointError>;

/// What is wrong with an answer.
#[derive(Debug)]
pub enum Fault {
    /// The path takes a step that does not exist.
    Illegal(IllegalPath),
    /// The path passes a blocked cell diagonally, and is legal otherwise.
    CutsCorner {
        /// Where the first such step starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
    },
    /// The path starts or ends elsewhere.
    Ends {
        /// Its first node.
        start: NodeId,
        /// Its last node.
        end: NodeId,
    },
    /// The path does not cost what was answered.
    Sum {
        /// The cost that was answered.
        claimed: Cost,
        /// The sum of the path's steps.
        walked: Cost,
    },
    /// The distance alone is not the cost of the path.
    Distance {
        /// The cost of the path.
        path: Answered,
        /// The distance alone.
        distance: Answered,
    },
    /// Longer than an exact engine may be.
    Longer {
        /// The length of the path.
        found: f64,
        /// The shortest length.
        expected: f64,
    },
    /// Shorter than possible. The path is legal, so the file that gave the length is wrong.
    Shorter {
        /// The length of the path.
        found: f64,
        /// The length that was expected.
        expected: f64,
    },
    /// There is a path, and none was found.
    Missed,
    /// A path was found where there is none.
    Invented,
    /// The only paths cost more than a cost can hold, and this was answered instead.
    Overflow {
        /// The cost that was answered.
        found: Option<Cost>,
    },
    /// Another exact engine finds another cost, though a rounded length allows both.
    Disagrees {
        /// The answer of this engine.
        found: Answered,
        /// The answer of the other.
        other: Answered,
    },
    /// A repeated query has another answer.
    Unsteady {
        /// The first answer.
        first: Answered,
        /// A later one.
        later: Answered,
    },
    /// The engine refused a query that has an answer.
    Refused(EndpointError),
    /// A batch has no answer to the query.
    Unanswered,
}

/// The verdict on one answer.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The cost that was answered.
    pub(crate) answered: Answered,
    /// Whether the answer is as good as it can be; no path is, if there is none.
    pub(crate) optimal: bool,
    /// By how much a legal path is longer than the shortest, as a share of it.
    pub(crate) excess: Option<f64>,
    /// What is wrong, if anything.
    pub(crate) fault: Option<Fault>,
}

/// Judges an answer and its path.
pub(crate) fn judge(
    map: &Map,
    query: &Query,
    exact: bool,
    answered: Answered,
    path: &[NodeId],
) -> Verdict {
    let verdict = |answered, optimal, excess, fault| Verdict { answered, optimal, excess, fault };
    let overflows = matches!(query.expected, Expected::Overflow);
    let cost = match answered {
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
        Ok(Some(cost)) => cost,
    };
    let verdict = |optimal, excess, fault| verdict(Ok(Some(cost)), optimal, excess, fault);
    match fault_in(map, query, cost, path) {
        None | Some(Fault::Illegal(IllegalPath::Overflow)) if overflows => {
            return verdict(false, None, Some(Fault::Overflow { found: Some(cost) }));
        }
        None => {}
        Some(fault) => return verdict(false, None, Some(fault)),
    }
    let found = map.length(cost);
    let is_equal = match &query.expected {
        Expected::Length(line) => line.agrees(found),
        Expected::Cost(expected) => *expected == Some(cost),
        Expected::Overflow => false,
    };
    match query.expected.length(map) {
        _ if is_equal => verdict(true, Some(0.0), None),
        None => verdict(false, None, Some(Fault::Invented)),
        Some(expected) => {
            let excess = (expected > 0.0).then(|| found / expected - 1.0);
            let fault = match found < expected {
                true => Some(Fault::Shorter { found, expected }),
                false => exact.then_some(Fault::Longer { found, expected }),
            };
            verdict(false, excess.filter(|&excess| excess >= 0.0), fault)
        }
    }
}

/// What is wrong with a distance that was queried on its own, compared with the path's cost.
pub(crate) fn judge_distance(exact: bool, path: &Answered, distance: &Answered) -> Option<Fault> {
    let agree = match (path, distance) {
        // A near-optimal distance must at least give the same yes or no.
        (Ok(path), Ok(distance)) if !exact => path.is_some() == distance.is_some(),
        _ => path == distance,
    };
    (!agree).then(|| Fault::Distance { path: path.clone(), distance: distance.clone() })
}

/// Asks an engine every query on all cores, for the path and for the distance alone.
pub fn examine(
    engine: &dyn Engine,
    subject: &Subject,
    workload: &Workload,
    bars: &dyn Bars,
) -> Tally {
    let bar = bars.bar(engine.name(), workload.queries.len());
    let verdicts = parallel::map_in_order(
        &workload.queries,
        || (engine.query(), Vec::new()),
        |(asked, path), query| {
            let answered = find_into(&mut **asked, query.from, query.to, path);
            let mut verdict = judge(&subject.map, query, engine.exact(), answered, path);
            if verdict.fault.is_none() {
                let distance = asked.distance(query.from, query.to);
                verdict.fault = judge_distance(engine.exact(), &verdict.answered, &distance);
            }
            bar.inc(1);
            verdict
        },
    );
    let mut tally = Tally::default();
    verdicts.into_iter().for_each(|verdict| tally.add(verdict));
    tally
}

impl Expected {
    /// The length of the shortest path; `None` if there is none that a cost can hold.
    pub(crate) fn length(&self, map: &Map) -> Option<f64> {
        match self {
            Self::Length(line) => line.length,
            Self::Cost(cost) => cost.map(|cost| map.length(cost)),
            Self::Overflow => None,
        }
    }
}

/// What is wrong with a path itself: its steps, its ends, its sum.
fn fault_in(map: &Map, query: &Query, claimed: Cost, path: &[NodeId]) -> Option<Fault> {
    match (map.walk(path.iter().copied()), path.first(), path.last()) {
        (Err(illegal), ..) => Some(cut_corner(map, query, path).unwrap_or(Fault::Illegal(illegal))),
        (_, Some(&start), Some(&end)) if (start, end) != (query.from, query.to) => {
            Some(Fault::Ends { start, end })
        }
        (Ok(walked), ..) => (walked != claimed).then_some(Fault::Sum { claimed, walked }),
    }
}

/// The first cut corner of a path on which nothing worse is wrong.
fn cut_corner(map: &Map, query: &Query, path: &[NodeId]) -> Option<Fault> {
    let Map::Grid(grid) = map else { return None };
    if (path.first(), path.last()) != (Some(&query.from), Some(&query.to)) {
        return None;
    }
    let mut first = None;
    for pair in path.windows(2).filter(|pair| map.walk(pair.iter().copied()).is_err()) {
        let (a, b) = (grid.position(pair[0])?, grid.position(pair[1])?);
        let is_diagonal = a.0.abs_diff(b.0) == 1 && a.1.abs_diff(b.1) == 1;
        let is_free = pair.iter().all(|&node| map.contains(node));
        if !is_diagonal || !is_free || grid.connectivity() != Connectivity::Eight {
            return None;
        }
        first.get_or_insert(Fault::CutsCorner { tail: pair[0], head: pair[1] });
    }
    first
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
        let (cost, path) = answer.map_or((None, &[][..]), |(cost, path)| (Some(cost), path));
        let fault = judge(&map, &query, exact, Ok(cost), path).fault;
        let subject = Subject::new("x.map", map);
        let text = fault.map_or(String::new(), |fault| fault.describe(&subject, &query));
        assert_eq!(text.trim_start_matches("query 1, 0,0 to 3,0: "), expected);
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

    /// Paths from the upper left to the lower right of a 3 x 3 grid whose middle is blocked.
    #[test]
    fn corners_count_only_where_nothing_worse_is_wrong() {
        let map = Map::from(Grid::from_fn(3, 3, |x, y| (x, y) != (1, 1)).unwrap());
        let query = query(8, Expected::Cost(Some(4 * STRAIGHT)));
        let subject = Subject::new("x.map", map);
        for (path, expected) in [
            (&[0, 1, 2, 5, 8][..], ""),
            (&[0, 1, 5, 8], "illegal path: it cuts the corner from 1,0 to 2,1"),
            (&[0, 4, 8], "illegal path: 1,1 (number 1) is blocked"),
            (&[0, 1, 5, 3, 8], "illegal path: no step leads from 1,0 to 2,1"),
            (&[0, 1, 5], "illegal path: no step leads from 1,0 to 2,1"),
        ] {
            let verdict = judge(&subject.map, &query, true, Ok(Some(4 * STRAIGHT)), path);
            let text =
                verdict.fault.map_or(String::new(), |fault| fault.describe(&subject, &query));
            assert_eq!(text.trim_start_matches("query 1, 0,0 to 2,2: "), expected, "{path:?}");
        }
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
        let judged = |query: Query, cost| judge(&map, &query, false, Ok(cost), &[0, 1]);
        let shorter = judged(query(Some(2 * STRAIGHT)), Some(STRAIGHT));
        assert!(matches!(shorter.fault, Some(Fault::Shorter { .. })));
        let invented = judged(query(None), Some(STRAIGHT));
        assert!(matches!(invented.fault, Some(Fault::Invented)));
        let rightly = judged(query(None), None);
        assert!(rightly.fault.is_none() && rightly.optimal);
    }

    #[test]
    fn only_overflow_is_right_where_a_cost_overflows() {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let query = query(1, Expected::Overflow);
        let judged = |answer| judge(&map, &query, true, answer, &[0, 1]);
        let right = judged(Err(EndpointError::CostOverflow { from: 0.into(), to: 1.into() }));
        assert!(right.fault.is_none() && right.optimal);
        for (answer, expected) in [
            (Ok(None), None),
            // What wrapped round may be walked, too.
            (Ok(Some(STRAIGHT)), Some(STRAIGHT)),
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
