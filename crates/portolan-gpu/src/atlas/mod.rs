//! Hub labels on the device: exact distances and paths without a search.
//!
//! `engine.rs` chooses a form and answers batches by it: `general/` has labels of all nodes,
//! `uniform/` of obstacle corners alone. `form.rs` and the shaders beside it are what both share.
//! `labels.rs` computes the labels on the host (`hub_search.rs` is its search) and says what they
//! mean; they stay on the device. `matrix.rs` answers all pairs of sources and targets.

mod engine;
mod form;
mod general;
mod hub_search;
mod labels;
mod matrix;
mod uniform;

pub use engine::GpuAtlas;
pub use matrix::GpuMatrix;

use std::fmt;

use portolan::atlas::AtlasConfig;
use portolan::partition::Partitioner;
use wgpu::Buffer;

use self::labels::GROUP;
use crate::device::Gpu;
use crate::error::{GpuError, GpuLimit};

/// The name of the method.
pub(crate) const NAME: &str = "gpu-atlas";

/// The buffers over which entries are spread.
const SEGMENTS: usize = 3;

/// The most invocations that answer a request together. More would be idle: few pairs share more
/// than four hubs for each.
const MOST_LANES: u32 = 16;

/// The invocations of a workgroup of `distance_alone.wgsl` and `path.wgsl`.
const ALONE: u64 = 64;

/// The requests that a workgroup of `distance_subgroup.wgsl` should answer one after the other.
const TURNS: u64 = 4;

/// The form that a [`GpuAtlas`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GpuAtlasForm {
    /// The general form if it fits into the memory limit and the device, else the uniform form.
    #[default]
    Fastest,
    /// Labels of all nodes: the fastest, for any map, but hundreds of bytes per node.
    General,
    /// Labels of obstacle corners: far less memory where corners are few. For four- and
    /// eight-connected grids without terrain costs.
    Uniform,
}

impl fmt::Display for GpuAtlasForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Fastest => "fastest",
            Self::General => "general",
            Self::Uniform => "uniform",
        })
    }
}

/// Configuration of a [`GpuAtlas`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuAtlasConfig {
    /// The form to build.
    pub form: GpuAtlasForm,
    /// The most bytes that the labels may take on the device. `u64::MAX`, the default, allows what
    /// the device can hold.
    pub memory_limit: u64,
    /// The most nodes of a region that is not cut any more. Smaller ones make the labels a little
    /// shorter and the preparation longer.
    pub leaf_size: usize,
    /// How separators are found.
    pub partitioner: Partitioner,
}

impl Default for GpuAtlasConfig {
    fn default() -> Self {
        let AtlasConfig { partitioner, .. } = AtlasConfig::default();
        let form = GpuAtlasForm::default();
        Self { form, memory_limit: u64::MAX, leaf_size: 8, partitioner }
    }
}

impl GpuAtlasConfig {
    /// How the map is cut.
    fn cuts(&self) -> AtlasConfig {
        let Self { leaf_size, partitioner, .. } = self.clone();
        AtlasConfig { leaf_size: Some(leaf_size), partitioner, ..AtlasConfig::default() }
    }
}

/// The invocations that answer a request together on this device.
fn lanes(gpu: &Gpu) -> u32 {
    match gpu.has_subgroups() {
        true => gpu.subgroup_size().clamp(1, MOST_LANES),
        false => 1,
    }
}

/// The groups of entries in a buffer, as a power of two.
fn segment_bits(gpu: &Gpu) -> u32 {
    (gpu.max_binding() / (4 * GROUP)).max(1).ilog2().min(28)
}

/// An error if so many bytes exceed a limit.
fn check_size(
    what: &'static str,
    (needed, available): (u64, u64),
    limit: GpuLimit,
) -> Result<(), GpuError> {
    match needed > available {
        true => Err(GpuError::TooLarge { what, needed, available, limit }),
        false => Ok(()),
    }
}

/// Uploads an array in pieces of `segment` elements, for bindings 2 to 4; unused buffers are tiny.
fn segments<T: bytemuck::NoUninit>(
    gpu: &Gpu,
    what: &'static str,
    array: &[T],
    segment: usize,
) -> Result<Vec<(u32, Buffer)>, GpuError> {
    let mut pieces = array.chunks(segment);
    let upload = |binding| Ok((binding, gpu.upload(what, pieces.next().unwrap_or_default())?));
    (2..).map(upload).take(SEGMENTS).collect()
}

#[cfg(test)]
mod tests;
