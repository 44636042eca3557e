//! Grids: passable and blocked cells with terrain, connectivity and a corner rule.
//!
//! A cell (x, y) has the node id `y * width + x`; x grows to the right, y downwards. A grid stores
//! one bit per cell, in rows of whole words, and one byte of terrain per cell if it has terrain.
//! The neighbour rule in `moves.rs` derives edges from them. Every step has a reverse step of the
//! same cost.
//!
//! A grid is cheap to clone (clones share its cells) and copies on write, so a clone never sees an
//! edit. Clones with the same cells share the components computed for them.
//!
//! Read `moves.rs` (the neighbour rule), `bitmap.rs` (storage), this file, `edit.rs`, and
//! `components/` (connected components under edits). `clearance.rs` derives maps for large units,
//! `nearest.rs` finds cells, `metric.rs` and `hex.rs` are geometry, `serialized.rs` is the `serde`
//! form.

mod bitmap;
mod clearance;
mod components;
mod edit;
mod error;
pub mod hex;
mod metric;
mod moves;
mod nearest;
#[cfg(feature = "serde")]
mod serialized;

pub use clearance::{AgentError, Clearance};
pub use error::GridError;
pub(crate) use metric::{hex_steps, manhattan_steps, octile_steps};
pub use moves::{Connectivity, Corners, Heading, Moves};

use std::sync::Arc;

use crate::cost::{Cost, DIAGONAL, STRAIGHT, TERRAIN_DIAGONAL, TERRAIN_STRAIGHT, TERRAIN_UNIT};
use crate::graph::{Graph, NodeId};
use crate::location::{Cell, Extent};
use bitmap::Bitmap;
use components::GridComponents;
use moves::MoveTable;

/// The limit is 2 GiB. Rows take whole words, so a narrow map takes more than a bit per cell.
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
    serde(try_from = "serialized::SerializedGrid", into = "serialized::SerializedGrid")
)]
#[derive(Clone)]
pub struct Grid {
    cells: Arc<Bitmap>,
    terrain: Option<Terrain>,
    connectivity: Connectivity,
    corners: Corners,
    table: &'static MoveTable,
    /// By heading, the difference of node ids of a step, modulo 2^32.
    offsets: [u32; 8],
    /// By heading, the cost of a step; with terrain, per unit of the two cells' summed factors.
    step_costs: [Cost; 8],
    components: GridComponents,
}

#[derive(Clone)]
struct Terrain {
    factors: Arc<Vec<u8>>,
    /// The number of cells with each factor; gives lower bounds the smallest factor.
    counts: Box<[u32; 256]>,
}

impl Grid {
    /// A grid with all cells passable.
    pub fn new(width: u32, height: u32) -> Result<Self, GridError> {
        Self::from_fn(width, height, |_, _| true)
    }

    /// An eight-connected grid of one terrain that never cuts corners. Calls `is_passable(x, y)`
    /// row by row from the top, each row from the left.
    pub fn from_fn(
        width: u32,
        height: u32,
        is_passable: impl FnMut(u32, u32) -> bool,
    ) -> Result<Self, GridError> {
        Self::check_size(width, height)?;
        let cells = Arc::new(Bitmap::from_fn(width, height, is_passable));
        let offsets = Heading::ALL.map(|heading| {
            let (dx, dy) = heading.delta();
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
    /// factors. If no cost is above 1, the grid has one terrain.
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

    /// Checks that a grid of this size can be built. Readers call it before they allocate.
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

    /// Sets the connectivity.
    pub fn with_connectivity(mut self, connectivity: Connectivity) -> Self {
        self.connectivity = connectivity;
        self.choose_rules();
        self.components = GridComponents::default();
        self
    }

    /// Sets the corner rule, which matters on eight-connected grids only.
    pub fn with_corners(mut self, corners: Corners) -> Self {
        self.corners = corners;
        self.choose_rules();
        self.components = GridComponents::default();
        self
    }

    /// Sets the terrain factors, 1..=255, row by row; blocked cells need one too.
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

    /// Removes the terrain factors.
    pub fn without_terrain(mut self) -> Self {
        self.terrain = None;
        self.choose_rules();
        self
    }

    /// The number of columns.
    pub fn width(&self) -> u32 {
        self.cells.width()
    }

    /// The number of rows.
    pub fn height(&self) -> u32 {
        self.cells.height()
    }

    /// The connectivity.
    pub fn connectivity(&self) -> Connectivity {
        self.connectivity
    }

    /// The corner rule: when diagonal steps may pass blocked cells.
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

    /// The number of passable cells.
    pub fn passable_count(&self) -> usize {
        self.cells.count_ones()
    }

    /// The legal steps from a cell; none from a blocked cell or from outside the map.
    #[inline]
    pub fn moves(&self, x: u32, y: u32) -> Moves {
        if self.is_passable(x, y) { self.moves_inside(x, y) } else { Moves::default() }
    }

    /// The terrain factor of a cell; `None` outside the map. 1 on grids of one terrain.
    pub fn factor(&self, x: u32, y: u32) -> Option<u8> {
        let node = self.node(x, y)?;
        Some(self.terrain.as_ref().map_or(1, |terrain| terrain.factors[node as usize]))
    }

    /// Whether cells carry terrain factors.
    pub fn has_terrain(&self) -> bool {
        self.terrain.is_some()
    }

    /// Whether units move by the same rules on grids of the same size, and both have terrain or
    /// neither.
    pub(crate) fn same_rules(&self, other: &Self) -> bool {
        let rules = |grid: &Self| {
            (grid.width(), grid.height(), grid.connectivity(), grid.corners(), grid.has_terrain())
        };
        rules(self) == rules(other)
    }

    /// The terrain factors of all cells, row by row, if the grid has terrain.
    pub fn factors(&self) -> Option<&[u8]> {
        self.terrain.as_ref().map(|terrain| terrain.factors.as_slice())
    }

    /// The cost of one cell of length.
    pub fn unit(&self) -> Cost {
        if self.has_terrain() { TERRAIN_UNIT } else { STRAIGHT }
    }

    /// The costs of the cheapest straight and diagonal steps anywhere on the map.
    pub fn cheapest_steps(&self) -> (Cost, Cost) {
        let [diagonal, straight, ..] = self.step_costs;
        let least = self.terrain.as_ref().map_or(1, |terrain| {
            2 * terrain.counts.iter().position(|&count| count > 0).unwrap_or(1) as Cost
        });
        (straight * least, diagonal * least)
    }

    /// The smallest node of a cell's component; `None` for blocked cells and outside the map. Two
    /// cells have the same component exactly if a path connects them.
    ///
    /// Components are computed on first use, once for all clones. Edits repair them, or drop them
    /// if computing them from scratch is cheaper. Queries then take almost no time.
    pub fn component(&self, x: u32, y: u32) -> Option<NodeId> {
        self.is_passable(x, y).then(|| self.components.of(self, self.join(x, y)))
    }

    /// Computes the components now, so that no query has to.
    pub(crate) fn warm_up(&self) {
        self.components.find(self);
    }

    /// Heap memory in bytes, including shared arrays.
    pub fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes()
            + self.factors().map_or(0, <[u8]>::len)
            + self.components.memory_bytes()
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
            Heading::ALL.map(|heading| if heading.is_diagonal() { diagonal } else { straight });
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

    /// The cells as bits, row by row with a margin of blocked ones, and the number of words per
    /// row.
    pub(crate) fn bits(&self) -> (&[u64], usize) {
        self.cells.rows()
    }

    /// Calls `visit(heading, head, weight)` for every legal step from a cell, in the order of
    /// headings.
    #[inline(always)]
    pub(crate) fn steps(&self, tail: NodeId, mut visit: impl FnMut(Heading, NodeId, Cost)) {
        let Some((x, y)) = self.position(tail) else { return };
        let factors = self.factors();
        let here = factors.map_or(0, |factors| Cost::from(factors[tail as usize]));
        // A single call of `visit`, so that the compiler inlines it.
        for heading in self.moves(x, y) {
            let d = heading as usize;
            let head = tail.wrapping_add(self.offsets[d]);
            let factor = match factors {
                None => 1,
                Some(factors) => here + Cost::from(factors[head as usize]),
            };
            visit(heading, head, factor * self.step_costs[d]);
        }
    }

    /// The cost of a legal step between two cells.
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

/// Compares cells, terrain and rules, but not cached components.
impl PartialEq for Grid {
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells
            && self.factors() == other.factors()
            && (self.connectivity, self.corners) == (other.connectivity, other.corners)
    }
}

impl Eq for Grid {}
