//! Distances of landmarks found anew, a little at a time or on another thread.

use super::Differential;
use super::config::{DifferentialConfig, Placement};
use super::field::Field;
use super::places::Candidates;
use super::table::Table;
use crate::engine::BuildError;
use crate::graph::NodeId;
use crate::map::Map;
use crate::search::Sliced;

/// Landmarks whose distances are being found, for a map that nobody writes to any more.
///
/// Cut it up as you like: the result is the same. It can be sent to a thread of its own.
///
/// ```
/// use portolan::heuristic::{Differential, DifferentialConfig};
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
    waves: Vec<Sliced>,
}

impl Renewal {
    pub(super) fn new(map: Map, landmarks: Vec<NodeId>, config: &DifferentialConfig) -> Self {
        let directed = !map.is_undirected();
        let landmarks = standing(&map, directed, landmarks);
        Self { map, directed, config: config.clone(), landmarks, waves: Vec::new() }
    }

    /// Expands at most so many nodes; says whether all is done.
    pub fn advance(&mut self, expansions: u64) -> bool {
        let ways = if self.directed { 2 } else { 1 };
        let mut left = expansions;
        loop {
            if let Some(wave) = self.waves.last_mut().filter(|wave| !wave.is_done()) {
                left -= wave.advance(left);
                if !wave.is_done() {
                    return false;
                }
            }
            let next = self.waves.len();
            let Some(&landmark) = self.landmarks.get(next / ways) else { return true };
            if left == 0 {
                return false;
            }
            // To the landmark first, then from it.
            let reversed = next.is_multiple_of(ways);
            self.waves.push(Sliced::new(self.map.clone(), landmark, reversed));
        }
    }

    /// Does what is left, and gives the landmarks with their new distances.
    pub fn finish(mut self) -> Result<Differential, BuildError> {
        self.advance(u64::MAX);
        let Self { map, directed, config, landmarks, waves } = self;
        let ways = if directed { 2 } else { 1 };
        let found = waves.chunks(ways).zip(&landmarks);
        let fields = found.map(|(waves, &landmark)| Field::found(landmark, waves));
        let fields: Vec<_> = fields.collect();
        let placed = DifferentialConfig {
            landmarks: fields.len(),
            placement: Placement::At(landmarks),
            ..config.clone()
        };
        let plan = Differential::plan(&map, directed, &placed)?;
        let fields = &fields[..plan.landmarks.min(fields.len())];
        let shape = (config.precision, plan.kept);
        let table = Table::new(plan.numbering, map.node_count(), directed, shape, fields);
        Ok(Differential { map, table, config, stale: false })
    }
}

/// The landmarks, where one that cannot be stood on any more has moved to the nearest node that can be.
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
