//! Paths that are under way, by where they pass.
//!
//! The map is cut into tiles, of 32 x 32 cells or 64 nodes, and every tile knows which steps of which paths touch it. An edit is
//! then held against the steps round what it changed and not against all paths there are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::path::Path;
use super::{Edit, Snapshot};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::graph::NodeId;
use crate::map::Map;

/// A path in a [`Registry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(u64);

/// The paths that units are walking, and which of them an edit has broken.
///
/// ```
/// use portolan::Grid;
/// use portolan::world::{Registry, World};
/// let world = World::new(Grid::new(100, 100)?)?;
/// let snapshot = world.snapshot();
/// let mut paths = Registry::new(&snapshot);
/// let first = paths.insert(snapshot.find(0, 99)?.expect("a path along the upper edge"));
/// let second = paths.insert(snapshot.find(9_900, 9_999)?.expect("one along the lower edge"));
///
/// let edit = world.edit(|e| e.block(50))?;
/// assert_eq!(paths.broken_by(&edit), [first]);
/// paths.replace(first, edit.snapshot().find(0, 99)?.expect("a way round"));
/// paths.walk(second, 60);
/// assert!(paths.broken_by(&world.edit(|e| e.block(9_930))?).is_empty(), "that lies behind");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Registry {
    tiling: Tiling,
    paths: BTreeMap<PathId, Path>,
    tiles: HashMap<u32, Vec<Visit>>,
    next: u64,
}

/// The steps of a path that touch a tile: those between two of its nodes, into it and out of it.
#[derive(Debug, Clone, Copy)]
struct Visit {
    path: PathId,
    first: usize,
    /// One more than the last.
    below: usize,
}

impl Registry {
    /// An empty one, for paths of the world that this is a snapshot of.
    pub fn new(snapshot: &Snapshot) -> Self {
        let tiling = Tiling::of(snapshot.map());
        Self { tiling, paths: BTreeMap::new(), tiles: HashMap::new(), next: 0 }
    }

    /// Takes a path in.
    pub fn insert(&mut self, path: Path) -> PathId {
        let id = PathId(self.next);
        self.next += 1;
        self.enter(id, path);
        id
    }

    /// Puts another path in the place of one; gives that back. Where there is no such path nothing happens.
    pub fn replace(&mut self, id: PathId, path: Path) -> Option<Path> {
        let before = self.remove(id)?;
        self.enter(id, path);
        Some(before)
    }

    /// Lets go of a path.
    pub fn remove(&mut self, id: PathId) -> Option<Path> {
        let path = self.paths.remove(&id)?;
        for (tile, ..) in self.tiling.visits(path.nodes()) {
            if let Some(visits) = self.tiles.get_mut(&tile) {
                visits.retain(|visit| visit.path != id);
                if visits.is_empty() {
                    self.tiles.remove(&tile);
                }
            }
        }
        Some(path)
    }

    /// A path.
    pub fn get(&self, id: PathId) -> Option<&Path> {
        self.paths.get(&id)
    }

    /// Walks so many steps along a path; gives the node that is stood on then.
    pub fn walk(&mut self, id: PathId, steps: usize) -> Option<NodeId> {
        self.paths.get_mut(&id).map(|path| path.walk(steps))
    }

    /// All paths, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (PathId, &Path)> {
        self.paths.iter().map(|(&id, path)| (id, path))
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The paths of which a step that is left is not legal any more after this edit, or costs something else, at a place that the
    /// edit changed; in the order in which they came. One that is neither replaced nor removed may be named again.
    pub fn broken_by(&self, edit: &Edit) -> Vec<PathId> {
        let map = edit.snapshot().map();
        let mut broken = BTreeSet::new();
        for tile in self.tiling.touched(map, edit.changes()) {
            for visit in self.tiles.get(&tile).into_iter().flatten() {
                let Some(path) = self.paths.get(&visit.path) else { continue };
                if path.first_blocked(map, visit.first, visit.below).is_some() {
                    broken.insert(visit.path);
                }
            }
        }
        broken.into_iter().collect()
    }

    /// The paths that are not [valid](Snapshot::is_valid) in this version, whatever led to it; looks at all of them.
    pub fn broken_in(&self, snapshot: &Snapshot) -> Vec<PathId> {
        self.iter().filter(|(_, path)| !snapshot.is_valid(path)).map(|(id, _)| id).collect()
    }

    fn enter(&mut self, id: PathId, path: Path) {
        for (tile, first, below) in self.tiling.visits(path.nodes()) {
            self.tiles.entry(tile).or_default().push(Visit { path: id, first, below });
        }
        self.paths.insert(id, path);
    }
}

/// Which tile a node belongs to.
#[derive(Debug, Clone, Copy)]
enum Tiling {
    /// Squares of a grid of this width.
    Squares { width: u32 },
    /// Nodes of like numbers.
    Runs,
}

/// The side of a square. Larger ones are fewer to enter a path into, smaller ones have fewer steps to look at.
const SIDE: u32 = 32;

/// The nodes of a run.
const RUN: u32 = 64;

impl Tiling {
    fn of(map: &Map) -> Self {
        match map {
            Map::Grid(grid) => Self::Squares { width: grid.width() },
            Map::Graph(_) => Self::Runs,
        }
    }

    fn tile(self, node: NodeId) -> u32 {
        match self {
            Self::Squares { width } => {
                let (x, y) = (node % width, node / width);
                y / SIDE * width.div_ceil(SIDE) + x / SIDE
            }
            Self::Runs => node / RUN,
        }
    }

    /// The tiles that a path passes, with the first step that touches each and one more than the last; a tile comes once
    /// for each time that the path enters it.
    fn visits(self, nodes: &[NodeId]) -> impl Iterator<Item = (u32, usize, usize)> {
        let same = move |&a: &NodeId, &b: &NodeId| self.tile(a) == self.tile(b);
        nodes.chunk_by(same).scan(0, move |start, stay| {
            let first = *start;
            *start += stay.len();
            Some((self.tile(stay[0]), first.saturating_sub(1), *start))
        })
    }

    /// The tiles with nodes at which steps may have changed.
    fn touched(self, map: &Map, changes: &Changes) -> BTreeSet<u32> {
        let nodes = changes.nodes.iter().filter_map(|change| match change {
            NodeChange::Delete { node } => Some(*node),
            NodeChange::Insert { .. } => None,
        });
        let tails = changes.edges.iter().map(EdgeChange::ends).map(|(tail, _)| tail);
        let cells = match map {
            Map::Grid(grid) => Some(changes.touched_cells(grid)),
            Map::Graph(_) => None,
        };
        let touched = nodes.chain(tails).chain(cells.into_iter().flatten());
        touched.map(|node| self.tile(node)).collect()
    }
}
