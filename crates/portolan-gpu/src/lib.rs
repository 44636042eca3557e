//! Shortest paths for whole crowds on the GPU.

mod atlas;
mod batch;
#[cfg(test)]
mod check;
mod device;
mod engine;
mod error;
mod field;
mod grid;
mod hierarchy;
mod registry;
mod search;
mod tables;

pub use atlas::{GpuAtlas, GpuAtlasConfig, GpuAtlasForm, GpuMatrix};
pub use batch::{
    GpuDistances, GpuLeg, GpuPath, GpuPathAnswer, GpuPaths, GpuRound, PathForm, Request,
};
pub use device::{Adapter, Gpu, GpuOptions, Timing, adapters};
pub use engine::GpuEngine;
pub use error::GpuError;
pub use field::{GpuCrowd, GpuFields, GpuFlowField};
pub use hierarchy::{GpuHierarchical, GpuHierarchicalConfig};
pub use registry::{GpuMethod, METHODS, method};
pub use search::{GpuAstar, GpuCooperative, GpuPrecalculated};
pub use tables::GpuTables;
