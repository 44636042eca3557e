//! Chooses the abstract nodes of a cluster, after Botea, Müller and Schaeffer (2004).
//!
//! An entrance is a maximal stretch of border along which the cells on both sides are free. A
//! narrow one gets a transition in its middle, a wide one gets one at each end. A transition is one
//! cell on either side, both of them abstract nodes, and the step between them.
//!
//! The paper crosses borders in four directions. If a diagonal step leaves the cluster and one of
//! the cells next to it is free, straight steps lead to the same cell. If both are blocked (between
//! blocked corners, and on hex grids), the diagonal step is a transition of its own. So whatever is
//! connected on the map is connected in the abstract graph.

use super::cluster::ClusterOutline;
use super::tiling::{Slot, Tiling};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::grid::{Connectivity, Corners, Grid, Heading};
use crate::heuristic::Geometric;
use crate::hpa::abstract_graph::InterEdge;

/// Entrances of at least this many cells have two transitions.
pub(crate) const WIDE: u32 = 6;

/// The abstract nodes of a cluster and the steps that leave it. Depends only on the cells on both
/// sides of its border.
pub(crate) fn outline(
    grid: &Grid,
    tiling: &Tiling,
    base: &Geometric,
    cluster: u32,
) -> ClusterOutline {
    let mut crossings = Vec::new();
    let mut cross = |from: (u32, u32), direction: Heading| {
        crossings.extend(crossing(grid, tiling, base, from, direction));
    };
    let rect = tiling.rect(cluster);
    let sides = [
        (Heading::North, (rect.left, rect.top), rect.width()),
        (Heading::South, (rect.left, rect.bottom - 1), rect.width()),
        (Heading::West, (rect.left, rect.top), rect.height()),
        (Heading::East, (rect.right - 1, rect.top), rect.height()),
    ];
    for (direction, (x, y), length) in sides {
        let along = |at: u32| if direction.delta().0 == 0 { (x + at, y) } else { (x, y + at) };
        let is_open = |at: u32| {
            let (x, y) = along(at);
            grid.moves(x, y).allows(direction)
        };
        for place in transitions(length, is_open) {
            cross(along(place), direction);
        }
    }
    if has_squeezes(grid) {
        let rim = rect.cells().filter(|&(x, y)| {
            x == rect.left || x + 1 == rect.right || y == rect.top || y + 1 == rect.bottom
        });
        for (x, y) in rim {
            for (direction, _) in squeezes(grid, (x, y)).filter(|&(_, head)| !rect.contains(head)) {
                cross((x, y), direction);
            }
        }
    }
    ClusterOutline::new(crossings)
}

/// The positions of the transitions along a border of this length.
pub(crate) fn transitions(length: u32, is_open: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < length {
        if !is_open(at) {
            at += 1;
            continue;
        }
        let first = at;
        while at < length && is_open(at) {
            at += 1;
        }
        match at - first {
            WIDE.. => places.extend([first, at - 1]),
            narrow => places.push(first + (narrow - 1) / 2),
        }
    }
    places
}

/// Whether diagonal steps may pass between two blocked cells.
pub(crate) fn has_squeezes(grid: &Grid) -> bool {
    match grid.connectivity() {
        Connectivity::Four => false,
        Connectivity::Eight => grid.corners() == Corners::Always,
        Connectivity::Hex => true,
    }
}

/// The diagonal steps from a cell that pass between two blocked cells, with their heads.
pub(crate) fn squeezes(
    grid: &Grid,
    (x, y): (u32, u32),
) -> impl Iterator<Item = (Heading, (u32, u32))> {
    grid.moves(x, y).filter_map(move |heading| {
        let (dx, dy) = heading.delta();
        let (to_x, to_y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
        let is_squeeze =
            heading.is_diagonal() && !grid.is_passable(to_x, y) && !grid.is_passable(x, to_y);
        is_squeeze.then_some((heading, (to_x, to_y)))
    })
}

/// The legal step from a cell in a direction: its head and its cost.
pub(crate) fn step(grid: &Grid, from: (u32, u32), heading: Heading) -> Option<(NodeId, Cost)> {
    let mut found = None;
    grid.steps(grid.node(from.0, from.1)?, |direction, head, weight| {
        if direction == heading {
            found = Some((head, weight));
        }
    });
    found
}

fn crossing(
    grid: &Grid,
    tiling: &Tiling,
    base: &Geometric,
    from: (u32, u32),
    direction: Heading,
) -> Option<(Slot, InterEdge)> {
    let (head, weight) = step(grid, from, direction)?;
    let link =
        InterEdge { head: tiling.slot_at(grid.split(head)), weight, position: base.position(head) };
    Some((tiling.slot_at(from), link))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(border: &str, expected: &[u32]) {
        let open: Vec<bool> = border.bytes().map(|cell| cell == b'.').collect();
        let found = transitions(open.len() as u32, |at| open[at as usize]);
        assert_eq!(found, expected, "{border}");
    }

    #[test]
    fn narrow_entrances_have_one_transition_and_wide_ones_two() {
        check("##########", &[]);
        check("#.########", &[1]);
        check("..##...###", &[0, 5]);
        check(".....#....", &[2, 7]);
        check("......#...", &[0, 5, 8]);
        check("..........", &[0, 9]);
        check("#.#.#.#.#.", &[1, 3, 5, 7, 9]);
    }
}
