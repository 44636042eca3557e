//! The layout of an index before its labels are filled: which kind of labels fits, and its size.

use super::build::reduce::reduce;
use super::climb::{Climb, ClimbOutline};
use super::index::{FilledLabels, UniformIndex, fixed_bytes, grid_of, label_kind, unsupported};
use super::labels::HubLabels;
use super::labels::compact::CompactOutline;
use super::labels::hops::{self, Hops};
use super::stale::Edits;
use super::subgoals::Subgoals;
use super::visibility::lists::VisibilityLists;
use crate::atlas::plan::{AtlasForm, FormReason};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::build::{BuildError, Progress};
use crate::grid::Grid;
use crate::map::Map;
use crate::partition::Partitioner;

/// General labels of all cells of a grid take more bytes a cell.
const LEAST_FULL: u64 = 64;

/// A grid reduced to its subgoals, with the layout of their labels.
pub(crate) struct UniformOutline {
    map: Map,
    subgoals: Subgoals,
    dissection: Dissection,
    pub(super) plan: LabelPlan,
}

/// The labels to fill.
pub(super) enum LabelPlan {
    /// Plain labels with `words` words of hops, and visibility lists if there is memory for them.
    Plain { labels: Box<HubLabels>, words: usize, lists: Option<VisibilityLists> },
    /// Labels in codes, because plain ones would take `plain` bytes.
    Compact { outline: Box<CompactOutline>, plain: u64 },
    /// Labels of upper subgoals, because plain ones would take `plain` bytes.
    Climb { outline: Box<ClimbOutline>, plain: u64, limit: u64 },
}

impl UniformOutline {
    /// The fastest kind of labels within the limit. Fails if the map cannot have this form, or if
    /// the index would exceed the limit.
    pub(crate) fn new(
        map: &Map,
        (partitioner, leaf_size): (&Partitioner, usize),
        limit: u64,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        UniformIndex::supports(map)?;
        let Some(grid) = grid_of(map) else { unreachable!("graphs are not supported") };
        let (subgoals, dissection) = reduce(grid, partitioner, leaf_size, progress)?;
        let too_many = || unsupported("its labels would be too long");
        let Some(plan) = plain_plan(&subgoals, &dissection) else {
            let plan = climb_plan((&subgoals, &dissection), UNNUMBERED, limit);
            let plan = plan.ok_or_else(too_many)?;
            let outline = Self { map: map.clone(), subgoals, dissection, plan };
            return BuildError::check_limit(outline.bytes(), limit).map(|()| outline);
        };
        let mut outline = Self { map: map.clone(), subgoals, dissection, plan };
        let plain = outline.bytes();
        match (limit.checked_sub(plain), &mut outline.plan) {
            (Some(left), LabelPlan::Plain { labels, lists, .. })
                if VisibilityLists::pay_off(&outline.subgoals) =>
            {
                // Reserve memory for edits, or each edit would cause a rebuild.
                let left = left.saturating_sub(Edits::MOST_BYTES);
                *lists =
                    VisibilityLists::build(&outline.subgoals, &labels.numbers, left, progress)?;
            }
            (Some(_), _) => {}
            (None, _) => {
                outline.plan = outline.smaller(grid, plain, limit).ok_or_else(too_many)?;
            }
        }
        let needed = outline.bytes().min(plain);
        BuildError::check_limit(needed, limit).map(|()| outline)
    }

    /// The fastest plan within the limit where plain labels would take `plain` bytes, or the
    /// smallest.
    fn smaller(&mut self, grid: &Grid, plain: u64, limit: u64) -> Option<LabelPlan> {
        if self.subgoals.supports_compact_labels() {
            let compact = self.compact(grid, plain)?;
            let LabelPlan::Compact { outline, .. } = &compact else { return None };
            if outline.pays_off && self.bytes_with(&compact) <= limit {
                return Some(compact);
            }
        }
        climb_plan((&self.subgoals, &self.dissection), plain, limit)
    }

    /// The plan where regions with at most so many subgoals are lower.
    #[cfg(test)]
    pub(super) fn climb_from(&self, most: u32) -> Option<LabelPlan> {
        let outline = ClimbOutline::with_lower(&self.subgoals, &self.dissection, most)?;
        Some(LabelPlan::Climb { outline: Box::new(outline), plain: 0, limit: 0 })
    }

    /// The plan with labels in codes; `plain`: what plain labels would take.
    pub(super) fn compact(&mut self, grid: &Grid, plain: u64) -> Option<LabelPlan> {
        let outline = CompactOutline::new(&self.subgoals, &mut self.dissection, grid.width())?;
        Some(LabelPlan::Compact { outline: Box::new(outline), plain })
    }

    /// The size of the index.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes_with(&self.plan)
    }

    fn bytes_with(&self, plan: &LabelPlan) -> u64 {
        let (labels, planned) = match plan {
            LabelPlan::Plain { labels, words, lists } => {
                let lists = lists.as_ref().map_or(0, VisibilityLists::memory_bytes);
                (&**labels, 4 * (labels.entries() + words) + lists)
            }
            LabelPlan::Compact { outline, .. } => (&outline.labels, outline.bytes()),
            LabelPlan::Climb { outline, .. } => (&outline.labels, outline.bytes()),
        };
        (fixed_bytes(&self.subgoals, &self.dissection, labels) + planned) as u64
    }

    /// The size of the next faster form, if that exceeds the limit.
    pub(crate) fn too_large(&self) -> Option<u64> {
        match &self.plan {
            LabelPlan::Plain { .. } => None,
            LabelPlan::Compact { plain, .. } | LabelPlan::Climb { plain, .. } => Some(*plain),
        }
    }

    /// Whether this form is preferable to a general one; `full`: to one with a label per node.
    pub(crate) fn beats(&self, full: bool) -> bool {
        match &self.plan {
            LabelPlan::Plain { labels, .. } => {
                // If more than about this share of the cells are subgoals, their labels save
                // neither time nor memory.
                let crowded = 5 * labels.heads.len() > 2 * self.map.usable_count();
                !full || self.subgoals.has_jump_points() || !crowded
            }
            LabelPlan::Compact { outline, .. } => outline.pays_off,
            LabelPlan::Climb { limit, .. } => {
                !full || *limit < LEAST_FULL * self.map.usable_count() as u64
            }
        }
    }

    /// The form of the index and the reason for it.
    pub(crate) fn form(&self, reason: FormReason) -> AtlasForm {
        let labels = match &self.plan {
            LabelPlan::Plain { labels, lists, .. } => label_kind(labels, false, lists.is_some()),
            LabelPlan::Compact { outline, .. } => label_kind(&outline.labels, true, false),
            LabelPlan::Climb { outline, .. } => Climb::kind(&outline.labels),
        };
        AtlasForm { labels, reason, regions: self.dissection.tree.len() }
    }

    pub(crate) fn fill(self, progress: &dyn Progress) -> Result<UniformIndex, BuildError> {
        let Self { map, subgoals, dissection, plan } = self;
        let filled = match plan {
            LabelPlan::Plain { mut labels, words, lists } => {
                labels.fill(&subgoals, &dissection, progress)?;
                let hops = Hops::build(&subgoals, &labels, words);
                FilledLabels { labels: *labels, hops, compact: None, climb: None, lists }
            }
            LabelPlan::Compact { outline, .. } => {
                let (labels, compact) = outline.fill(&subgoals, &dissection, progress)?;
                let (hops, compact) = (Hops::default(), Some(compact));
                FilledLabels { labels, hops, compact, climb: None, lists: None }
            }
            LabelPlan::Climb { outline, .. } => {
                let (labels, climb) = outline.fill(&subgoals, &dissection, progress)?;
                let (hops, climb) = (Hops::default(), Some(climb));
                FilledLabels { labels, hops, compact: None, climb, lists: None }
            }
        };
        Ok(UniformIndex::assemble(&map, subgoals, dissection, filled))
    }
}

/// The plan with plain labels; `None` if there are too many to number.
fn plain_plan(subgoals: &Subgoals, dissection: &Dissection) -> Option<LabelPlan> {
    let mut labels = HubLabels::with_layout(&dissection.tree, &dissection.members, subgoals)?;
    let words = hops::lay_out(subgoals, &mut labels)?;
    Some(LabelPlan::Plain { labels: Box::new(labels), words, lists: None })
}

/// Plain labels that are too many to number take at least so many bytes.
const UNNUMBERED: u64 = 4 << 32;

/// The plan with labels of upper subgoals.
fn climb_plan(
    (subgoals, dissection): (&Subgoals, &Dissection),
    plain: u64,
    limit: u64,
) -> Option<LabelPlan> {
    let fixed = |labels: &HubLabels| fixed_bytes(subgoals, dissection, labels);
    let outline = ClimbOutline::new(subgoals, dissection, fixed, limit)?;
    Some(LabelPlan::Climb { outline: Box::new(outline), plain, limit })
}
