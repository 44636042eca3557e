//! What has changed since labels were made, and searching where they are of no use.

use std::sync::{Arc, Mutex};

use super::legs::diagonal_first;
use super::unpack::deltas;
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::engine::EndpointError;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice};
use crate::map::Map;
use crate::route::{Leg, append};
use crate::search::{Scratch, astar};
use crate::subgoals::{Run, Subgoals};

/// A grid after edits.
#[derive(Clone)]
pub(super) struct Edited {
    /// The grid that the labels are about.
    labelled: Box<Grid>,
    /// The subgoals of the grid as it is now.
    subgoals: Arc<Subgoals>,
    /// The cells that were blocked when the labels were made and are free now.
    freed: Vec<NodeId>,
    spare: Spare,
}

/// Scratch space that searches leave for later ones. After each edit there are new queries, and to make room for all
/// cells of a map takes longer than most searches.
#[derive(Clone, Default)]
struct Spare(Arc<Mutex<Vec<Scratch>>>);

impl Spare {
    fn take(&self) -> Scratch {
        self.0.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default()
    }

    fn put_back(&self, scratch: Scratch) {
        if let Ok(mut spare) = self.0.lock() {
            spare.push(scratch);
        }
    }
}

impl Edited {
    /// Nothing has changed yet.
    pub(super) fn new(grid: &Grid, subgoals: &Arc<Subgoals>) -> Self {
        let (labelled, subgoals) = (Box::new(grid.clone()), Arc::clone(subgoals));
        Self { labelled, subgoals, freed: Vec::new(), spare: Spare::default() }
    }

    /// After one more edit of these cells.
    pub(super) fn follow(&mut self, grid: &Grid, cells: &[NodeId]) {
        self.subgoals = Arc::new(self.subgoals.edited(grid, cells.iter().copied()));
        self.freed.extend_from_slice(cells);
        self.freed.sort_unstable();
        self.freed.dedup();
        self.freed.retain(|&cell| grid.contains(cell) && !self.labelled.contains(cell));
    }

    /// How many cells were freed.
    pub(super) fn freed(&self) -> usize {
        self.freed.len()
    }

    /// Whether both ends were there when the labels were made.
    pub(super) fn knew(&self, from: NodeId, to: NodeId) -> bool {
        self.labelled.contains(from) && self.labelled.contains(to)
    }

    /// No way that the freed cells have opened is shorter than this. A new way passes such a cell, or makes a diagonal
    /// step between two neighbours of it: a straight step less on either side, and the diagonal one between.
    pub(super) fn least_by_freed(&self, from: NodeId, to: NodeId) -> Cost {
        let sight = &self.subgoals.sight;
        let (from, to) = (sight.spot(from), sight.spot(to));
        let by = |&cell: &NodeId| {
            let cell = sight.spot(cell);
            let (first, second) = (Run::between(from, cell), Run::between(cell, to));
            let through = first.cost().saturating_add(second.cost());
            through.saturating_sub(2 * STRAIGHT - DIAGONAL)
        };
        self.freed.iter().map(by).min().unwrap_or(UNREACHABLE)
    }

    /// Bytes of what is not shared with the index before all edits.
    pub(super) fn bytes_beside(&self, subgoals: &Subgoals) -> usize {
        self.subgoals.bytes_beside(subgoals) + 4 * self.freed.len()
    }

    /// Finds a path by A* over the subgoals, between cells that are known to be joined.
    pub(super) fn search(
        &self,
        map: &Map,
        (from, to): (NodeId, NodeId),
        path: &mut Vec<NodeId>,
    ) -> Result<Option<Cost>, EndpointError> {
        let mut scratch = self.spare.take();
        let sight = &self.subgoals.sight;
        let (start, goal) = (sight.spot(from), sight.spot(to));
        let graph = match sight.direct(start, goal) {
            Some(run) => Tied { edited: self, from, to, near: vec![(to, run.cost())], far: vec![] },
            None => self.tie(from, to),
        };
        let octile =
            Geometric::new(map, HeuristicChoice::Octile).unwrap_or_else(|_| Geometric::zero());
        let mut bound = octile.toward(to);
        let cost = astar::run(&graph, &mut scratch, (from, to), &mut bound, &mut ());
        path.clear();
        if let Ok(Some(_)) = cost {
            scratch.path_into(to, path);
            self.fill_in(path);
        }
        self.spare.put_back(scratch);
        // The cells are joined: a search that finds nothing has met costs that it could not count.
        if let Ok(None) = cost { Err(EndpointError::CostOverflow { from, to }) } else { cost }
    }

    fn tie(&self, from: NodeId, to: NodeId) -> Tied<'_> {
        let sight = &self.subgoals.sight;
        let goal = sight.spot(to);
        let (mut near, mut far) = (Vec::new(), Vec::new());
        sight.ahead(sight.spot(from), |seen| {
            let node = sight.node(seen.spot);
            near.push((node, seen.cost));
            far.extend(sight.direct(seen.spot, goal).map(|run| (node, run.cost())));
        });
        sight.behind(goal, |seen| far.push((sight.node(seen.spot), seen.cost)));
        far.sort_unstable();
        Tied { edited: self, from, to, near, far }
    }

    /// Puts the cells of runs between the nodes of a path.
    fn fill_in(&self, path: &mut Vec<NodeId>) {
        let sight = &self.subgoals.sight;
        let deltas = deltas(self.labelled.width());
        let Some(&first) = path.first() else { return };
        let mut legs = Vec::new();
        for pair in path.windows(2) {
            let (from, to) = (sight.spot(pair[0]), sight.spot(pair[1]));
            let [diagonal, straight] = diagonal_first(&Run::between(from, to))
                .map(|(at, steps)| Leg { delta: deltas[at % 8], steps: steps as u32 });
            match sight.direct(from, to) {
                Some(_) => legs.extend([diagonal, straight]),
                None => legs.extend([straight, diagonal]),
            }
        }
        path.clear();
        append(first, &legs, path);
    }
}

/// The graph of subgoals with a start and a goal tied to it.
struct Tied<'a> {
    edited: &'a Edited,
    from: NodeId,
    to: NodeId,
    near: Vec<(NodeId, Cost)>,
    /// Subgoals from which a run leads to the goal, ascending.
    far: Vec<(NodeId, Cost)>,
}

impl Graph for Tied<'_> {
    fn node_count(&self) -> usize {
        self.edited.subgoals.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        node == self.from || node == self.to || self.edited.subgoals.contains(node)
    }

    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        if tail == self.from {
            self.near.iter().for_each(|&(head, cost)| visit(head, cost));
        }
        let first = self.far.partition_point(|&(node, _)| node < tail);
        for &(_, cost) in self.far[first..].iter().take_while(|&&(node, _)| node == tail) {
            visit(self.to, cost);
        }
        self.edited.subgoals.out_edges(tail, visit);
    }

    /// Only the search for a reason why nothing was found asks for these, and that is known without it.
    fn in_edges(&self, _: NodeId, _: impl FnMut(NodeId, Cost)) {}

    fn is_undirected(&self) -> bool {
        false
    }

    fn may_reach(&self, _: NodeId, _: NodeId) -> bool {
        true
    }
}
