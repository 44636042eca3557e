//! Landmark distances computed again, in slices or on another thread.

use super::Differential;
use super::config::DifferentialConfig;
use super::landmark_distances::LandmarkDistances;
use super::placement::Candidates;
use super::table::{TableBuilder, TablePlan};
use crate::build::BuildError;
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::map::Map;
use crate::search::Sliced;

/// A computation of all landmark distances, on a snapshot of the map.
///
/// The result does not depend on the sizes of the slices. It can be sent to another thread.
///
/// ```
/// use portolan::true_distance::{Differential, DifferentialConfig};
/// use portolan::{Grid, Map};
/// let map = Map::from(Grid::new(50, 50)?);
/// let landmarks = Differential::new(&map, &DifferentialConfig::default())?;
/// let mut renewal = landmarks.renewal();
/// let mut frames = 0;
/// while !renewal.advance(1000) {
///     frames += 1;
/// }
/// assert_eq!(frames, 20, "50 x 50 cells for each of eight landmarks");
/// assert_eq!(renewal.finish()?.landmarks(), landmarks.landmarks());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Renewal {
    map: Map,
    directed: bool,
    config: DifferentialConfig,
    landmarks: Vec<NodeId>,
    /// The table so far, or why there cannot be one.
    builder: Result<TableBuilder, BuildError>,
    /// The current landmark.
    index: usize,
    /// The searches of the current landmark: to it first, then from it.
    searches: Vec<Sliced>,
}

debug_by_name!("Renewal", [] Renewal, |renewal| "landmarks" = renewal.landmarks, "done" = renewal.index);

impl Renewal {
    pub(super) fn new(map: Map, landmarks: Vec<NodeId>, config: &DifferentialConfig) -> Self {
        let directed = !map.is_undirected();
        let mut landmarks = on_usable_nodes(&map, directed, landmarks);
        let placed = DifferentialConfig { landmarks: landmarks.len(), ..config.clone() };
        let builder = TablePlan::new(&map, directed, &placed).map(|plan| {
            landmarks.truncate(plan.landmarks);
            TableBuilder::new(&map, directed, config.precision, plan, landmarks.len())
        });
        let config = config.clone();
        Self { map, directed, config, landmarks, builder, index: 0, searches: Vec::new() }
    }

    /// Expands at most `expansions` nodes. Returns whether the computation is finished.
    pub fn advance(&mut self, expansions: u64) -> bool {
        let Ok(builder) = &mut self.builder else { return true };
        let directions = if self.directed { 2 } else { 1 };
        let mut left = expansions;
        loop {
            let Some(&landmark) = self.landmarks.get(self.index) else { return true };
            if let Some(search) = self.searches.last_mut() {
                left -= search.advance(left);
                if !search.is_done() {
                    return false;
                }
            }
            if self.searches.len() == directions {
                let distances = LandmarkDistances::from_searches(landmark, &self.searches);
                self.searches.clear();
                // If the unit has grown, all landmarks start again. The unit is then final.
                let unit_is_same = builder.write(self.index, &distances);
                self.index = if unit_is_same { self.index + 1 } else { 0 };
                continue;
            }
            if left == 0 {
                return false;
            }
            let reversed = self.searches.is_empty();
            self.searches.push(Sliced::new(self.map.clone(), landmark, reversed));
        }
    }

    /// Completes the computation and returns the landmarks with their new distances.
    pub fn finish(mut self) -> Result<Differential, BuildError> {
        self.advance(u64::MAX);
        let table = self.builder?.finish();
        Ok(Differential { map: self.map, table, config: self.config, stale: false })
    }
}

/// Moves landmarks on unusable nodes to the nearest usable ones.
fn on_usable_nodes(map: &Map, directed: bool, mut landmarks: Vec<NodeId>) -> Vec<NodeId> {
    let is_usable = |node: &NodeId| map.contains(*node);
    let lost: Vec<NodeId> = landmarks.iter().copied().filter(|node| !is_usable(node)).collect();
    if lost.is_empty() {
        return landmarks;
    }
    let candidates = Candidates::of(map, directed);
    for node in lost {
        let is_new = |node: &NodeId| !landmarks.contains(node);
        let near = candidates.near(map, &[node]).into_iter().find(is_new);
        let next = near.or_else(|| candidates.nodes.iter().copied().find(is_new));
        let index = landmarks.iter().position(|&other| other == node);
        if let (Some(index), Some(next)) = (index, next) {
            landmarks[index] = next;
        }
    }
    landmarks.retain(is_usable);
    landmarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::heuristic::{Heuristic, LowerBound};

    #[test]
    fn a_sliced_renewal_equals_a_build() {
        let map =
            Map::from(Rooms { width: 40, height: 40, ..Rooms::default() }.generate().unwrap());
        let built = Differential::new(&map, &DifferentialConfig::default()).unwrap();
        let mut renewal = built.renewal();
        while !renewal.advance(17) {}
        let renewed = renewal.finish().unwrap();
        assert_eq!(built.landmarks(), renewed.landmarks());
        for node in 0..map.node_count() as NodeId {
            assert_eq!(built.toward(5).at(node), renewed.toward(5).at(node));
        }
    }
}
