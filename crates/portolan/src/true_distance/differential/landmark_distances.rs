//! The distances between one landmark and all nodes.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::search::{Scratch, Sliced, dijkstra};

/// The true distances of a landmark, by node; [`UNREACHABLE`] if there is no path, or if its cost
/// overflows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LandmarkDistances {
    pub(super) landmark: NodeId,
    /// From each node to the landmark. On undirected maps also from the landmark.
    pub(super) to: Vec<Cost>,
    /// From the landmark to each node, on directed maps.
    pub(super) from: Option<Vec<Cost>>,
    /// Whether the cost of some path overflowed.
    pub(super) overflowed: bool,
}

impl LandmarkDistances {
    pub(super) fn of(map: &Map, directed: bool, landmark: NodeId, scratch: &mut Scratch) -> Self {
        on_graph!(map, graph => {
            let (to, overflowed) = distances(&graph.reversed(), landmark, scratch);
            let back = directed.then(|| distances(graph, landmark, scratch));
            let overflowed = overflowed || back.as_ref().is_some_and(|(_, overflowed)| *overflowed);
            Self { landmark, to, from: back.map(|(from, _)| from), overflowed }
        })
    }

    /// The distances that two sliced searches have found: to the landmark and, on directed maps,
    /// from it.
    pub(super) fn from_searches(landmark: NodeId, searches: &[Sliced]) -> Self {
        let mut columns = searches.iter().map(Sliced::costs);
        let to = columns.next().unwrap_or_default();
        let overflowed = searches.iter().any(Sliced::overflowed);
        Self { landmark, to, from: columns.next(), overflowed }
    }

    /// From the landmark to each node.
    pub(super) fn out_of_landmark(&self) -> &Vec<Cost> {
        self.from.as_ref().unwrap_or(&self.to)
    }

    /// The distances in each direction.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Vec<Cost>> {
        [&self.to].into_iter().chain(&self.from)
    }

    /// The bound of this landmark between two nodes.
    pub(super) fn bound(&self, from: NodeId, to: NodeId) -> Cost {
        let (from, to) = (from as usize, to as usize);
        let difference = |far: Cost, near: Cost| match (far, near) {
            (UNREACHABLE, _) | (_, UNREACHABLE) => 0,
            (far, near) => far.saturating_sub(near),
        };
        let back = self.out_of_landmark();
        difference(self.to[from], self.to[to]).max(difference(back[to], back[from]))
    }
}

/// The distances from a node to all nodes, and whether one overflowed.
fn distances(graph: &impl Graph, from: NodeId, scratch: &mut Scratch) -> (Vec<Cost>, bool) {
    // Not an error here: the node counts as unreachable.
    let overflowed = dijkstra::one_to_all(graph, scratch, from).is_err();
    let cost = |node| scratch.cost(node).unwrap_or(UNREACHABLE);
    let distances = (0..graph.node_count() as NodeId).map(cost).collect();
    (distances, overflowed)
}
