//! Edits as they are written down, and what they come to.

use crate::changes::{CellChange, ChangeError, Changes, EdgeChange, NodeChange, TerrainChange};
use crate::cost::Cost;
use crate::graph::{NodeId, Point};
use crate::grid::Grid;
use crate::map::Map;

/// Writes down the changes of one edit; see [`World::edit`](super::World::edit).
///
/// They take effect together when the edit ends: cells before terrain, nodes before edges, each kind in its order. Whether they are
/// possible is looked at then as well.
pub struct Editor<'a> {
    map: &'a Map,
    inserted: usize,
    changes: Changes,
}

impl<'a> Editor<'a> {
    pub(super) fn new(map: &'a Map) -> Self {
        Self { map, inserted: 0, changes: Changes::default() }
    }

    pub(super) fn finish(self) -> Changes {
        self.changes
    }

    /// The map before the edit.
    pub fn map(&self) -> &'a Map {
        self.map
    }

    /// Blocks a cell of a grid.
    pub fn block(&mut self, node: NodeId) {
        self.set_passable(node, false);
    }

    /// Frees a cell of a grid.
    pub fn free(&mut self, node: NodeId) {
        self.set_passable(node, true);
    }

    /// Blocks or frees a cell of a grid.
    pub fn set_passable(&mut self, node: NodeId, passable: bool) {
        self.changes.cells.push(CellChange { node, passable });
    }

    /// Gives a cell of a grid with terrain another factor.
    pub fn set_factor(&mut self, node: NodeId, factor: u8) {
        self.changes.terrain.push(TerrainChange { node, factor });
    }

    /// Adds a node to a graph; says which number it will have.
    pub fn insert_node(&mut self, at: Option<Point>) -> NodeId {
        self.changes.nodes.push(NodeChange::Insert { at });
        self.inserted += 1;
        (self.map.node_count() + self.inserted - 1) as NodeId
    }

    /// Removes a node of a graph with all its edges.
    pub fn delete_node(&mut self, node: NodeId) {
        self.changes.nodes.push(NodeChange::Delete { node });
    }

    /// Adds a one-way edge to a graph.
    pub fn insert_edge(&mut self, tail: NodeId, head: NodeId, weight: Cost) {
        self.changes.edges.push(EdgeChange::Insert { tail, head, weight });
    }

    /// Removes all edges that run this way.
    pub fn delete_edge(&mut self, tail: NodeId, head: NodeId) {
        self.changes.edges.push(EdgeChange::Delete { tail, head });
    }

    /// Replaces all edges that run this way by one of this weight.
    pub fn set_weight(&mut self, tail: NodeId, head: NodeId, weight: Cost) {
        self.changes.edges.push(EdgeChange::SetWeight { tail, head, weight });
    }

    /// Adds changes that lie ready.
    pub fn extend(&mut self, changes: &Changes) {
        let Changes { cells, terrain, nodes, edges } = changes;
        self.changes.cells.extend_from_slice(cells);
        self.changes.terrain.extend_from_slice(terrain);
        self.inserted +=
            nodes.iter().filter(|change| matches!(change, NodeChange::Insert { .. })).count();
        self.changes.nodes.extend_from_slice(nodes);
        self.changes.edges.extend_from_slice(edges);
    }
}

/// The map after these changes with what they came to: on grids every cell that differs, once, by its number. `None` where
/// nothing differs.
pub(super) fn applied(map: &Map, changes: Changes) -> Result<Option<(Map, Changes)>, ChangeError> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut after = map.clone();
    after.apply(&changes)?;
    let changes = match (map, &after) {
        (Map::Grid(before), Map::Grid(after)) => differences(before, after, &changes),
        _ => changes,
    };
    Ok((!changes.is_empty()).then_some((after, changes)))
}

fn differences(before: &Grid, after: &Grid, changes: &Changes) -> Changes {
    let ascending = |mut nodes: Vec<NodeId>| {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.into_iter().filter_map(|node| Some((node, before.position(node)?)))
    };
    let cells = changes.cells.iter().map(|change| change.node).collect();
    let cells = ascending(cells).filter_map(|(node, (x, y))| {
        let passable = after.is_passable(x, y);
        (passable != before.is_passable(x, y)).then_some(CellChange { node, passable })
    });
    let terrain = changes.terrain.iter().map(|change| change.node).collect();
    let terrain = ascending(terrain).filter_map(|(node, (x, y))| {
        let factor = after.factor(x, y)?;
        (Some(factor) != before.factor(x, y)).then_some(TerrainChange { node, factor })
    });
    Changes { cells: cells.collect(), terrain: terrain.collect(), ..Changes::default() }
}
