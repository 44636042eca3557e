//! Edits of a graph.
//!
//! Rows that no change names are taken over as they are; the others are put together anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::csr::{CsrGraph, MAX_EDGES, MAX_NODES, Rows};
use super::{Graph, NodeId, Point};
use crate::changes::{ChangeError, Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE};

/// The rows that change, by their tail: to each head the weights of the edges there.
type ChangedRows = BTreeMap<NodeId, BTreeMap<NodeId, Vec<Cost>>>;

impl CsrGraph {
    /// Makes all of these changes, or none where one of them is impossible.
    ///
    /// Nodes come first, then edges, each in their order. A pair `(tail, head)` names all its
    /// parallel edges at once: deleting removes them all, a new weight leaves one edge.
    pub fn apply(&mut self, changes: &Changes) -> Result<(), ChangeError> {
        if !changes.cells.is_empty() || !changes.terrain.is_empty() {
            return Err(ChangeError::NotAGrid);
        }
        if changes.is_empty() {
            return Ok(());
        }
        let mut nodes = NodeEdits::of(self);
        changes.nodes.iter().try_for_each(|change| nodes.make(change))?;
        let mut rows = ChangedRows::new();
        for change in &changes.edges {
            self.change_edge(change, &nodes, &mut rows)?;
        }
        let rows = self.with_rows(&nodes, rows)?;
        *self =
            Self::from_rows(rows, nodes.coordinates, Arc::new(nodes.removed.into_iter().collect()));
        Ok(())
    }

    fn change_edge(
        &self,
        change: &EdgeChange,
        nodes: &NodeEdits,
        rows: &mut ChangedRows,
    ) -> Result<(), ChangeError> {
        let (tail, head) = change.ends();
        if let Some(node) = [tail, head].into_iter().find(|&node| !nodes.contains(node)) {
            return Err(ChangeError::NoSuchNode { node });
        }
        let row = rows.entry(tail).or_insert_with(|| self.row_by_head(tail));
        let weight = match *change {
            EdgeChange::Insert { weight, .. } | EdgeChange::SetWeight { weight, .. } => {
                Some(weight)
            }
            EdgeChange::Delete { .. } => None,
        };
        if weight == Some(UNREACHABLE) {
            return Err(ChangeError::WeightTooLarge { tail, head });
        }
        if !matches!(change, EdgeChange::Insert { .. }) && row.remove(&head).is_none() {
            return Err(ChangeError::NoSuchEdge { tail, head });
        }
        if let Some(weight) = weight {
            row.entry(head).or_default().push(weight);
        }
        Ok(())
    }

    fn row_by_head(&self, tail: NodeId) -> BTreeMap<NodeId, Vec<Cost>> {
        let mut row: BTreeMap<NodeId, Vec<Cost>> = BTreeMap::new();
        for (head, weight) in self.edges(tail) {
            row.entry(head).or_default().push(weight);
        }
        row
    }

    fn with_rows(&self, nodes: &NodeEdits, mut rows: ChangedRows) -> Result<Rows, ChangeError> {
        let before = &*self.forward;
        let mut first = Vec::with_capacity(nodes.count + 1);
        let mut heads = Vec::with_capacity(before.heads.len() + rows.len());
        let mut weights = Vec::with_capacity(before.heads.len() + rows.len());
        first.push(0);
        for tail in 0..nodes.count as NodeId {
            let row = before.row(tail);
            let loses_heads = nodes.lose_edges
                && before.heads[row.clone()].iter().any(|&head| !nodes.contains(head));
            let changed = rows.remove(&tail);
            if nodes.lose_edges && !nodes.contains(tail) {
                // A node that is gone has no edges.
            } else if changed.is_some() || loses_heads {
                let row = changed.unwrap_or_else(|| self.row_by_head(tail));
                for (head, mut parallel) in
                    row.into_iter().filter(|&(head, _)| nodes.contains(head))
                {
                    parallel.sort_unstable();
                    heads.extend(parallel.iter().map(|_| head));
                    weights.extend(parallel);
                }
            } else {
                heads.extend_from_slice(&before.heads[row.clone()]);
                weights.extend_from_slice(&before.weights[row]);
            }
            if heads.len() > MAX_EDGES {
                return Err(ChangeError::TooMany);
            }
            first.push(heads.len() as u32);
        }
        Ok(Rows { first, heads, weights })
    }
}

/// The nodes of a graph while they are edited.
struct NodeEdits {
    count: usize,
    removed: BTreeSet<NodeId>,
    coordinates: Option<Arc<Vec<Point>>>,
    /// Whether a node was removed in this step, whose edges have to go.
    lose_edges: bool,
}

impl NodeEdits {
    fn of(graph: &CsrGraph) -> Self {
        Self {
            count: graph.node_count(),
            removed: graph.removed.iter().copied().collect(),
            coordinates: graph.coordinates.clone(),
            lose_edges: false,
        }
    }

    fn contains(&self, node: NodeId) -> bool {
        (node as usize) < self.count && !self.removed.contains(&node)
    }

    fn make(&mut self, change: &NodeChange) -> Result<(), ChangeError> {
        match *change {
            NodeChange::Insert { .. } if self.count >= MAX_NODES => {
                return Err(ChangeError::TooMany);
            }
            NodeChange::Insert { at } => {
                match (&mut self.coordinates, at) {
                    (Some(points), Some(point)) => Arc::make_mut(points).push(point),
                    (None, None) => {}
                    (Some(_), None) => return Err(ChangeError::NeedsCoordinates),
                    (None, Some(_)) => return Err(ChangeError::HasNoCoordinates),
                }
                self.count += 1;
            }
            NodeChange::Delete { node } => {
                if !self.contains(node) {
                    return Err(ChangeError::NoSuchNode { node });
                }
                self.removed.insert(node);
                self.lose_edges = true;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn triangle() -> CsrGraph {
        let mut builder = GraphBuilder::new(3).unwrap();
        for (tail, head, weight) in [(2, 0, 0), (0, 1, 5), (0, 1, 3), (1, 1, 7)] {
            builder.add_edge(tail, head, weight).unwrap();
        }
        builder.build()
    }

    #[test]
    fn changes_apply_whole_or_not_at_all() {
        let mut graph = triangle();
        let held = graph.clone();
        let mut changes = Changes::default();
        changes.nodes.push(NodeChange::Insert { at: None });
        changes.nodes.push(NodeChange::Delete { node: 2 });
        changes.edges.push(EdgeChange::SetWeight { tail: 0, head: 1, weight: 8 });
        changes.edges.push(EdgeChange::Insert { tail: 1, head: 3, weight: 0 });
        changes.edges.push(EdgeChange::Delete { tail: 1, head: 1 });
        graph.apply(&changes).unwrap();
        assert_eq!(graph.edges(0).collect::<Vec<_>>(), [(1, 8)]);
        assert_eq!(graph.edges(1).collect::<Vec<_>>(), [(3, 0)]);
        assert!(!graph.contains(2) && graph.contains(3));
        assert_eq!(held.edge_count(), 4, "a clone never sees an edit");

        let before = graph.clone();
        changes = Changes::default();
        changes.edges.push(EdgeChange::Insert { tail: 0, head: 3, weight: 1 });
        changes.edges.push(EdgeChange::Delete { tail: 3, head: 0 });
        let refused = graph.apply(&changes).unwrap_err();
        assert_eq!(refused, ChangeError::NoSuchEdge { tail: 3, head: 0 });
        assert_eq!(graph.forward, before.forward);
    }
}
