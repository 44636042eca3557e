//! All-pairs costs, computed by the processor or by something faster.

use rayon::prelude::*;

use super::{BuildError, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::relax_row;

/// The costs between some nodes, row by row from each to each; zero on the diagonal, and
/// [`UNREACHABLE`] where there is no edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostMatrix {
    /// The number of nodes.
    pub nodes: usize,
    /// Paths may pass so many nodes, the first ones.
    pub through: usize,
    /// `nodes * nodes` costs.
    pub costs: Vec<Cost>,
}

/// Computes the tables of a build elsewhere, such as on a GPU; see
/// [`Progress::table_solver`](super::Progress::table_solver). Indexes do not depend on it.
pub trait TableSolver: Sync {
    /// The most nodes of a matrix. Larger matrices are left to the processor.
    fn most_nodes(&self) -> usize;

    /// Replaces every cost by that of the cheapest path through the nodes that paths may pass;
    /// [`UNREACHABLE`] if there is none or its cost overflows. On failure says why.
    fn close(&self, matrices: &mut [&mut CostMatrix]) -> Result<(), String>;
}

/// The most bytes of matrices that are given to a solver at once.
const BATCH_BYTES: usize = 256 << 20;

impl CostMatrix {
    /// Without edges.
    pub(crate) fn new(nodes: usize, through: usize) -> Self {
        let mut matrix = Self { nodes, through, costs: vec![UNREACHABLE; nodes * nodes] };
        (0..nodes).for_each(|node| matrix.add(node, node, 0));
        matrix
    }

    /// Adds an edge.
    pub(crate) fn add(&mut self, tail: usize, head: usize, weight: Cost) {
        let cost = &mut self.costs[tail * self.nodes + head];
        *cost = weight.min(*cost);
    }

    /// The costs from a node.
    pub(crate) fn row(&self, tail: usize) -> &[Cost] {
        &self.costs[tail * self.nodes..][..self.nodes]
    }

    /// Closes the matrix by the algorithm of Floyd (1962) and Warshall (1962).
    pub(crate) fn close(&mut self) {
        let mut through = vec![0; self.nodes];
        for middle in 0..self.through {
            through.copy_from_slice(self.row(middle));
            for row in self.costs.chunks_exact_mut(self.nodes) {
                let cost = row[middle];
                if cost != UNREACHABLE {
                    relax_row(row, &through, cost);
                }
            }
        }
    }
}

/// Maps ids to results over matrices that a solver closes, in batches of limited size. `nodes`
/// tells the size of a matrix before `draft` makes it.
pub(crate) fn solve<T: Send, R: Send>(
    (solver, watch): (&dyn TableSolver, &Watch<'_>),
    ids: std::ops::Range<u32>,
    nodes: impl Fn(u32) -> usize,
    draft: impl Fn(u32) -> (CostMatrix, T) + Sync,
    finish: impl Fn(u32, CostMatrix, T) -> R + Sync,
) -> Result<Vec<R>, BuildError> {
    let mut results = Vec::with_capacity(ids.len());
    let mut start = ids.start;
    while start < ids.end {
        watch.check()?;
        let (mut end, mut bytes) = (start, 0);
        while end < ids.end && bytes < BATCH_BYTES {
            bytes += nodes(end).pow(2) * size_of::<Cost>();
            end += 1;
        }
        let mut drafts: Vec<(CostMatrix, T)> = (start..end).into_par_iter().map(&draft).collect();
        let matrices = drafts.iter_mut().map(|(matrix, _)| matrix);
        let (mut small, large): (Vec<_>, Vec<_>) =
            matrices.partition(|matrix| matrix.nodes <= solver.most_nodes());
        solver.close(&mut small).map_err(|reason| BuildError::Solver { reason })?;
        large.into_par_iter().for_each(CostMatrix::close);
        let closed = (start..end).into_par_iter().zip(drafts);
        results.par_extend(closed.map(|(id, (matrix, draft))| finish(id, matrix, draft)));
        watch.advance((end - start) as usize);
        start = end;
    }
    Ok(results)
}
