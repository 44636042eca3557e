//! A* with a workgroup per agent.

use portolan::{Cost, Map};

use super::batches::{Batches, Program};
use super::{AGENT_SOURCE, SHARED_PAGES_SOURCE, STATE_SOURCE};
use crate::batch::{GpuRound, Request};
use crate::device::{Gpu, Timing};
use crate::engine::GpuEngine;
use crate::error::GpuError;

/// A* on grids with 32 invocations for each agent, which expand as many cells at a time.
///
/// A single request takes a fraction of the time of [`GpuAstar`](crate::GpuAstar). Of several
/// shortest paths it always finds the same, on any device.
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
};

impl GpuEngine for GpuCooperative {
    fn name(&self) -> &'static str {
        PROGRAM.name
    }

    fn exact(&self) -> bool {
        true
    }

    fn map(&self) -> &Map {
        self.batches.map()
    }

    fn gpu(&self) -> &Gpu {
        self.batches.gpu()
    }

    fn memory_bytes(&self) -> u64 {
        self.batches.memory_bytes()
    }

    fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        self.batches.distances_into(requests, costs)
    }

    fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        self.batches.visit_paths(requests, visit)
    }
}
