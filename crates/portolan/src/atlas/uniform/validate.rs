//! The structural check of this form: everything is what the map and the tree make of it.

use super::labels::HubLabels;
use super::labels::hops::{self, Hops};
use super::subgoals::Subgoals;
use super::visibility::lists::Lists;
use super::{Labelled, Uniform, grid_of};
use crate::atlas::general::validate::InvalidIndex;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::graph::Graph;
use crate::grid::Grid;

impl Uniform {
    /// After edits only what is shared with the index before is checked: the labels of the map as
    /// it was.
    pub(crate) fn validate(&self) -> Result<(), InvalidIndex> {
        let Labelled { subgoals, dissection, rows, blocks, compact, lists, .. } = &*self.labelled;
        if let Some(grid) = grid_of(&self.map).filter(|_| self.is_labelled()) {
            check_subgoals(&Subgoals::new(grid, subgoals.reduction()), subgoals)?;
        }
        check_edges(subgoals, dissection, rows)?;
        if let Some(compact) = compact {
            let width = grid_of(&self.map).map_or(0, Grid::width);
            let sound = compact.is_valid(rows, subgoals, dissection, width);
            return if sound {
                Ok(())
            } else {
                Err(InvalidIndex::Labels { what: "rows in codes" })
            };
        }
        let wrong = InvalidIndex::Labels { what: "rows" };
        let fresh = HubLabels::with_layout(&dissection.tree, &dissection.members, subgoals);
        let mut fresh = fresh.ok_or_else(|| wrong.clone())?;
        let words = hops::lay_out(subgoals, &mut fresh).ok_or_else(|| wrong.clone())?;
        if fresh.heads != rows.heads || fresh.numbers != rows.numbers {
            return Err(wrong);
        }
        // Nobody listens, so nothing is cancelled.
        fresh
            .fill(subgoals, dissection, &())
            .map_err(|_| InvalidIndex::Labels { what: "costs" })?;
        let differs = |head: &&super::labels::LabelHead| {
            let range = head.range();
            fresh.costs[range.clone()] != rows.costs[range]
        };
        if rows.heads.iter().any(|head| differs(&head)) {
            return Err(InvalidIndex::Labels { what: "costs" });
        }
        if Hops::build(subgoals, &fresh, words).words != blocks.words {
            return Err(InvalidIndex::Labels { what: "hops" });
        }
        let seen = |_: &Lists| Lists::new(subgoals, &rows.numbers, u64::MAX, &()).ok().flatten();
        match lists.as_ref().and_then(seen) == *lists {
            true => Ok(()),
            false => Err(InvalidIndex::Labels { what: "what cells see" }),
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

/// Of two neighbours one's region lies in the other's.
fn check_edges(
    subgoals: &Subgoals,
    dissection: &Dissection,
    rows: &HubLabels,
) -> Result<(), InvalidIndex> {
    let mut homes = vec![0; rows.heads.len()];
    for (id, members) in (0..).zip(&dissection.members) {
        for &node in members {
            homes[rows.numbers[node as usize] as usize] = id;
        }
    }
    let mut apart = None;
    for head in &rows.heads {
        subgoals.out_edges(head.node, |other, _| {
            let home = |node: u32| homes[rows.numbers[node as usize] as usize];
            let (a, b) = (home(head.node), home(other));
            let common = dissection.tree.common(a, b);
            if common != a && common != b {
                apart = Some(InvalidIndex::Apart { tail: head.node, head: other });
            }
        });
    }
    apart.map_or(Ok(()), Err)
}
