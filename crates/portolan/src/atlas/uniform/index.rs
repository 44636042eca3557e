//! The index: a grid, its labels, and the edits since the labels were computed.

use std::sync::{Arc, OnceLock};

use super::climb::Climb;
use super::labels::HubLabels;
use super::labels::compact::CompactLabels;
use super::labels::hops::Hops;
use super::stale::Edits;
use super::stale::goal_distances::LabelSegments;
use super::subgoals::{MOST_NODES, Reduction, Subgoals};
use super::unpack::{Deltas, deltas};
use super::visibility::lists::VisibilityLists;
use crate::atlas::plan::{AtlasForm, AtlasLabels, FormReason};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::build::Unsupported;
use crate::changes::Changes;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::map::Map;

/// The default number of subgoals of a leaf.
pub(crate) const LEAF: usize = 8;

/// The most cells in a row or column: hops count steps in 16 bits.
const WIDEST: u32 = u16::MAX as u32;

/// With more freed cells the index is rebuilt at once.
pub(super) const MOST_FREED: usize = 4096;

/// With more blocked cells the index is rebuilt at once, if they are this share of all free ones:
/// old paths then rarely are still legal.
const MOST_BLOCKED: (usize, usize) = (4096, 16);

/// With more changed cells a rebuild pays off.
const MANY_EDITS: usize = 32;

/// An index of a grid of one terrain.
#[derive(Clone)]
pub(crate) struct UniformIndex {
    pub(super) map: Map,
    pub(super) labelled: Arc<LabelledGrid>,
    /// Absent until the first edit.
    pub(super) edits: Option<Edits>,
}

/// How a grid differs from that of the labels.
pub(crate) struct EditCounts {
    /// The number of cells that were blocked and are free now.
    pub(super) freed: usize,
    /// The number of cells that were free and are blocked now.
    pub(super) blocked: usize,
    /// The number of cells that were free.
    pub(super) free_before: usize,
}

impl EditCounts {
    /// Whether a hundred queries by stale labels are expected to take longer than a rebuild. Counts
    /// decide, never times, so the same edits give the same index on every machine.
    fn are_too_many(&self) -> bool {
        let (least, share) = MOST_BLOCKED;
        self.freed > MOST_FREED
            || (self.blocked > least && self.blocked.saturating_mul(share) > self.free_before)
    }
}

/// A grid with the labels of its subgoals.
pub(crate) struct LabelledGrid {
    pub(super) subgoals: Arc<Subgoals>,
    pub(super) dissection: Dissection,
    pub(super) labels: HubLabels,
    pub(super) hops: Hops,
    /// Present if plain labels do not fit. Then `labels` has no costs, and `hops` is empty.
    pub(super) compact: Option<CompactLabels>,
    /// Present if only upper subgoals have labels. Then `hops` is empty.
    pub(super) climb: Option<Climb>,
    /// The subgoals visible from each cell, if stored.
    pub(super) lists: Option<VisibilityLists>,
    pub(super) deltas: Deltas,
    bytes: usize,
    /// Computed when a query after an edit first needs it.
    segments: OnceLock<LabelSegments>,
}

/// Complete labels.
pub(super) struct FilledLabels {
    pub(super) labels: HubLabels,
    pub(super) hops: Hops,
    pub(super) compact: Option<CompactLabels>,
    pub(super) climb: Option<Climb>,
    pub(super) lists: Option<VisibilityLists>,
}

impl LabelledGrid {
    /// Whether every subgoal has a row of plain costs, and hops beside it.
    pub(super) fn has_all_rows(&self) -> bool {
        self.compact.is_none() && self.climb.is_none()
    }

    pub(super) fn segments(&self) -> &LabelSegments {
        self.segments.get_or_init(|| LabelSegments::new(&self.dissection))
    }
}

impl UniformIndex {
    /// Whether a map can have this form.
    pub(crate) fn supports(map: &Map) -> Result<(), Unsupported> {
        let reason = match map {
            Map::Graph(_) => "it is not a grid",
            Map::Grid(grid) if grid.has_terrain() => "it has terrain",
            Map::Grid(grid) if Reduction::of(grid).is_empty() => "its cells are hexagons",
            Map::Grid(grid) if grid.width().max(grid.height()) > WIDEST => "it is too wide",
            Map::Grid(grid) if grid.node_count() > MOST_NODES => "it has too many cells",
            Map::Grid(_) => return Ok(()),
        };
        Err(unsupported(reason))
    }

    pub(super) fn assemble(
        map: &Map,
        subgoals: Subgoals,
        dissection: Dissection,
        filled: FilledLabels,
    ) -> Self {
        let FilledLabels { labels, hops, compact, climb, lists } = filled;
        let bytes = fixed_bytes(&subgoals, &dissection, &labels)
            + labels.costs.memory_bytes()
            + hops.words.memory_bytes()
            + compact.as_ref().map_or(0, CompactLabels::memory_bytes)
            + climb.as_ref().map_or(0, Climb::memory_bytes)
            + lists.as_ref().map_or(0, VisibilityLists::memory_bytes);
        let labelled = LabelledGrid {
            bytes,
            segments: OnceLock::new(),
            subgoals: Arc::new(subgoals),
            dissection,
            labels,
            hops,
            compact,
            climb,
            lists,
            deltas: deltas(grid_of(map).map_or(0, Grid::width)),
        };
        Self { map: map.clone(), labelled: Arc::new(labelled), edits: None }
    }

    /// The index of the edited map, which shares the labels; `None` if it must be built from
    /// scratch.
    pub(crate) fn refresh(&self, map: &Map, changes: &Changes) -> Option<Self> {
        let (before, after) = (grid_of(&self.map)?, grid_of(map)?);
        Self::supports(map).ok()?;
        if (before.width(), before.height()) != (after.width(), after.height()) {
            return None;
        }
        let mut edits = match &self.edits {
            Some(edits) => edits.clone(),
            None => Edits::new(before),
        };
        let cells = changes.cells.iter().map(|change| change.node);
        let cells: Vec<NodeId> = cells.filter(|&node| after.position(node).is_some()).collect();
        if cells.is_empty() {
            return Some(Self { map: map.clone(), ..self.clone() });
        }
        // Counting first: most of the work on a large edit would be for nothing.
        if cells.len() > MOST_FREED && edits.leading_to(after).are_too_many() {
            return None;
        }
        edits.follow(before, after, &cells);
        if edits.counts().are_too_many() {
            return None;
        }
        // If all edits are undone, the labels are those of the map again.
        let edits = Some(edits).filter(|edits| edits.differing() > 0);
        Some(Self { map: map.clone(), labelled: Arc::clone(&self.labelled), edits })
    }

    pub(crate) fn map(&self) -> &Map {
        &self.map
    }

    /// The same index on an equal map.
    pub(crate) fn on(self, map: &Map) -> Self {
        Self { map: map.clone(), ..self }
    }

    /// Whether both have the same labels.
    pub(crate) fn shares_labels(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.labelled, &other.labelled)
    }

    /// Whether the labels are those of the map.
    pub(crate) fn is_labelled(&self) -> bool {
        self.edits.is_none()
    }

    /// Whether so many cells differ from the labels that queries are much slower.
    pub(crate) fn wants_rebuild(&self) -> bool {
        self.differing() > MANY_EDITS
    }

    /// The number of cells that differ from the labels.
    pub(crate) fn differing(&self) -> usize {
        self.edits.as_ref().map_or(0, Edits::differing)
    }

    /// The index of the map that the labels are for.
    pub(crate) fn before_edits(&self) -> Self {
        let map = self.edits.as_ref().map_or_else(|| self.map.clone(), Edits::map_before);
        Self { map, labelled: Arc::clone(&self.labelled), edits: None }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.labelled.bytes + self.edits.as_ref().map_or(0, Edits::memory_bytes)
    }

    /// Its form and the reason for it.
    pub(crate) fn form(&self, reason: FormReason) -> AtlasForm {
        let LabelledGrid { dissection, labels, compact, climb, lists, .. } = &*self.labelled;
        let labels = match climb {
            Some(_) => Climb::kind(labels),
            None => label_kind(labels, compact.is_some(), lists.is_some()),
        };
        AtlasForm { labels, reason, regions: dissection.tree.len() }
    }
}

pub(super) fn label_kind(labels: &HubLabels, codes: bool, lists: bool) -> AtlasLabels {
    AtlasLabels::Subgoals { subgoals: labels.heads.len(), lists, codes }
}

/// Bytes of everything except label costs and hops.
pub(super) fn fixed_bytes(
    subgoals: &Subgoals,
    dissection: &Dissection,
    labels: &HubLabels,
) -> usize {
    let list = |members: &Vec<NodeId>| size_of::<Vec<NodeId>>() + size_of_val(&members[..]);
    subgoals.memory_bytes()
        + dissection.tree.memory_bytes()
        + dissection.members.iter().map(list).sum::<usize>()
        + labels.fixed_bytes()
}

pub(super) fn unsupported(reason: &str) -> Unsupported {
    let reason = format!("{reason}; atlas-general takes every map");
    Unsupported { method: "atlas-uniform", reason }
}

pub(super) fn grid_of(map: &Map) -> Option<&Grid> {
    match map {
        Map::Grid(grid) => Some(grid),
        Map::Graph(_) => None,
    }
}
