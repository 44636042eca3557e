//! A crowd that lives on the device and follows flow fields.

use bytemuck::{Pod, Zeroable};
use portolan::{Map, NodeId};
use wgpu::Buffer;

use super::{GpuFields, GpuFlowField, same_size};
use crate::device::{Gpu, Kernel, Launch, read_words};
use crate::error::GpuError;

/// The most steps that are given to the device at a time.
const MOST_RECORDED: u32 = 256;

/// Agents on the device, each on a cell and on its way along one of several fields.
///
/// Agents do not see each other. Those at a goal or without a path stay.
#[derive(Debug)]
pub struct GpuCrowd {
    gpu: Gpu,
    map: Map,
    kernel: Kernel,
    constants: Buffer,
    agents: Buffer,
    count: usize,
}

/// The uniform `crowd` of `crowd.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Constants {
    width: u32,
    cells: u32,
    agents: u32,
    unused: u32,
}

impl GpuCrowd {
    /// Uploads agents: the cell of each, and which field it follows. Agents outside the map stay
    /// where they are.
    pub fn new(fields: &GpuFields, agents: &[(NodeId, u32)]) -> Result<Self, GpuError> {
        let GpuFields { gpu, map, kernels, .. } = fields;
        let words: Vec<[u32; 2]> = agents.iter().map(|&(node, field)| [node, field]).collect();
        let constants = Constants {
            width: map.as_grid().map_or(0, |grid| grid.width()),
            cells: map.node_count() as u32,
            agents: agents.len() as u32,
            unused: 0,
        };
        Ok(Self {
            kernel: kernels.move_agents.clone(),
            constants: gpu.uniform("a crowd", &constants)?,
            agents: gpu.upload("a crowd", &words)?,
            count: agents.len(),
            map: map.clone(),
            gpu: gpu.clone(),
        })
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes on the device.
    pub fn memory_bytes(&self) -> u64 {
        self.agents.size()
    }

    /// Moves every agent by so many steps along its field: that at its number in the list, of a map
    /// of this size. Agents whose field is not in the list stay. Returns without waiting for the
    /// device.
    pub fn advance(&mut self, fields: &[&GpuFlowField], steps: u32) -> Result<(), GpuError> {
        let bind = |(field, number): (&&GpuFlowField, u32)| {
            self.gpu.check_same(&field.gpu, "a field")?;
            same_size(&self.map, &field.map)?;
            let number = self.gpu.uniform("a field", &[number, 0, 0, 0])?;
            let crowd = [(0, &self.constants), (1, &self.agents)];
            self.kernel.bind(&self.gpu, &[&crowd, &[(0, &field.steps), (1, &number)]])
        };
        let launches = fields.iter().zip(0..).map(bind).collect::<Result<Vec<Launch>, _>>()?;
        for first in (0..steps).step_by(MOST_RECORDED as usize) {
            let steps = MOST_RECORDED.min(steps - first);
            self.gpu.submit(|encoder| {
                for launch in (0..steps).flat_map(|_| &launches) {
                    launch.record(&self.gpu, encoder, (self.count as u64).div_ceil(64));
                }
            })?;
        }
        Ok(())
    }

    /// The cells of all agents, in their order.
    pub fn positions(&self) -> Result<Vec<NodeId>, GpuError> {
        let words = read_words(&self.gpu, "a crowd", &self.agents, 2 * self.count as u64)?;
        Ok(words.as_chunks().0.iter().map(|&[node, _field]| node).collect())
    }
}
