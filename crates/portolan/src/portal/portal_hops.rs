//! Step 2: the portals between two portals.

use super::bound::tables::PortalTables;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Graph};

/// One hop of a path between portals: an edge, or a path through one region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PortalHop {
    pub(super) from: u16,
    pub(super) to: u16,
    /// `None` for an edge.
    pub(super) crossing: Option<RegionCrossing>,
}

/// The region that a hop leads through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegionCrossing {
    pub(super) region: u32,
    /// The index of the hop's last portal in the region's list.
    pub(super) to_index: u16,
    /// The direction in which a search expands fewer nodes.
    pub(super) direction: Direction,
}

/// Adds the hops of a shortest path between two portals. Returns `false` if the tables contradict
/// each other, which happens only in damaged files.
///
/// Takes the nearest of the portals that are next on a shortest path. Every hop has a positive
/// cost, so the remaining cost falls and the loop ends.
pub(super) fn find_hops(
    graph: &impl Graph,
    portals: &PortalTables,
    from: u16,
    to: u16,
    hops: &mut Vec<PortalHop>,
) -> bool {
    let mut here = from;
    while here != to {
        let Some(hop) = next_hop(graph, portals, here, to) else { return false };
        hops.push(hop);
        here = hop.to;
    }
    true
}

fn next_hop(graph: &impl Graph, portals: &PortalTables, here: u16, to: u16) -> Option<PortalHop> {
    let layout = &portals.layout;
    let distance = |from, to| portals.between(from, to, Direction::Forward);
    let remaining = distance(here, to);
    if remaining == UNREACHABLE {
        return None;
    }
    let mut best: Option<(Cost, PortalHop)> = None;
    let mut offer = |next: u16, crossing| {
        let step = distance(here, next);
        let is_nearer = best.is_none_or(|(least, _)| step < least);
        let rest = if is_nearer && step > 0 { remaining.checked_sub(step) } else { None };
        if rest.is_some_and(|rest| distance(next, to) == rest) {
            best = Some((step, PortalHop { from: here, to: next, crossing }));
        }
    };
    for &region in layout.regions_of(here) {
        let region = u32::from(region);
        let list = layout.portals_of(region);
        let Ok(from_index) = list.binary_search(&here) else { continue };
        for (index, &next) in list.iter().enumerate() {
            let direction = portals.crossings.direction(region, list.len(), from_index, index);
            if let Some(direction) = direction {
                offer(next, Some(RegionCrossing { region, to_index: index as u16, direction }));
            }
        }
    }
    graph.out_edges(layout.node(here), |head, weight| {
        if let Some(next) = layout.portal(head).filter(|&next| weight == distance(here, next)) {
            offer(next, None);
        }
    });
    best.map(|(_, hop)| hop)
}
