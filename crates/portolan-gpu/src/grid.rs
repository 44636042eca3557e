//! A grid on the device: what all kernels on grids share.

use bytemuck::{Pod, Zeroable};
use portolan::cost::{DIAGONAL, STRAIGHT, TERRAIN_DIAGONAL, TERRAIN_STRAIGHT};
use portolan::grid::Heading;
use portolan::{Connectivity, Grid};
use rayon::prelude::*;
use wgpu::Buffer;

use crate::device::Gpu;
use crate::error::GpuError;

/// The functions that read it; bind [`DeviceGrid`] to group 0.
pub(crate) const GRID_SOURCE: &str = include_str!("grid.wgsl");

/// A grid in buffers of the device.
#[derive(Debug)]
pub(crate) struct DeviceGrid {
    constants: Buffer,
    /// The legal moves of each cell, four cells per word.
    moves: Buffer,
    /// The terrain factors, four cells per word; a few unused words without terrain.
    factors: Buffer,
    bytes: u64,
}

/// The uniform `grid` of `grid.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Constants {
    width: u32,
    height: u32,
    /// 4, 8 or 6: the kind of cells.
    neighbours: u32,
    has_terrain: u32,
    /// Of the cheapest steps, for lower bounds.
    least_straight: u32,
    least_diagonal: u32,
    /// The costs of steps; with terrain, per unit of the two cells' summed factors.
    straight: u32,
    diagonal: u32,
    /// Bounds take no more columns or rows into account, so that they do not overflow.
    farthest: u32,
}

impl DeviceGrid {
    pub(crate) fn new(gpu: &Gpu, grid: &Grid) -> Result<Self, GpuError> {
        let (width, height) = (grid.width(), grid.height());
        let (least_straight, least_diagonal) = grid.cheapest_steps();
        let hex = grid.connectivity() == Connectivity::Hex;
        let (straight, diagonal) = match grid.has_terrain() {
            true => (TERRAIN_STRAIGHT, if hex { TERRAIN_STRAIGHT } else { TERRAIN_DIAGONAL }),
            false => (STRAIGHT, if hex { STRAIGHT } else { DIAGONAL }),
        };
        let constants = Constants {
            width,
            height,
            neighbours: match grid.connectivity() {
                Connectivity::Four => 4,
                Connectivity::Eight => 8,
                Connectivity::Hex => 6,
            },
            has_terrain: u32::from(grid.has_terrain()),
            least_straight,
            least_diagonal,
            straight,
            diagonal,
            farthest: u32::MAX / (2 * least_straight),
        };
        let mut moves = vec![0_u8; (width as usize * height as usize).next_multiple_of(4)];
        moves.par_chunks_mut(width as usize).zip(0..height).for_each(|(row, y)| {
            (0..width).zip(row).for_each(|(x, cell)| *cell = grid.moves(x, y).0);
        });
        let factors = grid.factors().unwrap_or_default();
        Ok(Self {
            constants: gpu.uniform("grid", &constants)?,
            bytes: (moves.len() + factors.len()) as u64,
            moves: gpu.upload("moves of cells", &moves)?,
            factors: gpu.upload("terrain", factors)?,
        })
    }

    /// Bindings 0 to 2 of a group.
    pub(crate) fn bindings(&self) -> [(u32, &Buffer); 3] {
        [(0, &self.constants), (1, &self.moves), (2, &self.factors)]
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.bytes
    }
}

/// The difference of node ids of a step, by heading.
pub(crate) fn offsets(grid: &Grid) -> [u32; 8] {
    Heading::ALL.map(|heading| {
        let (dx, dy) = heading.delta();
        grid.width().wrapping_mul(dy as u32).wrapping_add(dx as u32)
    })
}
