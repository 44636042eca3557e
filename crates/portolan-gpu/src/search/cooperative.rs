//! A* with a workgroup per agent.

use portolan::Map;

use super::batches::{Batches, Program, answer_by_batches};
use super::{AGENT_SOURCE, SHARED_PAGES_SOURCE, STATE_SOURCE};
use crate::device::Gpu;
use crate::error::GpuError;

/// A* on grids with 32 invocations for each agent, which expand as many cells at a time.
///
/// For devices with subgroups of 32 or more; others are better served by
/// [`GpuAstar`](crate::GpuAstar). Of several shortest paths it finds the same on any device.
///
/// ```
/// use portolan::{Grid, Map};
/// use portolan_gpu::{Gpu, GpuCooperative, GpuEngine};
///
/// let map = Map::from(Grid::new(64, 64)?);
/// let engine = GpuCooperative::build(&Gpu::new()?, &map)?;
/// let requests = [(0, 64 * 64 - 1)];
/// assert_eq!(engine.distances(&requests)?.get(0), Some(Ok(Some(63 * 47321))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuCooperative {
    pub(super) batches: Batches,
}

impl GpuCooperative {
    /// Puts the map on the device. Refuses graphs.
    pub fn build(gpu: &Gpu, map: &Map) -> Result<Self, GpuError> {
        Ok(Self { batches: Batches::build(gpu, map, PROGRAM)? })
    }
}

const PROGRAM: Program = Program {
    name: "gpu-cooperative",
    sources: &[SHARED_PAGES_SOURCE, STATE_SOURCE, AGENT_SOURCE, include_str!("cooperative.wgsl")],
    group_agents: 1,
    quad_entries: 1,
    has_tables: false,
};

answer_by_batches!(GpuCooperative);
