//! Step 2: the portals between two portals.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Graph;
use crate::portal::bound::layout::NOWHERE;
use crate::portal::bound::tables::{Hop, Portals};

/// One hop on the way from portal to portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leg {
    pub(crate) from: u16,
    pub(crate) to: u16,
    /// The region that it leads through, with the places of both in its list of portals; `None`
    /// along an edge.
    pub(crate) through: Option<(u32, u16, u16)>,
    /// Whether a search for it starts at its end.
    pub(crate) turned: bool,
}

/// Adds the hops of a shortest way between two portals; false where the tables contradict each
/// other, as those of a damaged file may.
///
/// Of the portals that come next on some shortest way the nearest is taken. Every hop costs
/// something, so what is left falls, and the loop ends.
pub(crate) fn refine(
    graph: &impl Graph,
    portals: &Portals,
    from: u16,
    to: u16,
    legs: &mut Vec<Leg>,
) -> bool {
    let mut here = from;
    while here != to {
        let Some(leg) = next_leg(graph, portals, here, to) else { return false };
        legs.push(leg);
        here = leg.to;
    }
    true
}

fn next_leg(graph: &impl Graph, portals: &Portals, here: u16, to: u16) -> Option<Leg> {
    let layout = &portals.layout;
    let left = portals.between(here, to, false);
    if left == UNREACHABLE {
        return None;
    }
    let mut best: Option<(Cost, Leg)> = None;
    let mut offer = |next: u16, through, turned| {
        let step = portals.between(here, next, false);
        let nearer = best.is_none_or(|(least, _)| step < least);
        let rest = if nearer && step > 0 { left.checked_sub(step) } else { None };
        if rest.is_some_and(|rest| portals.between(next, to, false) == rest) {
            best = Some((step, Leg { from: here, to: next, through, turned }));
        }
    };
    for &region in layout.around.list(here.into()) {
        let list = layout.beside.list(region.into());
        let Ok(from_place) = list.binary_search(&here) else { continue };
        for (place, &next) in list.iter().enumerate() {
            let region = u32::from(region);
            let hop = portals.hops.hop(region, list.len(), from_place, place);
            if hop != Hop::Elsewhere {
                let through = Some((region, from_place as u16, place as u16));
                offer(next, through, hop == Hop::Backward);
            }
        }
    }
    graph.out_edges(layout.node(here), |head, weight| {
        let number = layout.number(head);
        if number >= layout.regions() && number != NOWHERE {
            let next = (number - layout.regions()) as u16;
            if weight == portals.between(here, next, false) {
                offer(next, None, false);
            }
        }
    });
    best.map(|(_, leg)| leg)
}
