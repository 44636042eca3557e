//! Paths and flow fields on the GPU.

use std::time::Instant;

use portolan::{Map, NodeId};
use portolan_gpu::{
    Gpu, GpuAtlas, GpuAtlasConfig, GpuCrowd, GpuEngine, GpuError, GpuFields, GpuFlowField,
};

use super::by_paths::{AHEAD, Finder, Pair};
use super::crowd::Crowd;
use super::{Computed, Movement, Work};
use crate::error::LabError;
use crate::task::Task;

/// Finds all paths in one batch on the GPU.
#[derive(Debug)]
pub(super) struct OnGpu {
    atlas: GpuAtlas,
}

impl OnGpu {
    /// Prepares the map and uploads its labels.
    pub(super) fn build(map: &Map, task: &Task<'_>) -> Result<Self, LabError> {
        let limit = task.shelf.limits().most_index_bytes;
        let config = GpuAtlasConfig { memory_limit: limit, ..GpuAtlasConfig::default() };
        let atlas = GpuAtlas::build_watched(&opened(task)?, map, &config, task).map_err(failed)?;
        Ok(Self { atlas })
    }
}

impl Finder for OnGpu {
    /// A batch is short and not interrupted.
    fn find(
        &mut self,
        pairs: &[Pair],
        found: &mut [Option<Vec<NodeId>>],
        _: &Work<'_>,
    ) -> Result<(), LabError> {
        let mut visit = |round: portolan_gpu::GpuRound<'_>| {
            for (at, answer) in round.iter() {
                let path = answer.ok().flatten();
                let nodes = path.map(|path| path.nodes().skip(1).take(AHEAD).collect());
                found[at] = Some(nodes.unwrap_or_default());
            }
        };
        self.atlas.visit_paths(pairs, &mut visit).map_err(failed)?;
        Ok(())
    }
}

/// Fields and agents on the GPU. Only the positions come back, and agents that have arrived are
/// sent to their next goal.
#[derive(Debug)]
pub(super) struct ByGpuFields {
    fields: GpuFields,
    /// By the number of the goal.
    of_goals: Vec<GpuFlowField>,
    stale: Vec<usize>,
    /// The agents on the device; `None` if they have to be uploaded.
    crowd: Option<GpuCrowd>,
    computed: Computed,
}

impl ByGpuFields {
    /// Uploads the map.
    pub(super) fn build(map: &Map, task: &Task<'_>) -> Result<Self, LabError> {
        let fields = GpuFields::build(&opened(task)?, map).map_err(failed)?;
        let computed = Computed::default();
        Ok(Self { fields, of_goals: Vec::new(), stale: Vec::new(), crowd: None, computed })
    }

    fn follow_goals(&mut self, goals: &[NodeId]) -> Result<(), GpuError> {
        let start = Instant::now();
        for &goal in &goals[self.of_goals.len().min(goals.len())..] {
            self.of_goals.push(self.fields.field(&[goal])?);
            self.computed.fields += 1;
        }
        for at in std::mem::take(&mut self.stale) {
            if let (Some(field), Some(&goal)) = (self.of_goals.get_mut(at), goals.get(at)) {
                self.fields.refill(field, &[goal])?;
                self.computed.fields += 1;
            }
        }
        self.computed.time += start.elapsed();
        Ok(())
    }

    fn moved(&mut self, crowd: &Crowd) -> Result<Vec<NodeId>, GpuError> {
        self.follow_goals(crowd.goals())?;
        let on_device = match &mut self.crowd {
            Some(on_device) => on_device,
            none => {
                let agents = crowd.positions().iter().zip(crowd.targets());
                let agents: Vec<_> =
                    agents.map(|(&node, &target)| (node, u32::from(target))).collect();
                none.insert(GpuCrowd::new(&self.fields, &agents)?)
            }
        };
        let fields: Vec<&GpuFlowField> = self.of_goals.iter().collect();
        on_device.advance(&fields, 1)?;
        on_device.positions()
    }
}

impl Movement for ByGpuFields {
    fn goals_moved(&mut self, goal: Option<usize>) {
        match goal {
            Some(goal) if self.stale.contains(&goal) => {}
            Some(goal) => self.stale.push(goal),
            None => self.stale = (0..self.of_goals.len()).collect(),
        }
    }

    fn step(&mut self, crowd: &mut Crowd, _: &Work<'_>) -> Result<(), LabError> {
        let positions = self.moved(crowd).map_err(failed)?;
        let mut has_turned = false;
        for (agent, node) in positions.into_iter().enumerate() {
            has_turned |= crowd.walk_to(agent, node);
        }
        if has_turned {
            self.crowd = None;
        }
        Ok(())
    }

    fn waiting(&self, _: &Crowd) -> usize {
        0
    }

    fn take_computed(&mut self) -> Computed {
        std::mem::take(&mut self.computed)
    }
}

fn opened(task: &Task<'_>) -> Result<Gpu, LabError> {
    task.shelf.gpu().cloned().map_err(LabError::Failed)
}

fn failed(error: GpuError) -> LabError {
    match error {
        GpuError::Build(portolan::BuildError::Cancelled) => LabError::Cancelled,
        error => LabError::Failed(error.to_string()),
    }
}
