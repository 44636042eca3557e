//! What is known of a node whose entries were dropped: bounds on its distances to all landmarks.
//!
//! Nodes close by have the entries that this one lacks. A small search from it finds them, and the
//! triangle inequality turns the entry of a node x at cost c into an interval: d(g, L) <= c + d(x,
//! L), and d(L, g) >= d(L, x) - c. (The bounding procedure of the compressed differential
//! heuristic.) This is done once per query, for the fixed end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::bound::{End, sides};
use super::table::{Blank, Table};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};

/// Intervals, group by group and entry by entry.
pub(super) struct Known {
    pub(super) low: Vec<Cost>,
    pub(super) high: Vec<Cost>,
}

/// How many nodes are looked at for each group, at most.
const NODES_PER_GROUP: usize = 24;

pub(super) fn known(table: &Table, map: &Map, node: NodeId, end: End) -> Known {
    on_graph!(map, graph => match end {
        End::Target => gather(table, graph, node, end),
        End::Source => gather(table, &graph.reversed(), node, end),
    })
}

fn gather(table: &Table, graph: &impl Graph, node: NodeId, end: End) -> Known {
    let (stride, groups) = (table.stride(), table.groups);
    // By landmark first, since one may be in several groups: to it, then from it.
    let mut lowest = vec![[0; 2]; table.landmarks.len()];
    let mut highest = vec![[UNREACHABLE; 2]; table.landmarks.len()];
    let (mut missing, mut looks) = (vec![true; groups], groups * NODES_PER_GROUP);
    let mut costs: HashMap<NodeId, Cost> = HashMap::from([(node, 0)]);
    let mut open = BinaryHeap::from([Reverse((0, node))]);
    while let Some(Reverse((cost, here))) = open.pop() {
        if costs.get(&here) != Some(&cost) {
            continue;
        }
        let (row, group) = (table.row(here), table.group(here));
        for (at, &entry) in row.iter().enumerate() {
            let (landmark, to) = table.meaning(group, at);
            let way = usize::from(!to);
            let distances = table.distances(entry);
            let low = match (distances, table.blank) {
                (Some((least, _)), _) => least.saturating_sub(cost),
                (None, Blank::NoPath) => UNREACHABLE,
                (None, Blank::TooFar) => UNREACHABLE - cost,
                (None, Blank::Unknown) => 0,
            };
            lowest[landmark][way] = low.max(lowest[landmark][way]);
            let high = distances.and_then(|(_, most)| plus(most, cost));
            highest[landmark][way] = highest[landmark][way].min(high.unwrap_or(UNREACHABLE));
        }
        missing[group] &= row.is_empty();
        looks -= 1;
        if looks == 0 || !missing.contains(&true) {
            break;
        }
        graph.out_edges(here, |head, weight| {
            let Some(cost) = plus(cost, weight) else { return };
            if costs.get(&head).is_none_or(|&known| cost < known) {
                costs.insert(head, cost);
                open.push(Reverse((cost, head)));
            }
        });
    }
    let interval = |place: usize| {
        let (landmark, to) = table.meaning(place / stride, place % stride);
        let (below, above) = sides(table, place % stride, end);
        let (low, high) = (lowest[landmark][usize::from(!to)], highest[landmark][usize::from(!to)]);
        (if below { low } else { 0 }, if above { high } else { UNREACHABLE })
    };
    let (low, high) = (0..groups * stride).map(interval).unzip();
    Known { low, high }
}
