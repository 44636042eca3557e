//! Indexes of earlier versions of a grid, kept for maps that return.
//!
//! Worlds that switch between whole maps (day and night, doors of a level, seasons) come back to
//! maps that they had before. An edit that changes much of the map first looks for an earlier
//! version that is nearer to the new one; only then it builds from scratch.
//!
//! An earlier index is kept only while it can pay off: its map differs from that of the present one
//! in many cells, and both fit into the memory limit together. Which indexes are kept follows from
//! the sequence of maps alone.

use std::sync::Arc;

use super::index::Index;
use super::plan::FormReason;
use crate::changes::{CellChange, Changes};
use crate::grid::Grid;
use crate::map::Map;

/// The most earlier indexes.
const MOST: usize = 7;

/// Maps that differ in more cells are far from each other: labels of one are of little use on the
/// other.
const FAR: usize = 4096;

/// Edits of more cells may lead back to an earlier map.
pub(super) const MANY_CELLS: usize = 256;

/// The indexes of earlier maps, the newest first.
#[derive(Clone, Default)]
pub(super) struct EarlierIndexes(Arc<[EarlierIndex]>);

/// An index as it was before edits, and why it has its form.
#[derive(Clone)]
struct EarlierIndex {
    index: Index,
    reason: FormReason,
}

impl EarlierIndexes {
    pub(super) fn memory_bytes(&self) -> usize {
        self.0.iter().map(|earlier| earlier.index.memory_bytes()).sum()
    }

    /// The earlier index whose map is nearest to this one, with the cells that differ. `None` if all
    /// are far, or none is nearer than the map of the present labels.
    pub(super) fn nearest(
        &self,
        map: &Map,
        present: &Index,
    ) -> Option<(Index, FormReason, Changes)> {
        if self.0.is_empty() {
            return None;
        }
        let present = present.before_edits().and_then(|index| distance(index.map(), map));
        let limit = present.unwrap_or(FAR).min(FAR);
        let distances = self.0.iter().map(|earlier| (distance(earlier.index.map(), map), earlier));
        let near = distances.filter_map(|(distance, earlier)| Some((distance?, earlier)));
        let (_, earlier) =
            near.filter(|&(distance, _)| distance < limit).min_by_key(|&(distance, _)| distance)?;
        let (Map::Grid(before), Map::Grid(after)) = (earlier.index.map(), map) else { return None };
        let changed = before.differing_cells(after).map(|node| {
            let (x, y) = after.split(node);
            CellChange { node, passable: after.is_passable(x, y) }
        });
        Some((earlier.index.clone(), earlier.reason, Changes::from_iter(changed)))
    }

    /// These and the index that `next` replaces, as far as they are worth their memory and fit into
    /// so many bytes.
    pub(super) fn after(&self, replaced: (&Index, FormReason), next: &Map, bytes: u64) -> Self {
        let (index, reason) = replaced;
        let replaced = index.before_edits().map(|index| EarlierIndex { index, reason });
        let mut kept: Vec<EarlierIndex> = Vec::new();
        for earlier in replaced.iter().chain(&*self.0) {
            let map = earlier.index.map();
            let is_known =
                kept.iter().any(|kept| distance(kept.index.map(), map).is_some_and(|at| at == 0));
            if !is_known && distance(map, next).is_some_and(|distance| distance > FAR) {
                kept.push(earlier.clone());
            }
        }
        kept.truncate(MOST);
        Self(kept.into()).within(bytes)
    }

    /// The newest of them that fit into so many bytes.
    pub(super) fn within(&self, bytes: u64) -> Self {
        let mut sum = 0;
        let fits = |earlier: &&EarlierIndex| {
            sum += earlier.index.memory_bytes() as u64;
            sum <= bytes
        };
        match self.0.iter().take_while(fits).count() {
            all if all == self.0.len() => self.clone(),
            count => Self(self.0[..count].into()),
        }
    }
}

/// The number of cells in which two grids differ; `None` if they differ in anything else, or if
/// they are no grids.
fn distance(a: &Map, b: &Map) -> Option<usize> {
    match (a, b) {
        (Map::Grid(a), Map::Grid(b)) if Grid::differ_in_cells_only(a, b) => {
            Some(a.differing_count(b))
        }
        _ => None,
    }
}
