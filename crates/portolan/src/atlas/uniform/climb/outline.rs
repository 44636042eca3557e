//! The layout: which regions are upper, and how many arcs there are. Both follow from the edges
//! alone, so the size is known before any cost is computed.

use super::Climb;
use super::arcs::{Arc, ArcLists};
use super::contract::{self, LowerTree};
use super::hops;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::stale::Edits;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::build::{BuildError, Progress, Watch};
use rayon::prelude::*;

/// The number of subgoals up to which a region is lower, at first. It grows by half as long as the
/// index does not fit.
const SMALLEST: u32 = 4;

/// A layout without costs.
pub(crate) struct ClimbOutline {
    pub(crate) labels: HubLabels,
    most_lower: u32,
    /// The trees of lower regions.
    trees: Vec<LowerTree>,
    arcs: usize,
}

impl ClimbOutline {
    /// The layout with the most rows that takes at most `limit` bytes together with `fixed_bytes`
    /// and what edits add, or the smallest one. `None` if labels are too long, or there are too many.
    pub(crate) fn new(
        subgoals: &Subgoals,
        dissection: &Dissection,
        fixed_bytes: impl Fn(&HubLabels) -> usize,
        limit: u64,
    ) -> Option<Self> {
        // Without memory for edits, each edit would cause a rebuild.
        let preferred = limit.saturating_sub(Edits::MOST_BYTES);
        let below = subgoals_below(dissection);
        let all = below.first().copied().unwrap_or(0);
        let mut smallest: Option<(u64, Self)> = None;
        let mut most = SMALLEST;
        loop {
            let labels = layout(subgoals, dissection, &below, most)?;
            let is_last = most >= all;
            if is_last || (fixed_bytes(&labels) + 5 * labels.entries()) as u64 <= preferred {
                let outline = Self::of_layout(subgoals, dissection, labels, most);
                let bytes = (fixed_bytes(&outline.labels) + outline.bytes()) as u64;
                if bytes <= preferred {
                    return Some(outline);
                }
                if smallest.as_ref().is_none_or(|&(least, _)| bytes < least) {
                    smallest = Some((bytes, outline));
                }
            }
            if is_last {
                return smallest.map(|(_, outline)| outline);
            }
            most = most.saturating_add(most / 2);
        }
    }

    /// The layout where regions with at most so many subgoals in them and below them are lower.
    pub(crate) fn with_lower(
        subgoals: &Subgoals,
        dissection: &Dissection,
        most: u32,
    ) -> Option<Self> {
        let labels = layout(subgoals, dissection, &subgoals_below(dissection), most)?;
        Some(Self::of_layout(subgoals, dissection, labels, most))
    }

    fn of_layout(
        subgoals: &Subgoals,
        dissection: &Dissection,
        labels: HubLabels,
        most_lower: u32,
    ) -> Self {
        let trees = LowerTree::all(dissection, &labels);
        let counted: Vec<_> =
            trees.par_iter().map(|tree| contract::count(subgoals, &labels, tree)).collect();
        let lower: usize = counted.iter().map(|(arcs, _)| arcs).sum();
        let cliques: Vec<Vec<SubgoalId>> =
            counted.into_iter().flat_map(|(_, cliques)| cliques).collect();
        let arcs = lower + contract::count_upper(subgoals, &labels, &cliques);
        Self { labels, most_lower, trees, arcs }
    }

    /// The memory that this form needs in addition to what every form needs.
    pub(crate) fn bytes(&self) -> usize {
        let entries = self.labels.entries();
        ArcLists::planned_bytes(self.labels.heads.len(), self.arcs) + 5 * entries
    }

    pub(crate) fn fill(
        self,
        subgoals: &Subgoals,
        dissection: &Dissection,
        progress: &dyn Progress,
    ) -> Result<(HubLabels, Climb), BuildError> {
        let Self { mut labels, most_lower, trees, .. } = self;
        let watch = Watch::new(progress, "arcs", trees.len());
        let mut lists: Vec<Vec<Arc>> = vec![Vec::new(); labels.heads.len()];
        let contract = |tree: &LowerTree| {
            watch.check()?;
            let contracted = contract::contract(subgoals, &labels, tree);
            watch.advance(1);
            Ok::<_, BuildError>(contracted)
        };
        let contracted: Vec<_> = trees.par_iter().map(contract).collect::<Result<_, _>>()?;
        let mut shortcuts = Vec::new();
        for (tree, contracted) in trees.iter().zip(contracted) {
            for (&number, list) in tree.numbers.iter().zip(contracted.lists) {
                lists[number as usize] = list;
            }
            shortcuts.extend(contracted.shortcuts);
        }
        drop(trees);
        let upper = contract::upper_arcs(subgoals, &labels, shortcuts);
        labels.fill_upper(dissection, &upper, progress)?;
        for &(tail, arc) in &upper {
            lists[tail as usize].push(arc);
            let turned = Arc { head: tail, via: arc.via.turned(), ..arc };
            lists[arc.head as usize].push(turned);
        }
        for (head, list) in labels.heads.iter().zip(&mut lists) {
            if head.has_row() {
                list.sort_unstable_by_key(|arc| (std::cmp::Reverse(arc.cost), arc.head));
            }
        }
        let arcs = ArcLists::new(&lists);
        drop(lists);
        let hops = hops::find_all(&labels, &arcs);
        Ok((labels, Climb { most_lower, arcs, hops }))
    }
}

/// The layout of the rows of upper regions.
pub(super) fn layout(
    subgoals: &Subgoals,
    Dissection { tree, members }: &Dissection,
    below: &[u32],
    most: u32,
) -> Option<HubLabels> {
    HubLabels::with_rows(tree, members, subgoals, |id| below[id as usize] > most)
}

/// By region, the number of subgoals in it and below it.
pub(super) fn subgoals_below(Dissection { tree, members }: &Dissection) -> Vec<u32> {
    let mut below: Vec<u32> = members.iter().map(|members| members.len() as u32).collect();
    for id in (0..tree.len()).rev() {
        let parent = tree.node(id as RegionId).parent;
        if parent != NO_REGION {
            below[parent as usize] += below[id];
        }
    }
    below
}
