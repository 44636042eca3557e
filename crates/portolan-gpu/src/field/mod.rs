//! Flow fields on the device: for every cell the cost to the nearest goal, and the step toward it.
//!
//! Costs and steps equal those of [`FlowField`], bit for bit. A [`GpuFlowField`] stays on the
//! device, where a [`GpuCrowd`] of any size follows it, or is downloaded.
//!
//! **Costs** (`relax.wgsl`). The map is cut into tiles of 16 x 16 cells. A pass has a workgroup for
//! each queued tile. It copies the tile and the cells around it into workgroup memory, lowers the
//! costs there until nothing changes, and writes them back. Where a cell at the edge of the tile
//! has changed, the tile beyond is queued for the next pass. The first queue has the tiles at the
//! goals, and no tile is queued after the last pass. A tile may read costs that a neighbour lowers
//! in the same pass; then it is queued again. So the order of workgroups decides how long it takes,
//! but not the result, which is the only one that no step lowers.
//!
//! The number of tiles in a queue is known on the device alone. One invocation turns it into the
//! size of the next launch (`prepare.wgsl`), so the host records many passes at once and asks from
//! time to time whether the queue is empty.
//!
//! **Steps** (`steps.wgsl`) follow from costs by the rule of [`portolan::crowd`]: the first heading
//! on a cheapest path. A step takes one byte.

mod crowd;
#[cfg(test)]
mod tests;

pub use crowd::GpuCrowd;

use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};
use portolan::crowd::FlowField;
use portolan::{Cost, Grid, Location, Map, NodeId};
use wgpu::{Buffer, BufferUsages};

use crate::device::{Gpu, Kernel, read_words};
use crate::error::GpuError;
use crate::grid::{DeviceGrid, GRID_SOURCE, offsets};

const NAME: &str = "gpu-fields";

/// The side of a tile in the kernels.
const TILE: u32 = 16;

/// Passes before the host asks for the first time, and at most in between.
const FIRST_PASSES: u32 = 16;
const MOST_PASSES: u32 = 256;

/// Computes flow fields for a map.
///
/// ```
/// use portolan::{Grid, Map, crowd::FlowField};
/// use portolan_gpu::{Gpu, GpuCrowd, GpuFields};
///
/// let map = Map::from(Grid::new(40, 30)?);
/// let fields = GpuFields::build(&Gpu::new()?, &map)?;
/// let field = fields.field(&[(39, 29)])?;
/// assert_eq!(field.download()?, FlowField::new(&map, &[(39, 29)])?);
///
/// // Two agents follow field 0.
/// let mut crowd = GpuCrowd::new(&fields, &[(0, 0), (1_198, 0)])?;
/// crowd.advance(&[&field], 1)?;
/// assert_eq!(crowd.positions()?, [1, 1_199]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuFields {
    gpu: Gpu,
    map: Map,
    grid: DeviceGrid,
    offsets: [u32; 8],
    kernels: Kernels,
    /// One field is computed at a time.
    scratch: Mutex<Scratch>,
}

#[derive(Debug)]
struct Kernels {
    clear_costs: Kernel,
    add_goals: Kernel,
    begin_pass: Kernel,
    relax: Kernel,
    find_steps: Kernel,
    move_agents: Kernel,
}

/// What is needed while a field is computed.
#[derive(Debug)]
struct Scratch {
    tiles: Buffer,
    marks: Buffer,
    queues: Buffer,
    control: Buffer,
    workgroups: Buffer,
}

/// The uniform `tiles` of `queue.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Tiles {
    cells: u32,
    width: u32,
    columns: u32,
    rows: u32,
}

/// The cheapest paths from all cells of a map to the nearest of some goals, on the device.
#[derive(Debug)]
pub struct GpuFlowField {
    gpu: Gpu,
    map: Map,
    goals: Vec<NodeId>,
    offsets: [u32; 8],
    costs: Buffer,
    steps: Buffer,
    passes: u32,
}

impl GpuFields {
    /// Uploads a map, which must be a grid.
    pub fn build(gpu: &Gpu, map: &Map) -> Result<Self, GpuError> {
        let (grid, device_grid, scratch) = prepare(gpu, map)?;
        let kernel = |sources: &[&str], entry| Kernel::new(gpu, NAME, sources, entry, &[]);
        let queue = include_str!("queue.wgsl");
        let before = [queue, include_str!("prepare.wgsl")];
        let kernels = Kernels {
            clear_costs: kernel(&before, "clear_costs")?,
            add_goals: kernel(&before, "add_goals")?,
            begin_pass: kernel(&before, "begin_pass")?,
            relax: kernel(&[GRID_SOURCE, queue, include_str!("relax.wgsl")], "relax")?,
            find_steps: kernel(&[GRID_SOURCE, include_str!("steps.wgsl")], "find_steps")?,
            move_agents: kernel(&[include_str!("crowd.wgsl")], "move_agents")?,
        };
        let (offsets, scratch) = (offsets(grid), Mutex::new(scratch));
        let (gpu, map) = (gpu.clone(), map.clone());
        Ok(Self { gpu, map, grid: device_grid, offsets, kernels, scratch })
    }

    /// Uploads another map, or the same after an edit. Existing fields stay those of their map.
    pub fn set_map(&mut self, map: &Map) -> Result<(), GpuError> {
        let (grid, device_grid, scratch) = prepare(&self.gpu, map)?;
        self.offsets = offsets(grid);
        self.map = map.clone();
        self.grid = device_grid;
        self.scratch = Mutex::new(scratch);
        Ok(())
    }

    /// The map of the next field.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Bytes on the device, without fields and crowds.
    pub fn memory_bytes(&self) -> u64 {
        let scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        self.grid.memory_bytes() + scratch.marks.size() + scratch.queues.size()
    }

    /// Computes the field toward these goals, which must not be blocked. Without goals there are no
    /// paths.
    pub fn field<L: Into<Location> + Copy>(&self, goals: &[L]) -> Result<GpuFlowField, GpuError> {
        let cells = self.map.node_count() as u64;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let mut field = GpuFlowField {
            gpu: self.gpu.clone(),
            map: self.map.clone(),
            goals: Vec::new(),
            offsets: self.offsets,
            costs: self.gpu.buffer("the costs of a field", 4 * cells, storage)?,
            steps: self.gpu.buffer("the steps of a field", cells, storage)?,
            passes: 0,
        };
        self.refill(&mut field, goals)?;
        Ok(field)
    }

    /// Computes the field toward other goals, or after an edit, in the memory of a field of a map
    /// of the same size.
    pub fn refill<L: Into<Location> + Copy>(
        &self,
        field: &mut GpuFlowField,
        goals: &[L],
    ) -> Result<(), GpuError> {
        self.gpu.check_same(&field.gpu, "the field")?;
        same_size(&self.map, &field.map)?;
        let mut goals = self.map.nodes(goals)?;
        goals.iter().try_for_each(|&goal| self.map.check(goal))?;
        goals.sort_unstable();
        goals.dedup();
        let scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        field.passes = self.fill(field, &scratch, &goals)?;
        (field.map, field.goals) = (self.map.clone(), goals);
        Ok(())
    }

    /// Computes costs and steps. Returns the number of passes.
    fn fill(
        &self,
        field: &GpuFlowField,
        scratch: &Scratch,
        goals: &[NodeId],
    ) -> Result<u32, GpuError> {
        let Self { gpu, kernels, .. } = self;
        let Scratch { tiles, marks, queues, control, workgroups } = scratch;
        let words: Vec<u32> = [goals.len() as u32].iter().chain(goals).copied().collect();
        let goal_buffer = gpu.upload("goals", &words)?;
        let (grid, cells) = (self.grid.bindings(), self.map.node_count() as u64);
        let queue: [_; 5] = [(0, tiles), (1, &field.costs), (2, marks), (3, queues), (4, control)];
        let clear =
            kernels.clear_costs.bind(gpu, &[&[], &[queue[0], queue[1], queue[2], queue[4]]])?;
        let add_goals = kernels.add_goals.bind(gpu, &[&[], &queue, &[(0, &goal_buffer)]])?;
        let begin_pass = kernels.begin_pass.bind(gpu, &[&[], &[queue[4]], &[(1, workgroups)]])?;
        let relax = kernels.relax.bind(gpu, &[&grid, &queue])?;
        let outputs = [(0, &field.costs), (1, &field.steps)];
        let find_steps = kernels.find_steps.bind(gpu, &[&grid, &outputs])?;

        gpu.submit(|encoder| {
            clear.record(gpu, encoder, cells.div_ceil(64));
            add_goals.record(gpu, encoder, (goals.len() as u64).div_ceil(64));
        })?;
        let mut passes = FIRST_PASSES;
        loop {
            gpu.submit(|encoder| {
                for _ in 0..passes {
                    begin_pass.record(gpu, encoder, 1);
                    relax.record_indirect(encoder, workgroups);
                }
            })?;
            let state = read_words(gpu, "a queue", control, 3)?;
            let pass = state[2];
            if state[(pass as usize + 1) & 1] == 0 {
                gpu.submit(|encoder| {
                    find_steps.record(gpu, encoder, cells.div_ceil(4 * 64));
                })?;
                return Ok(pass);
            }
            passes = (2 * passes).min(MOST_PASSES);
        }
    }
}

impl GpuFlowField {
    /// The map of the field.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The goals, sorted, each once.
    pub fn goals(&self) -> &[NodeId] {
        &self.goals
    }

    /// How often tiles were visited until no cost changed: the longest way in tiles, about.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Bytes on the device.
    pub fn memory_bytes(&self) -> u64 {
        self.costs.size() + self.steps.size()
    }

    /// The costs, by node; [`UNREACHABLE`](portolan::UNREACHABLE) if there is no path or its cost
    /// overflows.
    pub fn costs(&self) -> Result<Vec<Cost>, GpuError> {
        read_words(&self.gpu, "the costs of a field", &self.costs, self.map.node_count() as u64)
    }

    /// The next node of each node; the node itself at goals and without a path.
    pub fn steps(&self) -> Result<Vec<NodeId>, GpuError> {
        let words = (self.map.node_count() as u64).div_ceil(4);
        let words = read_words(&self.gpu, "the steps of a field", &self.steps, words)?;
        let headings: &[u8] = bytemuck::cast_slice(&words);
        let next = |(node, &heading): (NodeId, &u8)| {
            node.wrapping_add(self.offsets.get(usize::from(heading)).copied().unwrap_or(0))
        };
        Ok((0..self.map.node_count() as NodeId).zip(headings).map(next).collect())
    }

    /// The field on the host, where it answers queries and follows edits.
    pub fn download(&self) -> Result<FlowField, GpuError> {
        Ok(FlowField::from_costs(&self.map, &self.goals, self.costs()?)?)
    }
}

/// The grid on the device, and what is needed to compute fields.
fn prepare<'a>(gpu: &Gpu, map: &'a Map) -> Result<(&'a Grid, DeviceGrid, Scratch), GpuError> {
    let grid = map.as_grid().ok_or_else(|| GpuError::Unsupported {
        method: NAME,
        reason: "tiles are squares of cells; use `FlowField` for graphs".to_owned(),
    })?;
    let (columns, rows) = (grid.width().div_ceil(TILE), grid.height().div_ceil(TILE));
    let tiles = Tiles { cells: map.node_count() as u32, width: grid.width(), columns, rows };
    let count = 4 * u64::from(columns) * u64::from(rows);
    let storage = BufferUsages::STORAGE;
    let scratch = Scratch {
        tiles: gpu.uniform("tiles", &tiles)?,
        marks: gpu.buffer("marks of tiles", count, storage)?,
        queues: gpu.buffer("queues of tiles", 2 * count, storage)?,
        control: gpu.buffer("queues of tiles", 12, storage | BufferUsages::COPY_SRC)?,
        workgroups: gpu.buffer("queues of tiles", 12, storage | BufferUsages::INDIRECT)?,
    };
    Ok((grid, DeviceGrid::new(gpu, grid)?, scratch))
}

/// An error if node numbers of one map mean other cells on the other.
fn same_size(map: &Map, other: &Map) -> Result<(), GpuError> {
    if map.extent() == other.extent() {
        return Ok(());
    }
    let size = |map: &Map| {
        map.as_grid().map_or(String::new(), |grid| format!("{} x {}", grid.width(), grid.height()))
    };
    let reason =
        format!("the field belongs to {} cells, and this map has {}", size(other), size(map));
    Err(GpuError::Unsupported { method: NAME, reason })
}
