//! Finished searches as landmarks.
//!
//! A search from s has found the true distance to every node that it settled. These distances give
//! the same bounds as a landmark: d(n, g) >= d(s, g) - d(s, n), and on undirected maps also with n
//! and g exchanged. Only settled nodes are known, so the bound drops to zero at the edge of the
//! searched area. It is not consistent, and searches may expand a node twice.
//!
//! The labels show which nodes were settled: with a consistent bound h and the goal at cost C, the
//! label g of n is its true distance if g + h(n) <= C. Otherwise, some node on a cheaper path to n
//! would have been open with a smaller sum, and the search would have expanded it before the goal.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Endpoints, NodeId};
use crate::heuristic::{Heuristic, LowerBound};
use crate::map::Map;
use crate::search::Scratch;

/// The distances that the last few searches have found. They cost only memory.
///
/// The bounds, and which of several shortest paths is found, depend on earlier queries.
///
/// ```
/// use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound, Max};
/// use portolan::true_distance::differential::Remembered;
/// use portolan::search::{Scratch, astar};
/// use portolan::{Grid, Map};
/// let grid = Grid::from_fn(40, 40, |x, y| x != 20 || y == 39)?;
/// let map = Map::from(&grid);
/// let octile = Geometric::new(&map, HeuristicChoice::Octile)?;
/// let (mut remembered, mut scratch) = (Remembered::new(&map, 4), Scratch::default());
/// let (from, to) = (0, 39);
/// astar::find(&grid, &mut scratch, (from, to), &mut octile.toward(to), &mut ())?;
/// remembered.keep(&scratch, (from, to), &octile);
/// let next = Max(&octile, &remembered);
/// assert!(next.toward(to).at(40) > octile.toward(to).at(40), "it has learned about the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Remembered {
    undirected: bool,
    most: usize,
    /// The distances from the start of each search, the latest last; [`UNREACHABLE`] if unknown.
    searches: VecDeque<Arc<Vec<Cost>>>,
}

impl Remembered {
    /// Remembers up to `most` searches on this map.
    pub fn new(map: &Map, most: usize) -> Self {
        Self { undirected: map.is_undirected(), most, searches: VecDeque::new() }
    }

    /// Remembers the last search in `scratch`, which used `heuristic` and has found its goal.
    /// Returns `false` if it cannot: inconsistent bounds do not show which nodes are settled.
    pub fn keep(
        &mut self,
        scratch: &Scratch,
        (from, to): Endpoints,
        heuristic: &impl Heuristic,
    ) -> bool {
        let Some(whole) = scratch.cost(to).filter(|_| scratch.cost(from) == Some(0)) else {
            return false;
        };
        if !heuristic.is_consistent() || self.most == 0 {
            return false;
        }
        let mut bound = heuristic.toward(to);
        let settled = |node: NodeId| {
            let cost = scratch.cost(node)?;
            let rest = bound.at(node)?;
            cost.checked_add(rest).filter(|&sum| sum <= whole).map(|_| cost)
        };
        let distances = (0..scratch.node_count() as NodeId).map(settled);
        let distances = distances.map(|cost| cost.unwrap_or(UNREACHABLE)).collect();
        if self.searches.len() == self.most {
            self.searches.pop_front();
        }
        self.searches.push_back(Arc::new(distances));
        true
    }

    /// The number of remembered searches.
    pub fn len(&self) -> usize {
        self.searches.len()
    }

    /// Whether no search is remembered.
    pub fn is_empty(&self) -> bool {
        self.searches.is_empty()
    }

    /// Follows an edit. If costs may have fallen, the distances may be too large, and all searches
    /// are forgotten.
    pub fn edit(&mut self, before: &Map, after: &Map, changes: &Changes) {
        let effect = super::refresh::CostEffect::of(before, after, changes);
        // An undirected graph may have become directed.
        if effect.falls || !changes.edges.is_empty() {
            self.searches.clear();
            self.undirected = after.is_undirected();
        }
    }

    fn bound(&self, node: NodeId, direction: Direction) -> RememberedBound<'_> {
        let known = self.searches.iter().filter_map(|costs| {
            let cost = costs.get(node as usize).copied().filter(|&cost| cost != UNREACHABLE)?;
            Some((costs.as_slice(), cost))
        });
        RememberedBound { searches: known.collect(), undirected: self.undirected, direction }
    }
}

impl Heuristic for Remembered {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, Direction::Forward)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, Direction::Backward)
    }

    fn memory_bytes(&self) -> usize {
        self.searches.iter().map(|costs| size_of_val(costs.as_slice())).sum()
    }
}

/// [`Remembered`] searches with one end fixed.
struct RememberedBound<'a> {
    /// The searches that know the fixed end, with its distance.
    searches: Vec<(&'a [Cost], Cost)>,
    undirected: bool,
    /// Forward: the fixed end is the goal. Backward: it is the start.
    direction: Direction,
}

impl LowerBound for RememberedBound<'_> {
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let difference = |&(costs, end): &(&[Cost], Cost)| match costs.get(node as usize) {
            None | Some(&UNREACHABLE) => 0,
            Some(&here) if self.undirected => here.abs_diff(end),
            Some(&here) => match self.direction {
                Direction::Forward => end.saturating_sub(here),
                Direction::Backward => here.saturating_sub(end),
            },
        };
        Some(self.searches.iter().map(difference).max().unwrap_or(0))
    }
}
