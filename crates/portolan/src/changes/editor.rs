//! Records changes of one map, by cell or node.

use super::{CellChange, ChangeError, Changes, EdgeChange, NodeChange, TerrainChange};
use crate::cost::Cost;
use crate::graph::{NodeId, Point};
use crate::location::Location;
use crate::map::Map;

/// Records the changes of one edit; made by [`Changes::on`],
/// [`PathFinder::edit`](crate::PathFinder::edit) and [`World::edit`](crate::world::World::edit).
///
/// Changes take effect together when the edit ends: cells before terrain, nodes before edges, each
/// kind in order. If one change is impossible, the whole edit fails.
#[derive(Debug, Clone)]
pub struct Editor<'a> {
    map: &'a Map,
    /// The number of nodes after the edit.
    nodes: usize,
    changes: Changes,
    /// The first location that is not on the map.
    error: Option<ChangeError>,
}

impl<'a> Editor<'a> {
    pub(crate) fn new(map: &'a Map) -> Self {
        Self { map, nodes: map.node_count(), changes: Changes::default(), error: None }
    }

    /// The changes, or the first location that is not on the map.
    pub fn finish(self) -> Result<Changes, ChangeError> {
        match self.error {
            None => Ok(self.changes),
            Some(error) => Err(error),
        }
    }

    /// The map before the edit.
    pub fn map(&self) -> &'a Map {
        self.map
    }

    /// Blocks a cell of a grid.
    pub fn block(&mut self, at: impl Into<Location>) {
        self.set_passable(at, false);
    }

    /// Frees a cell of a grid.
    pub fn free(&mut self, at: impl Into<Location>) {
        self.set_passable(at, true);
    }

    /// Blocks or frees a cell of a grid.
    pub fn set_passable(&mut self, at: impl Into<Location>, passable: bool) {
        if let Some(node) = self.node(at) {
            self.changes.cells.push(CellChange { node, passable });
        }
    }

    /// Sets the terrain factor of a cell of a grid with terrain.
    pub fn set_factor(&mut self, at: impl Into<Location>, factor: u8) {
        if let Some(node) = self.node(at) {
            self.changes.terrain.push(TerrainChange { node, factor });
        }
    }

    /// Adds a node to a graph and returns its id.
    pub fn insert_node(&mut self, at: Option<Point>) -> NodeId {
        self.changes.nodes.push(NodeChange::Insert { at });
        self.nodes += 1;
        (self.nodes - 1) as NodeId
    }

    /// Deletes a node of a graph with all its edges.
    pub fn delete_node(&mut self, node: NodeId) {
        self.changes.nodes.push(NodeChange::Delete { node });
    }

    /// Adds a one-way edge to a graph.
    pub fn insert_edge(&mut self, tail: NodeId, head: NodeId, weight: Cost) {
        self.changes.edges.push(EdgeChange::Insert { tail, head, weight });
    }

    /// Deletes all edges from `tail` to `head`.
    pub fn delete_edge(&mut self, tail: NodeId, head: NodeId) {
        self.changes.edges.push(EdgeChange::Delete { tail, head });
    }

    /// Replaces all edges from `tail` to `head` by one of this weight.
    pub fn set_weight(&mut self, tail: NodeId, head: NodeId, weight: Cost) {
        self.changes.edges.push(EdgeChange::SetWeight { tail, head, weight });
    }

    /// Adds prepared changes.
    pub fn extend(&mut self, changes: &Changes) {
        let is_insert = |change: &&NodeChange| matches!(change, NodeChange::Insert { .. });
        self.nodes += changes.nodes.iter().filter(is_insert).count();
        self.changes.extend(changes);
    }

    fn node(&mut self, at: impl Into<Location>) -> Option<NodeId> {
        let (at, extent) = (at.into(), self.map.extent());
        let node = extent.node(at);
        if node.is_none() {
            self.error.get_or_insert(ChangeError::NoSuchNode { at, extent });
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn errors_name_the_first_location_off_the_map() {
        let map = Map::from(Grid::new(4, 3).unwrap());
        let mut editor = Changes::on(&map);
        editor.block((1, 1));
        editor.free((4, 0));
        editor.block((0, -1));
        let error = editor.finish().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no cell 4,0; the map has 4 x 3 cells: x runs from 0 to 3, y from 0 to 2"
        );
    }

    #[test]
    fn new_nodes_are_numbered_after_the_last() {
        let map = Map::from(crate::GraphBuilder::new(3).unwrap().build());
        let mut editor = Changes::on(&map);
        editor.extend(&Changes::new().insert_node(None));
        let node = editor.insert_node(None);
        editor.insert_edge(0, node, 5);
        assert_eq!(node, 4);
        let mut after = map.clone();
        after.apply(&editor.finish().unwrap()).unwrap();
        assert_eq!(after.step_cost(0, 4), Some(5));
    }
}
