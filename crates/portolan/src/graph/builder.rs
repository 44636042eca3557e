//! Builds graphs from checked edges.

use std::sync::Arc;

use super::rows::CompressedRows;
use super::{CsrGraph, NodeId, Point};
use crate::cost::{Cost, UNREACHABLE};

/// Collects edges, checks each one, and builds a [`CsrGraph`].
///
/// ```
/// use portolan::GraphBuilder;
/// let mut builder = GraphBuilder::new(3)?;
/// builder.add_edge(0, 1, 70)?;
/// builder.add_two_way(1, 2, 30)?;
/// assert_eq!(builder.build().edge_count(), 3);
/// # Ok::<(), portolan::GraphError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GraphBuilder {
    nodes: usize,
    edges: Vec<(NodeId, NodeId, Cost)>,
    coordinates: Option<Vec<Point>>,
    unit: Cost,
}

impl GraphBuilder {
    /// A graph of this many nodes and no edges yet.
    pub fn new(nodes: usize) -> Result<Self, GraphError> {
        if nodes > MAX_NODES {
            return Err(GraphError::TooManyNodes { nodes });
        }
        Ok(Self { nodes, edges: Vec::new(), coordinates: None, unit: 1 })
    }

    /// Sets the units of weight in a length of one: [`Map::length`](crate::Map::length) divides
    /// costs by it. The default is 1.
    pub fn with_unit(self, unit: Cost) -> Result<Self, GraphError> {
        if unit == 0 {
            return Err(GraphError::NoScale);
        }
        Ok(Self { unit, ..self })
    }

    /// Adds a one-way edge. Zero weights, self-loops and parallel edges are legal.
    pub fn add_edge(&mut self, tail: NodeId, head: NodeId, weight: Cost) -> Result<(), GraphError> {
        let edge = self.edges.len();
        check_edge(edge, tail, head, weight, self.nodes)?;
        self.edges.push((tail, head, weight));
        Ok(())
    }

    /// Adds the same edge in both directions.
    pub fn add_two_way(&mut self, a: NodeId, b: NodeId, weight: Cost) -> Result<(), GraphError> {
        self.add_edge(a, b, weight)?;
        self.add_edge(b, a, weight)
    }

    /// Sets the coordinates of all nodes, in the order of their ids.
    pub fn set_coordinates(&mut self, coordinates: Vec<Point>) -> Result<(), GraphError> {
        check_coordinates(self.nodes, &coordinates)?;
        self.coordinates = Some(coordinates);
        Ok(())
    }

    /// Sorts the edges into rows.
    pub fn build(self) -> CsrGraph {
        let rows = CompressedRows::from_edges(self.nodes, self.edges);
        let coordinates = self.coordinates.map(Arc::new);
        let graph = CsrGraph::from_rows(rows, coordinates, Arc::default(), Arc::default());
        CsrGraph { unit: self.unit, ..graph }
    }
}

/// Why a graph cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// More nodes than node ids can count.
    #[error("{nodes} nodes are more than the {} that node ids can count", MAX_NODES)]
    TooManyNodes {
        /// The requested number of nodes.
        nodes: usize,
    },
    /// More edges than the row index can count.
    #[error(
        "edge {edge} ({tail} -> {head}) is beyond the {} edges that a graph can hold",
        MAX_EDGES
    )]
    TooManyEdges {
        /// The index in insertion order, from zero.
        edge: usize,
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
    },
    /// An edge that names a node beyond the last.
    #[error("edge {edge} ({tail} -> {head}) names a node beyond the last one, {}; make the graph with at least {} nodes", nodes.saturating_sub(1), u64::from(*tail.max(head)) + 1)]
    DanglingEdge {
        /// The index in insertion order, from zero.
        edge: usize,
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
        /// The number of nodes.
        nodes: usize,
    },
    /// A weight that is not a finite cost.
    #[error("edge {edge} ({tail} -> {head}) has the weight {UNREACHABLE}, which means \"unreachable\"; the largest weight is {}", UNREACHABLE - 1)]
    WeightTooLarge {
        /// The index in insertion order, from zero.
        edge: usize,
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
    },
    /// A length that is negative, not a number, or too large for this scale.
    #[error(
        "edge {edge} ({tail} -> {head}) is {length} long; with {scale} units per length, lengths run from 0 to {:.1}",
        f64::from(UNREACHABLE - 1) / f64::from(*scale)
    )]
    BadLength {
        /// The index in insertion order, from zero.
        edge: usize,
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
        /// The given length, as text.
        length: String,
        /// The units of weight in a length of one.
        scale: u32,
    },
    /// A length of one must be at least one unit of weight.
    #[error("the scale is 0; give the units of weight in a length of 1, for example 1000")]
    NoScale,
    /// The number of coordinates differs from the number of nodes.
    #[error("{found} coordinates were given for {expected} nodes")]
    CoordinateCount {
        /// The number of nodes.
        expected: usize,
        /// The number of coordinates.
        found: usize,
    },
}

/// Tables use the last id for "none".
pub(super) const MAX_NODES: usize = u32::MAX as usize - 1;
pub(super) const MAX_EDGES: usize = u32::MAX as usize - 1;

fn check_edge(
    edge: usize,
    tail: NodeId,
    head: NodeId,
    weight: Cost,
    nodes: usize,
) -> Result<(), GraphError> {
    if edge >= MAX_EDGES {
        return Err(GraphError::TooManyEdges { edge, tail, head });
    }
    if tail.max(head) as usize >= nodes {
        return Err(GraphError::DanglingEdge { edge, tail, head, nodes });
    }
    if weight == UNREACHABLE {
        return Err(GraphError::WeightTooLarge { edge, tail, head });
    }
    Ok(())
}

pub(super) fn check_coordinates(nodes: usize, coordinates: &[Point]) -> Result<(), GraphError> {
    if coordinates.len() == nodes {
        Ok(())
    } else {
        Err(GraphError::CoordinateCount { expected: nodes, found: coordinates.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_edge() {
        let mut builder = GraphBuilder::new(2).unwrap();
        builder.add_edge(0, 1, 1).unwrap();
        let dangling = builder.add_edge(0, 2, 1).unwrap_err();
        assert_eq!(dangling, GraphError::DanglingEdge { edge: 1, tail: 0, head: 2, nodes: 2 });
        assert_eq!(
            dangling.to_string(),
            "edge 1 (0 -> 2) names a node beyond the last one, 1; make the graph with at least 3 nodes"
        );
        let heavy = builder.add_edge(1, 0, UNREACHABLE).unwrap_err();
        assert_eq!(heavy, GraphError::WeightTooLarge { edge: 1, tail: 1, head: 0 });
        let many = check_edge(MAX_EDGES, 0, 1, 1, 2).unwrap_err();
        assert!(matches!(many, GraphError::TooManyEdges { tail: 0, head: 1, .. }));
        let nodes = usize::try_from(u32::MAX).unwrap();
        assert_eq!(GraphBuilder::new(nodes).unwrap_err(), GraphError::TooManyNodes { nodes });
        let points = vec![Point { x: 0, y: 0 }];
        let count = builder.set_coordinates(points).unwrap_err();
        assert_eq!(count, GraphError::CoordinateCount { expected: 2, found: 1 });
    }
}
