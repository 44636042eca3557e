//! Shortest paths for whole crowds on the GPU.

mod atlas;
mod batch;
#[cfg(test)]
mod check;
mod device;
mod engine;
mod error;
mod grid;

pub use atlas::{GpuAtlas, GpuAtlasConfig, GpuAtlasForm};
pub use batch::{
    GpuDistances, GpuLeg, GpuPath, GpuPathAnswer, GpuPaths, GpuRound, PathForm, Request,
};
pub use device::{Adapter, Gpu, GpuOptions, Timing, adapters};
pub use engine::GpuEngine;
pub use error::GpuError;
