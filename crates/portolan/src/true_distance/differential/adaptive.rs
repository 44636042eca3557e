//! Landmarks that move toward recent goals.
//!
//! A landmark bounds best behind the ends of a path, so where many paths lead to the same places,
//! landmarks there make them fast. [`Adaptive`] notes which landmark bounds each path best and
//! where paths lead; the landmark that is seldom the best moves to the goal that is asked for most.
//! Nothing here is random, so the same queries move the same landmarks.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::{Differential, Renewal};
use crate::graph::NodeId;

/// Watches queries and says where landmarks should move.
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
/// // When there is time, all at once or in slices:
/// if let Some(renewal) = adaptive.next_move(&landmarks) {
///     landmarks = renewal.finish()?;
/// }
/// assert!(landmarks.landmarks().contains(&777));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Adaptive {
    /// How often each landmark was the best recently.
    wins: Vec<u32>,
    goals: VecDeque<NodeId>,
    memory: usize,
}

/// A goal is worth a landmark once it is asked for so often among the recent ones, per landmark.
const WORTHWHILE: usize = 2;

impl Adaptive {
    /// Remembers so many goals.
    pub fn new(memory: usize) -> Self {
        Self { wins: Vec::new(), goals: VecDeque::new(), memory: memory.max(1) }
    }

    /// Notes a query.
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

    /// Moves the landmark that was the best least often to the goal that was asked for most and has
    /// none yet; `None` where no goal was asked for often enough to be worth it. What was noted
    /// counts half from then on.
    ///
    /// It knows the map as it is now. Where edits go on meanwhile, let a
    /// [`LandmarkUpkeep`](super::LandmarkUpkeep) do it.
    pub fn next_move(&mut self, landmarks: &Differential) -> Option<Renewal> {
        let (place, goal) = self.choose(landmarks)?;
        self.wins.iter_mut().for_each(|wins| *wins /= 2);
        // The newcomer gets a chance to win before it is moved on.
        self.wins[place] = self.wins.iter().copied().max().unwrap_or(0);
        Some(landmarks.renewal_with(&[(place, goal)]))
    }

    fn choose(&self, landmarks: &Differential) -> Option<(usize, NodeId)> {
        let taken = landmarks.landmarks();
        let count = |goal: NodeId| self.goals.iter().filter(|&&other| other == goal).count();
        let is_open = |goal: &NodeId| !taken.contains(goal) && landmarks.map.contains(*goal);
        let open = self.goals.iter().copied().filter(is_open);
        let (often, Reverse(goal)) = open.map(|goal| (count(goal), Reverse(goal))).max()?;
        let least = (0..taken.len().min(self.wins.len())).min_by_key(|&place| self.wins[place])?;
        (often * taken.len() >= self.goals.len() / WORTHWHILE && often >= WORTHWHILE)
            .then_some((least, goal))
    }
}
