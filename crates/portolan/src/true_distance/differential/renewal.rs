//! Distances of landmarks found anew, a little at a time or on another thread.

use super::Differential;
use super::config::DifferentialConfig;
use super::field::Field;
use super::filling::Filling;
use super::places::Candidates;
use crate::debug::debug_by_name;
use crate::engine::BuildError;
use crate::graph::NodeId;
use crate::map::Map;
use crate::search::Sliced;

/// Landmarks whose distances are being found, for a map that nobody writes to any more.
///
/// Cut it up as you like: the result is the same. It can be sent to a thread of its own.
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
    /// What has been found, or why there can be no table.
    filling: Result<Filling, BuildError>,
    /// The landmark whose distances are being found, by its place, and how far they are.
    place: usize,
    waves: Vec<Sliced>,
}

debug_by_name!("Renewal", [] Renewal, |renewal| "landmarks" = renewal.landmarks, "done" = renewal.place);

impl Renewal {
    pub(super) fn new(map: Map, landmarks: Vec<NodeId>, config: &DifferentialConfig) -> Self {
        let directed = !map.is_undirected();
        let mut landmarks = standing(&map, directed, landmarks);
        let placed = DifferentialConfig { landmarks: landmarks.len(), ..config.clone() };
        let filling = Differential::plan(&map, directed, &placed).map(|plan| {
            landmarks.truncate(plan.landmarks);
            Filling::new(&map, directed, config.precision, plan, landmarks.len())
        });
        let config = config.clone();
        Self { map, directed, config, landmarks, filling, place: 0, waves: Vec::new() }
    }

    /// Expands at most so many nodes; says whether all is done.
    pub fn advance(&mut self, expansions: u64) -> bool {
        let Ok(filling) = &mut self.filling else { return true };
        let ways = if self.directed { 2 } else { 1 };
        let mut left = expansions;
        loop {
            let Some(&landmark) = self.landmarks.get(self.place) else { return true };
            if let Some(wave) = self.waves.last_mut() {
                left -= wave.advance(left);
                if !wave.is_done() {
                    return false;
                }
            }
            if self.waves.len() == ways {
                let field = Field::found(landmark, &self.waves);
                self.waves.clear();
                // Where the unit has grown, all are found again; it is then large enough.
                self.place = if filling.write(self.place, &field) { self.place + 1 } else { 0 };
                continue;
            }
            if left == 0 {
                return false;
            }
            // To the landmark first, then from it.
            let reversed = self.waves.is_empty();
            self.waves.push(Sliced::new(self.map.clone(), landmark, reversed));
        }
    }

    /// Does what is left, and gives the landmarks with their new distances.
    pub fn finish(mut self) -> Result<Differential, BuildError> {
        self.advance(u64::MAX);
        let table = self.filling?.finish();
        Ok(Differential { map: self.map, table, config: self.config, stale: false })
    }
}

/// The landmarks, where one that cannot be stood on any more has moved to the nearest node that can
/// be.
fn standing(map: &Map, directed: bool, mut landmarks: Vec<NodeId>) -> Vec<NodeId> {
    let stands = |node: &NodeId| map.contains(*node);
    let lost: Vec<NodeId> = landmarks.iter().copied().filter(|node| !stands(node)).collect();
    if lost.is_empty() {
        return landmarks;
    }
    let candidates = Candidates::of(map, directed);
    for node in lost {
        let is_new = |node: &NodeId| !landmarks.contains(node);
        let near = candidates.near(map, &[node]).into_iter().find(is_new);
        let next = near.or_else(|| candidates.nodes.iter().copied().find(is_new));
        let place = landmarks.iter().position(|&other| other == node);
        if let (Some(place), Some(next)) = (place, next) {
            landmarks[place] = next;
        }
    }
    landmarks.retain(stands);
    landmarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::heuristic::{Heuristic, LowerBound};

    #[test]
    fn slices_find_what_a_build_finds() {
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
