//! A* with one invocation per agent.

use portolan::{Cost, Map};

use super::batches::{Batches, Program};
use super::{AGENT_SOURCE, ASTAR_SOURCE, PAGES_SOURCE, STATE_SOURCE};
use crate::batch::{GpuRound, Request};
use crate::device::{Gpu, Timing};
use crate::engine::GpuEngine;
use crate::error::GpuError;

/// A* on grids: thousands of agents at a time, each with its own invocation and binary heap.
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
};

impl GpuEngine for GpuAstar {
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
