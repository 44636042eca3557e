//! Intervals for a node with dropped entries: bounds on its distances to all landmarks.
//!
//! Nearby nodes have the missing entries. A small search from the node finds them, and the triangle
//! inequality turns the entry of a node x at cost c into an interval: d(g, L) <= c + d(x, L), and
//! d(L, g) >= d(L, x) - c. This is the bounding procedure of the compressed differential heuristic.
//! It runs once per query, for the fixed end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::bound::closed_sides;
use super::table::{Blank, Table};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Direction, Graph, NodeId};
use crate::map::{Map, on_graph};

/// The most nodes to visit, per group.
const NODES_PER_GROUP: usize = 24;

/// The lower and upper limits of the intervals, group by group and entry by entry.
pub(super) fn nearby_intervals(
    table: &Table,
    map: &Map,
    node: NodeId,
    direction: Direction,
) -> (Vec<Cost>, Vec<Cost>) {
    on_graph!(map, graph => match direction {
        Direction::Forward => gather(table, graph, node, direction),
        Direction::Backward => gather(table, &graph.reversed(), node, direction),
    })
}

fn gather(
    table: &Table,
    graph: &impl Graph,
    node: NodeId,
    direction: Direction,
) -> (Vec<Cost>, Vec<Cost>) {
    let (stride, groups) = (table.stride(), table.groups);
    // By landmark, because one may be in several groups: to it, then from it.
    let mut lowest = vec![[0; 2]; table.landmarks.len()];
    let mut highest = vec![[UNREACHABLE; 2]; table.landmarks.len()];
    let (mut missing, mut visits_left) = (vec![true; groups], groups * NODES_PER_GROUP);
    let mut costs: HashMap<NodeId, Cost> = HashMap::from([(node, 0)]);
    let mut open = BinaryHeap::from([Reverse((0, node))]);
    while let Some(Reverse((cost, here))) = open.pop() {
        if costs.get(&here) != Some(&cost) {
            continue;
        }
        let (row, group) = (table.row(here), table.group(here));
        for (at, &entry) in row.iter().enumerate() {
            let (landmark, to) = table.landmark_of(group, at);
            let side = usize::from(!to);
            let distances = table.distances(entry);
            let low = match (distances, table.blank) {
                (Some((least, _)), _) => least.saturating_sub(cost),
                (None, Blank::NoPath) => UNREACHABLE,
                (None, Blank::TooFar) => UNREACHABLE - cost,
                (None, Blank::Unknown) => 0,
            };
            lowest[landmark][side] = low.max(lowest[landmark][side]);
            let high = distances.and_then(|(_, most)| plus(most, cost));
            highest[landmark][side] = highest[landmark][side].min(high.unwrap_or(UNREACHABLE));
        }
        missing[group] &= row.is_empty();
        visits_left -= 1;
        if visits_left == 0 || !missing.contains(&true) {
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
    let interval = |at: usize| {
        let (landmark, to) = table.landmark_of(at / stride, at % stride);
        let (below, above) = closed_sides(table, at % stride, direction);
        let (low, high) = (lowest[landmark][usize::from(!to)], highest[landmark][usize::from(!to)]);
        (if below { low } else { 0 }, if above { high } else { UNREACHABLE })
    };
    (0..groups * stride).map(interval).unzip()
}
