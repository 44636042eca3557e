//! A* with one invocation per agent.

use portolan::Map;

use super::batches::{Batches, Program, answer_by_batches};
use super::{AGENT_SOURCE, ASTAR_SOURCE, PAGES_SOURCE, STATE_SOURCE};
use crate::device::Gpu;
use crate::error::GpuError;

/// A* on grids: thousands of agents at a time, each with its own invocation and heap.
///
/// ```
/// use portolan::{Grid, Map};
/// use portolan_gpu::{Gpu, GpuAstar, GpuEngine};
///
/// let map = Map::from(Grid::new(64, 64)?);
/// let engine = GpuAstar::build(&Gpu::new()?, &map)?;
/// let requests = [(0, 64 * 64 - 1)];
/// assert_eq!(engine.distances(&requests)?.get(0), Some(Ok(Some(63 * 47321))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuAstar {
    pub(super) batches: Batches,
}

impl GpuAstar {
    /// Puts the map on the device. Refuses graphs.
    pub fn build(gpu: &Gpu, map: &Map) -> Result<Self, GpuError> {
        Ok(Self { batches: Batches::build(gpu, map, PROGRAM)? })
    }
}

const PROGRAM: Program = Program {
    name: "gpu-astar",
    sources: &[
        PAGES_SOURCE,
        STATE_SOURCE,
        AGENT_SOURCE,
        ASTAR_SOURCE,
        include_str!("no_lines.wgsl"),
    ],
    group_agents: 32,
    quad_entries: 2,
    has_tables: false,
};

answer_by_batches!(GpuAstar);
