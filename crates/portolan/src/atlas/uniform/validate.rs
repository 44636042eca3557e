//! The structural check: all data equals what the map and the tree determine.

use super::index::{LabelledGrid, UniformIndex, grid_of};
use super::labels::hops::{self, Hops};
use super::labels::{HubLabels, LabelHead};
use super::subgoals::Subgoals;
use super::visibility::lists::VisibilityLists;
use crate::atlas::general::validate::InvalidIndex;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::graph::Graph;
use crate::grid::Grid;

impl UniformIndex {
    /// Checks the index. After edits it checks only the labels, which are those of the earlier map.
    pub(crate) fn validate(&self) -> Result<(), InvalidIndex> {
        let LabelledGrid { subgoals, dissection, labels, hops, compact, climb, lists, .. } =
            &*self.labelled;
        if let Some(grid) = grid_of(&self.map).filter(|_| self.is_labelled()) {
            check_subgoals(&Subgoals::new(grid, subgoals.reduction()), subgoals)?;
        }
        check_edges(subgoals, dissection, labels)?;
        let invalid = |what| InvalidIndex::Labels { what };
        if let Some(compact) = compact {
            let width = grid_of(&self.map).map_or(0, Grid::width);
            let is_valid = compact.is_valid(labels, subgoals, dissection, width);
            return if is_valid { Ok(()) } else { Err(invalid("labels in codes")) };
        }
        if let Some(climb) = climb {
            let is_valid = climb.is_valid(labels, subgoals, dissection);
            return if is_valid { Ok(()) } else { Err(invalid("labels of upper subgoals")) };
        }
        let fresh = HubLabels::with_layout(&dissection.tree, &dissection.members, subgoals);
        let mut fresh = fresh.ok_or_else(|| invalid("layout of labels"))?;
        let words = hops::lay_out(subgoals, &mut fresh);
        let words = words.ok_or_else(|| invalid("layout of labels"))?;
        if fresh.heads != labels.heads || fresh.numbers != labels.numbers {
            return Err(invalid("layout of labels"));
        }
        fresh.fill(subgoals, dissection, &()).map_err(|_| invalid("costs"))?;
        let differs = |head: &LabelHead| {
            let range = head.range();
            fresh.costs[range.clone()] != labels.costs[range]
        };
        if labels.heads.iter().any(differs) {
            return Err(invalid("costs"));
        }
        if Hops::build(subgoals, &fresh, words).words != hops.words {
            return Err(invalid("hops"));
        }
        let rebuild = |_: &VisibilityLists| {
            VisibilityLists::build(subgoals, &labels.numbers, u64::MAX, &()).ok().flatten()
        };
        match lists.as_ref().and_then(rebuild) == *lists {
            true => Ok(()),
            false => Err(invalid("visibility lists")),
        }
    }
}

fn check_subgoals(expected: &Subgoals, found: &Subgoals) -> Result<(), InvalidIndex> {
    let nodes = 0..expected.node_count() as u32;
    let differs = |&node: &u32| {
        expected.contains(node) != found.contains(node) || expected.edges(node) != found.edges(node)
    };
    nodes.into_iter().find(differs).map_or(Ok(()), |node| Err(InvalidIndex::Home { node }))
}

/// Checks that the regions of two neighbours are ancestor and descendant.
fn check_edges(
    subgoals: &Subgoals,
    dissection: &Dissection,
    labels: &HubLabels,
) -> Result<(), InvalidIndex> {
    let mut homes = vec![0; labels.heads.len()];
    for (id, members) in (0..).zip(&dissection.members) {
        for &node in members {
            homes[labels.numbers.of(node) as usize] = id;
        }
    }
    let mut apart = None;
    for head in &labels.heads {
        subgoals.out_edges(head.node, |other, _| {
            let home = |node: u32| homes[labels.numbers.of(node) as usize];
            let (a, b) = (home(head.node), home(other));
            let common = dissection.tree.common(a, b);
            if common != a && common != b {
                apart = Some(InvalidIndex::Apart { tail: head.node, head: other });
            }
        });
    }
    apart.map_or(Ok(()), Err)
}
