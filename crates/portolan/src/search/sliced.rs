//! Dijkstra's algorithm over a whole map, a stated number of expansions at a time.

use super::dijkstra::NoBound;
use super::queue::Entry;
use super::{Scratch, check_node};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};

/// The distances between one node and all others, computed in slices.
pub(crate) struct Sliced {
    map: Map,
    reversed: bool,
    scratch: Scratch,
    done: bool,
}

impl Sliced {
    /// Distances from this node or, if `reversed`, to it. Nothing to do for an unusable node.
    pub(crate) fn new(map: Map, node: NodeId, reversed: bool) -> Self {
        let mut scratch = Scratch::default();
        let done = on_graph!(&map, graph => check_node(graph, node)).is_err();
        if !done {
            scratch.start(map.node_count(), node, &mut NoBound, &mut ());
        }
        Self { map, reversed, scratch, done }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Expands at most `expansions` nodes. Returns the number of expansions.
    pub(crate) fn advance(&mut self, expansions: u64) -> u64 {
        on_graph!(&self.map, graph => match self.reversed {
            true => spread(&graph.reversed(), &mut self.scratch, expansions, &mut self.done),
            false => spread(graph, &mut self.scratch, expansions, &mut self.done),
        })
    }

    /// The distances by node; [`UNREACHABLE`] if there is none.
    pub(crate) fn costs(&self) -> Vec<Cost> {
        let cost = |node| self.scratch.cost(node).unwrap_or(UNREACHABLE);
        (0..self.map.node_count() as NodeId).map(cost).collect()
    }

    /// Whether a cost overflowed.
    pub(crate) fn overflowed(&self) -> bool {
        self.scratch.overflowed()
    }
}

fn spread(graph: &impl Graph, scratch: &mut Scratch, expansions: u64, done: &mut bool) -> u64 {
    for expanded in 0..expansions {
        let Some(Entry { cost, node, .. }) = scratch.pop() else {
            *done = true;
            return expanded;
        };
        scratch.relax(graph, (node, cost), &mut NoBound, &mut (), |_, _| {});
    }
    expansions
}
