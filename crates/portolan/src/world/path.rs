//! Paths that know their version, and can be checked against later ones.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::Version;
use super::ground::Layer;
use crate::cost::Cost;
use crate::graph::{Endpoints, Graph, NodeId};
use crate::location::{Cell, Extent};
use crate::map::{IllegalPath, Map, on_graph};
use crate::route::{OwnedPath, RouteCells, RouteNodes, append_cells};

/// An owned path, with the version of the world in which it was found and the progress of the unit
/// that walks it.
///
/// It keeps the engine's form of the path. Nodes and cells are computed when they are requested.
///
/// ```
/// use portolan::Grid;
/// use portolan::world::World;
/// let world = World::new(Grid::new(20, 10)?)?;
/// let mut path = world.snapshot().find((0, 0), (19, 0))?.expect("nothing is in the way");
/// path.walk(5);
/// let edit = world.edit(|e| e.block((3, 0)))?; // behind the unit
/// assert!(edit.snapshot().is_valid(&path));
/// let edit = world.edit(|e| e.block((12, 0)))?;
/// let step = edit.snapshot().first_blocked_step(&path).expect("that cell is on the path");
/// assert_eq!(step.cells(), Some([(11, 0).into(), (12, 0).into()]));
/// assert_eq!(step.cost, None);
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Clone)]
pub struct Path {
    version: Version,
    size: u32,
    cost: Cost,
    unit: Cost,
    extent: Extent,
    nodes: OwnedPath,
    steps: usize,
    step_costs: StepCosts,
    /// The number of steps walked, and the node of the unit.
    walked: usize,
    position: NodeId,
}

/// What each step cost in the version of the path.
#[derive(Clone)]
enum StepCosts {
    /// On a grid of one terrain, legal steps never change their cost.
    ByDirection { straight: Cost, diagonal: Cost },
    /// On other maps, the map of that version knows.
    OnMap(Arc<Layer>),
    /// A copy of the costs, so that the map can be freed.
    Listed(Box<[Option<Cost>]>),
}

/// A step of a path that is no longer legal or has another cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedStep {
    /// The index of its tail on the path, from zero.
    pub index: usize,
    /// The node where it starts.
    pub tail: NodeId,
    /// The node where it leads. Equal to the tail if the path ends here and this node is blocked.
    pub head: NodeId,
    /// Its new cost; `None` if it is no longer legal.
    pub cost: Option<Cost>,
    extent: Extent,
}

impl BlockedStep {
    /// Its tail and its head as cells; `None` on graphs.
    pub fn cells(&self) -> Option<[Cell; 2]> {
        Some([self.extent.cell(self.tail)?, self.extent.cell(self.head)?])
    }
}

impl Path {
    /// A path that an engine has found on the map of this version. Checks its ends, and in debug
    /// builds every step.
    pub(super) fn found(
        version: Version,
        layer: &Arc<Layer>,
        ends: Endpoints,
        nodes: OwnedPath,
        cost: Cost,
    ) -> Result<Self, IllegalPath> {
        let path = Self::new(version, layer, nodes, cost);
        let (from, to) = (path.position, path.goal());
        if (from, to) != ends {
            let location = |node| layer.map().location(node);
            return Err(IllegalPath::Ends { from: location(from), to: location(to) });
        }
        #[cfg(debug_assertions)]
        path.check(layer.map())?;
        Ok(path)
    }

    /// Checks that every step is legal and that their sum is the cost of the path.
    #[cfg(debug_assertions)]
    fn check(&self, map: &Map) -> Result<(), IllegalPath> {
        match map.walk(self.nodes())? {
            walked if walked == self.cost => Ok(()),
            walked => Err(IllegalPath::Cost { stated: self.cost, walked }),
        }
    }

    /// A path over these nodes. Checks every step.
    pub(super) fn adopted(
        version: Version,
        layer: &Arc<Layer>,
        nodes: Vec<NodeId>,
    ) -> Result<Self, IllegalPath> {
        let cost = layer.map().walk(nodes.iter().copied())?;
        Ok(Self::new(version, layer, OwnedPath::Nodes(nodes.into()), cost))
    }

    /// A path of at least one node.
    fn new(version: Version, layer: &Arc<Layer>, nodes: OwnedPath, cost: Cost) -> Self {
        let map = layer.map();
        let step_costs = match map.as_grid() {
            Some(grid) if !grid.has_terrain() => {
                let (straight, diagonal) = grid.cheapest_steps();
                StepCosts::ByDirection { straight, diagonal }
            }
            _ => StepCosts::OnMap(Arc::clone(layer)),
        };
        let mut all = RouteNodes::new(nodes.as_path());
        let steps = all.len().saturating_sub(1);
        let position = all.next().unwrap_or_default();
        Self {
            version,
            size: layer.size(),
            cost,
            unit: map.unit(),
            extent: map.extent(),
            nodes,
            steps,
            step_costs,
            walked: 0,
            position,
        }
    }

    /// The version of the world in which it was found.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The size of its unit in cells; 1 on graphs.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The cost of the whole path in its version.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Its length in the unit of the map: cells on grids, the unit of the weights on graphs.
    pub fn length(&self) -> f64 {
        f64::from(self.cost) / f64::from(self.unit)
    }

    /// The cost of the rest of the path in its version. Linear in the number of remaining steps.
    pub fn remaining_cost(&self) -> Cost {
        match self.walked {
            0 => self.cost,
            walked => {
                let costs = self.steps_from(walked).filter_map(|step| self.cost_then(step));
                costs.fold(0, Cost::saturating_add)
            }
        }
    }

    /// All its nodes, both ends included. On grids see [`cells`](Self::cells).
    pub fn nodes(&self) -> RouteNodes<'_> {
        RouteNodes::new(self.nodes.as_path())
    }

    /// Replaces the contents of a buffer by all its nodes.
    pub fn nodes_into(&self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        self.nodes.as_path().append_to(nodes);
    }

    /// All its cells, both ends included; none on graphs. For a long path,
    /// [`cells_into`](Self::cells_into) is faster.
    pub fn cells(&self) -> RouteCells<'_> {
        RouteCells::new(self.extent, self.nodes.as_path())
    }

    /// Replaces the contents of a buffer by all its cells; none on graphs.
    pub fn cells_into(&self, cells: &mut Vec<Cell>) {
        cells.clear();
        append_cells(self.extent, self.nodes.as_path(), cells);
    }

    /// The remaining nodes, the current one first.
    pub fn remaining(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + '_ {
        self.nodes().skip(self.walked)
    }

    /// The remaining cells, the current one first; none on graphs.
    pub fn remaining_cells(
        &self,
    ) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator + '_ {
        self.cells().skip(self.walked)
    }

    /// The number of steps walked.
    pub fn walked(&self) -> usize {
        self.walked
    }

    /// The number of all steps.
    pub fn step_count(&self) -> usize {
        self.steps
    }

    /// The node of the unit.
    pub fn position(&self) -> NodeId {
        self.position
    }

    /// The last node.
    pub fn goal(&self) -> NodeId {
        self.nodes().next_back().unwrap_or(self.position)
    }

    /// The cell of the unit; `None` on graphs.
    pub fn cell(&self) -> Option<Cell> {
        self.extent.cell(self.position)
    }

    /// The last cell; `None` on graphs.
    pub fn goal_cell(&self) -> Option<Cell> {
        self.extent.cell(self.goal())
    }

    /// Whether the unit has reached the last node.
    pub fn is_finished(&self) -> bool {
        self.walked == self.steps
    }

    /// Walks up to `steps` steps. Returns the new node of the unit.
    pub fn walk(&mut self, steps: usize) -> NodeId {
        self.walked = self.walked.saturating_add(steps).min(self.steps);
        self.position = self.nodes().nth(self.walked).unwrap_or(self.position);
        self.position
    }

    /// The first remaining step in this range that is no longer legal or has another cost.
    pub(super) fn first_blocked(&self, map: &Map, range: Range<usize>) -> Option<BlockedStep> {
        on_graph!(map, graph => self.first_blocked_on(graph, range))
    }

    /// Copies the costs of the steps, so that the path does not keep the map alive.
    pub(super) fn release_map(&mut self) {
        if let StepCosts::OnMap(_) = self.step_costs {
            let costs = self.steps_from(0).map(|step| self.cost_then(step)).collect();
            self.step_costs = StepCosts::Listed(costs);
        }
    }

    /// The steps from `first` on: index, tail and head.
    fn steps_from(&self, first: usize) -> impl Iterator<Item = (usize, NodeId, NodeId)> + '_ {
        let mut nodes = self.nodes().skip(first);
        let mut tail = nodes.next().unwrap_or(self.position);
        (first..)
            .zip(nodes)
            .map(move |(index, head)| (index, std::mem::replace(&mut tail, head), head))
    }

    /// The cost of a step in the version of the path.
    fn cost_then(&self, (index, tail, head): (usize, NodeId, NodeId)) -> Option<Cost> {
        match &self.step_costs {
            StepCosts::ByDirection { straight, diagonal } => {
                let (tail, head) = (self.extent.cell(tail)?, self.extent.cell(head)?);
                let is_diagonal = tail.x != head.x && tail.y != head.y;
                Some(if is_diagonal { *diagonal } else { *straight })
            }
            StepCosts::OnMap(layer) => layer.map().step_cost(tail, head),
            StepCosts::Listed(costs) => costs.get(index).copied().flatten(),
        }
    }

    fn first_blocked_on(&self, graph: &impl Graph, range: Range<usize>) -> Option<BlockedStep> {
        let extent = self.extent;
        if self.is_finished() {
            let (index, node) = (self.walked, self.position);
            let blocked = BlockedStep { index, tail: node, head: node, cost: None, extent };
            return (!graph.contains(node)).then_some(blocked);
        }
        let first = range.start.max(self.walked);
        let count = range.end.min(self.steps).saturating_sub(first);
        self.steps_from(first).take(count).find_map(|step| {
            let (index, tail, head) = step;
            // An engine with a damaged index may return ids that are no nodes.
            let legal = graph.contains(tail) && graph.contains(head);
            let cost = legal.then(|| crate::map::step_cost(graph, tail, head)).flatten();
            let fixed = matches!(self.step_costs, StepCosts::ByDirection { .. });
            let same = cost.is_some() && (fixed || cost == self.cost_then(step));
            (!same).then_some(BlockedStep { index, tail, head, cost, extent })
        })
    }
}

/// Equal paths of one version with equal progress.
impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        let key = |path: &Self| (path.version, path.size, path.cost, path.walked, path.extent);
        key(self) == key(other) && self.nodes().eq(other.nodes())
    }
}

impl Eq for Path {}

impl fmt::Debug for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Path");
        out.field("version", &self.version).field("size", &self.size).field("cost", &self.cost);
        out.field("walked", &self.walked).field("nodes", &self.nodes().collect::<Vec<_>>()).finish()
    }
}
