//! Distances between one landmark and all nodes.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::search::{Scratch, Sliced, dijkstra};

/// The true distances of a landmark, by node; [`UNREACHABLE`] where there is no path or none that a
/// cost can hold.
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
    pub(super) fn of(map: &Map, directed: bool, landmark: NodeId, scratch: &mut Scratch) -> Self {
        on_graph!(map, graph => {
            let (to, overflowed) = distances(&graph.reversed(), landmark, scratch);
            let back = directed.then(|| distances(graph, landmark, scratch));
            let overflowed = overflowed || back.as_ref().is_some_and(|(_, overflowed)| *overflowed);
            Self { landmark, to, from: back.map(|(from, _)| from), overflowed }
        })
    }

    /// From the landmark to each node.
    pub(super) fn back(&self) -> &Vec<Cost> {
        self.from.as_ref().unwrap_or(&self.to)
    }

    /// All distances there are.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Vec<Cost>> {
        [&self.to].into_iter().chain(&self.from)
    }

    /// What this landmark proves of the way from one node to another.
    pub(super) fn bound(&self, from: NodeId, to: NodeId) -> Cost {
        let (from, to) = (from as usize, to as usize);
        let apart = |far: Cost, near: Cost| match (far, near) {
            (UNREACHABLE, _) | (_, UNREACHABLE) => 0,
            (far, near) => far.saturating_sub(near),
        };
        let back = self.back();
        apart(self.to[from], self.to[to]).max(apart(back[to], back[from]))
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

impl Field {
    /// What waves over the whole map have found: the one to the landmark and, on directed maps, the
    /// one from it.
    pub(super) fn found(landmark: NodeId, waves: &[Sliced]) -> Self {
        let mut columns = waves.iter().map(Sliced::costs);
        let to = columns.next().unwrap_or_default();
        let overflowed = waves.iter().any(Sliced::overflowed);
        Self { landmark, to, from: columns.next(), overflowed }
    }
}
