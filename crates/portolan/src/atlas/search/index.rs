//! The index: a map, its geometric bound, and landmarks.

use std::sync::Arc;

use crate::atlas::AtlasConfig;
use crate::atlas::plan::{AtlasForm, AtlasLabels, FormReason, Plan};
use crate::build::{BuildError, Progress};
use crate::changes::Changes;
use crate::engine::inspect::{NO_REGION, Region, RegionLevel};
use crate::graph::NodeId;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice};
use crate::map::Map;
use crate::true_distance::differential::Precision;
use crate::true_distance::{Differential, DifferentialConfig, StoredHeuristic};

/// The most landmarks. More make searches little faster.
const MOST_LANDMARKS: usize = 16;

/// A* on the map.
#[derive(Clone)]
pub(crate) struct SearchIndex {
    pub(super) map: Map,
    pub(super) geometric: Geometric,
    pub(super) landmarks: Option<Arc<Differential>>,
    /// Whether an edit has dropped the landmarks.
    pub(super) lost_landmarks: bool,
}

/// A search before the distances of its landmarks are computed.
pub(crate) struct SearchOutline {
    map: Map,
    /// The landmarks, if the limit holds any, with their number and their size.
    landmarks: Option<(DifferentialConfig, usize, u64)>,
    reason: FormReason,
}

impl SearchOutline {
    /// As many landmarks as the limit holds; `needed`: the size of the next faster form.
    pub(crate) fn new(map: &Map, config: &AtlasConfig, needed: u64) -> Result<Self, BuildError> {
        let limit = config.limit(map);
        let too_large = |needed| FormReason::TooLarge { needed, limit };
        let (map, mut reason) = (map.clone(), too_large(needed));
        // A landmark with true distances is worth more than several with rounded ones, and edits
        // can repair it.
        for precision in [Precision::Bits32, Precision::Bits16, Precision::Bits8] {
            let landmarks = differential_config(config, limit, precision);
            match Differential::planned(&map, &landmarks) {
                Ok((0, _)) => break,
                Ok((count, bytes)) => {
                    let landmarks = Some((landmarks, count, bytes));
                    return Ok(Self { map, landmarks, reason: too_large(needed) });
                }
                Err(BuildError::MemoryLimit { needed, .. }) => reason = too_large(needed),
                Err(error) => return Err(error),
            }
        }
        Ok(Self { map, landmarks: None, reason })
    }

    pub(crate) fn plan(&self, limit: u64) -> Plan {
        let (count, bytes) =
            self.landmarks.as_ref().map_or((0, 0), |&(_, count, bytes)| (count, bytes));
        Plan { bytes, limit, form: form(count, self.reason) }
    }

    /// Computes the distances of the landmarks.
    pub(crate) fn finish(
        self,
        progress: &dyn Progress,
    ) -> Result<(SearchIndex, FormReason), BuildError> {
        let Self { map, landmarks, reason } = self;
        let landmarks = landmarks.map(|(config, ..)| Differential::build(&map, &config, progress));
        let landmarks = landmarks.transpose()?.map(Arc::new);
        let geometric = geometric(&map);
        Ok((SearchIndex { map, geometric, landmarks, lost_landmarks: false }, reason))
    }
}

impl SearchIndex {
    pub(crate) fn map(&self) -> &Map {
        &self.map
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.landmarks.as_ref().map_or(0, |landmarks| landmarks.memory_bytes())
    }

    pub(crate) fn form(&self, reason: FormReason) -> AtlasForm {
        form(self.landmarks.as_ref().map_or(0, |landmarks| landmarks.landmarks().len()), reason)
    }

    /// The map as one region.
    pub(crate) fn region_level(&self) -> RegionLevel {
        let nodes = 0..self.map.node_count() as NodeId;
        let region = |node| if self.map.contains(node) { 0 } else { NO_REGION };
        let found = RegionLevel {
            region_of: nodes.map(region).collect(),
            regions: vec![Region { bytes: self.memory_bytes(), ..Region::default() }],
            separators: Vec::new(),
        };
        found.with_counts()
    }

    /// Whether landmarks are missing or weaker than those of a fresh build.
    pub(crate) fn wants_rebuild(&self) -> bool {
        let is_weak = |landmarks: &Arc<Differential>| landmarks.wants_renewal();
        self.lost_landmarks || self.landmarks.as_ref().is_some_and(is_weak)
    }

    /// The search on `map`, to which `changes` have already been applied. Landmarks that cannot be
    /// repaired, or then exceed the limit, are dropped.
    pub(crate) fn refresh(&self, map: &Map, changes: &Changes, limit: u64) -> Self {
        let geometric = self.geometric.refreshed(map, HeuristicChoice::Auto, changes);
        let fits = |landmarks: &Differential| landmarks.memory_bytes() as u64 <= limit;
        let landmarks = self.landmarks.as_ref().and_then(|kept| kept.repaired(map, changes));
        let landmarks = landmarks.filter(fits).map(Arc::new);
        let lost_landmarks =
            self.lost_landmarks || (self.landmarks.is_some() && landmarks.is_none());
        let geometric = geometric.unwrap_or_else(|_| Geometric::zero());
        Self { map: map.clone(), geometric, landmarks, lost_landmarks }
    }
}

/// The configuration of the landmarks.
pub(super) fn differential_config(
    config: &AtlasConfig,
    memory_limit: u64,
    precision: Precision,
) -> DifferentialConfig {
    DifferentialConfig {
        landmarks: MOST_LANDMARKS,
        precision,
        memory_limit,
        seed: config.partitioner.seed,
        ..DifferentialConfig::default()
    }
}

pub(super) fn geometric(map: &Map) -> Geometric {
    Geometric::new(map, HeuristicChoice::Auto).unwrap_or_else(|_| Geometric::zero())
}

fn form(landmarks: usize, reason: FormReason) -> AtlasForm {
    AtlasForm { labels: AtlasLabels::Search { landmarks }, reason, regions: 0 }
}
