//! A graph as `serde` sees it: the edges of every node, so that no number in a file says how much
//! to allocate.

use serde::{Deserialize, Serialize};

use super::{CsrGraph, Graph, GraphBuilder, GraphError, NodeId, Point};
use crate::changes::{ChangeError, Changes};
use crate::cost::Cost;

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    /// What weights are divided by to give lengths.
    unit: Cost,
    /// For each node the heads and weights of the edges that leave it.
    edges: Vec<Vec<(NodeId, Cost)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coordinates: Option<Vec<Point>>,
    /// Deleted nodes, whose ids are not given out again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deleted: Vec<NodeId>,
}

/// Why a record is not a graph.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Deleted(#[from] ChangeError),
}

impl From<CsrGraph> for Record {
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

impl TryFrom<Record> for CsrGraph {
    type Error = RecordError;

    fn try_from(record: Record) -> Result<Self, RecordError> {
        let mut builder = GraphBuilder::new(record.edges.len())?.with_unit(record.unit)?;
        for (tail, edges) in (0..).zip(&record.edges) {
            edges.iter().try_for_each(|&(head, weight)| builder.add_edge(tail, head, weight))?;
        }
        if let Some(coordinates) = record.coordinates {
            builder.set_coordinates(coordinates)?;
        }
        let mut graph = builder.build();
        let deleted = record.deleted.into_iter().fold(Changes::new(), Changes::delete_node);
        graph.apply(&deleted)?;
        Ok(graph)
    }
}
