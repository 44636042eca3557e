//! The edges of a lattice's subgoals.

use super::rules::{HEADINGS, Rules, delta, opposite};
use super::{LatticeBitmaps, LatticeSubgoal};
use crate::atlas::uniform::subgoals::canonical_run::PaddedCell;
use crate::atlas::uniform::subgoals::directions::{Departures, UNKNOWN_CORNERS};
use crate::atlas::uniform::subgoals::graph::{Continuations, Edge};
use crate::graph::NodeId;
use crate::grid::Grid;

/// A lattice with its subgoals in ascending order, their continuations and edges.
pub(crate) struct LatticeGraph {
    pub(crate) lattice: LatticeBitmaps,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) continuations: Vec<Continuations>,
    pub(crate) edges: Vec<Vec<Edge>>,
}

/// Finds the subgoals of a grid and all edges between them.
pub(crate) fn graph(grid: &Grid, rules: Rules) -> LatticeGraph {
    let (mut lattice, subgoals) = LatticeBitmaps::new(grid, rules);
    let node = |cell: PaddedCell| (cell.y - 1) * grid.width() + cell.x - 1;
    let nodes: Vec<NodeId> = subgoals.iter().map(|subgoal| node(subgoal.cell)).collect();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); nodes.len()];
    let mut join = |from: usize, to: PaddedCell| {
        let other = nodes.binary_search(&node(to)).ok()?;
        edges[from].push(Edge::new(nodes[other], false));
        edges[other].push(Edge::new(nodes[from], true));
        Some(other)
    };
    let mut arrivals = vec![0_u8; nodes.len()];
    let mut leavings = vec![Departures::default(); nodes.len()];
    for (at, subgoal) in subgoals.iter().enumerate() {
        let departures = subgoal.after.into_iter().fold(Departures::default(), Departures::union);
        for heading in (0..HEADINGS).filter(|&heading| departures.contains(heading)) {
            lattice.ahead_along(subgoal.cell, heading, |seen| {
                leavings[at].insert(heading);
                if let Some(other) = join(at, seen.cell) {
                    arrivals[other] |= seen.arrival;
                }
            });
        }
    }
    let about = subgoals.iter().zip(arrivals.iter().zip(&leavings));
    let continuations: Vec<Continuations> = about
        .map(|(subgoal, (&arrivals, &leavings))| continuations(subgoal, arrivals, leavings))
        .collect();
    for (subgoal, continuations) in subgoals.iter().zip(&continuations) {
        lattice.set_departures(subgoal.cell, continuations.departures);
    }
    for (at, (subgoal, continuations)) in subgoals.iter().zip(&continuations).enumerate() {
        for &heading in
            rules.firsts().iter().filter(|&&heading| continuations.departures.contains(heading))
        {
            lattice.mark_exit_visible(subgoal.cell, heading);
            // Cells farther on see only this subgoal.
            let back = opposite(heading);
            if let Some(steps) = lattice.steps_to_exit(subgoal.cell, back) {
                join(at, subgoal.cell.step(delta(back), steps));
            }
        }
    }
    LatticeGraph { lattice, nodes, continuations, edges }
}

/// How paths continue at a subgoal, given the headings of incoming and outgoing edges.
fn continuations(subgoal: &LatticeSubgoal, arrivals: u8, leavings: Departures) -> Continuations {
    let mut continuations =
        Continuations { arrivals: 0, departures: Departures::default(), corners: UNKNOWN_CORNERS };
    for (heading, &after) in subgoal.after.iter().enumerate() {
        if arrivals >> heading & 1 != 0 {
            continuations.departures.insert_all(after);
        }
        if leavings.intersects(after) {
            continuations.arrivals |= 1 << heading;
        }
    }
    continuations
}
