//! The edges of a lattice's subgoals.

use super::rules::{Rules, WAYS, delta, opposite};
use super::{Corner, Lattice};
use crate::atlas::uniform::subgoals::compass::{Departures, UNKNOWN_CORNERS};
use crate::atlas::uniform::subgoals::graph::{Edge, Onward};
use crate::atlas::uniform::subgoals::run::Spot;
use crate::graph::NodeId;
use crate::grid::Grid;

/// A lattice with what is known of its subgoals, in their order.
pub(crate) struct Found {
    pub(crate) lattice: Lattice,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) onward: Vec<Onward>,
    pub(crate) edges: Vec<Vec<Edge>>,
}

/// The subgoals of a grid and all edges between them.
pub(crate) fn graph(grid: &Grid, rules: Rules) -> Found {
    let (mut lattice, corners) = Lattice::new(grid, rules);
    let node = |spot: Spot| (spot.y - 1) * grid.width() + spot.x - 1;
    let nodes: Vec<NodeId> = corners.iter().map(|corner| node(corner.spot)).collect();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); nodes.len()];
    let mut join = |from: usize, to: Spot| {
        let other = nodes.binary_search(&node(to)).ok()?;
        edges[from].push(Edge::new(nodes[other], false));
        edges[other].push(Edge::new(nodes[from], true));
        Some(other)
    };
    let mut arrivals = vec![0_u8; nodes.len()];
    let mut leavings = vec![Departures::default(); nodes.len()];
    for (at, corner) in corners.iter().enumerate() {
        let departures = corner.after.into_iter().fold(Departures::default(), Departures::or);
        for way in (0..WAYS).filter(|&way| departures.has(way)) {
            lattice.ahead_along(corner.spot, way, |seen| {
                leavings[at].insert(way);
                if let Some(other) = join(at, seen.spot) {
                    arrivals[other] |= seen.arrival;
                }
            });
        }
    }
    let about = corners.iter().zip(arrivals.iter().zip(&leavings));
    let onward: Vec<Onward> =
        about.map(|(corner, (&arrivals, &leavings))| onward(corner, arrivals, leavings)).collect();
    for (corner, onward) in corners.iter().zip(&onward) {
        lattice.leave(corner.spot, onward.departures);
    }
    for (at, (corner, onward)) in corners.iter().zip(&onward).enumerate() {
        for &way in rules.firsts().iter().filter(|&&way| onward.departures.has(way)) {
            lattice.show_left(corner.spot, way);
            // Cells farther on see only this one.
            let back = opposite(way);
            if let Some(steps) = lattice.left_ahead(corner.spot, back) {
                join(at, corner.spot.step(delta(back), steps));
            }
        }
    }
    Found { lattice, nodes, onward, edges }
}

/// How paths go on from a subgoal that edges arrive at and leave from so.
fn onward(corner: &Corner, arrivals: u8, leavings: Departures) -> Onward {
    let mut onward =
        Onward { arrivals: 0, departures: Departures::default(), corners: UNKNOWN_CORNERS };
    for (way, &after) in corner.after.iter().enumerate() {
        if arrivals >> way & 1 != 0 {
            onward.departures.insert_all(after);
        }
        if leavings.meets(after) {
            onward.arrivals |= 1 << way;
        }
    }
    onward
}
