//! Landmarks that move toward recent goals.
//!
//! A landmark gives the best bounds behind the ends of a path. If many paths lead to the same
//! goals, landmarks at these goals make the searches fast. [`Adaptive`] counts how often each
//! landmark has the best bound, and how often each goal is requested. The landmark with the fewest
//! wins moves to the most frequent goal. Nothing here is random: the same queries move the same
//! landmarks.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::{Differential, Renewal};
use crate::graph::NodeId;

/// Watches queries and moves landmarks toward frequent goals.
///
/// ```
/// use portolan::true_distance::{Differential, DifferentialConfig};
/// use portolan::true_distance::differential::Adaptive;
/// use portolan::{Grid, Map};
/// let map = Map::from(Grid::new(40, 40)?);
/// let mut landmarks = Differential::new(&map, &DifferentialConfig::default())?;
/// let mut adaptive = Adaptive::new(50);
/// for from in 0..40 {
///     adaptive.note(&landmarks, from, 777);
/// }
/// // When there is time, at once or in slices:
/// if let Some(renewal) = adaptive.next_move(&landmarks) {
///     landmarks = renewal.finish()?;
/// }
/// assert!(landmarks.landmarks().contains(&777));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Adaptive {
    /// How often each landmark had the best bound recently.
    wins: Vec<u32>,
    /// Recent goals, the latest last.
    goals: VecDeque<NodeId>,
    /// The most goals to remember.
    memory: usize,
}

/// A goal gets a landmark if it was requested at least this often, and its share of recent goals is
/// at least the inverse of this, divided by the number of landmarks.
const FREQUENT: usize = 2;

impl Adaptive {
    /// Remembers up to `memory` goals.
    pub fn new(memory: usize) -> Self {
        Self { wins: Vec::new(), goals: VecDeque::new(), memory: memory.max(1) }
    }

    /// Records a query.
    pub fn note(&mut self, landmarks: &Differential, from: NodeId, to: NodeId) {
        self.wins.resize(landmarks.landmarks().len(), 0);
        if let Some((best, _)) = landmarks.best_landmark(from, to) {
            self.wins[best] = self.wins[best].saturating_add(1);
        }
        if self.goals.len() == self.memory {
            self.goals.pop_front();
        }
        self.goals.push_back(to);
    }

    /// Moves the landmark with the fewest wins to the most frequent goal without a landmark. `None`
    /// if no goal is frequent enough. Earlier wins then count half.
    ///
    /// It works on the current map. If edits go on meanwhile, use
    /// [`World::rebuild_with`](crate::world::World::rebuild_with).
    pub fn next_move(&mut self, landmarks: &Differential) -> Option<Renewal> {
        let (index, goal) = self.choose(landmarks)?;
        self.wins.iter_mut().for_each(|wins| *wins /= 2);
        // So that the moved landmark is not the next to move.
        self.wins[index] = self.wins.iter().copied().max().unwrap_or(0);
        Some(landmarks.renewal_with(&[(index, goal)]))
    }

    fn choose(&self, landmarks: &Differential) -> Option<(usize, NodeId)> {
        let taken = landmarks.landmarks();
        let count = |goal: NodeId| self.goals.iter().filter(|&&other| other == goal).count();
        let is_open = |goal: &NodeId| !taken.contains(goal) && landmarks.map.contains(*goal);
        let open = self.goals.iter().copied().filter(is_open);
        let (most, Reverse(goal)) = open.map(|goal| (count(goal), Reverse(goal))).max()?;
        let least = (0..taken.len().min(self.wins.len())).min_by_key(|&index| self.wins[index])?;
        (most * taken.len() >= self.goals.len() / FREQUENT && most >= FREQUENT)
            .then_some((least, goal))
    }
}
