//! What fits into the memory limit.

use super::numbering::Numbering;
use crate::build::BuildError;
use crate::map::Map;
use crate::true_distance::differential::DifferentialConfig;
use crate::true_distance::ranks::Ranks;

/// The size of a table, before it is filled.
pub(crate) struct TablePlan {
    /// The number of landmarks.
    pub(crate) landmarks: usize,
    /// The number of landmarks that each node has entries for.
    pub(crate) kept: usize,
    pub(crate) numbering: Numbering,
}

impl TablePlan {
    /// The largest table within the memory limit. Rows of usable nodes only if more entries per
    /// node then fit.
    pub(crate) fn new(
        map: &Map,
        directed: bool,
        config: &DifferentialConfig,
    ) -> Result<Self, BuildError> {
        let limit = config.memory_limit;
        let directions = if directed { 2 } else { 1 };
        let entries = config.kept.unwrap_or(config.landmarks).min(config.landmarks).max(1) as u64;
        let landmarks_for = |fitting: u64| match config.kept {
            // With dropped entries, the number of landmarks does not change the size.
            Some(_) => config.landmarks,
            None => config.landmarks.min(fitting as usize),
        };
        let landmark_list = (config.landmarks as u64).saturating_mul(4);
        let fits = |rows: usize, ranks: u64| -> (u64, u64) {
            let column = rows as u64 * directions * config.precision.bytes();
            let beside = landmark_list.saturating_add(ranks);
            let fitting = match limit.checked_sub(beside) {
                Some(left) => left.checked_div(column).unwrap_or(entries),
                None => 0,
            };
            (fitting.min(entries), column.saturating_add(beside))
        };
        let (nodes, usable) = (map.node_count(), map.usable_count());
        let (by_id, needed) = fits(nodes, 0);
        let (ranked, needed_ranked) = fits(usable, Ranks::bytes(nodes));
        if by_id.max(ranked) == 0 && config.landmarks > 0 {
            let needed = needed.min(needed_ranked);
            return Err(BuildError::MemoryLimit { needed, limit, smaller: None });
        }
        let (kept, is_ranked) = if by_id >= ranked { (by_id, false) } else { (ranked, true) };
        let numbering = match is_ranked {
            true => Numbering::Ranked(Ranks::of(map)),
            false => Numbering::ById { rows: nodes },
        };
        Ok(Self { landmarks: landmarks_for(kept), kept: kept as usize, numbering })
    }
}
