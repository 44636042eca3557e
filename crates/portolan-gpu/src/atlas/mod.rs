//! Hub labels on the device: exact distances and paths without a search.
//!
//! `engine.rs` chooses a form: `general/` has labels of all nodes, `uniform/` of obstacle corners
//! alone. `labels.rs` computes the labels on the host (`hub_search.rs` is its search) and says what
//! they mean; they stay on the device. `matrix.rs` answers all pairs of sources and targets.

mod engine;
mod general;
mod hub_search;
mod labels;
mod matrix;
mod uniform;

pub use engine::GpuAtlas;
pub use matrix::GpuMatrix;

use portolan::atlas::AtlasConfig;
use portolan::partition::Partitioner;
use wgpu::Buffer;

use crate::device::{Gpu, Launch, Rounds};
use crate::error::GpuError;

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

/// The rounds of each kind of answer, made on first use.
#[derive(Debug, Default)]
struct AllRounds {
    distances: Option<Rounds<Launch>>,
    paths: [Option<Rounds<[Launch; 2]>>; 2],
}

/// The rounds of a kind, which are made if there are none or an error has spoiled them.
fn ready<T>(
    rounds: &mut Option<Rounds<T>>,
    make: impl FnOnce() -> Result<Rounds<T>, GpuError>,
) -> Result<&mut Rounds<T>, GpuError> {
    match rounds.take().filter(|rounds| !rounds.is_broken()) {
        Some(usable) => Ok(rounds.insert(usable)),
        None => Ok(rounds.insert(make()?)),
    }
}

/// Uploads an array in pieces of `segment` elements; unused buffers are tiny.
fn segments<T: bytemuck::NoUninit>(
    gpu: &Gpu,
    what: &'static str,
    array: &[T],
    segment: usize,
) -> Result<[Buffer; SEGMENTS], GpuError> {
    let mut pieces = array.chunks(segment);
    let mut upload = || gpu.upload(what, pieces.next().unwrap_or_default());
    Ok([upload()?, upload()?, upload()?])
}

#[cfg(test)]
mod tests;
