//! Edits of a map, as data.
//!
//! A [`Changes`] goes to [`Map::apply`](crate::Map::apply), which makes them, and then to every
//! engine's `refresh`, which needs to know what differs. It says what was done, not how the map
//! looks.
//!
//! Nodes are numbers here. An [`Editor`] writes changes of one map down and takes cells as well.

mod applied;
mod editor;

pub(crate) use applied::applied;
pub use editor::Editor;

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{NodeId, Point};
use crate::grid::Grid;
use crate::location::{Extent, Location};
use crate::map::Map;

/// A set of edits that take effect as one step.
///
/// ```
/// use portolan::{Changes, Grid, Map};
/// let mut map = Map::from(Grid::new(20, 10)?);
/// let mut editor = Changes::on(&map); // knows the map, so it takes cells
/// editor.block((3, 4));
/// editor.free((5, 6));
/// let changes = editor.finish()?;
/// assert_eq!(changes, Changes::new().block(83).free(125)); // the same by number
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
    /// Nodes of a graph that come or go.
    pub nodes: Vec<NodeChange>,
    /// Edges of a graph that come, go or change their weight.
    pub edges: Vec<EdgeChange>,
}

impl Changes {
    /// No changes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes down changes of this map, by cell or node.
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

    /// Also gives a cell of a grid with terrain another factor.
    pub fn set_factor(mut self, node: NodeId, factor: u8) -> Self {
        self.terrain.push(TerrainChange { node, factor });
        self
    }

    /// Also adds a node to a graph, behind the last one.
    pub fn insert_node(mut self, at: Option<Point>) -> Self {
        self.nodes.push(NodeChange::Insert { at });
        self
    }

    /// Also removes a node of a graph with all its edges.
    pub fn delete_node(mut self, node: NodeId) -> Self {
        self.nodes.push(NodeChange::Delete { node });
        self
    }

    /// Also adds a one-way edge to a graph.
    pub fn insert_edge(mut self, tail: NodeId, head: NodeId, weight: Cost) -> Self {
        self.edges.push(EdgeChange::Insert { tail, head, weight });
        self
    }

    /// Also removes all edges that run this way.
    pub fn delete_edge(mut self, tail: NodeId, head: NodeId) -> Self {
        self.edges.push(EdgeChange::Delete { tail, head });
        self
    }

    /// Also replaces all edges that run this way by one of this weight.
    pub fn set_weight(mut self, tail: NodeId, head: NodeId, weight: Cost) -> Self {
        self.edges.push(EdgeChange::SetWeight { tail, head, weight });
        self
    }

    /// Adds all of these, behind what is there.
    pub fn extend(&mut self, others: &Self) {
        self.cells.extend_from_slice(&others.cells);
        self.terrain.extend_from_slice(&others.terrain);
        self.nodes.extend_from_slice(&others.nodes);
        self.edges.extend_from_slice(&others.edges);
    }

    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
            && self.terrain.is_empty()
            && self.nodes.is_empty()
            && self.edges.is_empty()
    }

    /// What was done one after the other as one step, for engines that see the maps before and
    /// after it only. What was done and then done otherwise is left out, so this is never larger
    /// than the map has cells, or edges and nodes that ever were.
    pub(crate) fn merged<'a>(changes: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        changes.into_iter().for_each(|later| all.extend(later));
        all.cells = last_of_each(all.cells, |change| change.node);
        all.terrain = last_of_each(all.terrain, |change| change.node);
        all.edges = since_replaced(all.edges);
        all
    }

    /// The cells at which steps of a grid may have changed: the changed ones and those around them,
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

/// Changes of one kind, in their order.
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

/// Edits that somebody has yet to follow, as one step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Backlog {
    /// One after the other; where there are many, the first stands for several.
    edits: Vec<Changes>,
    /// The map that they led to.
    map: Option<Map>,
}

impl Backlog {
    /// So many edits are noted one by one.
    const MOST: usize = 64;

    /// Notes an edit that led to this map.
    pub(crate) fn note(&mut self, map: &Map, changes: &Changes) {
        self.edits.push(changes.clone());
        if self.edits.len() > Self::MOST {
            self.edits = vec![Changes::merged(&self.edits)];
        }
        self.map = Some(map.clone());
    }

    /// The newest map and all that was done, if anything was.
    pub(crate) fn whole(&self) -> Option<(&Map, Changes)> {
        Some((self.map.as_ref()?, Changes::merged(&self.edits)))
    }
}

/// The last change of each cell, by the numbers of cells.
fn last_of_each<T>(mut changes: Vec<T>, node: impl Fn(&T) -> NodeId) -> Vec<T> {
    changes.reverse();
    changes.sort_by_key(&node);
    changes.dedup_by_key(|change| node(change));
    changes
}

/// Without edges that were removed or replaced by a later change, by their ends, those of the same
/// ends in their order.
fn since_replaced(mut changes: Vec<EdgeChange>) -> Vec<EdgeChange> {
    changes.sort_by_key(EdgeChange::ends);
    let same = changes.chunk_by(|a, b| a.ends() == b.ends());
    let kept = same.flat_map(|group| {
        let replaces = |change: &EdgeChange| !matches!(change, EdgeChange::Insert { .. });
        &group[group.iter().rposition(replaces).unwrap_or(0)..]
    });
    kept.copied().collect()
}

/// A cell is blocked or freed.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellChange {
    /// Which cell.
    pub node: NodeId,
    /// Whether it can be walked on from now on.
    pub passable: bool,
}

/// A cell gets another terrain factor.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerrainChange {
    /// Which cell.
    pub node: NodeId,
    /// Its new factor, 1..=255.
    pub factor: u8,
}

/// A node comes or goes.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeChange {
    /// A node is added behind the last; it has coordinates where the others have some.
    Insert {
        /// Where it lies.
        at: Option<Point>,
    },
    /// A node is removed with all its edges; its id is not given out again.
    Delete {
        /// Which node.
        node: NodeId,
    },
}

/// An edge comes, goes or changes.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeChange {
    /// A one-way edge is added, beside any that run the same way.
    Insert {
        /// Where it starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
        /// What it costs.
        weight: Cost,
    },
    /// All edges from `tail` to `head` are removed.
    Delete {
        /// Where they start.
        tail: NodeId,
        /// Where they lead.
        head: NodeId,
    },
    /// All edges from `tail` to `head` are replaced by one of this weight.
    SetWeight {
        /// Where they start.
        tail: NodeId,
        /// Where they lead.
        head: NodeId,
        /// What the one edge costs.
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

/// Why a change cannot be made. The map is then as it was before the whole step.
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
        /// What was named.
        at: Location,
        /// How far the map extends.
        extent: Extent,
    },
    /// A node that was deleted before.
    #[error("node {node} was deleted; ids are not given out again")]
    Deleted {
        /// What was named.
        node: NodeId,
    },
    /// No edge runs this way.
    #[error("there is no edge {tail} -> {head}")]
    NoSuchEdge {
        /// Where it would start.
        tail: NodeId,
        /// Where it would lead.
        head: NodeId,
    },
    /// A weight that is no finite cost.
    #[error("edge {tail} -> {head} cannot weigh {UNREACHABLE}, which stands for \"unreachable\"")]
    WeightTooLarge {
        /// Where it starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
    },
    /// Terrain factors start at one.
    #[error("{at} cannot have the terrain factor 0; factors are 1 to 255")]
    ZeroFactor {
        /// Which cell.
        at: Location,
    },
    /// The grid has one terrain.
    #[error("this grid has one terrain; give it factors with `with_terrain` first")]
    NoTerrain,
    /// The other nodes have coordinates, so the new one needs some.
    #[error("the nodes of this graph have coordinates, and the new one has none")]
    NeedsCoordinates,
    /// The other nodes have no coordinates, so the new one can have none.
    #[error("the nodes of this graph have no coordinates, and the new one has some")]
    HasNoCoordinates,
    /// More nodes or edges than 32-bit ids can count.
    #[error("the graph would have more nodes or edges than 32-bit ids can count")]
    TooMany,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_otherwise_later_is_left_out() {
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
