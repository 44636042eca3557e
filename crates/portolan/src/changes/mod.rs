//! Edits of a map, as data.
//!
//! [`Map::apply`](crate::Map::apply) applies [`Changes`]; each engine's `refresh` then takes the
//! same value to update its index. `Changes` uses node ids. An [`Editor`] records changes of one
//! map and takes cells as well. `applied.rs` reduces changes to the actual differences.
//! `topology.rs` tells whether two maps differ in their weights alone.

mod applied;
mod editor;
mod topology;

pub(crate) use applied::applied;
pub use editor::Editor;
pub use topology::TopologyDifference;
pub(crate) use topology::same_topology;

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{NodeId, Point};
use crate::grid::Grid;
use crate::location::{Extent, Location};
use crate::map::Map;

/// A list of changes that take effect as one edit.
///
/// ```
/// use portolan::{Changes, Grid, Map};
/// let mut map = Map::from(Grid::new(20, 10)?);
/// let mut editor = Changes::on(&map); // has the map, so it takes cells
/// editor.block((3, 4));
/// editor.free((5, 6));
/// let changes = editor.finish()?;
/// assert_eq!(changes, Changes::new().block(83).free(125)); // the same by node id
/// map.apply(&changes)?;
/// assert!(!map.contains(83));
/// # Ok::<(), portolan::Error>(())
/// ```
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Cells of a grid that are blocked or freed.
    pub cells: Vec<CellChange>,
    /// Cells of a grid whose terrain factor changes.
    pub terrain: Vec<TerrainChange>,
    /// Nodes of a graph that are inserted or deleted.
    pub nodes: Vec<NodeChange>,
    /// Edges of a graph that are inserted, deleted or change their weight.
    pub edges: Vec<EdgeChange>,
}

impl Changes {
    /// No changes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records changes of this map, by cell or node.
    pub fn on(map: &Map) -> Editor<'_> {
        Editor::new(map)
    }

    /// Also blocks a cell of a grid.
    pub fn block(self, node: NodeId) -> Self {
        self.set_passable(node, false)
    }

    /// Also frees a cell of a grid.
    pub fn free(self, node: NodeId) -> Self {
        self.set_passable(node, true)
    }

    /// Also blocks or frees a cell of a grid.
    pub fn set_passable(mut self, node: NodeId, passable: bool) -> Self {
        self.cells.push(CellChange { node, passable });
        self
    }

    /// Also sets the terrain factor of a cell of a grid with terrain.
    pub fn set_factor(mut self, node: NodeId, factor: u8) -> Self {
        self.terrain.push(TerrainChange { node, factor });
        self
    }

    /// Also adds a node to a graph, after the last one.
    pub fn insert_node(mut self, at: Option<Point>) -> Self {
        self.nodes.push(NodeChange::Insert { at });
        self
    }

    /// Also deletes a node of a graph with all its edges.
    pub fn delete_node(mut self, node: NodeId) -> Self {
        self.nodes.push(NodeChange::Delete { node });
        self
    }

    /// Also adds a one-way edge to a graph.
    pub fn insert_edge(mut self, tail: NodeId, head: NodeId, weight: Cost) -> Self {
        self.edges.push(EdgeChange::Insert { tail, head, weight });
        self
    }

    /// Also deletes all edges from `tail` to `head`.
    pub fn delete_edge(mut self, tail: NodeId, head: NodeId) -> Self {
        self.edges.push(EdgeChange::Delete { tail, head });
        self
    }

    /// Also replaces all edges from `tail` to `head` by one of this weight.
    pub fn set_weight(mut self, tail: NodeId, head: NodeId, weight: Cost) -> Self {
        self.edges.push(EdgeChange::SetWeight { tail, head, weight });
        self
    }

    /// Appends all of these changes.
    pub fn extend(&mut self, others: &Self) {
        self.cells.extend_from_slice(&others.cells);
        self.terrain.extend_from_slice(&others.terrain);
        self.nodes.extend_from_slice(&others.nodes);
        self.edges.extend_from_slice(&others.edges);
    }

    /// Whether there are no changes.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
            && self.terrain.is_empty()
            && self.nodes.is_empty()
            && self.edges.is_empty()
    }

    /// Several edits as one, for engines that see only the first and last map. Omits changes that a
    /// later one overrides, so the result has at most one entry per cell of the map, or per edge
    /// and node that ever existed.
    pub(crate) fn merged<'a>(changes: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        changes.into_iter().for_each(|later| all.extend(later));
        all.cells = last_of_each(all.cells, |change| change.node);
        all.terrain = last_of_each(all.terrain, |change| change.node);
        all.edges = since_replaced(all.edges);
        all
    }

    /// The cells of a grid with possibly changed steps: the changed cells and their neighbours,
    /// blocked or not, some more than once.
    pub(crate) fn touched_cells<'a>(&'a self, grid: &'a Grid) -> impl Iterator<Item = NodeId> + 'a {
        let cells = self.cells.iter().map(|change| change.node);
        let changed = cells.chain(self.terrain.iter().map(|change| change.node));
        changed.filter_map(|node| grid.position(node)).flat_map(move |(x, y)| {
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
            around.filter_map(move |(dx, dy)| {
                grid.node(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?)
            })
        })
    }
}

/// Converts changes of one kind, in order.
macro_rules! from_changes {
    ($($field:ident: $change:ty),*) => {$(
        impl From<Vec<$change>> for Changes {
            fn from($field: Vec<$change>) -> Self {
                Self { $field, ..Self::default() }
            }
        }

        impl FromIterator<$change> for Changes {
            fn from_iter<I: IntoIterator<Item = $change>>(changes: I) -> Self {
                changes.into_iter().collect::<Vec<_>>().into()
            }
        }
    )*};
}

from_changes!(cells: CellChange, terrain: TerrainChange, nodes: NodeChange, edges: EdgeChange);

/// The last change of each cell, in ascending order of cells.
fn last_of_each<T>(mut changes: Vec<T>, node: impl Fn(&T) -> NodeId) -> Vec<T> {
    changes.reverse();
    changes.sort_by_key(&node);
    changes.dedup_by_key(|change| node(change));
    changes
}

/// Omits changes of edges that a later change deletes or replaces. Sorted by tail and head; changes
/// of the same pair stay in order.
fn since_replaced(mut changes: Vec<EdgeChange>) -> Vec<EdgeChange> {
    changes.sort_by_key(EdgeChange::ends);
    let same = changes.chunk_by(|a, b| a.ends() == b.ends());
    let kept = same.flat_map(|group| {
        let replaces = |change: &EdgeChange| !matches!(change, EdgeChange::Insert { .. });
        &group[group.iter().rposition(replaces).unwrap_or(0)..]
    });
    kept.copied().collect()
}

/// Blocks or frees a cell.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellChange {
    /// The cell.
    pub node: NodeId,
    /// Whether the cell is passable after the edit.
    pub passable: bool,
}

/// Sets the terrain factor of a cell.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerrainChange {
    /// The cell.
    pub node: NodeId,
    /// The new factor, 1..=255.
    pub factor: u8,
}

/// Inserts or deletes a node.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeChange {
    /// Adds a node after the last. It has coordinates exactly if the others have.
    Insert {
        /// The coordinates.
        at: Option<Point>,
    },
    /// Deletes a node with all its edges. Its id is not reused.
    Delete {
        /// The node.
        node: NodeId,
    },
}

/// Inserts, deletes or changes edges.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeChange {
    /// Adds a one-way edge, parallel to any existing ones.
    Insert {
        /// The tail.
        tail: NodeId,
        /// The head.
        head: NodeId,
        /// The weight.
        weight: Cost,
    },
    /// Deletes all edges from `tail` to `head`.
    Delete {
        /// The tail.
        tail: NodeId,
        /// The head.
        head: NodeId,
    },
    /// Replaces all edges from `tail` to `head` by one of this weight.
    SetWeight {
        /// The tail.
        tail: NodeId,
        /// The head.
        head: NodeId,
        /// The weight.
        weight: Cost,
    },
}

impl EdgeChange {
    /// The tail and the head.
    pub fn ends(&self) -> (NodeId, NodeId) {
        match *self {
            Self::Insert { tail, head, .. }
            | Self::Delete { tail, head }
            | Self::SetWeight { tail, head, .. } => (tail, head),
        }
    }
}

/// Why a change is impossible. The map is then unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// Cells and terrain belong to grids.
    #[error("cells and terrain can be changed on a grid only, and this map is a graph")]
    NotAGrid,
    /// Nodes and edges belong to graphs.
    #[error("nodes and edges can be changed on a graph only, and this map is a grid")]
    NotAGraph,
    /// A cell or node outside the map.
    #[error("there is no {at}; {extent}")]
    NoSuchNode {
        /// The given location.
        at: Location,
        /// The extent of the map.
        extent: Extent,
    },
    /// A node that was already deleted.
    #[error("node {node} was deleted; ids are not reused")]
    Deleted {
        /// The given node.
        node: NodeId,
    },
    /// No edge leads from `tail` to `head`.
    #[error("there is no edge {tail} -> {head}")]
    NoSuchEdge {
        /// The given tail.
        tail: NodeId,
        /// The given head.
        head: NodeId,
    },
    /// A weight that is not a finite cost.
    #[error(
        "edge {tail} -> {head} cannot have the weight {UNREACHABLE}, which means \"unreachable\""
    )]
    WeightTooLarge {
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
    },
    /// Terrain factors start at one.
    #[error("{at} cannot have the terrain factor 0; factors are 1 to 255")]
    ZeroFactor {
        /// The cell.
        at: Location,
    },
    /// The grid has no terrain.
    #[error("this grid has one terrain; give it factors with `with_terrain` first")]
    NoTerrain,
    /// The nodes of the graph have coordinates, so the new node needs some.
    #[error("the nodes of this graph have coordinates, but the new one has none")]
    NeedsCoordinates,
    /// The nodes of the graph have no coordinates, so the new node cannot have any.
    #[error("the nodes of this graph have no coordinates, but the new one has some")]
    HasNoCoordinates,
    /// More nodes or edges than 32-bit ids can count.
    #[error("the graph would have more nodes or edges than 32-bit ids can count")]
    TooMany,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_omits_overridden_changes() {
        let cell = |node, passable| CellChange { node, passable };
        let insert = |weight| EdgeChange::Insert { tail: 0, head: 1, weight };
        let delete = EdgeChange::Delete { tail: 0, head: 1 };
        let back = EdgeChange::SetWeight { tail: 1, head: 0, weight: 9 };
        let first = Changes {
            cells: vec![cell(3, false), cell(2, false)],
            terrain: vec![TerrainChange { node: 5, factor: 2 }],
            edges: vec![back, insert(4)],
            ..Changes::default()
        };
        let second = Changes {
            cells: vec![cell(3, true)],
            terrain: vec![TerrainChange { node: 5, factor: 7 }],
            nodes: vec![NodeChange::Delete { node: 8 }],
            edges: vec![delete, insert(6), insert(5)],
        };
        let merged = Changes::merged([&first, &second]);
        assert_eq!(merged.cells, [cell(2, false), cell(3, true)]);
        assert_eq!(merged.terrain, [TerrainChange { node: 5, factor: 7 }]);
        assert_eq!(merged.nodes, second.nodes);
        assert_eq!(merged.edges, [delete, insert(6), insert(5), back]);
        assert_eq!(Changes::merged([]), Changes::default());
    }
}
