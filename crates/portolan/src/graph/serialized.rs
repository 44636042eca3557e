//! The `serde` form of a graph: the edges of every node, so that a reader never allocates from a
//! stored count.

use serde::{Deserialize, Serialize};

use super::{CsrGraph, Graph, GraphBuilder, GraphError, NodeId, Point};
use crate::changes::{ChangeError, Changes};
use crate::cost::Cost;

#[derive(Serialize, Deserialize)]
pub(super) struct SerializedGraph {
    /// The units of weight in a length of one.
    unit: Cost,
    /// By tail, the heads and weights of its edges.
    edges: Vec<Vec<(NodeId, Cost)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coordinates: Option<Vec<Point>>,
    /// Deleted nodes. Their ids are not reused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deleted: Vec<NodeId>,
}

/// Why the serialized form is not a graph.
#[derive(Debug, thiserror::Error)]
pub(super) enum SerializedGraphError {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Deleted(#[from] ChangeError),
}

impl From<CsrGraph> for SerializedGraph {
    fn from(graph: CsrGraph) -> Self {
        let nodes = 0..graph.node_count() as NodeId;
        Self {
            unit: graph.unit(),
            edges: nodes.map(|tail| graph.edges(tail).collect()).collect(),
            coordinates: graph.coordinates().map(<[Point]>::to_vec),
            deleted: graph.removed.to_vec(),
        }
    }
}

impl TryFrom<SerializedGraph> for CsrGraph {
    type Error = SerializedGraphError;

    fn try_from(serialized: SerializedGraph) -> Result<Self, SerializedGraphError> {
        let mut builder = GraphBuilder::new(serialized.edges.len())?.with_unit(serialized.unit)?;
        for (tail, edges) in (0..).zip(&serialized.edges) {
            edges.iter().try_for_each(|&(head, weight)| builder.add_edge(tail, head, weight))?;
        }
        if let Some(coordinates) = serialized.coordinates {
            builder.set_coordinates(coordinates)?;
        }
        let mut graph = builder.build();
        let deleted = serialized.deleted.into_iter().fold(Changes::new(), Changes::delete_node);
        graph.apply(&deleted)?;
        Ok(graph)
    }
}
