//! Faults in words, with places as people write them.

use std::fmt;

use portolan::{EndpointError, IllegalPath, Location};

use super::{Answered, Fault};
use crate::text;
use crate::workload::{Query, Subject};

impl Fault {
    /// The query, and what is wrong with its answer.
    pub(crate) fn describe(&self, subject: &Subject, query: &Query) -> String {
        format!("{}: {}", query.describe(subject), Described { fault: self, subject, query })
    }

    /// Whether the path is illegal, whatever its length.
    pub(crate) fn is_illegal(&self) -> bool {
        matches!(
            self,
            Self::Illegal(_) | Self::CutsCorner { .. } | Self::Ends { .. } | Self::Sum { .. }
        )
    }
}

/// A fault, with places as people write them.
struct Described<'a> {
    fault: &'a Fault,
    subject: &'a Subject,
    query: &'a Query,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |node| self.subject.place(node);
        let located = |at: Location| match self.subject.map.node(at) {
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
            Fault::CutsCorner { tail, head } => {
                let (tail, head) = (place(*tail), place(*head));
                write!(out, "illegal path: it cuts the corner from {tail} to {head}")
            }
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
            Fault::Unanswered => write!(out, "the batch has no answer"),
            Fault::Refused(error) => {
                write!(out, "refused: {}", self.subject.refusal(error))?;
                match self.query.expected.length(&self.subject.map).filter(|_| from_file) {
                    Some(length) => write!(out, "; the file says {}", text::length(length)),
                    None => Ok(()),
                }
            }
        }
    }
}
