//! The reachable node nearest to a goal.

use super::{Scratch, check_node, dijkstra};
use crate::cost::UNREACHABLE;
use crate::graph::{CsrGraph, NodeId};
use crate::map::{EndpointError, Map, on_graph};

impl Map {
    /// The node at which a path toward the goal should end: the goal itself if it is reachable,
    /// else the nearest reachable node.
    ///
    /// On grids, the distance is that on open ground, and the goal may be blocked. Of equally near
    /// cells, the first in row order is returned. On graphs, the distance is the straight line
    /// between coordinates; ties are resolved by path cost, then by id. Without coordinates, the
    /// answer is the goal or the start. Nodes whose cost overflows do not count.
    pub fn nearest_reachable(&self, from: NodeId, to: NodeId) -> Result<NodeId, EndpointError> {
        on_graph!(self, graph => check_node(graph, from))?;
        let to = self.node(to)?;
        match self {
            Self::Grid(grid) => Ok(grid.nearest_reachable(from, to)),
            Self::Graph(graph) => nearest_on_graph(graph, from, to),
        }
    }
}

fn nearest_on_graph(graph: &CsrGraph, from: NodeId, to: NodeId) -> Result<NodeId, EndpointError> {
    let mut scratch = Scratch::default();
    let reached = dijkstra::within(graph, &mut scratch, from, UNREACHABLE)?;
    let squared = |node: NodeId| {
        let points = graph.coordinates()?;
        let (a, b) = (points[node as usize], points[to as usize]);
        let (dx, dy) = (u128::from(a.x.abs_diff(b.x)), u128::from(a.y.abs_diff(b.y)));
        Some(dx * dx + dy * dy)
    };
    // The goal comes first, although other nodes may have the same coordinates.
    let nearest = reached
        .into_iter()
        .min_by_key(|&(node, cost)| (node != to, squared(node).unwrap_or(0), cost, node));
    Ok(nearest.map_or(from, |(node, _)| node))
}
