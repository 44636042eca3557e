//! The paths of all units, indexed by location.
//!
//! The map is divided into tiles of 32 x 32 cells or 64 nodes. Each tile lists the steps of paths
//! that touch it, so an edit checks only the steps around the changed cells and not all paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::path::{BlockedStep, Path};
use super::{Edit, Snapshot};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::graph::NodeId;
use crate::map::Map;

/// A path in a [`Registry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(u64);

/// The paths that units walk. Finds the paths that an edit has broken.
///
/// Each path has a tag of the caller, for example an entity of the game, which is returned with
/// every broken path. Without a need for one, use `()`. Paths may be for units of different
/// [sizes](Snapshot::for_size).
///
/// ```
/// use portolan::Grid;
/// use portolan::world::{Registry, World};
/// let world = World::new(Grid::new(100, 100)?)?;
/// let snapshot = world.snapshot();
/// let mut paths = Registry::new(&snapshot);
/// let upper = snapshot.find((0, 0), (99, 0))?.expect("a path along the upper edge");
/// let lower = snapshot.find((0, 99), (99, 99))?.expect("one along the lower edge");
/// let first = paths.insert(upper, "scout");
/// let second = paths.insert(lower, "knight");
///
/// let edit = world.edit(|e| e.block((50, 0)))?;
/// for broken in paths.broken_by(&edit) {
///     assert_eq!((broken.id, broken.tag), (first, "scout"));
///     assert_eq!(broken.step.cells(), Some([(49, 0).into(), (50, 0).into()]));
///     let around = edit.snapshot().find(broken.position, broken.goal)?.expect("a detour");
///     paths.replace(broken.id, around); // the tag stays
/// }
/// paths.walk(second, 60);
/// assert!(paths.broken_by(&world.edit(|e| e.block((30, 99)))?).is_empty(), "behind the unit");
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Registry<T = ()> {
    tiling: Tiling,
    paths: BTreeMap<PathId, TaggedPath<T>>,
    /// By size of units and tile.
    tiles: HashMap<(u32, u32), Vec<TileVisit>>,
    next: u64,
}

#[derive(Debug, Clone)]
struct TaggedPath<T> {
    path: Path,
    tag: T,
}

/// A path that an edit has broken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken<T = ()> {
    /// The path.
    pub id: PathId,
    /// Its tag.
    pub tag: T,
    /// The first checked step that is no longer legal or has another cost.
    pub step: BlockedStep,
    /// The node of the unit.
    pub position: NodeId,
    /// The last node of the path.
    pub goal: NodeId,
}

/// The steps of a path that touch a tile: inside it, into it and out of it.
#[derive(Debug, Clone, Copy)]
struct TileVisit {
    path: PathId,
    first: usize,
    /// Exclusive.
    end: usize,
}

impl<T> Registry<T> {
    /// An empty registry for the world of this snapshot.
    pub fn new(snapshot: &Snapshot) -> Self {
        let tiling = Tiling::of(snapshot.map());
        Self { tiling, paths: BTreeMap::new(), tiles: HashMap::new(), next: 0 }
    }

    /// Adds a path.
    pub fn insert(&mut self, path: Path, tag: T) -> PathId {
        let id = PathId(self.next);
        self.next += 1;
        self.enter(id, TaggedPath { path, tag });
        id
    }

    /// Replaces a path and keeps its tag. Returns the old path, or `None` if there is none.
    pub fn replace(&mut self, id: PathId, path: Path) -> Option<Path> {
        let (before, tag) = self.remove(id)?;
        self.enter(id, TaggedPath { path, tag });
        Some(before)
    }

    /// Removes a path and returns it with its tag.
    pub fn remove(&mut self, id: PathId) -> Option<(Path, T)> {
        let TaggedPath { path, tag } = self.paths.remove(&id)?;
        for (tile, ..) in self.tiling.visits(&path) {
            let key = (path.size(), tile);
            if let Some(visits) = self.tiles.get_mut(&key) {
                visits.retain(|visit| visit.path != id);
                if visits.is_empty() {
                    self.tiles.remove(&key);
                }
            }
        }
        Some((path, tag))
    }

    /// A path.
    pub fn get(&self, id: PathId) -> Option<&Path> {
        self.paths.get(&id).map(|entry| &entry.path)
    }

    /// The tag of a path.
    pub fn tag(&self, id: PathId) -> Option<&T> {
        self.paths.get(&id).map(|entry| &entry.tag)
    }

    /// Walks up to `steps` steps along a path. Returns the new node of the unit.
    pub fn walk(&mut self, id: PathId, steps: usize) -> Option<NodeId> {
        self.paths.get_mut(&id).map(|entry| entry.path.walk(steps))
    }

    /// Walks up to `steps` steps along every path.
    pub fn walk_all(&mut self, steps: usize) {
        self.paths.values_mut().for_each(|entry| _ = entry.path.walk(steps));
    }

    /// All paths with their tags, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (PathId, &Path, &T)> {
        self.paths.iter().map(|(&id, entry)| (id, &entry.path, &entry.tag))
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    fn enter(&mut self, id: PathId, mut entry: TaggedPath<T>) {
        // Registered paths live long and must not keep old versions of the map alive.
        entry.path.release_map();
        for (tile, first, end) in self.tiling.visits(&entry.path) {
            let key = (entry.path.size(), tile);
            self.tiles.entry(key).or_default().push(TileVisit { path: id, first, end });
        }
        self.paths.insert(id, entry);
    }
}

impl<T: Clone> Registry<T> {
    /// The paths with a remaining step near the changed nodes that is no longer legal after this
    /// edit, or has another cost, in the order of insertion. A path that is neither replaced nor
    /// removed may be reported again.
    pub fn broken_by(&self, edit: &Edit) -> Vec<Broken<T>> {
        let snapshot = edit.snapshot();
        let mut broken: BTreeMap<PathId, BlockedStep> = BTreeMap::new();
        for size in snapshot.sizes() {
            let Ok(sized) = snapshot.for_size(size) else { continue };
            let map = sized.map();
            for tile in self.tiling.touched(map, edit.changes_for_size(size)) {
                for visit in self.tiles.get(&(size, tile)).into_iter().flatten() {
                    let Some(entry) = self.paths.get(&visit.path) else { continue };
                    let step = entry.path.first_blocked(map, visit.first..visit.end);
                    if let Some(step) = step {
                        let first = broken.entry(visit.path).or_insert(step);
                        if step.index < first.index {
                            *first = step;
                        }
                    }
                }
            }
        }
        broken.into_iter().filter_map(|(id, step)| self.broken(id, step)).collect()
    }

    /// The paths that are not [valid](Snapshot::is_valid) in this version. Checks all paths.
    pub fn broken_in(&self, snapshot: &Snapshot) -> Vec<Broken<T>> {
        let blocked = |path: &Path| snapshot.first_blocked_step(path);
        let broken = self.iter().filter_map(|(id, path, _)| self.broken(id, blocked(path)?));
        broken.collect()
    }

    fn broken(&self, id: PathId, step: BlockedStep) -> Option<Broken<T>> {
        let TaggedPath { path, tag } = self.paths.get(&id)?;
        let (position, goal) = (path.position(), path.goal());
        Some(Broken { id, tag: tag.clone(), step, position, goal })
    }
}

/// Assigns nodes to tiles.
#[derive(Debug, Clone, Copy)]
enum Tiling {
    /// Squares of a grid of this width.
    Squares { width: u32 },
    /// Consecutive ids.
    IdRanges,
}

/// The side length of a square. With larger squares a path has fewer visits, with smaller ones an
/// edit checks fewer steps.
const TILE_SIDE: u32 = 32;

/// The number of ids in a tile.
const TILE_IDS: u32 = 64;

impl Tiling {
    fn of(map: &Map) -> Self {
        match map {
            Map::Grid(grid) => Self::Squares { width: grid.width() },
            Map::Graph(_) => Self::IdRanges,
        }
    }

    fn tile(self, node: NodeId) -> u32 {
        match self {
            Self::Squares { width } => {
                let (x, y) = (node % width, node / width);
                y / TILE_SIDE * width.div_ceil(TILE_SIDE) + x / TILE_SIDE
            }
            Self::IdRanges => node / TILE_IDS,
        }
    }

    /// The tiles of a path, each with its range of steps. A tile occurs each time that the path
    /// enters it.
    fn visits(self, path: &Path) -> impl Iterator<Item = (u32, usize, usize)> {
        let mut tiles = path.nodes().map(move |node| self.tile(node)).enumerate().peekable();
        std::iter::from_fn(move || {
            let (first, tile) = tiles.next()?;
            let mut last = first;
            while let Some((at, _)) = tiles.next_if(|&(_, next)| next == tile) {
                last = at;
            }
            Some((tile, first.saturating_sub(1), last + 1))
        })
    }

    /// The tiles of nodes at which steps may have changed.
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
