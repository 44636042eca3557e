//! Searches that are over, as landmarks.
//!
//! A search from s has found the true distance to every node that it settled, and these distances
//! bound as a landmark's do: d(n, g) >= d(s, g) - d(s, n), and on undirected maps the other way
//! round. Only nodes that a search settled are known, so the bound drops to nothing where another
//! begins: it is not consistent, and searches that use it may expand a node twice.
//!
//! Which nodes were settled follows from the labels: with a consistent bound h and the goal at cost
//! C, a label g at n is the true distance if g + h(n) <= C, for on a cheaper way to n some node
//! would have been open with a smaller sum, and the search would have taken that one before the
//! goal.

use std::collections::VecDeque;
use std::sync::Arc;

use super::bound::End;
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::heuristic::{Heuristic, LowerBound};
use crate::map::Map;
use crate::search::Scratch;

/// The distances that the last few searches have found; they cost nothing but their memory.
///
/// Bounds depend on what was asked before, and so may which of several shortest paths is found.
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
/// assert!(next.toward(to).at(40) > octile.toward(to).at(40), "what was learned about the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Remembered {
    undirected: bool,
    most: usize,
    /// The distances from the start of each search, the latest last; [`UNREACHABLE`] where unknown.
    fields: VecDeque<Arc<Vec<Cost>>>,
}

impl Remembered {
    /// Remembers up to so many searches on this map.
    pub fn new(map: &Map, most: usize) -> Self {
        Self { undirected: map.is_undirected(), most, fields: VecDeque::new() }
    }

    /// Remembers the search that this space has just been used for, which used these bounds and has
    /// found its goal. Says whether it will: bounds that are not consistent do not tell what is
    /// settled.
    pub fn keep(
        &mut self,
        scratch: &Scratch,
        (from, to): (NodeId, NodeId),
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
        if self.fields.len() == self.most {
            self.fields.pop_front();
        }
        self.fields.push_back(Arc::new(distances));
        true
    }

    /// How many searches are remembered.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Follows an edit: what was learned is forgotten where costs may have fallen, since it would
    /// be too much now.
    pub fn edit(&mut self, before: &Map, after: &Map, changes: &Changes) {
        let effect = super::refresh::Effect::of(before, after, changes);
        // A graph that was undirected may no longer be.
        if effect.falls || !changes.edges.is_empty() {
            self.fields.clear();
            self.undirected = after.is_undirected();
        }
    }

    fn bound(&self, node: NodeId, end: End) -> RememberedBound<'_> {
        let known = self.fields.iter().filter_map(|field| {
            let cost = field.get(node as usize).copied().filter(|&cost| cost != UNREACHABLE)?;
            Some((field.as_slice(), cost))
        });
        RememberedBound { fields: known.collect(), undirected: self.undirected, end }
    }
}

impl Heuristic for Remembered {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, End::Target)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, End::Source)
    }

    fn memory_bytes(&self) -> usize {
        self.fields.iter().map(|field| size_of_val(field.as_slice())).sum()
    }
}

/// Bounds of [`Remembered`] searches with one end fixed.
struct RememberedBound<'a> {
    /// Those that know the fixed end, with its distance.
    fields: Vec<(&'a [Cost], Cost)>,
    undirected: bool,
    end: End,
}

debug_by_name!("RememberedBound", [] RememberedBound<'_>);

impl LowerBound for RememberedBound<'_> {
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let apart = |&(field, end): &(&[Cost], Cost)| match field.get(node as usize) {
            None | Some(&UNREACHABLE) => 0,
            Some(&here) if self.undirected => here.abs_diff(end),
            Some(&here) => match self.end {
                End::Target => end.saturating_sub(here),
                End::Source => here.saturating_sub(end),
            },
        };
        Some(self.fields.iter().map(apart).max().unwrap_or(0))
    }
}
