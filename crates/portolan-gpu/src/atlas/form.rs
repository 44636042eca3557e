//! A form on the device: its kernels with their buffers, and how long its paths are.
//!
//! Both forms have the kernels `distance`, which finds the hub of each request, and `path`, which
//! follows the hops of both ends to it. They share the shaders of this folder.

use wgpu::{Buffer, CommandEncoder};

use super::{ALONE, GpuAtlasForm, NAME, TURNS};
use crate::batch::PathForm;
use crate::device::{Gpu, Kernel, Launch, POOL_SOURCE};
use crate::error::GpuError;

#[derive(Debug)]
pub(super) struct Form {
    /// Never [`GpuAtlasForm::Fastest`].
    pub(super) kind: GpuAtlasForm,
    pub(super) distance: Program,
    pub(super) path: Program,
    /// By [`PathForm`].
    pub(super) paths: [PathSize; 2],
    /// The invocations that answer a request together.
    pub(super) lanes: u32,
    pub(super) bytes: u64,
}

/// What a kernel of a form has beside what both forms share.
pub(super) struct Program {
    pub(super) sources: Vec<&'static str>,
    pub(super) constants: Vec<(&'static str, f64)>,
    /// The buffers of group 0, by binding number.
    pub(super) buffers: Vec<(u32, Buffer)>,
}

/// How long paths are.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathSize {
    /// The words of a usual path.
    pub(super) usual: u64,
    /// More words than any path has.
    pub(super) most: u64,
    /// The most turns of all loops of `path` together.
    pub(super) turns: u64,
}

impl Form {
    pub(super) fn distance_kernel(&self, gpu: &Gpu, answer_words: u64) -> Result<Kernel, GpuError> {
        let rest = match self.lanes {
            1 => include_str!("distance_alone.wgsl"),
            _ => include_str!("distance_subgroup.wgsl"),
        };
        let shared = [include_str!("rows.wgsl"), include_str!("distance.wgsl"), rest];
        let lanes = f64::from(self.lanes);
        let constants = [("LANES", lanes), ("ANSWER_WORDS", answer_words as f64)];
        self.distance.kernel(gpu, "distance", &shared, &constants)
    }

    /// Records `distance` for so many requests.
    pub(super) fn record_distances(
        &self,
        gpu: &Gpu,
        distance: &Launch,
        encoder: &mut CommandEncoder,
        count: u64,
    ) {
        // Software drivers count the turns of all loops of an invocation.
        let turns = if gpu.is_software() { 1 } else { TURNS };
        let per_group = match self.lanes {
            1 => ALONE,
            lanes => turns * 128 / u64::from(lanes),
        };
        distance.record(gpu, encoder, count.div_ceil(per_group));
    }

    pub(super) fn path_kernel(&self, gpu: &Gpu, form: PathForm) -> Result<Kernel, GpuError> {
        let constants = [("WRITES_NODES", f64::from(form as u8))];
        self.path.kernel(gpu, "path", &[POOL_SOURCE, include_str!("path.wgsl")], &constants)
    }
}

impl Program {
    /// Compiles a kernel of this name, with further sources and constants.
    pub(super) fn kernel(
        &self,
        gpu: &Gpu,
        name: &'static str,
        sources: &[&str],
        constants: &[(&str, f64)],
    ) -> Result<Kernel, GpuError> {
        let sources = [sources, &self.sources].concat();
        Kernel::new(gpu, name, &sources, name, &[constants, &self.constants].concat())
    }

    /// Binds the buffers of the form, and those of a round.
    pub(super) fn bind(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        round: &[(u32, &Buffer)],
    ) -> Result<Launch, GpuError> {
        let of_form: Vec<_> = self.buffers.iter().map(|(at, buffer)| (*at, buffer)).collect();
        kernel.bind(gpu, &[&of_form, round])
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Program").field("constants", &self.constants).finish_non_exhaustive()
    }
}

/// Refuses kernels that a software driver may end too early.
pub(super) fn check_turns(gpu: &Gpu, turns: u64, remedy: &str) -> Result<(), GpuError> {
    if turns <= gpu.most_turns() {
        return Ok(());
    }
    let reason = format!(
        "a kernel may need {turns} turns of its loops, and a software driver ends them after {}; \
         use a GPU, or {remedy}",
        gpu.most_turns()
    );
    Err(GpuError::Unsupported { method: NAME, reason })
}
