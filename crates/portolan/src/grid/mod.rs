//! Grids: cells that are passable or blocked, with terrain, connectivity and a corner rule.
//!
//! A cell (x, y) has the node id `y * width + x`; x grows to the right, y downwards. A grid stores
//! one bit per cell, in rows of whole words, and, where the ground differs, one byte of terrain;
//! edges are derived from them by the one neighbour rule in `moves.rs`. All steps have a way back
//! of the same cost.
//!
//! A grid is cheap to clone (its cells are shared) and copies on write: whoever holds a clone never
//! sees an edit. What clones find out about the cells they have in common, they share as well.

mod bitmap;
mod clearance;
mod components;
pub mod hex;
mod metric;
mod moves;
mod nearest;
#[cfg(feature = "serde")]
mod record;

pub use clearance::{AgentError, Clearance};
pub(crate) use metric::{hex_steps, manhattan_steps, octile_steps};
pub use moves::{Connectivity, Corners, Heading, Moves};

use std::sync::Arc;

use crate::changes::{ChangeError, Changes};
use crate::cost::{Cost, DIAGONAL, STRAIGHT, TERRAIN_DIAGONAL, TERRAIN_STRAIGHT, TERRAIN_UNIT};
use crate::graph::{Graph, NodeId};
use crate::location::{Cell, Extent};
use bitmap::Bitmap;
use components::GridComponents;
use moves::MoveTable;

/// Why a grid cannot be made or a cell cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// A grid has at least one cell.
    #[error("a grid of {width} x {height} cells has no cell at all")]
    Empty {
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
    /// More cells than node ids.
    #[error("a grid of {width} x {height} cells is too large: at most {} cells, and at most 2 GiB at 64 bits a row", u32::MAX - 1)]
    TooLarge {
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
    /// A cell that is not on the map.
    #[error("cell {x},{y} lies outside the map of {width} x {height} cells; x runs from 0 to {}, y from 0 to {}", width - 1, height - 1)]
    Outside {
        /// The column that was named.
        x: u32,
        /// The row that was named.
        y: u32,
        /// How many columns there are.
        width: u32,
        /// How many rows there are.
        height: u32,
    },
    /// Terrain factors for more or fewer cells than there are.
    #[error("{found} terrain factors were given for {expected} cells")]
    TerrainCount {
        /// How many cells there are.
        expected: usize,
        /// How many factors came.
        found: usize,
    },
    /// Costs for more or fewer cells than there are.
    #[error("{found} costs were given for {expected} cells")]
    CostCount {
        /// How many cells there are.
        expected: usize,
        /// How many costs came.
        found: usize,
    },
    /// Terrain factors start at one.
    #[error(
        "cell {x},{y} has the terrain factor 0; factors are 1 to 255, and blocked is not a factor"
    )]
    ZeroFactor {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
    },
}

/// Rows take whole words, so a narrow map takes more than a bit per cell; 2 GiB are the limit.
const MAX_WORDS: u64 = 1 << 28;

/// A map of square or hexagonal cells; see the module head.
///
/// ```
/// use portolan::Grid;
/// let mut grid = Grid::from_fn(4, 3, |x, y| (x, y) != (1, 1))?;
/// assert!(!grid.is_passable(1, 1));
/// grid.set_passable(1, 1, true)?;
/// assert_eq!(grid.passable_count(), 12);
/// # Ok::<(), portolan::GridError>(())
/// ```
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "record::Record", into = "record::Record")
)]
#[derive(Clone)]
pub struct Grid {
    cells: Arc<Bitmap>,
    terrain: Option<Terrain>,
    connectivity: Connectivity,
    corners: Corners,
    table: &'static MoveTable,
    /// What to add to a node id for a step in each direction, modulo 2^32.
    offsets: [u32; 8],
    /// The cost of a step in each direction, per unit of summed factors where there is terrain.
    step_costs: [Cost; 8],
    components: GridComponents,
}

#[derive(Clone)]
struct Terrain {
    factors: Arc<Vec<u8>>,
    /// How many cells have each factor; keeps the smallest one at hand for lower bounds.
    counts: Box<[u32; 256]>,
}

impl Grid {
    /// A grid whose every cell is passable.
    pub fn new(width: u32, height: u32) -> Result<Self, GridError> {
        Self::from_fn(width, height, |_, _| true)
    }

    /// An eight-connected grid of one terrain, corners never cut. `is_passable(x, y)` is asked row
    /// by row from the top, each row from the left.
    pub fn from_fn(
        width: u32,
        height: u32,
        is_passable: impl FnMut(u32, u32) -> bool,
    ) -> Result<Self, GridError> {
        Self::check_size(width, height)?;
        let cells = Arc::new(Bitmap::from_fn(width, height, is_passable));
        let offsets = Heading::ALL.map(|direction| {
            let (dx, dy) = direction.delta();
            width.wrapping_mul(dy as u32).wrapping_add(dx as u32)
        });
        let mut grid = Self {
            cells,
            terrain: None,
            connectivity: Connectivity::default(),
            corners: Corners::default(),
            table: moves::table(Connectivity::default(), Corners::default()),
            offsets,
            step_costs: [0; 8],
            components: GridComponents::default(),
        };
        grid.choose_rules();
        Ok(grid)
    }

    /// A grid of the given costs, row by row from the top: 0 is blocked, 1 to 255 are terrain
    /// factors. Without any cost above 1 the grid has one terrain.
    ///
    /// ```
    /// use portolan::Grid;
    /// let swamp = Grid::from_costs(3, 2, &[1, 0, 1, 1, 5, 1])?;
    /// assert!(!swamp.is_passable(1, 0));
    /// assert_eq!(swamp.factor(1, 1), Some(5));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn from_costs(width: u32, height: u32, costs: &[u8]) -> Result<Self, GridError> {
        Self::check_size(width, height)?;
        let expected = width as usize * height as usize;
        if costs.len() != expected {
            return Err(GridError::CostCount { expected, found: costs.len() });
        }
        let mut cells = costs.iter();
        let grid = Self::from_fn(width, height, |_, _| cells.next().is_some_and(|&cost| cost > 0))?;
        match costs.iter().any(|&cost| cost > 1) {
            true => grid.with_terrain(costs.iter().map(|&cost| cost.max(1)).collect()),
            false => Ok(grid),
        }
    }

    /// Whether a grid of this size can be made; readers ask before they allocate.
    pub fn check_size(width: u32, height: u32) -> Result<(), GridError> {
        if width == 0 || height == 0 {
            return Err(GridError::Empty { width, height });
        }
        let cells = u64::from(width) * u64::from(height);
        if cells >= u64::from(u32::MAX) || Bitmap::words(width, height) > MAX_WORDS {
            return Err(GridError::TooLarge { width, height });
        }
        Ok(())
    }

    /// The same cells with another connectivity.
    pub fn with_connectivity(mut self, connectivity: Connectivity) -> Self {
        self.connectivity = connectivity;
        self.choose_rules();
        self.components = GridComponents::default();
        self
    }

    /// The same cells with another corner rule; it matters on eight-connected grids only.
    pub fn with_corners(mut self, corners: Corners) -> Self {
        self.corners = corners;
        self.choose_rules();
        self.components = GridComponents::default();
        self
    }

    /// The same cells on ground of these factors, 1..=255, row by row; blocked cells need one too.
    pub fn with_terrain(mut self, factors: Vec<u8>) -> Result<Self, GridError> {
        if factors.len() != self.node_count() {
            return Err(GridError::TerrainCount {
                expected: self.node_count(),
                found: factors.len(),
            });
        }
        let mut counts = Box::new([0; 256]);
        for (node, &factor) in (0..).zip(&factors) {
            if factor == 0 {
                let (x, y) = self.split(node);
                return Err(GridError::ZeroFactor { x, y });
            }
            counts[usize::from(factor)] += 1;
        }
        self.terrain = Some(Terrain { factors: Arc::new(factors), counts });
        self.choose_rules();
        Ok(self)
    }

    /// The same cells on ground of one terrain.
    pub fn without_terrain(mut self) -> Self {
        self.terrain = None;
        self.choose_rules();
        self
    }

    /// How many columns there are.
    pub fn width(&self) -> u32 {
        self.cells.width()
    }

    /// How many rows there are.
    pub fn height(&self) -> u32 {
        self.cells.height()
    }

    /// How cells touch.
    pub fn connectivity(&self) -> Connectivity {
        self.connectivity
    }

    /// When diagonal steps may pass blocked cells.
    pub fn corners(&self) -> Corners {
        self.corners
    }

    /// The node id of a cell, blocked or not; `None` outside the map.
    pub fn node(&self, x: u32, y: u32) -> Option<NodeId> {
        (x < self.width() && y < self.height()).then(|| self.join(x, y))
    }

    /// The cell of a node; `None` outside the map.
    pub fn cell(&self, node: NodeId) -> Option<Cell> {
        self.position(node).map(Cell::from)
    }

    /// The column and row of a node; `None` outside the map.
    pub fn position(&self, node: NodeId) -> Option<(u32, u32)> {
        ((node as usize) < self.node_count()).then(|| self.split(node))
    }

    /// Whether a cell is passable; cells outside the map are not.
    #[inline]
    pub fn is_passable(&self, x: u32, y: u32) -> bool {
        self.cells.get(x, y)
    }

    /// How many cells are passable.
    pub fn passable_count(&self) -> usize {
        self.cells.count_ones()
    }

    /// The legal steps from a cell; none from a blocked one or from outside.
    #[inline]
    pub fn moves(&self, x: u32, y: u32) -> Moves {
        if self.is_passable(x, y) { self.moves_inside(x, y) } else { Moves::default() }
    }

    /// The terrain factor of a cell; `None` outside the map. One everywhere on grids of one
    /// terrain.
    pub fn factor(&self, x: u32, y: u32) -> Option<u8> {
        let node = self.node(x, y)?;
        Some(self.terrain.as_ref().map_or(1, |terrain| terrain.factors[node as usize]))
    }

    /// Whether cells carry terrain factors.
    pub fn has_terrain(&self) -> bool {
        self.terrain.is_some()
    }

    /// The terrain factors of all cells, row by row, if cells carry some.
    pub fn factors(&self) -> Option<&[u8]> {
        self.terrain.as_ref().map(|terrain| terrain.factors.as_slice())
    }

    /// What a cost is divided by to give a length in cells.
    pub fn unit(&self) -> Cost {
        if self.has_terrain() { TERRAIN_UNIT } else { STRAIGHT }
    }

    /// The cheapest straight and diagonal step that the ground allows anywhere.
    pub fn cheapest_steps(&self) -> (Cost, Cost) {
        let [diagonal, straight, ..] = self.step_costs;
        let least = self.terrain.as_ref().map_or(1, |terrain| {
            2 * terrain.counts.iter().position(|&count| count > 0).unwrap_or(1) as Cost
        });
        (straight * least, diagonal * least)
    }

    /// The smallest node of the component that a cell belongs to; `None` for blocked cells and
    /// outside the map. Two cells have the same one exactly if a path joins them.
    ///
    /// Takes next to no time once the components are known. They are found when first asked for,
    /// once for all clones, and repaired after edits, or found anew where that is cheaper.
    pub fn component(&self, x: u32, y: u32) -> Option<NodeId> {
        self.is_passable(x, y).then(|| self.components.of(self, self.join(x, y)))
    }

    /// Finds the components now, so that no query has to.
    pub(crate) fn warm_up(&self) {
        self.components.find(self);
    }

    /// Blocks or frees a cell; says whether that changed it.
    pub fn set_passable(&mut self, x: u32, y: u32, passable: bool) -> Result<bool, GridError> {
        let node = self.checked(x, y)?;
        if self.cells.get(x, y) == passable {
            return Ok(false);
        }
        Arc::make_mut(&mut self.cells).set(x, y, passable);
        self.repair_components(node);
        Ok(true)
    }

    /// Sets the terrain factor of a cell, giving the grid terrain where it had none; says whether
    /// that changed it.
    pub fn set_factor(&mut self, x: u32, y: u32, factor: u8) -> Result<bool, GridError> {
        let node = self.checked(x, y)? as usize;
        if factor == 0 {
            return Err(GridError::ZeroFactor { x, y });
        }
        if self.terrain.is_none() && factor == 1 {
            return Ok(false);
        }
        if self.terrain.is_none() {
            *self = self.clone().with_terrain(vec![1; self.node_count()])?;
        }
        let Some(terrain) = &mut self.terrain else { return Ok(false) };
        let before = terrain.factors[node];
        if before == factor {
            return Ok(false);
        }
        terrain.counts[usize::from(before)] -= 1;
        terrain.counts[usize::from(factor)] += 1;
        Arc::make_mut(&mut terrain.factors)[node] = factor;
        Ok(true)
    }

    /// Makes all of these changes, or none where one of them is impossible.
    pub fn apply(&mut self, changes: &Changes) -> Result<(), ChangeError> {
        if !changes.nodes.is_empty() || !changes.edges.is_empty() {
            return Err(ChangeError::NotAGraph);
        }
        let cells = changes.cells.iter().map(|change| change.node);
        let ground = changes.terrain.iter().map(|change| change.node);
        if let Some(node) = cells.chain(ground).find(|&node| self.position(node).is_none()) {
            return Err(self.no_such_node(node));
        }
        if let Some(change) = changes.terrain.iter().find(|change| change.factor == 0) {
            return Err(ChangeError::ZeroFactor { at: self.extent().location(change.node) });
        }
        if !changes.terrain.is_empty() && !self.has_terrain() {
            return Err(ChangeError::NoTerrain);
        }
        for change in &changes.cells {
            let (x, y) = self.split(change.node);
            self.set_passable(x, y, change.passable).map_err(|_| self.no_such_node(change.node))?;
        }
        for change in &changes.terrain {
            let (x, y) = self.split(change.node);
            self.set_factor(x, y, change.factor).map_err(|_| self.no_such_node(change.node))?;
        }
        Ok(())
    }

    /// Whether this is the other grid after these changes, with no other difference.
    pub(crate) fn follows(&self, before: &Self, changes: &Changes) -> bool {
        let rules = |grid: &Self| {
            let size = (grid.width(), grid.height());
            (size, grid.connectivity, grid.corners, grid.has_terrain())
        };
        let nodes = self.node_count() as NodeId;
        let mut cells: Vec<NodeId> = changes.cells.iter().map(|change| change.node).collect();
        let mut ground: Vec<NodeId> = changes.terrain.iter().map(|change| change.node).collect();
        if rules(self) != rules(before)
            || !(changes.nodes.is_empty() && changes.edges.is_empty())
            || cells.iter().chain(&ground).any(|&node| node >= nodes)
        {
            return false;
        }
        let differing = |told: &mut Vec<NodeId>, differs: &dyn Fn(NodeId) -> bool| {
            told.sort_unstable();
            told.dedup();
            told.iter().filter(|&&node| differs(node)).count()
        };
        // Both are most often shared, where only the other has changed.
        let same_cells = Arc::ptr_eq(&self.cells, &before.cells) || {
            let differs = |node| self.contains(node) != before.contains(node);
            self.cells.differences(&before.cells) == differing(&mut cells, &differs)
        };
        let same_ground = match (&self.terrain, &before.terrain) {
            (Some(after), Some(before)) if !Arc::ptr_eq(&after.factors, &before.factors) => {
                const ROW: usize = 512;
                let rows = after.factors.chunks(ROW).zip(before.factors.chunks(ROW));
                let changed = rows.filter(|(a, b)| a != b).flat_map(|(a, b)| a.iter().zip(b));
                let differs = |node| after.factors[node as usize] != before.factors[node as usize];
                changed.filter(|(a, b)| a != b).count() == differing(&mut ground, &differs)
            }
            _ => true,
        };
        same_cells && same_ground
    }

    /// Bytes held on the heap, shared arrays included.
    pub fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes()
            + self.factors().map_or(0, <[u8]>::len)
            + self.components.memory_bytes()
    }

    fn no_such_node(&self, node: NodeId) -> ChangeError {
        ChangeError::NoSuchNode { at: node.into(), extent: self.extent() }
    }

    fn choose_rules(&mut self) {
        self.table = moves::table(self.connectivity, self.corners);
        let (straight, diagonal) = match (self.has_terrain(), self.connectivity) {
            (false, Connectivity::Hex) => (STRAIGHT, STRAIGHT),
            (false, _) => (STRAIGHT, DIAGONAL),
            (true, Connectivity::Hex) => (TERRAIN_STRAIGHT, TERRAIN_STRAIGHT),
            (true, _) => (TERRAIN_STRAIGHT, TERRAIN_DIAGONAL),
        };
        self.step_costs =
            Heading::ALL.map(|direction| if direction.is_diagonal() { diagonal } else { straight });
    }

    fn checked(&self, x: u32, y: u32) -> Result<NodeId, GridError> {
        let (width, height) = (self.width(), self.height());
        self.node(x, y).ok_or(GridError::Outside { x, y, width, height })
    }

    #[inline(always)]
    fn join(&self, x: u32, y: u32) -> NodeId {
        y * self.width() + x
    }

    #[inline(always)]
    pub(crate) fn split(&self, node: NodeId) -> (u32, u32) {
        let y = node / self.width();
        (node - y * self.width(), y)
    }

    /// The cells as bits, row by row with a margin of blocked ones, and how many words a row takes.
    pub(crate) fn bits(&self) -> (&[u64], usize) {
        self.cells.rows()
    }

    /// Calls `visit(direction, head, weight)` for every legal step from a cell, in the order of
    /// directions.
    #[inline(always)]
    pub(crate) fn steps(&self, tail: NodeId, mut visit: impl FnMut(Heading, NodeId, Cost)) {
        let Some((x, y)) = self.position(tail) else { return };
        let factors = self.factors();
        let here = factors.map_or(0, |factors| Cost::from(factors[tail as usize]));
        // One call of `visit`, so that it is compiled into the loop.
        for direction in self.moves(x, y) {
            let d = direction as usize;
            let head = tail.wrapping_add(self.offsets[d]);
            let factor = match factors {
                None => 1,
                Some(factors) => here + Cost::from(factors[head as usize]),
            };
            visit(direction, head, factor * self.step_costs[d]);
        }
    }

    /// What a legal step between two cells costs.
    #[inline(always)]
    pub(crate) fn step_cost(&self, tail: NodeId, head: NodeId, is_diagonal: bool) -> Cost {
        let [diagonal, straight, ..] = self.step_costs;
        let factor = self.factors().map_or(1, |factors| {
            Cost::from(factors[tail as usize]) + Cost::from(factors[head as usize])
        });
        factor * if is_diagonal { diagonal } else { straight }
    }

    /// The legal steps from a passable cell of the map.
    #[inline(always)]
    fn moves_inside(&self, x: u32, y: u32) -> Moves {
        let [above, beside, below] = self.cells.window(x, y);
        let ring = above | (beside & 1) << 3 | (beside & 4) << 2 | below << 5;
        Moves(self.table[(y & 1) as usize][usize::from(ring)])
    }
}

impl Graph for Grid {
    fn node_count(&self) -> usize {
        self.width() as usize * self.height() as usize
    }

    #[inline]
    fn contains(&self, node: NodeId) -> bool {
        self.position(node).is_some_and(|(x, y)| self.is_passable(x, y))
    }

    fn extent(&self) -> Extent {
        Extent::Cells { width: self.width(), height: self.height() }
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.steps(tail, |_, head, weight| visit(head, weight));
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.out_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        true
    }

    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        self.contains(from)
            && self.contains(to)
            && self.components.of(self, from) == self.components.of(self, to)
    }
}

impl std::fmt::Debug for Grid {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Grid")
            .field("width", &self.width())
            .field("height", &self.height())
            .field("passable", &self.passable_count())
            .field("connectivity", &self.connectivity)
            .field("corners", &self.corners)
            .field("terrain", &self.has_terrain())
            .finish()
    }
}

/// Equal cells, terrain and rules; what is merely remembered (components) does not count.
impl PartialEq for Grid {
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells
            && self.factors() == other.factors()
            && (self.connectivity, self.corners) == (other.connectivity, other.corners)
    }
}

impl Eq for Grid {}
