//! The edges of a lattice's subgoals.

use super::rules::{HEADINGS, Rules, delta, opposite};
use super::{LatticeBitmaps, LatticeSubgoal};
use crate::atlas::uniform::subgoals::canonical_run::PaddedCell;
use crate::atlas::uniform::subgoals::directions::{Departures, UNKNOWN_CORNERS};
use crate::atlas::uniform::subgoals::graph::{Continuations, Edge};
use crate::graph::NodeId;
use crate::grid::Grid;

/// A lattice with what is known of its subgoals, in their order.
pub(crate) struct LatticeGraph {
    pub(crate) lattice: LatticeBitmaps,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) continuations: Vec<Continuations>,
    pub(crate) edges: Vec<Vec<Edge>>,
}

/// The subgoals of a grid and all edges between them.
pub(crate) fn graph(grid: &Grid, rules: Rules) -> LatticeGraph {
    let (mut lattice, subgoals) = LatticeBitmaps::new(grid, rules);
    let node = |spot: PaddedCell| (spot.y - 1) * grid.width() + spot.x - 1;
    let nodes: Vec<NodeId> = subgoals.iter().map(|subgoal| node(subgoal.spot)).collect();
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
            lattice.ahead_along(subgoal.spot, heading, |seen| {
                leavings[at].insert(heading);
                if let Some(other) = join(at, seen.spot) {
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
        lattice.set_departures(subgoal.spot, continuations.departures);
    }
    for (at, (subgoal, continuations)) in subgoals.iter().zip(&continuations).enumerate() {
        for &heading in
            rules.firsts().iter().filter(|&&heading| continuations.departures.contains(heading))
        {
            lattice.show_exit(subgoal.spot, heading);
            // Cells farther on see only this one.
            let back = opposite(heading);
            if let Some(steps) = lattice.exit_ahead(subgoal.spot, back) {
                join(at, subgoal.spot.step(delta(back), steps));
            }
        }
    }
    LatticeGraph { lattice, nodes, continuations, edges }
}

/// How paths go on from a subgoal that edges arrive at and leave from so.
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
