//! The first edge of a shortest path from each subgoal to each hub in its label.

use rayon::prelude::*;

use crate::atlas::uniform::labels::packed_legs::PackedLegs;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::Subgoals;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Endpoints, NodeId};
use crate::kernel::mark_sums;

/// No edge: the mark of entries without a first edge.
pub(crate) const NONE: u8 = 255;

/// An edge in the direction of travel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstEdge {
    pub(crate) head: SubgoalId,
    pub(crate) legs: PackedLegs,
}

/// The first edges of the shortest paths from one subgoal.
#[derive(Debug, Default)]
pub(crate) struct FirstEdges {
    /// The edges, shortest first.
    pub(crate) edges: Vec<FirstEdge>,
    /// The edge of each entry. [`NONE`] if there is no path, or if the edge has no number because
    /// the subgoal has too many. Among equally good edges, the longest, so that paths have fewer
    /// edges.
    pub(crate) marks: Box<[u8]>,
}

/// Finds the first edges of all subgoals.
pub(crate) fn find_all(subgoals: &Subgoals, labels: &HubLabels) -> Vec<FirstEdges> {
    (0..labels.heads.len() as SubgoalId)
        .into_par_iter()
        .map_init(Vec::new, |marks, number| find_first_edges(subgoals, labels, number, marks))
        .collect()
}

fn find_first_edges(
    subgoals: &Subgoals,
    labels: &HubLabels,
    number: SubgoalId,
    marks: &mut Vec<u16>,
) -> FirstEdges {
    let head = &labels.heads[number as usize];
    let mut by_cost: Vec<(Cost, NodeId, bool)> = subgoals
        .edges(head.node)
        .iter()
        .map(|edge| (subgoals.cost(head.node, edge.head()), edge.head(), edge.straight_first()))
        .collect();
    by_cost.sort_unstable();
    let sums = &labels.label(number)[..head.len as usize - 1];
    marks.clear();
    marks.resize(sums.len(), u16::from(NONE));
    let mut edges = Vec::with_capacity(by_cost.len());
    for (at, &(cost, node, straight_first)) in by_cost.iter().take(usize::from(NONE)).enumerate() {
        let other = labels.numbers.of(node);
        mark_sums(marks, sums, labels.label(other), cost, at as u16);
        edges.push(FirstEdge {
            head: other,
            legs: legs(subgoals, (head.node, node), straight_first),
        });
    }
    // The sums of unreachable entries match by chance.
    let known = marks.iter().zip(sums).map(|(&mark, &sum)| (mark as u8, sum));
    let marks = known.map(|(mark, sum)| if sum == UNREACHABLE { NONE } else { mark }).collect();
    FirstEdges { edges, marks }
}

/// Finds the edge toward a hub by its cost, for subgoals with more edges than a byte can number.
#[cold]
pub(crate) fn find_edge(
    subgoals: &Subgoals,
    labels: &HubLabels,
    number: SubgoalId,
    entry: usize,
) -> Option<FirstEdge> {
    let node = labels.heads.get(number as usize)?.node;
    let rest = *labels.label(number).get(entry)?;
    subgoals.edges(node).iter().find_map(|edge| {
        let head = labels.numbers.of(edge.head());
        let beyond = *labels.label(head).get(entry)?;
        let cost = subgoals.cost(node, edge.head());
        let leads = beyond < rest && beyond.saturating_add(cost) == rest;
        let legs = || legs(subgoals, (node, edge.head()), edge.straight_first());
        leads.then(|| FirstEdge { head, legs: legs() })
    })
}

fn legs(subgoals: &Subgoals, (from, to): Endpoints, straight_first: bool) -> PackedLegs {
    let view = &subgoals.view;
    let [first, second] = view.legs(view.cell(from), view.cell(to));
    PackedLegs::of_edge(if straight_first { [second, first] } else { [first, second] })
}
