//! The greater of two bounds.

use super::{Heuristic, LowerBound};
use crate::cost::Cost;
use crate::graph::NodeId;

/// Two heuristics joined by their maximum, which bounds at least as tightly as either. It is
/// consistent where both are.
///
/// ```
/// use portolan::true_distance::{Differential, DifferentialConfig};
/// use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice};
/// use portolan::heuristic::{LowerBound, Max};
/// use portolan::{Grid, Map};
/// let grid = Grid::from_fn(30, 9, |x, y| x != 15 || y == 8)?;
/// let map = Map::from(&grid);
/// let octile = Geometric::new(&map, HeuristicChoice::Octile)?;
/// let landmarks = Differential::new(&map, &DifferentialConfig::default())?;
/// let (from, to) = (0, 29);
/// let both = Max(&octile, &landmarks).toward(to).at(from);
/// assert!(both >= octile.toward(to).at(from) && both >= landmarks.toward(to).at(from));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Max<A, B>(
    /// One of them.
    pub A,
    /// The other.
    pub B,
);

impl<A: Heuristic, B: Heuristic> Heuristic for Max<A, B> {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        MaxBound(self.0.toward(target), self.1.toward(target))
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        MaxBound(self.0.away_from(source), self.1.away_from(source))
    }

    fn ahead(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        MaxBound(self.0.ahead(from, to), self.1.ahead(from, to))
    }

    fn behind(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        MaxBound(self.0.behind(from, to), self.1.behind(from, to))
    }

    fn is_consistent(&self) -> bool {
        self.0.is_consistent() && self.1.is_consistent()
    }

    fn is_patchy(&self) -> bool {
        self.0.is_patchy() || self.1.is_patchy()
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes() + self.1.memory_bytes()
    }
}

/// The bounds of a [`Max`] with one end fixed.
#[derive(Debug, Clone, Copy)]
struct MaxBound<A, B>(A, B);

impl<A: LowerBound, B: LowerBound> LowerBound for MaxBound<A, B> {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        Some(self.0.at(node)?.max(self.1.at(node)?))
    }

    #[inline(always)]
    fn allows(&self, whole: Cost) -> bool {
        self.0.allows(whole) && self.1.allows(whole)
    }
}
