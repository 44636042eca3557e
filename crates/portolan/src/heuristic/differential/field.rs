//! Distances between one landmark and all nodes.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::search::{Scratch, dijkstra};

/// The true distances of a landmark, by node; [`UNREACHABLE`] where there is no path or none that a cost can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) landmark: NodeId,
    /// From each node to the landmark; on undirected maps also the other way.
    pub(super) to: Vec<Cost>,
    /// From the landmark to each node, on directed maps.
    pub(super) from: Option<Vec<Cost>>,
    /// Whether a path was left out because its cost is no finite number.
    pub(super) overflowed: bool,
}

impl Field {
    pub(super) fn of(map: &Map, undirected: bool, landmark: NodeId, scratch: &mut Scratch) -> Self {
        on_graph!(map, graph => {
            let (to, overflowed) = distances(&graph.reversed(), landmark, scratch);
            let (from, also) = match undirected {
                true => (None, false),
                false => {
                    let (from, overflowed) = distances(graph, landmark, scratch);
                    (Some(from), overflowed)
                }
            };
            Self { landmark, to, from, overflowed: overflowed || also }
        })
    }
}

/// The distances from a node to all, and whether some were no finite number.
fn distances(graph: &impl Graph, from: NodeId, scratch: &mut Scratch) -> (Vec<Cost>, bool) {
    // Overflow is no error here: such a node is merely far.
    let overflowed = dijkstra::one_to_all(graph, scratch, from).is_err();
    let cost = |node| scratch.cost(node).unwrap_or(UNREACHABLE);
    let distances = (0..graph.node_count() as NodeId).map(cost).collect();
    (distances, overflowed)
}
