//! Edits of a graph.
//!
//! Rows that no change names are copied; the others are rebuilt. Known components stay known,
//! unless a deletion may have split one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::builder::{MAX_EDGES, MAX_NODES};
use super::rows::CompressedRows;
use super::{Components, CsrGraph, Graph, NodeId, Point};
use crate::changes::{ChangeError, Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE};
use crate::location::Extent;

/// The rows that change, by tail: the weights of the edges to each head.
type ChangedRows = BTreeMap<NodeId, BTreeMap<NodeId, Vec<Cost>>>;

impl CsrGraph {
    /// Applies all changes, or none if one of them is impossible.
    ///
    /// Nodes come first, then edges, each in order. A pair `(tail, head)` names all its parallel
    /// edges at once: deleting removes all of them, setting a weight leaves one edge.
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
        let components = self.components_with(&rows, changes);
        let removed = Arc::new(nodes.removed.into_iter().collect());
        let unit = self.unit;
        *self = Self { unit, ..Self::from_rows(rows, nodes.coordinates, removed, components) };
        Ok(())
    }

    /// Whether this graph is `before` with exactly these changes applied.
    pub(crate) fn follows(&self, before: &Self, changes: &Changes) -> bool {
        if changes.is_empty() && Arc::ptr_eq(&self.forward, &before.forward) {
            return self.removed == before.removed && self.coordinates == before.coordinates;
        }
        let (known, nodes) = (before.node_count(), self.node_count());
        let mut removed: BTreeSet<NodeId> = before.removed.iter().copied().collect();
        let changed: BTreeSet<(NodeId, NodeId)> =
            changes.edges.iter().map(EdgeChange::ends).collect();
        let (mut inserted, mut deleted) = (0, BTreeSet::new());
        for change in &changes.nodes {
            match *change {
                NodeChange::Insert { .. } => inserted += 1,
                NodeChange::Delete { node } => _ = (removed.insert(node), deleted.insert(node)),
            }
        }
        let ends = changed.iter().map(|&(tail, head)| tail.max(head));
        let ends = ends.chain(deleted.iter().copied());
        if !(changes.cells.is_empty() && changes.terrain.is_empty())
            || nodes != known + inserted
            || ends.max().is_some_and(|last| last as usize >= nodes)
            || !removed.iter().eq(self.removed.iter())
            || self.coordinates().is_some() != before.coordinates().is_some()
            || !self
                .coordinates()
                .unwrap_or_default()
                .starts_with(before.coordinates().unwrap_or_default())
        {
            return false;
        }
        if !deleted.is_empty() {
            // The deletion of a node implies the deletion of its edges.
            let same = |tail: NodeId| {
                let kept = |&(head, _): &(NodeId, Cost)| {
                    let gone = deleted.contains(&tail) || deleted.contains(&head);
                    !gone && !changed.contains(&(tail, head))
                };
                self.edges(tail).filter(kept).eq(before.edges(tail).filter(kept))
            };
            return (0..nodes as NodeId).all(same);
        }
        let mut done = 0;
        for row in changed.iter().copied().collect::<Vec<_>>().chunk_by(|a, b| a.0 == b.0) {
            let tail = row[0].0;
            let kept = |&(head, _): &(NodeId, Cost)| !changed.contains(&(tail, head));
            if !self.forward.has_rows_of(&before.forward, done..tail as usize)
                || !self.edges(tail).filter(kept).eq(before.edges(tail).filter(kept))
            {
                return false;
            }
            done = tail as usize + 1;
        }
        self.forward.has_rows_of(&before.forward, done..nodes)
    }

    /// The components after the changes, as far as they follow from the known ones.
    ///
    /// If the changes neither add nor remove nodes or connections, both versions share one cell, so
    /// the first use of either computes them for both.
    fn components_with(
        &self,
        rows: &CompressedRows,
        changes: &Changes,
    ) -> Arc<OnceLock<Components>> {
        let has_edge = |tail, head| rows.heads[rows.row(tail)].binary_search(&head).is_ok();
        let disconnects = |change: &EdgeChange| {
            let (tail, head) = change.ends();
            matches!(change, EdgeChange::Delete { .. })
                && tail != head
                && !has_edge(tail, head)
                && !has_edge(head, tail)
        };
        let is_delete = |change: &NodeChange| matches!(change, NodeChange::Delete { .. });
        if changes.nodes.iter().any(is_delete) || changes.edges.iter().any(disconnects) {
            return Arc::default();
        }
        let is_insert = |change: &&EdgeChange| matches!(change, EdgeChange::Insert { .. });
        let inserted = changes.edges.iter().filter(is_insert).map(EdgeChange::ends);
        let known = self.components.get();
        let joins = |(tail, head)| !known.is_some_and(|known| known.same(tail, head));
        if changes.nodes.is_empty() && !inserted.clone().any(joins) {
            return self.components.clone();
        }
        let joined = known.map(|known| known.joined(rows.first.len() - 1, inserted));
        Arc::new(joined.map_or_else(OnceLock::new, OnceLock::from))
    }

    fn change_edge(
        &self,
        change: &EdgeChange,
        nodes: &NodeEdits,
        rows: &mut ChangedRows,
    ) -> Result<(), ChangeError> {
        let (tail, head) = change.ends();
        if let Some(node) = [tail, head].into_iter().find(|&node| !nodes.contains(node)) {
            return Err(nodes.no_such_node(node));
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

    fn with_rows(
        &self,
        nodes: &NodeEdits,
        mut rows: ChangedRows,
    ) -> Result<CompressedRows, ChangeError> {
        if nodes.lose_edges {
            self.drop_lost_edges(nodes, &mut rows);
        }
        let before = &*self.forward;
        let mut after = CompressedRows {
            first: Vec::with_capacity(nodes.count + 1),
            heads: Vec::with_capacity(before.heads.len() + rows.len()),
            weights: Vec::with_capacity(before.heads.len() + rows.len()),
        };
        after.first.push(0);
        let mut done = 0;
        for (tail, row) in rows {
            after.append(before, done..tail as usize);
            for (head, mut parallel) in row {
                parallel.sort_unstable();
                after.heads.extend(parallel.iter().map(|_| head));
                after.weights.extend(parallel);
            }
            after.first.push(after.heads.len() as u32);
            done = tail as usize + 1;
        }
        after.append(before, done..nodes.count);
        if after.heads.len() > MAX_EDGES { Err(ChangeError::TooMany) } else { Ok(after) }
    }

    /// Removes the edges of deleted nodes from all rows.
    fn drop_lost_edges(&self, nodes: &NodeEdits, rows: &mut ChangedRows) {
        for tail in 0..self.node_count() as NodeId {
            let mut heads = self.edges(tail).map(|(head, _)| head);
            if !nodes.contains(tail) {
                rows.insert(tail, BTreeMap::new());
            } else if heads.any(|head| !nodes.contains(head)) {
                let row = rows.entry(tail).or_insert_with(|| self.row_by_head(tail));
                row.retain(|&head, _| nodes.contains(head));
            }
        }
    }
}

/// The nodes of a graph during an edit.
struct NodeEdits {
    count: usize,
    removed: BTreeSet<NodeId>,
    coordinates: Option<Arc<Vec<Point>>>,
    /// Whether this edit deletes a node, so that its edges must be removed too.
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

    fn no_such_node(&self, node: NodeId) -> ChangeError {
        match self.removed.contains(&node) {
            true => ChangeError::Deleted { node },
            false => ChangeError::NoSuchNode { at: node.into(), extent: Extent::Nodes(self.count) },
        }
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
                    return Err(self.no_such_node(node));
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
    use crate::graph::csr::tests::triangle;
    use crate::graph::{GraphBuilder, weak_components};
    use crate::random::Random;

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

    /// Adds and deletes edges and nodes at random. After each step the rows equal a plain list of
    /// edges, and the components equal those computed from scratch, whichever clone computed them.
    #[test]
    fn long_sequences_agree_with_a_graph_built_from_scratch() {
        for seed in 1..=30 {
            let mut random = Random::new(seed);
            let mut edges: Vec<(NodeId, NodeId, Cost)> = Vec::new();
            let mut graph = GraphBuilder::new(12).unwrap().build();
            let mut kept = 0;
            for step in 0..200 {
                let changes = draw(&graph, &edges, &mut random);
                if random.chance(0.7) {
                    graph.clone().components();
                }
                let held = graph.clone();
                graph.apply(&changes).unwrap();
                kept += usize::from(graph.components.get().is_some());
                follow(&mut edges, &changes);
                edges.sort_unstable();
                let rows = (0..graph.node_count() as NodeId)
                    .flat_map(|tail| graph.edges(tail).map(move |(head, w)| (tail, head, w)));
                assert!(rows.eq(edges.iter().copied()), "seed {seed} step {step}: {changes:?}");
                let clone = graph.clone();
                let queried = if random.chance(0.5) { &clone } else { &graph };
                if random.chance(0.5) {
                    let expected = weak_components(&graph);
                    let found = queried.components();
                    assert_eq!(*found, expected, "seed {seed} step {step}: {changes:?}");
                    assert_eq!(*held.components(), weak_components(&held), "seed {seed} {step}");
                }
            }
            assert!(kept > 80, "seed {seed}: components known after {kept} of 200 steps");
        }
    }

    fn draw(graph: &CsrGraph, edges: &[(NodeId, NodeId, Cost)], random: &mut Random) -> Changes {
        let mut changes = Changes::default();
        let nodes: Vec<NodeId> =
            (0..graph.node_count() as NodeId).filter(|&node| graph.contains(node)).collect();
        let any = |random: &mut Random| nodes[random.below(nodes.len() as u64) as usize];
        let weight = random.below(9) as Cost;
        if random.chance(0.05) && nodes.len() > 6 {
            let node = any(random);
            changes.nodes.push(NodeChange::Delete { node });
            return changes;
        }
        if random.chance(0.1) {
            changes.nodes.push(NodeChange::Insert { at: None });
            let head = graph.node_count() as NodeId;
            if random.chance(0.5) {
                changes.edges.push(EdgeChange::Insert { tail: any(random), head, weight });
            }
        }
        for _ in 0..random.below(3) {
            let (tail, head) = (any(random), any(random));
            changes.edges.push(EdgeChange::Insert { tail, head, weight });
        }
        if !edges.is_empty() {
            let (tail, head, _) = edges[random.below(edges.len() as u64) as usize];
            changes.edges.push(match random.below(3) {
                0 => EdgeChange::Delete { tail, head },
                _ => EdgeChange::SetWeight { tail, head, weight },
            });
        }
        changes
    }

    /// Applies the changes to a plain list of edges.
    fn follow(edges: &mut Vec<(NodeId, NodeId, Cost)>, changes: &Changes) {
        for change in &changes.nodes {
            if let NodeChange::Delete { node: gone } = *change {
                edges.retain(|&(tail, head, _)| tail != gone && head != gone);
            }
        }
        for change in &changes.edges {
            let ends = change.ends();
            if !matches!(change, EdgeChange::Insert { .. }) {
                edges.retain(|&(tail, head, _)| (tail, head) != ends);
            }
            if let EdgeChange::Insert { weight, .. } | EdgeChange::SetWeight { weight, .. } =
                *change
            {
                edges.push((ends.0, ends.1, weight));
            }
        }
    }

    #[test]
    fn edits_that_disconnect_nothing_keep_the_components() {
        let mut builder = GraphBuilder::new(5).unwrap();
        builder.add_two_way(0, 1, 1).unwrap();
        builder.add_edge(2, 3, 1).unwrap();
        let start = builder.build();
        let check = |edges: Vec<EdgeChange>, count: usize, kept: bool| {
            let mut graph = start.clone();
            start.components();
            graph.apply(&Changes::from(edges)).unwrap();
            assert_eq!(graph.components.get().is_some(), kept);
            assert_eq!(graph.components().count(), count);
        };
        check(vec![EdgeChange::SetWeight { tail: 2, head: 3, weight: 9 }], 3, true);
        check(vec![EdgeChange::Insert { tail: 3, head: 1, weight: 9 }], 2, true);
        check(vec![EdgeChange::Delete { tail: 0, head: 1 }], 3, true);
        check(vec![EdgeChange::Delete { tail: 2, head: 3 }], 4, false);
    }

    #[test]
    fn versions_that_differ_in_weights_share_components_computed_later() {
        let old = triangle();
        let mut new = old.clone();
        new.apply(&Changes::new().set_weight(2, 0, 4)).unwrap();
        old.components();
        assert!(new.components.get().is_some());
        assert!(std::ptr::eq(old.components(), new.components()));
    }
}
