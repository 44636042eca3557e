//! Whether two maps differ in their weights alone.

use crate::graph::{CsrGraph, Graph, NodeId};
use crate::location::{Extent, Location};
use crate::map::Map;

/// The first difference between the topologies of two maps: their nodes and edges, whatever they
/// weigh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyDifference {
    /// One map is a grid and the other a graph.
    #[error("one is a grid and the other a graph")]
    Kind,
    /// Maps of different sizes.
    #[error("the first has {before}, the second has {after}")]
    Extent {
        /// The extent of the first map.
        before: Extent,
        /// The extent of the second map.
        after: Extent,
    },
    /// Grids whose units move differently, or of which one has terrain factors.
    #[error("their connectivity, their corner rules, or whether they have terrain differ")]
    Rules,
    /// A cell or node that only one of the maps has.
    #[error("{at} is {}", if *.added { "in the second only" } else { "missing from the second" })]
    Node {
        /// The cell or node.
        at: Location,
        /// Whether the second map has it.
        added: bool,
    },
    /// A different number of edges from one node to another.
    #[error(
        "{before} edges lead from node {tail} to node {head} in the first and {after} in the second"
    )]
    Edges {
        /// The tail of the edges.
        tail: NodeId,
        /// The head of the edges.
        head: NodeId,
        /// The number of edges in the first map.
        before: usize,
        /// The number of edges in the second map.
        after: usize,
    },
}

/// Checks that two maps have the same nodes and edges, parallel edges and loops included.
pub(crate) fn same_topology(before: &Map, after: &Map) -> Result<(), TopologyDifference> {
    if let (Map::Grid(_), Map::Graph(_)) | (Map::Graph(_), Map::Grid(_)) = (before, after) {
        return Err(TopologyDifference::Kind);
    }
    if before.extent() != after.extent() {
        return Err(TopologyDifference::Extent { before: before.extent(), after: after.extent() });
    }
    match (before, after) {
        (Map::Grid(before), Map::Grid(after)) if !before.same_rules(after) => {
            Err(TopologyDifference::Rules)
        }
        (Map::Graph(before), Map::Graph(after)) if before.same_edges(after) => Ok(()),
        _ => {
            let at = (0..before.node_count() as NodeId)
                .find(|&node| before.contains(node) != after.contains(node));
            match (at, before, after) {
                (Some(node), ..) => {
                    let (at, added) = (before.location(node), after.contains(node));
                    Err(TopologyDifference::Node { at, added })
                }
                (None, Map::Graph(before), Map::Graph(after)) => {
                    first_edges(before, after).map_or(Ok(()), Err)
                }
                _ => Ok(()),
            }
        }
    }
}

/// The first pair of nodes between which the numbers of edges differ.
fn first_edges(before: &CsrGraph, after: &CsrGraph) -> Option<TopologyDifference> {
    let heads =
        |graph: &CsrGraph, tail| graph.edges(tail).map(|(head, _)| head).collect::<Vec<_>>();
    (0..before.node_count() as NodeId).find_map(|tail| {
        let (old, new) = (heads(before, tail), heads(after, tail));
        let head = old.iter().chain(&new).copied().filter(|&head| {
            let count = |heads: &[NodeId]| heads.iter().filter(|&&other| other == head).count();
            count(&old) != count(&new)
        });
        let head = if old == new { None } else { head.min() };
        head.map(|head| {
            let count = |heads: &[NodeId]| heads.iter().filter(|&&other| other == head).count();
            TopologyDifference::Edges { tail, head, before: count(&old), after: count(&new) }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn the_first_difference_is_named() {
        let graph = |edges: &[(u32, u32, u32)]| {
            Map::from(CsrGraph::from_edges(3, edges.iter().copied()).unwrap())
        };
        let map = graph(&[(0, 1, 7), (0, 1, 9), (1, 1, 2), (2, 0, 3)]);
        let differs = |other: &Map| same_topology(&map, other).unwrap_err();
        assert_eq!(
            same_topology(&map, &graph(&[(2, 0, 0), (0, 1, 1), (0, 1, 1), (1, 1, 5)])),
            Ok(())
        );
        let fewer = graph(&[(0, 1, 7), (1, 1, 2), (2, 0, 3)]);
        assert_eq!(
            differs(&fewer),
            TopologyDifference::Edges { tail: 0, head: 1, before: 2, after: 1 }
        );
        let moved = graph(&[(0, 1, 7), (0, 1, 9), (1, 2, 2), (2, 0, 3)]);
        let expected = TopologyDifference::Edges { tail: 1, head: 1, before: 1, after: 0 };
        assert_eq!(differs(&moved), expected);
        let mut without = map.clone();
        without.apply(&crate::Changes::new().delete_node(2)).unwrap();
        assert_eq!(differs(&without).to_string(), "node 2 is missing from the second");
        let grid = Map::from(Grid::new(3, 1).unwrap());
        assert_eq!(differs(&grid), TopologyDifference::Kind);
        let terrain = Grid::new(3, 1).unwrap().with_terrain(vec![1; 3]).unwrap();
        assert_eq!(same_topology(&grid, &terrain.into()), Err(TopologyDifference::Rules));
        let larger = Map::from(Grid::new(4, 1).unwrap());
        assert!(matches!(same_topology(&grid, &larger), Err(TopologyDifference::Extent { .. })));
        let mut blocked = grid.clone();
        blocked.apply(&crate::Changes::new().block(1)).unwrap();
        let message = same_topology(&blocked, &grid).unwrap_err().to_string();
        assert_eq!(message, "cell 1,0 is in the second only");
    }
}
