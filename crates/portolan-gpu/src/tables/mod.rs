//! Tables of an index, computed on the device.
//!
//! The builds of [`Atlas`](portolan::atlas::Atlas) and [`Ppa`](portolan::ppa::Ppa) close matrices
//! of costs: from edges between some nodes to cheapest paths between all of them. [`GpuTables`]
//! does so for a batch of matrices, by the algorithm of Floyd and Warshall in blocks of 32 x 32
//! costs (`close.wgsl`). For one block of middle nodes after the other, three launches follow each
//! other: the block on the diagonal, then its row and column, then all other blocks, each of which
//! is one product of two blocks over (min, +). A cost is the same in whatever order paths are
//! tried, so the index has the same bytes as without a GPU.
//!
//! Matrices of similar size share launches. Each is padded to whole blocks with
//! [`UNREACHABLE`], and a workgroup that finds nothing to do ends.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use bytemuck::{Pod, Zeroable};
use portolan::UNREACHABLE;
use portolan::build::{CostMatrix, Progress, TableSolver};
use wgpu::Buffer;

use crate::device::{Gpu, Kernel, read_words};
use crate::error::GpuError;

/// The side of a block in `close.wgsl`.
const SIDE: usize = 32;

/// The most matrices of a launch: what all devices allow along one dimension.
const MOST_MATRICES: usize = 65_535;

/// The most bytes of a launch, so that few copies are in memory at the same time.
const MOST_BYTES: u64 = 256 << 20;

/// The most blocks along a side: what all devices allow along one dimension.
const MOST_BLOCKS: usize = 65_535;

/// Launches between two submissions.
const LAUNCHES: usize = 64;

/// Computes the tables of an index on the GPU.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig, Form};
/// use portolan::{Build, Engine, Grid, Map};
/// use portolan_gpu::{Gpu, GpuTables};
///
/// let map = Map::from(Grid::new(60, 50)?);
/// let config = AtlasConfig { form: Form::General, ..AtlasConfig::default() };
/// let atlas = Atlas::build_watched(&map, &config, &GpuTables::new(&Gpu::new()?)?)?;
/// assert_eq!(atlas.memory_bytes(), Atlas::build(&map, &config)?.memory_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// To watch the build as well, return this from [`Progress::table_solver`] of your own.
#[derive(Debug)]
pub struct GpuTables {
    gpu: Gpu,
    close_diagonal: Kernel,
    cross: Kernel,
    rest: Kernel,
    next_block: Kernel,
}

/// A matrix in a buffer, as in `close.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Placed {
    first: u32,
    side: u32,
    through: u32,
    block: u32,
}

impl GpuTables {
    /// Compiles the kernels.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let kernel = |entry, constants: &[(&str, f64)]| {
            Kernel::new(gpu, "gpu-tables", &[include_str!("close.wgsl")], entry, constants)
        };
        Ok(Self {
            close_diagonal: kernel("close_diagonal", &[])?,
            cross: kernel("multiply", &[("in_cross", 1.0)])?,
            rest: kernel("multiply", &[("in_cross", 0.0)])?,
            next_block: kernel("next_block", &[])?,
            gpu: gpu.clone(),
        })
    }

    /// The most bytes of a buffer of matrices.
    fn most_bytes(&self) -> u64 {
        self.gpu.max_binding().min(self.gpu.working_memory() / 4)
    }

    /// Closes matrices that fit together.
    fn close_batch(&self, matrices: &mut [&mut CostMatrix]) -> Result<(), GpuError> {
        let gpu = &self.gpu;
        let (mut words, mut placed) = (Vec::new(), Vec::new());
        for matrix in &*matrices {
            let (first, side) = (words.len(), matrix.nodes.div_ceil(SIDE));
            placed.push(Placed {
                first: first as u32,
                side: side as u32,
                through: matrix.through.min(matrix.nodes) as u32,
                block: 0,
            });
            for row in matrix.costs.chunks_exact(matrix.nodes) {
                words.extend_from_slice(row);
                words.extend(std::iter::repeat_n(UNREACHABLE, side * SIDE - matrix.nodes));
            }
            words.resize(first + (side * SIDE).pow(2), UNREACHABLE);
        }
        let costs = gpu.upload("matrices", &words)?;
        let placed_buffer = gpu.upload("matrices", &placed)?;
        self.launch(&placed, &placed_buffer, &costs)?;
        let closed = read_words(gpu, "matrices", &costs, words.len() as u64)?;
        for (matrix, placed) in matrices.iter_mut().zip(&placed) {
            let rows = closed[placed.first as usize..].chunks_exact(placed.side as usize * SIDE);
            let nodes = matrix.nodes;
            for (to, from) in matrix.costs.chunks_exact_mut(nodes).zip(rows) {
                to.copy_from_slice(&from[..nodes]);
            }
        }
        Ok(())
    }

    fn launch(&self, placed: &[Placed], matrices: &Buffer, costs: &Buffer) -> Result<(), GpuError> {
        let gpu = &self.gpu;
        let buffers = [(0, matrices), (1, costs)];
        let bind = |kernel: &Kernel| kernel.bind(gpu, &[&buffers]);
        let [close_diagonal, cross, rest] =
            [bind(&self.close_diagonal)?, bind(&self.cross)?, bind(&self.rest)?];
        let next_block = self.next_block.bind(gpu, &[&buffers[..1]])?;
        let count = placed.len() as u32;
        let side = placed.iter().map(|matrix| matrix.side).max().unwrap_or(0);
        let through = placed.iter().map(|matrix| matrix.through as usize).max().unwrap_or(0);
        let blocks = through.div_ceil(SIDE);
        for first in (0..blocks).step_by(LAUNCHES) {
            gpu.submit(|encoder| {
                for _ in first..blocks.min(first + LAUNCHES) {
                    close_diagonal.record_in_space(encoder, [1, 1, count]);
                    cross.record_in_space(encoder, [side, 2, count]);
                    rest.record_in_space(encoder, [side, side, count]);
                    next_block.record_in_space(encoder, [count.div_ceil(64), 1, 1]);
                }
            })?;
        }
        Ok(())
    }
}

impl TableSolver for GpuTables {
    fn most_nodes(&self) -> usize {
        let side = (self.most_bytes() / 4).isqrt() as usize / SIDE;
        side.min(MOST_BLOCKS) * SIDE
    }

    fn close(&self, matrices: &mut [&mut CostMatrix]) -> Result<(), String> {
        let bytes = |matrix: &CostMatrix| 4 * matrix.nodes.next_multiple_of(SIDE).pow(2) as u64;
        // Those that have nothing to pass come first.
        matrices.sort_by_key(|matrix| (matrix.through.min(matrix.nodes) > 0, matrix.nodes));
        let start = matrices.partition_point(|matrix| matrix.through.min(matrix.nodes) == 0);
        let mut rest = &mut matrices[start..];
        while let Some(smallest) = rest.first().map(|matrix| bytes(matrix)) {
            let (mut count, mut sum) = (0, 0);
            while count < rest.len().min(MOST_MATRICES) {
                sum += bytes(rest[count]);
                let is_similar = bytes(rest[count]) <= 4 * smallest;
                if count > 0 && (sum > self.most_bytes().min(MOST_BYTES) || !is_similar) {
                    break;
                }
                count += 1;
            }
            let (batch, others) = rest.split_at_mut(count);
            self.close_batch(batch).map_err(|error| error.to_string())?;
            rest = others;
        }
        Ok(())
    }
}

/// Ignores progress.
impl Progress for GpuTables {
    fn advance(&self, _: &'static str, _: usize, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn table_solver(&self) -> Option<&dyn TableSolver> {
        Some(self)
    }
}
