//! A* with a geometric bound and landmarks.

use super::Differential;
use crate::cost::Cost;
use crate::graph::{Endpoints, Graph};
use crate::heuristic::{Geometric, Heuristic, LowerBound, Max};
use crate::map::EndpointError;
use crate::search::{Observer, Scratch, astar};

/// The most steps of a short path by its lower bound. A* alone finds it in microseconds.
const SHORT: Cost = 64;

/// The least cost from one node to another. [`Scratch::path_into`] then reads the path.
///
/// On open ground, landmarks improve the geometric bound little, and lookups take time. A short
/// path is walked straight or found without them. A longer search looks them up only for nodes that
/// it is about to expand.
pub(crate) fn find(
    graph: &impl Graph,
    scratch: &mut Scratch,
    ends: Endpoints,
    (geometric, landmarks): (&Geometric, &Differential),
    observer: &mut impl Observer,
) -> Result<Option<Cost>, EndpointError> {
    let mut cheap = geometric.with_end(ends.1);
    let seen = cheap.at(ends.0).unwrap_or(0);
    if landmarks.may_exceed(ends.0, ends.1, seen) {
        let both = Max(geometric, landmarks);
        return astar::find_guided(graph, scratch, ends, &both, observer);
    }
    if seen / SHORT <= landmarks.map.unit() {
        return match astar::walk(graph, scratch, ends, &mut cheap, observer)? {
            None => astar::find_guided(graph, scratch, ends, geometric, observer),
            found => Ok(found),
        };
    }
    let both = (&mut cheap, &mut landmarks.forward(ends.0, ends.1));
    astar::find_lazily(graph, scratch, ends, both, observer)
}
