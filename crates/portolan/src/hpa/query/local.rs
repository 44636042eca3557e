//! Paths between nearby cells: A* within a cluster, and A* on the map up to a limit.

use crate::cost::Cost;
use crate::graph::{Endpoints, Graph, NodeId};
use crate::grid::Grid;
use crate::heuristic::Geometric;
use crate::hpa::clusters::tiling::Rect;
use crate::location::Extent;
use crate::map::EndpointError;
use crate::search::{Observer, Scratch, astar};

/// A* with its scratch space.
#[derive(Default)]
pub(crate) struct LocalSearch {
    scratch: Scratch,
    piece: Vec<NodeId>,
}

/// A* between two cells of one cluster may expand this many times as many cells as a cluster has.
const MAX_EXPANSIONS: usize = 4;

impl LocalSearch {
    /// Finds the path between two cells of `graph`; appends all of it except the first cell.
    pub(crate) fn append(
        &mut self,
        graph: &impl Graph,
        base: &Geometric,
        (from, to): Endpoints,
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

    /// Like [`append`](Self::append), within a rectangle.
    pub(crate) fn append_inside(
        &mut self,
        (grid, rect): (&Grid, Rect),
        base: &Geometric,
        ends: Endpoints,
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let part = GridPart { grid, keeps: |cell, _| rect.contains(cell) };
        self.append(&part, base, ends, observer, path)
    }

    /// The shortest path between two cells of one cluster, within it or not; `None` if the search
    /// exceeds its limit.
    pub(crate) fn near(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        (from, to): Endpoints,
        cells: usize,
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Option<Cost> {
        let (mut bound, most) = (base.with_end(to), MAX_EXPANSIONS * cells);
        let cost =
            astar::find_up_to(grid, &mut self.scratch, (from, to), &mut bound, observer, most)?;
        self.scratch.path_into(to, path);
        Some(cost)
    }

    /// The shortest path on the map.
    pub(crate) fn on_map(
        &mut self,
        grid: &Grid,
        base: &Geometric,
        (from, to): Endpoints,
        observer: &mut impl Observer,
        path: &mut Vec<NodeId>,
    ) -> Result<Option<Cost>, EndpointError> {
        let mut bound = base.with_end(to);
        let found = astar::find(grid, &mut self.scratch, (from, to), &mut bound, observer)?;
        self.scratch.path_into(to, path);
        Ok(found)
    }
}

/// The cells of a grid that `keeps(cell, node)` accepts, as a graph; steps to others do not exist.
pub(crate) struct GridPart<'a, F> {
    pub(crate) grid: &'a Grid,
    pub(crate) keeps: F,
}

impl<F: Fn((u32, u32), NodeId) -> bool + Sync> Graph for GridPart<'_, F> {
    fn node_count(&self) -> usize {
        self.grid.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.grid.contains(node)
    }

    fn extent(&self) -> Extent {
        self.grid.extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let (x, y) = self.grid.split(tail);
        self.grid.steps(tail, |heading, head, weight| {
            let (dx, dy) = heading.delta();
            let cell = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if (self.keeps)(cell, head) {
                visit(head, weight);
            }
        });
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.out_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        true
    }
}
