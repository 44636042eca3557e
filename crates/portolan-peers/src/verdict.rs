//! What an answer is worth: every path is walked by the rules of the map and held against the
//! optimum.

use std::fmt;

use portolan::{Cost, IllegalPath, Map, NodeId};

use crate::contestant::Found;
use crate::{Ask, Subject};

/// What an answer is worth. What is worst about it counts: a path that cuts a corner is not judged
/// by its length.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Legal and as short as can be; or rightly no path.
    Optimal,
    /// Legal, and so many times as long as the shortest.
    Longer(f64),
    /// Goes diagonally past a blocked cell, and all cells of it can be stood on.
    CutsCorner {
        /// Where the first such step starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
    },
    /// Not a path of the map, for another reason.
    Illegal(String),
    /// No path where there is one, or no answer at all.
    NoAnswer(String),
    /// The path may be right, but what else was said is not: its cost, a distance, or another
    /// answer when asked again.
    Contradiction(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Optimal => write!(f, "optimal"),
            Self::Longer(ratio) => write!(f, "{ratio} times as long as the shortest path"),
            Self::CutsCorner { tail, head } => write!(f, "cuts a corner from {tail} to {head}"),
            Self::Illegal(why) | Self::NoAnswer(why) | Self::Contradiction(why) => f.write_str(why),
        }
    }
}

/// Judges an answer and the path that came with it; a cost that was told has to be that of the
/// path.
pub fn judge(
    subject: &Subject,
    ask: &Ask,
    found: &Found,
    path: &[NodeId],
    tells_costs: bool,
) -> Verdict {
    let cost = match found {
        Ok(Some(cost)) => *cost,
        Ok(None) if ask.accepts(&subject.map, None) => return Verdict::Optimal,
        Ok(None) => return Verdict::NoAnswer("no path where there is one".into()),
        Err(error) => return Verdict::NoAnswer(error.to_string()),
    };
    if (path.first(), path.last()) != (Some(&ask.from), Some(&ask.to)) {
        return Verdict::Illegal("a path with other ends".into());
    }
    match subject.map.walk(path.iter().copied()) {
        Err(illegal) => worst_step(&subject.map, illegal, path),
        Ok(walked) if tells_costs && walked != cost => {
            Verdict::Contradiction(format!("cost {cost}, whose path walks as {walked}"))
        }
        Ok(walked) => measure(subject, ask, walked),
    }
}

/// A legal path of this cost.
fn measure(subject: &Subject, ask: &Ask, walked: Cost) -> Verdict {
    let length = subject.map.length(walked);
    match ask.optimum(&subject.map) {
        _ if ask.accepts(&subject.map, Some(walked)) => Verdict::Optimal,
        Some(optimum) if length > optimum => Verdict::Longer(length / optimum),
        optimum => Verdict::Contradiction(format!("length {length}, better than {optimum:?}")),
    }
}

/// What is worst about a path that cannot be walked: corners count only where nothing else is
/// wrong.
fn worst_step(map: &Map, illegal: IllegalPath, path: &[NodeId]) -> Verdict {
    let faults = path.windows(2).filter_map(|pair| fault(map, pair[0], pair[1]));
    let worst = faults.reduce(|first, next| match (&first, &next) {
        (Verdict::CutsCorner { .. }, Verdict::Illegal(_)) => next,
        _ => first,
    });
    worst.unwrap_or_else(|| Verdict::Illegal(illegal.to_string()))
}

/// What is wrong with a step.
fn fault(map: &Map, tail: NodeId, head: NodeId) -> Option<Verdict> {
    if map.walk([tail, head]).is_ok() {
        return None;
    }
    if let Some(node) = [tail, head].into_iter().find(|&node| !map.contains(node)) {
        return Some(Verdict::Illegal(format!("stands on node {node}, which is blocked")));
    }
    let is_diagonal = matches!(map, Map::Grid(grid) if {
        let place = |node| grid.position(node).unwrap_or_default();
        let (a, b) = (place(tail), place(head));
        a.0.abs_diff(b.0) == 1 && a.1.abs_diff(b.1) == 1
    });
    Some(match is_diagonal {
        true => Verdict::CutsCorner { tail, head },
        false => Verdict::Illegal(format!("no step leads from {tail} to {head}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::Grid;
    use portolan::cost::{DIAGONAL, STRAIGHT};

    /// Judges a path from the upper left to the lower right of this map, where the shortest goes
    /// round the middle:
    ///
    /// ```text
    /// . . .
    /// . # .
    /// . . .
    /// ```
    fn check(path: &[NodeId], told: Option<Cost>, expected: &str) {
        let map = Map::from(Grid::from_fn(3, 3, |x, y| (x, y) != (1, 1)).unwrap());
        let subject = Subject {
            name: "test".into(),
            map,
            asks: vec![Ask::new(0, 8, Some(4 * STRAIGHT)), Ask::new(0, 1, Some(STRAIGHT))],
            unusable: 0,
        };
        let ask = &subject.asks[usize::from(path.last() == Some(&1))];
        let verdict = judge(&subject, ask, &Ok(told.or(Some(0))), path, told.is_some());
        assert_eq!(verdict.to_string(), expected, "{path:?}");
    }

    #[test]
    fn shortest_paths_are_optimal() {
        check(&[0, 1, 2, 5, 8], Some(4 * STRAIGHT), "optimal");
        check(&[0, 3, 6, 7, 8], None, "optimal");
    }

    #[test]
    fn a_longer_path_is_found() {
        check(&[0, 1, 0, 1, 2, 5, 8], None, "1.5 times as long as the shortest path");
    }

    #[test]
    fn a_corner_cut_is_found() {
        check(&[0, 1, 5, 8], None, "cuts a corner from 1 to 5");
        check(&[0, 1, 5, 8], Some(2 * STRAIGHT + DIAGONAL), "cuts a corner from 1 to 5");
    }

    #[test]
    fn blocked_cells_and_jumps_are_worse_than_corners() {
        check(&[0, 4, 8], None, "stands on node 4, which is blocked");
        check(&[0, 2, 5, 8], None, "no step leads from 0 to 2");
        check(&[0, 1, 5, 3, 8], None, "no step leads from 5 to 3");
        check(&[0, 1, 2, 5], None, "a path with other ends");
    }

    #[test]
    fn a_told_cost_has_to_be_that_of_the_path() {
        let words = format!("cost 5, whose path walks as {}", 4 * STRAIGHT);
        check(&[0, 1, 2, 5, 8], Some(5), &words);
    }
}
