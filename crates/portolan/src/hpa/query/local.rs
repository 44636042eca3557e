//! Ways between cells that lie near each other: A* inside a cluster, and A* on the map that gives
//! up in time.

use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::heuristic::Geometric;
use crate::hpa::clusters::cell_search::ClusterGraph;
use crate::hpa::clusters::tiling::Rect;
use crate::map::EndpointError;
use crate::search::{Observer, Scratch, astar};

/// A* that keeps its space.
#[derive(Default)]
pub(crate) struct LocalSearch {
    scratch: Scratch,
    piece: Vec<NodeId>,
}

/// How many times as many cells as a cluster has A* may expand between two cells of one cluster.
const PATIENCE: usize = 4;

impl LocalSearch {
    /// The way between two cells over some cells of the grid; appends all of it but the first cell.
    pub(crate) fn append(
        &mut self,
        graph: &impl Graph,
        base: &Geometric,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let mut bound = base.with_end(to);
        let found = astar::find(graph, &mut self.scratch, (from, to), &mut bound, observer);
        let cost = found.ok().flatten()?;
        self.scratch.path_into(to, &mut self.piece);
        path.extend_from_slice(self.piece.get(1..)?);
        Some(cost)
    }

    /// The same inside a rectangle.
    pub(crate) fn append_inside(
        &mut self,
        (grid, rect): (&Grid, Rect),
        base: &Geometric,
        ends: (NodeId, NodeId),
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        self.append(&ClusterGraph { grid, rect }, base, ends, observer, path)
    }

    /// The shortest way between two cells of one cluster, whether it stays inside or not; `None`
    /// where it is not near at hand.
    pub(crate) fn near(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        (from, to): (NodeId, NodeId),
        cells: usize,
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let (mut bound, most) = (base.with_end(to), PATIENCE * cells);
        let cost =
            astar::find_up_to(grid, &mut self.scratch, (from, to), &mut bound, observer, most)?;
        self.scratch.path_into(to, path);
        Some(cost)
    }

    /// The shortest way on the map.
    pub(crate) fn on_map(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Result<Option<Cost>, EndpointError> {
        let mut bound = base.with_end(to);
        let found = astar::find(grid, &mut self.scratch, (from, to), &mut bound, observer)?;
        self.scratch.path_into(to, path);
        Ok(found)
    }
}
