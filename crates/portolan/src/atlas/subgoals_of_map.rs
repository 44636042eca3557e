//! The subgoals of a grid, for programs that make labels of their own.

use super::config::AtlasConfig;
use super::general::build;
use super::separator_tree::dissect::Dissection;
use super::separators::Separators;
use super::uniform::{LEAF, Subgoals, UniformIndex, reduce};
use crate::build::{BuildError, Progress, in_threads};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::Map;

/// The corners of a grid that shortest paths bend around, the edges between them, and the
/// separators of this graph. For four- and eight-connected grids without terrain costs.
///
/// Subgoals are numbered in the order of their cells. Paths consist of *runs*: steps in at most two
/// directions, those of the first kind before those of the second. On eight-connected grids the
/// first kind is diagonal steps, on four-connected grids it is horizontal ones. A legal run is a
/// shortest path.
///
/// Between two connected cells, some shortest path has one of these forms:
///
/// - the run from start to goal, if it is legal;
/// - a run to a subgoal [`ahead`](Self::ahead) of the start and a run from there to the goal, if
///   both are legal;
/// - a run to a subgoal ahead of the start, edges, and a run from a subgoal [`behind`](Self::behind)
///   the goal.
///
/// ```
/// use portolan::atlas::{AtlasConfig, SubgoalGraph};
/// let grid = portolan::Grid::from_fn(5, 5, |x, y| (x, y) != (2, 2))?;
/// let subgoals = SubgoalGraph::of_map(&grid.into(), &AtlasConfig::default(), &())?;
/// assert_eq!(subgoals.cells(), [6, 8, 16, 18]);
/// # Ok::<(), portolan::Error>(())
/// ```
pub struct SubgoalGraph {
    subgoals: Subgoals,
    cells: Vec<NodeId>,
    /// By cell, its subgoal.
    numbers: Vec<u32>,
    separators: Separators,
}

/// An edge of a [`SubgoalGraph`]: a legal run between two subgoals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubgoalEdge {
    /// The subgoal at its end.
    pub head: u32,
    /// The cost of the run.
    pub cost: Cost,
    /// Whether the steps of the second kind come first: it is a run only from head to tail.
    pub second_first: bool,
}

impl SubgoalGraph {
    /// Finds the subgoals of a grid and dissects their graph. Uses the leaf size (8 by default), the
    /// partitioner and the threads of the configuration.
    pub fn of_map(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        UniformIndex::supports(map)?;
        let Map::Grid(grid) = map else { unreachable!("graphs are not supported") };
        let leaf_size = build::leaf_size(config, LEAF);
        let partitioner = build::partitioner(map, config);
        let reduce = || reduce(grid, &partitioner, leaf_size, progress);
        let (subgoals, Dissection { tree, members }) = in_threads(config.threads, reduce)??;
        let cells: Vec<NodeId> = subgoals.all().collect();
        let mut numbers = vec![u32::MAX; map.node_count()];
        (0..).zip(&cells).for_each(|(number, &cell)| numbers[cell as usize] = number);
        let mut nodes = members;
        nodes.iter_mut().flatten().for_each(|node| *node = numbers[*node as usize]);
        Ok(Self { subgoals, cells, numbers, separators: Separators::new(tree, nodes) })
    }

    /// The cells of all subgoals, in ascending order.
    pub fn cells(&self) -> &[NodeId] {
        &self.cells
    }

    /// The separators of the graph. Their nodes are numbers of subgoals.
    pub fn separators(&self) -> &Separators {
        &self.separators
    }

    /// The edges of a subgoal, by ascending head; none beyond the last subgoal. Every edge has an
    /// opposite.
    pub fn edges(&self, subgoal: u32) -> impl Iterator<Item = SubgoalEdge> + '_ {
        let tail = self.cells.get(subgoal as usize).copied().unwrap_or(NodeId::MAX);
        self.subgoals.edges(tail).iter().map(move |edge| SubgoalEdge {
            head: self.numbers[edge.head() as usize],
            cost: self.subgoals.cost(tail, edge.head()),
            second_first: edge.straight_first(),
        })
    }

    /// Visits the subgoals to which a path from this cell may start with a run, some maybe twice.
    /// Blocked cells have none.
    pub fn ahead(&self, cell: NodeId, mut visit: impl FnMut(u32)) {
        let view = &self.subgoals.view;
        if self.is_open(cell) {
            let mut visit = |node: NodeId| visit(self.numbers[node as usize]);
            view.ahead(view.cell(cell), |seen| visit(view.node(seen.cell)));
        }
    }

    /// Visits the subgoals from which a path to this cell may end with a run, some maybe twice.
    /// Blocked cells have none.
    pub fn behind(&self, cell: NodeId, mut visit: impl FnMut(u32)) {
        let view = &self.subgoals.view;
        if self.is_open(cell) {
            let mut visit = |node: NodeId| visit(self.numbers[node as usize]);
            view.behind(view.cell(cell), |seen| visit(view.node(seen.cell)));
        }
    }

    fn is_open(&self, cell: NodeId) -> bool {
        let view = &self.subgoals.view;
        (cell as usize) < self.numbers.len() && view.can_see_from(view.cell(cell))
    }
}

impl std::fmt::Debug for SubgoalGraph {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SubgoalGraph")
            .field("subgoals", &self.cells.len())
            .field("edges", &self.subgoals.edge_count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::graph::{CsrGraph, Graph};

    #[test]
    fn edges_are_the_same_from_both_ends() {
        let map = Rooms { width: 40, height: 40, room: 8, ..Rooms::default() };
        let map: Map = map.generate().unwrap().into();
        let subgoals = SubgoalGraph::of_map(&map, &AtlasConfig::default(), &()).unwrap();
        let count = subgoals.cells().len() as u32;
        let edges = |tail| subgoals.edges(tail).map(move |edge| (tail, edge.head, edge.cost));
        let graph = CsrGraph::from_edges(count as usize, (0..count).flat_map(edges)).unwrap();
        assert!(graph.is_undirected() && graph.edge_count() > 0);
        let members: usize = subgoals.separators().regions().map(|region| region.nodes.len()).sum();
        assert_eq!(members, count as usize);
        assert_eq!(subgoals.edges(count).count(), 0);
    }

    #[test]
    fn cells_outside_the_map_see_nothing() {
        let grid = crate::Grid::from_fn(5, 5, |x, y| (x, y) != (2, 2)).unwrap();
        let subgoals = SubgoalGraph::of_map(&grid.into(), &AtlasConfig::default(), &()).unwrap();
        for (cell, seen) in [(0, 1), (12, 0), (25, 0), (NodeId::MAX, 0)] {
            let (mut ahead, mut behind) = (0, 0);
            subgoals.ahead(cell, |_| ahead += 1);
            subgoals.behind(cell, |_| behind += 1);
            assert_eq!((ahead.min(seen), behind.min(seen)), (seen, seen), "cell {cell}");
            assert!(seen > 0 || ahead + behind == 0, "cell {cell}");
        }
    }
}
