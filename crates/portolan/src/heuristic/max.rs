//! The maximum of two bounds.

use super::{Heuristic, LowerBound};
use crate::cost::Cost;
use crate::graph::NodeId;

/// The maximum of two heuristics. At least as tight as either, and consistent if both are.
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
    /// The first heuristic.
    pub A,
    /// The second heuristic.
    pub B,
);

impl<A: Heuristic, B: Heuristic> Heuristic for Max<A, B> {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        MaxBound(self.0.toward(target), self.1.toward(target))
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        MaxBound(self.0.away_from(source), self.1.away_from(source))
    }

    fn forward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        MaxBound(self.0.forward(from, to), self.1.forward(from, to))
    }

    fn backward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        MaxBound(self.0.backward(from, to), self.1.backward(from, to))
    }

    fn is_consistent(&self) -> bool {
        self.0.is_consistent() && self.1.is_consistent()
    }

    fn wants_pathmax(&self) -> bool {
        self.0.wants_pathmax() || self.1.wants_pathmax()
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes() + self.1.memory_bytes()
    }
}

/// A [`Max`] with one end fixed.
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
